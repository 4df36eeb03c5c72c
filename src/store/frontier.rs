//! The frontier. Owns reading it: spans and token sums, by the walk of its branch.
//! May not read what messages say.

use rusqlite::{Connection, params};

use super::error::StoreError;
use super::lineage::Lineage;
use super::load::metas;
use super::pin::live_pins;
use super::row::{SummaryRow, to_count, to_seq_option};
use super::walk::{Bounds, Judge, candidates, last, next_start, walk};
use crate::domain::{
    ConversationId, Frontier, FrontierItem, Health, MessageId, MessageMeta, Node, PinMeta,
    PromptMeta, Role, Tokens,
};

/// Rows read at a time where few are wanted.
const PAGE: i64 = 16;

/// What a frontier needs of the conversation row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counters {
    pub head: i64,
    pub n_visible: i64,
    pub prompt_last: i64,
    pub turn_first: i64,
    pub live_id: i64,
    pub newest_id: i64,
}

/// Reads the counters of a branch.
pub(super) fn counters(conn: &Connection, conversation: i64) -> Result<Counters, StoreError> {
    conn.prepare_cached(
        "SELECT head, n_visible, prompt_last, turn_first, live_id, newest_id
         FROM conversation WHERE id = ?1",
    )?
    .query_row([conversation], |row| {
        Ok(Counters {
            head: row.get(0)?,
            n_visible: row.get(1)?,
            prompt_last: row.get(2)?,
            turn_first: row.get(3)?,
            live_id: row.get(4)?,
            newest_id: row.get(5)?,
        })
    })
    .map_err(|error| StoreError::from(error).of_row("conversation", conversation))
}

/// Reads what planners decide from: all rows, the newest generations.
pub(super) fn planner(
    conn: &Connection,
    conversation: ConversationId,
) -> Result<Frontier, StoreError> {
    let counters = counters(conn, conversation.get())?;
    let lineage = Lineage::load(conn, conversation.get())?;
    let begin = counters.prompt_last + 1;
    let nodes = walk(conn, &lineage, begin, Bounds::all(counters.head))?;
    let raw_from = nodes.last().map_or(begin, |node| last(node) + 1);
    let judge = Judge::new(conn, &lineage)?;
    let mut items = Vec::new();
    for row in &nodes {
        items.push(FrontierItem::Node(row.node(judge.health(row)?)));
    }
    let raw = metas(conn, &lineage, raw_from, counters.head)?;
    items.extend(raw.into_iter().map(FrontierItem::Raw));
    let pins = live_pins(conn, &lineage, &mut Vec::new())?;
    frontier(conn, conversation, &counters, &lineage, items, pins)
}

/// Reads the nodes of the planner's walk alone.
pub(super) fn nodes(
    conn: &Connection,
    conversation: ConversationId,
) -> Result<Vec<Node>, StoreError> {
    let counters = counters(conn, conversation.get())?;
    let lineage = Lineage::load(conn, conversation.get())?;
    let begin = counters.prompt_last + 1;
    let judge = Judge::new(conn, &lineage)?;
    walk(conn, &lineage, begin, Bounds::all(counters.head))?
        .iter()
        .map(|row| Ok(row.node(judge.health(row)?)))
        .collect()
}

/// Reads what views show: rows up to `live_id`, broken ones passed over. The texts say which were,
/// and what stands in their place.
pub(super) fn view(
    conn: &Connection,
    conversation: ConversationId,
) -> Result<(Frontier, Vec<String>), StoreError> {
    let counters = counters(conn, conversation.get())?;
    let lineage = Lineage::load(conn, conversation.get())?;
    let mut warnings = Vec::new();
    let mut items = Vec::new();
    for stretch in live_stretches(conn, &counters, &lineage, &mut warnings)? {
        match stretch {
            Stretch::Node(node) => items.push(FrontierItem::Node(node)),
            Stretch::Raw(first, last) => {
                let raw = metas(conn, &lineage, first, last)?;
                items.extend(raw.into_iter().map(FrontierItem::Raw));
            }
        }
    }
    let pins = live_pins(conn, &lineage, &mut warnings)?;
    let frontier = frontier(conn, conversation, &counters, &lineage, items, pins)?;
    Ok((frontier, warnings))
}

/// A stretch of what views show: a node, or the rows from one place to another.
enum Stretch {
    Node(Node),
    Raw(i64, i64),
}

/// Walks what views show, without reading the rows.
fn live_stretches(
    conn: &Connection,
    counters: &Counters,
    lineage: &Lineage,
    warnings: &mut Vec<String>,
) -> Result<Vec<Stretch>, StoreError> {
    let judge = Judge::new(conn, lineage)?;
    let bounds = Bounds::live(counters.head, counters.live_id);
    let mut stretches = Vec::new();
    let mut seq = counters.prompt_last + 1;
    while seq <= counters.head {
        let here = candidates(conn, lineage, seq, bounds)?;
        if let Some((row, health)) = first_sound(conn, &judge, here, warnings)? {
            seq = last(&row) + 1;
            stretches.push(Stretch::Node(row.node(health)));
            continue;
        }
        let next = next_start(conn, lineage, seq, bounds)?.unwrap_or(counters.head + 1);
        stretches.push(Stretch::Raw(seq, next - 1));
        seq = next;
    }
    Ok(stretches)
}

