//! Whose record is it: copies, forks, sub-agents, session ids; what is talk and when it was said.
//! Each test has a small input of its own and takes the shared case beside it where there is one.

use hippocamp::domain::{Part, Role, Visibility};
use hippocamp::store::Repair;
use rusqlite::Connection;

use crate::import_cases::{case, counts};
use crate::import_support::{Home, answer, block, lines, quoted, record, user, words};
use crate::shared::shared;

#[test]
fn b018_b019_b020_repeats_stay_and_copies_do_not() {
    let home = Home::new();
    let text = lines(&[
        user(1, "continue"),
        answer(2, "done"),
        user(3, "continue"),
        answer(4, "done"),
        user(3, "continue"),
    ]);
    assert_eq!(counts(&home.take("s1.jsonl", &text)), (4, 0, 1, 0, 0));
    home.check_found("continue", 2);
    let before = home.picture();
    assert_eq!(home.take("s1.jsonl", &text).totals.records, 0);
    assert_eq!(counts(&home.take("copy.jsonl", &text)), (0, 0, 5, 0, 0));
    assert_eq!(home.picture(), before);
    let Some((home, account)) = case("B019_legit_repeats.claude.jsonl") else {
        return;
    };
    assert_eq!(counts(&account), (6, 0, 0, 0, 0));
    home.check_found("continue", 3);
    let (_, account) = case("B020_duplicate_uuid.claude.jsonl").unwrap();
    assert_eq!(counts(&account), (3, 0, 3, 0, 0));
}

