//! The hash chain: each message carries what came before it and what it says (I14).

use rusqlite::{Connection, OptionalExtension};

use super::{Found, Thoroughness, conversations, damaged, sound};
use crate::domain::{Message, MessageId};
use crate::store::error::StoreError;
use crate::store::hash::{Content, GENESIS, Hash, Salt, content, link};
use crate::store::lineage::Lineage;
use crate::store::row::{message, message_columns, message_part};

const LINKS: &str = "SELECT m.id, m.content_hash, m.chain_hash, s.salt \
     FROM message AS m LEFT JOIN salt AS s ON s.message_id = m.id \
     WHERE m.conversation_id = ?1 ORDER BY m.seq";
const CHAIN_AT: &str = "SELECT chain_hash FROM message WHERE conversation_id = ?1 AND seq = ?2";
const FORK_SEQ: &str = "SELECT COALESCE(fork_seq, 0) FROM conversation WHERE id = ?1";
const WHOLE_MESSAGE: &str = concat!(
    "SELECT ",
    message_columns!(),
    " FROM message AS m \
     LEFT JOIN part AS p ON p.id BETWEEN ?1 * 65536 AND ?1 * 65536 + 65535 \
     WHERE m.id = ?1 ORDER BY p.id"
);

/// Every link of every branch holds; with all bodies only if thorough.
pub(super) fn chain(conn: &Connection, thoroughness: Thoroughness) -> Found {
    let mut count = 0;
    for conversation in conversations(conn)? {
        let mut before = before_first(conn, conversation)?;
        let mut statement = conn.prepare_cached(LINKS)?;
        let mut rows = statement.query([conversation])?;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            let stored: Hash = row.get(1)?;
            let chained: Hash = row.get(2)?;
            let Some(salt) = row.get::<_, Option<Salt>>(3)? else {
                return damaged(format!("message {id} has lost its salt"));
            };
            if thoroughness == Thoroughness::Full {
                let whole = load(conn, id)?;
                if content(&salt, &Content::from(&whole)) != stored {
                    return damaged(format!("message {id} does not say what it said"));
                }
            }
            if link(&before, &stored) != chained {
                return damaged(format!("the chain breaks at message {id}"));
            }
            before = chained;
            count += 1;
        }
    }
    sound(match thoroughness {
        Thoroughness::Full => format!("messages that say what they said: {count}"),
        Thoroughness::Quick => format!("{count} links hold; what messages say was not read"),
    })
}

/// Returns the hash that a branch's own first message follows.
fn before_first(conn: &Connection, conversation: i64) -> Result<Hash, StoreError> {
    let fork_seq: i64 = conn
        .prepare_cached(FORK_SEQ)?
        .query_row([conversation], |row| row.get(0))?;
    let Some(owner) = Lineage::load(conn, conversation)?
        .owner(fork_seq)
        .filter(|_| fork_seq > 0)
    else {
        return Ok(GENESIS);
    };
    let hash = conn
        .prepare_cached(CHAIN_AT)?
        .query_row([owner, fork_seq], |row| row.get(0))
        .optional()?;
    hash.ok_or_else(|| {
        StoreError::corrupt(format!("conversation {owner} has no message {fork_seq}"))
    })
}

pub(super) fn load(conn: &Connection, id: i64) -> Result<Message, StoreError> {
    let mut statement = conn.prepare_cached(WHOLE_MESSAGE)?;
    let mut rows = statement.query([id])?;
    let mut whole: Option<Message> = None;
    while let Some(row) = rows.next()? {
        let part = message_part(row)?;
        let found = match whole.take() {
            Some(found) => found,
            None => message(row)?.0,
        };
        whole.insert(found).parts.extend(part);
    }
    whole.ok_or_else(|| StoreError::corrupt(format!("message {} is missing", MessageId::new(id))))
}
