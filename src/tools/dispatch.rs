//! Runs a tool by name. Owns whose conversations a caller may see.
//! May not know how calls arrive.

use serde_json::Value;

use super::error::ToolError;
use super::pin::pin;
use super::schema::OptionalTool;
use super::short_compact::short_compact;
use super::short_expand::short_expand;
use super::short_grep::short_grep;
use crate::domain::{Reach, SessionKey};
use crate::engine::Engine;

/// Whose conversations a tool's caller is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ToolScope {
    /// None yet: only calls that ask for all conversations are answered.
    #[default]
    Unbound,
    /// One session, with what its branch inherits.
    Session(SessionKey),
    /// All of the store.
    All,
}

/// Whose conversations a call asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Conversations {
    /// What the caller is bound to.
    #[default]
    Bound,
    /// All of the store; each row of the answer names its own.
    All,
}

/// Runs the tool `name` on JSON arguments and returns its answer as one JSON object.
///
/// # Errors
/// [`ToolError`] names the tool, the argument and the right form.
pub async fn dispatch(
    engine: &Engine,
    scope: &ToolScope,
    name: &str,
    arguments: Value,
) -> Result<Value, ToolError> {
    match name {
        "short_grep" => short_grep(engine, scope, arguments.try_into()?).await,
        "short_expand" => short_expand(engine, scope, arguments.try_into()?).await,
        _ => Err(ToolError::UnknownTool {
            name: name.to_owned(),
        }),
    }
}

/// As [`dispatch`], with tools beside the two that a host has registered with its model. A model
/// that calls one that is not registered is told that there is none.
///
/// # Errors
/// As [`dispatch`].
pub async fn dispatch_with(
    engine: &Engine,
    scope: &ToolScope,
    registered: &[OptionalTool],
    name: &str,
    arguments: Value,
) -> Result<Value, ToolError> {
    match registered.iter().find(|tool| tool.name() == name) {
        Some(OptionalTool::ShortCompact) => {
            short_compact(engine, scope, arguments.try_into()?).await
        }
        Some(OptionalTool::Pin) => pin(engine, scope, arguments.try_into()?).await,
        None => dispatch(engine, scope, name, arguments).await,
    }
}

pub(super) fn reach_of(scope: &ToolScope, asked: Conversations) -> Result<Reach, ToolError> {
    match (scope, asked) {
        (_, Conversations::All) | (ToolScope::All, Conversations::Bound) => Ok(Reach::All),
        (ToolScope::Session(key), Conversations::Bound) => Ok(Reach::Session(key.clone())),
        (ToolScope::Unbound, Conversations::Bound) => Err(ToolError::Unbound),
    }
}
