//! The background task that writes the search index, in steps of a few milliseconds.
//! A search sees rows it has not reached: they are scanned.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot, watch};

use super::core::Core;
use super::error::EngineError;
use super::tasks::{IndexWake, answer_all, next_wake};
use crate::domain::{IndexRow, ItemId, SearchRow};
use crate::policy::pattern::{RULES_VERSION, index_tokens};
use crate::store::{IndexOutcome, Merging, STEP_BYTES, STEP_ROWS, StoreError};

/// A process that ends leaves at most this many rows to the next one.
const EXIT_BACKLOG: u64 = 64;

/// Runs until the engine ends.
pub(super) async fn run(
    core: Arc<Core>,
    mut inbox: mpsc::Receiver<IndexWake>,
    mut stop: watch::Receiver<bool>,
) {
    loop {
        let Some(wake) = next_wake(&mut inbox, &mut stop).await else {
            return;
        };
        let mut settled: Vec<oneshot::Sender<()>> = Vec::new();
        let mut next = Some(wake);
        while let Some(wake) = next {
            if let IndexWake::Settle(answer) = wake {
                settled.push(answer);
            }
            next = inbox.try_recv().ok();
        }
        let worked = tokio::select! {
            worked = catch_up(&core) => worked,
            _ = stop.wait_for(|stopped| *stopped) => return,
        };
        if let Err(error) = worked {
            core.tasks.note_failure(&error);
        }
        answer_all(settled);
    }
}

/// Indexes until nothing is left, then merges and checkpoints.
async fn catch_up(core: &Core) -> Result<(), EngineError> {
    while step(core).await? == Progress::Some {}
    while core.db.maintain().await?.merging == Merging::Progress {}
    Ok(())
}

/// Whether a step found anything to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    Some,
    None,
}

/// Indexes the next rows: reads and cuts them before, writes them with the mark in one go.
pub(super) async fn step(core: &Core) -> Result<Progress, EngineError> {
    let batch = core
        .db
        .read(|reader| reader.index_backlog(RULES_VERSION, STEP_ROWS, STEP_BYTES))
        .await?;
    if batch.rows.is_empty() {
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
        core.db.hurry().await?;
        let state = core
            .db
            .read(|reader| reader.index_state(RULES_VERSION))
            .await?;
        if state.backlog > EXIT_BACKLOG {
            step(core).await?;
        }
        core.db.maintain().await
    };
    match worked.await {
        // Another process has the store: the rows wait for it, or for the next one.
        Ok(_) | Err(EngineError::Store(StoreError::Busy)) => {}
        Err(error) => core.tasks.note_failure(&error),
    }
}
