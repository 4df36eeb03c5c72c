//! Endings that the process itself decides: settings, signals, pipes, foreign files.

use super::seeded;
#[cfg(target_os = "linux")]
use crate::program::catches_interrupts;
#[cfg(unix)]
use crate::program::interrupt;
use crate::program::{Ended, Program, line};

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_with_130() {
    let program = Program::new();
    let mut child = program
        .process()
        .args(["append", "--session", "main"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while !catches_interrupts(&child) {
        std::thread::yield_now();
    }
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[cfg(unix)]
#[test]
fn an_interrupted_demo_leaves_no_folder_behind() {
    let program = Program::new();
    std::fs::create_dir(program.path("temporary")).unwrap();
    let folder = || {
        let mut found = std::fs::read_dir(program.path("temporary")).unwrap();
        found.next().map(|entry| entry.unwrap().path())
    };
    let mut child = program
        .process()
        .args(["demo", "--quiet"])
        .env("TMPDIR", program.path("temporary"))
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while folder().is_none_or(|folder| !folder.join("demo.db-wal").exists()) {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::yield_now();
    }
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(folder(), None);
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let program = seeded();
    for words in [
        &["grep", "harbour1 OR otter"][..],
        &["--help"],
        &["sessions", "--json"],
    ] {
        let mut child = program
            .process()
            .args(words)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let ended = Ended {
            code: output.status.code(),
            stdout: String::new(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        assert_eq!(ended.code, Some(0), "{words:?}: {ended:?}");
        assert!(
            !ended.stderr.contains("panic") && !ended.stderr.contains("pipe"),
            "{ended:?}"
        );
    }
}

#[test]
fn a_bad_configuration_is_a_usage_error_but_not_for_help() {
    let program = seeded();
    program.write(
        "config/hippocamp/config.toml",
        "context_window = 8000\n\nbogus = 1\n",
    );
    let ended = program.run(&["sessions", "--json"]);
    assert_eq!(ended.code, Some(2));
    let message = ended.error()["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains("line 3") && message.contains("bogus"),
        "{message}"
    );
    let version = program.run(&["--version"]);
    assert_eq!(version.code, Some(0));
    assert!(version.stdout.starts_with("hippocamp ") && version.stdout.contains("schema"));
    assert_eq!(program.run(&["--help"]).code, Some(0));
    program.write("config/hippocamp/config.toml", "leaf = \"never\"\n");
    assert_eq!(program.run(&["sessions"]).code, Some(2));
    program.write("config/hippocamp/config.toml", "context_window = 8000\n");
    assert_eq!(program.run(&["sessions"]).code, Some(0));
}

#[test]
fn an_unknown_variable_is_a_warning() {
    let program = seeded();
    let mut command = program.command();
    let output = command
        .arg("sessions")
        .env("HIPPOCAMP_BOGUS", "1")
        .env("HIPPOCAMP_SHARED", "/x");
    let output = output.output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("HIPPOCAMP_BOGUS") && !stderr.contains("HIPPOCAMP_SHARED"),
        "{stderr}"
    );
}

#[test]
fn a_file_that_is_no_store_cannot_be_opened() {
    let program = Program::new();
    let path = program.write(
        "notes.db",
        "these are my notes, and they are long enough for a header",
    );
    for words in [&["sessions"][..], &["grep", "x"], &["doctor"]] {
        let ended = program.run(&[words, &["--db", &path, "--json"]].concat());
        assert_eq!(ended.code, Some(3), "{words:?}: {ended:?}");
        ended.error();
    }
    let ended = program.feed(
        &["append", "--session", "a", "--db", &path, "--json"],
        line("user", "x"),
    );
    assert_eq!(ended.code, Some(3), "{ended:?}");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with("these are my notes"),
        "the file was written to"
    );
}

#[test]
fn a_store_that_another_holds_is_busy_at_work_and_closed_at_opening() {
    let program = seeded();
    let holder = rusqlite::Connection::open(program.db()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let words = ["append", "--session", "main", "--json"];
    let ended = std::thread::scope(|scope| {
        // It waits as long as the append does.
        scope.spawn(a_search_that_cannot_index_is_incomplete);
        program.feed(&words, line("user", "late"))
    });
    assert_eq!(ended.code, Some(6), "{ended:?}");
    assert_eq!(ended.error()["kind"], "store_busy");
    assert_eq!(
        program.run(&["grep", "otter"]).code,
        Some(0),
        "reading goes on"
    );
    holder.execute_batch("ROLLBACK").unwrap();
    drop(holder);
    let holder = rusqlite::Connection::open(program.db()).unwrap();
    holder
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
        .unwrap();
    let ended = program.run(&["sessions", "--json"]);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert_eq!(ended.error()["kind"], "store_busy");
    drop(holder);
    assert_eq!(program.run(&["sessions"]).code, Some(0));
}

/// A store of more rows than a search scans beside the index, while another process writes.
fn a_search_that_cannot_index_is_incomplete() {
    let program = Program::new();
    let rows: String = (0..6_000)
        .map(|row| line("user", &format!("heron {row}")))
        .collect();
    program.append("main", &rows);
    let backlog = program.json(&["status"])["index"]["backlog"].clone();
    assert!(backlog.as_u64().unwrap() > 5_100, "{backlog}");
    let holder = rusqlite::Connection::open(program.db()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (found, nothing) = std::thread::scope(|scope| {
        let nothing = scope.spawn(|| program.run(&["grep", "walrus"]));
        let found = program.run(&["grep", "heron", "--limit", "2", "--json"]);
        (found, nothing.join().unwrap())
    });
    assert_eq!(found.code, Some(4), "{found:?}");
    assert_eq!(found.object()["complete"], false);
    assert_eq!(found.object()["results"].as_array().unwrap().len(), 2);
    assert_eq!(nothing.code, Some(4), "{nothing:?}");
    assert!(nothing.stderr.contains("not every row"), "{nothing:?}");
    holder.execute_batch("ROLLBACK").unwrap();
    let complete = program.json(&["grep", "heron", "--limit", "2"]);
    assert_eq!(complete["complete"], true);
}

#[test]
fn a_newer_store_is_refused_with_both_numbers() {
    let program = seeded();
    let holder = rusqlite::Connection::open(program.db()).unwrap();
    holder.execute_batch("PRAGMA user_version = 9000").unwrap();
    drop(holder);
    let ended = program.run(&["sessions", "--json"]);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    let error = ended.error();
    assert_eq!(error["kind"], "store_newer");
    assert!(
        error["message"].as_str().unwrap().contains("9000"),
        "{error}"
    );
}

#[test]
fn damage_is_what_doctor_ends_with() {
    let program = seeded();
    let holder = rusqlite::Connection::open(program.db()).unwrap();
    let triggers: Vec<String> = holder
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'message'")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(!triggers.is_empty());
    for trigger in triggers {
        holder
            .execute_batch(&format!("DROP TRIGGER {trigger}"))
            .unwrap();
    }
    drop(holder);
    let ended = program.run(&["doctor", "--json"]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert_eq!(ended.object()["ok"], false);
    assert_eq!(program.run(&["doctor"]).code, Some(5));
}
