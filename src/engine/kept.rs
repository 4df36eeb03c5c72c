//! Constraints that have no room as pins: kept in the summaries that cover their messages.

use super::core::Core;
use super::error::EngineError;
use crate::domain::{PinBy, PinState, Plan};
use crate::policy::assemble::summary_tokens;
use crate::policy::pin::keep_in_body;

impl Core {
    /// Writes into a body the proposed constraints of the plan's messages that it does not hold, as
    /// long as it stays smaller than what it replaces; above leaves also within its target.
    pub(super) async fn keep_proposed(
        &self,
        plan: &Plan,
        body: String,
    ) -> Result<String, EngineError> {
        let (conversation, span) = (plan.conversation(), plan.span());
        let board = self
            .db
            .read(move |reader| reader.pin_board(conversation))
            .await?;
        let texts: Vec<String> = board
            .standing
            .into_iter()
            .filter(|pin| pin.state == PinState::Proposed && pin.by == PinBy::Auto)
            .filter(|pin| pin.source.is_some_and(|source| span.contains(source.seq)))
            .map(|pin| pin.text)
            .collect();
        if texts.is_empty() || body.trim().is_empty() {
            return Ok(body);
        }
        let is_leaf = plan.depth() == crate::domain::Depth::LEAF;
        let fits = |text: &str| {
            let tokens = summary_tokens(text, self.counter.as_ref());
            tokens < plan.source_tokens() && (is_leaf || tokens <= plan.target())
        };
        Ok(keep_in_body(body, &texts, fits))
    }
}
