//! A value in a body and its place. Owns how fields are found and what is said of a wrong one.
//! May not build what it does not look into: values stay text, so nesting needs no deep stack.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::error::ReadError;
use crate::domain::Part;

/// A value, as it was written, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Node<'a> {
    /// Its path from the top, empty for the body itself.
    path: String,
    raw: &'a str,
}

/// What kind of value a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Object,
    List,
    Other,
}

impl<'a> Node<'a> {
    /// Reads a body, and looks no deeper than it must.
    pub(super) fn body(json: &'a str) -> Result<Self, ReadError> {
        let json = json.strip_prefix('\u{feff}').unwrap_or(json);
        let raw: &RawValue = serde_json::from_str(json).map_err(ReadError::NotJson)?;
        Ok(Self {
            path: String::new(),
            raw: raw.get(),
        })
    }

    pub(super) const fn raw(&self) -> &'a str {
        self.raw
    }

    pub(super) fn kind(&self) -> Kind {
        match self.raw.as_bytes().first() {
            Some(b'"') => Kind::Text,
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::List,
            _ => Kind::Other,
        }
    }

    /// Returns where it stands, in backquotes.
    pub(super) fn place(&self) -> String {
        place(&self.path)
    }

    /// Says what belongs here instead.
    pub(super) fn wrong(&self, wanted: &'static str) -> ReadError {
        const LONGEST: usize = 60;
        let mut found: String = self.raw.chars().take(LONGEST).collect();
        if found.len() < self.raw.len() {
            found.push('…');
        }
        ReadError::Wrong {
            place: self.place(),
            wanted,
            found,
        }
    }

    pub(super) fn text(&self) -> Result<String, ReadError> {
        let wanted = match self.kind() {
            // A text after all, but with an escape that is no character.
            Kind::Text => "a text whose escapes are whole characters",
            _ => "a text",
        };
        serde_json::from_str(self.raw).map_err(|_| self.wrong(wanted))
    }

    pub(super) fn list(&self) -> Result<Vec<Self>, ReadError> {
        let items: Vec<&'a RawValue> =
            serde_json::from_str(self.raw).map_err(|_| self.wrong("a list"))?;
        let nodes = items.iter().enumerate().map(|(item_idx, raw)| Self {
            path: format!("{}[{item_idx}]", self.path),
            raw: raw.get(),
        });
        Ok(nodes.collect())
    }

    pub(super) fn object(&self) -> Result<Fields<'a>, ReadError> {
        if self.kind() != Kind::Object {
            return Err(self.wrong("an object"));
        }
        // The keys of an object that is JSON can only fail in their escapes.
        let Entries(entries) = serde_json::from_str(self.raw)
            .map_err(|_| self.wrong("an object whose keys are whole characters"))?;
        let fields = Fields {
            path: self.path.clone(),
            entries,
        };
        let mut names = HashSet::new();
        for (name, _) in &fields.entries {
            if !names.insert(name) {
                let place = place(&fields.path_of(name));
                return Err(ReadError::Twice { place });
            }
        }
        Ok(fields)
    }

    /// Returns the value as a part that is kept as it came.
    pub(super) fn opaque(&self) -> Part {
        Part::Opaque {
            json: self.raw.to_owned(),
        }
    }

    /// Says whether it holds nothing that could be lost.
    fn is_empty(&self) -> bool {
        ["null", "false", "[]", "{}", "\"\""].contains(&self.raw)
    }
}

/// The fields of an object, in the order they were written.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    path: String,
    entries: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Fields<'a> {
    fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    /// Returns a field; null counts as not there.
    pub(super) fn get(&self, name: &str) -> Option<Node<'a>> {
        let (_, raw) = self.entries.iter().find(|(field, _)| field == name)?;
        (raw.get() != "null").then(|| Node {
            path: self.path_of(name),
            raw: raw.get(),
        })
    }

    /// Returns the first of these fields that is there.
    pub(super) fn either(&self, names: &[&str]) -> Option<Node<'a>> {
        names.iter().find_map(|name| self.get(name))
    }

    pub(super) fn need(&self, name: &str, wanted: &'static str) -> Result<Node<'a>, ReadError> {
        self.get(name).ok_or_else(|| ReadError::Missing {
            place: place(&self.path_of(name)),
            wanted,
        })
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<String>, ReadError> {
        self.get(name).map(|node| node.text()).transpose()
    }

    pub(super) fn need_text(&self, name: &str) -> Result<String, ReadError> {
        self.need(name, "a text")?.text()
    }

    /// Reads a field that is true, false or not there.
    pub(super) fn flag(&self, name: &str) -> Result<bool, ReadError> {
        match self.get(name) {
            None => Ok(false),
            Some(node) => match node.raw() {
                "true" => Ok(true),
                "false" => Ok(false),
                _ => Err(node.wrong("true or false")),
            },
        }
    }

    /// Says whether no other field than these holds anything.
    pub(super) fn has_only(&self, known: &[&str]) -> bool {
        self.others(known).next().is_none()
    }

    /// Returns the fields that hold something beside the known ones, as one part.
    pub(super) fn rest(&self, known: &[&str]) -> Option<Part> {
        let fields: Vec<String> = self
            .others(known)
            .map(|(name, raw)| format!("{}:{raw}", serde_json::Value::from(name)))
            .collect();
        (!fields.is_empty()).then(|| Part::Opaque {
            json: format!("{{{}}}", fields.join(",")),
        })
    }

    fn others(&self, known: &[&str]) -> impl Iterator<Item = (&str, &'a str)> {
        self.entries.iter().filter_map(|(name, raw)| {
            let node = Node {
                path: String::new(),
                raw: raw.get(),
            };
            (!known.contains(&name.as_ref()) && !node.is_empty()).then(|| (&**name, raw.get()))
        })
    }
}

fn place(path: &str) -> String {
    if path.is_empty() {
        "the body".to_owned()
    } else {
        format!("`{path}`")
    }
}

/// The entries of an object, each value as it was written.
struct Entries<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor;
        impl<'de> Visitor<'de> for EntriesVisitor {
            type Value = Entries<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<'de>, A::Error> {
                let mut entries = Vec::new();
                while let Some((Key(name), raw)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    entries.push((name, raw));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(EntriesVisitor)
    }
}
