//! Stored text on one line and in JSON. Owns that no control character gets to a terminal raw.

use super::push;
use crate::render::text::safe;

/// Returns text on one line: line breaks and tabs become blanks, controls are written out.
pub(crate) fn safe_line(text: &str) -> String {
    safe(text).replace(['\n', '\t'], " ")
}

/// Returns a session key on one line, quoted where blanks at its ends would not be seen.
pub(crate) fn safe_key(key: &str) -> String {
    let line = safe_line(key);
    if key.trim() == key {
        line
    } else {
        format!("`{line}`")
    }
}

/// Returns JSON text with the controls escaped that JSON itself lets through.
pub(crate) fn escape_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if is_control(character) {
            // All of these lie below U+10000.
            push!(escaped, "\\u{:04x}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// Says whether a terminal would act on the character instead of showing it.
fn is_control(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}[31mred\u{7}\u{9b}2J\u{7f}\u{202e}b\r\nc\td";

    #[test]
    fn no_control_character_is_left() {
        let line = safe_line(HOSTILE);
        assert_eq!(line, "a\\u{1b}[31mred\\u{7}\\u{9b}2J\\u{7f}\\u{202e}b c d");
    }

    #[test]
    fn plain_text_of_any_script_stays() {
        for text in ["naïve", "用户身份", "👩‍👩‍👧", "שלום", ""] {
            assert_eq!(safe_line(text), text);
            assert_eq!(escape_json(text), text);
        }
    }

    #[test]
    fn a_key_that_ends_in_blanks_is_quoted() {
        for (key, shown) in [
            ("main", "main"),
            ("a b", "a b"),
            (" ", "` `"),
            ("a\n", "`a `"),
        ] {
            assert_eq!(safe_key(key), shown);
        }
    }

    #[test]
    fn escaped_json_says_the_same() {
        let json = serde_json::to_string(HOSTILE).unwrap();
        let escaped = escape_json(&json);
        assert!(!escaped.chars().any(is_control), "{escaped}");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), HOSTILE);
    }
}
