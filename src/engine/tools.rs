//! The tools that calls belong to, so that a result is counted at its own tool's cap.
//! May not decide a cap: the limits do.

use std::collections::HashMap;

use super::core::Core;
use super::error::EngineError;
use crate::domain::{NewMessage, Part, SessionKey};
use crate::policy::limits::Limits;

/// The names of calls by their ids; the newest call of an id counts.
#[derive(Debug, Default)]
pub(super) struct Tools {
    names: HashMap<String, String>,
}

impl Tools {
    /// Takes the calls of a message.
    pub(super) fn note(&mut self, message: &NewMessage) {
        for part in &message.parts {
            if let Part::ToolUse { call_id, name, .. } = part {
                self.names.insert(call_id.clone(), name.clone());
            }
        }
    }

    /// Returns the tool that a call id belongs to.
    pub(super) fn name(&self, call_id: &str) -> Option<&str> {
        self.names.get(call_id).map(String::as_str)
    }
}

impl Core {
    /// Looks up the calls that new messages answer, where any tool has a cap of its own.
    pub(super) async fn tools_of(
        &self,
        session: &SessionKey,
        messages: &[NewMessage],
    ) -> Result<Tools, EngineError> {
        let answered = answered(messages, &self.limits);
        if answered.is_empty() {
            return Ok(Tools::default());
        }
        let key = session.clone();
        let names = self
            .db
            .read(move |reader| match reader.conversation(&key)? {
                Some(conversation) => reader.tools_of_calls(conversation.id, &answered),
                None => Ok(HashMap::new()),
            })
            .await?;
        Ok(Tools { names })
    }
}

/// Lists the call ids that messages answer, if it matters which tools they are of.
fn answered(messages: &[NewMessage], limits: &Limits) -> Vec<String> {
    if limits.tool_result_caps.is_empty() {
        return Vec::new();
    }
    let parts = messages.iter().flat_map(|message| &message.parts);
    let ids = parts.filter_map(|part| match part {
        Part::ToolResult { call_id, .. } => Some(call_id.clone()),
        _ => None,
    });
    ids.collect()
}
