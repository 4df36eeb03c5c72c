//! Changed caps on tool results: when raw rows are counted anew, and that it is recorded once.
//! May not count: `policy/recount` does.

use super::core::Core;
use super::error::EngineError;
use super::state::State;
use crate::domain::{MessageId, RecountCommit, RecountOutcome, RecountPlan};
use crate::policy::assemble::Bodies;
use crate::policy::recount::{Candidate, candidates, caps_text, plan_recount};
use crate::store::{WriteOp, WriteReply};

/// Rows whose bodies are held at once.
const PAGE: usize = 64;

impl Core {
    /// Counts the raw rows of a branch by this engine's caps, where they are counted by others;
    /// returns the state anew if that changed any.
    ///
    /// Where the caps are those that the branch is counted by, nothing is read. Two processes with
    /// different caps each count by their own, at most once in each of their turns or compactions:
    /// between those pressure is by the caps of who came last. Where another writer was first
    /// nothing is recorded, and the next turn looks again.
    pub(super) async fn recounted(&self, state: &State) -> Result<Option<State>, EngineError> {
        let caps = caps_text(&self.limits);
        let conversation = &state.conversation;
        if conversation.counted_by == caps || !self.db.is_writable() {
            return Ok(None);
        }
        let frontier = state.view.as_ref().unwrap_or(&state.planner);
        let mut rows = Vec::new();
        for page in candidates(frontier, &self.limits).chunks(PAGE) {
            let needs: Vec<MessageId> = page.iter().flat_map(Candidate::needs).collect();
            let messages = self
                .db
                .read(move |reader| reader.messages_by_id(&needs))
                .await?;
            let bodies = Bodies {
                messages: messages.into_iter().map(|row| (row.id, row)).collect(),
                ..Bodies::default()
            };
            let counter = self.counter.as_ref();
            rows.extend(plan_recount(page, &bodies, &self.limits, counter));
        }
        let plan = RecountPlan {
            conversation: conversation.id,
            head: frontier.head,
            counted_by: conversation.counted_by.clone(),
            caps,
            tokens_before: state.pressure,
            rows,
        };
        let commit = RecountCommit {
            plan,
            now: self.clock.now(),
        };
        match self.db.write(WriteOp::Recount(commit)).await? {
            WriteReply::Recounted(RecountOutcome::Unchanged) => Ok(None),
            WriteReply::Recounted(_) => Ok(Some(self.state_of(conversation.id).await?)),
            _ => Err(EngineError::unexpected_reply()),
        }
    }
}
