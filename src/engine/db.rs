//! The one bridge to blocking code. Owns the writer and its thread, if it has one, and the idle readers.
//! May not know what an operation means.
//!
//! Writes go through one thread, which takes what is waiting into one transaction, so that many
//! callers share one disk sync. The queue is bounded: a caller waits while it is full. In a process that
//! does one thing after the other callers do the work themselves, over one connection.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

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

/// On which threads the store is read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum StoreThreads {
    /// Its own: one that writes, and those of the runtime that may block.
    #[default]
    Own,
    /// That of whoever calls, which blocks meanwhile: for a process that does one thing and ends. It
    /// starts no thread and opens one connection instead of two.
    Caller,
}

/// What the writer is asked for.
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
    /// Wait only so long for other processes from now on.
    Hurry(Duration, Answer<()>),
}

/// The way to the store.
#[derive(Clone)]
pub(super) struct Db {
    shared: Arc<Shared>,
}

struct Shared {
    store: Store,
    writes: Mutex<Writes>,
    thread: Mutex<Option<JoinHandle<()>>>,
    idle: Mutex<Vec<Reader>>,
    threads: StoreThreads,
}

/// Where a job goes.
enum Writes {
    /// Nowhere: the store was opened to be read, or the engine has ended.
    Closed,
    /// To the writer's thread.
    Queued(mpsc::Sender<Job>),
    /// To the writer itself.
    Here(Box<Writer>),
}

impl Db {
    /// Opens the writer (unless read-only), and starts its thread if it gets one; rows are counted by
    /// `caps`.
    pub(super) fn start(
        store: Store,
        caps: String,
        threads: StoreThreads,
    ) -> Result<Self, StoreError> {
        let mut thread = None;
        let mut way = Writes::Closed;
        if store.is_writable() {
            let mut writer = store.writer()?;
            writer.count_by(caps);
            way = match threads {
                StoreThreads::Caller => Writes::Here(Box::new(writer)),
                StoreThreads::Own => {
                    let (sender, receiver) = mpsc::channel(QUEUE);
                    thread = Some(start_thread(writer, receiver)?);
                    Writes::Queued(sender)
                }
            };
        }
        let shared = Shared {
            store,
            writes: Mutex::new(way),
            thread: Mutex::new(thread),
            idle: Mutex::new(Vec::new()),
            threads,
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

    /// Lets the writer wait only so long for other processes from now on.
    pub(super) async fn hurry(&self, patience: Duration) -> Result<(), EngineError> {
        self.ask(|answer| Job::Hurry(patience, answer)).await
    }

    async fn ask<T>(&self, job: impl FnOnce(Answer<T>) -> Job) -> Result<T, EngineError> {
        let (answer, reply) = oneshot::channel();
        if let Some((sender, job)) = self.shared.submit(job(answer))? {
            sender.send(job).await.map_err(|_| EngineError::ShutDown)?;
        }
        Ok(reply.await.map_err(|_| EngineError::ShutDown)??)
    }

    /// Runs a read where it may block, in one snapshot of the store.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Reader) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let shared = Arc::clone(&self.shared);
        if shared.threads == StoreThreads::Caller {
            return Ok(shared.read_here(read)?);
        }
        match tokio::task::spawn_blocking(move || shared.read(read)).await {
            Ok(result) => Ok(result?),
            Err(_) => Err(EngineError::ShutDown),
        }
    }

    /// Says whether writes are possible at all.
    pub(super) fn is_writable(&self) -> bool {
        !matches!(*lock(&self.shared.writes), Writes::Closed)
    }

    /// Returns the store, for what needs no connection.
    pub(super) fn store(&self) -> &Store {
        &self.shared.store
    }

    /// Lets the writer finish what it has and ends its thread.
    pub(super) async fn stop(&self) {
        let shared = Arc::clone(&self.shared);
        if shared.threads == StoreThreads::Caller {
            return shared.stop();
        }
        // Joining the writer blocks for as long as its last transaction takes.
        drop(tokio::task::spawn_blocking(move || shared.stop()).await);
    }
}

impl Shared {
    /// Does a job where the writer is at hand; else gives it back with the way to the writer.
    fn submit(&self, job: Job) -> Result<Option<(mpsc::Sender<Job>, Job)>, EngineError> {
        match &mut *lock(&self.writes) {
            Writes::Queued(sender) => Ok(Some((sender.clone(), job))),
            Writes::Here(writer) => {
                run(writer, job);
                Ok(None)
            }
            Writes::Closed if self.store.is_writable() => Err(EngineError::ShutDown),
            Writes::Closed => Err(self.store.read_only_error().into()),
        }
    }

    fn read<T>(
        &self,
        read: impl FnOnce(&Reader) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let idle = lock(&self.idle).pop();
        let mut reader = match idle {
            Some(reader) => reader,
            None => self.store.reader()?,
        };
        let value = reader.snapshot(read)?;
        let mut idle = lock(&self.idle);
        if idle.len() < IDLE_READERS {
            idle.push(reader);
        }
        Ok(value)
    }

    /// Reads over the writer's connection, if there is one.
    fn read_here<T>(
        &self,
        read: impl FnOnce(&Reader) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if let Writes::Here(writer) = &mut *lock(&self.writes) {
            return writer.snapshot(read);
        }
        self.read(read)
    }

    /// Ends the writer. Blocks.
    fn stop(&self) {
        drop(std::mem::replace(&mut *lock(&self.writes), Writes::Closed));
        let thread = lock(&self.thread).take();
        if let Some(thread) = thread {
            // A writer that panicked has answered nobody; callers have seen `ShutDown`.
            drop(thread.join());
        }
        lock(&self.idle).clear();
    }
}

/// A poisoned lock guards plain values here; they stay usable.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn start_thread(writer: Writer, jobs: mpsc::Receiver<Job>) -> Result<JoinHandle<()>, StoreError> {
    std::thread::Builder::new()
        .name("hippocamp-writer".to_owned())
        .spawn(move || write_loop(writer, jobs))
        .map_err(|source| StoreError::Database {
            source: Box::new(source),
        })
}

fn write_loop(mut writer: Writer, mut jobs: mpsc::Receiver<Job>) {
    let mut held: Option<Job> = None;
    while let Some(job) = held.take().or_else(|| jobs.blocking_recv()) {
        if let Job::Op(op, answer) = job {
            let (ops, answers) = gather(*op, answer, &mut jobs, &mut held);
            run_ops(&mut writer, &ops, answers);
        } else {
            run(&mut writer, job);
        }
    }
}

fn run(writer: &mut Writer, job: Job) {
    match job {
        Job::Op(op, answer) => run_ops(writer, &[*op], vec![answer]),
        Job::Import(batch, answer) => reply(answer, writer.import(&batch, RULES_VERSION)),
        Job::Index(step, answer) => reply(answer, writer.index_step(&step)),
        Job::Maintain(pace, answer) => reply(answer, writer.maintain(pace)),
        Job::ResetIndex(answer) => reply(answer, writer.reset_index(RULES_VERSION)),
        Job::Repair(repairs, answer) => reply(answer, writer.repair(&repairs, RULES_VERSION)),
        Job::Hurry(patience, answer) => reply(answer, writer.wait_at_most(patience)),
    }
}

fn run_ops(writer: &mut Writer, ops: &[WriteOp], answers: Vec<Answer<WriteReply>>) {
    for (result, answer) in writer.run(ops).into_iter().zip(answers) {
        reply(answer, result);
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
