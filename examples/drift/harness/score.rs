//! Shares of facts told, and the table of them.

use std::fmt::Write as _;

/// How many of some facts are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Share {
    told: usize,
    of: usize,
}

impl Share {
    pub(crate) fn note(&mut self, is_told: bool) {
        self.told += usize::from(is_told);
        self.of += 1;
    }

    fn add(&mut self, other: Self) {
        self.told += other.told;
        self.of += other.of;
    }

    /// Says whether all are told, and there are any.
    pub(crate) const fn is_whole(self) -> bool {
        self.told == self.of && self.of > 0
    }

    fn percent(self) -> String {
        if self.of == 0 {
            return "-".to_owned();
        }
        // Rounded down to a tenth, so that 100 means all.
        let tenths = self.told * 1_000 / self.of;
        match tenths % 10 {
            0 => format!("{} %", tenths / 10),
            rest => format!("{}.{rest} %", tenths / 10),
        }
    }
}

/// What a view told after a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Score {
    pub(crate) depth: u64,
    /// Summaries that a model wrote, of all that stand.
    pub(crate) by_model: Share,
    pub(crate) constraints: Share,
    pub(crate) files: Share,
    pub(crate) decisions: Share,
    pub(crate) identifiers: Share,
    pub(crate) numbers: Share,
    pub(crate) open: Share,
    pub(crate) done: Share,
    pub(crate) found: Share,
}

impl Score {
    /// Says whether all was told that must never drift, and every fact found again.
    pub(crate) const fn is_certain(&self) -> bool {
        self.constraints.is_whole() && self.files.is_whole() && self.found.is_whole()
    }

    /// Adds the facts of another conversation; the depth is that of the deeper one.
    fn add(&mut self, other: &Self) {
        self.depth = self.depth.max(other.depth);
        self.by_model.add(other.by_model);
        self.constraints.add(other.constraints);
        self.files.add(other.files);
        self.decisions.add(other.decisions);
        self.identifiers.add(other.identifiers);
        self.numbers.add(other.numbers);
        self.open.add(other.open);
        self.done.add(other.done);
        self.found.add(other.found);
    }
}

/// Returns a Markdown table, a row for each round, the facts of all `runs` taken together.
pub(crate) fn table(runs: &[Vec<Score>]) -> String {
    let mut text = String::from(
        "| round | depth | by a model | constraints | file states | decisions | identifiers | numbers | open | done | found again |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let n_rounds = runs.iter().map(Vec::len).max().unwrap_or(0);
    for round_idx in 0..n_rounds {
        let mut sum = Score::default();
        for score in runs.iter().filter_map(|run| run.get(round_idx)) {
            sum.add(score);
        }
        let shares = [
            sum.by_model,
            sum.constraints,
            sum.files,
            sum.decisions,
            sum.identifiers,
            sum.numbers,
            sum.open,
            sum.done,
            sum.found,
        ];
        // Writing to a string cannot fail.
        let _ = write!(text, "| {} | {} |", round_idx + 1, sum.depth);
        for share in shares {
            let _ = write!(text, " {} |", share.percent());
        }
        text.push('\n');
    }
    text
}
