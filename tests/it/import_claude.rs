//! The samples of real transcripts, imported whole.

use std::collections::BTreeSet;

use hippocamp::domain::{Part, Role, Visibility};
use hippocamp::import::{Format, ImportMode, Problem};

use crate::import_support::{Home, answer, block, lines, options, samples, user, words};
use crate::shared::shared;

fn n_calls(home: &Home) -> usize {
    let rows = home.rows();
    rows.iter()
        .flat_map(|(_, message)| &message.parts)
        .filter(|part| matches!(part, Part::ToolUse { .. }))
        .count()
}

#[test]
fn every_record_of_every_sample_has_its_place_and_is_stored_once() {
    let Some(shared) = shared("every_record_of_every_sample_has_its_place_and_is_stored_once")
    else {
        return;
    };
    for sample in samples(&shared) {
        let name = sample.path.display();
        let home = Home::new();
        let paths = [sample.path.clone()];
        let dry = home.import_with(&paths, &options().mode(ImportMode::DryRun));
        assert!(home.rows().is_empty(), "{name}: a rehearsal wrote rows");
        let account = home.import(&paths);
        assert_eq!(account.totals, dry.totals, "{name}");
        assert_eq!(account.totals.records, sample.n_records, "{name}");
        if let Some(expected) = sample.n_calls {
            assert_eq!(n_calls(&home), expected, "{name}");
        }
        let before = home.picture();
        let again = home.import(&paths);
        assert_eq!(
            (again.totals.stored, again.totals.duplicate),
            (0, 0),
            "{name}"
        );
        // A copy elsewhere has no checkpoint: its records are told by their ids.
        let copy = home.write("copy/of/it.jsonl", std::fs::read(&sample.path).unwrap());
        if sample.path.to_string_lossy().contains("subagents") {
            continue;
        }
        assert_eq!(home.import(&[copy]).totals.stored, 0, "{name}");
        assert_eq!(home.picture(), before, "{name}");
    }
}

#[test]
fn all_samples_together_are_what_they_are_apart() {
    let Some(shared) = shared("all_samples_together_are_what_they_are_apart") else {
        return;
    };
    let home = Home::new();
    let account = home.import(&[shared.join("samples/claude-code")]);
    assert_eq!(account.files.len(), samples(&shared).len());
    assert!(account.files.iter().all(|file| file.problem.is_none()));
    assert_eq!(
        home.import(&[shared.join("samples/claude-code")])
            .totals
            .stored,
        0
    );
}

