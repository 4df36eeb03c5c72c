//! The rooms: who may see whom, which words live where, how long a file may be.
//! Counts what it checked, and shows on a bad snippet that each rule can fail.

mod rules;
mod snippets;
mod source;

use std::path::{Path, PathBuf};

use source::Source;

/// Returns the project's folder.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the files under `folder` of the project, sorted, as paths from its root.
pub(crate) fn files_under(folder: &str) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if ["target", ".git"].contains(&name) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(from_root(&path));
            }
        }
    }
    files.sort();
    files
}

fn from_root(path: &Path) -> String {
    let inside: PathBuf = path.strip_prefix(root()).unwrap().into();
    inside.to_str().unwrap().replace('\\', "/")
}

/// Returns the Rust files under the folders, cut.
fn sources(folders: &[&str]) -> Vec<Source> {
    folders
        .iter()
        .flat_map(|folder| files_under(folder))
        .filter(|path| Path::new(path).extension().is_some_and(|e| e == "rs"))
        .map(|path| Source::new(&path, &std::fs::read_to_string(root().join(&path)).unwrap()))
        .collect()
}

/// Returns what Cargo.toml names under `[dependencies]`, as crates are written in code.
fn dependencies() -> Vec<String> {
    include_str!("../../../Cargo.toml")
        .lines()
        .skip_while(|line| *line != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name.replace('-', "_"))
        .collect()
}

/// Fails with all that is broken, or if fewer than `least` things were looked at.
#[track_caller]
fn check(broken: &[String], looked_at: usize, least: usize) {
    assert!(
        looked_at >= least,
        "looked at {looked_at} things, expected {least}"
    );
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

const ALL_CODE: [&str; 4] = ["src", "tests", "benches", "examples"];

#[test]
fn rooms_see_only_what_their_arrows_point_to() {
    let sources = sources(&["src"]);
    let broken: Vec<String> = sources.iter().flat_map(rules::arrows).collect();
    let n_arrows = sources
        .iter()
        .map(|source| rules::rooms_named(source).len())
        .sum();
    check(&broken, n_arrows, 60);
}

#[test]
fn every_source_file_is_in_a_room() {
    let sources = sources(&["src"]);
    let broken: Vec<String> = sources
        .iter()
        .filter(|source| !["src/lib.rs", "src/main.rs"].contains(&source.path.as_str()))
        .filter(|source| rules::room_of(&source.path).is_none())
        .map(|source| format!("{}: in no room", source.path))
        .collect();
    check(&broken, sources.len(), 100);
}

#[test]
fn rooms_use_only_their_crates() {
    let dependencies = dependencies();
    let known = |name: &&str| dependencies.iter().any(|dependency| dependency == name);
    let named: Vec<&str> = rules::ROOMS
        .iter()
        .flat_map(|r| r.crates.unwrap_or(&[]))
        .copied()
        .collect();
    assert!(
        named.iter().all(known),
        "a room is given a crate that is no dependency"
    );

    let sources = sources(&["src"]);
    let broken: Vec<String> = sources
        .iter()
        .flat_map(|source| rules::crates(source, &dependencies))
        .collect();
    check(&broken, sources.len() * dependencies.len(), 2_000);
}

#[test]
fn words_stand_only_in_their_rooms() {
    let sources = sources(&["src"]);
    let broken: Vec<String> = sources.iter().flat_map(rules::words).collect();
    check(&broken, sources.len() * rules::WORDS.len(), 1_000);
}

#[test]
fn every_word_is_used_where_it_may_be() {
    let sources = sources(&["src"]);
    for (word, homes) in rules::WORDS {
        let is_used = sources
            .iter()
            .any(|source| source.code_and_strings.contains(word));
        assert_eq!(
            is_used,
            !homes.is_empty(),
            "`{word}`: a rule for a word nobody writes"
        );
    }
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let sources = sources(&ALL_CODE);
    let broken: Vec<String> = sources.iter().flat_map(rules::shape).collect();
    check(&broken, sources.len(), 100);
}

#[test]
fn nothing_is_unfinished_or_waved_through() {
    let sources = sources(&ALL_CODE);
    let broken: Vec<String> = sources.iter().flat_map(rules::leftovers).collect();
    check(&broken, sources.len(), 100);
}

#[test]
fn no_file_knows_the_machine_it_was_written_on() {
    let texts: Vec<(String, String)> = files_under("")
        .into_iter()
        .filter_map(|path| {
            Some((
                path.clone(),
                std::fs::read_to_string(root().join(path)).ok()?,
            ))
        })
        .collect();
    let broken: Vec<String> = texts
        .iter()
        .flat_map(|(path, text)| rules::machine_paths(path, text))
        .collect();
    check(&broken, texts.len(), 100);
}
