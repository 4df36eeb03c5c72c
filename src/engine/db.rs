//! The one bridge to blocking code. Owns the writer thread, its queue, and the idle readers.
//! May not know what an operation means.
//!
//! Writes go through one thread, which takes what is waiting into one transaction, so that many
//! callers share one disk sync. The queue is bounded: a caller waits while it is full.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::{mpsc, oneshot};

use super::error::EngineError;
use crate::domain::{ImportBatch, ImportReply};
use crate::policy::pattern::RULES_VERSION;
use crate::store::{
    IndexOutcome, IndexStep, Pace, Reader, Repair, Store, StoreError, Upkeep, WriteOp, WriteReply,
    Writer,
};

/// Jobs that may wait for the writer before callers are made to wait.
const QUEUE: usize = 256;

/// Operations that share one transaction at most: a bound on how long the write lock is held.
const GROUP: usize = 64;

/// Readers kept open while idle.
const IDLE_READERS: usize = 4;

type Answer<T> = oneshot::Sender<Result<T, StoreError>>;

/// What the writer thread is asked for.
enum Job {
    /// One operation; neighbours share a transaction.
    Op(Box<WriteOp>, Answer<WriteReply>),
    /// A batch of an import, in a transaction of its own.
    Import(Box<ImportBatch>, Answer<ImportReply>),
    /// A step of the indexer.
    Index(Box<IndexStep>, Answer<IndexOutcome>),
    /// Merge index segments and move the log into the file.
    Maintain(Pace, Answer<Upkeep>),
    /// Empty the index.
    ResetIndex(Answer<()>),
    /// Make derived things anew.
    Repair(Vec<Repair>, Answer<()>),
    /// Wait only a moment for other processes from now on.
    Hurry(Answer<()>),
}

/// The way to the store.
#[derive(Clone)]
pub(super) struct Db {
    shared: Arc<Shared>,
}

struct Shared {
    store: Store,
    jobs: Mutex<Option<mpsc::Sender<Job>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    idle: Mutex<Vec<Reader>>,
}

