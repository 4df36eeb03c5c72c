//! What a person does to a store by hand: copy it, index it anew, repair what is derived.
//! May not touch what was said.

use std::path::Path;

use super::core::Engine;
use super::error::EngineError;
use super::indexer::{Progress, step, tend};
use crate::store::{CopyProgress, Pace, Repair};

/// How far the index has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexProgress {
    /// The greatest id that is indexed.
    pub mark: u64,
    /// The greatest id there was at the beginning.
    pub last: u64,
}

impl Engine {
    /// Copies the store as it is now to a new file, while others go on writing.
    ///
    /// # Errors
    /// `Store` if something is there already, its folder is not, or it cannot be written.
    pub async fn backup(
        &self,
        path: &Path,
        mut told: impl FnMut(CopyProgress) + Send + 'static,
    ) -> Result<(), EngineError> {
        let store = self.core.db.store().clone();
        let path = path.to_owned();
        let copied = tokio::task::spawn_blocking(move || store.backup(&path, &mut told)).await;
        match copied {
            Ok(copied) => Ok(copied?),
            Err(_) => Err(EngineError::ShutDown),
        }
    }

    /// Makes the search index anew. Until it has caught up, searches scan what it lacks, or say
    /// that they are not complete.
    ///
    /// # Errors
    /// `Store` if the store cannot be written or read.
    pub async fn reindex(&self, told: impl FnMut(IndexProgress)) -> Result<(), EngineError> {
        self.core.db.reset_index().await?;
        self.catch_up(told).await
    }

    /// Makes derived things anew, and the search index full again if it was one of them.
    ///
    /// # Errors
    /// `Store` if the store cannot be written or read; what was derived is as before then.
    pub async fn repair(
        &self,
        repairs: &[Repair],
        told: impl FnMut(IndexProgress),
    ) -> Result<(), EngineError> {
        self.core.db.repair(repairs.to_vec()).await?;
        if repairs.contains(&Repair::SearchIndex) {
            self.catch_up(told).await?;
        }
        Ok(())
    }

    async fn catch_up(&self, mut told: impl FnMut(IndexProgress)) -> Result<(), EngineError> {
        let db = &self.core.db;
        let last = db.read(crate::store::Reader::last_id).await?;
        let number = |id: i64| u64::try_from(id).unwrap_or(0);
        loop {
            let mark = db.read(crate::store::Reader::index_mark).await?;
            told(IndexProgress {
                mark: number(mark),
                last: number(last),
            });
            if step(&self.core).await? == Progress::None {
                break;
            }
        }
        tend(&self.core, Pace::Quiet).await
    }
}
