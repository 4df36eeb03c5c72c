//! Pins as a branch sees them. Owns reading where each stands, along the lineage.
//! May not change one: `pinning` does.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::error::StoreError;
use super::frontier::counters;
use super::lineage::Lineage;
use super::row::{column, to_count, to_seq, to_seq_option, to_sql};
use super::sequence;
use crate::domain::{
    ConversationId, EventId, MessageId, Pin, PinBoard, PinBy, PinFilter, PinKind, PinMeta,
    PinSource, PinState, Said, SaidPage, Seq, Timestamp, Tokens,
};

/// Where a pin stands on a branch.
#[derive(Debug, Clone, Copy)]
struct Standing {
    state: PinState,
    by: PinBy,
}

/// The standings that a branch sees by pin, and its newest change of any.
struct Standings {
    by_pin: BTreeMap<i64, Standing>,
    newest: Option<EventId>,
}

/// Reads where each pin stands that a branch sees.
fn standings(conn: &Connection, lineage: &Lineage) -> Result<Standings, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT id, pin_id, state, made_by FROM pin_state
         WHERE conversation_id = ?1 AND id <= ?2 ORDER BY id",
    )?;
    let mut found = Standings {
        by_pin: BTreeMap::new(),
        newest: None,
    };
    // The changes of an ancestor come before those of its descendants.
    for ancestor in lineage.ancestors() {
        let mut rows = statement.query(params![ancestor.id, ancestor.max_pin_id])?;
        while let Some(row) = rows.next()? {
            let id: i64 = column(row, 0)?;
            // A change that cannot be read changes nothing; `doctor` names it.
            if let Ok(standing) = standing(row) {
                found.by_pin.insert(column(row, 1)?, standing);
            }
            found.newest = found.newest.max(Some(EventId::new(id)));
        }
    }
    Ok(found)
}

fn standing(row: &Row<'_>) -> Result<Standing, StoreError> {
    let (state, by): (String, String) = (column(row, 2)?, column(row, 3)?);
    Ok(Standing {
        state: PinState::from_word(&state)
            .ok_or_else(|| StoreError::corrupt(format!("`{state}` is no state of a pin")))?,
        by: PinBy::from_word(&by)
            .ok_or_else(|| StoreError::corrupt(format!("`{by}` is nobody who makes pins")))?,
    })
}

