//! What people ask of a store: sessions, tree, curve, events, counts, state, checks, branches.

use super::breaker::{self, Gate};
use super::core::{Engine, resolve};
use super::error::EngineError;
use super::report::{BreakerStatus, SessionStatus, Status};
use crate::domain::{
    Check, ConversationId, CurveStep, Event, ForkRequest, Forked, Seq, SessionKey, SessionRow,
    StoreStats, TreeNode,
};
use crate::policy::effect::pause_at;
use crate::policy::leaf;
use crate::policy::pattern::RULES_VERSION;
use crate::store::{Reader, StoreError, Thoroughness, WriteOp, WriteReply};

impl Engine {
    /// Begins a branch that inherits everything up to `at`. With a key of its own it leaves the
    /// session where it is; without one the session's key moves to it.
    ///
    /// # Errors
    /// `UnknownSession`; `Usage` if `at` is past the newest message or the new key is taken.
    pub async fn fork(
        &self,
        session: &SessionKey,
        at: Seq,
        new_session: Option<SessionKey>,
    ) -> Result<Forked, EngineError> {
        let head = self
            .branch(session, |reader, id| Ok(reader.branch(id)?.head))
            .await?;
        if head.is_none_or(|head| at > head) {
            let head = head.map_or(0, Seq::get);
            return Err(EngineError::wrong_use(
                format!("cannot branch after message {at}: `{session}` ends at {head}"),
                format!("give a place from 1 to {head}"),
            ));
        }
        let request = ForkRequest {
            session: session.clone(),
            at,
            new_session,
            now: self.core.clock.now(),
        };
        match self.core.db.write(WriteOp::Fork(request)).await? {
            WriteReply::Forked(forked) => {
                self.core.find_pins(forked.conversation).await?;
                Ok(forked)
            }
            _ => Err(EngineError::unexpected_reply()),
        }
    }

    /// Returns what the engine did to a conversation, oldest first.
    ///
    /// # Errors
    /// `UnknownSession`; `Store`.
    pub async fn events(&self, session: &SessionKey) -> Result<Vec<Event>, EngineError> {
        self.branch(session, Reader::events).await
    }

    /// Returns the token curve: a point for each visible message and for each event that moved it.
    ///
    /// # Errors
    /// `UnknownSession`; `Store`.
    pub async fn curve(&self, session: &SessionKey) -> Result<Vec<CurveStep>, EngineError> {
        self.branch(session, Reader::curve).await
    }

    /// Returns every node of a conversation's tree.
    ///
    /// # Errors
    /// `UnknownSession`; `Store`.
    pub async fn tree(&self, session: &SessionKey) -> Result<Vec<TreeNode>, EngineError> {
        self.branch(session, Reader::tree).await
    }

    /// Returns whether a session has this key, at the cost of one look-up.
    ///
    /// # Errors
    /// `Store`.
    pub async fn has_session(&self, session: &SessionKey) -> Result<bool, EngineError> {
        let session = session.clone();
        self.core
            .db
            .read(move |reader| Ok(reader.conversation(&session)?.is_some()))
            .await
    }

    /// Returns one row for each session key, the most recent first.
    ///
    /// # Errors
    /// `Store`.
    pub async fn sessions(&self) -> Result<Vec<SessionRow>, EngineError> {
        self.core.db.read(Reader::sessions).await
    }

    /// Returns the first words that a user says in each of these conversations, for a list of
    /// conversations without titles; one where no user says any at its beginning is left out.
    ///
    /// # Errors
    /// `Store`.
    pub async fn first_words(
        &self,
        conversations: Vec<ConversationId>,
    ) -> Result<Vec<(ConversationId, String)>, EngineError> {
        self.core
            .db
            .read(move |reader| reader.first_words(&conversations))
            .await
    }

    /// Returns counts over the whole store.
    ///
    /// # Errors
    /// `Store`.
    pub async fn stats(&self) -> Result<StoreStats, EngineError> {
        self.core.db.read(Reader::store_stats).await
    }

    /// Returns counts over one conversation.
    ///
    /// # Errors
    /// `UnknownSession`; `Store`.
    pub async fn session_stats(&self, session: &SessionKey) -> Result<StoreStats, EngineError> {
        self.branch(session, Reader::conversation_stats).await
    }

    /// Checks the invariants on the stored rows.
    ///
    /// # Errors
    /// `Store` if the file cannot be read at all; damage is a check that fails.
    pub async fn doctor(&self) -> Result<Vec<Check>, EngineError> {
        self.core
            .db
            .read(|reader| reader.integrity(Thoroughness::Full))
            .await
    }

    /// Returns the state of every session, the index, the breakers and the log.
    ///
    /// # Errors
    /// `Store`.
    pub async fn status(&self) -> Result<Status, EngineError> {
        let rows = self.sessions().await?;
        let mut sessions = Vec::with_capacity(rows.len());
        let mut damaged = Vec::new();
        for row in rows {
            let state = match self.core.state_of(row.id).await {
                Ok(state) => state,
                Err(EngineError::Store(error @ StoreError::Corrupt { .. })) => {
                    damaged.push((row.session, error.to_string()));
                    continue;
                }
                Err(error) => return Err(error),
            };
            let candidates = leaf::candidates(&state.planner, &self.core.limits, state.budget);
            sessions.push(SessionStatus {
                session: row.session,
                pressure: state.pressure,
                budget: state.budget,
                leaf_candidates: candidates,
                factor: state.conversation.gauge.factor,
                managed_by: self.core.managed_by(&state).map(str::to_owned),
                pause: pause_at(&state.steering, self.core.clock.now()),
                model: state.steering.model.map(|model| model.name),
                request: state.steering.request,
            });
        }
        let index = self
            .core
            .db
            .read(|reader| reader.index_state(RULES_VERSION))
            .await?;
        let breakers = self.core.db.read(Reader::breakers).await?;
        let now = self.core.clock.now();
        let breakers = breakers
            .into_iter()
            .map(|state| {
                let (word, until) = match breaker::gate(&state, &self.core.limits, now) {
                    Gate::Closed => ("closed", None),
                    Gate::Open(until) => ("open", Some(until)),
                    Gate::Spent(until) => ("spent", Some(until)),
                };
                BreakerStatus {
                    name: state.name,
                    state: word,
                    until,
                }
            })
            .collect();
        Ok(Status {
            sessions,
            damaged,
            index,
            breakers,
            wal_bytes: self.core.db.store().wal_bytes(),
            background: self.core.tasks.failure(),
        })
    }

    /// Reads something of the branch a key points at.
    pub(super) async fn branch<T: Send + 'static>(
        &self,
        session: &SessionKey,
        read: impl FnOnce(&Reader, ConversationId) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let wanted = session.clone();
        self.core
            .db
            .read(move |reader| match resolve(reader, &wanted)? {
                Ok(conversation) => read(reader, conversation.id).map(Ok),
                Err(unknown) => Ok(Err(unknown)),
            })
            .await?
    }
}
