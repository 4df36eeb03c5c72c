//! A search: the index or a scan proposes rows, one matcher decides, one score orders.
//! The set of rows does not depend on which path proposed them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::core::{Core, Engine, resolve};
use super::error::EngineError;
use super::frequency::stats_of;
use super::gather::{Count, Question, Start, gather, widen};
use super::indexer::{self, Progress};
use super::ranked::{Taken, add_besides, hits, order};
use super::wanted::Wish;
use crate::domain::{
    Answers, Bounds, BranchName, ConversationId, Field, GrepReply, GrepRequest, ItemId, MatchKind,
    Reach, RowFilter, Scope, SearchScope, Sort, TimeRange, Timestamp,
};
use crate::policy::pattern::{Matcher, Narrowing, Pattern, RULES_VERSION, Relaxation, parse};
use crate::policy::rank::take_turns;
use crate::store::{Reader, StoreError};

/// Rows an answer holds at most.
const LIMIT_MAX: u64 = 200;
/// Rows that a search scans beyond the index; past that the indexer catches up first.
const TAIL_ROWS: u64 = 5_000;
/// Damaged rows that an answer names at most.
const DAMAGED_NAMED: usize = 5;
/// Steps the indexer is given before a search answers incompletely.
const CATCH_UP_STEPS: u32 = 400;

impl Engine {
    /// Finds rows by words, phrases, operators, prefixes, substrings, regular expressions and
    /// fields. A search whose future is dropped stops at the next row.
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
        let narrowing = pattern.narrowing();
        let kinds = meet_kinds(request, &narrowing)?;
        if pattern.has_last() && !request.time.is_open() {
            return Err(EngineError::wrong_use(
                "`last:` already says since when; it does not go with a time beside the pattern",
                "leave one of them out",
            ));
        }
        let now = self.now();
        let start = match &request.cursor {
            Some(cursor) => Some(Start::parse(cursor)?),
            None => None,
        };
        let is_caught_up = self.core.catch_up().await?;
        let limit = request.limit.min(LIMIT_MAX);
        let asked = request.clone();
        // A caller that goes away takes its wish with it, and the thread below stops.
        let wish = Wish::new();
        let wanted = wish.wanted();
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
                let (pattern, unknown) = look_up(reader, &pattern, now)?;
                let narrowing = pattern.narrowing();
                let filter = RowFilter {
                    scope: branch
                        .as_ref()
                        .map_or(Scope::All, |branch| Scope::Branch(branch.id)),
                    kinds,
                    role: asked.role.or(narrowing.role),
                    time: both(asked.time, narrowing.time),
                    answers: if pattern.has_tool() {
                        Answers::Named
                    } else {
                        Answers::Unnamed
                    },
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
                    wanted,
                };
                let mut reply = answer(reader, &pattern, &question)?;
                let contradiction = || pattern.contradiction(asked.role, asked.kinds, asked.time);
                let hint = pattern.hint().map(str::to_owned);
                let hint = hint.or(unknown).or_else(contradiction);
                reply.hint = both_hints(reply.hint, hint);
                Ok(Ok(reply))
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

/// Names the rows that were passed over since they cannot be read, the first few of many.
fn damage_hint(damaged: &BTreeSet<ItemId>) -> Option<String> {
    let name = |id: &ItemId| match id {
        ItemId::Message(id) => format!("message {id}"),
        ItemId::Summary(id) => format!("summary {id}"),
    };
    let mut names: Vec<String> = damaged.iter().take(DAMAGED_NAMED).map(name).collect();
    let n_more = damaged.len().saturating_sub(names.len());
    if n_more > 0 {
        names.push(format!("{n_more} more"));
    }
    let last = names.pop()?;
    let told = if names.is_empty() {
        format!("{last} is damaged and was")
    } else {
        format!("{} and {last} are damaged and were", names.join(", "))
    };
    Some(format!("{told} passed over; run `hippocamp doctor`"))
}

/// Puts two hints into one.
fn both_hints(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) => Some(format!("{one}; {other}")),
        (one, other) => one.or(other),
    }
}

/// Returns the kinds of rows that both the request and the pattern's fields allow.
fn meet_kinds(request: &GrepRequest, narrowing: &Narrowing) -> Result<SearchScope, EngineError> {
    let has_role = request.role.is_some() || narrowing.role.is_some();
    let is_of_messages = has_role || narrowing.kinds == SearchScope::Message;
    let is_of_summaries = narrowing.kinds == SearchScope::Summary;
    match request.kinds {
        SearchScope::Summary if has_role => Err(EngineError::wrong_use(
            "a summary has no role; `role` cannot be asked with scope `summary`",
            "leave the role out, or search messages",
        )),
        SearchScope::Both if is_of_messages => Ok(SearchScope::Message),
        SearchScope::Both if is_of_summaries => Ok(SearchScope::Summary),
        kinds => Ok(kinds),
    }
}