#[test]
fn b022_a_branch_and_its_parent_are_stored_once_in_either_order() {
    let of_branch = |line: String| line.replace(r#""sessionId":"s1""#, r#""sessionId":"s2""#);
    let shared_rows = [user(1, "shared root olive"), answer(2, "shared reply")];
    let parent = lines(&[shared_rows.as_slice(), &[user(3, "parent only")]].concat());
    let mut child = shared_rows.map(of_branch).to_vec();
    child.push(of_branch(user(9, "branch only")));
    let child = lines(&child);
    for names in [["p", "c"], ["c", "p"]] {
        let home = Home::new();
        for name in names {
            home.take(
                &format!("{name}.jsonl"),
                if name == "p" { &parent } else { &child },
            );
        }
        check_family(&home);
    }
    let Some(folder) = shared("b022") else { return };
    let files = [
        "B022_fork_parent.claude.jsonl",
        "B022_fork_child.claude.jsonl",
    ];
    for order in [[0, 1], [1, 0]] {
        let home = Home::new();
        home.import(&order.map(|at| folder.join("cases").join(files[at])));
        check_family(&home);
    }
}

#[track_caller]
fn check_family(home: &Home) {
    for phrase in [
        "\"shared root olive\"",
        "\"shared reply\"",
        "\"parent only\"",
        "\"branch only\"",
    ] {
        home.check_found(phrase, 1);
    }
    let sessions = home.runtime.block_on(home.engine.sessions()).unwrap();
    assert_eq!(sessions.len(), 2);
    // Each of the two shows the whole talk, shared rows included.
    for session in &sessions {
        assert_eq!((session.messages, session.rows), (3, 3), "{session:?}");
    }
    let parents: Vec<_> = sessions
        .iter()
        .filter_map(|session| session.parent.as_ref())
        .collect();
    assert_eq!((parents.len(), parents[0].1.get()), (1, 2));
}

#[test]
fn b023_blocks_of_one_answer_are_one_message() {
    let Some((home, account)) = case("B023_split_blocks_same_id.claude.jsonl") else {
        return;
    };
    let rows = home.rows();
    let answers = rows.iter().filter(|(_, row)| row.role == Role::Assistant);
    let calls = rows.iter().map(|(_, row)| {
        row.parts
            .iter()
            .filter(|part| matches!(part, Part::ToolUse { .. }))
    });
    let n_calls: Vec<usize> = calls.map(Iterator::count).filter(|n| *n > 0).collect();
    assert_eq!((account.totals.refused, n_calls), (0, vec![2]));
    assert!((answers.count() as u64) < account.totals.stored);
    assert_eq!(rows.len() as u64, account.totals.messages);
}

#[test]
fn b028_sub_agents_do_not_collide_with_their_session() {
    let home = Home::new();
    home.write(
        "s1.jsonl",
        lines(&[user(1, "of the session"), answer(2, "yes")]),
    );
    home.write(
        "s1/subagents/agent-a1.jsonl",
        lines(&[user(1, "of the agent")]),
    );
    let account = home.import(&[home.folder.path().join("in")]);
    assert_eq!(counts(&account), (3, 0, 0, 0, 0));
    let keys: Vec<String> = account
        .files
        .iter()
        .filter_map(|file| Some(file.conversation.as_ref()?.as_str().to_owned()))
        .collect();
    assert_eq!(keys, ["claude-code:s1", "claude-code:s1/a1"]);
}

#[test]
fn b030_b166_session_ids_are_kept_byte_for_byte_and_name_no_file() {
    let home = Home::new();
    let ids = ["a/b", "a_b", "a\\b", "../../etc/x", "a b", "é"];
    let records = ids.iter().zip(1..).map(|(id, n)| {
        user(n, "row").replace(
            r#""sessionId":"s1""#,
            &format!(r#""sessionId":{}"#, quoted(id)),
        )
    });
    let mut text = lines(&records.collect::<Vec<_>>());
    for id in ["", "a\0b", &"k".repeat(5_000)] {
        let bad = format!(r#""sessionId":{}"#, quoted(id));
        text.push_str(&lines(&[
            user(90, "bad").replace(r#""sessionId":"s1""#, &bad)
        ]));
    }
    let account = home.take("x.jsonl", text);
    assert_eq!(counts(&account), (6, 0, 0, 3, 0));
    let sessions = home.runtime.block_on(home.engine.sessions()).unwrap();
    let mut keys: Vec<_> = sessions
        .iter()
        .map(|row| row.session.as_str().to_owned())
        .collect();
    let mut expected = ids.map(|id| format!("claude-code:{id}")).to_vec();
    keys.sort();
    expected.sort();
    assert_eq!(keys, expected);
    let mut names: Vec<_> = std::fs::read_dir(home.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.retain(|name| name != "in" && !name.starts_with("hippocamp.db"));
    assert!(names.is_empty(), "{names:?}");
}

#[test]
fn b032_b033_b039_content_of_every_shape_is_found_and_pictures_are_not_text() {
    let Some((home, account)) = case("B032_content_shapes.claude.jsonl") else {
        return;
    };
    assert_eq!(account.totals.refused, 0);
    for words in [
        "plain string",
        "array content",
        "string result",
        "array result",
        "boom",
        "after mystery",
    ] {
        assert!(home.grep(&quoted(words)).total >= 1, "{words}");
    }
    home.check_found("%iVBOR%", 0);
    let rows = home.rows();
    let results: Vec<_> = rows
        .iter()
        .flat_map(|(_, row)| &row.parts)
        .filter_map(|part| match part {
            Part::ToolResult {
                call_id,
                content,
                is_error,
            } => Some((call_id, content, *is_error)),
            _ => None,
        })
        .collect();
    assert_eq!(results.len(), 4);
    assert!(
        results
            .iter()
            .any(|(id, _, is_error)| id.as_str() == "toolu_c4" && *is_error)
    );
    assert!(
        results
            .iter()
            .any(|(id, content, _)| id.as_str() == "toolu_c3" && content.is_empty())
    );
}

#[test]
fn b035_command_noise_is_meta_and_the_question_comes_first() {
    let home = Home::new();
    let account = home.take(
        "s1.jsonl",
        lines(&[
            user(1, "<command-name>/review</command-name>"),
            user(
                2,
                "<local-command-stdout>total 12 birch</local-command-stdout>",
            ),
            user(3, "a question about birch"),
        ]),
    );
    assert_eq!(counts(&account), (1, 2, 0, 0, 0));
    assert_eq!(home.talk(), ["a question about birch"]);
    let Some((home, account)) = case("B035_meta_noise.claude.jsonl") else {
        return;
    };
    assert_eq!(counts(&account), (2, 3, 0, 0, 0));
    assert_eq!(home.talk()[0], "the real question about birch bark");
}

#[test]
fn b040_thoughts_that_cannot_be_read_are_no_answer_and_no_noise() {
    let home = Home::new();
    let blob = "QUJD".repeat(5_000);
    let thought = format!(r#"{{"type":"redacted_thinking","data":"{blob}"}}"#);
    let text = lines(&[
        user(1, "hi"),
        block(2, "m", &thought),
        block(3, "m", r#"{"type":"text","text":"hello"}"#),
    ]);
    let account = home.take("s1.jsonl", text);
    assert_eq!((account.totals.stored, account.totals.messages), (3, 2));
    home.check_found("%QUJDQUJD%", 0);
}

/// P40.
#[test]
fn b046_b047_b051_order_is_the_files_and_times_are_the_records() {
    let home = Home::new();
    let at = |n, time: &str| {
        let line = user(n, &format!("row {n}"));
        let from = line.find(r#","timestamp""#).unwrap();
        format!("{}{time}}}", &line[..from])
    };
    let text = lines(&[
        at(1, r#","timestamp":"2026-01-05T10:00:05.000Z""#),
        at(2, r#","timestamp":"2026-01-05T09:00:00.000Z""#),
        at(3, ""),
        at(4, r#","timestamp":"not-a-time""#),
        at(5, r#","timestamp":"2026-01-05T19:00:06+09:00""#),
    ]);
    home.take("s1.jsonl", &text);
    let home = home.reopen();
    home.take("again.jsonl", &text);
    let rows = home.rows();
    let times: Vec<_> = rows
        .iter()
        .map(|(_, row)| row.at.map(|at| at.to_string()))
        .collect();
    assert_eq!(
        times.iter().map(Option::as_deref).collect::<Vec<_>>(),
        [
            Some("2026-01-05T10:00:05.000Z"),
            Some("2026-01-05T09:00:00.000Z"),
            None,
            None,
            Some("2026-01-05T10:00:06.000Z"),
        ]
    );
    assert_eq!(home.talk(), ["row 1", "row 2", "row 3", "row 4", "row 5"]);
    let Some((home, account)) = case("B047_clock_skew.claude.jsonl") else {
        return;
    };
    assert_eq!(account.totals.stored, 7);
    let order = ["one", "two", "three", "four", "five", "six", "seven"];
    for (text, word) in home.talk().iter().zip(order) {
        assert!(text.starts_with(word), "{text}");
    }
}

#[test]
fn words_of_a_compaction_are_kept_and_are_no_request() {
    let home = Home::new();
    let summary = record(3, "user", "\"SUMMARY of the above, kestrel\"")
        .replace(r#""cwd""#, r#""isCompactSummary":true,"cwd""#);
    let boundary = r#"{"type":"system","subtype":"compact_boundary","uuid":"b","sessionId":"s1","content":"Conversation compacted"}"#;
    let hook = r#"{"type":"system","uuid":"h","sessionId":"s1","content":"Running a hook"}"#;
    let text = lines(&[
        hook.to_owned(),
        user(1, "first"),
        boundary.to_owned(),
        summary,
        user(4, "next"),
    ]);
    assert_eq!(counts(&home.take("s1.jsonl", text)), (2, 3, 0, 0, 0));
    assert_eq!(home.talk(), ["first", "next"]);
    home.check_found("kestrel", 1);
    let rows = home.rows();
    assert_eq!(rows[0].1.visibility, Visibility::Meta);
    assert!(words(&rows[3].1).contains("kestrel"));
}

#[test]
fn keys_that_were_lost_are_missed_and_put_back_so_that_the_source_adds_nothing() {
    let home = Home::new();
    let text = lines(&[user(1, "the keel is oak"), user(2, "and the mast is fir")]);
    let path = home.write("one.jsonl", &text);
    assert_eq!(home.import(&[path]).totals.stored, 2);
    let store = Connection::open(home.folder.path().join("hippocamp.db")).unwrap();
    assert_eq!(store.execute("DELETE FROM message_key", []).unwrap(), 2);
    let keys = |home: &Home| {
        let checks = home.runtime.block_on(home.engine.doctor()).unwrap();
        checks
            .into_iter()
            .find(|check| check.name == "keys")
            .unwrap()
    };
    let found = keys(&home);
    assert!(
        !found.is_ok && found.detail.contains("another key"),
        "{found:?}"
    );
    let repairs = [Repair::of_check("keys").unwrap()];
    home.runtime
        .block_on(home.engine.repair(&repairs, |_| {}))
        .unwrap();
    let found = keys(&home);
    assert!(found.is_ok, "{found:?}");
    let again = home.take("two.jsonl", &text);
    assert_eq!((again.totals.stored, again.totals.duplicate), (0, 2));
}
