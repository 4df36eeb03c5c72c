//! Who compacts a conversation, and what holds compaction back. Owns the mode in which a provider
//! does it: the record and the rungs that cost nothing stay ours, no leaf and no merge is made.

use super::core::{Core, Engine};
use super::error::EngineError;
use super::report::CompactReason;
use super::run_step::Caller;
use super::state::State;
use crate::domain::{SessionKey, Steering};
use crate::policy::effect::pause_at;

/// Who compacts a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Compactor {
    /// The engine does.
    #[default]
    Engine,
    /// The provider of this name does, on its side. Its summaries are stored as the blocks they
    /// are and go back to it untouched in its own rendering, which begins with the last of them;
    /// other renderings show what was said instead. Name it as messages do: `anthropic`.
    Provider(String),
}

impl Engine {
    /// Says who compacts a conversation from now on.
    ///
    /// # Errors
    /// `UnknownSession`; `Usage` for a provider without a name; `Store`.
    pub async fn set_compactor(
        &self,
        session: &SessionKey,
        compactor: &Compactor,
    ) -> Result<(), EngineError> {
        let name = match compactor {
            // A name that no provider has says so even where the engine's default is a provider.
            Compactor::Engine => String::new(),
            Compactor::Provider(name) if name.trim().is_empty() => {
                return Err(EngineError::wrong_use(
                    "the provider's name is empty",
                    "give the name that its messages have, such as \"anthropic\"",
                ));
            }
            Compactor::Provider(name) => name.clone(),
        };
        let id = self.core.conversation(session).await?.id;
        self.core
            .steer(id, |state| {
                state.managed_by = Some(name.clone());
                if !name.is_empty() {
                    state.request = None;
                }
            })
            .await
            .map(drop)
    }
}

impl Core {
    /// Returns the provider that compacts a branch, if one does.
    pub(super) fn managed_by<'a>(&'a self, state: &'a State) -> Option<&'a str> {
        self.compactor_of(&state.steering)
    }

    /// As [`Core::managed_by`], of what is said of a branch.
    pub(super) fn compactor_of<'a>(&'a self, steering: &'a Steering) -> Option<&'a str> {
        let by_default = match &self.compactor {
            Compactor::Engine => None,
            Compactor::Provider(name) => Some(name.as_str()),
        };
        match steering.managed_by.as_deref() {
            None => by_default,
            Some("") => None,
            Some(name) => Some(name),
        }
    }

    /// Says why nothing is compacted unasked now, if so. A pause gives way to a view over its
    /// budget: what is not summarised then would be left out.
    pub(super) fn hold(&self, state: &State) -> Option<CompactReason> {
        if self.managed_by(state).is_some() {
            return Some(CompactReason::Managed);
        }
        let is_paused = pause_at(&state.steering, self.clock.now()).is_some();
        (is_paused && state.pressure <= state.budget).then_some(CompactReason::Paused)
    }

    /// Returns how what nobody asked for is made: in a pause no model is paid for it.
    pub(super) fn unasked(&self, state: &State) -> Caller {
        match pause_at(&state.steering, self.clock.now()) {
            Some(_) => Caller::FloorOnly,
            None => Caller::Automatic,
        }
    }
}