/// Returns the narrower of two ranges.
fn both(one: TimeRange, other: TimeRange) -> TimeRange {
    let one = other.before.map_or(one, |before| one.until(before));
    other.since.map_or(one, |since| one.from(since))
}

/// Looks up what fields mean now and here: stretches of time, sessions, projects. Names one that
/// means no conversation.
fn look_up(
    reader: &Reader,
    pattern: &Pattern,
    now: Timestamp,
) -> Result<(Pattern, Option<String>), StoreError> {
    if !pattern.needs_look_up() {
        return Ok((pattern.clone(), None));
    }
    let branches = reader.branch_names()?;
    let reached = reader.inheritances()?;
    let within = |is: &dyn Fn(&BranchName) -> bool| {
        let ids = branches.iter().filter(|branch| is(branch));
        let ids: BTreeSet<ConversationId> = ids.map(|branch| branch.id).collect();
        let mut within: BTreeMap<ConversationId, Bounds> = BTreeMap::new();
        for (_, owner, bounds) in reached.iter().filter(|(heir, ..)| ids.contains(heir)) {
            let known = within.entry(*owner).or_insert(*bounds);
            known.message = known.message.max(bounds.message);
            known.summary = known.summary.max(bounds.summary);
        }
        within
    };
    let unknown = RefCell::new(None);
    let known = |within: BTreeMap<ConversationId, Bounds>, none: String| {
        if within.is_empty() {
            unknown.borrow_mut().get_or_insert(none);
        }
        Some(Field::Within(within))
    };
    let resolved = pattern.resolved(&|field| match field {
        Field::Last(last) => Some(Field::After(last.since(now))),
        Field::Session(key) => known(
            within(&|branch| branch.session.as_str().starts_with(key.as_str())),
            format!("no session's key begins with `{key}`"),
        ),
        Field::Project(text) => known(
            within(&|branch| {
                let project = branch.project.as_deref();
                project.is_some_and(|project| project.to_lowercase().contains(text.as_str()))
            }),
            format!("no session's working directory holds `{text}`"),
        ),
        _ => None,
    });
    Ok((resolved, unknown.into_inner()))
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
    let wanted = question.n_wanted();
    let is_short = match pattern.relaxation() {
        Relaxation::Never => false,
        Relaxation::WhenNoneHasAll => found.taken.is_empty(),
        // In order of time, rows with some of the words would stand among those with all.
        Relaxation::ToFillUp if question.sort == Sort::Time => found.taken.is_empty(),
        Relaxation::ToFillUp => found.taken.len() < wanted,
    };
    let relaxed = if is_short { pattern.relaxed() } else { None };
    let mut scorer = pattern.clone();
    if let Some(relaxed) = relaxed
        && let Some(some) = widen(reader, &relaxed, question, &mut found)?
    {
        matched = MatchKind::Some;
        found = some;
        scorer = relaxed;
    }
    let stats = match (question.sort, matched) {
        // In order of time alone nothing is ranked.
        (Sort::Time, MatchKind::All) => None,
        _ => stats_of(reader, &scorer, &found)?,
    };
    if matched == MatchKind::Some && question.filter.kinds != SearchScope::Summary {
        order(&scorer, stats.as_ref(), Sort::Relevance, &mut found.taken);
        add_besides(reader, question, &Matcher::new(&scorer), &mut found)?;
    }
    order(&scorer, stats.as_ref(), question.sort, &mut found.taken);
    let n_taken = u64::try_from(found.taken.len()).unwrap_or(u64::MAX);
    let (total, total_capped) = match found.counted {
        Some(Count::Exactly(n)) => (n.max(n_taken), false),
        Some(Count::AtLeast(n)) => (n.max(n_taken), true),
        None => (n_taken, false),
    };
    let (summaries, messages): (Vec<Taken>, Vec<Taken>) = found
        .taken
        .into_iter()
        .partition(|taken| matches!(taken.row.id, ItemId::Summary(_)));
    let listed = take_turns(messages, summaries, wanted.saturating_add(1));
    let has_more = listed.len() > wanted;
    let page = listed.into_iter().take(wanted).skip(question.start.offset);
    let mut shown: Vec<Taken> = Vec::new();
    for taken in page {
        match reader.branch(taken.row.conversation) {
            Ok(_) => shown.push(taken),
            // A row of no conversation cannot be shown anywhere.
            Err(StoreError::Corrupt { .. }) => {
                found.damaged.insert(taken.row.id);
            }
            Err(error) => return Err(error),
        }
    }
    let cursor = has_more.then(|| {
        Start {
            offset: wanted,
            newest: question.start.newest,
        }
        .format()
    });
    Ok(GrepReply {
        hits: hits(reader, &scorer, shown, question.branch.as_ref())?,
        total,
        total_capped,
        limit: 0,
        limit_capped: false,
        matched,
        read_as: pattern.read_as().to_owned(),
        hint: damage_hint(&found.damaged),
        complete: found.is_complete && found.damaged.is_empty(),
        cursor,
    })
}
