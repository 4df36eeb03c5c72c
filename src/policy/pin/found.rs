//! Pins that users' words make: constraints found, and those taken back.
//! Owns which of them become what; the sentences are `carry`'s to find.

use std::collections::HashMap;

use crate::domain::{
    NewPin, Pin, PinBoard, PinBy, PinChange, PinKind, PinMeta, PinMove, PinRef, PinState, Said,
    TokenCounter, Tokens,
};
use crate::policy::assemble::{block_tokens, pin_tokens};
use crate::policy::carry::constraint::{self, Found, Kind, Voice};

/// What constraints become that are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum AutoPins {
    /// Live, while there is room.
    #[default]
    Live,
    /// Proposed: somebody has to accept them.
    Proposed,
}

/// Says whether words say anything that a pin comes of or goes by.
#[must_use]
pub fn says_constraint(text: &str) -> bool {
    own_words(text).into_iter().any(constraint::is_in)
}

/// Plans what the words of users make of a board: constraints become pins, each once; a later one
/// that lifts an automatic pin retires it. Pins by hand are retired by hand. What a user passes on
/// of somebody else retires nothing, and what it sets is proposed.
///
/// Live pins take no more than `room` with it, as printed; beyond it constraints stay proposed.
#[must_use]
pub fn plan_found(
    board: &PinBoard,
    said: &[Said],
    auto: AutoPins,
    room: Tokens,
    counter: &dyn TokenCounter,
) -> Vec<PinChange> {
    let mut plan = Planning {
        entries: Vec::new(),
        constraints: HashMap::new(),
        live: Tokens::ZERO,
        changes: Vec::new(),
        auto,
        room,
        counter,
    };
    for pin in &board.standing {
        plan.enter(Entry::of(pin));
    }
    for one in said {
        for piece in own_words(&one.text) {
            for found in constraint::find(piece) {
                match (found.kind, found.voice) {
                    (Kind::Lifts, Voice::Own) => plan.lift(&found, one),
                    // What may be another's words takes no rule of the user's back.
                    (Kind::Lifts, _) => {}
                    (Kind::Sets, _) => plan.set(&found, one),
                }
            }
        }
    }
    plan.changes
}

/// A pin that stands, stored or planned.
struct Entry {
    pin: PinRef,
    kind: PinKind,
    state: PinState,
    by: PinBy,
    text: String,
    /// What makes it one constraint with another.
    words: String,
    tokens: Tokens,
}

impl Entry {
    fn of(pin: &Pin) -> Self {
        Self {
            pin: PinRef::Stored(pin.id),
            kind: pin.kind,
            state: pin.state,
            by: pin.by,
            text: pin.text.clone(),
            words: same_words(&pin.text),
            tokens: pin.tokens,
        }
    }
}

struct Planning<'counter> {
    /// Those taken back in this plan included, as retired.
    entries: Vec<Entry>,
    /// Where the constraints stand, by their words.
    constraints: HashMap<String, usize>,
    /// What the live ones cost together, without the line before them.
    live: Tokens,
    changes: Vec<PinChange>,
    auto: AutoPins,
    room: Tokens,
    counter: &'counter dyn TokenCounter,
}

