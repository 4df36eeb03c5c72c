//! `backup`, `reindex`, `doctor --repair`, `config`, `completions`, `man`, the filters of `sessions`.

use std::process::Stdio;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::program::{Program, line, talk};

fn clean(program: &Program, db: &str) -> Value {
    program.json(&["doctor", "--db", db])
}

#[test]
fn a_backup_is_a_sound_store_with_all_there_was() {
    let program = Program::new();
    program.append("main", &talk(30, 20));
    let answer = program.json(&["backup", "copy.db"]);
    assert_eq!(answer["path"], "copy.db");
    let path = program.path("copy.db");
    assert_eq!(answer["bytes"], std::fs::metadata(&path).unwrap().len());
    assert_eq!(clean(&program, "copy.db")["ok"], true);
    let export = |db: &str| {
        program
            .run(&[
                "export",
                "--session",
                "main",
                "--format",
                "ndjson",
                "--db",
                db,
            ])
            .stdout
    };
    assert_eq!(export("copy.db"), export(program.db().to_str().unwrap()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let before = std::fs::read(&path).unwrap();
    let again = program.run(&["backup", "copy.db"]);
    assert_eq!(again.code, Some(2), "{again:?}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_backup_works_while_another_process_writes() {
    let program = Program::new();
    program.append("main", &talk(20, 20));
    let mut writer = program.process();
    let lines = talk(4_000, 20);
    let input = program.write("lines.ndjson", &lines);
    let mut writing = writer
        .args(["append", "--session", "busy"])
        .stdin(std::fs::File::open(input).unwrap())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    for n in 0..5 {
        let name = format!("copy{n}.db");
        program.json(&["backup", &name]);
        assert_eq!(clean(&program, &name)["ok"], true, "copy {n}");
    }
    assert!(writing.wait().unwrap().success());
}

#[test]
fn the_index_is_made_anew_and_finds_the_same() {
    let program = Program::new();
    program.append("main", &talk(40, 10));
    let found = || {
        let answer = program.json(&["grep", "harbour0"]);
        let rows = answer["results"].as_array().unwrap().clone();
        rows.iter().map(|row| row["id"].clone()).collect::<Vec<_>>()
    };
    let before = found();
    let answer = program.json(&["reindex"]);
    assert_eq!((&answer["rows"], &answer["mark"]), (&json!(80), &json!(80)));
    assert_eq!(found(), before);
    assert_eq!(program.json(&["doctor"])["ok"], true);
    assert_eq!(program.json(&["status"])["index"]["backlog"], 0);
}

#[test]
fn b161_messages_go_on_being_stored_and_found_while_the_index_is_made_anew() {
    let program = Program::new();
    program.append("main", &talk(2_000, 30));
    let mut indexing = program
        .process()
        .args(["reindex", "-q"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut n_stored = 0;
    while indexing.try_wait().unwrap().is_none() && n_stored < 50 {
        let began = Instant::now();
        program.append("other", &line("user", &format!("walrus{n_stored}")));
        assert!(
            began.elapsed() < Duration::from_secs(5),
            "{:?}",
            began.elapsed()
        );
        n_stored += 1;
    }
    assert!(indexing.wait().unwrap().success());
    assert!(n_stored > 0);
    for n in 0..n_stored {
        let answer = program.json(&["grep", &format!("walrus{n}")]);
        assert_eq!(answer["total"], 1, "walrus{n}");
    }
    assert_eq!(program.json(&["doctor"])["ok"], true);
}

/// A store whose index has lost a row and whose conversation counts wrong.
fn damaged() -> Program {
    let program = Program::new();
    program.append("main", &talk(10, 10));
    program.json(&["reindex"]);
    let raw = Connection::open(program.db()).unwrap();
    raw.execute_batch(
        "DELETE FROM search_index WHERE rowid = 5; UPDATE conversation SET sum_tokens = 1",
    )
    .unwrap();
    program
}

fn exported(program: &Program) -> String {
    program
        .run(&["export", "--session", "main", "--format", "ndjson"])
        .stdout
}

#[test]
fn a_repair_is_told_before_it_is_done_and_a_copy_is_kept() {
    let program = damaged();
    let messages = exported(&program);
    let folder = program.db().parent().unwrap().to_owned();
    let names = || {
        let mut names: Vec<String> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.ends_with("-wal") && !name.ends_with("-shm"))
            .collect();
        names.sort();
        names
    };
    let told = program.run(&["doctor", "--repair", "--json"]);
    assert_eq!(told.code, Some(5), "{told:?}");
    assert_eq!(
        told.object()["repairs"],
        json!(["counters", "search_index"])
    );
    assert_eq!(told.object()["backup"], Value::Null);
    assert_eq!(names(), ["hippocamp.db"]);
    assert_eq!(program.run(&["doctor"]).code, Some(5));
    let done = program.json(&["doctor", "--repair", "--yes"]);
    assert_eq!(done["ok"], true);
    let copy = done["backup"].as_str().unwrap();
    assert_eq!(names().len(), 2);
    assert_eq!(
        program.run(&["doctor", "--db", copy]).code,
        Some(5),
        "the copy is of before"
    );
    assert_eq!(program.run(&["doctor"]).code, Some(0));
    assert_eq!(exported(&program), messages);
    let nothing = program.run(&["doctor", "--repair", "--yes"]);
    assert_eq!(nothing.code, Some(0));
    assert!(nothing.stdout.contains("nothing to repair"), "{nothing:?}");
    assert_eq!(names().len(), 2, "no copy where nothing is done");
}

#[test]
fn what_cannot_be_repaired_is_named_and_stays() {
    let program = damaged();
    let raw = Connection::open(program.db()).unwrap();
    raw.execute_batch(
        "DROP TRIGGER part_no_update; UPDATE part SET body = 'x' WHERE message_id = 3",
    )
    .unwrap();
    drop(raw);
    let done = program.run(&["doctor", "--repair", "--yes"]);
    assert_eq!(done.code, Some(5), "{done:?}");
    assert!(done.stdout.contains("beyond repair: chain"), "{done:?}");
    assert!(done.stdout.contains("the store before is "), "{done:?}");
    let checks = program.run(&["doctor", "--json"]).object();
    let bad: Vec<&Value> = checks["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|check| check["ok"] == false)
        .map(|check| &check["name"])
        .collect();
    assert_eq!(bad, ["chain"]);
}

#[test]
fn conversations_are_chosen_by_what_they_are() {
    let program = Program::new();
    let at = |day: u32, text: &str| {
        let message =
            json!({"role": "user", "content": text, "time": format!("2026-01-{day:02}T00:00:00Z")});
        format!("{message}\n")
    };
    program.append("one", &(at(1, "a") + &at(3, "b")));
    program.append("two", &at(5, "c"));
    let record = r#"{"parentUuid":null,"sessionId":"5ea","uuid":"u1","type":"user","cwd":"/srv/Shop","version":"2.0.0","timestamp":"2026-01-09T10:00:00.000Z","message":{"role":"user","content":"x"}}"#;
    let path = program.write(
        "t/5ea.jsonl",
        &format!(
            "{record}\n{{\"type\":\"summary\",\"summary\":\"The Till\",\"leafUuid\":\"u1\"}}\n"
        ),
    );
    program.json(&["import", &path]);
    let keys = |words: &[&str]| {
        let answer = program.json(&[&["sessions"], words].concat());
        let rows = answer["sessions"].as_array().unwrap().clone();
        rows.iter()
            .map(|row| row["key"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(keys(&[]), ["claude-code:5ea", "two", "one"]);
    assert_eq!(keys(&["--since", "2026-01-03"]).len(), 3);
    assert_eq!(keys(&["--since", "2026-01-04"]), ["claude-code:5ea", "two"]);
    assert_eq!(keys(&["--before", "2026-01-05"]), ["one"]);
    assert_eq!(
        keys(&["--since", "2026-01-02", "--before", "2026-01-06"]),
        ["two", "one"]
    );
    assert_eq!(keys(&["--project", "shop"]), ["claude-code:5ea"]);
    assert_eq!(keys(&["--format", "claude-code"]), ["claude-code:5ea"]);
    assert_eq!(keys(&["--format", "codex"]), Vec::<String>::new());
    assert_eq!(
        keys(&["--project", "shop", "--before", "2026-01-02"]),
        Vec::<String>::new()
    );
}

/// P48.
#[test]
fn each_setting_is_shown_with_where_it_came_from() {
    let program = Program::new();
    let path = program.write(
        "config/hippocamp/config.toml",
        "# mine\ncontext_window = 64000\n",
    );
    let output = program
        .command()
        .args(["config", "--json", "--db", "x.db"])
        .env("HIPPOCAMP_LEAF", "deferred")
        .output()
        .unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&answer["file"], &answer["file_read"]),
        (&json!(path), &json!(true))
    );
    let setting = |key: &str| {
        let settings = answer["settings"].as_array().unwrap();
        settings
            .iter()
            .find(|setting| setting["key"] == key)
            .unwrap()
            .clone()
    };
    let place = format!("{path} line 2");
    for (key, value, from, place) in [
        ("db", json!("x.db"), "flag", json!("--db")),
        ("context_window", json!(64_000), "file", json!(place)),
        (
            "leaf",
            json!("deferred"),
            "environment",
            json!("HIPPOCAMP_LEAF"),
        ),
        ("summarize_token_percent", json!(75), "default", Value::Null),
        ("model", Value::Null, "default", Value::Null),
    ] {
        let want = json!({"key": key, "value": value, "from": from, "place": place});
        assert_eq!(setting(key), want);
    }
    assert!(!program.path("x.db").exists());
    let shown = program.run(&["config"]);
    assert!(shown.stdout.contains("context_window"), "{shown:?}");
    assert!(shown.stdout.contains(&path), "{shown:?}");
}

#[test]
fn pages_and_completions_need_neither_settings_nor_a_store() {
    let program = Program::new();
    program.write("config/hippocamp/config.toml", "nonsense = 1\n");
    assert_eq!(program.run(&["config"]).code, Some(2));
    for (words, part) in [
        (&["man"][..], ".TH hippocamp 1"),
        (&["man", "grep"], ".TH hippocamp-grep 1"),
        (&["completions", "bash"], "complete -F _hippocamp"),
        (&["completions", "zsh"], "#compdef hippocamp"),
        (&["completions", "fish"], "complete -c hippocamp"),
        (&["completions", "powershell"], "Register-ArgumentCompleter"),
        (&["completions", "elvish"], "edit:completion"),
        (&["--version"], "hippocamp "),
    ] {
        let ended = program.run(words);
        assert_eq!(
            (ended.code, ended.stderr.as_str()),
            (Some(0), ""),
            "{words:?}"
        );
        assert!(ended.stdout.contains(part), "{words:?}: {}", ended.stdout);
        program.json(words);
    }
    assert_eq!(program.run(&["man", "bogus"]).code, Some(2));
    assert_eq!(program.run(&["completions", "csh"]).code, Some(2));
}

#[cfg(unix)]
#[test]
fn completions_are_a_script_that_the_shell_can_read() {
    let program = Program::new();
    let script = program.run(&["completions", "bash"]).stdout;
    let path = program.write("complete.bash", &script);
    let Ok(output) = std::process::Command::new("bash")
        .args(["-n", &path])
        .output()
    else {
        println!("SKIPPED completions_are_a_script_that_the_shell_can_read: no bash");
        return;
    };
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_backup_makes_no_folder_and_never_overwrites_the_store() {
    let program = Program::new();
    program.append("main", &line("user", "x"));
    let nowhere = program.run(&["backup", "no/folder/copy.db"]);
    assert_eq!(nowhere.code, Some(2), "{nowhere:?}");
    assert!(nowhere.stderr.contains("there is no folder"), "{nowhere:?}");
    let itself = program.db().to_str().unwrap().to_owned();
    assert_eq!(program.run(&["backup", &itself]).code, Some(2));
    assert_eq!(program.json(&["doctor"])["ok"], true);
}

#[test]
fn a_backup_takes_no_name_that_sqlite_would_delete() {
    let program = Program::new();
    program.append("main", &line("user", "x"));
    for ending in ["-journal", "-wal", "-shm"] {
        let path = format!("{}{ending}", program.db().display());
        // What is there belongs to the store; a name beside no store is as bad later.
        let other = format!("later.db{ending}");
        for path in [path, other] {
            assert_eq!(program.run(&["backup", &path]).code, Some(2), "{path}");
        }
    }
    assert_eq!(program.json(&["doctor"])["ok"], true);
}

#[test]
fn one_damaged_byte_hides_no_other_message_and_is_told() {
    let program = Program::new();
    let text = ["the heron waits", "the tide turns", "the lamp is lit"];
    program.append("main", &text.map(|words| line("user", words)).concat());
    let raw = Connection::open(program.db()).unwrap();
    raw.execute_batch(
        "DROP TRIGGER part_no_update;
         UPDATE part SET body = CAST(x'746865ff74696465207475726e73' AS TEXT)
         WHERE message_id = 2;
         CREATE TRIGGER part_no_update BEFORE UPDATE ON part
         BEGIN SELECT RAISE(ABORT, 'parts never change'); END;",
    )
    .unwrap();
    drop(raw);
    program.json(&["reindex"]);
    for words in ["heron", "tide", "lamp", "/l.mp/"] {
        assert_eq!(program.json(&["grep", words])["total"], 1, "{words}");
    }
    let shown = program.run(&["export", "--session", "main"]).stdout;
    assert!(
        shown.contains("the\u{fffd}tide turns") && shown.contains("lamp"),
        "{shown}"
    );
    program.append("main", &line("user", "and goes on"));
    let checked = program.run(&["doctor"]);
    assert_eq!(checked.code, Some(5));
    let told = "message 2 does not say what it said";
    assert!(checked.stdout.contains(told), "{checked:?}");
}
