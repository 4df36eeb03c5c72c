//! Tasks. Owns every task the engine starts, their inboxes and their end.
//! May not know what the tasks do.

use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use super::error::EngineError;
use crate::domain::ConversationId;

/// Wakes that may wait. A full inbox drops a wake: the next turn sends another.
const INBOX: usize = 1_024;

/// How long a shutdown waits for tasks before it ends them.
const SHUTDOWN_WAIT: Duration = Duration::from_secs(2);

/// What wakes the condenser.
pub(super) enum Wake {
    /// A conversation may be over its threshold, or have a backlog.
    Look(ConversationId),
    /// Answer when nothing is left to do.
    Settle(oneshot::Sender<()>),
}

/// What wakes the indexer.
pub(super) enum IndexWake {
    /// Rows were stored.
    Rows,
    /// Answer when every row is indexed.
    Settle(oneshot::Sender<()>),
}

/// The receiving ends, for the tasks.
pub(super) struct Inbox {
    pub(super) condenser: mpsc::Receiver<Wake>,
    pub(super) indexer: mpsc::Receiver<IndexWake>,
    pub(super) stop: watch::Receiver<bool>,
}

/// The engine's tasks.
pub(super) struct Tasks {
    runtime: Handle,
    condenser: mpsc::Sender<Wake>,
    indexer: mpsc::Sender<IndexWake>,
    stop: watch::Sender<bool>,
    running: Mutex<Vec<JoinHandle<()>>>,
    failure: Mutex<Option<String>>,
}

/// Why an isolated call gave no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lost {
    /// It panicked.
    Panicked,
    /// Its time was up.
    TimedOut,
    /// The engine is shutting down.
    Stopped,
}

impl Tasks {
    pub(super) fn new(runtime: Handle) -> (Self, Inbox) {
        let (condenser, condenser_inbox) = mpsc::channel(INBOX);
        let (indexer, indexer_inbox) = mpsc::channel(INBOX);
        let (stop, stop_inbox) = watch::channel(false);
        let tasks = Self {
            runtime,
            condenser,
            indexer,
            stop,
            running: Mutex::new(Vec::new()),
            failure: Mutex::new(None),
        };
        let inbox = Inbox {
            condenser: condenser_inbox,
            indexer: indexer_inbox,
            stop: stop_inbox,
        };
        (tasks, inbox)
    }

    /// Starts a task that lives as long as the engine.
    pub(super) fn start(&self, task: impl Future<Output = ()> + Send + 'static) {
        let handle = self.runtime.spawn(task);
        self.running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(handle);
    }

    /// Runs foreign code so that its panic, its hanging and the engine's end stay its own affair.
    pub(super) async fn isolate<T: Send + 'static>(
        &self,
        limit: Duration,
        call: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Lost> {
        let mut task = AbortOnDrop(self.runtime.spawn(call));
        let mut stop = self.stop.subscribe();
        tokio::select! {
            ended = &mut task.0 => ended.map_err(|_| Lost::Panicked),
            () = tokio::time::sleep(limit) => Err(Lost::TimedOut),
            _ = stop.wait_for(|stopped| *stopped) => Err(Lost::Stopped),
        }
    }

    /// Wakes the condenser; never waits.
    pub(super) fn look_at(&self, conversation: ConversationId) {
        // A full inbox is full of wakes.
        drop(self.condenser.try_send(Wake::Look(conversation)));
    }

    /// Wakes the indexer; never waits.
    pub(super) fn rows_stored(&self) {
        drop(self.indexer.try_send(IndexWake::Rows));
    }

    /// Waits until neither task has anything left to do.
    pub(super) async fn settle(&self) -> Result<(), EngineError> {
        let (answer, idle) = oneshot::channel();
        self.condenser
            .send(Wake::Settle(answer))
            .await
            .map_err(|_| EngineError::ShutDown)?;
        idle.await.map_err(|_| EngineError::ShutDown)?;
        let (answer, idle) = oneshot::channel();
        self.indexer
            .send(IndexWake::Settle(answer))
            .await
            .map_err(|_| EngineError::ShutDown)?;
        idle.await.map_err(|_| EngineError::ShutDown)
    }

    /// Keeps the words of a background failure for `status` and `shutdown`.
    pub(super) fn note_failure(&self, error: &EngineError) {
        tracing::warn!(%error, "a background step failed");
        let words = describe(error);
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(words);
    }

    /// Returns the last background failure.
    pub(super) fn failure(&self) -> Option<String> {
        self.failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Ends all tasks: at once those that wait for a model, at the next step the others.
    pub(super) async fn stop(&self) {
        self.stop.send_replace(true);
        let running =
            std::mem::take(&mut *self.running.lock().unwrap_or_else(PoisonError::into_inner));
        for mut task in running {
            if tokio::time::timeout(SHUTDOWN_WAIT, &mut task)
                .await
                .is_err()
            {
                task.abort();
            }
        }
    }

    /// Ends all tasks now, as when the engine is dropped.
    pub(super) fn abort(&self) {
        self.stop.send_replace(true);
        for task in self
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .drain(..)
        {
            task.abort();
        }
    }
}

/// Waits for the next wake; none once the engine ends.
pub(super) async fn next_wake<T>(
    inbox: &mut mpsc::Receiver<T>,
    stop: &mut watch::Receiver<bool>,
) -> Option<T> {
    tokio::select! {
        wake = inbox.recv() => wake,
        _ = stop.wait_for(|stopped| *stopped) => None,
    }
}

/// Tells all who wait that nothing is left to do.
pub(super) fn answer_all(settled: Vec<oneshot::Sender<()>>) {
    for answer in settled {
        // Whoever asked may have gone away.
        let _ = answer.send(());
    }
}

struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Joins an error and its causes into one line.
fn describe(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        words.push_str(": ");
        words.push_str(&inner.to_string());
        cause = inner.source();
    }
    words
}
