//! The texts that are measured on: the same for every run and for the bare statements.
//! Synthetic: word counts follow a rank law, some words are planted.

use hippocamp::domain::NewMessage;

/// Conversations beside the long one hold this many messages.
pub(crate) const SHORT: u64 = 500;

/// In every second message.
pub(crate) const COMMON: &str = "harbour";
/// In a handful of messages, whatever the size.
pub(crate) const RARE: &str = "zanzibar";
/// In every 7th and every 11th message, so that both stand in every 77th.
pub(crate) const PAIR: [&str; 2] = ["lantern", "anchor"];
/// A piece of a word that stands in a handful of messages.
pub(crate) const PIECE: &str = "nzib";

/// Returns the words of message `n` of `of`.
pub(crate) fn text(n: u64, of: u64) -> String {
    let mut state = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut words = Vec::new();
    for _ in 0..60 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // A product of two even draws falls mostly on low ranks, as words do.
        let rank = (state % 200) * (state / 200 % 200) / 8;
        words.push(format!("w{rank}"));
    }
    if n.is_multiple_of(2) {
        words.push(COMMON.to_owned());
    }
    if n.is_multiple_of(7) {
        words.push(PAIR[0].to_owned());
    }
    if n.is_multiple_of(11) {
        words.push(PAIR[1].to_owned());
    }
    if n % (of / 5) == 3 {
        words.push(RARE.to_owned());
    }
    words.join(" ")
}

/// Returns message `n` of `of`; users and the model take turns.
pub(crate) fn message(n: u64, of: u64) -> NewMessage {
    match n % 2 {
        0 => NewMessage::user(text(n, of)),
        _ => NewMessage::assistant(text(n, of)),
    }
}

/// Returns the session of message `n`: the first `long` are one conversation.
pub(crate) fn session(n: u64, long: u64) -> String {
    if n < long {
        "long".to_owned()
    } else {
        format!("short-{}", (n - long) / SHORT)
    }
}

/// Returns how many messages a store holds whose long conversation has `long`.
pub(crate) fn total(long: u64) -> u64 {
    long + long / 2
}
