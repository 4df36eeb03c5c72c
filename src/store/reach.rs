//! What a branch sees of others, and what belongs together. Owns questions of reach and extent.
//! May not load more than is asked about.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::clear;
use super::error::StoreError;
use super::frontier;
use super::lineage::Lineage;
use super::load;
use super::reader::Reader;
use super::recount;
use super::row::{to_count, to_seq_option, to_sql};
use crate::domain::{Conversation, ConversationId, Message, Node, Seq, Span, Tokens, Visibility};

/// Rows read at a time behind a message that may go on.
const PAGE: u64 = 16;

const RUNNING_SUM: &str = "SELECT sum_view FROM message WHERE conversation_id = ?1 AND seq = ?2";

const TOOL_OF_CALL: &str = "SELECT p.name FROM part AS p JOIN message AS m ON m.id = p.message_id \
     WHERE p.call_id = ?1 AND p.kind = 'tool_use' AND m.conversation_id = ?2 AND m.seq <= ?3 \
     ORDER BY p.message_id DESC LIMIT 1";

impl Reader {
    /// Returns the tools that calls of a branch named, by call id, the newest call of each; unknown
    /// ones are left out.
    ///
    /// # Errors
    /// `Corrupt` if the branch cannot be read.
    pub fn tools_of_calls(
        &self,
        conversation: ConversationId,
        calls: &[String],
    ) -> Result<HashMap<String, String>, StoreError> {
        self.one_state(|| {
            let lineage = Lineage::load(self.conn(), conversation.get())?;
            let mut statement = self.conn().prepare_cached(TOOL_OF_CALL)?;
            let mut names = HashMap::new();
            for call in calls {
                for ancestor in lineage.ancestors().iter().rev() {
                    let bounds = params![call, ancestor.id, ancestor.max_seq];
                    let name: Option<Option<String>> =
                        statement.query_row(bounds, |row| row.get(0)).optional()?;
                    if let Some(name) = name {
                        names.extend(name.map(|name| (call.clone(), name)));
                        break;
                    }
                }
            }
            Ok(names)
        })
    }

    /// Returns a branch that other rows name.
    ///
    /// # Errors
    /// `Corrupt` if there is no such branch.
    pub fn branch(&self, id: ConversationId) -> Result<Conversation, StoreError> {
        self.conversation_by_id(id)?
            .ok_or_else(|| StoreError::Corrupt {
                detail: format!("conversation {id} is named by a row and not there"),
            })
    }

    /// Returns the nodes that views of a branch show, old to new.
    ///
    /// # Errors
    /// `Corrupt` if a row cannot be read.
    pub fn live_nodes(&self, conversation: ConversationId) -> Result<Vec<Node>, StoreError> {
        self.one_state(|| frontier::live_nodes(self.conn(), conversation))
    }

    /// Returns the last of the rows before the talk that hold a branch's first system prompt.
    ///
    /// # Errors
    /// `Corrupt` if the branch's row cannot be read.
    pub fn prompt_last(&self, conversation: ConversationId) -> Result<Option<Seq>, StoreError> {
        Ok(to_seq_option(
            frontier::counters(self.conn(), conversation.get())?.prompt_last,
        ))
    }

    /// Says whether a branch sees a span of another one's rows: it is its own or inherited.
    ///
    /// # Errors
    /// `Corrupt` if the lineage cannot be read.
    pub fn sees(
        &self,
        branch: ConversationId,
        owner: ConversationId,
        span: Span,
    ) -> Result<bool, StoreError> {
        let lineage = Lineage::load(self.conn(), branch.get())?;
        Ok(lineage.ancestors().iter().any(|ancestor| {
            ancestor.id == owner.get() && to_sql(span.last().get()) <= ancestor.max_seq
        }))
    }

    /// Returns what the messages of a span cost in a view, by the running sums, recounts and clears.
    ///
    /// # Errors
    /// `Corrupt` if the span's ends cannot be read.
    pub fn view_tokens(
        &self,
        conversation: ConversationId,
        span: Span,
    ) -> Result<Tokens, StoreError> {
        self.one_state(|| {
            let lineage = Lineage::load(self.conn(), conversation.get())?;
            let to = running_sum(self.conn(), &lineage, span.last())?;
            let from = match span.first().prev() {
                Some(before) => running_sum(self.conn(), &lineage, before)?,
                None => 0,
            };
            let counted =
                to_sql(to.saturating_sub(from)) + recount::grown(self.conn(), &lineage, span)?;
            let saved = clear::saved(self.conn(), &lineage, span)?;
            Ok(Tokens::new(to_count(counted).saturating_sub(saved)))
        })
    }

    /// Returns a message's head row and the rows that continue it, in order.
    ///
    /// # Errors
    /// `Corrupt` if a row cannot be read.
    pub fn whole_message(
        &self,
        conversation: ConversationId,
        head: Seq,
    ) -> Result<Vec<Message>, StoreError> {
        self.one_state(|| {
            let lineage = Lineage::load(self.conn(), conversation.get())?;
            let last = frontier::counters(self.conn(), conversation.get())?.head;
            let mut whole = Vec::new();
            let mut from = head;
            while to_sql(from.get()) <= last {
                let to = from.get().saturating_add(PAGE - 1).min(to_count(last));
                let page = Seq::new(to).and_then(|to| Span::new(from, to));
                let Some(page) = page else { break };
                for row in load::messages(self.conn(), &lineage, page)? {
                    if row.seq == head || row.continues == Some(head) {
                        whole.push(row);
                    } else if row.visibility == Visibility::Talk {
                        return Ok(whole);
                    }
                }
                from = page.last().next();
            }
            Ok(whole)
        })
    }
}

fn running_sum(conn: &Connection, lineage: &Lineage, seq: Seq) -> Result<u64, StoreError> {
    let seq = to_sql(seq.get());
    let owner = lineage
        .owner(seq)
        .ok_or_else(|| super::lineage::missing(lineage.own_id(), seq))?;
    let mut statement = conn.prepare_cached(RUNNING_SUM)?;
    let sum: i64 = statement
        .query_row(params![owner, seq], |row| row.get(0))
        .map_err(|error| StoreError::from(error).of_row("message", seq))?;
    Ok(to_count(sum))
}
