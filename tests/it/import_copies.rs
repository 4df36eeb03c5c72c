//! Copies: what hosts write to several files is one hit, and the other files are named beside it.

use std::path::{Path, PathBuf};

use hippocamp::domain::{ItemId, MessageId, RecordCopy};
use hippocamp::import::{Format, ImportMode};
use hippocamp::store::Thoroughness;
use proptest::prelude::*;
use proptest::sample::subsequence;
use sha2::{Digest, Sha256};

use crate::doctor::{damaged, examine, sound};
use crate::import_cases::counts;
use crate::import_codex;
use crate::import_pi;
use crate::import_support::{Home, answer, block, lines, options, user};
use crate::support::assert_clean;

/// A copy by its file's name and its line.
pub(crate) type Named = (String, u64);

pub(crate) fn named(copies: &[RecordCopy]) -> Vec<Named> {
    let name = |copy: &RecordCopy| {
        let name = Path::new(&copy.path).file_name().unwrap();
        name.to_str().unwrap().to_owned()
    };
    copies.iter().map(|copy| (name(copy), copy.line)).collect()
}

/// Returns the copies of the one row that has these words.
#[track_caller]
pub(crate) fn of_hit(home: &Home, words: &str) -> Vec<RecordCopy> {
    let found = home.grep(&format!("\"{words}\""));
    assert_eq!(found.total, 1, "{words}: {found:?}");
    let copies = home.engine.hit_copies(&found.hits);
    let copies = home.runtime.block_on(copies).unwrap().remove(0);
    check_hashes(&copies);
    copies
}

/// Fails unless each copy of a line has the hash of what is in its place.
#[track_caller]
fn check_hashes(copies: &[RecordCopy]) {
    let is_of_lines = |copy: &&RecordCopy| {
        let end = Path::new(&copy.path).extension();
        end.is_some_and(|end| end == "jsonl")
    };
    for copy in copies.iter().filter(is_of_lines) {
        let bytes = std::fs::read(&copy.path).unwrap();
        let at = usize::try_from(copy.offset).unwrap();
        let end = at + usize::try_from(copy.length).unwrap();
        let hash: [u8; 32] = Sha256::digest(&bytes[at..end]).into();
        assert_eq!(copy.sha256, Some(hash), "{copy:?}");
    }
}

#[track_caller]
pub(crate) fn check(home: &Home, words: &str, wanted: &[(&str, u64)]) {
    let wanted: Vec<Named> = wanted
        .iter()
        .map(|(name, line)| ((*name).to_owned(), *line))
        .collect();
    assert_eq!(named(&of_hit(home, words)), wanted, "{words}");
}

/// Fails unless importing all files once more names nothing more.
#[track_caller]
pub(crate) fn check_stands(home: &Home, words: &[&str]) {
    let copies = || -> Vec<Vec<RecordCopy>> { words.iter().map(|one| of_hit(home, one)).collect() };
    let before = copies();
    home.import(&[home.folder.path().join("in")]);
    assert_eq!(copies(), before);
    assert_clean(&home.runtime.block_on(home.engine.doctor()).unwrap());
}

