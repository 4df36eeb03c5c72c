//! Every pattern of the shared table of provider facts, if it is there.

use crate::shared::shared;
use hippocamp::policy::overflow::{ProviderError, classify};

/// Makes a text that a pattern of the table matches.
fn instance(pattern: &str) -> String {
    pattern
        .trim_start_matches('^')
        .replace(r"\d+", "8192")
        .replace(".*", " of this request ")
        .replace("...", "90000 tokens, ")
        .replace("[_ ]", "_")
        .replace("(max )?", "max ")
}

/// The patterns between backticks in a stretch of the table.
fn patterns(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn every_pattern_of_the_shared_table_is_known() {
    let Some(folder) = shared("every_pattern_of_the_shared_table_is_known") else {
        return;
    };
    let facts = std::fs::read_to_string(folder.join("provider-facts.md")).unwrap();
    let (_, from_b) = facts.split_once("**B.").unwrap();
    let (table, _) = from_b.split_once("Risky ones").unwrap();
    let mut n_checked = 0;
    for row in table.lines().filter(|line| line.starts_with("| ")) {
        let Some(cell) = row.split('|').nth(2) else {
            continue;
        };
        let is_joined = cell.contains("` with `");
        let said: Vec<String> = if is_joined {
            vec![patterns(cell).collect::<Vec<_>>().join(": ")]
        } else if row.contains("| Chinese |") {
            cell.split(',')
                .map(|words| words.trim().to_owned())
                .collect()
        } else {
            patterns(cell).map(instance).collect()
        };
        for text in said {
            let found = classify(&text, Some(400));
            let is_name = text == "max_tokens";
            assert!(
                is_name || matches!(found, ProviderError::Overflow(_)),
                "{text}: {found:?}"
            );
            n_checked += 1;
        }
    }
    assert!(n_checked > 60, "only {n_checked} patterns");
}
