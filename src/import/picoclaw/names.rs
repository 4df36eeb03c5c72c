//! Which session a file holds. Owns the description that lies beside it.
//! May not judge a key: that is what the host calls the session, byte for byte.

use std::fs;
use std::path::Path;

use crate::import::json::Object;

/// The largest description that is read.
const MAX_BYTES: u64 = 1024 * 1024;

/// Returns whether a file is the database of the host's memory.
pub(super) fn is_transcript(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "seahorse.db")
}

/// Returns the key of a file's session: the one described beside the file, else the file's name, in
/// which `:` and `/` have become `_`.
pub(super) fn session_of(path: &Path) -> Option<String> {
    let described = path.with_extension("meta.json");
    let is_small = fs::metadata(&described).is_ok_and(|found| found.len() <= MAX_BYTES);
    let text = is_small
        .then(|| fs::read_to_string(&described).ok())
        .flatten();
    let key = text.and_then(|text| {
        let text = text.trim_start_matches('\u{feff}');
        Object::parse(text).and_then(|object| object.text("key"))
    });
    key.or_else(|| Some(path.file_stem()?.to_string_lossy().into_owned()))
}
