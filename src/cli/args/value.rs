//! Values of the command line. Owns their forms, and what is said of a bad one.

use crate::domain::{
    MessageId, PinId, PinIdError, PinKind, Role, RoleError, Seq, SessionKey, Sort, SortError, Span,
    Tokens,
};
use crate::tools::{OptionalTool, OptionalToolError, ToolFormat, ToolFormatError};

/// Reads a session key.
pub(super) fn session_key(text: &str) -> Result<SessionKey, String> {
    SessionKey::new(text).map_err(|error| error.to_string())
}

/// Reads the id of a message.
pub(super) fn message_id(text: &str) -> Result<MessageId, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        return Err("a message's id is a number such as 42".to_owned());
    }
    // A number past 64 bits is well formed; no row can have it.
    Ok(MessageId::new(text.parse().unwrap_or(i64::MAX)))
}

/// Reads the id of a pin.
pub(super) fn pin_id(text: &str) -> Result<PinId, String> {
    text.parse().map_err(|error: PinIdError| error.to_string())
}

/// Reads what a pin holds.
pub(super) fn pin_kind(text: &str) -> Result<PinKind, String> {
    PinKind::from_word(text)
        .ok_or_else(|| "it must be constraint, decision, plan or fact".to_owned())
}

/// Reads an interface's form of tools.
pub(super) fn tool_format(text: &str) -> Result<ToolFormat, String> {
    text.parse()
        .map_err(|error: ToolFormatError| error.to_string())
}

/// Reads a tool beside the two.
pub(super) fn optional_tool(text: &str) -> Result<OptionalTool, String> {
    text.parse()
        .map_err(|error: OptionalToolError| error.to_string())
}

/// Reads what summaries should keep to.
pub(super) fn focus(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("it must say what the summaries should keep to".to_owned());
    }
    Ok(text.to_owned())
}

/// Reads a role.
pub(super) fn role(text: &str) -> Result<Role, String> {
    text.parse().map_err(|error: RoleError| error.to_string())
}

/// Reads an order.
pub(super) fn sort(text: &str) -> Result<Sort, String> {
    text.parse().map_err(|error: SortError| error.to_string())
}

/// Reads the place of a message.
pub(super) fn seq(text: &str) -> Result<Seq, String> {
    whole(text).map(Seq::new)?.ok_or_else(not_positive)
}

/// Reads a span, or one place as a span of its own.
pub(super) fn span(text: &str) -> Result<Span, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let place = |text: &str| whole(text).ok().and_then(Seq::new);
    place(first)
        .zip(place(last))
        .and_then(|(first, last)| Span::new(first, last))
        .ok_or_else(|| "it must be two places, the first one first, as 5-20".to_owned())
}

/// Reads a number of tokens.
pub(super) fn tokens(text: &str) -> Result<Tokens, String> {
    whole(text).map(Tokens::new)
}

/// Reads a whole number of at least 1; past 64 bits it is the greatest there is.
pub(super) fn whole(text: &str) -> Result<u64, String> {
    let is_whole = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse().unwrap_or(u64::MAX) {
        0 => Err(not_positive()),
        number if is_whole => Ok(number),
        _ => Err(not_positive()),
    }
}

fn not_positive() -> String {
    "it must be a whole number of at least 1".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_whole_and_at_least_one() {
        assert_eq!(whole("1"), Ok(1));
        assert_eq!(whole("99999999999999999999"), Ok(u64::MAX));
        for text in ["", "0", "-1", "2.5", "1e3", " 1", "x"] {
            assert!(whole(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_span_is_one_place_or_two_in_order() {
        assert_eq!(
            span("5-20").map(|span| span.to_string()),
            Ok("5-20".to_owned())
        );
        assert_eq!(span("7").map(|span| span.to_string()), Ok("7-7".to_owned()));
        for text in ["", "-", "5-", "-5", "20-5", "0-5", "a-b", "1-2-3"] {
            assert!(span(text).is_err(), "{text}");
        }
    }
}
