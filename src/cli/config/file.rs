//! Configuration files: TOML of our own, and the four knobs of a `PicoClaw` config.json.
//! Owns which keys a file may hold and which line a complaint is about.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use super::{FilePlace, KEYS, Origin, Sourced};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;

/// The keys under `agents.defaults` that are ours too.
const KNOBS: [&str; 4] = [
    "context_window",
    "summarize_token_percent",
    "summarize_message_threshold",
    "leaf_from_percent",
];

/// Bytes of a file at most: more than anybody sets, and an end where a file has none.
const MAX_BYTES: u64 = 1 << 20;

/// Reads the text of a file.
///
/// # Errors
/// The system's; `InvalidData` if it is too long or no UTF-8.
pub(super) fn load(path: &Path) -> io::Result<String> {
    let mut text = Vec::new();
    let n_read = File::open(path)?
        .take(MAX_BYTES + 1)
        .read_to_end(&mut text)?;
    let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    if n_read as u64 > MAX_BYTES {
        return Err(invalid(format!("it is longer than {MAX_BYTES} bytes")));
    }
    String::from_utf8(text).map_err(|error| invalid(error.utf8_error().to_string()))
}

/// What a configuration file says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct FileValues {
    values: BTreeMap<String, Sourced>,
    /// Where they are from.
    pub(super) place: FilePlace,
}

impl FileValues {
    /// Says where a file would be that is not there.
    pub(super) fn missing(path: PathBuf) -> Self {
        Self {
            place: FilePlace::Missing(path),
            ..Self::default()
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Sourced> {
        self.values.get(key)
    }
}

pub(super) fn refused(message: impl Into<String>) -> Failure {
    Failure::new(Exit::Usage, "config", message)
}

pub(super) fn parse(path: &Path, text: &str) -> Result<FileValues, Failure> {
    if text.trim_start().starts_with('{') {
        parse_json(path, text)
    } else {
        parse_toml(path, text)
    }
}

fn parse_toml(path: &Path, text: &str) -> Result<FileValues, Failure> {
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = line_of(text, at);
        refused(format!(
            "{} line {line}: {}",
            path.display(),
            error.message()
        ))
    })?;
    let mut values = BTreeMap::new();
    for (name, value) in table.get_ref() {
        let origin = Origin::Line(path.to_owned(), line_of(text, name.span().start));
        let key: &str = name.get_ref();
        if !KEYS.contains(&key) {
            let message = format!("{origin}: unknown key `{key}`");
            return Err(refused(message).with_hint(format!("the keys are {}", KEYS.join(", "))));
        }
        let value = toml_text(value.get_ref()).ok_or_else(|| {
            refused(format!(
                "{origin}: `{key}` must be a text, a whole number, true or false, or a list of texts"
            ))
        })?;
        values.insert(key.to_owned(), (value, origin));
    }
    Ok(FileValues {
        values,
        place: FilePlace::Read(path.to_owned()),
    })
}

/// Returns a value in the form an environment variable would have.
fn toml_text(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Boolean(flag) => Some(flag.to_string()),
        DeValue::Integer(number) => {
            let number = i128::from_str_radix(number.as_str(), number.radix()).ok()?;
            Some(number.to_string())
        }
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Array(items) => {
            let texts: Option<Vec<&str>> =
                items.iter().map(|item| item.get_ref().as_str()).collect();
            Some(texts?.join(","))
        }
        _ => None,
    }
}

fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    memchr::memchr_iter(b'\n', before).count() + 1
}

/// Takes the four knobs; the rest of the file is another program's.
fn parse_json(path: &Path, text: &str) -> Result<FileValues, Failure> {
    let json: Value = serde_json::from_str(text)
        .map_err(|error| refused(format!("{} line {}: {error}", path.display(), error.line())))?;
    let mut values = BTreeMap::new();
    for key in KNOBS {
        let pointer = format!("/agents/defaults/{key}");
        if let Some(value) = json.pointer(&pointer).filter(|value| !value.is_null()) {
            let origin = Origin::Json(path.to_owned(), format!("agents.defaults.{key}"));
            values.insert(key.to_owned(), (value.to_string(), origin));
        }
    }
    Ok(FileValues {
        values,
        place: FilePlace::Read(path.to_owned()),
    })
}
