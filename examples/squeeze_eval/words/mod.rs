//! The sentences that talks are planted with, in three languages.
//! `{…}` is filled by the planter; what an update replaces stands right before it.

mod english;
mod german;
mod portuguese;

/// What a slot is filled with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    Berth,
    Money,
    Name,
    Plain,
    Code,
    Channel,
    Address,
    Clock,
    Share,
    Path,
    Day,
    Work,
}

/// What kind of thing a sentence says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    Constraint,
    Decision,
    Identifier,
    State,
    File,
}

/// One fact, in one or two wordings: the second says it anew with another value.
pub(crate) struct Fact {
    pub(crate) kind: Kind,
    pub(crate) slot: Slot,
    pub(crate) said: [&'static str; 2],
}

const fn fact(kind: Kind, slot: Slot, first: &'static str, second: &'static str) -> Fact {
    Fact {
        kind,
        slot,
        said: [first, second],
    }
}

/// One language.
pub(crate) struct Tongue {
    pub(crate) name: &'static str,
    /// Exchanges of one talk, facts included: so many that the sentences that state facts are 23 % of its
    /// text, as in the sessions that compaction-conformance-kit 0.8.0 generates.
    pub(crate) exchanges: usize,
    pub(crate) facts: &'static [Fact],
    /// What people say beside; `{thing}` is one of `things`.
    pub(crate) chatter: &'static [&'static str],
    pub(crate) answers: &'static [&'static str],
    pub(crate) things: &'static [&'static str],
    pub(crate) works: &'static [&'static str],
    pub(crate) days: &'static [&'static str],
}

pub(crate) const TONGUES: [Tongue; 3] = [english::TONGUE, portuguese::TONGUE, german::TONGUE];
