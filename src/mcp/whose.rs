//! Whose request a text was that is no message, or longer than any: its client waits for an answer
//! under that id. Owns finding the id without reading the rest.
//! May not judge whether a text is JSON.

use rmcp::model::RequestId;

/// Bytes of a name or an id at most that are looked at.
const MAX_TOKEN_BYTES: usize = 1_024;

/// Looks for the id of a request in a text that comes in pieces.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Whose {
    /// Brackets that are open, the text's own with them.
    depth: usize,
    root: Root,
    place: Place,
    /// What stands after the last comma or colon of the text's own members.
    token: Vec<u8>,
    /// The name of the member that is read.
    name: Vec<u8>,
    id: Id,
    is_of_protocol: bool,
    is_request: bool,
    is_answer: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Root {
    #[default]
    Unknown,
    Object,
    Other,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Outside,
    InText,
    /// Behind a backslash in a text.
    Escaped,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Id {
    #[default]
    None,
    One(Vec<u8>),
    /// Two members of that name: nobody can say which is meant.
    Several,
}

impl Whose {
    /// Returns the id of a whole text, if it is a request's.
    pub(super) fn of(text: &[u8]) -> Option<RequestId> {
        let mut whose = Self::default();
        whose.read(text);
        whose.id()
    }

    /// Reads the next piece.
    pub(super) fn read(&mut self, mut piece: &[u8]) {
        while let Some((first, rest)) = piece.split_first() {
            piece = rest;
            match self.place {
                Place::Outside => self.step(*first),
                Place::Escaped => {
                    self.keep(&[*first]);
                    self.place = Place::InText;
                }
                Place::InText if *first == b'"' => {
                    self.keep(b"\"");
                    self.place = Place::Outside;
                }
                Place::InText if *first == b'\\' => {
                    self.keep(b"\\");
                    self.place = Place::Escaped;
                }
                Place::InText => {
                    // Texts may be long, and little of them matters.
                    let end = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
                    let (plain, behind) = rest.split_at_checked(end).unwrap_or_default();
                    self.keep(&[*first]);
                    self.keep(plain);
                    piece = behind;
                }
            }
        }
    }

    /// Returns the id, if the text was a request.
    pub(super) fn id(&self) -> Option<RequestId> {
        match &self.id {
            Id::One(token) if self.is_of_protocol && self.is_request && !self.is_answer => {
                serde_json::from_slice(token).ok()
            }
            _ => None,
        }
    }

    /// Reads a byte that stands in no text.
    fn step(&mut self, byte: u8) {
        if self.root == Root::Unknown && !byte.is_ascii_whitespace() {
            self.root = match byte {
                b'{' => Root::Object,
                _ => Root::Other,
            };
        }
        match byte {
            b'"' => {
                self.keep(b"\"");
                self.place = Place::InText;
            }
            b'{' | b'[' => {
                self.keep(&[byte]);
                self.depth = self.depth.saturating_add(1);
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_member();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => self.name = std::mem::take(&mut self.token),
            b',' if self.depth == 1 => self.end_member(),
            _ if byte.is_ascii_whitespace() => {}
            _ => self.keep(&[byte]),
        }
    }

    /// Keeps what belongs to a name or a value of the text's own members.
    fn keep(&mut self, bytes: &[u8]) {
        if self.depth == 1 {
            // One byte more than may be there tells that it is too long.
            let room = (MAX_TOKEN_BYTES + 1).saturating_sub(self.token.len());
            self.token.extend(bytes.iter().take(room));
        }
    }

    fn end_member(&mut self) {
        let token = std::mem::take(&mut self.token);
        let name = std::mem::take(&mut self.name);
        if self.root != Root::Object {
            return;
        }
        match name.as_slice() {
            b"\"id\"" => {
                self.id = match (&self.id, token.len() <= MAX_TOKEN_BYTES) {
                    (Id::None, true) => Id::One(token),
                    _ => Id::Several,
                };
            }
            b"\"jsonrpc\"" => self.is_of_protocol = token == b"\"2.0\"",
            b"\"method\"" => self.is_request = true,
            b"\"result\"" | b"\"error\"" => self.is_answer = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;

    use super::*;

    #[track_caller]
    fn check_whose(text: &str, want: impl Into<Option<NumberOrString>>) {
        let want = want.into();
        assert_eq!(Whose::of(text.as_bytes()), want, "{text}");
        let mut bytewise = Whose::default();
        for byte in text.as_bytes() {
            bytewise.read(&[*byte]);
        }
        assert_eq!(bytewise.id(), want, "{text}, byte by byte");
    }

    fn number(number: i64) -> NumberOrString {
        NumberOrString::Number(number)
    }

    fn word(word: &str) -> NumberOrString {
        NumberOrString::String(word.into())
    }

    #[test]
    fn the_id_of_a_request_is_found_wherever_it_stands() {
        check_whose(r#"{"jsonrpc":"2.0","id":7,"method":"m"}"#, number(7));
        check_whose(
            " {\n\"method\" : \"m\" , \"id\" : -7,\"jsonrpc\" :\t\"2.0\" }",
            number(-7),
        );
        check_whose(
            r#"{"jsonrpc":"2.0","method":"m","params":{"id":1,"a":[{"id":2}]},"id":"x"}"#,
            word("x"),
        );
        check_whose(
            r#"{"jsonrpc":"2.0","method":"m","params":{"t":"\ud800\"}],"},"id":3}"#,
            number(3),
        );
        check_whose(
            r#"{"jsonrpc":"2.0","method":"m","params":"\\","id":"a\"b"}"#,
            word("a\"b"),
        );
        check_whose(
            r#"{"jsonrpc":"2.0","method":"m","params":[1,2],"id":""}"#,
            word(""),
        );
        let deep = format!(
            r#"{{"jsonrpc":"2.0","method":"m","p":{}{},"id":4}}"#,
            "[".repeat(999),
            "]".repeat(999)
        );
        check_whose(&deep, number(4));
    }

    #[test]
    fn what_is_no_request_or_names_no_id_belongs_to_nobody() {
        for text in [
            "",
            "7",
            "[1]",
            r#"[{"jsonrpc":"2.0","id":1,"method":"m"}]"#,
            r#""id":1,"method":"m""#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","method":"m"}"#,
            r#"{"id":1,"method":"m"}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":{},"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":[1],"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":"\ud800","method":"m"}"#,
            r#"{"jsonrpc":"2.0","params":{"id":1},"method":"m"}"#,
        ] {
            check_whose(text, None);
        }
        let long = format!(
            r#"{{"jsonrpc":"2.0","id":"{}","method":"m"}}"#,
            "x".repeat(2_000)
        );
        check_whose(&long, None);
    }
}
