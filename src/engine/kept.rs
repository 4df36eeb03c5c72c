//! Constraints and summaries: what pins say is not said again, and what has no room as a pin is kept
//! in the summaries that cover its message.

use super::core::Core;
use super::error::EngineError;
use crate::domain::{Pin, PinBy, PinFilter, PinKind, PinState, Plan};
use crate::policy::assemble::summary_tokens;
use crate::policy::pin::{keep_in_body, leave_to_pins};
use crate::store::StoreError;

impl Core {
    /// Leaves to the pins what they say, and writes into a body the proposed constraints of the plan's messages that it does not hold, as
    /// long as it stays smaller than what it replaces; above leaves also within its target.
    pub(super) async fn keep_proposed(
        &self,
        plan: &Plan,
        body: String,
    ) -> Result<String, EngineError> {
        let (conversation, span) = (plan.conversation(), plan.span());
        let pins = self
            .db
            .read(
                move |reader| match reader.pins(conversation, PinFilter::All) {
                    // One damaged pin stops no summary; those that stand are read past it.
                    Err(StoreError::Corrupt { .. }) => Ok(reader.pin_board(conversation)?.standing),
                    read => read,
                },
            )
            .await?;
        let (proposed, pinned): (Vec<Pin>, Vec<Pin>) = pins
            .into_iter()
            .filter(|pin| pin.by == PinBy::Auto && pin.kind == PinKind::Constraint)
            .partition(|pin| pin.state == PinState::Proposed);
        let pinned: Vec<String> = pinned.into_iter().map(|pin| pin.text).collect();
        let body = leave_to_pins(body, &pinned);
        let texts: Vec<String> = proposed
            .into_iter()
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