/// B023.
#[test]
fn records_of_one_answer_are_one_message() {
    let home = Home::new();
    let account = home.take(
        "s1.jsonl",
        lines(&[
            user(1, "do it"),
            block(
                2,
                "m1",
                r#"{"type":"thinking","thinking":"plan","signature":"sig"}"#,
            ),
            block(3, "m1", r#"{"type":"text","text":"on it"}"#),
            block(
                4,
                "m1",
                r#"{"type":"tool_use","id":"c1","name":"Run","input":{"a":1}}"#,
            ),
            answer(5, "done"),
        ]),
    );
    let totals = account.totals;
    assert_eq!(
        (totals.stored, totals.messages, totals.output_tokens),
        (5, 3, 10)
    );
    let rows = home.rows();
    let n_parts: Vec<usize> = rows.iter().map(|(_, row)| row.parts.len()).collect();
    assert_eq!(n_parts, [1, 3, 1]);
    let sessions = home.runtime.block_on(home.engine.sessions()).unwrap();
    assert_eq!(
        (sessions.len(), sessions[0].messages, sessions[0].rows),
        (1, 3, 5)
    );
    assert_eq!(sessions[0].session.as_str(), "claude-code:s1");
    assert_eq!(sessions[0].project.as_deref(), Some("/proj"));
    assert_eq!(sessions[0].format.as_deref(), Some("claude-code"));
}

#[test]
fn the_large_sample_has_170_answers_and_counts_their_tokens_once() {
    let Some(shared) = shared("the_large_sample_has_170_answers_and_counts_their_tokens_once")
    else {
        return;
    };
    let home = Home::new();
    let name = "samples/claude-code/ccviewer-fe5e1c67-todo-app-438rec.jsonl";
    let account = home.import(&[shared.join(name)]);
    assert_eq!(account.totals.records, 438);
    assert_eq!(account.totals.output_tokens, 51_933);
    let rows = home.rows();
    let answers = rows.iter().filter(|(_, row)| row.role == Role::Assistant);
    let answers: Vec<_> = answers
        .filter(|(_, row)| row.visibility == Visibility::Talk)
        .collect();
    assert_eq!(answers.len(), 170);
    assert_eq!(n_calls(&home), 167);
    // One main chain and five sub-agents that run through it.
    let sessions: BTreeSet<_> = rows.iter().map(|(session, _)| session.as_str()).collect();
    assert_eq!(sessions.len(), 6, "{sessions:?}");
}

#[test]
fn words_of_two_characters_are_found_in_scripts_without_spaces() {
    let home = Home::new();
    home.take(
        "s1.jsonl",
        lines(&[user(1, "把机器推论洗成权威事实"), user(2, "其他的话")]),
    );
    home.check_found("推论", 1);
    home.check_found("权威", 1);
    let Some(shared) = shared("words_of_two_characters_are_found_in_scripts_without_spaces") else {
        return;
    };
    let home = Home::new();
    let name = "samples/claude-code/osv-sample-claude-cjk-1001rec.jsonl";
    let account = home.import(&[shared.join(name)]);
    assert_eq!(account.totals.records, 1_001);
    assert_eq!(n_calls(&home), 286);
    // Two neighbouring ideographs of a stored text must be found in that row.
    let is_han = |c: &char| ('\u{4E00}'..='\u{9FFF}').contains(c);
    let rows = home.rows();
    let mut tried = BTreeSet::new();
    for (_, row) in rows.iter().step_by(97) {
        let text: Vec<char> = words(row).chars().collect();
        if let Some(pair) = text.windows(2).find(|pair| pair.iter().all(is_han)) {
            tried.insert(pair.iter().collect::<String>());
        }
    }
    assert!(!tried.is_empty());
    for pair in tried {
        assert!(home.grep(&pair).total > 0, "{pair}");
    }
}

#[test]
fn a_file_without_messages_is_no_fault() {
    let home = Home::new();
    let account = home.take(
        "s1.jsonl",
        r#"{"type":"file-history-snapshot","messageId":"m","snapshot":{}}"#,
    );
    assert_eq!((account.totals.meta, account.totals.messages), (1, 0));
    assert!(!account.is_partial());
    let Some(shared) = shared("a_file_without_messages_is_no_fault") else {
        return;
    };
    let home = Home::new();
    let name = "samples/claude-code/episodic-medium-conversation.jsonl";
    let account = home.import(&[shared.join(name)]);
    assert_eq!((account.totals.records, account.totals.meta), (23, 23));
    assert!(!account.is_partial());
    assert_eq!(n_calls(&home), 0);
}

#[test]
fn a_file_of_snapshots_and_titles_is_read_once_until_it_grows() {
    let snapshot = r#"{"type":"file-history-snapshot","messageId":"m","snapshot":{}}"#;
    let title = r#"{"type":"summary","summary":"Of terns","leafUuid":"z"}"#;
    let begun = [snapshot, title, title, snapshot].map(str::to_owned);
    let home = Home::new();
    let first = home.take("s1.jsonl", lines(&begun));
    assert_eq!((first.totals.records, first.totals.meta), (4, 4));
    let home = home.reopen();
    let second = home.take("s1.jsonl", lines(&begun));
    assert_eq!((second.totals.records, second.files[0].bytes_read), (0, 0));
    let [one, two, three, four] = begun;
    let grown = home.take("s1.jsonl", lines(&[one, two, three, four, user(1, "hi")]));
    assert_eq!((grown.totals.stored, grown.totals.meta), (1, 4));
    // Notes that waited are stored with their conversation, none twice.
    home.check_found("terns", 2);
    let last = home.import(&[home.folder.path().join("in/s1.jsonl")]);
    assert_eq!(last.totals.records, 0);
}

/// B015.
#[test]
fn a_foreign_file_is_refused_with_the_known_formats_unless_it_is_forced() {
    let home = Home::new();
    let log =
        "{\"role\":\"user\",\"text\":\"no transcript\"}\n{\"level\":\"info\",\"msg\":\"up\"}\n";
    let path = home.write("log.jsonl", log);
    let account = home.import(std::slice::from_ref(&path));
    assert!(account.is_partial());
    let Some(Problem::Foreign { reason }) = &account.files[0].problem else {
        panic!("{account:?}");
    };
    assert!(reason.contains("claude-code"), "{reason}");
    let forced = home.import_with(&[path], &options().format(Format::ClaudeCode));
    assert_eq!((forced.totals.records, forced.totals.refused), (2, 2));
    assert!(home.rows().is_empty());
}
