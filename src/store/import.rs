//! Imports. Owns writing a batch of a file's records with the file's checkpoint in one transaction,
//! without savepoints: each would make the index flush at every row.
//! May not read files or parse records.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, ToSql, params};

use super::conversation::{pointer, resolve_or_create};
use super::error::StoreError;
use super::fork::begin_branch;
use super::index::{index_rows, is_level};
use super::message::{Stored, store_message};
use super::provenance::{is_from, store_copy};
use super::row::{column, to_count, to_seq, to_sql, to_time};
use super::sequence::Sequence;
use super::tail::Tail;
use crate::domain::{
    Checkpoint, ConversationId, CopyOf, ImportBatch, ImportConversation, ImportReply, IndexRow,
    KnownKey, MessageId, Rewind, RowFate, Seq, SessionKey, SourceId, Timestamp,
};

/// Writes a batch; `rules` cut its words, and its tokens in views were counted by `caps`.
pub(super) fn import(
    conn: &Connection,
    batch: &ImportBatch,
    rules: i64,
    caps: &str,
) -> Result<ImportReply, StoreError> {
    let is_indexed = is_level(conn, rules)?;
    let source = save_checkpoint(conn, batch)?;
    let mut open: HashMap<&SessionKey, Tail> = HashMap::new();
    let mut fates = Vec::with_capacity(batch.rows.len());
    let mut new_rows = Vec::new();
    // A branch made on the way takes an id for its event, so that all are made before rows are.
    for row in &batch.rows {
        if !open.contains_key(&row.session) {
            let branch = resolve(conn, batch, &row.session)?;
            open.insert(&row.session, Tail::load(conn, branch)?);
        }
    }
    let mut ids = Sequence::load(conn)?;
    for row in &batch.rows {
        let Some(tail) = open.get_mut(&row.session) else {
            continue;
        };
        let branch = ConversationId::new(tail.lineage.own_id());
        let stored = store_message(conn, &mut ids, tail, &row.message, Some(source))?;
        fates.push(match stored {
            Stored::New { id, seq } => {
                new_rows.push(IndexRow {
                    id,
                    tokens: row.index_text.clone(),
                });
                RowFate::Stored(MessageId::new(id), branch, to_seq(seq)?)
            }
            Stored::Known { id, .. } => {
                // Another import stored it since this one looked.
                if let Some(place) = &row.message.message.provenance
                    && !is_from(conn, id, source)?
                {
                    store_copy(conn, id, source, place)?;
                }
                RowFate::Duplicate(MessageId::new(id))
            }
        });
    }
    for tail in open.values() {
        tail.save(conn, caps)?;
    }
    ids.save(conn)?;
    for copy in &batch.copies {
        if let Some(id) = row_of(copy.of, &fates) {
            store_copy(conn, id.get(), source, &copy.place)?;
        }
    }
    for conversation in &batch.conversations {
        describe(conn, batch, conversation, source)?;
    }
    if is_indexed {
        // Else the indexer takes them up after the import.
        index_rows(conn, rules, &new_rows)?;
    }
    Ok(ImportReply {
        source: SourceId::new(source),
        fates,
    })
}

fn row_of(copied: CopyOf, fates: &[RowFate]) -> Option<MessageId> {
    match copied {
        CopyOf::Stored(id) => Some(id),
        CopyOf::Row(row_idx) => fates.get(row_idx).map(|fate| match fate {
            RowFate::Stored(id, ..) | RowFate::Duplicate(id) => *id,
        }),
    }
}

/// Writes where the file stands after the batch.
fn save_checkpoint(conn: &Connection, batch: &ImportBatch) -> Result<i64, StoreError> {
    Ok(conn
        .prepare_cached(
            "INSERT INTO source (path, format, offset, lines, prefix, state, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (path) DO UPDATE
             SET format = excluded.format, offset = excluded.offset, lines = excluded.lines,
                 prefix = excluded.prefix, state = excluded.state,
                 updated_at = excluded.updated_at
             RETURNING id",
        )?
        .query_row(
            params![
                batch.file.path,
                batch.file.format,
                to_sql(batch.offset),
                to_sql(batch.lines),
                batch.prefix,
                batch.state,
                batch.now.millis()
            ],
            |row| row.get(0),
        )?)
}

