//! Rows to records. Owns the place of a record that gives several rows: it has one, whatever becomes
//! of each. May not store or print.

use std::collections::BTreeMap;

use super::account::Counts;

/// What became of one row of a record, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// It had no words.
    Silent,
    /// It could not be kept.
    Refused,
    /// It was there before.
    Duplicate,
    /// It was there before, from elsewhere than this file.
    Copy,
    /// It was kept as a note.
    Meta,
    /// It was kept as talk.
    Stored,
}

/// A record, by the order of its coming.
pub(super) type RecordNumber = u64;

/// Records some of whose rows are not judged yet.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    n_records: RecordNumber,
    open: BTreeMap<RecordNumber, Open>,
}

#[derive(Debug)]
struct Open {
    n_waiting: usize,
    best: Outcome,
}

impl Ledger {
    /// Begins a record of so many rows. One without rows is counted at once.
    pub(super) fn begin(&mut self, n_rows: usize, counts: &mut Counts) -> RecordNumber {
        self.n_records += 1;
        if n_rows == 0 {
            count(Outcome::Silent, counts);
        } else {
            let open = Open {
                n_waiting: n_rows,
                best: Outcome::Silent,
            };
            self.open.insert(self.n_records, open);
        }
        self.n_records
    }

    /// Notes what became of a row, and counts its record with the last of them.
    pub(super) fn settle(&mut self, record: RecordNumber, outcome: Outcome, counts: &mut Counts) {
        let Some(open) = self.open.get_mut(&record) else {
            return;
        };
        open.best = open.best.max(outcome);
        open.n_waiting -= 1;
        if open.n_waiting == 0 {
            count(open.best, counts);
            self.open.remove(&record);
        }
    }
}

fn count(outcome: Outcome, counts: &mut Counts) {
    counts.records += 1;
    let place = match outcome {
        Outcome::Silent | Outcome::Meta => &mut counts.meta,
        Outcome::Refused => &mut counts.refused,
        Outcome::Duplicate => &mut counts.duplicate,
        Outcome::Copy => {
            counts.copies += 1;
            &mut counts.duplicate
        }
        Outcome::Stored => &mut counts.stored,
    };
    *place += 1;
}
