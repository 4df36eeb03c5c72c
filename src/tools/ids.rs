//! Ids asked for, as they were written. Owns what a list of ids may hold.
//! May not look anything up.

use serde_json::Value;

use super::arguments::{digits_of, shown};
use super::error::ToolError;
use crate::domain::{HandleError, ItemId, MessageId};

/// An id and the text it was asked for by, so that an answer can name a missing one as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedId {
    /// The id. A number past 64 bits is the greatest there is, which no row has.
    pub id: ItemId,
    /// The text.
    pub text: String,
}

/// Reads ids as people write them.
///
/// # Errors
/// [`HandleError`] for the first text that is no id.
pub fn asked_ids<'a>(
    texts: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<AskedId>, HandleError> {
    texts.into_iter().map(asked_id).collect()
}

fn asked_id(text: &str) -> Result<AskedId, HandleError> {
    Ok(AskedId {
        id: text.parse()?,
        text: text.to_owned(),
    })
}

/// Reads the id of one message: decimal text or a number.
pub(super) fn message_id(name: &'static str, value: &Value) -> Result<MessageId, ToolError> {
    let asked = digits_of(value).and_then(|digits| asked_id(&digits).ok());
    match asked.map(|asked| asked.id) {
        Some(ItemId::Message(id)) => Ok(id),
        _ => Err(ToolError::argument(
            name,
            format!(
                "{} is no message id; write a whole number such as \"42\", as short_grep and \
                 short_expand show it",
                shown(value)
            ),
        )),
    }
}

/// Reads a list of message ids: decimal texts or numbers.
pub(super) fn message_ids(name: &'static str, values: &[Value]) -> Result<Vec<AskedId>, ToolError> {
    read_list(name, values, |value| {
        let asked = digits_of(value).and_then(|digits| asked_id(&digits).ok());
        asked.ok_or_else(|| match value.as_str() {
            Some(text) if text.parse::<ItemId>().is_ok() => {
                format!(
                    "{} is the id of a summary; put it into `summary_ids`",
                    shown(value)
                )
            }
            _ => format!(
                "{} is no message id; write a whole number such as \"42\"",
                shown(value)
            ),
        })
    })
}

/// Reads a list of summary ids: `s` and a decimal number.
pub(super) fn summary_ids(name: &'static str, values: &[Value]) -> Result<Vec<AskedId>, ToolError> {
    read_list(name, values, |value| {
        let asked = value.as_str().and_then(|text| asked_id(text).ok());
        asked
            .filter(|asked| matches!(asked.id, ItemId::Summary(_)))
            .ok_or_else(|| {
                format!(
                    "{} is no summary id; write s and a whole number such as \"s12\"",
                    shown(value)
                )
            })
    })
}

fn read_list(
    name: &'static str,
    values: &[Value],
    read: impl Fn(&Value) -> Result<AskedId, String>,
) -> Result<Vec<AskedId>, ToolError> {
    if values.is_empty() {
        return Err(ToolError::argument(
            name,
            "is empty; give at least one id that short_grep or a summary has shown",
        ));
    }
    values
        .iter()
        .map(|value| read(value).map_err(|message| ToolError::argument(name, message)))
        .collect()
}