impl Db {
    /// Opens the writer (unless read-only) and its thread; rows are counted by `caps`.
    pub(super) fn start(store: Store, caps: String) -> Result<Self, StoreError> {
        let (jobs, thread) = if store.is_writable() {
            let mut writer = store.writer()?;
            writer.count_by(caps);
            let (sender, receiver) = mpsc::channel(QUEUE);
            let thread = std::thread::Builder::new()
                .name("hippocamp-writer".to_owned())
                .spawn(move || write_loop(writer, receiver))
                .map_err(|source| StoreError::Database {
                    source: Box::new(source),
                })?;
            (Some(sender), Some(thread))
        } else {
            (None, None)
        };
        let shared = Shared {
            store,
            jobs: Mutex::new(jobs),
            thread: Mutex::new(thread),
            idle: Mutex::new(Vec::new()),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// Runs one operation; returns when it is durable.
    pub(super) async fn write(&self, op: WriteOp) -> Result<WriteReply, EngineError> {
        self.ask(|answer| Job::Op(Box::new(op), answer)).await
    }

    /// Stores a batch of an import.
    pub(super) async fn import(&self, batch: ImportBatch) -> Result<ImportReply, EngineError> {
        self.ask(|answer| Job::Import(Box::new(batch), answer))
            .await
    }

    /// Writes one step of the index.
    pub(super) async fn index(&self, step: IndexStep) -> Result<IndexOutcome, EngineError> {
        self.ask(|answer| Job::Index(Box::new(step), answer)).await
    }

    /// Merges and checkpoints a little.
    pub(super) async fn maintain(&self, pace: Pace) -> Result<Upkeep, EngineError> {
        self.ask(|answer| Job::Maintain(pace, answer)).await
    }

    /// Empties the index.
    pub(super) async fn reset_index(&self) -> Result<(), EngineError> {
        self.ask(Job::ResetIndex).await
    }

    /// Makes derived things anew.
    pub(super) async fn repair(&self, repairs: Vec<Repair>) -> Result<(), EngineError> {
        self.ask(|answer| Job::Repair(repairs, answer)).await
    }

    /// Lets the writer wait only a moment for other processes from now on.
    pub(super) async fn hurry(&self) -> Result<(), EngineError> {
        self.ask(Job::Hurry).await
    }

    async fn ask<T>(&self, job: impl FnOnce(Answer<T>) -> Job) -> Result<T, EngineError> {
        let sender = lock(&self.shared.jobs).clone();
        let Some(sender) = sender else {
            if self.shared.store.is_writable() {
                return Err(EngineError::ShutDown);
            }
            return Err(self.shared.store.read_only_error().into());
        };
        let (answer, reply) = oneshot::channel();
        sender
            .send(job(answer))
            .await
            .map_err(|_| EngineError::ShutDown)?;
        drop(sender);
        Ok(reply.await.map_err(|_| EngineError::ShutDown)??)
    }

    /// Runs a read on a thread that may block, in one snapshot of the store.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Reader) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let shared = Arc::clone(&self.shared);
        let run = move || {
            let idle = lock(&shared.idle).pop();
            let mut reader = match idle {
                Some(reader) => reader,
                None => shared.store.reader()?,
            };
            let value = reader.snapshot(read)?;
            let mut idle = lock(&shared.idle);
            if idle.len() < IDLE_READERS {
                idle.push(reader);
            }
            Ok(value)
        };
        match tokio::task::spawn_blocking(run).await {
            Ok(result) => result,
            Err(_) => Err(EngineError::ShutDown),
        }
    }

    /// Says whether writes are possible at all.
    pub(super) fn is_writable(&self) -> bool {
        lock(&self.shared.jobs).is_some()
    }

    /// Returns the store, for what needs no connection.
    pub(super) fn store(&self) -> &Store {
        &self.shared.store
    }

    /// Lets the writer finish what it has and ends its thread. Blocks.
    pub(super) fn stop(&self) {
        drop(lock(&self.shared.jobs).take());
        let thread = lock(&self.shared.thread).take();
        if let Some(thread) = thread {
            // A writer that panicked has answered nobody; callers have seen `ShutDown`.
            drop(thread.join());
        }
        lock(&self.shared.idle).clear();
    }
}

/// A poisoned lock guards plain values here; they stay usable.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write_loop(mut writer: Writer, mut jobs: mpsc::Receiver<Job>) {
    let mut held: Option<Job> = None;
    while let Some(job) = held.take().or_else(|| jobs.blocking_recv()) {
        match job {
            Job::Op(op, answer) => {
                let (ops, answers) = gather(*op, answer, &mut jobs, &mut held);
                for (result, answer) in writer.run(&ops).into_iter().zip(answers) {
                    reply(answer, result);
                }
            }
            Job::Import(batch, answer) => reply(answer, writer.import(&batch, RULES_VERSION)),
            Job::Index(step, answer) => reply(answer, writer.index_step(&step)),
            Job::Maintain(pace, answer) => reply(answer, writer.maintain(pace)),
            Job::ResetIndex(answer) => reply(answer, writer.reset_index(RULES_VERSION)),
            Job::Repair(repairs, answer) => {
                reply(answer, writer.repair(&repairs, RULES_VERSION));
            }
            Job::Hurry(answer) => reply(answer, writer.hurry()),
        }
    }
}

/// Takes the operations that wait behind the first one, up to a job of another kind.
fn gather(
    op: WriteOp,
    answer: Answer<WriteReply>,
    jobs: &mut mpsc::Receiver<Job>,
    held: &mut Option<Job>,
) -> (Vec<WriteOp>, Vec<Answer<WriteReply>>) {
    let mut ops = vec![op];
    let mut answers = vec![answer];
    while ops.len() < GROUP {
        match jobs.try_recv() {
            Ok(Job::Op(op, answer)) => {
                ops.push(*op);
                answers.push(answer);
            }
            Ok(other) => {
                *held = Some(other);
                break;
            }
            Err(_) => break,
        }
    }
    (ops, answers)
}

/// A caller that has gone away needs no answer; what it asked for is stored.
fn reply<T>(answer: Answer<T>, result: Result<T, StoreError>) {
    drop(answer.send(result));
}
