//! Queries for a corpus, by class: made of the words that it is made of.

use super::random::Random;
use super::words::{WORDS, Words, character_at};

/// How the words of a query are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Word,
    And,
    Or,
    Phrase,
    Prefix,
    Fuzzy,
    Substring,
}

/// Queries that are measured together.
pub(crate) struct Class {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) queries: Vec<String>,
}

impl Class {
    /// The names of the classes that look for pieces of text.
    pub(crate) const OF_TEXT: [&str; 4] = ["fuzzy", "across words", "two letters", "CJK"];

    /// Says whether it looks for pieces of text, so that all of it may have to be looked through.
    pub(crate) const fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Substring | Kind::Fuzzy)
    }
}

/// Queries of a class that looks for pieces of text.
const PIECES: usize = 5;

/// Returns all classes, `count` queries each at most.
pub(crate) fn classes(words: &Words, seed: u64, count: usize) -> Vec<Class> {
    let mut random = Random::new(seed, 0x9e7);
    let mut make = |name, kind, one: &dyn Fn(&mut Random) -> String| {
        let mut class = Class {
            name,
            kind,
            queries: Vec::new(),
        };
        let count = if class.is_text() {
            PIECES.min(count)
        } else {
            count
        };
        class.queries = (0..count).map(|_| one(&mut random)).collect();
        class
    };
    let within = |random: &mut Random, from: usize, to: usize| -> String {
        words.at(from + random.place(to - from)).to_owned()
    };
    let pair = |random: &mut Random, from: usize, to: usize| {
        let one = from + random.place(to - from);
        let other = from + (one - from + 1 + random.place(to - from - 1)) % (to - from);
        format!("{} {}", words.at(one), words.at(other))
    };
    vec![
        make("rare", Kind::Word, &|random| within(random, 20_000, WORDS)),
        make("mid", Kind::Word, &|random| within(random, 300, 1_500)),
        make("common", Kind::Word, &|random| within(random, 0, 12)),
        make("and", Kind::And, &|random| pair(random, 60, 400)),
        make("or", Kind::Or, &|random| pair(random, 60, 400)),
        make("phrase", Kind::Phrase, &|random| pair(random, 0, 12)),
        make("prefix", Kind::Prefix, &|random| {
            let word = within(random, 2_000, 10_000);
            word[..word.len().min(5)].to_owned()
        }),
        make("fuzzy", Kind::Fuzzy, &|random| {
            let name = words.name_at(30_000 + random.below(100_000));
            name[1..name.len().min(9)].to_owned()
        }),
        make("across words", Kind::Fuzzy, &|random| {
            let (one, other) = (within(random, 30, 300), within(random, 2_000, 9_000));
            format!("{} {}", &one[1..], &other[..other.len() - 1])
        }),
        make("two letters", Kind::Substring, &|random| {
            let letters = ["xo", "zb", "qg", "oz", "ww", "xk"];
            letters[random.place(letters.len())].to_owned()
        }),
        make("CJK", Kind::Substring, &|random| {
            let draw = |random: &mut Random| character_at(4 + random.place(36));
            [draw(random), draw(random)].iter().collect()
        }),
    ]
}

/// Returns single words of all ranks, from the commonest to the rarest.
pub(crate) fn every_rank(words: &Words, count: u32) -> Vec<String> {
    let step = (60_000_f64).ln() / f64::from(count);
    let rank = |n: u32| (f64::from(n) * step).exp();
    let ranks = (0..count).map(rank);
    ranks
        .map(|rank| words.at(whole(rank) - 1).to_owned())
        .collect()
}

/// Returns patterns for one conversation: words, and pieces from one character on.
pub(crate) fn in_one(words: &Words, seed: u64, count: usize) -> Class {
    let mut random = Random::new(seed, 0x0e);
    let piece = |_| {
        let word = words.at(random.place(2_000));
        let length = 1 + random.place(word.len());
        word[..length].to_owned()
    };
    Class {
        name: "in one",
        kind: Kind::Substring,
        queries: (0..count).map(piece).collect(),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a positive number of at most 60,000"
)]
fn whole(number: f64) -> usize {
    number as usize
}
