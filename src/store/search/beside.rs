//! Rows by their places, for what stands beside a hit.
//! May not let a row pass that the filters refuse.

use rusqlite::{Connection, OptionalExtension};

use crate::domain::{ConversationId, MessageId, RowFilter, Seq};
use crate::store::error::StoreError;
use crate::store::ids::RowKind;
use crate::store::reader::Reader;
use crate::store::row::to_sql;
use crate::store::search_row::{RowLoader, SearchRows, item};

use super::check::Check;
use super::look::Look;

const ID_AT: &str = "SELECT id FROM message WHERE conversation_id = ?1 AND seq = ?2";
pub(super) const MESSAGE_AT: &str = "SELECT id, conversation_id, seq, role, at, at FROM message \
     WHERE conversation_id = ?1 AND seq = ?2";

impl Reader {
    /// Returns the ids of the messages at places; places without one are left out.
    ///
    /// # Errors
    /// What the database says.
    pub fn ids_at(
        &self,
        places: impl Iterator<Item = (ConversationId, Seq)>,
    ) -> Result<Vec<MessageId>, StoreError> {
        let mut statement = self.conn().prepare_cached(ID_AT)?;
        let mut ids = Vec::new();
        for (conversation, seq) in places {
            let place = (conversation.get(), to_sql(seq.get()));
            let id = statement.query_row(place, |row| row.get(0)).optional()?;
            ids.extend(id.map(MessageId::new));
        }
        Ok(ids)
    }

    /// Loads the messages at places that pass the filter; places without one are left out.
    ///
    /// # Errors
    /// What the database says.
    pub fn search_rows_at(
        &self,
        filter: &RowFilter,
        places: &[(ConversationId, Seq)],
    ) -> Result<SearchRows, StoreError> {
        self.one_state(|| rows_at(self.conn(), filter, places))
    }
}

fn rows_at(
    conn: &Connection,
    filter: &RowFilter,
    places: &[(ConversationId, Seq)],
) -> Result<SearchRows, StoreError> {
    let check = Check::load(conn, filter, &Look::default())?;
    let mut statement = conn.prepare_cached(MESSAGE_AT)?;
    let mut loader = RowLoader::new(conn, filter.answers)?;
    let mut found = SearchRows::default();
    for (conversation, seq) in places {
        let head = statement
            .query_row((conversation.get(), to_sql(seq.get())), |row| {
                check.head(RowKind::Message, row)
            })
            .optional()?;
        if let Some(head) = head.filter(|head| check.takes(head)) {
            let id = item(RowKind::Message, head.id);
            found.push(id, loader.row(id)?);
        }
    }
    Ok(found)
}
