//! The pages beside the code: what they name exists, and what exists is named.
//! The commands in README.md are run by `readme.rs`.

use std::path::Path;

use crate::architecture::{files_under, root};

/// The rooms that ARCHITECTURE.md has a row for, in its order.
const ROOMS: [&str; 10] = [
    "domain", "policy", "store", "engine", "tools", "render", "import", "mcp", "rig", "cli",
];

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

/// Returns what stands between backticks, outside of fenced blocks.
fn quoted(page: &str) -> Vec<&str> {
    let mut is_fenced = false;
    let mut words = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced {
            words.extend(line.split('`').skip(1).step_by(2));
        }
    }
    words
}

/// Returns the quoted words that are paths from the project's root.
fn paths(page: &str) -> Vec<&str> {
    let is_path = |word: &&str| {
        let first = word.split('/').next().unwrap_or_default();
        let folders = ["src", "tests", "migrations", "benches", "examples", ".ci"];
        let is_page = Path::new(word)
            .extension()
            .is_some_and(|e| e == "md" || e == "toml");
        if word.contains('/') {
            folders.contains(&first)
        } else {
            is_page && !word.contains('*')
        }
    };
    quoted(page).into_iter().filter(is_path).collect()
}

/// Returns the paths of `page` for which `exists` is false.
fn missing_paths(page: &str, exists: impl Fn(&str) -> bool) -> Vec<&str> {
    paths(page)
        .into_iter()
        .filter(|path| !exists(path))
        .collect()
}

/// Returns the files that a page's table gives to `room`; `None` without such a row.
fn files_of_room<'a>(page: &'a str, room: &str) -> Option<Vec<&'a str>> {
    let start = format!("| `src/{room}/` |");
    let row = page.lines().find(|line| line.starts_with(&start))?;
    Some(
        row.trim_end_matches('|')
            .rsplit('|')
            .next()?
            .split('`')
            .skip(1)
            .step_by(2)
            .collect(),
    )
}

/// Returns the modules right inside a room, but for its own and its tests.
fn modules_of_room(room: &str) -> Vec<String> {
    let folder = format!("src/{room}/");
    let mut modules: Vec<String> = files_under(&folder)
        .iter()
        .filter_map(|path| path.strip_prefix(&folder))
        .map(|inside| {
            inside
                .split('/')
                .next()
                .unwrap()
                .trim_end_matches(".rs")
                .to_owned()
        })
        .filter(|name| !["mod", "tests"].contains(&name.as_str()))
        .collect();
    modules.sort();
    modules.dedup();
    modules
}

#[test]
fn every_path_a_page_names_exists() {
    for (name, least) in [
        ("ARCHITECTURE.md", 15),
        ("README.md", 1),
        ("CHANGELOG.md", 0),
        ("SECURITY.md", 0),
    ] {
        let page = page(name);
        let missing = missing_paths(&page, |path| root().join(path).exists());
        assert!(
            missing.is_empty(),
            "{name} names what is not there: {missing:?}"
        );
        assert!(
            paths(&page).len() >= least,
            "{name}: looked at {:?}",
            paths(&page)
        );
    }
}

#[test]
fn the_architecture_page_stays_short() {
    let n_lines = page("ARCHITECTURE.md").lines().count();
    assert!((50..=150).contains(&n_lines), "{n_lines} lines");
}

#[test]
fn the_architecture_page_names_each_file_of_each_room() {
    let page = page("ARCHITECTURE.md");
    let mut n_files = 0;
    for room in ROOMS {
        let mut named = files_of_room(&page, room).unwrap_or_else(|| panic!("no row for {room}"));
        named.sort_unstable();
        let there = modules_of_room(room);
        n_files += there.len();
        assert_eq!(
            named, there,
            "src/{room}/: what the page names and what is there"
        );
    }
    assert!(n_files >= 30, "looked at {n_files} files");
}

#[test]
fn the_changelog_knows_this_version() {
    let version = env!("CARGO_PKG_VERSION");
    let page = page("CHANGELOG.md");
    let first = page.lines().find(|line| line.starts_with("## ")).unwrap();
    let is_known = first == "## [Unreleased]" || first.starts_with(&format!("## [{version}]"));
    assert!(
        is_known,
        "the first entry is {first:?}, the version {version}"
    );
}

#[test]
fn the_readme_names_each_feature() {
    let readme = page("README.md");
    let manifest = page("Cargo.toml");
    let features: Vec<&str> = manifest
        .lines()
        .skip_while(|line| *line != "[features]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name)
        .filter(|name| *name != "default")
        .collect();
    assert!(features.len() >= 2, "{features:?}");
    for feature in features {
        assert!(
            quoted(&readme).contains(&feature),
            "README.md does not name `{feature}`"
        );
    }
}

#[test]
fn the_readme_names_each_tools_arguments() {
    let readme = page("README.md");
    let quoted = quoted(&readme);
    let mut n_arguments = 0;
    for tool in hippocamp::tools::schema() {
        assert!(
            quoted.contains(&tool.name),
            "README.md does not name {}",
            tool.name
        );
        for argument in tool.parameters["properties"].as_object().unwrap().keys() {
            n_arguments += 1;
            assert!(
                quoted.contains(&argument.as_str()),
                "README.md does not name `{argument}`"
            );
        }
    }
    assert!(n_arguments >= 10, "looked at {n_arguments}");
}

#[test]
fn the_licences_are_the_manifests() {
    assert_eq!(env!("CARGO_PKG_LICENSE"), "MIT OR Apache-2.0");
    assert!(page("LICENSE-MIT").contains("Permission is hereby granted, free of charge"));
    assert!(page("LICENSE-APACHE").contains("END OF TERMS AND CONDITIONS"));
}

#[test]
fn a_path_that_is_not_there_is_found() {
    let page = "See `src/a.rs`, `src/b.rs`, `and/or`, `README.md`, `*.md`.\n```\n`src/c.rs`\n```\n";
    assert_eq!(paths(page), ["src/a.rs", "src/b.rs", "README.md"]);
    assert_eq!(
        missing_paths(page, |path| path == "src/a.rs"),
        ["src/b.rs", "README.md"]
    );
}

#[test]
fn a_row_of_the_table_is_read_by_its_last_column() {
    let page = "| room | owns | files |\n| `src/one/` | words, `not` these | `a` `b` |\n";
    assert_eq!(files_of_room(page, "one"), Some(vec!["a", "b"]));
    assert_eq!(files_of_room(page, "two"), None);
}
