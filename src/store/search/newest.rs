//! Matches of the index, the newest first, no further than somebody wants them. Owns the order of
//! time over rows that lie in the order of their arrival.
//! May not decide whether a row matches: who asks does, on its text.

use std::ops::ControlFlow;

use rusqlite::Connection;

use crate::domain::{IndexQuery, ItemId, RowFilter, SearchRow, Timestamp};
use crate::store::error::StoreError;
use crate::store::ids::{IdRange, RowKind, meet};
use crate::store::index::{read_mark, runs_later_than};
use crate::store::reader::Reader;
use crate::store::search_row::{Loaded, RowLoader, item};

use super::check::{Check, Head};
use super::find::{check_whole, is_asked};
use super::heads::one;
use super::look::{Look, Looker};
use super::match_text::Condition;
use super::matching::{Apart, Source, each};
use super::ranges::ranges;

/// Stretches of ids that are looked through for rows that were said later than those found: each
/// costs a start of the index's cursor. More of them are walked through as one.
const STRETCHES: usize = 64;

/// In which order matches are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewestBy {
    /// By the time at which they were said, those without one last; the later arrival first where it
    /// is the same.
    Time,
    /// By their arrival.
    Arrival,
}

/// How far matches are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Wants {
    /// No rows of greater ids.
    pub newest: i64,
    /// In which order.
    pub by: NewestBy,
    /// So many of each kind are enough.
    pub enough: usize,
    /// So many rows of a kind are read at most.
    pub read_at_most: usize,
    /// So many of a kind are counted at most, where the index alone tells which rows match.
    pub count_at_most: Option<u64>,
}

/// What whoever looks at a row says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It matches.
    Match,
    /// It does not.
    Other,
    /// Nobody waits for more.
    Stop,
}

/// How far the walk went.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Walked {
    /// The greatest id that the index covered; rows above it are to be scanned.
    pub mark: i64,
    /// Rows that may match and cannot be read.
    pub damaged: Vec<ItemId>,
    /// Whether reading ended before enough matched: others may have been missed.
    pub is_cut_short: bool,
    /// How many rows match, as far as is known.
    pub total: u64,
    /// Whether there may be more.
    pub total_capped: bool,
}

impl Reader {
    /// Shows rows that the index proposes until enough of each kind match, so that the newest of
    /// those that match are among the shown. None if the index was made by other rules than
    /// `rules`, or has nothing to say of the query.
    ///
    /// # Errors
    /// `Corrupt` if the index cannot be read or has lost rows: nothing then passes for absent.
    pub fn newest_matches(
        &self,
        rules: i64,
        query: &IndexQuery,
        (filter, look): (&RowFilter, &Look<'_>),
        wants: Wants,
        visit: &mut dyn FnMut(SearchRow) -> Verdict,
    ) -> Result<Option<Walked>, StoreError> {
        self.one_state(|| {
            let conn = self.conn();
            let stored = read_mark(conn)?;
            let Some(condition) = Condition::new(query).filter(|_| stored.rules == rules) else {
                return Ok(None);
            };
            check_whole(conn, stored)?;
            let check = Check::load(conn, filter, look)?;
            let mut walk = Walk {
                conn,
                check: &check,
                looker: Looker::new(conn, look, filter.answers)?,
                loader: RowLoader::new(conn, filter.answers)?,
                wants,
                is_filtered: look.holds.is_some() || !check.is_open(),
                n_looked: 0,
                walked: Walked {
                    mark: stored.mark.id,
                    ..Walked::default()
                },
                visit,
            };
            let apart = Apart::load(conn, &condition)?;
            for kind in [RowKind::Message, RowKind::Summary] {
                if check.wants(kind) && walk.kind(kind, &condition, &apart)?.is_break() {
                    break;
                }
            }
            Ok(Some(walk.walked))
        })
    }
}

struct Walk<'a, 'v> {
    conn: &'a Connection,
    check: &'a Check,
    looker: Looker<'a>,
    loader: RowLoader<'a>,
    wants: Wants,
    /// Whether rows that the index proposes may be refused without their texts.
    is_filtered: bool,
    /// Rows of this kind that were read.
    n_looked: usize,
    walked: Walked,
    visit: &'v mut dyn FnMut(SearchRow) -> Verdict,
}

/// When rows that match were said, the latest first, and their ids; those without a time before all
/// others.
#[derive(Default)]
struct Times(Vec<(i64, i64)>);

impl Times {
    /// Takes one in; only as many stay as are enough.
    fn push(&mut self, to: Option<i64>, id: i64, enough: usize) {
        let said = (to.unwrap_or(i64::MIN), id);
        let place = self.0.partition_point(|other| *other > said);
        self.0.insert(place, said);
        self.0.truncate(enough.max(1));
    }

