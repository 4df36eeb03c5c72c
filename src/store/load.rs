//! Reading rows. Owns the queries that bring messages and summaries back as values.
//! May not judge: what cannot be read is `Corrupt`, with the row's id.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::clear;
use super::error::StoreError;
use super::lineage::{Lineage, check_place};
use super::recount;
use super::row::{
    SummaryRow, column, message, message_columns, message_part, summary, summary_columns, to_count,
    to_role, to_seq, to_sql, to_time, to_visibility, words_or_null,
};
use super::walk::{Bounds, Judge, deepest, first, last, next_start};
use crate::domain::{
    CallKey, Health, Mark, Message, MessageId, MessageMeta, Node, Seq, Span, Summary, SummaryId,
    Timestamp, Tokens,
};

/// Reads what planners need of the messages `first..=last`, along the lineage.
pub(super) fn metas(
    conn: &Connection,
    lineage: &Lineage,
    first: i64,
    last: i64,
) -> Result<Vec<MessageMeta>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT m.id, m.seq, m.role, m.visibility, m.continues, m.view_tokens,
                m.reasoning_tokens, m.has_words, m.at, p.kind, p.call_id, p.occurrence, m.tokens
         FROM message AS m LEFT JOIN part AS p
           ON p.id BETWEEN m.id * 65536 AND m.id * 65536 + 65535 AND p.call_id IS NOT NULL
         WHERE m.conversation_id = ?1 AND m.seq BETWEEN ?2 AND ?3
         ORDER BY m.seq",
    )?;
    let mut found: Vec<MessageMeta> = Vec::new();
    for stretch in lineage.stretches(first, last) {
        let mut rows =
            statement.query(params![stretch.conversation, stretch.first, stretch.last])?;
        let mut expected = to_seq(stretch.first)?;
        while let Some(row) = rows.next()? {
            let id: i64 = column(row, 0)?;
            if found.last().is_none_or(|meta| meta.id.get() != id) {
                check_place(stretch.conversation, expected, column(row, 1)?)?;
                expected = expected.next();
                found.push(meta(row, id).map_err(|error| error.of_row("message", id))?);
            }
            if let Some(meta) = found.last_mut() {
                add_call(row, meta).map_err(|error| error.of_row("part of message", id))?;
            }
        }
        check_place(stretch.conversation, expected, stretch.last + 1)?;
    }
    if !found.is_empty() {
        let seen = clear::seen(conn, lineage)?;
        // What a clear saves is taken off what its row holds now.
        recount::apply(conn, &seen, &mut found)?;
        clear::mark(conn, &seen, &mut found)?;
    }
    Ok(found)
}

fn meta(row: &Row<'_>, id: i64) -> Result<MessageMeta, StoreError> {
    Ok(MessageMeta {
        id: MessageId::new(id),
        seq: to_seq(column(row, 1)?)?,
        role: to_role(&column::<String>(row, 2)?)?,
        visibility: to_visibility(&column::<String>(row, 3)?)?,
        continues: column::<Option<i64>>(row, 4)?.map(to_seq).transpose()?,
        tokens: Tokens::new(to_count(column(row, 12)?)),
        view_tokens: Tokens::new(to_count(column(row, 5)?)),
        reasoning_tokens: Tokens::new(to_count(column(row, 6)?)),
        has_words: column(row, 7)?,
        at: to_time(column(row, 8)?),
        calls: Vec::new(),
        results: Vec::new(),
        cleared: Vec::new(),
    })
}

fn add_call(row: &Row<'_>, meta: &mut MessageMeta) -> Result<(), StoreError> {
    let Some(call_id) = words_or_null(row, 10)? else {
        return Ok(());
    };
    let key = CallKey {
        call_id,
        occurrence: column(row, 11)?,
    };
    match column::<String>(row, 9)?.as_str() {
        "tool_use" => meta.calls.push(key),
        _ => meta.results.push(key),
    }
    Ok(())
}

const MESSAGES_OF_STRETCH: &str = concat!(
    "SELECT ",
    message_columns!(),
    " FROM message AS m LEFT JOIN part AS p
        ON p.id BETWEEN m.id * 65536 AND m.id * 65536 + 65535
      WHERE m.conversation_id = ?1 AND m.seq BETWEEN ?2 AND ?3
      ORDER BY m.seq"
);

/// Reads messages whole, in order, along the lineage.
pub(super) fn messages(
    conn: &Connection,
    lineage: &Lineage,
    span: Span,
) -> Result<Vec<Message>, StoreError> {
    let mut found = Vec::new();
    let mut statement = conn.prepare_cached(MESSAGES_OF_STRETCH)?;
    for stretch in lineage.stretches_of(span) {
        let before = found.len();
        let mut rows =
            statement.query(params![stretch.conversation, stretch.first, stretch.last])?;
        let mut reading = Reading::default();
        while let Some(row) = rows.next()? {
            found.extend(reading.take(row)?);
        }
        found.extend(reading.finish()?);
        let mut expected = to_seq(stretch.first)?;
        for message in found.iter().skip(before) {
            check_place(stretch.conversation, expected, to_sql(message.seq.get()))?;
            expected = expected.next();
        }
    }
    Ok(found)
}

