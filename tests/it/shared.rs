//! The shared folder: inputs that lie beside the project and are never copied into it.
//! A test that finds none says `SKIPPED` and passes; it has a small input of its own besides.

use std::io::Write;
use std::path::{Path, PathBuf};

/// Returns the shared folder, `$HIPPOCAMP_SHARED` or else `../shared`; without one it says that
/// `test` skips what needs it.
///
/// The line goes past libtest's capture, so that a plain `cargo test` shows it.
pub(crate) fn shared(test: &str) -> Option<PathBuf> {
    match find(
        std::env::var_os("HIPPOCAMP_SHARED").map(PathBuf::from),
        Path::new(env!("CARGO_MANIFEST_DIR")),
    ) {
        Ok(folder) => Some(folder),
        Err(why) => {
            let line = format!("SKIPPED {test}: {why}\n");
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            None
        }
    }
}

/// Returns the folder, or why there is none.
fn find(named: Option<PathBuf>, project: &Path) -> Result<PathBuf, String> {
    let is_named = named.is_some();
    let folder = named.unwrap_or_else(|| project.join("../shared"));
    if folder.join("cases").is_dir() {
        return Ok(folder);
    }
    Err(if is_named {
        "HIPPOCAMP_SHARED names no folder with cases/".to_owned()
    } else {
        "no ../shared with cases/ and no HIPPOCAMP_SHARED".to_owned()
    })
}

#[test]
fn the_folder_beside_the_project_is_found_and_a_wrong_name_is_not_passed_over() {
    let home = tempfile::tempdir().unwrap();
    let project = home.path().join("project");
    std::fs::create_dir_all(&project).unwrap();
    assert!(find(None, &project).unwrap_err().contains("no ../shared"));

    std::fs::create_dir_all(home.path().join("shared/cases")).unwrap();
    assert!(find(None, &project).unwrap().join("cases").is_dir());
    let wrong = find(Some(home.path().join("elsewhere")), &project);
    assert!(wrong.unwrap_err().contains("HIPPOCAMP_SHARED"));
}