pub(crate) fn with_session(records: &[String], session: &str) -> Vec<String> {
    let own = format!(r#""sessionId":"{session}""#);
    let records = records.iter();
    records
        .map(|record| record.replace(r#""sessionId":"s1""#, &own))
        .collect()
}

#[test]
fn a_resumed_session_is_named_beside_what_it_repeats() {
    let home = Home::new();
    let first = [
        user(1, "old oak"),
        answer(2, "old reply"),
        user(3, "first only"),
    ];
    home.take("s1.jsonl", lines(&first));
    let mut resumed = vec![r#"{"type":"mode","sessionId":"s2"}"#.to_owned()];
    resumed.extend(with_session(&first[..2], "s2"));
    resumed.push(with_session(&[user(9, "new ash")], "s2").remove(0));
    let path = home.write("s2.jsonl", lines(&resumed));
    let dry = home.import_with(
        std::slice::from_ref(&path),
        &options().mode(ImportMode::DryRun),
    );
    let account = home.import(&[path]);
    assert_eq!(counts(&account), (1, 1, 2, 0, 0));
    assert_eq!(account.files[0].counts.copies, 2);
    assert_eq!(dry.totals, account.totals);
    check(&home, "old oak", &[("s2.jsonl", 2)]);
    check(&home, "old reply", &[("s2.jsonl", 3)]);
    check(&home, "first only", &[]);
    check(&home, "new ash", &[]);
    check_stands(&home, &["old oak", "new ash"]);
    // What was read of a file that is written anew is read again, in both.
    home.take("s1.jsonl", format!("\n{}", lines(&first)));
    let again = home.take("s2.jsonl", format!("\n{}", lines(&resumed)));
    let duplicates = (again.totals.duplicate, again.totals.copies);
    assert_eq!(duplicates, (3, 2));
    let found = home.grep("oak");
    let copies = home.engine.hit_copies(&found.hits);
    let copies = home.runtime.block_on(copies).unwrap();
    assert_eq!(named(&copies[0]), [("s2.jsonl".to_owned(), 2)]);
}

#[test]
fn a_forked_session_is_named_whichever_file_comes_first() {
    let shared = [user(1, "shared oak"), answer(2, "shared reply")];
    let forked: Vec<String> = with_session(&shared, "s2")
        .iter()
        .map(|record| {
            let from = r#""forkedFrom":{"sessionId":"s1","messageUuid":"x"},"type":"#;
            record.replacen(r#""type":"#, from, 1)
        })
        .collect();
    for (order, other) in [(["a", "b"], "b.jsonl"), (["b", "a"], "a.jsonl")] {
        let home = Home::new();
        for name in order {
            let records = if name == "a" { &shared[..] } else { &forked };
            home.take(&format!("{name}.jsonl"), lines(records));
        }
        check(&home, "shared oak", &[(other, 1)]);
        check(&home, "shared reply", &[(other, 2)]);
        check_stands(&home, &["shared oak", "shared reply"]);
    }
}

#[test]
fn a_fork_of_a_rollout_is_named_and_a_packed_rollout_too() {
    use import_codex::{SESSION, item, session, turn};
    let turns = |n| vec![turn(n, "turn-1"), item(n + 1, "user", "moor the oak")];
    let mut parent = vec![session(1, SESSION, "")];
    parent.extend(turns(2));
    let more = format!(r#","forked_from_id":"{SESSION}""#);
    let mut fork = vec![session(20, "f", &more), session(20, SESSION, "")];
    fork.extend(turns(21));
    fork.extend([turn(30, "turn-2"), item(31, "user", "fork only")]);
    let home = Home::new();
    home.take("a.jsonl", lines(&parent));
    home.take("b.jsonl", lines(&fork));
    let packed = zstd::encode_all(lines(&parent).as_bytes(), 0).unwrap();
    home.take("a.jsonl.zst", packed);
    check(&home, "moor the oak", &[("b.jsonl", 4), ("a.jsonl.zst", 3)]);
    check(&home, "fork only", &[]);
    check_stands(&home, &["moor the oak", "fork only"]);
}

#[test]
fn what_a_rollout_copies_to_compact_is_named_by_the_line_of_that() {
    use import_codex::{SESSION, item, session, turn, wrapped};
    let copied = |texts: &[&str]| {
        let items = texts.iter().map(|text| {
            format!(r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}]}}"#)
        });
        let items: Vec<String> = items.collect();
        let list = items.join(",");
        let payload = format!(r#"{{"message":"Of trees.","replacement_history":[{list}]}}"#);
        wrapped(9, "compacted", &payload)
    };
    let records = [
        session(1, SESSION, ""),
        turn(2, "turn-1"),
        item(3, "user", "about the oak"),
        item(4, "assistant", "it stands"),
        turn(5, "turn-2"),
        item(6, "user", "about the elm"),
        copied(&["about the oak", "about the elm", "never said"]),
        turn(10, "turn-3"),
        item(11, "user", "about the ash"),
        copied(&["about the elm", "about the ash"]),
    ];
    // Old rollouts name no turns, and their rows have no ids.
    let unnamed = |record: &String| record.replace("turn_context", "other_context");
    let old: Vec<String> = records.iter().map(unnamed).collect();
    let runs = [(&records[..], 10), (&records[..], 5), (&records[..], 7)];
    for (records, cut) in runs.into_iter().chain([(&old[..], 10), (&old[..], 5)]) {
        let home = Home::new();
        home.take("rollout-a.jsonl", lines(&records[..cut]));
        home.take("rollout-a.jsonl", lines(records));
        check(&home, "about the oak", &[("rollout-a.jsonl", 7)]);
        check(&home, "about the elm", &[("rollout-a.jsonl", 7)]);
        check(&home, "about the ash", &[("rollout-a.jsonl", 10)]);
        check(&home, "it stands", &[]);
        home.check_found("\"never said\"", 0);
        check_stands(&home, &["about the oak"]);
    }
}

#[test]
fn a_replayed_file_is_named_and_a_record_that_its_own_file_repeats_is_not() {
    let home = Home::new();
    let text = lines(&[user(1, "oak"), user(2, "oak"), user(1, "oak")]);
    let account = home.take("s1.jsonl", &text);
    assert_eq!((account.totals.duplicate, account.totals.copies), (1, 0));
    let account = home.take("replay/s1.jsonl", &text);
    assert_eq!((account.totals.duplicate, account.totals.copies), (3, 3));
    let found = home.grep("oak");
    let copies = home.runtime.block_on(home.engine.hit_copies(&found.hits));
    let lines: Vec<Vec<Named>> = copies.unwrap().iter().map(|one| named(one)).collect();
    // The newest first; the file is named once, at its first record.
    let at = |line| vec![("s1.jsonl".to_owned(), line)];
    assert_eq!(lines, [at(2), at(1)]);
}

#[test]
fn a_mirror_of_an_answer_is_named_by_its_line_in_the_same_file() {
    let mirror = |id: &str, parent: &str, text: &str| {
        let own = import_pi::answer(id, parent, text);
        own.replace(r#""role":"#, r#""model":"delivery-mirror","role":"#)
    };
    let records = [
        import_pi::header("s1", ""),
        import_pi::user("u1", "", "when?"),
        import_pi::answer("a1", "u1", "high at six"),
        mirror("d1", "a1", "high at six"),
        mirror("d2", "d1", "low at noon"),
        import_pi::user("u2", "a1", "and then?"),
        import_pi::answer("a2", "u2", "ebb at ten"),
        import_pi::user("u3", "a1", "gone back"),
        mirror("d3", "a2", "ebb at ten"),
    ];
    // The mirror comes with its answer, later than it, and behind a branch.
    for cut in [records.len(), 3, 8] {
        let home = Home::new();
        home.take("openclaw/s1.jsonl", lines(&records[..cut]));
        home.take("openclaw/s1.jsonl", lines(&records));
        check(&home, "high at six", &[("s1.jsonl", 4)]);
        check(&home, "low at noon", &[]);
        check(&home, "ebb at ten", &[("s1.jsonl", 9)]);
        check_stands(&home, &["high at six", "low at noon"]);
    }
}

#[test]
fn a_copy_that_a_host_makes_before_it_compacts_is_named_if_it_is_read() {
    let home = Home::new();
    let records = [
        import_pi::header("s1", ""),
        import_pi::user("u1", "", "old oak"),
        import_pi::answer("a1", "u1", "old reply"),
    ];
    let folder = "agents/main/sessions";
    home.take(&format!("{folder}/s1.jsonl"), lines(&records));
    let copy = home.write(&format!("{folder}/s1.checkpoint.1.jsonl"), lines(&records));
    let left = home.import(&[home.folder.path().join("in")]);
    assert_eq!(left.siblings, std::slice::from_ref(&copy));
    let account = home.import_with(&[copy], &options().format(Format::OpenClaw));
    assert_eq!((account.totals.stored, account.totals.copies), (0, 2));
    check(&home, "old oak", &[("s1.checkpoint.1.jsonl", 2)]);
    check(&home, "old reply", &[("s1.checkpoint.1.jsonl", 3)]);
}

#[test]
fn a_copy_that_differs_is_a_hit_of_its_own_and_said() {
    let home = Home::new();
    home.take(
        "a.jsonl",
        lines(&[user(1, "the oak"), user(2, "as it was")]),
    );
    let other = [user(1, "the elm"), user(2, "as it was")];
    let account = home.take("b.jsonl", lines(&with_session(&other, "s2")));
    let totals = account.totals;
    assert_eq!((totals.stored, totals.edited, totals.copies), (1, 1, 1));
    check(&home, "the oak", &[]);
    check(&home, "the elm", &[]);
    check(&home, "as it was", &[("b.jsonl", 2)]);
    // A third file with the second wording is a copy of that.
    let account = home.take("c.jsonl", lines(&with_session(&other, "s3")));
    assert_eq!((account.totals.stored, account.totals.copies), (0, 2));
    check(&home, "the oak", &[]);
    check(&home, "the elm", &[("c.jsonl", 1)]);
    check(&home, "as it was", &[("b.jsonl", 2), ("c.jsonl", 2)]);
}

#[test]
fn an_export_that_is_made_again_adds_a_name_and_one_that_is_read_again_none() {
    let said = |id: u32, text: &str| {
        format!(
            r#"{{"uuid":"{}","text":"{text}","content":[],"sender":"human","created_at":"2026-01-05T10:00:00Z"}}"#,
            crate::import_support::uuid(id)
        )
    };
    let export = |messages: &[String]| {
        format!(
            r#"[{{"uuid":"c1","name":"T","summary":"","created_at":"2026-01-05T10:00:00Z","chat_messages":[{}]}}]"#,
            messages.join(",\n")
        )
    };
    let home = Home::new();
    let old = [said(1, "the oak")];
    let new = [said(1, "the oak"), said(2, "the elm")];
    home.take("jan/conversations.json", export(&old));
    home.take("feb/conversations.json", export(&new));
    check(&home, "the oak", &[("conversations.json", 1)]);
    check(&home, "the elm", &[]);
    let account = home.take("jan/conversations.json", export(&new));
    assert_eq!((account.totals.duplicate, account.totals.copies), (2, 1));
    let changed = [said(3, "the ash"), said(1, "the oak"), said(2, "the elm")];
    home.take("feb/conversations.json", export(&changed));
    check(&home, "the oak", &[("conversations.json", 1)]);
    check(&home, "the elm", &[("conversations.json", 2)]);
    check_stands(&home, &["the oak", "the elm", "the ash"]);
}

#[test]
fn the_records_of_one_message_are_named_together() {
    let home = Home::new();
    let text = r#"{"type":"text","text":"the oak"}"#;
    let call = r#"{"type":"tool_use","id":"c1","name":"Read","input":{}}"#;
    let records = [user(1, "ask"), block(2, "m", text), block(3, "m", call)];
    home.take("a.jsonl", lines(&records));
    home.take("b.jsonl", lines(&with_session(&records, "s2")));
    let found = home.grep("oak");
    let ItemId::Message(id) = found.hits[0].id else {
        panic!("{found:?}");
    };
    let ids = [id, MessageId::new(999)];
    let copies = home.engine.record_copies(&ids);
    let copies = home.runtime.block_on(copies).unwrap();
    let at = |line| ("b.jsonl".to_owned(), line);
    assert_eq!(named(&copies[0]), [at(2), at(3)]);
    assert_eq!(copies[1], []);
    check(&home, "the oak", &[("b.jsonl", 2)]);
}

#[test]
fn doctor_counts_copies_and_finds_one_that_names_nothing() {
    let imported = "INSERT INTO source (id, path, format, updated_at) VALUES (1, 'a', 'b', 0);
         INSERT INTO copy (message_id, source_id, offset, length, line) VALUES (2, 1, 0, 9, 1);";
    let bench = damaged("provenance", imported);
    sound(&bench);
    let check = |sql: &str| {
        let bench = damaged("provenance", sql);
        let mut checks = examine(&bench, Thoroughness::Quick).into_iter();
        checks.find(|check| check.name == "provenance").unwrap()
    };
    let found = check(imported);
    assert!(found.detail.ends_with("copies named: 1"), "{found:?}");
    for change in ["message_id = 9999", "source_id = 7"] {
        let lost = format!("PRAGMA foreign_keys = OFF; {imported} UPDATE copy SET {change};");
        let found = check(&lost);
        assert!(
            !found.is_ok && found.detail.contains("a copy of"),
            "{found:?}"
        );
    }
}

/// Which of five records each of four files holds, and in which order the files come.
fn files() -> impl Strategy<Value = Vec<(usize, Vec<u32>)>> {
    let held = prop::collection::vec(subsequence(vec![1_u32, 2, 3, 4, 5], 1..=5), 4);
    held.prop_map(|held| held.into_iter().enumerate().collect())
        .prop_flat_map(|files: Vec<(usize, Vec<u32>)>| Just(files).prop_shuffle())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn each_record_is_one_hit_that_names_every_file(files in files()) {
        let home = Home::new();
        let words = |n: u32| format!("word{n}");
        let paths: Vec<PathBuf> = files
            .iter()
            .map(|(file, held)| {
                let records: Vec<String> = held.iter().map(|n| user(*n, &words(*n))).collect();
                let records = with_session(&records, &format!("s{file}"));
                home.write(&format!("{file}.jsonl"), lines(&records))
            })
            .collect();
        for path in &paths {
            home.import(std::slice::from_ref(path));
        }
        for n in 1..=5 {
            let n_files = files.iter().filter(|(_, held)| held.contains(&n)).count();
            if n_files > 0 {
                prop_assert_eq!(of_hit(&home, &words(n)).len() + 1, n_files);
            } else {
                home.check_found(&words(n), 0);
            }
        }
    }
}
