//! The reader. Owns the list of questions the store answers.
//! May not write.

use rusqlite::Connection;

use super::breaker;
use super::conversation;
use super::error::StoreError;
use super::event;
use super::frontier;
use super::import;
use super::lineage::Lineage;
use super::load;
use super::pin;
use super::row::to_sql;
use super::sequence;
use crate::domain::{
    Breaker, Checkpoint, Conversation, ConversationId, Event, EventId, Frontier, KnownKey, Mark,
    Message, MessageId, MessageMeta, Node, Pin, PinBoard, PinFilter, SaidPage, Seq, SessionKey,
    Span, Summary, SummaryId, Timestamp,
};

/// A connection that reads. Each question is answered from one state of the store; several are, if
/// asked inside [`Reader::snapshot`].
#[derive(Debug)]
pub struct Reader {
    conn: Connection,
}

impl Reader {
    pub(super) const fn new(conn: Connection) -> Self {
        Self { conn }
    }

    /// Lends the connection to the other readers of this room.
    pub(super) const fn conn(&self) -> &Connection {
        &self.conn
    }

    /// Lends the connection to a writer whose it is.
    pub(super) const fn conn_mut(&mut self) -> &mut Connection {
        &mut self.conn
    }

    /// Asks several questions of one state of the store.
    ///
    /// # Errors
    /// What `ask` returns, or what beginning to read does.
    pub fn snapshot<T, E: From<StoreError>>(
        &mut self,
        ask: impl FnOnce(&Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.one_state(|| ask(self))
    }

    /// Reads one state of the store, joining a snapshot that is open.
    pub(super) fn one_state<T, E: From<StoreError>>(
        &self,
        ask: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if !self.conn.is_autocommit() {
            return ask();
        }
        let tx = self
            .conn
            .unchecked_transaction()
            .map_err(|error| E::from(StoreError::from(error)))?;
        let answer = ask();
        tx.finish()
            .map_err(|error| E::from(StoreError::from(error)))?;
        answer
    }

    /// Returns the branch that a key points at.
    ///
    /// # Errors
    /// `Corrupt` if its row cannot be read.
    pub fn conversation(&self, key: &SessionKey) -> Result<Option<Conversation>, StoreError> {
        self.one_state(|| match conversation::pointer(&self.conn, key)? {
            Some(id) => conversation::by_id(&self.conn, ConversationId::new(id)),
            None => Ok(None),
        })
    }

    /// Returns a branch by id.
    ///
    /// # Errors
    /// `Corrupt` if its row cannot be read.
    pub fn conversation_by_id(
        &self,
        id: ConversationId,
    ) -> Result<Option<Conversation>, StoreError> {
        conversation::by_id(&self.conn, id)
    }

    /// Returns one event.
    ///
    /// # Errors
    /// `Corrupt` if its row cannot be read.
    pub fn event(&self, id: EventId) -> Result<Option<Event>, StoreError> {
        event::event(&self.conn, id)
    }

    /// Returns at most 3 keys that look like an unknown one, the likest first.
    ///
    /// # Errors
    /// `Database` if the keys cannot be read.
    pub fn near_keys(&self, key: &SessionKey) -> Result<Vec<SessionKey>, StoreError> {
        conversation::near_keys(&self.conn, key)
    }

    /// Returns the branches that a key has pointed at, the newest first.
    ///
    /// # Errors
    /// `Database` if they cannot be read.
    pub fn branches(&self, key: &SessionKey) -> Result<Vec<ConversationId>, StoreError> {
        conversation::branches(&self.conn, key)
    }

    /// Returns where the host's last list began: 1 unless the key slides, none for an unknown key.
    ///
    /// # Errors
    /// `Database` if it cannot be read.
    pub fn list_first(&self, key: &SessionKey) -> Result<Option<Seq>, StoreError> {
        conversation::list_first(&self.conn, key)
    }

    /// Returns what planners decide from: all rows, the newest generations.
    ///
    /// # Errors
    /// `Corrupt` if a message is missing or cannot be read.
    pub fn planner_frontier(&self, conversation: ConversationId) -> Result<Frontier, StoreError> {
        self.one_state(|| frontier::planner(&self.conn, conversation))
    }

    /// Returns what views show, and a sentence for each broken row that was passed over.
    ///
    /// # Errors
    /// `Corrupt` if a message is missing or cannot be read.
    pub fn view_frontier(
        &self,
        conversation: ConversationId,
    ) -> Result<(Frontier, Vec<String>), StoreError> {
        self.one_state(|| frontier::view(&self.conn, conversation))
    }

    /// Returns the run of visible user messages that opens the newest turn; none before any.
    ///
    /// # Errors
    /// `Corrupt` if a message is missing or cannot be read.
    pub fn newest_request(
        &self,
        conversation: ConversationId,
    ) -> Result<Vec<MessageMeta>, StoreError> {
        self.one_state(|| frontier::newest_request(&self.conn, conversation))
    }

    /// Returns the children of a summary, old to new; none for a leaf or an unknown id.
    ///
    /// # Errors
    /// `Corrupt` if its row cannot be read.
    pub fn children(&self, id: SummaryId) -> Result<Vec<Node>, StoreError> {
        self.one_state(|| load::children(&self.conn, id))
    }

    /// Returns the newest generation of every span and depth that a branch sees, leaves first: what
    /// a repair looks through.
    ///
    /// # Errors
    /// `Corrupt` if the branch cannot be read.
    pub fn tree_rows(&self, conversation: ConversationId) -> Result<Vec<Node>, StoreError> {
        self.one_state(|| load::tree_rows(&self.conn, &self.lineage(conversation)?))
    }

    /// Returns messages whole, in order, along the lineage.
    ///
    /// # Errors
    /// `Corrupt` if one is missing or cannot be read.
    pub fn messages(
        &self,
        conversation: ConversationId,
        span: Span,
    ) -> Result<Vec<Message>, StoreError> {
        self.one_state(|| load::messages(&self.conn, &self.lineage(conversation)?, span))
    }

    /// Returns what planners need of messages, in order, along the lineage.
    ///
    /// # Errors
    /// `Corrupt` if one is missing or cannot be read.
    pub fn metas(
        &self,
        conversation: ConversationId,
        span: Span,
    ) -> Result<Vec<MessageMeta>, StoreError> {
        let (first, last) = (to_sql(span.first().get()), to_sql(span.last().get()));
        self.one_state(|| load::metas(&self.conn, &self.lineage(conversation)?, first, last))
    }

    /// Returns messages by id, each once, in the order asked for; unknown ids are left out.
    ///
    /// # Errors
    /// `Corrupt` if one cannot be read.
    pub fn messages_by_id(&self, ids: &[MessageId]) -> Result<Vec<Message>, StoreError> {
        load::messages_by_id(&self.conn, ids)
    }

    /// Returns summaries by id, in the order asked for; unknown ids are left out.
    ///
    /// # Errors
    /// `Corrupt` if one cannot be read.
    pub fn summaries_by_id(&self, ids: &[SummaryId]) -> Result<Vec<Summary>, StoreError> {
        self.one_state(|| load::summaries_by_id(&self.conn, ids))
    }

    /// Returns the newest `n` summaries on the planner's frontier that end before `seq`, old to new.
    ///
    /// # Errors
    /// `Corrupt` if one cannot be read.
    pub fn summaries_before(
        &self,
        conversation: ConversationId,
        seq: Seq,
        n: usize,
    ) -> Result<Vec<Summary>, StoreError> {
        self.one_state(|| {
            let nodes = frontier::nodes(&self.conn, conversation)?;
            load::summaries_before(&self.conn, &nodes, seq, n)
        })
    }

    /// Returns the marks of a branch in order, meta rows left out.
    ///
    /// # Errors
    /// `Corrupt` if one cannot be read.
    pub fn marks(&self, conversation: ConversationId) -> Result<Vec<Mark>, StoreError> {
        self.one_state(|| {
            let head = frontier::counters(&self.conn, conversation.get())?.head;
            load::marks(&self.conn, &self.lineage(conversation)?, head)
        })
    }

    /// Returns the events of a branch, the oldest first.
    ///
    /// # Errors
    /// `Corrupt` if one cannot be read.
    pub fn events(&self, conversation: ConversationId) -> Result<Vec<Event>, StoreError> {
        event::events(&self.conn, conversation)
    }

    /// Returns what pins of a branch are planned from.
    ///
    /// # Errors
    /// `Corrupt` if the branch cannot be read.
    pub fn pin_board(&self, conversation: ConversationId) -> Result<PinBoard, StoreError> {
        self.one_state(|| pin::board(&self.conn, conversation))
    }

    /// Returns the pins that a branch sees, the oldest first.
    ///
    /// # Errors
    /// `Corrupt` if the branch or a pin cannot be read.
    pub fn pins(
        &self,
        conversation: ConversationId,
        filter: PinFilter,
    ) -> Result<Vec<Pin>, StoreError> {
        self.one_state(|| pin::pins(&self.conn, &self.lineage(conversation)?, filter))
    }

    /// Returns the branch that made a pin; none for an unknown id.
    ///
    /// # Errors
    /// `Database` if it cannot be read.
    pub fn pin_home(&self, id: EventId) -> Result<Option<ConversationId>, StoreError> {
        pin::home(&self.conn, id)
    }

    /// Returns the words of pins by id; those that cannot be read are left out.
    ///
    /// # Errors
    /// `Database` if they cannot be read.
    pub fn pin_texts(&self, ids: &[EventId]) -> Result<Vec<(EventId, String)>, StoreError> {
        pin::texts(&self.conn, ids)
    }

    /// Returns the next stretch of what users said behind `after`, at most `n_rows` rows of it.
    ///
    /// # Errors
    /// `Corrupt` if a row cannot be read.
    pub fn said_after(
        &self,
        conversation: ConversationId,
        after: Option<Seq>,
        n_rows: u64,
    ) -> Result<SaidPage, StoreError> {
        self.one_state(|| pin::said_after(&self.conn, conversation, after, n_rows))
    }

    /// Returns a breaker's state.
    ///
    /// # Errors
    /// `Corrupt` if it cannot be read.
    pub fn breaker(&self, name: &str) -> Result<Option<Breaker>, StoreError> {
        breaker::breaker(&self.conn, name)
    }

    /// Returns every breaker's state, by name.
    ///
    /// # Errors
    /// `Corrupt` if one cannot be read.
    pub fn breakers(&self) -> Result<Vec<Breaker>, StoreError> {
        breaker::breakers(&self.conn)
    }

    /// Returns the earliest and the latest time of a span; none where no row says one.
    ///
    /// # Errors
    /// `Corrupt` if the branch cannot be read.
    pub fn time_range(
        &self,
        conversation: ConversationId,
        span: Span,
    ) -> Result<(Option<Timestamp>, Option<Timestamp>), StoreError> {
        self.one_state(|| load::time_range(&self.conn, &self.lineage(conversation)?, span))
    }

    /// Returns the greatest id given out, 0 in an empty store.
    ///
    /// # Errors
    /// `Database` if it cannot be read.
    pub fn last_id(&self) -> Result<i64, StoreError> {
        sequence::last_id(&self.conn)
    }

    /// Returns how far a file has been read; none for an unknown one.
    ///
    /// # Errors
    /// `Corrupt` if the checkpoint cannot be read.
    pub fn checkpoint(&self, path: &str) -> Result<Option<Checkpoint>, StoreError> {
        import::checkpoint(&self.conn, path)
    }

    /// Finds which of `keys` are stored anywhere, oldest row first.
    ///
    /// # Errors
    /// `Corrupt` if a row cannot be read.
    pub fn find_keys(&self, keys: &[String]) -> Result<Vec<KnownKey>, StoreError> {
        self.one_state(|| import::find_keys(&self.conn, keys))
    }

    /// Returns the rows of a session, all its branches, that have keys, oldest row first.
    ///
    /// # Errors
    /// `Corrupt` if a row cannot be read.
    pub fn keys_of_session(&self, session: &SessionKey) -> Result<Vec<KnownKey>, StoreError> {
        self.one_state(|| import::keys_of_session(&self.conn, session))
    }

    /// Returns the imported rows of these times that have keys, those of one time oldest first.
    ///
    /// # Errors
    /// `Corrupt` if a row cannot be read.
    pub fn keys_of_moments(&self, moments: &[Timestamp]) -> Result<Vec<KnownKey>, StoreError> {
        self.one_state(|| import::keys_of_moments(&self.conn, moments))
    }

    fn lineage(&self, conversation: ConversationId) -> Result<Lineage, StoreError> {
        Lineage::load(&self.conn, conversation.get())
    }
}
