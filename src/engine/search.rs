//! A search: the index or a scan proposes rows, one matcher decides, one score orders.
//! The set of rows does not depend on which path proposed them.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::core::{Core, Engine, resolve};
use super::error::EngineError;
use super::frequency::read_stats;
use super::indexer::{self, Progress};
use super::ranked::{Taken, add_besides, hits, order};
use crate::domain::{
    Conversation, GrepReply, GrepRequest, IndexQuery, ItemId, MatchKind, Reach, RowFilter, Scope,
    SearchRow, SearchScope, Sort,
};
use crate::policy::pattern::{Matcher, Pattern, RULES_VERSION, Relaxation, RowText, parse};
use crate::policy::rank::{Stats, take_turns};
use crate::store::{CandidateOrder, Reader, StoreError};

/// Rows an answer holds at most.
const LIMIT_MAX: u64 = 200;
/// Rows that a search scans beyond the index; past that the indexer catches up first.
const TAIL_ROWS: u64 = 5_000;
/// Steps the indexer is given before a search answers incompletely.
const CATCH_UP_STEPS: u32 = 400;
/// A branch of at most this many rows is scanned: faster than any index, and exact.
const SCAN_BRANCH_ROWS: u64 = 4_000;
/// Candidates of the index whose text is read and scored at most.
const CANDIDATES: usize = 1_000;
/// Bytes of text that an exact scan over everything reads at most before it says so.
const SCAN_BYTES: usize = 512 * 1024 * 1024;

/// What one pattern found.
#[derive(Default)]
struct Gathered {
    taken: Vec<Taken>,
    /// How many rows the index holds for a pattern with more candidates than are read.
    counted: Option<u64>,
    is_complete: bool,
    /// All rows in reach, where they were looked at one by one.
    scanned: Option<Scanned>,
}

/// What a scan saw.
#[derive(Debug, Clone, Copy, Default)]
struct Scanned {
    n_rows: u64,
    n_words: u64,
}

/// All that a search decides with.
struct Question {
    filter: RowFilter,
    branch: Option<Conversation>,
    limit: usize,
    start: Start,
    sort: Sort,
}

/// Where a page begins, and which rows the first page knew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Start {
    offset: usize,
    newest: i64,
}

impl Engine {
    /// Finds rows by words, phrases, operators, prefixes and substrings.
    ///
    /// # Errors
    /// `Pattern` if the pattern cannot be read; `Usage` for a limit of 0, a role with summaries
    /// only, or a cursor that is none; `UnknownSession`; `Store`.
    pub async fn grep(&self, request: &GrepRequest) -> Result<GrepReply, EngineError> {
        let pattern = parse(&request.pattern)?;
        if request.limit == 0 {
            return Err(EngineError::wrong_use(
                "a limit of 0 finds nothing",
                "give a limit from 1 to 200",
            ));
        }
        if request.role.is_some() && request.kinds == SearchScope::Summary {
            return Err(EngineError::wrong_use(
                "a summary has no role; `role` cannot be asked with scope `summary`",
                "leave the role out, or search messages",
            ));
        }
        let start = match &request.cursor {
            Some(cursor) => Some(Start::parse(cursor)?),
            None => None,
        };
        let is_caught_up = self.core.catch_up().await?;
        let limit = request.limit.min(LIMIT_MAX);
        let asked = request.clone();
        let reply = self
            .core
            .db
            .read(move |reader| {
                let branch = match &asked.reach {
                    Reach::All => None,
                    Reach::Session(session) => match resolve(reader, session)? {
                        Ok(conversation) => Some(conversation),
                        Err(unknown) => return Ok(Err(unknown)),
                    },
                };
                let filter = RowFilter {
                    scope: branch
                        .as_ref()
                        .map_or(Scope::All, |branch| Scope::Branch(branch.id)),
                    kinds: if asked.role.is_some() {
                        SearchScope::Message
                    } else {
                        asked.kinds
                    },
                    role: asked.role,
                    time: asked.time,
                };
                let start = match start {
                    Some(start) => start,
                    None => Start {
                        offset: 0,
                        newest: reader.last_id()?,
                    },
                };
                let limit = usize::try_from(limit).unwrap_or(usize::MAX);
                let question = Question {
                    filter,
                    branch,
                    limit,
                    start,
                    sort: asked.sort,
                };
                answer(reader, &pattern, &question).map(Ok)
            })
            .await??;
        Ok(GrepReply {
            limit,
            limit_capped: request.limit > LIMIT_MAX,
            complete: reply.complete && is_caught_up,
            ..reply
        })
    }
}

