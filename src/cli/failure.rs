//! What a command could not do, in words. Owns how errors of other rooms become exit codes.

use std::error::Error;

use serde_json::{Value, json};

use super::exit::Exit;
use crate::engine::EngineError;
use crate::store::StoreError;

/// The kind of a row that contradicts itself.
const DAMAGED: &str = "store_damaged";

/// A command that could not be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// How the process ends.
    pub(crate) exit: Exit,
    /// One `snake_case` word for programs.
    pub(crate) kind: &'static str,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do instead.
    pub(crate) hint: Option<String>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            exit,
            kind,
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", message)
    }

    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns the object that `--json` prints.
    pub(crate) fn to_json(&self) -> Value {
        json!({"error": {"kind": self.kind, "message": self.message, "hint": self.hint}})
    }

    /// Reads an error met while the store was being opened.
    pub(crate) fn at_opening(error: EngineError) -> Self {
        match error {
            EngineError::Store(store) => {
                let mut failure = Self::of_store(&store);
                if matches!(store, StoreError::Corrupt { .. }) {
                    // `doctor` could not open it either.
                    failure.hint = Some("put a copy of the file back in its place".to_owned());
                }
                Self {
                    exit: Exit::NoStore,
                    ..failure
                }
            }
            other => Self::from(other),
        }
    }

    /// Says whether a row of the store contradicts itself.
    pub(crate) fn is_of_damage(&self) -> bool {
        self.kind == DAMAGED
    }

    fn of_store(error: &StoreError) -> Self {
        let kind = match error {
            StoreError::Missing { .. } => "store_missing",
            StoreError::Open { .. } => "store_unreadable",
            StoreError::Newer { .. } => "store_newer",
            StoreError::Older { .. } => "store_older",
            StoreError::UnknownSession { .. } => "unknown_session",
            StoreError::BeyondHead { .. }
            | StoreError::KeyTaken { .. }
            | StoreError::Refused { .. } => "usage",
            StoreError::Foreign { .. } => "store_foreign",
            StoreError::Busy => "store_busy",
            StoreError::ReadOnly { .. } => "store_read_only",
            StoreError::Moved { .. } => "store_moved",
            StoreError::Full => "disk_full",
            StoreError::Corrupt { .. } => DAMAGED,
            _ => "store_failed",
        };
        let exit = match error {
            StoreError::Missing { .. }
            | StoreError::Open { .. }
            | StoreError::Newer { .. }
            | StoreError::Older { .. }
            | StoreError::Foreign { .. } => Exit::NoStore,
            StoreError::UnknownSession { .. }
            | StoreError::BeyondHead { .. }
            | StoreError::KeyTaken { .. }
            | StoreError::Refused { .. } => Exit::Usage,
            _ => Exit::Failed,
        };
        let failure = Self::new(exit, kind, with_sources(error));
        match error {
            StoreError::Missing { .. } => failure.with_hint(
                "`hippocamp import` or `hippocamp append` makes one; `--db PATH` names another",
            ),
            StoreError::Newer { .. } => failure.with_hint("install a newer hippocamp"),
            StoreError::Foreign { .. } => failure.with_hint("`--db PATH` names another file"),
            StoreError::ReadOnly { .. } => failure.with_hint(
                "reading goes on; to write, change the rights of the file and its folder",
            ),
            StoreError::Busy => failure.with_hint("another process is writing; try again"),
            StoreError::Moved { .. } => {
                failure.with_hint("what was acknowledged before went with the file; run it again")
            }
            StoreError::Corrupt { .. } => failure.with_hint(
                "`hippocamp doctor --repair` says what is damaged and what can be made anew",
            ),
            _ => failure,
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Usage { message, hint } => Self {
                hint,
                ..Self::usage(message)
            },
            EngineError::Pattern(error) => Self {
                hint: error.hint,
                ..Self::new(Exit::Usage, "pattern", error.message)
            },
            EngineError::UnknownSession { ref near, .. } => {
                let near: Vec<String> = near.iter().map(|key| format!("`{key}`")).collect();
                let hint = if near.is_empty() {
                    "`hippocamp sessions` lists the keys there are".to_owned()
                } else {
                    format!("did you mean {}?", near.join(" or "))
                };
                Self::new(Exit::Usage, "unknown_session", error.to_string()).with_hint(hint)
            }
            EngineError::Store(error) => Self::of_store(&error),
            other => Self::new(Exit::Failed, "failed", with_sources(&other)),
        }
    }
}

