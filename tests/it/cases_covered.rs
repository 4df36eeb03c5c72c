//! No case of the shared lists is without a test: a comment above a test, or its name, says which
//! cases it holds. `B` is a case of `cases.md`, `P` and `W` a row of the first and the third
//! section of `peer-lessons.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::shared::shared;

/// Cases of the groups that are ours so far; those of larger machines are not.
const GROUPS: std::ops::RangeInclusive<char> = 'A'..='P';

/// The identifiers in a text, such as `B052`, of these letters.
fn ids(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let is_id = |word: &&str| {
        let digits = word.trim_start_matches(['B', 'P', 'W']);
        word.len() == digits.len() + 1
            && !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    words.filter(is_id).map(str::to_owned)
}

/// The cases that a test's name tells: `b116_to_b122_…` tells seven.
fn ids_of_name(name: &str) -> Vec<String> {
    let words: Vec<&str> = name.split('_').collect();
    let number = |word: &str| {
        let digits = word.strip_prefix('b').filter(|digits| digits.len() == 3)?;
        digits.parse::<u32>().ok()
    };
    let mut found = Vec::new();
    for (idx, word) in words.iter().enumerate() {
        let Some(last) = number(word) else { continue };
        let first = match idx
            .checked_sub(2)
            .map(|first| (words[first], words[idx - 1]))
        {
            Some((first, "to")) => number(first).unwrap_or(last),
            _ => last,
        };
        found.extend((first..=last).map(|number| format!("B{number:03}")));
    }
    found
}

/// Adds the cases that the tests of a source say they hold, each with the tests' names.
fn add_tests(source: &str, held: &mut BTreeMap<String, Vec<String>>) {
    let (mut above, mut is_test) = (Vec::new(), false);
    for line in source.lines() {
        let line = line.trim_start();
        if line.starts_with("//") {
            above.extend(ids(line));
        } else if line.starts_with("#[") {
            is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
        } else {
            let name = line.trim_start_matches("async ").strip_prefix("fn ");
            if let Some(name) = name.filter(|_| is_test) {
                let name = name.split('(').next().unwrap_or_default();
                for id in above.drain(..).chain(ids_of_name(name)) {
                    held.entry(id).or_default().push(name.to_owned());
                }
            }
            above.clear();
            is_test = false;
        }
    }
}

/// Every case that a test of the project holds.
fn held() -> BTreeMap<String, Vec<String>> {
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
    held
}

/// The cases of a list that are ours: `### B052 …` under `## D. …`.
fn cases(text: &str) -> Vec<String> {
    let (mut group, mut found) = (None, Vec::new());
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            let mut chars = title.chars();
            group = chars.next().filter(|_| chars.next() == Some('.'));
        } else if let Some(title) = line.strip_prefix("### ")
            && group.is_some_and(|group| GROUPS.contains(&group))
        {
            found.extend(ids(title).take(1));
        }
    }
    found
}

/// The rows of the first and the third section of the lessons.
fn lessons(text: &str) -> Vec<String> {
    let (mut section, mut found) = ("", Vec::new());
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title.split('.').next().unwrap_or_default();
        }
        let first = line
            .strip_prefix("| ")
            .and_then(|row| row.split(" |").next());
        match (section, first) {
            ("1", Some(number)) if number.parse::<u32>().is_ok() => {
                found.push(format!("P{number}"));
            }
            ("3", Some(id)) if ids(id).any(|found| found == id) => found.push(id.to_owned()),
            _ => {}
        }
    }
    found
}

#[test]
fn every_case_of_the_shared_lists_has_a_test() {
    let held = held();
    // What is looked at even where the lists are not.
    for id in ["B001", "B052", "B118", "P7", "W13"] {
        assert!(held.contains_key(id), "{id}: the tests are not read");
    }
    let Some(folder) = shared("every_case_of_the_shared_lists_has_a_test") else {
        return;
    };
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let cases = cases(&read("cases/cases.md"));
    let lessons = lessons(&read("peer-lessons.md"));
    assert!(
        cases.len() >= 90 && lessons.len() >= 72,
        "{cases:?} {lessons:?}"
    );
    let missing: BTreeSet<&String> = cases
        .iter()
        .chain(&lessons)
        .filter(|id| !held.contains_key(*id))
        .collect();
    assert!(missing.is_empty(), "without a test: {missing:?}");
    // A file beside the list belongs to a case, and no case of a file is left out of the list.
    let index: serde_json::Value = serde_json::from_str(&read("cases/INDEX.json")).unwrap();
    for file in index.as_array().unwrap() {
        let name = file["file"].as_str().unwrap();
        let is_held = |id: &serde_json::Value| held.contains_key(id.as_str().unwrap());
        let entries = file["entries"].as_array().unwrap();
        assert!(entries.iter().any(is_held), "{name} has no test");
    }
}

#[test]
fn a_case_counts_only_above_a_test_or_in_its_name() {
    let source = "/// B001, W2: why.\n#[test]\nfn one() {}\n// B003\nfn no_test() {}\n\
        // P4\n#[tokio::test(flavor = \"x\")]\nasync fn b005_to_b007_and_b009_more() {}\n\
        // B010\nlet x = 1;\n#[test]\nfn b11_b0120() {}\n";
    let mut held = BTreeMap::new();
    add_tests(source, &mut held);
    let found: Vec<&str> = held.keys().map(String::as_str).collect();
    assert_eq!(found, ["B001", "B005", "B006", "B007", "B009", "P4", "W2"]);

    let list = "## A. First\n### B001 ★ x\n## Measured\n### B900 no\n## R. Later\n### B152 y\n";
    assert_eq!(cases(list), ["B001"]);
    let rows = "## 1. x\n| # | y |\n| 7 | S1 |\n## 2. y\n| 8 | z |\n## 3. z\n| W12 | a |\n";
    assert_eq!(lessons(rows), ["P7", "W12"]);
}
