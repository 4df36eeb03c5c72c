//! Endings that the rights of a user decide: files that may only be read, no thread left.
//! The superuser has none of these limits, so that for him the program runs as nobody.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::seeded;
use crate::program::{Ended, Program, line};

/// The program run by a user to whom rights apply, with the home and store of another one.
struct Ordinary<'home> {
    program: &'home Program,
    binary: PathBuf,
    /// What is put before the program's name.
    runner: Vec<String>,
}

impl<'home> Ordinary<'home> {
    /// Finds such a user; says so, naming the test, where there is none.
    fn find(test: &str, program: &'home Program) -> Option<Self> {
        let binary = program.path("bin/hippocamp");
        fs::create_dir_all(binary.parent().unwrap()).unwrap();
        fs::copy(assert_cmd::cargo::cargo_bin!("hippocamp"), &binary).unwrap();
        set_mode(&binary, 0o755);
        set_mode(&program.path(""), 0o755);
        let nobody = [
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
        ];
        let runner = if is_superuser(program) {
            nobody.map(str::to_owned).to_vec()
        } else {
            Vec::new()
        };
        let ordinary = Self {
            program,
            binary,
            runner,
        };
        let started = ordinary.command(&[], &["--version"]).output();
        if started.is_ok_and(|output| output.status.success()) {
            return Some(ordinary);
        }
        println!("SKIPPED {test}: the superuser cannot run the program as nobody here");
        None
    }

    /// Returns the program with `before` between the user and it.
    fn command(&self, before: &[&str], words: &[&str]) -> Command {
        let runner = self.runner.iter().map(String::as_str);
        let mut all = runner
            .chain(before.iter().copied())
            .chain([self.binary.to_str().unwrap()])
            .chain(words.iter().copied());
        let mut command = self.program.process_of(all.next().unwrap());
        // The one variable of the tester's own: where the other programs are.
        command
            .args(all)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    }

    fn run(&self, words: &[&str], stdin: &str) -> Ended {
        let mut command = self.command(&[], words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // A program that refuses before it reads closes its end.
        let _ = std::io::Write::write_all(&mut pipe, stdin.as_bytes());
        drop(pipe);
        Ended::of(child.wait_with_output().unwrap())
    }
}

fn set_mode(path: &std::path::Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// The superuser may write whatever the rights say.
fn is_superuser(program: &Program) -> bool {
    let path = program.write("probe", "");
    set_mode(path.as_ref(), 0o444);
    fs::OpenOptions::new().append(true).open(&path).is_ok()
}

/// What the store's folder holds: names and bytes.
fn contents(program: &Program) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = program.db().parent().unwrap().to_owned();
    let entries = fs::read_dir(folder).unwrap();
    let mut found: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    found.sort();
    found
}

/// Runs every command on a store whose file and folder have these rights.
#[track_caller]
fn check_reading(test: &str, folder_mode: u32) {
    let program = seeded();
    let Some(ordinary) = Ordinary::find(test, &program) else {
        return;
    };
    let folder = program.db().parent().unwrap().to_owned();
    set_mode(folder.parent().unwrap(), 0o755);
    set_mode(&program.db(), 0o444);
    set_mode(&folder, folder_mode);
    let before = contents(&program);
    for words in [
        &["grep", "otter"][..],
        &["grep", "otter", "-C", "1"],
        &["context", "--session", "main"],
        &["context", "--session", "long", "--budget", "1500"],
        &["doctor"],
        &["expand", "1"],
        &["tree", "--session", "long"],
        &["events", "--session", "long"],
        &["sessions"],
        &["stats"],
        &["status"],
    ] {
        let ended = ordinary.run(words, "");
        assert_eq!(ended.code, Some(0), "{words:?}: {ended:?}");
        assert_eq!(ended.stderr, "", "{words:?}");
        let with_json = ordinary.run(&[words, &["--json"]].concat(), "");
        assert_eq!(with_json.code, Some(0), "{words:?}: {with_json:?}");
        with_json.object();
    }
    assert_eq!(ordinary.run(&["grep", "walrus"], "").code, Some(1));
    let db = program.db();
    for words in [
        &["append", "--session", "main"][..],
        &["append", "--session", "main", "--sync"],
        &["turn", "--session", "main"],
        &["compact", "--session", "long", "--until-under", "500"],
        &["fork", "--session", "main", "--at", "1"],
    ] {
        let ended = ordinary.run(&[words, &["--json"]].concat(), &line("user", "late"));
        assert_eq!(ended.code, Some(6), "{words:?}: {ended:?}");
        assert_eq!(ended.stdout, "", "{words:?}");
        let error = ended.error();
        assert_eq!(error["kind"], "store_read_only", "{words:?}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(db.to_str().unwrap()), "{message}");
        assert_ne!(error["hint"], Value::Null, "{words:?}");
    }
    assert!(contents(&program) == before, "the folder was changed");
    set_mode(&folder, 0o755);
}

#[test]
fn a_store_in_a_folder_that_may_only_be_read_is_read_and_refuses_writes() {
    check_reading(
        "a_store_in_a_folder_that_may_only_be_read_is_read_and_refuses_writes",
        0o555,
    );
}

#[test]
fn a_store_file_that_may_only_be_read_is_read_and_refuses_writes() {
    check_reading(
        "a_store_file_that_may_only_be_read_is_read_and_refuses_writes",
        0o777,
    );
}

#[test]
fn a_store_that_may_not_even_be_read_cannot_be_opened() {
    let test = "a_store_that_may_not_even_be_read_cannot_be_opened";
    let program = seeded();
    let Some(ordinary) = Ordinary::find(test, &program) else {
        return;
    };
    let folder = program.db().parent().unwrap().to_owned();
    set_mode(folder.parent().unwrap(), 0o755);
    for (folder_mode, file_mode) in [(0o755, 0o000), (0o000, 0o644)] {
        set_mode(&folder, 0o755);
        set_mode(&program.db(), file_mode);
        set_mode(&folder, folder_mode);
        for words in [
            &["grep", "otter", "--json"][..],
            &["append", "--session", "main", "--json"],
        ] {
            let ended = ordinary.run(words, &line("user", "late"));
            assert_eq!(ended.code, Some(3), "{words:?}: {ended:?}");
            let message = ended.error()["message"].as_str().unwrap().to_owned();
            assert!(
                message.contains(program.db().to_str().unwrap()),
                "{message}"
            );
        }
    }
    set_mode(&folder, 0o755);
}

#[cfg(target_os = "linux")]
#[test]
fn a_fault_of_its_own_ends_with_6() {
    let test = "a_fault_of_its_own_ends_with_6";
    let program = Program::new();
    let Some(ordinary) = Ordinary::find(test, &program) else {
        return;
    };
    // With no thread left for it the runtime panics, which no input makes the program do.
    let limit = ["prlimit", "--nproc=1"];
    let known = ordinary
        .command(&["prlimit", "--core=0"], &["--version"])
        .output();
    if !known.is_ok_and(|output| output.status.success()) {
        println!("SKIPPED {test}: there is no prlimit here");
        return;
    }
    let ended = Ended::of(
        ordinary
            .command(&limit, &["sessions", "--json"])
            .output()
            .unwrap(),
    );
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (Some(6), ""),
        "{ended:?}"
    );
    let error = ended.error();
    assert_eq!(error["kind"], "panic", "{error}");
    let ended = Ended::of(ordinary.command(&limit, &["sessions"]).output().unwrap());
    assert_eq!(ended.code, Some(6), "{ended:?}");
    assert!(ended.stderr.contains("please report"), "{ended:?}");
}
