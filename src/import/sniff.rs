//! The beginning of a file. Owns what a format may look at to tell its files from others.
//! May not read a file to its end.

use std::fmt;
use std::path::Path;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The beginning of a text file.
#[derive(Debug)]
pub(crate) struct Head<'a> {
    /// Its path, whose name may help; it never decides alone where content can.
    pub(crate) path: &'a Path,
    /// Its first bytes as text; the last line may be cut.
    pub(crate) text: &'a str,
    /// What it is as one JSON document, if it begins like one.
    pub(crate) outline: Option<Outline>,
}

/// The first level of a JSON document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Outline {
    /// Whether it is a list; the fields are then those of its first element.
    pub(crate) is_list: bool,
    /// The names of its fields, as far as the beginning of the file shows them.
    pub(crate) fields: Vec<String>,
}

impl<'a> Head<'a> {
    /// Looks at the beginning of a file.
    pub(crate) fn new(path: &'a Path, text: &'a str) -> Self {
        Self {
            path,
            text,
            outline: Outline::of(text),
        }
    }

    /// Returns whether it begins one JSON object that has all these fields.
    pub(crate) fn is_object_with(&self, fields: &[&str]) -> bool {
        let outline = self.outline.as_ref();
        outline.is_some_and(|outline| !outline.is_list && outline.has(fields))
    }

    /// Returns whether it begins a JSON list whose first element is an object with all these
    /// fields.
    pub(crate) fn is_list_with(&self, fields: &[&str]) -> bool {
        let outline = self.outline.as_ref();
        outline.is_some_and(|outline| outline.is_list && outline.has(fields))
    }
}

impl Outline {
    /// Reads the first level of a document, or of what there is of one. `None` if the text begins
    /// no object and no list, or holds more than one value.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if !text.starts_with(['{', '[']) {
            return None;
        }
        let mut outline = Self {
            is_list: text.starts_with('['),
            fields: Vec::new(),
        };
        let mut values = serde_json::Deserializer::from_str(text);
        match Level(&mut outline).deserialize(&mut values) {
            Ok(()) => values.end().ok()?,
            Err(error) if error.is_eof() => {}
            Err(_) => return None,
        }
        Some(outline)
    }

    fn has(&self, fields: &[&str]) -> bool {
        let is_field = |name: &&str| self.fields.iter().any(|field| field == name);
        fields.iter().all(is_field)
    }
}

/// Collects the names of a level, also if the text ends before the level does.
struct Level<'a>(&'a mut Outline);

impl<'de> DeserializeSeed<'de> for Level<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object or a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key()? {
            self.0.fields.push(name);
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        if list.next_element_seed(Level(self.0))?.is_some() {
            while list.next_element::<IgnoredAny>()?.is_some() {}
        }
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
