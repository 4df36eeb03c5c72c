//! The known places of a bare `import`: which are there, and what lay in each.

use serde_json::{Value, json};

use crate::cli::config::Settings;
use crate::cli::paint::counted;
use crate::import::{Counts, ImportAccount, KnownPlace};

/// Returns the places that hold transcripts on this machine.
pub(super) fn present_places(settings: &Settings) -> Vec<KnownPlace> {
    let places = settings.places.iter();
    places
        .filter(|place| place.path.exists())
        .cloned()
        .collect()
}

/// Says where transcripts were looked for.
pub(super) fn no_known_place(settings: &Settings) -> String {
    let nowhere = "there are no transcripts in the known places";
    let places: Vec<String> = settings
        .places
        .iter()
        .map(|place| place.path.display().to_string())
        .collect();
    if places.is_empty() {
        return nowhere.to_owned();
    }
    format!("{nowhere}: no {}", places.join(", no "))
}

/// Says what lay in each place.
pub(super) fn found_note(place: &KnownPlace, account: &ImportAccount) -> String {
    let (n_files, counts) = found_in(place, account);
    format!(
        "{}: {} in {}, {} new",
        place.format,
        counted(n_files, "file", "files"),
        place.path.display(),
        counted(counts.messages, "message", "messages")
    )
}

/// Sums up the files of a place.
fn found_in(place: &KnownPlace, account: &ImportAccount) -> (u64, Counts) {
    let mut counts = Counts::default();
    let mut n_files = 0;
    for file in &account.files {
        if file.path.starts_with(&place.path) {
            n_files += 1;
            counts += file.counts;
        }
    }
    (n_files, counts)
}

/// Gives what `--json` says of a place.
pub(super) fn place_json(place: &KnownPlace, account: &ImportAccount) -> Value {
    let (n_files, counts) = found_in(place, account);
    json!({
        "format": place.format.as_str(),
        "path": place.path.to_string_lossy(),
        "files": n_files,
        "messages": counts.messages,
    })
}
