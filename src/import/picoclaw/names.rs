//! Which session a file holds. Owns the description that lies beside it.
//! May not judge a key: that is what the host calls the session, byte for byte.

use std::fs;
use std::path::Path;

use crate::import::json::{self, Object};
use crate::import::unpack::text_beside;

/// The largest description that is read.
const MAX_BYTES: u64 = 1024 * 1024;

/// What the host puts behind the name of a document that it has copied into lines.
const MIGRATED: &str = ".json.migrated";

/// Returns whether a file is the database of the host's memory, or may be a document of its first
/// versions: those are named for their keys, in which `:` has become `_`.
pub(super) fn is_transcript(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folders = path.parent().into_iter().flat_map(Path::ancestors);
    let folders: Vec<_> = folders.take(2).filter_map(Path::file_name).collect();
    let is_in_sessions = folders.first().is_some_and(|name| *name == "sessions");
    let is_in_workspace = folders.get(1).is_some_and(|name| *name == "workspace");
    let is_document = name.ends_with(".json") && !name.ends_with(".meta.json");
    let is_named = is_in_workspace || name.contains('_');
    name == "seahorse.db" || name.ends_with(MIGRATED) || (is_document && is_in_sessions && is_named)
}

/// Returns the key of a document: the one in it, unless a session beside it has taken its place and
/// names it as an alias; without one, the file's name.
pub(super) fn key_of_document(key: Option<String>, path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.trim_end_matches(".migrated").trim_end_matches(".json");
    let key = key.filter(|key| !key.is_empty());
    let key = key.unwrap_or_else(|| stem.to_owned());
    let beside = path.parent().and_then(|folder| fs::read_dir(folder).ok());
    let mut described: Vec<_> = beside
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(".meta.json"))
        .collect();
    described.sort();
    let heir = described.iter().find_map(|path| {
        let text = read_description(path).filter(|text| text.contains("\"aliases\""))?;
        let object = Object::parse(&text)?;
        let aliases = json::elements(object.get("aliases")?.get())?;
        let mut aliases = aliases.iter().filter_map(|raw| json::text(raw.get()));
        aliases
            .any(|alias| alias == key)
            .then(|| object.text("key"))?
    });
    heir.unwrap_or(key)
}

/// Returns the key of a file's session: the one described beside the file, else the file's name, in
/// which `:` and `/` have become `_`.
pub(super) fn session_of(path: &Path) -> Option<String> {
    let described = path.with_extension("meta.json");
    let text = read_description(&described);
    let key = text.and_then(|text| Object::parse(&text)?.text("key"));
    key.or_else(|| Some(path.file_stem()?.to_string_lossy().into_owned()))
}

fn read_description(path: &Path) -> Option<String> {
    let text = text_beside(path, MAX_BYTES)?;
    Some(text.trim_start_matches('\u{feff}').to_owned())
}
