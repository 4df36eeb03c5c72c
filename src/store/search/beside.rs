//! Rows by their places, for what stands beside a hit.
//! May not let a row pass that the filters refuse.

use rusqlite::{Connection, OptionalExtension};

use crate::domain::{ConversationId, RowFilter, SearchRow, Seq};
use crate::store::error::StoreError;
use crate::store::ids::RowKind;
use crate::store::reader::Reader;
use crate::store::row::to_sql;
use crate::store::search_row::{RowLoader, item};

use super::check::Check;
use super::look::Look;

pub(super) const MESSAGE_AT: &str = "SELECT id, conversation_id, seq, role, at, at FROM message \
     WHERE conversation_id = ?1 AND seq = ?2";

impl Reader {
    /// Loads the messages at places that pass the filter; places without one are left out.
    ///
    /// # Errors
    /// `Corrupt` if a row cannot be read; what the database says otherwise.
    pub fn search_rows_at(
        &self,
        filter: &RowFilter,
        places: &[(ConversationId, Seq)],
    ) -> Result<Vec<SearchRow>, StoreError> {
        self.one_state(|| rows_at(self.conn(), filter, places))
    }
}

fn rows_at(
    conn: &Connection,
    filter: &RowFilter,
    places: &[(ConversationId, Seq)],
) -> Result<Vec<SearchRow>, StoreError> {
    let check = Check::load(conn, filter, &Look::default())?;
    let mut statement = conn.prepare_cached(MESSAGE_AT)?;
    let mut loader = RowLoader::new(conn, filter.answers)?;
    let mut rows = Vec::new();
    for (conversation, seq) in places {
        let head = statement
            .query_row((conversation.get(), to_sql(seq.get())), |row| {
                check.head(RowKind::Message, row)
            })
            .optional()?;
        if let Some(head) = head.filter(|head| check.takes(head)) {
            rows.push(loader.row(item(RowKind::Message, head.id))?);
        }
    }
    Ok(rows)
}