const MESSAGES_BY_ID: &str = concat!(
    "SELECT ",
    message_columns!(),
    " FROM json_each(?1) AS j CROSS JOIN message AS m ON m.id = j.value
      LEFT JOIN part AS p ON p.id BETWEEN m.id * 65536 AND m.id * 65536 + 65535"
);

/// Reads messages by id, each once, in the order asked for; unknown ids are left out.
pub(super) fn messages_by_id(
    conn: &Connection,
    ids: &[MessageId],
) -> Result<Vec<Message>, StoreError> {
    let mut statement = conn.prepare_cached(MESSAGES_BY_ID)?;
    let mut rows = statement.query([id_list(ids.iter().map(|id| id.get()))])?;
    let mut found = Vec::new();
    let mut reading = Reading::default();
    while let Some(row) = rows.next()? {
        found.extend(reading.take(row)?);
    }
    found.extend(reading.finish()?);
    Ok(found)
}

/// Writes ids as a JSON array, each once. One bound text takes any number of them.
pub(super) fn id_list(ids: impl Iterator<Item = i64>) -> String {
    let mut list = "[".to_owned();
    let mut seen = HashSet::new();
    for id in ids {
        if seen.insert(id) {
            let comma = if seen.len() > 1 { "," } else { "" };
            // Writing to a String cannot fail.
            let _ = write!(list, "{comma}{id}");
        }
    }
    list.push(']');
    list
}

/// A message whose parts are still coming.
#[derive(Debug, Default)]
pub(super) struct Reading {
    current: Option<(Message, usize)>,
}

impl Reading {
    /// Takes one row; returns the message before it when that one is complete.
    pub(super) fn take(&mut self, row: &Row<'_>) -> Result<Option<Message>, StoreError> {
        let id: i64 = column(row, 0)?;
        let mut done = None;
        let continues = self
            .current
            .as_ref()
            .is_some_and(|(message, _)| message.id.get() == id);
        if !continues {
            done = self.finish()?;
            self.current = Some(message(row)?);
        }
        if let (Some((message, _)), Some(part)) = (&mut self.current, message_part(row)?) {
            message.parts.push(part);
        }
        Ok(done)
    }

    /// Returns the last message.
    pub(super) fn finish(&mut self) -> Result<Option<Message>, StoreError> {
        let Some((message, n_parts)) = self.current.take() else {
            return Ok(None);
        };
        if message.parts.len() != n_parts {
            return Err(StoreError::corrupt(format!(
                "message {} has {} of its {n_parts} parts",
                message.id,
                message.parts.len()
            )));
        }
        Ok(Some(message))
    }
}

/// Reads the marks of a branch, meta rows left out: `sync` ignores them.
pub(super) fn marks(
    conn: &Connection,
    lineage: &Lineage,
    head: i64,
) -> Result<Vec<Mark>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT m.seq, m.id, k.fingerprint, m.visibility = 'prompt'
         FROM message AS m LEFT JOIN mark AS k ON k.message_id = m.id
         WHERE m.conversation_id = ?1 AND m.seq BETWEEN ?2 AND ?3 AND m.visibility <> 'meta'
         ORDER BY m.seq",
    )?;
    let mut found = Vec::new();
    for stretch in lineage.stretches(1, head) {
        let mut rows =
            statement.query(params![stretch.conversation, stretch.first, stretch.last])?;
        while let Some(row) = rows.next()? {
            found.push(Mark {
                seq: to_seq(column(row, 0)?)?,
                id: MessageId::new(column(row, 1)?),
                fingerprint: column(row, 2)?,
                is_prompt: column(row, 3)?,
            });
        }
    }
    Ok(found)
}

const SUMMARY_BY_ID: &str = concat!(
    "SELECT ",
    summary_columns!(),
    ", s.body, s.model FROM summary AS s WHERE s.id = ?1"
);

