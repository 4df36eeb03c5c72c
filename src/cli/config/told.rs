//! What is told of settings: each key with its value and where that came from.
//! May not decide one: it looks at what was decided.

use std::path::{Path, PathBuf};

use super::{Flags, KEYS, Origin, Sourced};
use crate::domain::Window;
use crate::engine::{AutoPins, LeafMode};
use crate::policy::limits::Limits;
use crate::policy::redact::{Patterns, Sort};

/// The configuration file that applies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum FilePlace {
    /// There is no folder for one.
    #[default]
    Nowhere,
    /// It would be here.
    Missing(PathBuf),
    /// It was read.
    Read(PathBuf),
}

/// A setting as it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    /// Its key.
    pub(crate) key: &'static str,
    /// Its value; none where there is no default.
    pub(crate) value: Option<String>,
    /// Where it came from; none for a default.
    pub(crate) origin: Option<Origin>,
}

/// What was decided.
pub(super) struct Decided<'a> {
    pub(super) db: &'a Path,
    pub(super) window: Window,
    pub(super) limits: &'a Limits,
    pub(super) leaf: LeafMode,
    pub(super) auto_pins: AutoPins,
    pub(super) redact: &'a Patterns,
}

/// Lists every key.
pub(super) fn tell(
    flags: &Flags,
    decided: &Decided<'_>,
    pick: impl Fn(&'static str) -> Option<Sourced>,
) -> Vec<Told> {
    let told = |key: &'static str| {
        let picked = pick(key);
        let origin = match (key, &flags.db) {
            ("db", Some(_)) => Some(Origin::Flag("--db")),
            _ => picked.as_ref().map(|(_, origin)| origin.clone()),
        };
        let value = decided
            .value(key)
            .or_else(|| picked.map(|(value, _)| value));
        Told { key, value, origin }
    };
    KEYS.into_iter().map(told).collect()
}

impl Decided<'_> {
    /// Returns the value that holds, for a key that has an effect.
    fn value(&self, key: &str) -> Option<String> {
        let limits = self.limits;
        Some(match key {
            "db" => self.db.to_string_lossy().into_owned(),
            "context_window" => self.window.context().to_string(),
            "summarize_token_percent" => limits.summarize_token_percent.to_string(),
            "summarize_message_threshold" => limits.summarize_message_threshold.to_string(),
            "leaf_from_percent" => limits.leaf_from_percent.to_string(),
            "tool_result_cap" => limits.tool_result_cap.to_string(),
            "leaf" => match self.leaf {
                LeafMode::Deferred => "deferred".to_owned(),
                _ => "every_turn".to_owned(),
            },
            "auto_pins" => (self.auto_pins == AutoPins::Live).to_string(),
            "redact" if self.redact.sorts().is_empty() => "none".to_owned(),
            "redact" => {
                let sorts = self.redact.sorts().iter().copied();
                sorts.map(Sort::as_str).collect::<Vec<_>>().join(",")
            }
            _ => return None,
        })
    }
}
