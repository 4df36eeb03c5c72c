//! The program as a person starts it, with a home and a store of its own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// A home folder in which the program is run.
pub(crate) struct Program {
    home: TempDir,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Program {
    /// Makes a home with nothing in it.
    pub(crate) fn new() -> Self {
        Self {
            home: tempfile::tempdir().unwrap(),
        }
    }

    /// Returns a path in the home.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Returns where the store is when nothing says otherwise.
    pub(crate) fn db(&self) -> PathBuf {
        self.path("data/hippocamp/hippocamp.db")
    }

    /// Writes a file in the home and returns its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Returns the program with nothing of the tester's own environment.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("hippocamp"));
        let home = self.home.path();
        command.env_clear().current_dir(home);
        set_home(home, |name, value| {
            command.env(name, value);
        });
        command
    }

    /// The same for a process that is not waited for.
    pub(crate) fn process(&self) -> std::process::Command {
        self.process_of(assert_cmd::cargo::cargo_bin!("hippocamp"))
    }

    /// Returns another program, in the same surroundings.
    pub(crate) fn process_of(&self, program: impl AsRef<OsStr>) -> std::process::Command {
        let mut command = std::process::Command::new(program);
        let home = self.home.path();
        command.env_clear().current_dir(home);
        set_home(home, |name, value| {
            command.env(name, value);
        });
        command
    }

    /// Runs it with nothing on stdin.
    #[track_caller]
    pub(crate) fn run(&self, words: &[&str]) -> Ended {
        Ended::of(self.command().args(words).output().unwrap())
    }

    /// Runs it with this on stdin.
    #[track_caller]
    pub(crate) fn feed(&self, words: &[&str], stdin: impl Into<Vec<u8>>) -> Ended {
        Ended::of(
            self.command()
                .args(words)
                .write_stdin(stdin)
                .output()
                .unwrap(),
        )
    }

    /// Runs it, expects it to do all, and returns the object it prints.
    #[track_caller]
    pub(crate) fn json(&self, words: &[&str]) -> Value {
        let ended = self.run(&[words, &["--json"]].concat());
        assert_eq!(ended.code, Some(0), "{words:?}: {ended:?}");
        ended.object()
    }

    /// Appends lines to a session and returns the object printed.
    #[track_caller]
    pub(crate) fn append(&self, session: &str, lines: &str) -> Value {
        let ended = self.feed(&["append", "--session", session, "--json"], lines);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ended.object()
    }
}

fn set_home(home: &Path, mut set: impl FnMut(&str, PathBuf)) {
    set("HOME", home.to_owned());
    set("XDG_DATA_HOME", home.join("data"));
    set("XDG_CONFIG_HOME", home.join("config"));
    set("TMPDIR", home.to_owned());
}

impl Ended {
    /// Reads how a process ended.
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Returns the one object on stdout.
    #[track_caller]
    pub(crate) fn object(&self) -> Value {
        one_object(&self.stdout)
    }

    /// Returns the error's fields from the one object on stderr.
    #[track_caller]
    pub(crate) fn error(&self) -> Value {
        let object = one_object(&self.stderr);
        let error = object["error"].clone();
        for field in ["kind", "message"] {
            assert!(
                error[field].as_str().is_some_and(|text| !text.is_empty()),
                "{object}"
            );
        }
        assert!(error.get("hint").is_some(), "{object}");
        error
    }
}

#[track_caller]
fn one_object(text: &str) -> Value {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert!(value.is_object(), "{text}");
    assert_eq!(text.matches('\n').count(), 1, "{text}");
    value
}

/// Does what Ctrl-C does; a process that has ended meanwhile cannot be reached.
#[cfg(unix)]
pub(crate) fn interrupt(child: &std::process::Child) {
    signal(child, "-INT");
}

/// Sends a signal, such as `-TERM`; a process that has ended meanwhile cannot be reached.
#[cfg(unix)]
pub(crate) fn signal(child: &std::process::Child, name: &str) {
    let id = child.id().to_string();
    let mut kill = std::process::Command::new("kill");
    kill.args([name, &id]).stderr(std::process::Stdio::null());
    kill.status().unwrap();
}

/// Returns whether a process has come so far that it answers Ctrl-C by itself.
#[cfg(target_os = "linux")]
pub(crate) fn catches_interrupts(child: &std::process::Child) -> bool {
    // SIGINT is the second signal of the mask.
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 0b10 != 0)
}

/// Returns a message line.
pub(crate) fn line(role: &str, text: &str) -> String {
    format!("{}\n", serde_json::json!({"role": role, "content": text}))
}

/// Returns `count` turns of talk, each of about `words` words, none like another.
pub(crate) fn talk(count: usize, words: usize) -> String {
    let names = [
        "harbour", "crane", "tide", "ledger", "pilot", "berth", "manifest", "ferry",
    ];
    (0..count)
        .map(|turn_idx| {
            let text: Vec<String> = (0..words)
                .map(|word_idx| {
                    let name = names[(turn_idx * 7 + word_idx * 3) % names.len()];
                    format!("{name}{}", turn_idx * words + word_idx)
                })
                .collect();
            line("user", &format!("please look at {}", text.join(" ")))
                + &line("assistant", &format!("done with {}", text.join(" and ")))
        })
        .collect()
}
