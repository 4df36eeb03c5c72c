//! No technique of the field's list that is ours is without a test: a test named
//! `technique_<id>_…` holds the technique of that id, one named `technique_z7_z8_…` both.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::shared::shared;

/// The techniques that are ours so far, by letter.
const OURS: [(char, &[u32]); 9] = [
    ('T', &[1, 2, 3, 4, 6, 7, 12, 13, 15, 16, 17, 18, 19]),
    ('C', &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 24]),
    ('S', &[2, 3, 4, 5, 8, 11, 12, 14, 17, 18, 20, 21, 22, 26]),
    ('V', &[1, 2, 3, 5, 7]),
    ('Z', &[2, 3, 5, 7, 8, 9, 11, 12, 13, 14]),
    ('K', &[1, 2, 5, 6, 7, 9]),
    ('X', &[1, 3, 4, 8, 9]),
    ('O', &[1, 2, 5]),
    ('Q', &[1]),
];

fn ours() -> BTreeSet<String> {
    OURS.iter()
        .flat_map(|(letter, numbers)| {
            numbers
                .iter()
                .map(move |number| format!("{letter}{number}"))
        })
        .collect()
}

/// The techniques that a test's name tells: the ids that it begins with.
fn ids_of(name: &str) -> impl Iterator<Item = String> {
    let words = name
        .strip_prefix("technique_")
        .unwrap_or_default()
        .split('_');
    let is_id = |word: &&str| {
        let mut letters = word.chars();
        let is_letter = letters.next().is_some_and(|c| c.is_ascii_lowercase());
        let digits = letters.as_str();
        is_letter && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    words.take_while(is_id).map(str::to_ascii_uppercase)
}

/// Adds the techniques that the tests of a source hold, each with the tests' names.
fn add_tests(source: &str, held: &mut BTreeMap<String, Vec<String>>) {
    let mut is_test = false;
    for line in source.lines().map(str::trim_start) {
        if line.starts_with("#[") {
            is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
            continue;
        }
        let name = line.trim_start_matches("async ").strip_prefix("fn ");
        if let Some(name) = name.filter(|_| is_test) {
            let name = name.split('(').next().unwrap_or_default();
            for id in ids_of(name) {
                held.entry(id).or_default().push(name.to_owned());
            }
        }
        is_test = false;
    }
}

#[test]
fn every_technique_that_is_ours_has_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut held = BTreeMap::new();
    let mut open = vec![root.join("src"), root.join("tests/it")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                add_tests(&std::fs::read_to_string(path).unwrap(), &mut held);
            }
        }
    }
    let ours = ours();
    let missing: Vec<&String> = ours.iter().filter(|id| !held.contains_key(*id)).collect();
    assert!(missing.is_empty(), "without a test: {missing:?}");

    let Some(folder) = shared("every_technique_that_is_ours_has_a_test") else {
        return;
    };
    let list = std::fs::read_to_string(folder.join("techniques.md")).unwrap();
    let known: BTreeSet<&str> = list
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next())
        .collect();
    let unknown: Vec<&String> = ours
        .iter()
        .chain(held.keys())
        .filter(|id| !known.contains(id.as_str()))
        .collect();
    assert!(unknown.is_empty(), "no such technique: {unknown:?}");
}

#[test]
fn a_technique_counts_only_where_a_tests_name_begins_with_it() {
    let source = "#[test]\nfn technique_z7_z8_what_c3_does() {}\nfn technique_t1_no_test() {}\n\
        #[tokio::test]\n#[cfg(unix)]\nasync fn technique_k11_x() {}\n\
        #[test]\nfn no_technique_t2_here() {}\n// fn technique_t3_told()\n\
        #[test]\nfn technique_wide_t4() {}\n";
    let mut held = BTreeMap::new();
    add_tests(source, &mut held);
    assert_eq!(held.keys().collect::<Vec<_>>(), ["K11", "Z7", "Z8"]);
}
