//! Ids that callers hold: whose rows they name and whether a branch may see them.
//! May not load bodies.

use rusqlite::{Connection, OptionalExtension};

use super::error::StoreError;
use super::lineage::{Ancestor, Lineage};
use super::reader::Reader;
use super::row::{to_span, to_sql};
use crate::domain::{ConversationId, Depth, ItemId, Scope, Span};

const MESSAGE_HOME: &str = "SELECT conversation_id, seq, seq, NULL FROM message WHERE id = ?1";
const SUMMARY_HOME: &str =
    "SELECT conversation_id, first_seq, last_seq, depth FROM summary WHERE id = ?1";

/// Where a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ItemHome {
    /// The branch whose row it is.
    pub conversation: ConversationId,
    /// Its messages.
    pub span: Span,
    /// A summary's depth.
    pub depth: Option<Depth>,
}

impl Reader {
    /// Returns where a row stands; `None` if there is no such row.
    ///
    /// # Errors
    /// What the database says.
    pub fn item_conversation(&self, id: ItemId) -> Result<Option<ItemHome>, StoreError> {
        home(self.conn(), id)
    }

    /// Returns where each row stands that exists and that `scope` may see, in the order asked for:
    /// of a branch its own rows and those it inherits, whether or not its views still use them.
    ///
    /// # Errors
    /// What the database says.
    pub fn items_within(
        &self,
        scope: Scope,
        ids: &[ItemId],
    ) -> Result<Vec<Option<ItemHome>>, StoreError> {
        self.one_state(|| {
            let conn = self.conn();
            let lineage = match scope {
                Scope::All => None,
                Scope::Branch(conversation) => Some(Lineage::load(conn, conversation.get())?),
            };
            let is_seen = |id: ItemId, home: &ItemHome| match &lineage {
                None => true,
                Some(lineage) => lineage
                    .ancestors()
                    .iter()
                    .any(|ancestor| sees(ancestor, id, home)),
            };
            ids.iter()
                .map(|id| Ok(home(conn, *id)?.filter(|home| is_seen(*id, home))))
                .collect()
        })
    }
}

fn home(conn: &Connection, id: ItemId) -> Result<Option<ItemHome>, StoreError> {
    let (sql, raw, table) = match id {
        ItemId::Message(id) => (MESSAGE_HOME, id.get(), "message"),
        ItemId::Summary(id) => (SUMMARY_HOME, id.get(), "summary"),
    };
    let mut statement = conn.prepare_cached(sql)?;
    let columns = statement
        .query_row([raw], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .optional()?;
    let Some((conversation, first, last, depth)) = columns else {
        return Ok(None);
    };
    let span = to_span(first, last).map_err(|error| error.of_row(table, raw))?;
    Ok(Some(ItemHome {
        conversation: ConversationId::new(conversation),
        span,
        depth: Option::<u32>::map(depth, Depth::new),
    }))
}

/// Says whether a branch sees a row of this ancestor, or of itself.
fn sees(ancestor: &Ancestor, id: ItemId, home: &ItemHome) -> bool {
    let last = to_sql(home.span.last().get());
    let is_known = match id {
        ItemId::Message(_) => true,
        ItemId::Summary(id) => id.get() <= ancestor.max_id,
    };
    ancestor.id == home.conversation.get() && last <= ancestor.max_seq && is_known
}