/// Reads the live pins of a branch, the oldest first. One that cannot be read is passed over with a
/// sentence.
pub(super) fn live_pins(
    conn: &Connection,
    lineage: &Lineage,
    warnings: &mut Vec<String>,
) -> Result<Vec<PinMeta>, StoreError> {
    let mut metas = Vec::new();
    for (id, standing) in standings(conn, lineage)?.by_pin {
        if standing.state != PinState::Live {
            continue;
        }
        match read(conn, id, standing) {
            Ok(pin) => metas.push(pin.meta()),
            Err(StoreError::Corrupt { .. }) => {
                warnings.push(format!("pin p{id} is damaged and not shown"));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(metas)
}

/// Reads the pins that a branch sees, the oldest first.
pub(super) fn pins(
    conn: &Connection,
    lineage: &Lineage,
    filter: PinFilter,
) -> Result<Vec<Pin>, StoreError> {
    let mut found = Vec::new();
    for (id, standing) in standings(conn, lineage)?.by_pin {
        if filter == PinFilter::All || standing.state != PinState::Retired {
            found.push(read(conn, id, standing)?);
        }
    }
    Ok(found)
}

/// Reads what pins of a branch are planned from. A damaged pin neither stops a turn nor is changed
/// by one.
pub(super) fn board(
    conn: &Connection,
    conversation: ConversationId,
) -> Result<PinBoard, StoreError> {
    let lineage = Lineage::load(conn, conversation.get())?;
    let Standings { by_pin, newest } = standings(conn, &lineage)?;
    let mut standing = Vec::new();
    for (id, stands) in by_pin {
        if stands.state == PinState::Retired {
            continue;
        }
        match read(conn, id, stands) {
            Ok(pin) => standing.push(pin),
            Err(StoreError::Corrupt { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let mark = to_seq_option(mark(conn, conversation.get())?);
    Ok(PinBoard::new(standing, newest, mark))
}

/// Returns the newest change of pins that a branch sees.
pub(super) fn newest_change(
    conn: &Connection,
    lineage: &Lineage,
) -> Result<Option<EventId>, StoreError> {
    let mut statement = conn
        .prepare_cached("SELECT max(id) FROM pin_state WHERE conversation_id = ?1 AND id <= ?2")?;
    let mut newest: Option<i64> = None;
    for ancestor in lineage.ancestors() {
        let found: Option<i64> =
            statement.query_row(params![ancestor.id, ancestor.max_pin_id], |row| row.get(0))?;
        newest = newest.max(found);
    }
    Ok(newest.map(EventId::new))
}

/// Returns how far a branch's words were looked through.
pub(super) fn mark(conn: &Connection, conversation: i64) -> Result<i64, StoreError> {
    Ok(conn
        .prepare_cached("SELECT pin_mark FROM conversation WHERE id = ?1")?
        .query_row([conversation], |row| row.get(0))?)
}

/// Reads one pin.
///
/// # Errors
/// `Corrupt` with its id.
fn read(conn: &Connection, id: i64, standing: Standing) -> Result<Pin, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT p.conversation_id, p.kind, p.text, p.tokens, p.source_id, m.seq, e.at
         FROM pin AS p JOIN event AS e ON e.id = p.id LEFT JOIN message AS m ON m.id = p.source_id
         WHERE p.id = ?1",
    )?;
    let mut rows = statement.query([id])?;
    let Some(row) = rows.next()? else {
        return Err(StoreError::corrupt("it is not there").of_row("pin", id));
    };
    decode(row, id, standing).map_err(|error| error.of_row("pin", id))
}

fn decode(row: &Row<'_>, id: i64, standing: Standing) -> Result<Pin, StoreError> {
    let word: String = column(row, 1)?;
    let kind = PinKind::from_word(&word)
        .ok_or_else(|| StoreError::corrupt(format!("`{word}` is no kind of pin")))?;
    let at = Timestamp::from_millis(column(row, 6)?);
    let branch = ConversationId::new(column(row, 0)?);
    let mut pin = Pin::new(EventId::new(id), branch, kind, column(row, 2)?, at);
    pin.state = standing.state;
    pin.by = standing.by;
    pin.tokens = Tokens::new(to_count(column(row, 3)?));
    if let Some(message) = column::<Option<i64>>(row, 4)? {
        let seq = to_seq(column::<Option<i64>>(row, 5)?.unwrap_or(0))?;
        pin.source = Some(PinSource::new(MessageId::new(message), seq));
    }
    Ok(pin)
}

/// Returns the branch that made a pin.
pub(super) fn home(conn: &Connection, id: EventId) -> Result<Option<ConversationId>, StoreError> {
    let found: Option<i64> = conn
        .prepare_cached("SELECT conversation_id FROM pin WHERE id = ?1")?
        .query_row([id.get()], |row| row.get(0))
        .optional()?;
    Ok(found.map(ConversationId::new))
}

/// Reads the words of pins.
pub(super) fn texts(
    conn: &Connection,
    ids: &[EventId],
) -> Result<Vec<(EventId, String)>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT text FROM pin WHERE id = ?1")?;
    let mut found = Vec::new();
    for id in ids {
        let mut rows = statement.query([id.get()])?;
        if let Some(row) = rows.next()?
            && let Ok(text) = row.get_ref(0)?.as_str()
        {
            found.push((*id, text.to_owned()));
        }
    }
    Ok(found)
}

/// Reads the next stretch of visible user messages' words: a row with a result is a tool's.
pub(super) fn said_after(
    conn: &Connection,
    conversation: ConversationId,
    after: Option<Seq>,
    n_rows: u64,
) -> Result<SaidPage, StoreError> {
    let lineage = Lineage::load(conn, conversation.get())?;
    let head = counters(conn, conversation.get())?.head;
    let first = after.map_or(1, |seq| to_sql(seq.get()) + 1);
    let last = head.min(first.saturating_add(to_sql(n_rows)) - 1);
    let mut statement = conn.prepare_cached(
        "SELECT m.id, m.seq, p.body
         FROM message AS m JOIN part AS p
           ON p.id BETWEEN m.id * 65536 AND m.id * 65536 + 65535 AND p.kind = 'text'
         WHERE m.conversation_id = ?1 AND m.seq BETWEEN ?2 AND ?3
           AND m.role = 'user' AND m.visibility = 'talk'
           AND NOT EXISTS (
             SELECT 1 FROM part AS r
             WHERE r.id BETWEEN m.id * 65536 AND m.id * 65536 + 65535 AND r.kind = 'tool_result')
         ORDER BY m.seq, p.id",
    )?;
    let mut said = Vec::new();
    for stretch in lineage.stretches(first, last) {
        let mut rows =
            statement.query(params![stretch.conversation, stretch.first, stretch.last])?;
        while let Some(row) = rows.next()? {
            // Words that cannot be read say nothing; `doctor` names the row.
            if let Ok(text) = row.get_ref(2)?.as_str() {
                let id = MessageId::new(column(row, 0)?);
                said.push(Said {
                    source: PinSource::new(id, to_seq(column(row, 1)?)?),
                    text: text.to_owned(),
                });
            }
        }
    }
    Ok(SaidPage {
        said,
        last: if first <= last {
            to_seq_option(last)
        } else {
            None
        },
    })
}

/// What of its parent's pins a branch sees.
pub(super) struct AtFork {
    /// The last change that it sees.
    pub last_change: i64,
    /// How far words were looked through, as far as it sees what came of it.
    pub mark: i64,
}

/// Finds how pins stood when the first message after `fork_seq` came; now, if there is none.
///
/// Constraints may have been found later than that, in a history that was imported, say: the branch
/// looks for those again.
pub(super) fn at_fork(
    conn: &Connection,
    lineage: &Lineage,
    parent: i64,
    fork_seq: i64,
) -> Result<AtFork, StoreError> {
    let next = lineage
        .stretches(fork_seq + 1, fork_seq + 1)
        .first()
        .map(|stretch| {
            conn.prepare_cached("SELECT id FROM message WHERE conversation_id = ?1 AND seq = ?2")?
                .query_row(params![stretch.conversation, fork_seq + 1], |row| {
                    row.get::<_, i64>(0)
                })
                .optional()
        })
        .transpose()?
        .flatten();
    let last_change = match next {
        Some(id) => id - 1,
        None => sequence::last_id(conn)?,
    };
    let mut mark = mark(conn, parent)?.min(fork_seq);
    let mut unseen = conn.prepare_cached(
        "SELECT min(cause_seq) FROM pin_state
         WHERE conversation_id = ?1 AND id > ?2 AND id <= ?3 AND made_by = 'auto' AND cause_seq > 0",
    )?;
    for ancestor in lineage.ancestors() {
        let first: Option<i64> = unseen.query_row(
            params![ancestor.id, last_change, ancestor.max_pin_id],
            |row| row.get(0),
        )?;
        if let Some(first) = first {
            mark = mark.min(first - 1);
        }
    }
    Ok(AtFork { last_change, mark })
}
