//! The rows that match, by the path that fits.
//! May not order them: `ranked` does.
//!
//! Fields that every match must meet act on rows without their texts, before any limit. What is left
//! to a scan of texts, newest first: a small conversation; a substring or an expression without a
//! whole word in it; a field that is an alternative or takes away, a kind of parts, a substring or
//! an expression, beside words that more rows hold than are proposed. A text without the letters
//! that a match must hold is not cut into words.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::best::{Certainty, best};
use super::error::EngineError;
use super::indexer;
use super::newest::newest;
use super::ranked::{Lot, Taken};
use super::wanted::Wanted;
use crate::domain::{Conversation, IndexQuery, ItemId, RowFilter, SearchRow, Sort};
use crate::policy::pattern::{Matcher, Pattern, RULES_VERSION};
use crate::store::{CandidateOrder, Found, Look, Reader, StoreError};

/// A branch of at most this many rows is scanned: faster than any index, and exact.
const SCAN_BRANCH_ROWS: u64 = 4_000;
/// Candidates of the index whose text is read and scored at most.
pub(super) const CANDIDATES: usize = 1_000;
/// Bytes of text that a scan cuts into words at most before it says so.
const SCAN_BYTES: usize = 512 * 1024 * 1024;
/// A text that is passed over without cutting it costs this part of one that is cut.
const PASSED_OVER: usize = 8;

/// What one pattern found.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) taken: Vec<Taken>,
    /// How many rows match, where not all that do were taken.
    pub(super) counted: Option<Count>,
    pub(super) is_complete: bool,
    /// Rows that may match and cannot be read.
    pub(super) damaged: BTreeSet<ItemId>,
    /// All rows in reach, where they were looked at one by one.
    pub(super) scanned: Option<Scanned>,
}

/// How many rows match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    /// So many.
    Exactly(u64),
    /// So many, and perhaps more.
    AtLeast(u64),
}

/// What a scan saw.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scanned {
    pub(super) n_rows: u64,
    pub(super) n_words: u64,
}

/// All that a search decides with.
pub(super) struct Question {
    pub(super) filter: RowFilter,
    pub(super) branch: Option<Conversation>,
    pub(super) limit: usize,
    pub(super) start: Start,
    pub(super) sort: Sort,
    /// Whether anybody still waits for the rows.
    pub(super) wanted: Wanted,
}

impl Question {
    /// Rows that an answer needs to fill its page and to know whether there is another.
    pub(super) const fn n_wanted(&self) -> usize {
        self.start.offset.saturating_add(self.limit)
    }
}

/// Where a page begins, and which rows the first page knew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) offset: usize,
    pub(super) newest: i64,
}

/// Collects the rows that have some of the words, those that have all among them, so that one
/// scale holds for all. None if there are no more of them; what was passed over is then told of the
/// first.
pub(super) fn widen(
    reader: &Reader,
    relaxed: &Pattern,
    question: &Question,
    strict: &mut Gathered,
) -> Result<Option<Gathered>, StoreError> {
    let mut some = gather(reader, relaxed, question)?;
    let have: BTreeSet<ItemId> = some.taken.iter().map(|taken| taken.row.id).collect();
    let matcher = Matcher::new(relaxed);
    for taken in &strict.taken {
        if !have.contains(&taken.row.id) {
            take(taken.row.clone(), &matcher, question, &mut some);
        }
    }
    some.is_complete &= strict.is_complete;
    some.damaged.append(&mut strict.damaged);
    if some.taken.len() > strict.taken.len() {
        return Ok(Some(some));
    }
    strict.damaged = some.damaged;
    Ok(None)
}

/// Tells whether all that the index proposes match.
fn certainty(pattern: &Pattern, found: &Found) -> Certainty {
    // Rows that could not be read come before all others, and may hold any word.
    let mut candidates = found.candidates.iter();
    let has_unread = candidates.any(|candidate| candidate.bm25 <= f64::MIN);
    if pattern.is_told_by_index() && !has_unread {
        Certainty::All
    } else {
        Certainty::Some
    }
}

