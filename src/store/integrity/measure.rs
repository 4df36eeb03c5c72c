//! Measurements: each belongs to an event of its branch, and its factor follows from its counts.
//! May not say what a model's factor should be.

use rusqlite::{Connection, OptionalExtension};

use super::{Found, damaged, sound};
use crate::domain::{ConversationId, Factor, Tokens};
use crate::store::error::StoreError;
use crate::store::row::to_count;
use crate::store::steering::steering;

const STRAY: &str = "SELECT m.event_id FROM measure AS m LEFT JOIN event AS e ON e.id = m.event_id
     WHERE e.id IS NULL OR e.conversation_id <> m.conversation_id
        OR e.kind NOT IN ('calibrate', 'window', 'fork')
        OR (m.estimated IS NOT NULL) <> (e.kind = 'calibrate') LIMIT 1";
const LONE: &str = "SELECT e.id FROM event AS e
     WHERE e.kind = 'calibrate' AND NOT EXISTS (
       SELECT 1 FROM measure AS m WHERE m.event_id = e.id) LIMIT 1";
const COUNTED: &str = "SELECT event_id, estimated, measured, factor FROM measure";
const STEERED: &str = "SELECT conversation_id FROM steering ORDER BY conversation_id";

/// Each measurement stands beside its event and says what its counts say; the rows beside the
/// record can be read.
pub(super) fn measurements(conn: &Connection, _: super::Thoroughness) -> Found {
    let stray: Option<i64> = conn.query_row(STRAY, [], |row| row.get(0)).optional()?;
    if let Some(id) = stray {
        return damaged(format!("the measurement of event {id} is not that event's"));
    }
    let lone: Option<i64> = conn.query_row(LONE, [], |row| row.get(0)).optional()?;
    if let Some(id) = lone {
        return damaged(format!("event {id} has lost its measurement"));
    }
    let mut statement = conn.prepare_cached(COUNTED)?;
    let mut rows = statement.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        let (id, factor): (i64, i64) = (row.get(0)?, row.get(3)?);
        if let (Some(estimated), Some(measured)) = (row.get(1)?, row.get(2)?) {
            let tokens = |value: i64| Tokens::new(to_count(value));
            let wanted = Factor::of(tokens(estimated), tokens(measured));
            if i64::from(wanted.thousandths()) != factor {
                return damaged(format!(
                    "event {id} measured {measured} tokens for {estimated} and says {factor} thousandths"
                ));
            }
        }
        count += 1;
    }
    let steered = steered(conn)?;
    sound(format!(
        "measurements: {count}, conversations steered: {steered}"
    ))
}

fn steered(conn: &Connection) -> Result<usize, StoreError> {
    let mut statement = conn.prepare_cached(STEERED)?;
    let ids: Vec<i64> = statement
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for id in &ids {
        steering(conn, ConversationId::new(*id))?;
    }
    Ok(ids.len())
}
