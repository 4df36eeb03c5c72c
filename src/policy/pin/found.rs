//! Pins that users' words make: constraints found, and those taken back.
//! Owns which of them become what; the sentences are `carry`'s to find.

use crate::domain::{
    NewPin, Pin, PinBoard, PinBy, PinChange, PinKind, PinMeta, PinMove, PinRef, PinState, Said,
    TokenCounter, Tokens,
};
use crate::policy::assemble::{block_tokens, pin_tokens};
use crate::policy::carry::constraint::{self, Found, Kind};

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
/// that lifts an automatic pin retires it. Pins by hand are retired by hand.
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
        entries: board.standing.iter().map(Entry::of).collect(),
        changes: Vec::new(),
        auto,
        room,
        counter,
    };
    for one in said {
        for piece in own_words(&one.text) {
            for found in constraint::find(piece) {
                match found.kind {
                    Kind::Lifts => plan.lift(&found, one),
                    Kind::Sets => plan.set(found.sentence, one),
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
    entries: Vec<Entry>,
    changes: Vec<PinChange>,
    auto: AutoPins,
    room: Tokens,
    counter: &'counter dyn TokenCounter,
}

impl Planning<'_> {
    fn lift(&mut self, found: &Found<'_>, said: &Said) {
        let (gone, stay): (Vec<Entry>, Vec<Entry>) = std::mem::take(&mut self.entries)
            .into_iter()
            .partition(|entry| {
                entry.kind == PinKind::Constraint
                    && entry.by == PinBy::Auto
                    && constraint::lifts(found, &entry.text)
            });
        self.entries = stay;
        for entry in gone {
            self.changes.push(PinChange::Move(PinMove {
                pin: entry.pin,
                state: PinState::Retired,
                by: PinBy::Auto,
                cause: Some(said.source.seq),
                reason: "lifted",
            }));
        }
    }

    fn set(&mut self, sentence: &str, said: &Said) {
        let words = same_words(sentence);
        let is_known = self
            .entries
            .iter()
            .any(|entry| entry.kind == PinKind::Constraint && entry.words == words);
        if is_known {
            return;
        }
        let tokens = pin_tokens(PinKind::Constraint, sentence, self.counter);
        let state = match self.auto {
            AutoPins::Live if self.has_room(tokens) => PinState::Live,
            AutoPins::Live | AutoPins::Proposed => PinState::Proposed,
        };
        self.entries.push(Entry {
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

    /// Says whether a pin of these tokens fits beside the live ones.
    fn has_room(&self, tokens: Tokens) -> bool {
        let live = self
            .entries
            .iter()
            .filter(|entry| entry.state == PinState::Live)
            .map(|entry| entry.tokens);
        block_of(live.chain([tokens])) <= self.room
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

/// The wrappers in which views show stored text.
const WRAPPERS: [(&str, &str); 3] = [
    ("<summary ", "</summary>"),
    ("<request ", "</request>"),
    ("<pin ", "</pin>"),
];

/// Cuts a text into the pieces that are no recalled text: what a view printed may come back in a
/// user's message, and says nothing new.
fn own_words(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((begin, close)) = first_wrapper(rest) {
        let (before, wrapped) = rest.split_at(begin);
        pieces.push(before);
        rest = match wrapped.find(close) {
            Some(end) => wrapped.get(end + close.len()..).unwrap_or_default(),
            None => "",
        };
    }
    pieces.push(rest);
    pieces
}

/// Returns where the first wrapper of a text opens, and what closes it. Looks no further than there:
/// a text may hold many of one sort and none of another.
fn first_wrapper(text: &str) -> Option<(usize, &'static str)> {
    text.match_indices('<').find_map(|(begin, _)| {
        let opened = text.get(begin..)?;
        let wrapper = WRAPPERS
            .into_iter()
            .find(|(open, _)| opened.starts_with(open));
        wrapper.map(|(_, close)| (begin, close))
    })
}
