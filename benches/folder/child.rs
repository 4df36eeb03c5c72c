//! The program, run on a folder: on a terminal and watched, or interrupted.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_hippocamp");
/// How often a process is looked at.
const PAUSE: Duration = Duration::from_millis(10);

/// A store, and the transcripts that go into it.
pub(crate) struct Import<'a> {
    pub(crate) db: &'a Path,
    pub(crate) folder: &'a Path,
}

/// The memory of a process that reads a certain file, in kibibytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    /// The file's place among all.
    pub(crate) file: usize,
    /// All memory, pages of files that are mapped included.
    pub(crate) resident: u64,
    /// Its own memory.
    pub(crate) own: u64,
}

/// What an import on a terminal showed.
pub(crate) struct Watched {
    pub(crate) screen: String,
    pub(crate) samples: Vec<Sample>,
}

impl Import<'_> {
    fn command(&self) -> Command {
        let mut command = Command::new(PROGRAM);
        command.arg("--db").arg(self.db).arg("--json");
        command.stdin(Stdio::null()).env_remove("HIPPOCAMP_LOG");
        command
    }

    /// Imports the folder and returns the account.
    pub(crate) fn run(&self) -> Value {
        let output = self.command().arg("import").arg(self.folder).output();
        answer(&output.unwrap())
    }

    /// Asks another command of the program.
    pub(crate) fn ask(&self, words: &[&str]) -> Value {
        answer(&self.command().args(words).output().unwrap())
    }

    /// Imports the folder for a while, presses Ctrl-C and returns the exit code.
    pub(crate) fn interrupt_after(&self, time: Duration) -> Option<i32> {
        let mut command = self.command();
        command.arg("import").arg(self.folder);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        // A process that has not begun would not catch the signal.
        let status = format!("/proc/{}/status", child.id());
        while !std::fs::read_to_string(&status).is_ok_and(|status| catches_interrupts(&status)) {
            if let Some(ended) = child.try_wait().unwrap() {
                return ended.code();
            }
        }
        thread::sleep(time);
        let id = child.id().to_string();
        // One that has ended meanwhile cannot be reached.
        let _ = Command::new("kill").args(["-INT", &id]).status().unwrap();
        child.wait().unwrap().code()
    }

    /// Imports the folder on a terminal of its own, watched from its first file to its last; none
    /// where there is no tool for that.
    pub(crate) fn watch(&self) -> Option<Watched> {
        let words = format!(
            "exec '{PROGRAM}' --db '{}' import '{}'",
            self.db.display(),
            self.folder.display()
        );
        let mut script = Command::new("script");
        script.args(["--quiet", "--return", "--command", &words, "/dev/null"]);
        script.env("SHELL", "/bin/sh").env("TERM", "xterm");
        script.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut terminal = script.spawn().ok()?;
        let mut printed = terminal.stdout.take().unwrap();
        let reader = thread::spawn(move || {
            let mut screen = Vec::new();
            printed.read_to_end(&mut screen).unwrap();
            String::from_utf8_lossy(&screen).into_owned()
        });
        let samples = self.sample(&mut terminal);
        let code = terminal.wait().unwrap().code();
        let screen = reader.join().unwrap();
        assert_eq!(code, Some(0), "{screen}");
        Some(Watched { screen, samples })
    }

    fn sample(&self, terminal: &mut Child) -> Vec<Sample> {
        let mut samples = Vec::new();
        let names = names(self.folder);
        let mut importer = None;
        let began = Instant::now();
        while terminal.try_wait().unwrap().is_none() {
            importer = importer.or_else(|| only_child(terminal.id()));
            if let Some(id) = importer
                && let Some(sample) = look_at(id, &names)
            {
                samples.push(sample);
            }
            assert!(began.elapsed() < Duration::from_hours(1), "it hangs");
            thread::sleep(PAUSE);
        }
        samples
    }
}

/// Returns the object that a run printed.
fn answer(output: &std::process::Output) -> Value {
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the transcripts of a folder, in the order in which they are read.
fn names(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    names.sort();
    names
}

fn only_child(parent: u32) -> Option<u32> {
    let children = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"));
    children.ok()?.split_whitespace().next()?.parse().ok()
}

/// Returns the memory of a process and the transcript that it has open; none between two.
fn look_at(id: u32, names: &[PathBuf]) -> Option<Sample> {
    let open = std::fs::read_dir(format!("/proc/{id}/fd")).ok()?;
    let mut paths = open.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    let file = paths.find_map(|path| names.binary_search(&path).ok())?;
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let field = |name| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok())
    };
    Some(Sample {
        file,
        resident: field("VmRSS:")?,
        own: field("RssAnon:")?,
    })
}

/// Reads from a process's status whether it has a handler for SIGINT, the second signal.
fn catches_interrupts(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 0b10 != 0)
}
