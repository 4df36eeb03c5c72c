//! JSON text with places. Owns where each value of a text stands, so that a text can be edited
//! instead of written anew. May not judge what a text says.

use std::ops::Range;

use serde_json::Value;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    /// Its first byte, and the first behind it.
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    /// A text, read.
    Text(String),
    /// A number, `true`, `false` or `null`.
    Other,
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: String,
    /// The first byte of its name.
    pub(super) start: usize,
    pub(super) value: Node,
}

impl Node {
    /// Returns a member of an object; the last one where a name comes twice, as all readers do.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        let members = self.members();
        let found = members.iter().rfind(|member| member.name == name)?;
        Some(&found.value)
    }

    pub(super) fn members(&self) -> &[Member] {
        match &self.kind {
            Kind::Object(members) => members,
            _ => &[],
        }
    }

    pub(super) fn items(&self) -> &[Self] {
        match &self.kind {
            Kind::Array(items) => items,
            _ => &[],
        }
    }

    /// Returns a member that is a text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match &self.member(name)?.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns where each child begins and ends: a member from its name on.
    pub(super) fn children(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => members
                .iter()
                .map(|member| member.start..member.value.span.end)
                .collect(),
            Kind::Array(items) => items.iter().map(|item| item.span.clone()).collect(),
            Kind::Text(_) | Kind::Other => Vec::new(),
        }
    }
}

/// Reads a text that holds one object.
///
/// # Errors
/// The line, and what stands there instead of JSON.
pub(super) fn read(text: &str) -> Result<Node, String> {
    if let Err(error) = serde_json::from_str::<Value>(text) {
        return Err(explain(text, &error));
    }
    let mut scanner = Scanner { text, at: 0 };
    let root = scanner.value();
    match root {
        Some(root) if matches!(root.kind, Kind::Object(_)) => Ok(root),
        _ => Err("line 1: it holds no JSON object".to_owned()),
    }
}

/// Says where a text is no JSON, and names what people write into such files.
fn explain(text: &str, error: &serde_json::Error) -> String {
    let number = error.line().max(1);
    if text.trim().is_empty() {
        return "line 1: it is empty; {} would be an object".to_owned();
    }
    if text.starts_with('\u{feff}') {
        return "line 1: it begins with a byte order mark, which is no JSON; save it without one"
            .to_owned();
    }
    let line = text.lines().nth(number - 1).unwrap_or_default();
    let column = error.column().saturating_sub(1);
    let rest = line.get(column..).unwrap_or_default();
    let what = if rest.starts_with('/') {
        "a comment is no JSON".to_owned()
    } else if rest.starts_with(['}', ']']) && error.to_string().starts_with("trailing comma") {
        "a comma before a bracket is no JSON".to_owned()
    } else {
        let words = error.to_string();
        let words = words.split(" at line ").next().unwrap_or_default();
        format!("column {}: {words}", error.column())
    };
    format!("line {number}: {what}")
}

/// Walks over a text that is known to be JSON.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn value(&mut self) -> Option<Node> {
        self.blanks();
        let start = self.at;
        let kind = match self.peek()? {
            b'{' => Kind::Object(self.list(b'}', Self::one_member)?),
            b'[' => Kind::Array(self.list(b']', Self::value)?),
            b'"' => Kind::Text(self.string()?),
            _ => {
                while self
                    .peek()
                    .is_some_and(|byte| !b",]} \t\r\n".contains(&byte))
                {
                    self.at += 1;
                }
                Kind::Other
            }
        };
        Some(Node {
            span: start..self.at,
            kind,
        })
    }

    fn list<T>(&mut self, end: u8, one: fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut found = Vec::new();
        self.at += 1;
        loop {
            self.blanks();
            match self.peek()? {
                byte if byte == end => {
                    self.at += 1;
                    return Some(found);
                }
                b',' => self.at += 1,
                _ => found.push(one(self)?),
            }
        }
    }

    fn one_member(&mut self) -> Option<Member> {
        let start = self.at;
        let name = self.string()?;
        self.blanks();
        // The colon.
        self.at += 1;
        let value = self.value()?;
        Some(Member { name, start, value })
    }

    fn string(&mut self) -> Option<String> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek()? {
                b'\\' => self.at += 2,
                b'"' => break,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        serde_json::from_str(self.text.get(start..self.at)?).ok()
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|byte| b" \t\r\n".contains(&byte)) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}
