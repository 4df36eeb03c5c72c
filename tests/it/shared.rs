//! Where material lies that is not part of the project.

use std::path::PathBuf;

/// Returns the folder of shared material; says which test is skipped where there is none.
pub(crate) fn shared(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("HIPPOCAMP_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED {test}: {} is no folder", folder.display());
    None
}
