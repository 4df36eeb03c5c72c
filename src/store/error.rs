//! What can go wrong in the store, by what a caller can do about it.
//! Never read from an error's text: `SQLite`'s result codes decide.

use rusqlite::ErrorCode;
use rusqlite::ffi;
use thiserror::Error;

use crate::domain::{Seq, SessionKey};

/// What lies behind an error.
type Source = Box<dyn std::error::Error + Send + Sync>;

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
        source: Source,
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
    /// The file was made by an older version and cannot be brought forward where it may not be
    /// written.
    #[error("the store {path} has schema {found}, older than {known}; open it once for writing")]
    Older {
        /// The path.
        path: String,
        /// Its schema.
        found: i64,
        /// The one needed here.
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
    /// The store can only be read.
    #[error("the store {path} is read-only")]
    ReadOnly {
        /// The path.
        path: String,
    },
    /// The file was moved, removed or replaced while it was open.
    #[error(
        "the store {path} was moved, removed or replaced while it was open; nothing is written"
    )]
    Moved {
        /// The path.
        path: String,
    },
    /// A copy of the store cannot be written.
    #[error("cannot write the copy {path}")]
    Copy {
        /// The copy's path.
        path: String,
        /// Why.
        #[source]
        source: Source,
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
    /// No conversation has this key.
    #[error("no session `{key}`")]
    UnknownSession {
        /// The key asked for.
        key: SessionKey,
    },
    /// A branch was asked for behind the last message.
    #[error("session `{key}` has no message {at}; {}", ends_at(*.head))]
    BeyondHead {
        /// The session.
        key: SessionKey,
        /// The message asked for.
        at: Seq,
        /// The newest one; none while nothing is stored.
        head: Option<Seq>,
    },
    /// A branch was to get a key that another conversation has.
    #[error("session `{key}` exists; give the branch a key of its own")]
    KeyTaken {
        /// The key.
        key: SessionKey,
    },
    /// The value cannot be stored, whatever the store holds.
    #[error("{detail}")]
    Refused {
        /// Which value, and the right form.
        detail: String,
    },
    /// Any other failure.
    #[error("the database failed")]
    Database {
        /// Why.
        #[source]
        source: Source,
    },
}

/// Says where a conversation ends, for people.
fn ends_at(head: Option<Seq>) -> String {
    match head {
        Some(head) => format!("its last one is {head}"),
        None => "it holds none".to_owned(),
    }
}

impl StoreError {
    /// Makes a finding about one row.
    pub(super) fn corrupt(detail: impl Into<String>) -> Self {
        Self::Corrupt {
            detail: detail.into(),
        }
    }

    /// Says which row a finding is about.
    pub(super) fn of_row(self, table: &str, id: i64) -> Self {
        match self {
            Self::Corrupt { detail } => Self::Corrupt {
                detail: format!("{table} {id}: {detail}"),
            },
            other => other,
        }
    }

    /// Fills in the path where only the caller knows it.
    pub(super) fn at_path(self, path: &str) -> Self {
        match self {
            Self::ReadOnly { path: known } if known.is_empty() => Self::ReadOnly {
                path: path.to_owned(),
            },
            other => other,
        }
    }

    /// Makes the error of a failed opening: what says more than "cannot open" is kept.
    pub(super) fn opening(self, path: &str) -> Self {
        match self {
            Self::Database { source } => Self::Open {
                path: path.to_owned(),
                source,
            },
            other => other.at_path(path),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match &error {
            rusqlite::Error::SqliteFailure(failure, _) => match failure.code {
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy,
                ErrorCode::ReadOnly => Self::ReadOnly {
                    path: String::new(),
                },
                ErrorCode::DiskFull => Self::Full,
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::Corrupt {
                    detail: format!("SQLite reports code {}", failure.extended_code),
                },
                _ => Self::Database {
                    source: Box::new(error),
                },
            },
            // Its text would go on with the statement.
            rusqlite::Error::SqlInputError { msg, .. } => Self::Database {
                source: msg.clone().into(),
            },
            rusqlite::Error::InvalidColumnType(_, column, kind) => Self::Corrupt {
                detail: format!("column {column} holds {kind}"),
            },
            rusqlite::Error::FromSqlConversionFailure(column, kind, _) => Self::Corrupt {
                detail: format!("column {column} holds {kind} that cannot be read"),
            },
            rusqlite::Error::IntegralValueOutOfRange(column, value) => Self::Corrupt {
                detail: format!("column {column} holds {value}"),
            },
            rusqlite::Error::QueryReturnedNoRows => Self::Corrupt {
                detail: "a row that must be there is missing".to_owned(),
            },
            _ => Self::Database {
                source: Box::new(error),
            },
        }
    }
}

/// Says whether a row with the same unique key was there first.
pub(super) fn is_unique_conflict(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::SqliteFailure(failure, _)
            if failure.extended_code == ffi::SQLITE_CONSTRAINT_UNIQUE
                || failure.extended_code == ffi::SQLITE_CONSTRAINT_PRIMARYKEY
    )
}
