//! JSON read without building it. Owns how a record's fields are found and its words taken.
//! May not know a format. Values stay text, so that key order, large numbers and deep nesting
//! survive, and no walk needs a deep stack.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Levels of nesting that [`strings`] looks into; what lies deeper is taken as one text.
const MAX_WALK_DEPTH: usize = 48;

/// The fields of a JSON object, each value as it was written.
#[derive(Debug, Default)]
pub(crate) struct Object<'a> {
    fields: Vec<(Cow<'a, str>, &'a RawValue)>,
}

/// What kind of value a text holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Object,
    Array,
    Number,
    Literal,
}

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some((Key(name), value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    fields.push((name, value));
                }
                Ok(Object { fields })
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

impl<'a> Object<'a> {
    /// Reads an object; `None` if the text is none.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Returns a field's value, the last one if it is written twice; `None` for null.
    pub(crate) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.fields
            .iter()
            .rev()
            .find(|(field, _)| field == name)
            .map(|(_, value)| *value)
            .filter(|value| value.get() != "null")
    }

    /// Returns a field that holds a string.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.get(name).and_then(|value| text(value.get()))
    }

    /// Returns a field that holds an object.
    pub(crate) fn object(&self, name: &str) -> Option<Object<'a>> {
        self.get(name).and_then(|value| Object::parse(value.get()))
    }

    /// Returns whether a field holds `true`.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value.get() == "true")
    }

    /// Returns whether a field is there, be it null.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(field, _)| field == name)
    }

    /// Iterates over all fields, in the order they were written.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.fields
            .iter()
            .map(|(name, value)| (name.as_ref(), *value))
    }
}

/// Returns what kind of value a text without blanks around it begins.
pub(crate) fn kind(text: &str) -> Kind {
    match text.as_bytes().first() {
        Some(b'"') => Kind::Text,
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::Array,
        Some(b'-' | b'0'..=b'9') => Kind::Number,
        _ => Kind::Literal,
    }
}

/// Decodes a JSON string; `None` for any other value.
pub(crate) fn text(raw: &str) -> Option<String> {
    serde_json::from_str(raw).ok()
}

/// Splits a JSON array into its elements; `None` for any other value.
pub(crate) fn elements(raw: &str) -> Option<Vec<&RawValue>> {
    serde_json::from_str(raw).ok()
}

/// Reads a content as most hosts write one: a text, an object, or a list of both. Anything else
/// holds nothing.
pub(crate) fn content<T>(raw: Option<&RawValue>, read: impl Fn(&str) -> Option<T>) -> Vec<T> {
    let raw = raw.map_or("null", RawValue::get);
    match kind(raw) {
        Kind::Array => elements(raw)
            .unwrap_or_default()
            .into_iter()
            .filter_map(|part| read(part.get()))
            .collect(),
        Kind::Text | Kind::Object => read(raw).into_iter().collect(),
        Kind::Number | Kind::Literal => Vec::new(),
    }
}

/// Replaces each half of a surrogate pair that has lost its other half by U+FFFD. Writers that cut
/// a text between the halves leave such escapes, and strict parsers refuse the whole line.
pub(crate) fn repair(line: &str) -> Cow<'_, str> {
    let mut halves = lone_surrogates(line.as_bytes()).peekable();
    if halves.peek().is_none() {
        return Cow::Borrowed(line);
    }
    let mut repaired = String::with_capacity(line.len());
    let mut from = 0;
    for at in halves {
        repaired.push_str(line.get(from..at).unwrap_or_default());
        repaired.push_str("\\ufffd");
        from = at + 6;
    }
    repaired.push_str(line.get(from..).unwrap_or_default());
    Cow::Owned(repaired)
}

/// Iterates over the byte offsets of lone surrogate escapes.
fn lone_surrogates(line: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let at = from + memchr::memchr(b'\\', line.get(from..)?)?;
            let Some(unit) = escape_unit(line, at) else {
                // A backslash takes the byte after it along, so that `\\ud800` is no escape.
                from = at + 2;
                continue;
            };
            from = at + 6;
            if !(0xD800..0xE000).contains(&unit) {
                continue;
            }
            let is_pair = unit < 0xDC00
                && escape_unit(line, from).is_some_and(|low| (0xDC00..0xE000).contains(&low));
            if !is_pair {
                return Some(at);
            }
            from += 6;
        }
    })
}

/// Reads the code unit of a `\u` escape that begins here.
fn escape_unit(line: &[u8], at: usize) -> Option<u16> {
    let escape = line.get(at..at + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Collects the words of a value: its strings that are not blank, in order, leaving out the fields
/// that `skip` names at any level.
pub(crate) fn strings(raw: &str, skip: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    walk(raw, skip, MAX_WALK_DEPTH, &mut found);
    found
}

fn walk(raw: &str, skip: &[&str], depth: usize, found: &mut Vec<String>) {
    match kind(raw) {
        Kind::Text => found.extend(text(raw).filter(|words| !words.trim().is_empty())),
        Kind::Object | Kind::Array if depth == 0 => found.push(raw.to_owned()),
        Kind::Object => {
            for (name, value) in Object::parse(raw).iter().flat_map(Object::fields) {
                if !skip.contains(&name) {
                    walk(value.get(), skip, depth - 1, found);
                }
            }
        }
        Kind::Array => {
            for value in elements(raw).unwrap_or_default() {
                walk(value.get(), skip, depth - 1, found);
            }
        }
        Kind::Number | Kind::Literal => {}
    }
}
