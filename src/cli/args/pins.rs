//! The words of pins. May not do anything.

use clap::Args;

use super::value::{message_id, pin_id, pin_kind, session_key};
use crate::domain::{MessageId, PinId, PinKind, SessionKey};

/// `pin`.
#[derive(Debug, Args)]
pub(crate) struct PinArgs {
    /// The conversation's key, or its beginning
    #[arg(long, value_name = "KEY", value_parser = session_key, required_unless_present = "accept")]
    pub(crate) session: Option<SessionKey>,
    /// What it holds: constraint, decision, plan or fact
    #[arg(long, value_name = "KIND", value_parser = pin_kind, default_value = "constraint")]
    pub(crate) kind: PinKind,
    /// The message that the words come from, by its id
    #[arg(long, value_name = "ID", value_parser = message_id)]
    pub(crate) message: Option<MessageId>,
    /// Make a proposed pin live instead, by its id
    #[arg(long, value_name = "ID", value_parser = pin_id, conflicts_with_all = ["message", "kind", "text"])]
    pub(crate) accept: Option<PinId>,
    /// The words, kept as they are
    #[arg(value_name = "TEXT", required_unless_present = "accept")]
    pub(crate) text: Option<String>,
}

/// `unpin`.
#[derive(Debug, Args)]
pub(crate) struct UnpinArgs {
    /// The conversation's key, or its beginning [default: the one that made the pin]
    #[arg(long, value_name = "KEY", value_parser = session_key)]
    pub(crate) session: Option<SessionKey>,
    /// The pin's id
    #[arg(value_name = "ID", value_parser = pin_id)]
    pub(crate) id: PinId,
}

/// `pins`.
#[derive(Debug, Args)]
pub(crate) struct PinsArgs {
    /// The conversation's key, or its beginning
    #[arg(long, value_name = "KEY", value_parser = session_key)]
    pub(crate) session: SessionKey,
    /// Retired ones too
    #[arg(long)]
    pub(crate) all: bool,
}