impl Planning<'_> {
    fn enter(&mut self, entry: Entry) {
        if entry.state == PinState::Live {
            self.live += entry.tokens;
        }
        if entry.kind == PinKind::Constraint {
            let at = self.entries.len();
            self.constraints.entry(entry.words.clone()).or_insert(at);
        }
        self.entries.push(entry);
    }

    fn lift(&mut self, found: &Found<'_>, said: &Said) {
        let mut freed = Vec::new();
        for entry in &mut self.entries {
            let goes = entry.kind == PinKind::Constraint
                && entry.by == PinBy::Auto
                && entry.state != PinState::Retired
                && constraint::lifts(found, &entry.text);
            if !goes {
                continue;
            }
            if entry.state == PinState::Live {
                self.live = self.live.saturating_sub(entry.tokens);
            }
            entry.state = PinState::Retired;
            freed.push(entry.words.clone());
            self.changes.push(PinChange::Move(PinMove {
                pin: entry.pin,
                state: PinState::Retired,
                by: PinBy::Auto,
                cause: Some(said.source.seq),
                reason: "lifted",
            }));
        }
        for words in freed {
            // A pin by hand may say the same, and it stays.
            let other = self.entries.iter().position(|entry| {
                let stands = entry.state != PinState::Retired;
                stands && entry.kind == PinKind::Constraint && entry.words == words
            });
            match other {
                Some(other) => self.constraints.insert(words, other),
                None => self.constraints.remove(&words),
            };
        }
    }

    fn set(&mut self, found: &Found<'_>, said: &Said) {
        let sentence = found.sentence;
        let words = same_words(sentence);
        let tokens = pin_tokens(PinKind::Constraint, sentence, self.counter);
        let is_wanted = found.voice != Voice::Other && self.auto == AutoPins::Live;
        if let Some(known) = self.constraints.get(&words).copied() {
            if is_wanted {
                self.say_again(known, said);
            }
            return;
        }
        let state = if is_wanted && self.has_room(tokens) {
            PinState::Live
        } else {
            PinState::Proposed
        };
        self.enter(Entry {
            pin: PinRef::Made(self.changes.len()),
            kind: PinKind::Constraint,
            state,
            by: PinBy::Auto,
            text: sentence.to_owned(),
            words,
            tokens,
        });
        self.changes.push(PinChange::Make(NewPin {
            kind: PinKind::Constraint,
            state,
            by: PinBy::Auto,
            text: sentence.to_owned(),
            tokens,
            source: Some(said.source),
            reason: "found",
        }));
    }

    /// Makes a proposed constraint live that the user now says in their own name.
    fn say_again(&mut self, entry_idx: usize, said: &Said) {
        let room = self.room;
        let Some(entry) = self.entries.get_mut(entry_idx) else {
            return;
        };
        let live = self.live + entry.tokens;
        let is_asleep = entry.state == PinState::Proposed && entry.by == PinBy::Auto;
        if is_asleep && block_of([live].into_iter()) <= room {
            entry.state = PinState::Live;
            self.live = live;
            self.changes.push(PinChange::Move(PinMove {
                pin: entry.pin,
                state: PinState::Live,
                by: PinBy::Auto,
                cause: Some(said.source.seq),
                reason: "said again",
            }));
        }
    }

    /// Says whether a pin of these tokens fits beside the live ones.
    fn has_room(&self, tokens: Tokens) -> bool {
        block_of([self.live + tokens].into_iter()) <= self.room
    }
}

/// Counts the block of pins that cost this much each.
pub(super) fn block_of(tokens: impl Iterator<Item = Tokens>) -> Tokens {
    let metas: Vec<PinMeta> = tokens
        .map(|tokens| {
            let (id, kind) = (crate::domain::EventId::new(0), PinKind::Constraint);
            PinMeta::new(id, kind, PinBy::Auto, tokens, None)
        })
        .collect();
    block_tokens(&metas)
}

/// Returns what makes two sentences one constraint: their words, whatever the case, the blanks and
/// the last mark.
fn same_words(sentence: &str) -> String {
    let words: Vec<String> = sentence.split_whitespace().map(str::to_lowercase).collect();
    words
        .join(" ")
        .trim_end_matches(|last: char| !last.is_alphanumeric())
        .to_owned()
}

/// The wrappers in which views show stored text, as they open and close.
const WRAPPERS: [(&str, &str); 3] = [
    ("<summary id=\"s", "</summary>"),
    ("<request id=\"", "</request>"),
    ("<pin id=\"p", "</pin>"),
];

/// Bytes of the longest opening tag of a wrapper.
const TAG_BYTES: usize = 200;

/// Cuts a text into the pieces that are no recalled text: what a view printed may come back in a
/// user's message, and says nothing new. A wrapper that nothing closes ends with its paragraph.
fn own_words(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut begin, mut from) = (0, 0);
    // Looked for once each: a text may open many wrappers that nothing closes.
    let last_closes = WRAPPERS.map(|(_, close)| text.rfind(close));
    while let Some(at) = text.get(from..).and_then(|rest| rest.find('<')) {
        let open = from + at;
        let opened = text.get(open..).unwrap_or_default();
        let wrapper = WRAPPERS.into_iter().zip(last_closes);
        let mut wrapper = wrapper.filter(|((tag, _), _)| is_opened(opened, tag));
        let end = wrapper.next().map(|((_, close), last_close)| {
            let end = if last_close > Some(open) {
                opened.find(close).map(|at| at + close.len())
            } else {
                opened.find("\n\n")
            };
            open + end.unwrap_or(opened.len())
        });
        if let Some(end) = end {
            pieces.extend(text.get(begin..open));
            begin = end;
        }
        from = end.unwrap_or(open + 1);
    }
    pieces.extend(text.get(begin..));
    pieces
}

/// Says whether a text begins with a whole opening tag.
fn is_opened(text: &str, tag: &str) -> bool {
    let behind = text.strip_prefix(tag).map(str::bytes);
    let first = behind.and_then(|bytes| {
        let mut bytes = bytes.take(TAG_BYTES);
        bytes.find(|byte| matches!(byte, b'>' | b'\n'))
    });
    first == Some(b'>')
}
