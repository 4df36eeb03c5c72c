use std::path::Path;

use super::{Bench, shared};
use crate::domain::Part;

fn manifest(place: &Path) -> Vec<(String, u64, Option<u64>)> {
    let text = std::fs::read_to_string(place.join("samples/MANIFEST.tsv")).unwrap();
    text.lines()
        .filter(|line| line.starts_with("claude-code/") && line.contains(".jsonl\t"))
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let calls = fields[5].split("tool calls ").nth(1).map(|rest| {
                let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
                digits.parse().unwrap()
            });
            (fields[0].to_owned(), fields[4].parse().unwrap(), calls)
        })
        .collect()
}

#[test]
fn every_sample_is_read_to_the_last_record() {
    let Some(place) = shared("every_sample_is_read_to_the_last_record") else {
        return;
    };
    let samples = manifest(&place);
    assert!(samples.len() > 80, "{}", samples.len());
    for (name, n_records, n_calls) in samples {
        let mut bench = Bench::new();
        let path = place.join("samples").join(&name);
        let account = bench.import(&path);
        assert_eq!(account.totals.records, n_records, "{name}");
        let calls = bench.rows().iter().flat_map(|(_, message)| &message.parts);
        let calls = calls
            .filter(|part| matches!(part, Part::ToolUse { .. }))
            .count() as u64;
        if let Some(n_calls) = n_calls {
            assert_eq!(calls, n_calls, "{name}");
        }
        bench.forget_checkpoints();
        assert_eq!(bench.import(&path).totals.stored, 0, "{name}");
        println!(
            "{name}: {:?} {:?}",
            account.totals, account.files[0].refusals
        );
    }
}

#[test]
fn the_answers_of_the_large_sample_are_counted_once() {
    let Some(place) = shared("the_answers_of_the_large_sample_are_counted_once") else {
        return;
    };
    let mut bench = Bench::new();
    let name = "samples/claude-code/ccviewer-fe5e1c67-todo-app-438rec.jsonl";
    let account = bench.import(&place.join(name));
    assert_eq!(account.totals.output_tokens, 51_933);
    let joins: std::collections::BTreeSet<_> = bench
        .rows()
        .iter()
        .filter_map(|(_, message)| message.provenance.as_ref()?.joins.clone())
        .collect();
    assert_eq!(joins.len(), 170);
}
