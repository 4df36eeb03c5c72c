//! The background task that writes the search index, in steps of a few milliseconds.
//! A search sees rows it has not reached: they are scanned.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};

use super::core::Core;
use super::error::EngineError;
use super::tasks::{IndexWake, answer_all, next_wake};
use crate::domain::{IndexRow, ItemId, SearchRow};
use crate::policy::pattern::{RULES_VERSION, index_tokens};
use crate::store::{Durability, IndexOutcome, Merging, Pace, STEP_BYTES, STEP_ROWS, StoreError};

/// A process that ends leaves at most this many rows to the next one.
const EXIT_BACKLOG: u64 = 64;

/// How long a process that ends waits for another one.
const EXIT_PATIENCE: Duration = Duration::from_millis(100);

/// Rows wait this long for more, so that a burst of turns shares its steps and its syncs.
const QUIET: Duration = Duration::from_millis(100);

/// Writes of rows that wait together at most.
const BURST: usize = 16;

/// Runs until the engine ends.
pub(super) async fn run(
    core: Arc<Core>,
    mut inbox: mpsc::Receiver<IndexWake>,
    mut stop: watch::Receiver<bool>,
) {
    let mut pace = Pace::Quiet;
    loop {
        let mut settled: Vec<oneshot::Sender<()>> = Vec::new();
        let Some(next) = gather(pace, &mut inbox, &mut stop, &mut settled).await else {
            return;
        };
        pace = next;
        let worked = tokio::select! {
            worked = catch_up(&core, pace) => worked,
            _ = stop.wait_for(|stopped| *stopped) => return,
        };
        if let Err(error) = worked {
            core.tasks.note_failure(&error);
        }
        answer_all(settled);
    }
}

/// Waits for rows, and then for a quiet moment, enough of them or somebody who waits for the
/// index. What a busy step has left is due at the next quiet moment, rows or not. None once the
/// engine ends.
async fn gather(
    before: Pace,
    inbox: &mut mpsc::Receiver<IndexWake>,
    stop: &mut watch::Receiver<bool>,
    settled: &mut Vec<oneshot::Sender<()>>,
) -> Option<Pace> {
    let mut n_wakes = 0;
    while n_wakes < BURST && settled.is_empty() {
        let wake = if n_wakes == 0 && before == Pace::Quiet {
            next_wake(inbox, stop).await?
        } else {
            match tokio::time::timeout(QUIET, next_wake(inbox, stop)).await {
                Ok(wake) => wake?,
                Err(_) => return Some(Pace::Quiet),
            }
        };
        n_wakes += 1;
        note(wake, settled);
    }
    while let Ok(wake) = inbox.try_recv() {
        note(wake, settled);
    }
    Some(if settled.is_empty() {
        Pace::Busy
    } else {
        Pace::Quiet
    })
}

fn note(wake: IndexWake, settled: &mut Vec<oneshot::Sender<()>>) {
    if let IndexWake::Settle(answer) = wake {
        settled.push(answer);
    }
}

/// Indexes until nothing is left, then merges and checkpoints: some while others write, all there
/// is in a quiet moment.
async fn catch_up(core: &Core, pace: Pace) -> Result<(), EngineError> {
    while step(core).await? == Progress::Some {}
    tend(core, pace).await
}

/// Merges and checkpoints: a step while others write, all there is in a quiet moment.
pub(super) async fn tend(core: &Core, pace: Pace) -> Result<(), EngineError> {
    while core.db.maintain(pace).await?.merging == Merging::Progress && pace == Pace::Quiet {}
    Ok(())
}

/// Whether a step found anything to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    Some,
    None,
}

/// Indexes the next rows: reads and cuts them before, writes them with the mark in one go. Damaged
/// ones are passed over.
pub(super) async fn step(core: &Core) -> Result<Progress, EngineError> {
    let batch = core
        .db
        .read(|reader| reader.index_backlog(RULES_VERSION, STEP_ROWS, STEP_BYTES))
        .await?;
    if batch.is_empty() {
        return Ok(Progress::None);
    }
    let rows = batch.rows.iter().map(index_row).collect();
    for step in batch.steps(rows) {
        if core.db.index(step).await? == IndexOutcome::Moved {
            // Another process was first; what it did is read before the next step.
            break;
        }
    }
    Ok(Progress::Some)
}

/// Cuts one row into tokens.
pub(super) fn index_row(row: &SearchRow) -> IndexRow {
    IndexRow {
        id: raw_id(row.id),
        tokens: index_tokens(&row.parts, row.name.as_deref(), row.to),
    }
}

/// Returns the id in the one sequence.
pub(super) fn raw_id(id: ItemId) -> i64 {
    match id {
        ItemId::Message(id) => id.get(),
        ItemId::Summary(id) => id.get(),
    }
}

/// Leaves a small backlog only, when a process ends.
pub(super) async fn at_exit(core: &Core) {
    if !core.db.is_writable() {
        return;
    }
    let worked = async {
        core.db.hurry(EXIT_PATIENCE).await?;
        let state = core
            .db
            .read(|reader| reader.index_state(RULES_VERSION))
            .await?;
        if state.backlog > EXIT_BACKLOG {
            step(core).await?;
        }
        let pace = match core.db.store().durability() {
            Durability::Brief => Pace::Parting,
            _ => Pace::Ending,
        };
        core.db.maintain(pace).await
    };
    match worked.await {
        // Another process has the store: the rows wait for it, or for the next one.
        Ok(_) | Err(EngineError::Store(StoreError::Busy)) => {}
        Err(error) => core.tasks.note_failure(&error),
    }
}
