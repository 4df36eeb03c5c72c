//! Replays: a session that its host wrote anew in another file, under new ids and with the times that
//! its records had, is told once.

use std::path::PathBuf;

use hippocamp::domain::SessionKey;
use hippocamp::import::ImportMode;
use proptest::prelude::*;
use rusqlite::Connection;

use crate::import_copies::{check, check_stands, named, of_hit, with_session};
use crate::import_support::{Home, lines, options, quoted, uuid, words};

/// One record of session s1, said at the n-th moment after the record before it.
fn say(n: u32, text: &str) -> String {
    let parent = match n {
        1 => "null".to_owned(),
        n => format!("\"{}\"", uuid(n - 1)),
    };
    say_after(&parent, n, text)
}

fn say_after(parent: &str, n: u32, text: &str) -> String {
    let (kind, more) = match n % 2 {
        1 => ("user", String::new()),
        _ => (
            "assistant",
            format!(r#""id":"msg_{n}","model":"model-x","usage":{{"output_tokens":5}},"#),
        ),
    };
    format!(
        r#"{{"parentUuid":{parent},"sessionId":"s1","cwd":"/proj","type":"{kind}","message":{{{more}"role":"{kind}","content":{}}},"uuid":"{}","timestamp":"2026-01-05T10:{:02}:{:02}.{:03}Z"}}"#,
        quoted(text),
        uuid(n),
        n / 60 % 60,
        n % 60,
        (n * 37) % 1_000
    )
}

/// Writes records anew: in another session, under ids that differ in their first digits.
fn replay(records: &[String], session: &str, number: u32) -> Vec<String> {
    let ids = format!("{number:08}-0000-4000-8000-");
    let records = with_session(records, session);
    let renamed = records.iter();
    renamed
        .map(|record| record.replace("00000000-0000-4000-8000-", &ids))
        .collect()
}

fn talk() -> Vec<String> {
    let texts = ["old oak", "old reply", "old elm", "last reply"];
    (1..).zip(texts).map(|(n, text)| say(n, text)).collect()
}

/// Returns the words of a session's view, what it inherits included.
fn told(home: &Home, session: &str) -> Vec<String> {
    let key = SessionKey::new(format!("claude-code:{session}")).unwrap();
    home.runtime.block_on(async {
        let mut history = home.engine.history(&key, None).await.unwrap();
        let page = history.next_page().await.unwrap();
        page.iter().map(|row| words(&row.message)).collect()
    })
}

/// Returns all that can be seen of a store with these hits.
fn seen(home: &Home, hits: &[&str]) -> (Vec<String>, Vec<Vec<(String, u64)>>) {
    let copies = hits.iter().map(|words| named(&of_hit(home, words)));
    (home.picture(), copies.collect())
}

#[test]
fn a_replay_is_named_and_its_session_goes_on_behind_what_it_repeats() {
    let home = Home::new();
    home.take("a.jsonl", lines(&talk()));
    let mut records = talk();
    records.push(say(5, "new ash"));
    records.push(say(6, "new reply"));
    let path = home.write("b.jsonl", lines(&replay(&records, "s2", 7)));
    let dry = home.import_with(
        std::slice::from_ref(&path),
        &options().mode(ImportMode::DryRun),
    );
    let account = home.import(&[path]);
    let totals = account.totals;
    assert_eq!((totals.stored, totals.duplicate, totals.copies), (2, 4, 4));
    assert_eq!((totals.edited, totals), (0, dry.totals));
    for (line, text) in (1..).zip(["old oak", "old reply", "old elm", "last reply"]) {
        check(&home, text, &[("b.jsonl", line)]);
    }
    check(&home, "new ash", &[]);
    let whole = [
        "old oak",
        "old reply",
        "old elm",
        "last reply",
        "new ash",
        "new reply",
    ];
    assert_eq!(told(&home, "s1"), &whole[..4]);
    assert_eq!(told(&home, "s2"), whole);
    check_stands(&home, &["old oak", "new ash"]);
}

#[test]
fn a_replay_goes_on_from_the_record_that_its_next_one_names() {
    let home = Home::new();
    home.take("a.jsonl", lines(&talk()));
    let mut records = talk();
    records.push(say_after(&format!("\"{}\"", uuid(2)), 5, "new ash"));
    home.take("b.jsonl", lines(&replay(&records, "s2", 7)));
    assert_eq!(told(&home, "s2"), ["old oak", "old reply", "new ash"]);
}

#[test]
fn a_replay_that_comes_before_its_original_is_one_hit_too() {
    let home = Home::new();
    let mut records = talk();
    records.push(say(5, "new ash"));
    home.take("b.jsonl", lines(&replay(&records, "s2", 7)));
    let mut original = talk();
    original.push(say(7, "first only"));
    home.take("a.jsonl", lines(&original));
    check(&home, "old oak", &[("a.jsonl", 1)]);
    check(&home, "last reply", &[("a.jsonl", 4)]);
    check(&home, "first only", &[]);
    let whole = ["old oak", "old reply", "old elm", "last reply"];
    assert_eq!(told(&home, "s1"), [&whole[..], &["first only"]].concat());
    assert_eq!(told(&home, "s2"), [&whole[..], &["new ash"]].concat());
    check_stands(&home, &["old oak", "new ash", "first only"]);
}

#[test]
fn a_replay_cut_anywhere_and_completed_is_the_whole() {
    let mut records = talk();
    records[2] = say(3, "other elm");
    // What goes on names a record that came long before.
    records.push(say_after(&format!("\"{}\"", uuid(4)), 5, "new ash"));
    let text = lines(&replay(&records, "s2", 7));
    let hits = [
        "old oak",
        "old reply",
        "old elm",
        "other elm",
        "last reply",
        "new ash",
    ];
    let halves = |cut: usize| {
        let home = Home::new();
        home.take("a.jsonl", lines(&talk()));
        let (first, whole) = (&text[..cut], &text);
        let accounts = [first, whole].map(|text| home.take("b.jsonl", text).totals);
        let sums = [
            accounts.iter().map(|totals| totals.stored).sum(),
            accounts.iter().map(|totals| totals.copies).sum(),
            accounts.iter().map(|totals| totals.edited).sum::<u64>(),
        ];
        (seen(&home, &hits), told(&home, "s2"), sums)
    };
    let whole = halves(0);
    assert_eq!(whole.2, [2, 3, 1]);
    for cut in (1..text.len()).step_by(13) {
        assert_eq!(halves(cut), whole, "cut at {cut}");
    }
}

#[test]
fn a_replayed_record_in_other_words_is_kept_and_said() {
    let home = Home::new();
    home.take("a.jsonl", lines(&talk()));
    let mut records = talk();
    records[2] = say(3, "other elm");
    let account = home.take("b.jsonl", lines(&replay(&records, "s2", 7)));
    let totals = account.totals;
    assert_eq!((totals.stored, totals.edited, totals.copies), (1, 1, 3));
    check(&home, "old elm", &[]);
    check(&home, "other elm", &[]);
    check(&home, "last reply", &[("b.jsonl", 4)]);
    // Another replay of that has both.
    let account = home.take("c.jsonl", lines(&replay(&records, "s3", 8)));
    let totals = account.totals;
    assert_eq!((totals.stored, totals.edited, totals.copies), (0, 0, 4));
    check(&home, "other elm", &[("c.jsonl", 3)]);
}

#[test]
fn the_replay_of_a_copy_in_other_words_is_a_copy_of_that() {
    let home = Home::new();
    home.take("a.jsonl", lines(&talk()));
    let mut records = talk();
    records[2] = say(3, "other elm");
    home.take("b.jsonl", lines(&with_session(&records, "s2")));
    let account = home.take("c.jsonl", lines(&replay(&records, "s3", 8)));
    assert_eq!((account.totals.stored, account.totals.copies), (0, 4));
    check(&home, "other elm", &[("c.jsonl", 3)]);
    check(&home, "old oak", &[("b.jsonl", 1), ("c.jsonl", 1)]);
}

#[test]
fn two_replays_and_the_replay_of_a_replay_are_named() {
    let home = Home::new();
    home.take("a.jsonl", lines(&talk()));
    let mut records = talk();
    records.push(say(5, "new ash"));
    home.take("b.jsonl", lines(&replay(&records, "s2", 7)));
    home.take("c.jsonl", lines(&replay(&talk()[..2], "s3", 8)));
    records.push(say(6, "newer reply"));
    home.take("d.jsonl", lines(&replay(&records, "s4", 9)));
    check(
        &home,
        "old oak",
        &[("b.jsonl", 1), ("c.jsonl", 1), ("d.jsonl", 1)],
    );
    check(&home, "old elm", &[("b.jsonl", 3), ("d.jsonl", 3)]);
    check(&home, "new ash", &[("d.jsonl", 5)]);
    let whole = ["old oak", "old reply", "old elm", "last reply", "new ash"];
    assert_eq!(told(&home, "s2"), whole);
    assert_eq!(told(&home, "s4"), [&whole[..], &["newer reply"]].concat());
}

/// Fails unless two files that say "once more" are so many hits.
#[track_caller]
fn check_hits(one: &str, other: &str, n_hits: u64) {
    for order in [[one, other], [other, one]] {
        let home = Home::new();
        home.take("a.jsonl", order[0]);
        let account = home.take("b.jsonl", order[1]);
        assert_eq!(account.totals.edited, 0);
        home.check_found("\"once more\"", n_hits);
    }
}

#[test]
fn only_the_same_speaker_and_words_at_the_same_millisecond_are_a_copy() {
    let said = say(1, "once more");
    let other = replay(std::slice::from_ref(&said), "s2", 7).remove(0);
    check_hits(&said, &other, 1);
    // Another time, another speaker, more words.
    check_hits(&said, &other.replace(".037Z", ".038Z"), 2);
    check_hits(&said, &other.replace("user", "assistant"), 2);
    check_hits(&said, &other.replace("once more", "once more, please"), 2);
    // Many records are told to the same second.
    let coarse = |record: &str| record.replace(".037Z", "Z");
    check_hits(&coarse(&said), &coarse(&other), 2);
    check_hits(&said, &other.replace("\"s2\"", "\"s1\""), 2);
    // Within a file nothing is told by its time alone.
    let home = Home::new();
    home.take("a.jsonl", lines(std::slice::from_ref(&said)));
    home.take("a.jsonl", lines(&[said.clone(), other]));
    home.check_found("\"once more\"", 2);
    // What another host tells is another message.
    let chat = format!(
        r#"[{{"uuid":"c1","name":"T","chat_messages":[{{"uuid":"{}","text":"once more","content":[],"sender":"human","created_at":"2026-01-05T10:00:01.037Z"}}]}}]"#,
        uuid(9)
    );
    let home = Home::new();
    home.take("conversations.json", chat);
    home.take("b.jsonl", &said);
    home.check_found("\"once more\"", 2);
}

#[test]
fn what_was_said_twice_in_one_millisecond_is_copied_twice_and_a_third_is_kept() {
    let home = Home::new();
    let twice = |id: u32| say(3, "old elm").replace(&uuid(3), &uuid(id));
    let records = [say(1, "old oak"), twice(3), twice(4)];
    home.take("a.jsonl", lines(&records));
    home.check_found("\"old elm\"", 2);
    home.take("b.jsonl", lines(&replay(&records, "s2", 7)));
    home.check_found("\"old elm\"", 2);
    let more = [&records[..], &[twice(5)]].concat();
    home.take("c.jsonl", lines(&replay(&more, "s3", 8)));
    home.check_found("\"old elm\"", 3);
    let found = home.grep("\"old elm\"");
    let copies = home.engine.hit_copies(&found.hits);
    let copies = home.runtime.block_on(copies).unwrap();
    let mut n_copies: Vec<usize> = copies.iter().map(Vec::len).collect();
    n_copies.sort_unstable();
    assert_eq!(n_copies, [0, 2, 2]);
}

#[test]
fn a_sub_agent_is_replayed_with_its_session_and_two_of_one_session_are_two() {
    let aside = |record: String| record.replacen('{', r#"{"isSidechain":true,"#, 1);
    let home = Home::new();
    let records: Vec<String> = talk().into_iter().map(aside).collect();
    home.take("a.jsonl", lines(&records));
    home.take("b.jsonl", lines(&replay(&records, "s2", 7)));
    check(&home, "old oak", &[("b.jsonl", 1)]);
    check(&home, "last reply", &[("b.jsonl", 4)]);
    let home = Home::new();
    for (agent, number) in [("a1", 1), ("a2", 2)] {
        let records = replay(&[say(1, "go and look")], "s1", number);
        home.take(
            &format!("s1/subagents/agent-{agent}.jsonl"),
            lines(&records),
        );
    }
    home.check_found("\"go and look\"", 2);
}

#[test]
fn a_title_finds_the_record_that_it_names_by_its_new_id() {
    let home = Home::new();
    home.take("a.jsonl", lines(&talk()));
    let summary = |text: &str| {
        let leaf = uuid(4).replacen("00000000", "00000007", 1);
        format!(r#"{{"type":"summary","summary":"{text}","leafUuid":"{leaf}"}}"#)
    };
    let mut records = talk();
    records.push(say(5, "new ash"));
    let mut records = replay(&records, "s2", 7);
    for (at, text) in [(0, "Before"), (records.len() + 1, "After")] {
        records.insert(at, summary(text));
        home.take("b.jsonl", lines(&records));
        let sessions = home.runtime.block_on(home.engine.sessions()).unwrap();
        let titled = sessions
            .iter()
            .any(|row| row.title.as_deref() == Some(text));
        assert!(titled, "{sessions:?}");
    }
}

/// Takes out what the migrations behind the fifth brought, the newest first.
const BACK_TO_SCHEMA_5: &str = "
    DROP TABLE recounted; ALTER TABLE conversation DROP COLUMN counted_by;
    DROP TABLE pin_state; DROP TABLE pin;
    ALTER TABLE lineage DROP COLUMN max_pin_id; ALTER TABLE conversation DROP COLUMN pin_mark;
    DROP TABLE cleared; DROP TABLE steering; DROP TABLE measure;
    DROP INDEX event_call;
    ALTER TABLE event DROP COLUMN redactions; ALTER TABLE event DROP COLUMN cached_tokens;
    ALTER TABLE event DROP COLUMN output_tokens; ALTER TABLE event DROP COLUMN input_tokens;
    ALTER TABLE event DROP COLUMN model;
    DROP INDEX message_at; PRAGMA user_version = 5;";

#[test]
fn what_was_imported_before_times_were_indexed_is_recognised() {
    let home = Home::new();
    home.take("a.jsonl", lines(&talk()));
    let raw = Connection::open(home.folder.path().join("hippocamp.db")).unwrap();
    raw.execute_batch(BACK_TO_SCHEMA_5).unwrap();
    drop(raw);
    let home = home.reopen();
    home.take("b.jsonl", lines(&replay(&talk(), "s2", 7)));
    check(&home, "old oak", &[("b.jsonl", 1)]);
}

/// How many records each of four files repeats and adds, and in which order the files come.
fn files() -> impl Strategy<Value = Vec<(u32, u32, u32)>> {
    let sizes = prop::collection::vec((0_u32..=5, 0_u32..=2), 4);
    sizes
        .prop_map(|sizes| {
            (0..)
                .zip(sizes)
                .map(|(n, (kept, more))| (n, kept, more))
                .collect()
        })
        .prop_flat_map(|files: Vec<(u32, u32, u32)>| Just(files).prop_shuffle())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn in_any_order_each_message_is_one_hit_and_each_session_whole(files in files(), permille in 0..1_000_usize) {
        let home = Home::new();
        let shared = |n: u32| say(n, &format!("shared{n}"));
        let mut paths: Vec<PathBuf> = Vec::new();
        for (file, kept, more) in &files {
            let own = (0..*more).map(|n| say(20 + 10 * file + n, &format!("own{file}x{n}")));
            let records: Vec<String> = (1..=*kept).map(shared).chain(own).collect();
            let text = lines(&replay(&records, &format!("s{file}"), 1 + file));
            let name = format!("{file}.jsonl");
            let cut = text.len() * permille / 1_000;
            home.take(&name, &text[..cut]);
            home.take(&name, &text);
            paths.push(home.folder.path().join("in").join(name));
        }
        for n in 1..=5 {
            let n_files = files.iter().filter(|(_, kept, _)| *kept >= n).count();
            let words = format!("shared{n}");
            if n_files > 0 {
                prop_assert_eq!(of_hit(&home, &words).len() + 1, n_files);
            } else {
                home.check_found(&words, 0);
            }
        }
        for (file, kept, more) in &files {
            if *more > 0 {
                let own = (0..*more).map(|n| format!("own{file}x{n}"));
                let whole: Vec<String> = (1..=*kept).map(|n| format!("shared{n}")).chain(own).collect();
                prop_assert_eq!(told(&home, &format!("s{file}")), whole);
            }
        }
        let before = home.picture();
        home.import(&paths);
        prop_assert_eq!(home.picture(), before);
    }
}
