//! A conversation from its first row to its last, page by page. Owns what an export reads.
//! May not hold more than a page: a page ends with the row that fills it.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::error::StoreError;
use super::lineage::{Lineage, Stretch, check_place};
use super::load::Reading;
use super::reader::Reader;
use super::row::{column, message_columns, to_seq, to_sql, words};
use crate::domain::{ConversationId, HistoryRow, MessageId, Seq, Span};

/// Rows of a page at most.
pub const PAGE_ROWS: usize = 256;
/// Bytes of bodies after which a page ends.
pub const PAGE_BYTES: usize = 1 << 20;

const ROWS: &str = concat!(
    "SELECT ",
    message_columns!(),
    " FROM message AS m LEFT JOIN part AS p \
        ON p.id BETWEEN m.id * 65536 AND m.id * 65536 + 65535 \
      WHERE m.conversation_id = ?1 AND m.seq BETWEEN ?2 AND ?3 \
      ORDER BY m.seq"
);
const PROMPTS: &str = "SELECT seq, prompt_first FROM message \
     WHERE conversation_id = ?1 AND seq BETWEEN ?2 AND ?3 AND visibility = 'prompt'";
/// Ids grow with places, so that a stretch is a range of ids.
const KEYS: &str = "SELECT message_id, key FROM message_key WHERE conversation_id = ?1 \
     AND message_id BETWEEN \
       (SELECT id FROM message WHERE conversation_id = ?1 AND seq = ?2) \
       AND (SELECT id FROM message WHERE conversation_id = ?1 AND seq = ?3)";

impl Reader {
    /// Returns the rows of a span from its beginning on, along the lineage, without their keys: one
    /// page, at least one row.
    ///
    /// # Errors
    /// `Corrupt` if a row is missing or cannot be read.
    pub fn history_page(
        &self,
        conversation: ConversationId,
        span: Span,
    ) -> Result<Vec<HistoryRow>, StoreError> {
        self.one_state(|| {
            let lineage = Lineage::load(self.conn(), conversation.get())?;
            let mut page = Vec::new();
            let mut room = PAGE_BYTES;
            for stretch in lineage.stretches_of(span) {
                read_stretch(self.conn(), stretch, &mut page, &mut room)?;
                if room == 0 || page.len() >= PAGE_ROWS {
                    break;
                }
            }
            Ok(page)
        })
    }

    /// Returns the keys of the messages of a span, along the lineage.
    ///
    /// # Errors
    /// `Corrupt` if one cannot be read.
    pub fn history_keys(
        &self,
        conversation: ConversationId,
        span: Span,
    ) -> Result<HashMap<MessageId, String>, StoreError> {
        self.one_state(|| {
            let mut keys = HashMap::new();
            let mut statement = self.conn().prepare_cached(KEYS)?;
            for stretch in Lineage::load(self.conn(), conversation.get())?.stretches_of(span) {
                let bounds = params![stretch.conversation, stretch.first, stretch.last];
                let mut rows = statement.query(bounds)?;
                while let Some(row) = rows.next()? {
                    keys.insert(MessageId::new(column(row, 0)?), words(row, 1)?);
                }
            }
            Ok(keys)
        })
    }
}

fn read_stretch(
    conn: &Connection,
    stretch: Stretch,
    page: &mut Vec<HistoryRow>,
    room: &mut usize,
) -> Result<(), StoreError> {
    let limit = stretch.first + i64::try_from(PAGE_ROWS - page.len()).unwrap_or(1) - 1;
    let last = stretch.last.min(limit);
    let prompts = prompts(conn, stretch.conversation, stretch.first, last)?;
    let mut statement = conn.prepare_cached(ROWS)?;
    let mut rows = statement.query(params![stretch.conversation, stretch.first, last])?;
    let mut reading = Reading::default();
    let mut expected = to_seq(stretch.first)?;
    loop {
        let row = rows.next()?;
        let is_end = row.is_none();
        let done = match row {
            Some(row) => reading.take(row)?,
            None => reading.finish()?,
        };
        if let Some(message) = done {
            let place = to_sql(message.seq.get());
            check_place(stretch.conversation, expected, place)?;
            expected = expected.next();
            let bytes: usize = message.parts.iter().map(|part| part.body().len()).sum();
            *room = room.saturating_sub(bytes);
            let prompt_first = prompts.get(&place).copied();
            page.push(HistoryRow::new(message, prompt_first));
            if *room == 0 {
                return Ok(());
            }
        }
        if is_end {
            check_place(stretch.conversation, expected, last + 1)?;
            return Ok(());
        }
    }
}

fn prompts(
    conn: &Connection,
    conversation: i64,
    first: i64,
    last: i64,
) -> Result<HashMap<i64, Seq>, StoreError> {
    let mut statement = conn.prepare_cached(PROMPTS)?;
    let mut rows = statement.query(params![conversation, first, last])?;
    let mut prompts = HashMap::new();
    while let Some(row) = rows.next()? {
        prompts.insert(column(row, 0)?, to_seq(column(row, 1)?)?);
    }
    Ok(prompts)
}
