//! Candidates by index. Owns the order of proposals and the count of them.
//! May not read a body, nor let a limit act before a filter.

use std::collections::HashMap;

use rusqlite::{Connection, Rows};

use crate::domain::{Candidate, IndexQuery, RowFilter};
use crate::store::error::StoreError;
use crate::store::ids::RowKind;
use crate::store::index::{DAMAGED, MarkRow, Words, averages, broken, read_mark};
use crate::store::reader::Reader;
use crate::store::search_row::item;

use super::check::{Check, Head};
use super::heads::{Heads, is_searched, one};
use super::look::{Look, Looker};
use super::match_text::{self, Condition};
use super::pieces;
use super::ranges::ranges;

/// Candidates of one kind at most that one alternative of a query gives, its newest ones: a word
/// in more rows than that ranks only these, and a total above it is said to be capped.
pub const CANDIDATES_AT_MOST: usize = 1_000;

/// Messages that match. Never `ORDER BY rank`: FTS5 would score all of them before the limit.
pub(super) const MATCHING_MESSAGES: &str = "SELECT m.id, m.conversation_id, m.seq, m.role, m.at, m.at, \
       CASE WHEN ?4 THEN bm25(search_index, 1.0, 0.0) ELSE 0.0 END \
     FROM search_index CROSS JOIN message AS m ON m.id = search_index.rowid \
     WHERE search_index MATCH ?1 AND search_index.rowid BETWEEN ?2 AND ?3 \
     ORDER BY search_index.rowid DESC";
/// The same where every message passes the filters: nothing is read of it.
pub(super) const MATCHING_OPEN: &str = "SELECT rowid, 0, 0, NULL, NULL, NULL, \
       CASE WHEN ?4 THEN bm25(search_index, 1.0, 0.0) ELSE 0.0 END \
     FROM search_index WHERE search_index MATCH ?1 AND rowid BETWEEN ?2 AND ?3 \
     ORDER BY rowid DESC";
/// Summaries that match.
pub(super) const MATCHING_SUMMARIES: &str = "SELECT s.id, s.conversation_id, s.last_seq, NULL, s.from_at, \
       s.to_at, CASE WHEN ?4 THEN bm25(search_index, 1.0, 0.0) ELSE 0.0 END \
     FROM search_index CROSS JOIN summary AS s ON s.id = search_index.rowid \
     WHERE search_index MATCH ?1 AND search_index.rowid BETWEEN ?2 AND ?3 \
     ORDER BY search_index.rowid DESC";

/// Rows without words, since they could not be read.
const INDEXED_DAMAGED: &str = "SELECT rowid FROM search_index WHERE search_index MATCH ?1";

/// Which candidates come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandidateOrder {
    /// The best by the index's own score.
    Rank,
    /// The newest; all scores are 0.
    Newest,
}

/// What the index proposes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Found {
    /// The greatest id that the index covered at that moment; rows above it are to be scanned.
    pub mark: i64,
    /// The version of the rules that its tokens were cut by.
    pub rules: i64,
    /// Messages and summaries, each kind up to the limit, together in the order asked for.
    pub candidates: Vec<Candidate>,
    /// How many rows the index proposes that pass the filter.
    pub total: u64,
    /// Whether there are more than were counted: [`CANDIDATES_AT_MOST`] at least.
    pub total_capped: bool,
}

impl Reader {
    /// Asks the index for rows that may match: every match up to its mark is among them, but for
    /// the limit. Filters act before the limit, which holds for each kind of rows.
    ///
    /// # Errors
    /// `Corrupt` if the index cannot be read or has lost rows: nothing then passes for absent.
    pub fn search(
        &self,
        query: &IndexQuery,
        filter: &RowFilter,
        look: &Look<'_>,
        limit: usize,
        order: CandidateOrder,
    ) -> Result<Found, StoreError> {
        self.one_state(|| find(self.conn(), query, filter, look, limit, order))
    }
}

fn find(
    conn: &Connection,
    query: &IndexQuery,
    filter: &RowFilter,
    look: &Look<'_>,
    limit: usize,
    order: CandidateOrder,
) -> Result<Found, StoreError> {
    let stored = read_mark(conn)?;
    check_whole(conn, stored)?;
    let check = Check::load(conn, filter, look)?;
    let mut search = Search {
        conn,
        check: &check,
        looker: Looker::new(conn, look, filter.answers)?,
        order,
        room: CANDIDATES_AT_MOST,
        mark: stored.mark.id,
        pools: [Pool::new(RowKind::Message), Pool::new(RowKind::Summary)],
    };
    match Condition::new(query) {
        Some(condition) => search.by_index(condition)?,
        None => search.everything()?,
    }
    Ok(search.found(stored.rules, limit))
}

/// Refuses an index that holds fewer rows than it was given.
pub(super) fn check_whole(conn: &Connection, stored: MarkRow) -> Result<(), StoreError> {
    let held = averages(conn, Words::Rows)?.rows;
    if held == stored.n_rows {
        return Ok(());
    }
    Err(StoreError::corrupt(format!(
        "the search index holds {held} rows and should hold {}",
        stored.n_rows
    )))
}

/// Candidates of one kind.
struct Pool {
    kind: RowKind,
    scores: HashMap<i64, f64>,
    is_capped: bool,
}

impl Pool {
    fn new(kind: RowKind) -> Self {
        Self {
            kind,
            scores: HashMap::new(),
            is_capped: false,
        }
    }

