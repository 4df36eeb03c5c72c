//! Reading a conversation out, page by page. Rows never change, so pages need no common snapshot.
//! May not hold more than a page and the keys of the rows around it.

use std::collections::HashMap;

use super::core::{Engine, resolve};
use super::error::EngineError;
use crate::domain::{ConversationId, HistoryRow, MessageId, Seq, SessionKey, Span};

/// Rows whose keys are read together: keys lie in no order of messages, so each reading looks at
/// all keys of the conversation.
const KEY_ROWS: u64 = 16_384;

/// A conversation that is being read out.
pub struct History {
    engine: Engine,
    conversation: ConversationId,
    left: Option<Span>,
    keys: HashMap<MessageId, String>,
    keys_to: Option<Seq>,
}

impl Engine {
    /// Begins to read a conversation out: all its rows as of now, or those of a span.
    ///
    /// # Errors
    /// `UnknownSession`; `Usage` if the span reaches past the newest row.
    pub async fn history(
        &self,
        session: &SessionKey,
        span: Option<Span>,
    ) -> Result<History, EngineError> {
        let wanted = session.clone();
        let found = self
            .core
            .db
            .read(move |reader| resolve(reader, &wanted))
            .await??;
        let whole = found.head.and_then(|head| Span::new(Seq::FIRST, head));
        if let Some(span) = span
            && whole.is_none_or(|whole| span.last() > whole.last())
        {
            let head = found.head.map_or(0, Seq::get);
            return Err(EngineError::wrong_use(
                format!("cannot read messages {span}: `{session}` ends at {head}"),
                "give a span within the conversation, as 1-20",
            ));
        }
        Ok(History {
            engine: self.clone(),
            conversation: found.id,
            left: span.or(whole),
            keys: HashMap::new(),
            keys_to: None,
        })
    }
}

impl History {
    /// Returns the next rows, old to new; empty after the last one.
    ///
    /// # Errors
    /// `Store` if a row is missing or cannot be read.
    pub async fn next_page(&mut self) -> Result<Vec<HistoryRow>, EngineError> {
        let Some(left) = self.left else {
            return Ok(Vec::new());
        };
        let conversation = self.conversation;
        let db = self.engine.core.db.clone();
        let mut page = db
            .read(move |reader| reader.history_page(conversation, left))
            .await?;
        self.left = page
            .last()
            .and_then(|row| Span::new(row.message.seq.next(), left.last()));
        for row in &mut page {
            let seq = row.message.seq;
            if self.keys_to.is_none_or(|to| seq > to) {
                let to = seq.get().saturating_add(KEY_ROWS).min(left.last().get());
                let to = Seq::new(to).unwrap_or(seq);
                if let Some(window) = Span::new(seq, to) {
                    self.keys = db
                        .read(move |reader| reader.history_keys(conversation, window))
                        .await?;
                }
                self.keys_to = Some(to);
            }
            row.key = self.keys.remove(&row.message.id);
        }
        Ok(page)
    }
}
