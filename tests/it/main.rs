//! All integration tests in one binary. Fails if a file here is not declared.
#![cfg(test)]
#![expect(
    clippy::disallowed_methods,
    reason = "tests look for the shared folder, damage files and start processes"
)]

mod architecture;
mod as_data;
mod bench;
mod blocking_mirrors;
mod carried;
#[cfg(feature = "cli")]
mod cases_concurrency;
mod cases_cost;
mod cases_covered;
#[cfg(feature = "cli")]
mod cases_crash;
mod cases_failing;
mod cases_gate;
mod cases_host;
#[cfg(feature = "import")]
mod cases_import;
mod cases_leaf;
mod cases_pairs;
mod cases_peers;
#[cfg(feature = "cli")]
mod cases_product;
#[cfg(feature = "cli")]
mod cases_program;
#[cfg(feature = "import")]
mod cases_records;
mod cases_search;
mod cases_views;
mod children;
mod claims;
mod clears;
#[cfg(feature = "cli")]
mod cli;
mod constraints;
mod crash;
#[cfg(feature = "cli")]
mod damaged_rows;
mod doctor;
mod domain;
mod drift;
mod engine_cases;
mod engine_properties;
#[cfg(all(feature = "cli", unix))]
mod errors;
#[cfg(feature = "cli")]
mod exit_codes;
#[cfg(feature = "cli")]
mod export;
mod first_pages;
#[cfg(feature = "cli")]
mod floor;
#[cfg(feature = "import")]
mod fragments;
#[cfg(feature = "cli")]
mod hook;
#[cfg(feature = "import")]
mod import_aider;
#[cfg(feature = "import")]
mod import_cases;
#[cfg(feature = "import")]
mod import_claude;
#[cfg(feature = "import")]
mod import_codex;
#[cfg(feature = "import")]
mod import_copies;
#[cfg(feature = "import")]
mod import_cuts;
#[cfg(feature = "import")]
mod import_exports;
#[cfg(feature = "import")]
mod import_foreign;
#[cfg(feature = "import")]
mod import_formats;
#[cfg(feature = "import")]
mod import_gemini;
#[cfg(feature = "import")]
mod import_goose;
#[cfg(feature = "import")]
mod import_goose_threads;
#[cfg(feature = "import")]
mod import_identity;
#[cfg(feature = "import")]
mod import_kimi;
#[cfg(feature = "import")]
mod import_kimi_older;
#[cfg(feature = "import")]
mod import_openclaw;
#[cfg(feature = "import")]
mod import_opencode;
#[cfg(feature = "import")]
mod import_opencode_files;
#[cfg(feature = "import")]
mod import_opencode_unchanged;
#[cfg(feature = "import")]
mod import_pi;
#[cfg(feature = "import")]
mod import_picoclaw;
#[cfg(feature = "import")]
mod import_picoclaw_legacy;
#[cfg(feature = "import")]
mod import_provenance;
#[cfg(feature = "import")]
mod import_replays;
#[cfg(feature = "import")]
mod import_runs;
#[cfg(feature = "import")]
mod import_support;
#[cfg(all(feature = "cli", feature = "mcp"))]
mod install;
#[cfg(all(feature = "cli", target_os = "linux"))]
mod interrupts;
#[cfg(feature = "import")]
mod least;
#[cfg(feature = "providers")]
mod loops;
#[cfg(all(feature = "cli", feature = "mcp", unix))]
mod mcp;
mod overflow_words;
mod papers;
mod pattern_fields;
mod pattern_sets;
mod pattern_table;
mod patterns;
mod pins;
mod planner;
mod processes;
#[cfg(feature = "cli")]
mod program;
mod prompts;
#[cfg(feature = "providers")]
mod providers;
mod query_plans;
mod reactive;
#[cfg(all(feature = "cli", unix))]
mod readme;
#[cfg(feature = "providers")]
mod real_model;
mod recounts;
mod redaction;
mod render;
mod repairs;
#[cfg(feature = "rig")]
mod rig;
#[cfg(feature = "import")]
mod samples_views;
mod saw;
mod shared;
mod steering;
mod store_open;
mod store_search;
mod store_vs_model;
mod support;
mod techniques;
mod tokens;
mod tools;
#[cfg(all(feature = "cli", unix))]
mod unfinished;
#[cfg(feature = "cli")]
mod upkeep;
mod view;
mod view_counts;
mod walk;

use std::collections::BTreeSet;
use std::path::Path;

/// Returns the names that `source` declares as modules.
fn declared_modules(source: &str) -> BTreeSet<String> {
    source
        .lines()
        .filter_map(|line| {
            line.strip_prefix("mod ")
                .or_else(|| line.strip_prefix("pub mod "))
        })
        .filter_map(|rest| rest.strip_suffix(';'))
        .map(str::to_owned)
        .collect()
}

/// Returns the modules whose files lie in `folder`: `topic.rs` and `topic/mod.rs`.
fn module_files(folder: &Path) -> BTreeSet<String> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("mod.rs").exists() || path.extension().is_some_and(|e| e == "rs"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name != "main")
        .collect()
}

#[test]
fn every_file_here_is_declared() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let declared = declared_modules(include_str!("main.rs"));
    let files = module_files(&root.join("tests/it"));
    assert!(files.len() >= 15, "looked at too little: {files:?}");
    assert_eq!(files, declared, "files of tests/it and modules of main.rs");
}

#[test]
fn there_is_no_second_test_binary() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries: Vec<String> = std::fs::read_dir(root.join("tests"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_some_and(|e| e == "rs"))
        .collect();
    assert!(entries.is_empty(), "move into tests/it: {entries:?}");
}

#[test]
fn a_declaration_is_read_only_where_it_is_one() {
    let source =
        "//! mod words;\nmod one;\npub mod two;\n    mod inner;\nmod inline {\n// mod no;\n";
    let want: BTreeSet<String> = ["one", "two"].map(str::to_owned).into();
    assert_eq!(declared_modules(source), want);
}