    /// Returns the first `limit`, best or newest first; among equals the newest.
    fn first(&self, limit: usize) -> Vec<(i64, f64)> {
        let mut rows: Vec<(i64, f64)> = self
            .scores
            .iter()
            .map(|(id, score)| (*id, *score))
            .collect();
        rows.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        rows.truncate(limit);
        rows
    }
}

struct Search<'a> {
    conn: &'a Connection,
    check: &'a Check,
    looker: Looker<'a>,
    order: CandidateOrder,
    /// Candidates of one kind and alternative.
    room: usize,
    mark: i64,
    pools: [Pool; 2],
}

impl Search<'_> {
    fn by_index(&mut self, condition: Condition) -> Result<(), StoreError> {
        let large = pieces::matching(self.conn, &condition)?;
        let alternatives = condition.alternatives();
        let Self {
            conn,
            check,
            looker,
            order,
            room,
            mark,
            pools,
        } = self;
        for pool in pools.iter_mut().filter(|pool| check.wants(pool.kind)) {
            let is_open = check.is_open() && check.role.is_none() && looker.is_open();
            let sql = match pool.kind {
                RowKind::Message if is_open => MATCHING_OPEN,
                RowKind::Message => MATCHING_MESSAGES,
                RowKind::Summary => MATCHING_SUMMARIES,
            };
            let ranges = ranges(conn, check, pool.kind, 1, *mark)?;
            let mut statement = conn.prepare_cached(sql).map_err(broken)?;
            let facet = check.facet(pool.kind);
            for alternative in &alternatives {
                let text = alternative.text_of_kind(facet);
                let mut room = *room;
                for range in &ranges {
                    let last = range.last.min(*mark);
                    let is_ranked = *order == CandidateOrder::Rank;
                    let params = (&text, range.first, last, is_ranked);
                    let mut rows = statement.query(params).map_err(broken)?;
                    room = take(&mut rows, (*conn, *check, &mut *looker), pool, room)?;
                }
            }
        }
        let unread = unread(conn)?;
        for (id, score) in large.into_iter().chain(unread) {
            let Some(head) = one(conn, check, id)?.filter(|head| head.id <= *mark) else {
                continue;
            };
            if is_asked(conn, check, looker, &head)? {
                let score = match order {
                    CandidateOrder::Rank => score,
                    CandidateOrder::Newest => 0.0,
                };
                for pool in pools.iter_mut().filter(|pool| pool.kind == head.kind) {
                    pool.scores.insert(id, score);
                }
            }
        }
        Ok(())
    }

    /// Proposes the newest rows: the index has nothing to say.
    fn everything(&mut self) -> Result<(), StoreError> {
        for pool in &mut self.pools {
            let mut heads = Heads::new(self.conn, self.check, pool.kind, 1, self.mark)?;
            while let Some(head) = heads.next()? {
                if head.id > self.mark || !self.looker.takes(&head)? {
                    continue;
                }
                if pool.scores.len() == self.room {
                    pool.is_capped = true;
                    break;
                }
                pool.scores.insert(head.id, 0.0);
            }
        }
        Ok(())
    }

    fn found(&self, rules: i64, limit: usize) -> Found {
        let mut candidates: Vec<Candidate> = Vec::new();
        for pool in &self.pools {
            candidates.extend(pool.first(limit).into_iter().map(|(id, bm25)| Candidate {
                id: item(pool.kind, id),
                bm25,
            }));
        }
        candidates.sort_by(|a, b| a.bm25.total_cmp(&b.bm25).then(number(b).cmp(&number(a))));
        Found {
            mark: self.mark,
            rules,
            candidates,
            total: self.pools.iter().map(|pool| pool.scores.len() as u64).sum(),
            total_capped: self.pools.iter().any(|pool| pool.is_capped),
        }
    }
}

fn number(candidate: &Candidate) -> i64 {
    match candidate.id {
        crate::domain::ItemId::Message(id) => id.get(),
        crate::domain::ItemId::Summary(id) => id.get(),
    }
}

/// Returns the rows that were damaged when they were indexed, before all others: they may hold any
/// word, and whoever loads them sees whether they still are.
pub(super) fn unread(conn: &Connection) -> Result<Vec<(i64, f64)>, StoreError> {
    let mut statement = conn.prepare_cached(INDEXED_DAMAGED).map_err(broken)?;
    let ids = statement
        .query_map([match_text::facet(DAMAGED)], |row| {
            Ok((row.get(0)?, f64::MIN))
        })
        .map_err(broken)?;
    ids.collect::<Result<_, _>>().map_err(broken)
}

/// Says whether a row passes the filters and the look.
pub(super) fn is_asked(
    conn: &Connection,
    check: &Check,
    looker: &mut Looker<'_>,
    head: &Head,
) -> Result<bool, StoreError> {
    Ok(check.takes(head) && is_searched(conn, check, head)? && looker.takes(head)?)
}

/// Takes the matches of one range, newest first, into the pool; returns the room that is left.
fn take(
    rows: &mut Rows<'_>,
    (conn, check, looker): (&Connection, &Check, &mut Looker<'_>),
    pool: &mut Pool,
    mut room: usize,
) -> Result<usize, StoreError> {
    while let Some(row) = rows.next().map_err(broken)? {
        let head = check.head(pool.kind, row)?;
        if !is_asked(conn, check, looker, &head)? {
            continue;
        }
        if room == 0 {
            pool.is_capped = true;
            break;
        }
        room -= 1;
        let score: f64 = row.get(6).map_err(broken)?;
        *pool.scores.entry(head.id).or_default() += score;
    }
    Ok(room)
}
