//! Where agents keep their transcripts. Owns the known places of all formats.
//! May not read the environment or the disk: the caller tells what is there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::format::Format;
use super::table::FORMATS;

/// A place of a format, on any machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Whereabouts {
    /// A variable that names a folder, and what is looked for below that (nothing: the path
    /// itself). Where it is set, the place below the home folder is not looked at.
    pub(crate) variable: Option<(&'static str, &'static str)>,
    /// The place below the home folder.
    pub(crate) below_home: &'static str,
}

/// A place where transcripts of a format may lie on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownPlace {
    /// The format.
    pub format: Format,
    /// The folder or file.
    pub path: PathBuf,
}

/// Returns the places of all formats that can be read, whether or not something is there.
/// `variable` returns the value of an environment variable.
pub fn known_places(
    home: Option<&Path>,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Vec<KnownPlace> {
    let mut places: Vec<KnownPlace> = Vec::new();
    for spec in FORMATS {
        for whereabouts in spec.places {
            let named = whereabouts
                .variable
                .and_then(|(name, below)| Some((variable(name)?, below)))
                .filter(|(value, _)| !value.is_empty())
                .map(|(value, below)| join(Path::new(&value), below));
            let path = named.or_else(|| Some(join(home?, whereabouts.below_home)));
            let format = spec.format;
            let Some(place) = path.map(|path| KnownPlace { format, path }) else {
                continue;
            };
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    let all = places.clone();
    places.retain(|place| !all.iter().any(|other| is_found_in(place, other)));
    places
}

/// Says whether a place is a file that is found in another place of its format, where it would be
/// counted twice.
fn is_found_in(place: &KnownPlace, other: &KnownPlace) -> bool {
    let mut specs = FORMATS.iter().filter(|spec| spec.format == place.format);
    place.format == other.format
        && place.path != other.path
        && place.path.starts_with(&other.path)
        && specs.any(|spec| (spec.is_transcript_name)(&place.path))
}

/// Joins step by step, so that paths have the system's separators.
fn join(base: &Path, below: &str) -> PathBuf {
    let steps = below.split('/').filter(|step| !step.is_empty());
    steps.fold(base.to_owned(), |path, step| path.join(step))
}