/// Reads the nodes that views show.
pub(super) fn live_nodes(
    conn: &Connection,
    conversation: ConversationId,
) -> Result<Vec<Node>, StoreError> {
    let counters = counters(conn, conversation.get())?;
    let lineage = Lineage::load(conn, conversation.get())?;
    let stretches = live_stretches(conn, &counters, &lineage, &mut Vec::new())?;
    Ok(stretches
        .into_iter()
        .filter_map(|stretch| match stretch {
            Stretch::Node(node) => Some(node),
            Stretch::Raw(..) => None,
        })
        .collect())
}

/// Takes the first row that can be trusted: after the deepest and newest one its older generation,
/// then rows of smaller depth, which are its children.
fn first_sound(
    conn: &Connection,
    judge: &Judge<'_>,
    rows: Vec<SummaryRow>,
    warnings: &mut Vec<String>,
) -> Result<Option<(SummaryRow, Health)>, StoreError> {
    for row in rows {
        let health = judge.health(&row)?;
        if health != Health::Broken && is_readable(conn, row.id)? {
            return Ok(Some((row, health)));
        }
        warnings.push(format!(
            "summary s{} over messages {} is damaged; what it was made from is shown instead",
            row.id, row.span
        ));
    }
    Ok(None)
}

/// Says whether a body is UTF-8 with something to see in it.
fn is_readable(conn: &Connection, id: i64) -> Result<bool, StoreError> {
    Ok(conn
        .prepare_cached("SELECT body FROM summary WHERE id = ?1")?
        .query_row([id], |row| {
            let body = row.get_ref(0)?;
            Ok(body.as_str().is_ok_and(|body| !body.trim().is_empty()))
        })?)
}

fn frontier(
    conn: &Connection,
    conversation: ConversationId,
    counters: &Counters,
    lineage: &Lineage,
    items: Vec<FrontierItem>,
    pins: Vec<PinMeta>,
) -> Result<Frontier, StoreError> {
    Ok(Frontier {
        conversation,
        prompt: prompt(conn, lineage, counters.head)?,
        prompt_last: to_seq_option(counters.prompt_last),
        items,
        head: to_seq_option(counters.head),
        n_visible: to_count(counters.n_visible),
        pins,
    })
}

/// Reads the newest version of the system prompt.
fn prompt(
    conn: &Connection,
    lineage: &Lineage,
    head: i64,
) -> Result<Option<PromptMeta>, StoreError> {
    let mut newest = conn.prepare_cached(
        "SELECT prompt_first FROM message
         WHERE conversation_id = ?1 AND seq BETWEEN ?2 AND ?3 AND visibility = 'prompt'
         ORDER BY seq DESC LIMIT 1",
    )?;
    for stretch in lineage.stretches(1, head).iter().rev() {
        let mut rows = newest.query(params![stretch.conversation, stretch.first, stretch.last])?;
        if let Some(row) = rows.next()? {
            return version(conn, lineage, row.get(0)?, head).map(Some);
        }
    }
    Ok(None)
}

fn version(
    conn: &Connection,
    lineage: &Lineage,
    first: i64,
    head: i64,
) -> Result<PromptMeta, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT id, prompt_tokens FROM message
         WHERE conversation_id = ?1 AND seq BETWEEN ?2 AND ?3 AND visibility = 'prompt'
           AND prompt_first = ?4
         ORDER BY seq",
    )?;
    let mut meta = PromptMeta {
        rows: Vec::new(),
        tokens: Tokens::ZERO,
    };
    for stretch in lineage.stretches(first, head) {
        let mut rows = statement.query(params![
            stretch.conversation,
            stretch.first,
            stretch.last,
            first
        ])?;
        while let Some(row) = rows.next()? {
            meta.rows.push(MessageId::new(row.get(0)?));
            meta.tokens += Tokens::new(to_count(row.get(1)?));
        }
    }
    Ok(meta)
}

/// Reads the run of visible user messages that opens the newest turn.
pub(super) fn newest_request(
    conn: &Connection,
    conversation: ConversationId,
) -> Result<Vec<MessageMeta>, StoreError> {
    let counters = counters(conn, conversation.get())?;
    let lineage = Lineage::load(conn, conversation.get())?;
    let mut request = Vec::new();
    let mut seq = counters.turn_first.max(1);
    while seq <= counters.head {
        let page_end = counters.head.min(seq + PAGE - 1);
        for meta in metas(conn, &lineage, seq, page_end)? {
            if !meta.is_visible() {
                continue;
            }
            if meta.cut_role() != Role::User {
                return Ok(request);
            }
            request.push(meta);
        }
        seq = page_end + 1;
    }
    Ok(request)
}