/// Reads summaries whole, in the order asked for; unknown ids are left out.
pub(super) fn summaries_by_id(
    conn: &Connection,
    ids: &[SummaryId],
) -> Result<Vec<Summary>, StoreError> {
    let mut lineages: HashMap<i64, Lineage> = HashMap::new();
    let mut found = Vec::new();
    for id in ids {
        let mut statement = conn.prepare_cached(SUMMARY_BY_ID)?;
        let mut rows = statement.query([id.get()])?;
        let Some(row) = rows.next()? else { continue };
        let meta = summary(row)?.ok_or_else(|| unreadable(*id))?;
        let body: String = column(row, 11).map_err(|error| error.of_row("summary", id.get()))?;
        let model = column(row, 12).map_err(|error| error.of_row("summary", id.get()))?;
        let lineage = match lineages.entry(meta.conversation) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(Lineage::load(conn, meta.conversation)?)
            }
        };
        let health = Judge::new(conn, lineage)?.health(&meta)?;
        found.push(Summary {
            node: meta.node(health),
            body,
            model,
        });
    }
    Ok(found)
}

fn unreadable(id: SummaryId) -> StoreError {
    StoreError::corrupt(format!("summary {id}: its span or depth cannot be read"))
}

/// Reads one summary row without its body.
pub(super) fn summary_row(
    conn: &Connection,
    id: SummaryId,
) -> Result<Option<SummaryRow>, StoreError> {
    let mut statement = conn.prepare_cached(SUMMARY_BY_ID)?;
    let found = statement
        .query_row([id.get()], |row| Ok(summary(row)))
        .optional()?;
    match found {
        None => Ok(None),
        Some(row) => row?.map(Some).ok_or_else(|| unreadable(id)),
    }
}

/// Reads the children of a summary, old to new; a leaf has none. Where a row is damaged beyond
/// reading there is a gap.
pub(super) fn children(conn: &Connection, id: SummaryId) -> Result<Vec<Node>, StoreError> {
    let Some(parent) = summary_row(conn, id)? else {
        return Ok(Vec::new());
    };
    let lineage = Lineage::load(conn, parent.conversation)?;
    let judge = Judge::new(conn, &lineage)?;
    let bounds = Bounds::children(&parent);
    let mut nodes = Vec::new();
    let mut next = Some(first(&parent));
    while let Some(seq) = next.filter(|&seq| seq <= bounds.last && parent.depth > 0) {
        next = match deepest(conn, &lineage, seq, bounds)? {
            Some(row) => {
                nodes.push(row.node(judge.health(&row)?));
                Some(last(&row) + 1)
            }
            None => next_start(conn, &lineage, seq, bounds)?,
        };
    }
    Ok(nodes)
}

const TREE: &str = concat!(
    "SELECT ",
    summary_columns!(),
    " FROM summary AS s
      WHERE s.conversation_id = ?1 AND s.last_seq <= ?2 AND s.id <= ?3
      ORDER BY s.first_seq, s.depth DESC, s.generation DESC"
);

/// Reads the newest generation of every span and depth that a branch sees, leaves first.
pub(super) fn tree_rows(conn: &Connection, lineage: &Lineage) -> Result<Vec<Node>, StoreError> {
    let mut newest: HashMap<(u32, Span), SummaryRow> = HashMap::new();
    let mut statement = conn.prepare_cached(TREE)?;
    for ancestor in lineage.ancestors() {
        let mut rows = statement.query(params![ancestor.id, ancestor.max_seq, ancestor.max_id])?;
        while let Some(row) = rows.next()? {
            let Some(found) = summary(row)? else { continue };
            let place = (found.depth, found.span);
            let is_newer = newest
                .get(&place)
                .is_none_or(|known| known.generation <= found.generation);
            if is_newer {
                newest.insert(place, found);
            }
        }
    }
    let mut rows: Vec<_> = newest.into_values().collect();
    rows.sort_by_key(|row| (row.depth, row.span));
    let judge = Judge::new(conn, lineage)?;
    rows.iter()
        .map(|row| Ok(row.node(judge.health(row)?)))
        .collect()
}

/// Reads the newest `n` trusted summaries of the planner's walk that end before `seq`, old to new.
pub(super) fn summaries_before(
    conn: &Connection,
    nodes: &[Node],
    seq: Seq,
    n: usize,
) -> Result<Vec<Summary>, StoreError> {
    let mut ids: Vec<_> = nodes
        .iter()
        .rev()
        .filter(|node| node.span.last() < seq && node.health != Health::Broken)
        .take(n)
        .map(|node| node.id)
        .collect();
    ids.reverse();
    summaries_by_id(conn, &ids)
}

/// Reads the earliest and the latest time of a span.
pub(super) fn time_range(
    conn: &Connection,
    lineage: &Lineage,
    span: Span,
) -> Result<(Option<Timestamp>, Option<Timestamp>), StoreError> {
    let mut range = (None, None);
    for stretch in lineage.stretches_of(span) {
        let (from, to) =
            super::fork::time_range(conn, stretch.conversation, stretch.first, stretch.last)?;
        range = (super::fork::least(range.0, from), range.1.max(to));
    }
    Ok((to_time(range.0), to_time(range.1)))
}