/// Returns the branch of a key, beginning one where the host went back in it, and for an unknown key
/// (from another conversation, where the host says so).
fn resolve(conn: &Connection, batch: &ImportBatch, key: &SessionKey) -> Result<i64, StoreError> {
    if let Some(known) = pointer(conn, key)? {
        let mut described = batch.conversations.iter();
        let rewound = described.find_map(|one| one.rewound.filter(|_| one.session == *key));
        return match rewound {
            None => Ok(known),
            Some(Rewind::ToStart) => begin_branch(conn, key, known, None, batch.now),
            // Nothing lies behind that message: it is where the session stands.
            Some(Rewind::After(branch, at))
                if branch.get() == known
                    && super::frontier::counters(conn, known)?.head == to_sql(at.get()) =>
            {
                Ok(known)
            }
            Some(Rewind::After(branch, at)) => {
                begin_branch(conn, key, branch.get(), Some(at), batch.now)
            }
        };
    }
    let described = batch
        .conversations
        .iter()
        .find(|conversation| conversation.session == *key);
    if let Some(Rewind::After(branch, at)) = described.and_then(|found| found.rewound) {
        return begin_branch(conn, key, branch.get(), Some(at), batch.now);
    }
    if let Some((parent_key, at)) = described.and_then(|found| found.forked_from.as_ref())
        && let Some(parent) = pointer(conn, parent_key)?
        && let Some(at) = shared(conn, parent, *at)?
    {
        return begin_branch(conn, key, parent, Some(at), batch.now);
    }
    resolve_or_create(conn, key, batch.now)
}

/// Returns the last message a branch can share: the one asked for, or the head before it.
fn shared(conn: &Connection, parent: i64, at: Seq) -> Result<Option<Seq>, StoreError> {
    let head = super::frontier::counters(conn, parent)?.head;
    Ok(Seq::new(to_count(head)).map(|head| head.min(at)))
}

/// Writes what is known of a conversation beside its messages; what is unknown stays as it was.
fn describe(
    conn: &Connection,
    batch: &ImportBatch,
    conversation: &ImportConversation,
    source: i64,
) -> Result<(), StoreError> {
    conn.prepare_cached(
        "UPDATE conversation
         SET project = coalesce(?2, project), title = coalesce(?3, title), format = ?4,
             source_id = ?5
         WHERE id = (SELECT conversation_id FROM session WHERE key = ?1)",
    )?
    .execute(params![
        conversation.session.as_str(),
        conversation.project,
        conversation.title,
        batch.file.format,
        source
    ])?;
    Ok(())
}

/// Reads how far a file has been read.
pub(super) fn checkpoint(conn: &Connection, path: &str) -> Result<Option<Checkpoint>, StoreError> {
    let found = conn
        .prepare_cached("SELECT id, offset, lines, prefix, state FROM source WHERE path = ?1")?
        .query_row([path], |row| {
            Ok((|| {
                Ok(Checkpoint {
                    source: SourceId::new(column(row, 0)?),
                    offset: to_count(column(row, 1)?),
                    lines: to_count(column(row, 2)?),
                    prefix: column::<Option<[u8; 32]>>(row, 3)?.unwrap_or_default(),
                    state: column(row, 4)?,
                })
            })())
        })
        .optional()?;
    found.transpose()
}

const OF_KEY: &str = "SELECT c.session_key, k.conversation_id, m.seq, m.at, m.name, f.fingerprint, k.key, m.id, s.path \
     FROM message_key AS k \
     CROSS JOIN message AS m ON m.id = k.message_id \
     CROSS JOIN conversation AS c ON c.id = k.conversation_id \
     LEFT JOIN mark AS f ON f.message_id = k.message_id \
     LEFT JOIN provenance AS v ON v.message_id = k.message_id \
     LEFT JOIN source AS s ON s.id = v.source_id \
     WHERE k.key = ?1 ORDER BY k.message_id";
