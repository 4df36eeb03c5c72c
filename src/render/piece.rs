//! What is said in one breath, and what providers demand of it. Owns ids, names and arguments.
//! May not order anything: `talk` does.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::domain::ItemId;

/// One piece of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece<'view> {
    /// Words, never blank.
    Text(Cow<'view, str>),
    /// A picture, a document, a sound.
    Media {
        uri: &'view str,
        mime: &'view str,
        /// The message that holds it.
        of: Option<ItemId>,
    },
    /// Reasoning with the provider's own signature.
    Signed {
        text: &'view str,
        signature: &'view str,
    },
    /// Reasoning that the provider sent encrypted.
    Redacted(String),
    /// What the model said instead of an answer.
    Refusal(String),
    /// A block that goes back to its provider as it came.
    Kept(&'view str),
}

/// A call with its one result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call<'view> {
    pub(super) id: String,
    pub(super) name: String,
    /// A JSON object.
    pub(super) arguments: Cow<'view, str>,
    pub(super) result: Answer<'view>,
    /// The reasoning that led to it, where the interface has it right before its call.
    pub(super) thoughts: Vec<Piece<'view>>,
}

/// What a call gave back; its content is never blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer<'view> {
    pub(super) content: &'view str,
    pub(super) is_error: bool,
}

impl<'view> Answer<'view> {
    /// What stands for a result that was never recorded.
    pub(super) const MISSING: Self = Self {
        content: "[no result was recorded]",
        is_error: false,
    };

    pub(super) fn new(content: &'view str, is_error: bool) -> Self {
        let content = if speaks(content) { content } else { "[empty]" };
        Self { content, is_error }
    }

    /// Returns what came back where the interface has no mark for a failure: words before it.
    pub(super) fn marked(&self) -> Cow<'view, str> {
        if self.is_error {
            Cow::Owned(format!("{FAILED}{}", self.content))
        } else {
            Cow::Borrowed(self.content)
        }
    }
}

/// What a failed result begins with where the interface has no mark for it.
pub(super) const FAILED: &str = "[failed]\n";

/// Says whether a text says anything: providers refuse blocks of white space, and some count
/// control characters as such.
pub(super) fn speaks(text: &str) -> bool {
    text.chars().any(|letter| !is_blank(letter))
}

/// Returns a text without the blanks at its end.
pub(super) fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_blank)
}

fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control()
}

/// The ids given out so far. An id depends only on what stands before its call, so that a longer
/// view begins with the bytes of a shorter one.
#[derive(Debug)]
pub(super) struct CallIds {
    longest: usize,
    used: HashSet<String>,
}

impl CallIds {
    pub(super) fn new(longest: usize) -> Self {
        Self {
            longest,
            used: HashSet::new(),
        }
    }

    /// Returns the host's own id, unless it is unlawful or taken: then one made of the call's
    /// message and its number there.
    pub(super) fn give(&mut self, call_id: &str, of: Option<ItemId>, number: usize) -> String {
        let mut id = call_id.to_owned();
        let mut n_tries = 0;
        while !is_name(&id, self.longest) || !self.used.insert(id.clone()) {
            let of = of.map_or_else(String::new, |of| of.to_string());
            id = match n_tries {
                0 => format!("call_{of}_{number}"),
                _ => format!("call_{of}_{number}_{n_tries}"),
            };
            n_tries += 1;
        }
        id
    }
}

/// Says whether a text is made of ASCII letters, digits, `_` and `-`, and not too long.
fn is_name(text: &str, longest: usize) -> bool {
    (1..=longest).contains(&text.len()) && text.chars().all(may_be_in_name)
}

fn may_be_in_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'
}

/// The greatest length of a tool's name.
const LONGEST_NAME: usize = 64;

/// Returns a tool's name as providers take it: each other character is `_`, and what is too long
/// is cut.
pub(super) fn tool_name(name: &str) -> String {
    let lawful: String = name
        .chars()
        .map(|letter| if may_be_in_name(letter) { letter } else { '_' })
        .take(LONGEST_NAME)
        .collect();
    if lawful.is_empty() {
        "_".to_owned()
    } else {
        lawful
    }
}

/// Returns JSON without the white space between its tokens; strings and numbers stay as they are.
pub(super) fn one_line(json: &str) -> String {
    let mut line = String::with_capacity(json.len());
    let (mut in_string, mut is_escaped) = (false, false);
    for letter in json.chars() {
        match letter {
            '"' if !is_escaped => in_string = !in_string,
            ' ' | '\n' | '\r' | '\t' if !in_string => continue,
            _ => {}
        }
        is_escaped = in_string && letter == '\\' && !is_escaped;
        line.push(letter);
    }
    line
}

/// Returns a block as it came, on one line; `None` if it is no JSON.
pub(super) fn kept(json: &str) -> Option<Box<RawValue>> {
    let line = if json.contains(['\n', '\r']) {
        one_line(json)
    } else {
        json.to_owned()
    };
    RawValue::from_string(line).ok()
}

/// Returns the encrypted reasoning that an unknown block is, if it is one. Without its data such a
/// block is no use to anyone, and is refused.
pub(super) fn redacted(json: &str) -> Option<String> {
    let block = block_of_kind(json, "redacted_thinking")?;
    let data = block.get("data").and_then(Value::as_str);
    Some(data.unwrap_or_default().to_owned())
}

/// Returns the words of a refusal, if an unknown block is one and says something.
pub(super) fn refusal(json: &str) -> Option<String> {
    let block = block_of_kind(json, "refusal")?;
    let words = block.get("refusal")?.as_str()?;
    speaks(words).then(|| words.to_owned())
}

fn block_of_kind(json: &str, kind: &str) -> Option<Value> {
    if !json.contains(kind) {
        return None;
    }
    let block: Value = serde_json::from_str(json).ok()?;
    block
        .get("type")
        .is_some_and(|of| of == kind)
        .then_some(block)
}
