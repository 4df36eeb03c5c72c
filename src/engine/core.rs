//! The engine's handle. Owns what all calls share.
//! May not do anything itself: each call has a file of its own.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::builder::{EngineBuilder, LeafMode};
use super::claims::Claims;
use super::completer::Completer;
use super::db::Db;
use super::error::EngineError;
use super::hooks::CompactionHooks;
use super::looks::Looks;
use super::managed::Compactor;
use super::tasks::{Inbox, Tasks};
use super::tools::Tools;
use super::{condenser, indexer};
use crate::domain::{
    Clock, Conversation, NewMessage, Part, PinScan, Redactor, Role, SessionKey, Stamped, Timestamp,
    TokenCounter, Visibility, Window,
};
use crate::policy::assemble::{Counts, stamp_costs_of};
use crate::policy::limits::Limits;
use crate::policy::pin::{AutoPins, says_constraint};
use crate::store::{Reader, StoreError, fingerprint};

/// The engine: stores messages, keeps views within a window, finds and expands.
///
/// Cheap to clone; clones share one store and its tasks. Dropping the last one ends the tasks and
/// leaves a clean store; [`Engine::shutdown`] also waits for them.
#[derive(Clone)]
pub struct Engine {
    pub(super) core: Arc<Core>,
    /// Ends the tasks when the last handle goes; tasks themselves hold only the core.
    _guard: Arc<Guard>,
}

pub(super) struct Core {
    pub(super) db: Db,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) completer: Option<Arc<dyn Completer>>,
    pub(super) counter: Arc<dyn TokenCounter>,
    pub(super) redactor: Arc<dyn Redactor>,
    pub(super) limits: Limits,
    pub(super) window: Window,
    pub(super) leaf_mode: LeafMode,
    pub(super) auto_pins: AutoPins,
    pub(super) hooks: Option<Arc<dyn CompactionHooks>>,
    /// Who compacts conversations that have nothing else said of them.
    pub(super) compactor: Compactor,
    pub(super) holder: String,
    pub(super) claims: Claims,
    pub(super) looks: Looks,
    /// What rows of views were counted at.
    pub(super) counts: Mutex<Counts>,
    pub(super) tasks: Tasks,
}

struct Guard {
    core: Arc<Core>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.core.tasks.abort();
    }
}

impl Engine {
    /// Begins to build an engine over the store at `path`.
    pub fn builder(path: impl AsRef<Path>) -> EngineBuilder {
        EngineBuilder::new(path.as_ref())
    }

    pub(super) fn start(core: Arc<Core>, inbox: Inbox) -> Self {
        if core.db.is_writable() {
            let stop = inbox.stop.clone();
            core.tasks
                .start(condenser::run(Arc::clone(&core), inbox.condenser, stop));
            core.tasks
                .start(indexer::run(Arc::clone(&core), inbox.indexer, inbox.stop));
        }
        let guard = Arc::new(Guard {
            core: Arc::clone(&core),
        });
        Self {
            core,
            _guard: guard,
        }
    }

    /// Returns the present moment by the engine's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.core.clock.now()
    }

    /// Returns the window of conversations that have none of their own yet.
    #[must_use]
    pub fn window(&self) -> Window {
        self.core.window
    }

    /// Waits until tier 2 and the indexer have nothing left to do.
    ///
    /// # Errors
    /// `ShutDown` if the engine has ended.
    pub async fn settle(&self) -> Result<(), EngineError> {
        if self.core.db.is_writable() {
            self.core.tasks.settle().await
        } else {
            Ok(())
        }
    }

    /// Ends the engine: cancels a running model call, lets the writer finish, joins within 2 s.
    ///
    /// # Errors
    /// `Background` with the words of the last failure of a background task, if there was one.
    pub async fn shutdown(self) -> Result<(), EngineError> {
        self.core.tasks.stop().await;
        indexer::at_exit(&self.core).await;
        self.core.db.stop().await;
        match self.core.tasks.failure() {
            Some(words) => Err(EngineError::Background { words }),
            None => Ok(()),
        }
    }
}

impl Core {
    /// Computes what is stored beside a message's words; `tools` holds the names of calls by their
    /// ids, and takes those of this message.
    pub(super) fn stamp(&self, message: NewMessage, tools: &mut Tools) -> Stamped {
        tools.note(&message);
        let (counter, limits) = (self.counter.as_ref(), &self.limits);
        let costs = stamp_costs_of(&message, |call| tools.name(call), counter, limits);
        let fingerprint = fingerprint(&message);
        Stamped {
            message,
            tokens: costs.tokens,
            view_tokens: costs.view_tokens,
            reasoning_tokens: costs.reasoning_tokens,
            has_words: costs.has_words,
            fingerprint,
            pin_scan: PinScan::Unread,
        }
    }

    /// Stamps messages in order.
    pub(super) fn stamp_all(&self, messages: Vec<NewMessage>, tools: &mut Tools) -> Vec<Stamped> {
        let stamp = |message| self.stamp(message, tools);
        messages.into_iter().map(stamp).collect()
    }

    /// Stamps messages that happen now: those without a time get the clock's, unless they were
    /// stored before.
    pub(super) fn stamp_now(&self, messages: Vec<NewMessage>, mut tools: Tools) -> Vec<Stamped> {
        let now = self.clock.now();
        let stamp = |message: NewMessage| {
            let mut stamped = scanned(self.stamp(message, &mut tools));
            if stamped.message.at.is_none() && stamped.message.replay.is_none() {
                stamped.message.at = Some(now);
            }
            stamped
        };
        messages.into_iter().map(stamp).collect()
    }
}

/// Looks through the words of a message for constraints, as long as they are at hand.
pub(super) fn scanned(mut stamped: Stamped) -> Stamped {
    stamped.pin_scan = if may_pin(&stamped.message) {
        PinScan::Speaks
    } else {
        PinScan::Silent
    };
    stamped
}

/// Says whether a pin may come of a message, or go by it: only users make constraints.
fn may_pin(message: &NewMessage) -> bool {
    let is_result = |part: &Part| matches!(part, Part::ToolResult { .. });
    message.role == Role::User
        && message.visibility == Visibility::Talk
        && !message.parts.iter().any(is_result)
        && message
            .parts
            .iter()
            .any(|part| matches!(part, Part::Text { text } if says_constraint(text)))
}

/// Finds the branch a key points at, or says which keys look like it.
pub(super) fn resolve(
    reader: &Reader,
    session: &SessionKey,
) -> Result<Result<Conversation, EngineError>, StoreError> {
    Ok(match reader.conversation(session)? {
        Some(conversation) => Ok(conversation),
        None => Err(EngineError::UnknownSession {
            key: session.clone(),
            near: reader.near_keys(session)?,
        }),
    })
}

/// A name no other engine has: the process and a count within it.
pub(super) fn holder_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{count}", std::process::id())
}