/// Returns an error's text with those of its causes.
pub(crate) fn with_sources(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let part = cause.to_string();
        if !text.contains(&part) {
            text.push_str(": ");
            text.push_str(&part);
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{PatternError, SessionKey};

    #[track_caller]
    fn check(error: EngineError, exit: Exit, kind: &str) -> Failure {
        let failure = Failure::from(error);
        assert_eq!((failure.exit, failure.kind), (exit, kind), "{failure:?}");
        failure
    }

    #[test]
    fn an_unknown_session_names_near_keys() {
        let key = |text: &str| SessionKey::new(text).unwrap();
        let error = EngineError::UnknownSession {
            key: key("mian"),
            near: vec![key("main"), key("mail")],
        };
        let failure = check(error, Exit::Usage, "unknown_session");
        assert_eq!(failure.hint.unwrap(), "did you mean `main` or `mail`?");
        let error = EngineError::UnknownSession {
            key: key("x"),
            near: Vec::new(),
        };
        let failure = check(error, Exit::Usage, "unknown_session");
        assert!(failure.hint.unwrap().contains("hippocamp sessions"));
    }

    #[test]
    fn a_busy_store_is_another_ending_at_opening_than_at_work() {
        check(StoreError::Busy.into(), Exit::Failed, "store_busy");
        let failure = Failure::at_opening(StoreError::Busy.into());
        assert_eq!((failure.exit, failure.kind), (Exit::NoStore, "store_busy"));
    }

    #[test]
    fn a_store_too_damaged_to_be_opened_is_not_sent_to_doctor() {
        let damaged = || StoreError::Corrupt {
            detail: "it was cut short".to_owned(),
        };
        let failure = check(damaged().into(), Exit::Failed, "store_damaged");
        assert!(failure.hint.unwrap().contains("doctor"));
        let failure = Failure::at_opening(damaged().into());
        assert_eq!(failure.exit, Exit::NoStore);
        assert!(failure.hint.unwrap().contains("copy"));
    }

    #[test]
    fn each_error_has_its_ending() {
        let path = || "/x".to_owned();
        let missing = StoreError::Missing { path: path() };
        let failure = check(missing.into(), Exit::NoStore, "store_missing");
        assert!(failure.hint.unwrap().contains("import"));
        let newer = StoreError::Newer {
            path: path(),
            found: 7,
            known: 5,
        };
        let failure = check(newer.into(), Exit::NoStore, "store_newer");
        assert!(failure.message.contains('7') && failure.message.contains('5'));
        check(
            StoreError::Foreign { path: path() }.into(),
            Exit::NoStore,
            "store_foreign",
        );
        check(StoreError::Full.into(), Exit::Failed, "disk_full");
        let moved = StoreError::Moved { path: path() };
        check(moved.into(), Exit::Failed, "store_moved");
        let older = StoreError::Older {
            path: path(),
            found: 1,
            known: 3,
        };
        check(older.into(), Exit::NoStore, "store_older");
        let key = SessionKey::new("side").unwrap();
        check(StoreError::KeyTaken { key }.into(), Exit::Usage, "usage");
        let words = "index step".to_owned();
        check(EngineError::Background { words }, Exit::Failed, "failed");
        let pattern = PatternError {
            message: "bad".to_owned(),
            hint: Some("quote".to_owned()),
        };
        let failure = check(pattern.into(), Exit::Usage, "pattern");
        let want = json!({"error": {"kind": "pattern", "message": "bad", "hint": "quote"}});
        assert_eq!(failure.to_json(), want);
    }

    #[test]
    fn causes_are_told() {
        let source = Box::new(std::io::Error::other("no such device"));
        let failure = Failure::from(EngineError::from(StoreError::Database { source }));
        assert_eq!(failure.message, "the database failed: no such device");
    }
}