const OF_SESSION: &str = "SELECT c.session_key, k.conversation_id, m.seq, m.at, m.name, f.fingerprint, k.key, m.id, s.path \
     FROM conversation AS c \
     CROSS JOIN message_key AS k ON k.conversation_id = c.id \
     CROSS JOIN message AS m ON m.id = k.message_id \
     LEFT JOIN mark AS f ON f.message_id = k.message_id \
     LEFT JOIN provenance AS v ON v.message_id = k.message_id \
     LEFT JOIN source AS s ON s.id = v.source_id \
     WHERE c.session_key = ?1 ORDER BY k.message_id";
/// A row is looked for under the key of its record and those that other wordings of that have. Rows
/// of one time are few, but where a host made its times up: then the first say enough.
const OF_MOMENT: &str = "SELECT c.session_key, k.conversation_id, m.seq, m.at, m.name, f.fingerprint, k.key, m.id, s.path \
     FROM (SELECT id FROM message WHERE at = ?1 ORDER BY id LIMIT 64) AS t \
     CROSS JOIN message AS m ON m.id = t.id \
     CROSS JOIN provenance AS v ON v.message_id = m.id \
     CROSS JOIN source AS s ON s.id = v.source_id \
     CROSS JOIN message_key AS k ON k.conversation_id = m.conversation_id AND k.key = coalesce( \
       (SELECT key FROM message_key WHERE conversation_id = m.conversation_id \
          AND key = v.record_id AND message_id = m.id), \
       (SELECT key FROM message_key WHERE conversation_id = m.conversation_id \
          AND key BETWEEN v.record_id || '~' AND v.record_id || '~g' AND message_id = m.id)) \
     CROSS JOIN conversation AS c ON c.id = k.conversation_id \
     LEFT JOIN mark AS f ON f.message_id = m.id \
     ORDER BY m.id";

/// Finds which of the keys are stored anywhere, and what is needed to tell a copy from an edit.
pub(super) fn find_keys(conn: &Connection, keys: &[String]) -> Result<Vec<KnownKey>, StoreError> {
    let mut found = Vec::new();
    for key in keys {
        read_keys(conn, OF_KEY, key, &mut found)?;
    }
    Ok(found)
}

/// Returns what is stored under keys in a session, in the order it was stored.
pub(super) fn keys_of_session(
    conn: &Connection,
    session: &SessionKey,
) -> Result<Vec<KnownKey>, StoreError> {
    let mut found = Vec::new();
    read_keys(conn, OF_SESSION, session.as_str(), &mut found)?;
    Ok(found)
}

/// Returns the imported rows of these times that have keys, those of one time in the order they were
/// stored.
pub(super) fn keys_of_moments(
    conn: &Connection,
    moments: &[Timestamp],
) -> Result<Vec<KnownKey>, StoreError> {
    let mut found = Vec::new();
    for at in moments {
        read_keys(conn, OF_MOMENT, at.millis(), &mut found)?;
    }
    Ok(found)
}

fn read_keys(
    conn: &Connection,
    sql: &str,
    asked: impl ToSql,
    found: &mut Vec<KnownKey>,
) -> Result<(), StoreError> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query([asked])?;
    while let Some(row) = rows.next()? {
        let key: String = column(row, 6)?;
        let session = SessionKey::new(column::<String>(row, 0)?)
            .map_err(|_| StoreError::corrupt(format!("the session of key `{key}` is no key")))?;
        found.push(KnownKey {
            key,
            message: MessageId::new(column(row, 7)?),
            path: column(row, 8)?,
            session,
            conversation: ConversationId::new(column(row, 1)?),
            seq: to_seq(column(row, 2)?)?,
            at: to_time(column(row, 3)?),
            name: column(row, 4)?,
            fingerprint: column(row, 5)?,
        });
    }
    Ok(())
}
