//! What of the candidates finds room. Owns the shares of a summary.
//! May not rank candidates: they come in order.

use crate::domain::{SummaryBody, TokenCounter, Tokens};
use crate::policy::assemble::escape;
use crate::policy::carry::Section;

use super::sentence;

/// What kind of thing a candidate says, in the order in which room is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// What the user demands or forbids.
    Demand,
    Goal,
    State,
    Decision,
    File,
    Error,
    Next,
    Question,
    Done,
    Fact,
    Narrative,
    Dropped,
}

impl Kind {
    pub(super) const ALL: [Self; 12] = [
        Self::Demand,
        Self::Goal,
        Self::State,
        Self::Decision,
        Self::File,
        Self::Error,
        Self::Next,
        Self::Question,
        Self::Done,
        Self::Fact,
        Self::Narrative,
        Self::Dropped,
    ];

    /// Returns where it is written.
    pub(super) const fn section(self) -> Section {
        match self {
            Self::Demand | Self::Decision => Section::Decisions,
            Self::Goal => Section::Goal,
            Self::State => Section::State,
            Self::File => Section::Files,
            Self::Error | Self::Fact => Section::Facts,
            Self::Next => Section::NextSteps,
            Self::Question => Section::OpenQuestions,
            Self::Done => Section::Done,
            Self::Narrative => Section::Narrative,
            Self::Dropped => Section::Dropped,
        }
    }

    /// Returns the share of the target, in percent, that is its own before leftovers are shared:
    /// no kind may starve the others.
    const fn share(self) -> u64 {
        match self {
            Self::Demand => 40,
            Self::File => 16,
            Self::Fact => 13,
            Self::Decision => 12,
            Self::Next => 8,
            Self::Goal | Self::State | Self::Done => 6,
            Self::Error => 4,
            Self::Question => 3,
            Self::Narrative | Self::Dropped => 2,
        }
    }
}

/// Something a summary could say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) kind: Kind,
    /// Where it stood in its source: written in this order.
    pub(super) place: usize,
    pub(super) text: String,
}

/// Takes candidates, the dearest of each kind first, as long as there is room.
pub(super) fn fit(
    candidates: Vec<Candidate>,
    target: Tokens,
    counter: &dyn TokenCounter,
) -> SummaryBody {
    let mut fitter = Fitter {
        target,
        counter,
        used: Tokens::ZERO,
        taken: Vec::new(),
    };
    let mut left: Vec<Candidate> = Vec::new();
    let mut by_kind: Vec<Candidate> = candidates;
    by_kind.sort_by_key(|candidate| candidate.kind);
    for run in by_kind.chunk_by(|left, right| left.kind == right.kind) {
        let share = run
            .first()
            .map_or(Tokens::ZERO, |first| target.percent(first.kind.share()));
        let mut room = share;
        for candidate in run {
            let cost = fitter.cost(candidate);
            if cost <= room && fitter.take(candidate, cost) {
                room = room.saturating_sub(cost);
            } else {
                left.push(candidate.clone());
            }
        }
    }
    for candidate in &left {
        let cost = fitter.cost(candidate);
        fitter.take(candidate, cost);
    }
    if fitter.taken.is_empty() {
        fitter.take_shortened(left.first());
    }
    fitter.finish()
}

struct Fitter<'a> {
    target: Tokens,
    counter: &'a dyn TokenCounter,
    used: Tokens,
    taken: Vec<Candidate>,
}

impl Fitter<'_> {
    /// Counts a candidate's line, with its label if it would be the first of its section.
    fn cost(&self, candidate: &Candidate) -> Tokens {
        let section = candidate.kind.section();
        let line = self
            .counter
            .count(&escape(&format!("\n- {}", candidate.text)));
        let is_first = !self
            .taken
            .iter()
            .any(|taken| taken.kind.section() == section);
        if is_first {
            line + self.counter.count(&format!("\n{}:", section.label()))
        } else {
            line
        }
    }

    /// Takes a candidate if there is room.
    fn take(&mut self, candidate: &Candidate, cost: Tokens) -> bool {
        let fits = self.used + cost <= self.target;
        if fits {
            self.used += cost;
            self.taken.push(candidate.clone());
        }
        fits
    }

    /// Takes the beginning of a candidate that is too long for the whole target.
    fn take_shortened(&mut self, candidate: Option<&Candidate>) {
        let Some(candidate) = candidate else { return };
        let mut length = candidate.text.len();
        while length > 0 {
            length = length / 4 * 3;
            let shorter = Candidate {
                text: sentence::clip(&candidate.text, length),
                ..candidate.clone()
            };
            let cost = self.cost(&shorter);
            if !shorter.text.is_empty() && self.take(&shorter, cost) {
                return;
            }
        }
    }

    /// Writes what was taken, and gives up the last taken should the whole be dearer than its lines.
    fn finish(mut self) -> SummaryBody {
        loop {
            let body = self.body();
            let tokens = self.counter.count(&escape(&body.render()));
            if tokens <= self.target || self.taken.pop().is_none() {
                return body;
            }
        }
    }

    fn body(&self) -> SummaryBody {
        let mut ordered: Vec<&Candidate> = self.taken.iter().collect();
        ordered.sort_by_key(|candidate| (candidate.kind, candidate.place));
        let mut body = SummaryBody::default();
        for candidate in ordered {
            body.push(candidate.kind.section(), &candidate.text);
        }
        body
    }
}