/// Collects the rows that match, by the path that fits.
pub(super) fn gather(
    reader: &Reader,
    pattern: &Pattern,
    question: &Question,
) -> Result<Gathered, StoreError> {
    let matcher = Matcher::new(pattern);
    let query = pattern.index_query();
    let is_small = question.branch.as_ref().is_some_and(|branch| {
        branch
            .head
            .is_none_or(|head| head.get() <= SCAN_BRANCH_ROWS)
    });
    let is_asked_for = |row: &SearchRow| question.wanted.is_wanted() && matcher.is_asked_for(row);
    let within = pattern.within();
    let look = Look {
        within: within.as_ref(),
        holds: pattern
            .has_fields_of_rows()
            .then_some(&is_asked_for as &dyn Fn(&SearchRow) -> bool),
    };
    let scan = |extent| scan(reader, &matcher, question, &look, extent);
    if pattern.is_fields_only() {
        return scan(Extent::Page);
    }
    if is_small || query == IndexQuery::Everything {
        return scan(Extent::All);
    }
    if question.sort == Sort::Time
        && !pattern.is_relaxed()
        && let Some((mut newest, mark)) = newest(reader, (&matcher, pattern), question, &look)?
    {
        let above = scan(Extent::Above(mark))?;
        newest.add(above);
        return Ok(newest);
    }
    let order = if pattern.is_fuzzy_only() || question.sort == Sort::Time {
        CandidateOrder::Newest
    } else {
        CandidateOrder::Rank
    };
    let found = reader.search(&query, &question.filter, &look, CANDIDATES, order)?;
    if found.rules != RULES_VERSION {
        // Tokens cut by other rules narrow nothing.
        return scan(Extent::All);
    }
    let has_more = found.total_capped || found.total > found.candidates.len() as u64;
    if has_more && pattern.is_loose() {
        // What is asked for may be in none of those that are read.
        return scan(Extent::All);
    }
    let mut gathered = scan(Extent::Above(found.mark))?;
    if order == CandidateOrder::Rank
        && question.sort == Sort::Relevance
        && !pattern.is_relaxed()
        && !pattern.is_loose()
    {
        gathered.scanned = None;
        let certainty = certainty(pattern, &found);
        best(
            reader,
            (&matcher, certainty),
            question,
            &found,
            &mut gathered,
        )?;
        return Ok(gathered);
    }
    let mut ids: Vec<ItemId> = found
        .candidates
        .iter()
        .map(|candidate| candidate.id)
        .collect();
    // Neighbours in the file are read from pages that are at hand.
    ids.sort_unstable();
    let loaded = reader.search_rows(&ids, question.filter.answers)?;
    gathered.damaged.extend(loaded.damaged);
    for row in loaded.rows {
        if !question.wanted.is_wanted() {
            break;
        }
        take(row, &matcher, question, &mut gathered);
    }
    gathered.scanned = None;
    if has_more {
        gathered.counted = Some(Count::AtLeast(found.total));
    }
    Ok(gathered)
}

impl Gathered {
    /// Takes in what was found among other rows.
    fn add(&mut self, other: Self) {
        let n_more = other.taken.len() as u64;
        self.counted = self.counted.map(|count| match count {
            Count::Exactly(n) => Count::Exactly(n + n_more),
            Count::AtLeast(n) => Count::AtLeast(n + n_more),
        });
        self.taken.extend(other.taken);
        self.is_complete &= other.is_complete;
        self.damaged.extend(other.damaged);
    }
}

/// How far a scan goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// Through all rows.
    All,
    /// Through the rows beyond the index.
    Above(i64),
    /// Until the page is full.
    Page,
}

/// Reads rows newest first and keeps what matches.
fn scan(
    reader: &Reader,
    matcher: &Matcher,
    question: &Question,
    look: &Look<'_>,
    extent: Extent,
) -> Result<Gathered, StoreError> {
    let mut gathered = Gathered {
        is_complete: true,
        scanned: (extent == Extent::All).then(Scanned::default),
        ..Gathered::default()
    };
    let above = match extent {
        Extent::Above(mark) => Some(mark),
        Extent::All | Extent::Page => None,
    };
    let mut n_bytes = 0usize;
    let damaged = reader.scan(&question.filter, look, above, &mut |row| {
        if !question.wanted.is_wanted() {
            return ControlFlow::Break(());
        }
        let size = size(&row);
        let cost = match take(row, matcher, question, &mut gathered) {
            Cost::Whole => size,
            Cost::Little => size / PASSED_OVER,
        };
        n_bytes = n_bytes.saturating_add(cost);
        let is_full = extent == Extent::Page && gathered.taken.len() > question.n_wanted();
        if is_full {
            gathered.counted = Some(Count::AtLeast(gathered.taken.len() as u64));
        }
        if is_full || n_bytes > SCAN_BYTES {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    gathered.damaged.extend(damaged);
    if n_bytes > SCAN_BYTES {
        gathered.is_complete = false;
    }
    Ok(gathered)
}

/// What a row cost.
pub(super) enum Cost {
    /// Its text was cut into words.
    Whole,
    /// It was passed over.
    Little,
}

pub(super) fn take(
    row: SearchRow,
    matcher: &Matcher,
    question: &Question,
    gathered: &mut Gathered,
) -> Cost {
    if indexer::raw_id(row.id) > question.start.newest {
        return Cost::Little;
    }
    let Some(text) = matcher.text_of(&row) else {
        return Cost::Little;
    };
    if let Some(scanned) = &mut gathered.scanned {
        scanned.n_rows += 1;
        scanned.n_words += text.length() as u64;
    }
    if let Some(matched) = matcher.matches(&text) {
        gathered.taken.push(Taken {
            lot: Lot::Nth(0),
            row,
            matched,
            rank: None,
        });
    }
    Cost::Whole
}

fn size(row: &SearchRow) -> usize {
    row.parts.iter().map(|part| part.body().len()).sum()
}

impl Start {
    pub(super) fn format(self) -> String {
        format!("{}.{}", self.offset, self.newest)
    }

    pub(super) fn parse(cursor: &str) -> Result<Self, EngineError> {
        let parsed = cursor.split_once('.').and_then(|(offset, newest)| {
            Some(Self {
                offset: offset.parse().ok()?,
                newest: newest.parse().ok()?,
            })
        });
        parsed.ok_or_else(|| {
            EngineError::wrong_use(
                format!("`{cursor}` is no cursor of a search"),
                "give the cursor that the last page ended with",
            )
        })
    }
}
