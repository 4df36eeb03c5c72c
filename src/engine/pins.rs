//! Pins by hand: made, accepted, retired, listed.
//! A plan is made from one reading and written if nothing has moved since.

use super::core::{Core, Engine, resolve};
use super::error::EngineError;
use crate::domain::{
    ConversationId, EventId, MessageId, Pin, PinBoard, PinChange, PinCommit, PinFilter, PinId,
    PinOutcome, PinRef, PinRequest, PinSource, SessionKey, Tokens,
};
use crate::policy::pin::{HandRefusal, Wanted, pins_room, plan_accept, plan_pin, plan_unpin};
use crate::store::{Reader, StoreError, WriteOp, WriteReply};

/// Plans made anew where others write at the same time.
pub(super) const ATTEMPTS: u32 = 64;

/// What came of a pin that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PinReport {
    /// The pin as it stands now.
    pub pin: Pin,
    /// What was done.
    pub step: PinStep,
}

/// What was done to a pin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PinStep {
    /// It was made, or came to stand elsewhere.
    Changed,
    /// It stood so already.
    Unchanged,
}

/// What a plan is made from.
pub(super) struct Ground {
    pub(super) board: PinBoard,
    pub(super) room: Tokens,
}

impl Engine {
    /// Keeps a fact in every view from now on. The same words of the same kind are one pin: a
    /// proposed one comes to be live.
    ///
    /// # Errors
    /// `UnknownSession`; `Usage` for no words, a message that the session does not have, or if pins
    /// would take more than 10 % of the budget: the hint names which to retire.
    pub async fn pin(
        &self,
        session: &SessionKey,
        request: PinRequest,
    ) -> Result<PinReport, EngineError> {
        let id = self.core.branch_of(session).await?;
        let source = match request.source {
            Some(message) => Some(self.core.source_of(session, id, message).await?),
            None => None,
        };
        for _ in 0..ATTEMPTS {
            let ground = self.core.ground(id).await?;
            let wanted = Wanted {
                kind: request.kind,
                text: &request.text,
                source,
            };
            let counter = self.core.counter.as_ref();
            let (pin, changes) = plan_pin(&ground.board, wanted, ground.room, counter)
                .map_err(|refusal| refused(&refusal, &ground.board))?;
            let step = step_of(&changes);
            if let Some(made) = self.core.write_pins(id, &ground.board, changes).await? {
                let event = match pin {
                    PinRef::Stored(stored) => Some(stored),
                    PinRef::Made(change) => made.get(change).copied(),
                };
                let event = event.ok_or_else(EngineError::unexpected_reply)?;
                return self.core.report_pin(id, event, step).await;
            }
        }
        Err(busy())
    }

    /// Makes a proposed pin live.
    ///
    /// # Errors
    /// As [`Engine::pin`], and `Usage` if no such pin stands.
    pub async fn accept_pin(
        &self,
        session: Option<&SessionKey>,
        pin: EventId,
    ) -> Result<PinReport, EngineError> {
        let id = self.core.branch_of_pin(session, pin).await?;
        for _ in 0..ATTEMPTS {
            let ground = self.core.ground(id).await?;
            let changes = plan_accept(&ground.board, pin, ground.room)
                .map_err(|refusal| refused(&refusal, &ground.board))?;
            let step = step_of(&changes);
            let made = self.core.write_pins(id, &ground.board, changes).await?;
            if made.is_some() {
                return self.core.report_pin(id, pin, step).await;
            }
        }
        Err(busy())
    }

    /// Retires a pin, live or proposed; a retired one stays so. Without a session it is retired
    /// where the session's key points that made it.
    ///
    /// # Errors
    /// `UnknownSession`; `Usage` if no pin has this id there.
    pub async fn unpin(
        &self,
        session: Option<&SessionKey>,
        pin: EventId,
    ) -> Result<PinReport, EngineError> {
        let id = self.core.branch_of_pin(session, pin).await?;
        for _ in 0..ATTEMPTS {
            let ground = self.core.ground(id).await?;
            let changes = plan_unpin(&ground.board, pin);
            let step = step_of(&changes);
            let made = self.core.write_pins(id, &ground.board, changes).await?;
            if made.is_some() {
                return self.core.report_pin(id, pin, step).await;
            }
        }
        Err(busy())
    }

    /// Returns the key under which a branch was made.
    ///
    /// # Errors
    /// `Store` if there is no such branch.
    pub async fn session_of(&self, branch: ConversationId) -> Result<SessionKey, EngineError> {
        self.core
            .db
            .read(move |reader| Ok(reader.branch(branch)?.session))
            .await
    }

    /// Looks for demands in what users have said since the last look, which a turn and a compaction
    /// do by themselves.
    ///
    /// # Errors
    /// `UnknownSession`; `Store`.
    pub async fn find_pins(&self, session: &SessionKey) -> Result<(), EngineError> {
        let id = self.core.branch_of(session).await?;
        self.core.find_pins(id).await.map(drop)
    }

    /// Returns a conversation's pins, the oldest first.
    ///
    /// # Errors
    /// `UnknownSession`; `Store`.
    pub async fn pins(
        &self,
        session: &SessionKey,
        filter: PinFilter,
    ) -> Result<Vec<Pin>, EngineError> {
        self.branch(session, move |reader, id| reader.pins(id, filter))
            .await
    }
}

impl Core {
    async fn branch_of(&self, session: &SessionKey) -> Result<ConversationId, EngineError> {
        let wanted = session.clone();
        let branch = self
            .db
            .read(move |reader| resolve(reader, &wanted))
            .await??;
        Ok(branch.id)
    }