impl Core {
    /// Lets the indexer catch up where too many rows would have to be scanned. Says whether few
    /// enough are left.
    async fn catch_up(&self) -> Result<bool, EngineError> {
        for _ in 0..CATCH_UP_STEPS {
            let state = self
                .db
                .read(|reader| reader.index_state(RULES_VERSION))
                .await?;
            if state.backlog <= TAIL_ROWS {
                return Ok(true);
            }
            if !self.db.is_writable() {
                return Ok(false);
            }
            match indexer::step(self).await {
                Ok(Progress::Some) => {}
                // Another process writes for long: what can be answered now is worth more.
                Ok(Progress::None) | Err(EngineError::Store(StoreError::Busy)) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }
}

fn answer(
    reader: &Reader,
    pattern: &Pattern,
    question: &Question,
) -> Result<GrepReply, StoreError> {
    let mut found = gather(reader, pattern, question)?;
    let mut matched = MatchKind::All;
    let wanted = question.start.offset.saturating_add(question.limit);
    let is_short = match pattern.relaxation() {
        Relaxation::Never => false,
        Relaxation::WhenNoneHasAll => found.taken.is_empty(),
        Relaxation::ToFillUp => found.taken.len() < wanted,
    };
    let relaxed = if is_short { pattern.relaxed() } else { None };
    let mut scorer = pattern.clone();
    if let Some(relaxed) = relaxed
        && let Some(some) = widen(reader, &relaxed, question, &found)?
    {
        matched = MatchKind::Some;
        found = some;
        scorer = relaxed;
    }
    let stats = stats(reader, &scorer, &found)?;
    if matched == MatchKind::Some && question.filter.kinds != SearchScope::Summary {
        let matcher = Matcher::new(&scorer);
        let newest = question.start.newest;
        order(&scorer, stats.as_ref(), Sort::Relevance, &mut found.taken);
        add_besides(reader, &question.filter, &matcher, newest, &mut found.taken)?;
    }
    order(&scorer, stats.as_ref(), question.sort, &mut found.taken);
    let n_taken = u64::try_from(found.taken.len()).unwrap_or(u64::MAX);
    let (total, total_capped) = match found.counted {
        Some(counted) => (counted.max(n_taken), true),
        None => (n_taken, false),
    };
    let (summaries, messages): (Vec<Taken>, Vec<Taken>) = found
        .taken
        .into_iter()
        .partition(|taken| matches!(taken.row.id, ItemId::Summary(_)));
    let listed = take_turns(messages, summaries, wanted.saturating_add(1));
    let has_more = listed.len() > wanted;
    let page: Vec<Taken> = listed
        .into_iter()
        .take(wanted)
        .skip(question.start.offset)
        .collect();
    let cursor = has_more.then(|| {
        Start {
            offset: wanted,
            newest: question.start.newest,
        }
        .format()
    });
    Ok(GrepReply {
        hits: hits(reader, page, question.branch.as_ref())?,
        total,
        total_capped,
        limit: 0,
        limit_capped: false,
        matched,
        read_as: pattern.read_as().to_owned(),
        hint: pattern.hint().map(str::to_owned),
        complete: found.is_complete,
        cursor,
    })
}

/// Collects the rows that have some of the words, those that have all among them, so that one
/// scale holds for all. None if there are no more of them.
fn widen(
    reader: &Reader,
    relaxed: &Pattern,
    question: &Question,
    strict: &Gathered,
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
    Ok((some.taken.len() > strict.taken.len()).then_some(some))
}

/// Returns what the score needs to know of all rows; none for substrings, which have no rank. Where
/// some of the words are enough and every row was looked at, it is counted in these rows: a name
/// that is rare in the store may be in each row of a conversation.
fn stats(reader: &Reader, scorer: &Pattern, found: &Gathered) -> Result<Option<Stats>, StoreError> {
    if scorer.is_fuzzy_only() {
        return Ok(None);
    }
    match found.scanned {
        Some(scanned) if scorer.is_relaxed() && scanned.n_rows > 0 => {
            let matches = found.taken.iter().map(|taken| &taken.matched);
            let average = wide(scanned.n_words) / wide(scanned.n_rows);
            Ok(Some(Stats::of_matches(scanned.n_rows, average, matches)))
        }
        _ => read_stats(reader, scorer).map(Some),
    }
}

fn wide(number: u64) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// Collects the rows that match, by the path that fits.
fn gather(reader: &Reader, pattern: &Pattern, question: &Question) -> Result<Gathered, StoreError> {
    let matcher = Matcher::new(pattern);
    let query = pattern.index_query();
    let is_small = question.branch.as_ref().is_some_and(|branch| {
        branch
            .head
            .is_none_or(|head| head.get() <= SCAN_BRANCH_ROWS)
    });
    if is_small || query == IndexQuery::Everything {
        return scan(reader, &matcher, question, None);
    }
    let order = if pattern.is_fuzzy_only() {
        CandidateOrder::Newest
    } else {
        CandidateOrder::Rank
    };
    let found = reader.search(&query, &question.filter, CANDIDATES, order)?;
    if found.rules != RULES_VERSION {
        // Tokens cut by other rules narrow nothing.
        return scan(reader, &matcher, question, None);
    }
    let mut gathered = scan(reader, &matcher, question, Some(found.mark))?;
    let ids: Vec<ItemId> = found
        .candidates
        .iter()
        .map(|candidate| candidate.id)
        .collect();
    for row in reader.search_rows(&ids)? {
        take(row, &matcher, question, &mut gathered);
    }
    gathered.scanned = None;
    if found.total_capped || found.total > u64::try_from(ids.len()).unwrap_or(u64::MAX) {
        gathered.counted = Some(found.total);
    }
    Ok(gathered)
}

/// Reads rows newest first and keeps what matches; with `above`, only rows beyond the index.
fn scan(
    reader: &Reader,
    matcher: &Matcher,
    question: &Question,
    above: Option<i64>,
) -> Result<Gathered, StoreError> {
    let mut gathered = Gathered {
        is_complete: true,
        scanned: Some(Scanned::default()),
        ..Gathered::default()
    };
    let mut n_bytes = 0usize;
    reader.scan(&question.filter, above, &mut |row| {
        n_bytes = n_bytes.saturating_add(size(&row));
        take(row, matcher, question, &mut gathered);
        if n_bytes > SCAN_BYTES {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    if n_bytes > SCAN_BYTES {
        gathered.is_complete = false;
    }
    Ok(gathered)
}

fn take(row: SearchRow, matcher: &Matcher, question: &Question, gathered: &mut Gathered) {
    if indexer::raw_id(row.id) > question.start.newest {
        return;
    }
    let text = RowText::of(&row);
    if let Some(scanned) = &mut gathered.scanned {
        scanned.n_rows += 1;
        scanned.n_words += text.length() as u64;
    }
    if let Some(matched) = matcher.matches(&text) {
        gathered.taken.push(Taken {
            row,
            matched,
            rank: None,
        });
    }
}

fn size(row: &SearchRow) -> usize {
    row.parts.iter().map(|part| part.body().len()).sum()
}

impl Start {
    fn format(self) -> String {
        format!("{}.{}", self.offset, self.newest)
    }

    fn parse(cursor: &str) -> Result<Self, EngineError> {
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