    /// Returns the earliest time.
    fn earliest(&self) -> i64 {
        self.0.last().map_or(i64::MIN, |(to, _)| *to)
    }
}

/// What became of a row that was to be shown.
enum Shown {
    /// It matches.
    Match(Option<i64>),
    /// It is refused, or is no row of the kind.
    Other,
    /// It was the last that somebody waited for.
    Stop,
}

impl Walk<'_, '_> {
    /// Shows rows of one kind. Breaks where nobody waits for more.
    fn kind(
        &mut self,
        kind: RowKind,
        condition: &Condition,
        apart: &Apart,
    ) -> Result<ControlFlow<()>, StoreError> {
        let text = condition.text_of_kind(self.check.facet(kind));
        let last = self.walked.mark.min(self.wants.newest);
        let all = [IdRange { first: 1, last }];
        let ranges = meet(
            &ranges(self.conn, self.check, kind, 1, self.walked.mark)?,
            &all,
        );
        self.n_looked = 0;
        let mut times = Times::default();
        let mut n_matched = 0;
        let (mut total, mut is_capped) = (0, false);
        // The least id that was shown, or would have been.
        let mut lowest = last.saturating_add(1);
        let mut is_stopped = false;
        let went = each(
            self.conn,
            &text,
            &ranges,
            &apart.large,
            &mut |id, source| {
                if n_matched < self.wants.enough {
                    if self.n_looked >= self.wants.read_at_most {
                        (is_capped, self.walked.is_cut_short) = (true, true);
                        return Ok(ControlFlow::Break(()));
                    }
                    lowest = id;
                    match self.show(kind, id, None)? {
                        Shown::Match(to) => {
                            times.push(to, id, self.wants.enough);
                            n_matched += 1;
                            total += 1;
                        }
                        Shown::Other => {}
                        Shown::Stop => {
                            is_stopped = true;
                            return Ok(ControlFlow::Break(()));
                        }
                    }
                    return Ok(ControlFlow::Continue(()));
                }
                let is_full = self.wants.count_at_most.is_none_or(|most| total >= most);
                if is_full {
                    is_capped = true;
                    return Ok(ControlFlow::Break(()));
                }
                let is_certain = source == Source::Index && self.is_open(kind);
                if is_certain || !apart.unread.contains(&id) && self.head(kind, id)?.is_some() {
                    total += 1;
                }
                Ok(ControlFlow::Continue(()))
            },
        )?;
        self.walked.total += total;
        self.walked.total_capped |= is_capped;
        if went.is_break() && is_stopped {
            return Ok(ControlFlow::Break(()));
        }
        if self.wants.by == NewestBy::Time && n_matched >= self.wants.enough {
            let older = meet(
                &ranges,
                &[IdRange {
                    first: 1,
                    last: lowest.saturating_sub(1),
                }],
            );
            return self.later(kind, &text, &older, apart, times);
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Shows rows that arrived before those in `times` and were said later.
    fn later(
        &mut self,
        kind: RowKind,
        text: &str,
        older: &[IdRange],
        apart: &Apart,
        mut times: Times,
    ) -> Result<ControlFlow<()>, StoreError> {
        let (Some(newest), Some(oldest)) = (older.first(), older.last()) else {
            return Ok(ControlFlow::Continue(()));
        };
        let (first, last) = (oldest.first, newest.last);
        let within = IdRange { first, last };
        let mark = self.walked.mark;
        let mut runs = runs_later_than(self.conn, kind, times.earliest(), within, mark, STRETCHES)?;
        if runs.len() > STRETCHES {
            runs = vec![(within, i64::MAX)];
        }
        for (run, latest) in runs {
            if latest <= times.earliest() {
                break;
            }
            let mut is_stopped = false;
            let run = meet(older, &[run]);
            let went = each(self.conn, text, &run, &apart.large, &mut |id, _| {
                if self.n_looked >= self.wants.read_at_most {
                    self.walked.is_cut_short = true;
                    return Ok(ControlFlow::Break(()));
                }
                match self.show(kind, id, Some(times.earliest()))? {
                    Shown::Match(to) => times.push(to, id, self.wants.enough),
                    Shown::Other => {}
                    Shown::Stop => {
                        is_stopped = true;
                        return Ok(ControlFlow::Break(()));
                    }
                }
                Ok(ControlFlow::Continue(()))
            })?;
            if is_stopped {
                return Ok(ControlFlow::Break(()));
            }
            if went.is_break() {
                break;
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Says whether every row that the index proposes for a kind is one of it that is asked for.
    fn is_open(&self, kind: RowKind) -> bool {
        kind == RowKind::Message && !self.is_filtered
    }

    /// Reads what the filters look at in a row; none if they refuse it.
    fn head(&mut self, kind: RowKind, id: i64) -> Result<Option<Head>, StoreError> {
        match one(self.conn, self.check, id)?.filter(|head| head.kind == kind) {
            Some(head) if is_asked(self.conn, self.check, &mut self.looker, &head)? => {
                Ok(Some(head))
            }
            _ => Ok(None),
        }
    }

    /// Shows a row that passes the filters and, with a bound, was said after it.
    fn show(&mut self, kind: RowKind, id: i64, after: Option<i64>) -> Result<Shown, StoreError> {
        self.n_looked += 1;
        if after.is_some() || !self.is_open(kind) {
            let is_later = |head: &Head| after.is_none_or(|after| head.to > Some(after));
            if !self.head(kind, id)?.as_ref().is_some_and(is_later) {
                return Ok(Shown::Other);
            }
        }
        let id = item(kind, id);
        match self.loader.find(id)? {
            None => Ok(Shown::Other),
            Some(Loaded::Damaged) => {
                self.walked.damaged.push(id);
                Ok(Shown::Other)
            }
            Some(Loaded::Row(row)) => {
                let to = row.to.map(Timestamp::millis);
                Ok(match (self.visit)(row) {
                    Verdict::Match => Shown::Match(to),
                    Verdict::Other => Shown::Other,
                    Verdict::Stop => Shown::Stop,
                })
            }
        }
    }
}
