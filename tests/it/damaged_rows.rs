//! One damaged row keeps no other row from anyone, and is told.

use rusqlite::Connection;
use serde_json::json;

use crate::program::{Ended, Program, line};

/// Three conversations of three messages; the needle is in each of them, in messages 2, 5 and 8.
const TALKS: [&str; 3] = ["heron", "tide", "lamp"];

/// Ways to damage message 2.
const DAMAGES: [&str; 6] = [
    "UPDATE part SET kind = 'tfxt' WHERE message_id = 2",
    "UPDATE message SET role = 'usfr' WHERE id = 2",
    "UPDATE message SET visibility = 'tblk' WHERE id = 2",
    "UPDATE message SET at = 'noon' WHERE id = 2",
    "DELETE FROM part WHERE message_id = 2",
    "UPDATE message SET n_parts = 2 WHERE id = 2",
];

fn three_talks() -> Program {
    let program = Program::new();
    for talk in TALKS {
        let first = line("user", &format!("begin {talk}"));
        let second = line("user", &format!("the needle of {talk}"));
        let third = line("assistant", &format!("the end of {talk}"));
        program.append(talk, &[first, second, third].concat());
    }
    program
}

fn damage(program: &Program, sql: &str) {
    let raw = Connection::open(program.db()).unwrap();
    let triggers: Vec<(String, String)> = raw
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    for (name, _) in &triggers {
        raw.execute_batch(&format!("DROP TRIGGER {name}")).unwrap();
    }
    raw.execute_batch(&format!("PRAGMA ignore_check_constraints = 1; {sql}"))
        .unwrap();
    for (_, sql) in &triggers {
        raw.execute_batch(sql).unwrap();
    }
}

/// Makes the three talks once for each damage, the index made before it, after it, or never.
fn each(check: impl Fn(&Program, &str)) {
    for sql in DAMAGES {
        let program = three_talks();
        damage(&program, sql);
        check(&program, &format!("{sql}, scanned"));
        program.json(&["reindex"]);
        check(&program, &format!("{sql}, made anew"));

        let program = three_talks();
        program.json(&["reindex"]);
        damage(&program, sql);
        check(&program, &format!("{sql}, indexed before"));
    }
}

#[track_caller]
fn check_told(ended: &Ended, code: i32, words: &str, way: &str) {
    let told = ended.stdout.clone() + &ended.stderr;
    assert_eq!(ended.code, Some(code), "{way}: {ended:?}");
    assert!(told.contains(words), "{way}: {ended:?}");
}

#[test]
fn a_search_over_everything_passes_over_a_damaged_row_and_says_which() {
    let hint = "message 2 is damaged and was passed over; run `hippocamp doctor`";
    each(|program, way| {
        for (pattern, total) in [
            ("needle", 2),
            ("/n.edle/", 2),
            ("%eedl%", 2),
            ("needle OR end", 5),
            ("needle NOT tide", 1),
        ] {
            let ended = program.run(&["grep", pattern, "--json"]);
            check_told(&ended, 4, "not every row was looked at", way);
            let found: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
            let got = (&found["total"], &found["complete"], &found["hint"]);
            assert_eq!(
                got,
                (&json!(total), &json!(false), &json!(hint)),
                "{way}, {pattern}"
            );
        }
        let around = program.run(&["grep", "needle OR end", "-C", "1"]);
        check_told(&around, 4, "what stands around message 3 is not shown", way);
        assert!(around.stdout.contains("begin tide"), "{way}: {around:?}");
        let of_role = program.run(&["grep", "needle", "--role", "user"]);
        check_told(&of_role, 4, hint, way);
    });
}

#[test]
fn a_row_whose_conversation_is_gone_is_passed_over() {
    for sql in [
        "PRAGMA foreign_keys = 0; UPDATE message SET conversation_id = 99 WHERE id = 2",
        "UPDATE conversation SET session_key = '' WHERE id = 1",
    ] {
        let program = three_talks();
        damage(&program, sql);
        program.json(&["reindex"]);
        let found = program.run(&["grep", "needle"]);
        check_told(&found, 4, "message 2 is damaged", sql);
        assert!(found.stdout.contains("lamp"), "{sql}: {found:?}");
        let to = program.path("out");
        let written = program.run(&["export", "--all", "--to", to.to_str().unwrap()]);
        check_told(&written, 4, "2 files written", sql);
    }
}

#[test]
fn what_a_damaged_row_cannot_hold_is_complete_without_it() {
    each(|program, way| {
        let other = program.run(&["grep", "needle", "--session", "tide"]);
        check_told(&other, 0, "the needle of tide", way);
        let own = program.run(&["grep", "end", "--session", "heron"]);
        check_told(&own, 4, "message 2 is damaged", way);
    });
}

#[test]
fn other_conversations_go_on_and_the_damaged_one_says_what_is_wrong() {
    each(|program, way| {
        check_told(
            &program.run(&["context", "--session", "tide"]),
            0,
            "the needle of tide",
            way,
        );
        program.append("tide", &line("user", "and goes on"));
        program.json(&["turn", "--session", "lamp", "--no-wait"]);
        for args in [
            ["context", "--session", "heron"].as_slice(),
            &["expand", "2"],
            &["export", "--session", "heron"],
        ] {
            check_told(
                &program.run(args),
                6,
                "message 2",
                &format!("{way}, {args:?}"),
            );
        }
        check_told(
            &program.run(&["expand", "5", "8"]),
            0,
            "the needle of lamp",
            way,
        );
        check_told(
            &program.run(&["export", "--session", "heron", "--span", "3-3"]),
            0,
            "end",
            way,
        );
        for command in ["sessions", "stats"] {
            check_told(
                &program.run(&[command]),
                0,
                "",
                &format!("{way}, {command}"),
            );
        }
        let status = program.run(&["status"]);
        assert!(status.stdout.contains("tide"), "{way}: {status:?}");
        if status.code != Some(0) {
            check_told(&status, 4, "message 2", way);
        }
        let doctor = program.run(&["doctor"]);
        check_told(&doctor, 5, "message 2", way);
        assert!(!doctor.stdout.contains("BAD  index"), "{way}: {doctor:?}");
    });
}

#[test]
fn an_export_of_all_writes_the_others_and_names_what_it_could_not() {
    each(|program, way| {
        let folder = program.path(&format!("out {}", way.len()));
        let to = folder.to_str().unwrap();
        let ended = program.run(&["export", "--all", "--to", to, "--json"]);
        check_told(&ended, 4, "message 2", way);
        let written: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(written["files"].as_array().unwrap().len(), 2, "{way}");
        assert_eq!(written["damaged"][0]["session"], "heron", "{way}");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2, "{way}");
    });
}
