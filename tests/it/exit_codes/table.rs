//! Which tests hold which row of the shared table of exit codes.

use crate::shared::shared;

/// A row: what of its case tells it from the others, the numbers of its ending in their order, and
/// the tests that run it.
type Held = (&'static str, &'static [u32], &'static [&'static str]);

/// The rows of [`super::ROWS`].
const SEEDED: &str = "every_row_of_a_seeded_store_ends_as_the_table_says";

const HELD: &[Held] = &[
    (
        "hits but incomplete",
        &[4, 4],
        &["a_store_that_another_holds_is_busy_at_work_and_closed_at_opening"],
    ),
    ("--limit 0", &[2], &[SEEDED]),
    (
        "--limit 1000",
        &[0, 200],
        &[SEEDED, "a_capped_limit_and_a_partial_match_say_so"],
    ),
    (
        "`match:",
        &[0],
        &["a_capped_limit_and_a_partial_match_say_so"],
    ),
    ("since later", &[1, 2], &[SEEDED]),
    ("unknown session", &[2], &[SEEDED]),
    ("two `--session`", &[2], &[SEEDED]),
    ("-- -foo", &[2], &[SEEDED]),
    ("foo bar", &[2], &[SEEDED]),
    ("reading command", &[3], &["reading_needs_a_store"]),
    (
        "empty store",
        &[0, 1],
        &["an_empty_store_is_read_and_has_no_hits"],
    ),
    (
        "without visible",
        &[0, 4],
        &[
            "a_conversation_with_nothing_visible_has_an_empty_view",
            "a_view_in_which_nobody_speaks_has_no_body",
        ],
    ),
    ("--budget 0", &[2, 4], &[SEEDED]),
    (
        "`left_out`",
        &[0],
        &["a_view_may_leave_things_out_and_still_fit"],
    ),
    (
        "one known",
        &[4],
        &[SEEDED, "known_and_unknown_ids_are_shown_and_named"],
    ),
    (
        "10abc",
        &[2],
        &[SEEDED, "what_is_refused_prints_nothing_on_stdout"],
    ),
    (
        "10 10 s12",
        &[0],
        &["repeated_ids_of_both_kinds_are_shown_once_each"],
    ),
    (
        "empty folder",
        &[0],
        &[
            "an_empty_store_is_read_and_has_no_hits",
            "known_places_that_are_empty_are_no_error",
        ],
    ),
    (
        "of a path that",
        &[2, 4],
        &["imports_end_by_what_they_could_not_take"],
    ),
    (
        "foreign or unreadable",
        &[4],
        &[
            "imports_end_by_what_they_could_not_take",
            "b014_b016_empty_foreign_and_unreadable_files_leave_the_rest_alone",
        ],
    ),
    (
        "--dry-run",
        &[4],
        &["imports_end_by_what_they_could_not_take"],
    ),
    (
        "turn or append",
        &[0, 0, 2],
        &[
            "stdin_without_messages_creates_nothing",
            "messages_are_not_read_from_a_terminal",
        ],
    ),
    (
        "all lines bad",
        &[4],
        &["stdin_without_messages_creates_nothing"],
    ),
    (
        "append --sync",
        &[2],
        &["stdin_without_messages_creates_nothing"],
    ),
    ("nothing to gain", &[0], &[SEEDED]),
    ("until-under", &[4], &[SEEDED]),
    ("compact --stdin", &[2], &[SEEDED]),
    (
        "doctor --repair",
        &[5, 0, 5],
        &[
            "a_repair_is_told_before_it_is_done_and_a_copy_is_kept",
            "what_cannot_be_repaired_is_named_and_stays",
        ],
    ),
    (
        "backup",
        &[2],
        &["a_backup_makes_no_folder_and_never_overwrites_the_store"],
    ),
    (
        "config:",
        &[2, 0],
        &["a_bad_configuration_is_a_usage_error_but_not_for_help"],
    ),
    ("HIPPOCAMP_*", &[], &["an_unknown_variable_is_a_warning"]),
    (
        "store busy",
        &[6, 3],
        &["a_store_that_another_holds_is_busy_at_work_and_closed_at_opening"],
    ),
    (
        "panic",
        &[6, 130],
        &[
            "a_fault_of_its_own_ends_with_6",
            "an_interrupt_ends_with_130",
        ],
    ),
];

/// All that the tests of these folders are written in.
const SOURCES: [&str; 8] = [
    include_str!("mod.rs"),
    include_str!("imports.rs"),
    include_str!("process.rs"),
    include_str!("rights.rs"),
    include_str!("terminal.rs"),
    include_str!("../upkeep.rs"),
    include_str!("../import_cases.rs"),
    include_str!("../cli/reading.rs"),
];

fn numbers(text: &str) -> Vec<u32> {
    let digits = text.split(|c: char| !c.is_ascii_digit());
    digits.filter_map(|number| number.parse().ok()).collect()
}

#[test]
fn every_test_that_is_named_here_is_one() {
    for (case, _, tests) in HELD {
        assert!(!tests.is_empty(), "{case}");
        for test in *tests {
            let declared = format!("#[test]\nfn {test}(");
            let is_there = SOURCES.iter().any(|source| source.contains(&declared));
            assert!(is_there, "{test}");
        }
    }
}

#[test]
fn the_shared_table_has_no_row_that_no_test_holds() {
    let Some(folder) = shared("the_shared_table_has_no_row_that_no_test_holds") else {
        return;
    };
    let table = std::fs::read_to_string(folder.join("cases/exit-codes.md")).unwrap();
    let mut rows = Vec::new();
    for line in table.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches(['|', ' ']).split(" | ").collect();
        if let [case, ending] = cells[..]
            && case != "case"
        {
            rows.push((case, ending));
        }
    }
    for (case, ending) in &rows {
        let held: Vec<&Held> = HELD.iter().filter(|held| case.contains(held.0)).collect();
        assert_eq!(held.len(), 1, "`{case}` is held by {held:?}");
        assert_eq!(numbers(ending), held[0].1, "`{case}` ends with {ending}");
    }
    assert_eq!(rows.len(), HELD.len(), "a row is gone");
}
