//! What a host says of a conversation beside its messages: its model and window, who compacts.
//! May not decide what follows from it.

use super::core::{Core, Engine, resolve};
use super::error::EngineError;
use crate::domain::{
    Conversation, ConversationId, CurrentModel, KnownBy, Learned, SessionKey, Steering,
    SteeringChange, Window,
};
use crate::store::{SteeringOutcome, WriteOp, WriteReply};

impl Engine {
    /// Says which model a conversation is with and what window it gives: errors of another model
    /// are of no concern from now on, and what was measured of another one is not gone by.
    ///
    /// A window above what the model once said it takes is taken down to that.
    ///
    /// # Errors
    /// `UnknownSession`; `Usage` for an empty name, or if the model's limit leaves no room beside
    /// the overhead and the reserve; `Store`.
    pub async fn set_model(
        &self,
        session: &SessionKey,
        model: &str,
        window: Window,
    ) -> Result<Window, EngineError> {
        if model.trim().is_empty() {
            return Err(EngineError::wrong_use(
                "the model's name is empty",
                "give the name that the provider knows it by, such as \"provider/name\"",
            ));
        }
        let id = self.core.conversation(session).await?.id;
        let named = CurrentModel {
            name: model.to_owned(),
            known_by: KnownBy::Host,
        };
        self.core
            .steer(id, |state| {
                let is_other = state.model.as_ref().map(|model| &model.name) != Some(&named.name);
                state.model = Some(named.clone());
                if is_other {
                    // What another model measured judges no compaction, and no attempt was its.
                    state.seen = None;
                    state.attempts = None;
                    state.ineffective = 0;
                    state.pause = None;
                }
            })
            .await?;
        // The branch is read again with what is known of this model.
        let limit = self.core.conversation(session).await?.gauge.limit;
        let window = window.capped(limit).map_err(EngineError::usage)?;
        self.core.record_window(id, window).await?;
        Ok(window)
    }
}

impl Core {
    /// Returns the branch a key points at.
    pub(super) async fn conversation(
        &self,
        session: &SessionKey,
    ) -> Result<Conversation, EngineError> {
        let wanted = session.clone();
        self.db.read(move |reader| resolve(reader, &wanted)).await?
    }

    /// Records a window, if it is not the recorded one.
    pub(super) async fn record_window(
        &self,
        conversation: ConversationId,
        window: Window,
    ) -> Result<(), EngineError> {
        let op = WriteOp::Window {
            conversation,
            window,
            now: self.clock.now(),
        };
        self.db.write(op).await.map(drop)
    }

    /// Returns what is said of a branch beside the record.
    pub(super) async fn steering(&self, id: ConversationId) -> Result<Steering, EngineError> {
        self.db.read(move |reader| reader.steering(id)).await
    }

    /// Changes what is said of a branch and returns it. A state that another caller has changed
    /// meanwhile is decided anew.
    pub(super) async fn steer(
        &self,
        id: ConversationId,
        change: impl Fn(&mut Steering),
    ) -> Result<Steering, EngineError> {
        loop {
            let before = self.steering(id).await?;
            let mut after = before.clone();
            change(&mut after);
            if after == before {
                return Ok(after);
            }
            let op = WriteOp::Steer(SteeringChange {
                conversation: id,
                before,
                after: after.clone(),
            });
            match self.db.write(op).await? {
                WriteReply::Steered(SteeringOutcome::Applied) => return Ok(after),
                WriteReply::Steered(SteeringOutcome::Stale) => {}
                _ => return Err(EngineError::unexpected_reply()),
            }
        }
    }

    /// Records what was learned of the model that a branch is with.
    pub(super) async fn learn(
        &self,
        conversation: &Conversation,
        learned: Learned,
        reason: &str,
    ) -> Result<(), EngineError> {
        let steering = self.steering(conversation.id).await?;
        let model = steering.model.map(|model| model.name).unwrap_or_default();
        let mut gauge = conversation.gauge;
        match learned {
            Learned::Factor {
                estimated,
                measured,
            } => gauge.factor = crate::domain::Factor::of(estimated, measured),
            Learned::Limit(window) => gauge.limit = Some(window.context()),
        }
        let op = WriteOp::Measure(crate::domain::Measurement {
            conversation: conversation.id,
            model,
            gauge,
            learned,
            reason: reason.to_owned(),
            now: self.clock.now(),
        });
        self.db.write(op).await.map(drop)
    }
}
