//! Stand-in for the store while it is being built; only the error the engine names.
use thiserror::Error;
/// What can go wrong in the store.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file does not exist and may not be created here.
    #[error("no store at {path}")]
    Missing {
        /// The path.
        path: String,
    },
    /// The file cannot be opened.
    #[error("cannot open the store {path}")]
    Open {
        /// The path.
        path: String,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The file was made by a newer version.
    #[error("the store {path} has schema {found}, newer than {known}")]
    Newer {
        /// The path.
        path: String,
        /// Its schema.
        found: i64,
        /// The newest known here.
        known: i64,
    },
    /// The file is a database of another program, or no database.
    #[error("{path} is not a hippocamp store")]
    Foreign {
        /// The path.
        path: String,
    },
    /// Another process holds the store for too long.
    #[error("the store is busy")]
    Busy,
    /// The store was opened read-only.
    #[error("the store {path} is read-only")]
    ReadOnly {
        /// The path.
        path: String,
    },
    /// The disk is full.
    #[error("the disk is full")]
    Full,
    /// A row contradicts itself.
    #[error("the store is damaged: {detail}")]
    Corrupt {
        /// Which row, and how.
        detail: String,
    },
    /// Any other failure.
    #[error("the database failed")]
    Database {
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