    /// Finds the branch on which a pin is to change: the session's, else the one that the key
    /// points at under which it was made, if that sees it, else the one that made it.
    async fn branch_of_pin(
        &self,
        session: Option<&SessionKey>,
        pin: EventId,
    ) -> Result<ConversationId, EngineError> {
        let wanted = session.cloned();
        let found = self
            .db
            .read(move |reader| match wanted {
                Some(session) => Ok(match resolve(reader, &session)? {
                    Ok(branch) => Ok(Some(branch.id).filter(|id| sees(reader, *id, pin))),
                    Err(unknown) => Err(unknown),
                }),
                None => home_of(reader, pin).map(Ok),
            })
            .await??;
        found.ok_or_else(|| {
            EngineError::wrong_use(
                format!("no pin {} is known here", PinId(pin)),
                "`hippocamp pins --session KEY` lists a conversation's pins with their ids",
            )
        })
    }

    /// Finds the message that a pin comes from, on its branch.
    async fn source_of(
        &self,
        session: &SessionKey,
        id: ConversationId,
        message: MessageId,
    ) -> Result<PinSource, EngineError> {
        let found = self
            .db
            .read(move |reader| {
                let rows = reader.messages_by_id(&[message])?;
                let Some(row) = rows.first() else {
                    return Ok(None);
                };
                let head = reader.branch(id)?.head;
                if head.is_none_or(|head| row.seq > head) {
                    return Ok(None);
                }
                let here = reader.metas(id, crate::domain::Span::single(row.seq))?;
                let is_here = here.iter().any(|meta| meta.id == message);
                Ok(is_here.then(|| PinSource::new(message, row.seq)))
            })
            .await?;
        found.ok_or_else(|| {
            EngineError::wrong_use(
                format!("`{session}` has no message {message}"),
                "give the id of a message of this conversation, as grep and expand show it",
            )
        })
    }

    /// Reads what pins are planned from, and what they may take.
    pub(super) async fn ground(&self, id: ConversationId) -> Result<Ground, EngineError> {
        let (window, limits) = (self.window, self.limits.clone());
        self.db
            .read(move |reader| read_ground(reader, id, window, &limits))
            .await
    }

    /// Writes changes that were planned from a board; none if something has moved since.
    pub(super) async fn write_pins(
        &self,
        id: ConversationId,
        board: &PinBoard,
        changes: Vec<PinChange>,
    ) -> Result<Option<Vec<EventId>>, EngineError> {
        if changes.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let commit = PinCommit {
            conversation: id,
            newest: board.newest,
            mark: board.mark,
            new_mark: board.mark,
            changes,
            now: self.clock.now(),
        };
        self.commit_pins(commit).await
    }

    pub(super) async fn commit_pins(
        &self,
        commit: PinCommit,
    ) -> Result<Option<Vec<EventId>>, EngineError> {
        match self.db.write(WriteOp::Pins(commit)).await? {
            WriteReply::Pinned(PinOutcome::Applied(made)) => Ok(Some(made)),
            WriteReply::Pinned(PinOutcome::Stale) => Ok(None),
            _ => Err(EngineError::unexpected_reply()),
        }
    }

    async fn report_pin(
        &self,
        id: ConversationId,
        pin: EventId,
        step: PinStep,
    ) -> Result<PinReport, EngineError> {
        let pins = self
            .db
            .read(move |reader| reader.pins(id, PinFilter::All))
            .await?;
        let found = pins.into_iter().find(|known| known.id == pin);
        let pin = found.ok_or_else(EngineError::unexpected_reply)?;
        Ok(PinReport { pin, step })
    }
}

pub(super) fn read_ground(
    reader: &Reader,
    id: ConversationId,
    window: crate::domain::Window,
    limits: &crate::policy::limits::Limits,
) -> Result<Ground, StoreError> {
    let budget = reader.branch(id)?.budget_or(window);
    Ok(Ground {
        board: reader.pin_board(id)?,
        room: pins_room(budget, limits),
    })
}

/// Says whether a branch sees a pin.
fn sees(reader: &Reader, id: ConversationId, pin: EventId) -> bool {
    reader
        .pins(id, PinFilter::All)
        .is_ok_and(|pins| pins.iter().any(|known| known.id == pin))
}

fn home_of(reader: &Reader, pin: EventId) -> Result<Option<ConversationId>, StoreError> {
    let Some(home) = reader.pin_home(pin)? else {
        return Ok(None);
    };
    let session = reader.branch(home)?.session;
    let current = reader.conversation(&session)?.map(|branch| branch.id);
    Ok(current.filter(|id| sees(reader, *id, pin)).or(Some(home)))
}

const fn step_of(changes: &[PinChange]) -> PinStep {
    if changes.is_empty() {
        PinStep::Unchanged
    } else {
        PinStep::Changed
    }
}

/// Says why a pin is refused, and what to do instead.
fn refused(refusal: &HandRefusal, board: &PinBoard) -> EngineError {
    let hint = match refusal {
        HandRefusal::Blank => "give the words to be kept".to_owned(),
        HandRefusal::TooLarge { .. } => "shorten it".to_owned(),
        HandRefusal::NoRoom { retire, .. } => {
            let named: Vec<String> = retire
                .iter()
                .filter_map(|id| board.standing.iter().find(|pin| pin.id == *id))
                .map(|pin| format!("{} ({} tokens)", PinId(pin.id), pin.tokens))
                .collect();
            format!("retire {} first, with `unpin`", named.join(" and "))
        }
        _ => "`hippocamp pins --session KEY` lists those that stand".to_owned(),
    };
    EngineError::wrong_use(refusal.to_string(), hint)
}

pub(super) fn busy() -> EngineError {
    EngineError::Store(StoreError::Busy)
}
