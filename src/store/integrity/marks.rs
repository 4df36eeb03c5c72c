//! Marks: the fingerprint of a message covers its key, so that a lost or changed one shows.
//! May not say who is right: the key or the mark.

use std::collections::HashMap;

use rusqlite::{Connection, Row};

use super::{chain, conversations};
use crate::domain::{Message, NewMessage};
use crate::store::error::StoreError;
use crate::store::hash::{Content, Hash, Salt, content, fingerprint};

const KEYS_OF: &str = "SELECT message_id, key FROM message_key WHERE conversation_id = ?1";
const MARKS_OF: &str = "SELECT m.id, f.fingerprint, p.record_id, m.content_hash, s.salt \
     FROM message AS m LEFT JOIN mark AS f ON f.message_id = m.id \
     LEFT JOIN provenance AS p ON p.message_id = m.id \
     LEFT JOIN salt AS s ON s.message_id = m.id \
     WHERE m.conversation_id = ?1 ORDER BY m.seq";

/// A key that can be put back.
pub(in crate::store) struct LostKey {
    pub(in crate::store) conversation: i64,
    pub(in crate::store) message: i64,
    pub(in crate::store) key: String,
}

/// What stands beside a message.
struct Beside {
    id: i64,
    mark: Option<Hash>,
    record: Option<String>,
    content: Hash,
    salt: Option<Salt>,
}

impl Beside {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            mark: row.get(1)?,
            record: row.get(2)?,
            content: row.get(3)?,
            salt: row.get(4)?,
        })
    }

    /// Says whether a message says what it said; one that does not is found by its chain.
    fn is_sound(&self, whole: &Message) -> bool {
        self.salt
            .is_some_and(|salt| content(&salt, &Content::from(whole)) == self.content)
    }
}

/// Finds a message whose key is not the one it was stored with: its mark is of another.
pub(super) fn wrong_key(conn: &Connection) -> Result<Option<String>, StoreError> {
    for conversation in conversations(conn)? {
        let keys = keys_of(conn, conversation)?;
        for beside in besides(conn, conversation)? {
            let id = beside.id;
            let key = keys.get(&id);
            let Some(mark) = beside.mark else {
                continue;
            };
            let whole = readable(conn, id)?;
            if whole.is_some_and(|whole| beside.is_sound(&whole) && !is_of(&mark, &whole, key)) {
                return Ok(Some(format!(
                    "message {id} has another key than it was stored with"
                )));
            }
        }
    }
    Ok(None)
}

/// Returns the lost keys that records still name and marks confirm.
pub(in crate::store) fn lost_keys(conn: &Connection) -> Result<Vec<LostKey>, StoreError> {
    let mut lost = Vec::new();
    for conversation in conversations(conn)? {
        let keys = keys_of(conn, conversation)?;
        for beside in besides(conn, conversation)? {
            if keys.contains_key(&beside.id) {
                continue;
            }
            let (Some(mark), Some(key)) = (beside.mark, beside.record) else {
                continue;
            };
            let whole = readable(conn, beside.id)?;
            if whole.is_some_and(|whole| is_of(&mark, &whole, Some(&key))) {
                lost.push(LostKey {
                    conversation,
                    message: beside.id,
                    key,
                });
            }
        }
    }
    Ok(lost)
}

fn keys_of(conn: &Connection, conversation: i64) -> Result<HashMap<i64, String>, StoreError> {
    let mut statement = conn.prepare_cached(KEYS_OF)?;
    let keys = statement.query_map([conversation], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(keys.collect::<Result<_, _>>()?)
}

fn besides(conn: &Connection, conversation: i64) -> Result<Vec<Beside>, StoreError> {
    let mut statement = conn.prepare_cached(MARKS_OF)?;
    let besides = statement.query_map([conversation], Beside::read)?;
    Ok(besides.collect::<Result<_, _>>()?)
}

/// Loads a message; none if it cannot be read, which other checks find.
fn readable(conn: &Connection, id: i64) -> Result<Option<Message>, StoreError> {
    match chain::load(conn, id) {
        Ok(whole) => Ok(Some(whole)),
        Err(StoreError::Corrupt { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Says whether a mark is that of a message with a key. One that came without a time has the
/// clock's since.
fn is_of(mark: &Hash, whole: &Message, key: Option<&String>) -> bool {
    let mut said = NewMessage::new(whole.role, whole.parts.clone());
    said.name.clone_from(&whole.name);
    said.key = key.cloned();
    [whole.at, None].into_iter().any(|at| {
        said.at = at;
        fingerprint(&said) == *mark
    })
}
