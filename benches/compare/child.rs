//! An engine's process: asked by lines, watched from outside.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::protocol::{Answer, Request, Sync};

/// How often a process's memory is looked at.
const PAUSE: Duration = Duration::from_millis(20);

/// An engine that can be started.
#[derive(Debug, Clone)]
pub(crate) struct Spec {
    pub(crate) name: String,
    /// A command for the shell; none for one that this program is itself.
    pub(crate) command: Option<String>,
    /// More messages than it bears.
    pub(crate) most: u64,
}

/// A running engine with a store of its own.
pub(crate) struct Running {
    pub(crate) name: String,
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    folder: PathBuf,
    /// The peak of its own memory, in KiB.
    own: Arc<AtomicU64>,
}

impl Spec {
    /// Starts the engine over the store in `folder`, which is made if it is not there.
    pub(crate) fn start(&self, folder: &Path, sync: Sync) -> Running {
        fs::create_dir_all(folder).unwrap();
        let mut command = match &self.command {
            None => {
                let mut command = Command::new(std::env::current_exe().unwrap());
                command.args(["engine", &self.name]);
                command
            }
            Some(words) => {
                let mut command = Command::new("sh");
                command.args(["-c", &format!("exec {words}")]);
                command
            }
        };
        for name in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
            command.env(name, folder);
        }
        let told = fs::File::create(folder.join("stderr")).unwrap();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.stderr(told).spawn().unwrap();
        let own = Arc::new(AtomicU64::new(0));
        watch(process.id(), Arc::clone(&own), PAUSE);
        let mut running = Running {
            name: self.name.clone(),
            input: process.stdin.take().unwrap(),
            output: BufReader::new(process.stdout.take().unwrap()),
            process,
            folder: folder.to_owned(),
            own,
        };
        running.must(&Request::Open {
            folder: folder.to_str().unwrap().to_owned(),
            sync,
        });
        running
    }
}

impl Running {
    /// Asks, and fails if the engine does; what it does not support is in the answer.
    pub(crate) fn ask(&mut self, request: &Request) -> Answer {
        let mut line = serde_json::to_string(request).unwrap();
        line.push('\n');
        let sent = self.input.write_all(line.as_bytes());
        let mut answer = String::new();
        let read = self.output.read_line(&mut answer);
        let answer: Option<Answer> = serde_json::from_str(&answer).ok();
        let told = || fs::read_to_string(self.folder.join("stderr")).unwrap_or_default();
        let Some(answer) = answer else {
            panic!("{}: {sent:?}, {read:?}: {}", self.name, told());
        };
        assert!(
            answer.error.is_none(),
            "{}: {:?} of {:.200}: {}",
            self.name,
            answer.error,
            line,
            told()
        );
        answer
    }

    /// Asks for what the engine must support.
    pub(crate) fn must(&mut self, request: &Request) -> Answer {
        let answer = self.ask(request);
        assert!(answer.ok, "{}: {:?}", self.name, answer.unsupported);
        answer
    }

    /// Ends the engine in order.
    pub(crate) fn close(mut self) {
        self.must(&Request::Close);
        drop(self.input);
        self.process.wait().unwrap();
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Returns the bytes of all files of its store.
    pub(crate) fn disk(&self) -> u64 {
        bytes_in(&self.folder)
    }

    /// Returns the bytes that it has written so far, into files and pipes.
    pub(crate) fn written(&self) -> u64 {
        self.proc_field("io", "wchar:")
    }

    /// Returns the peak of its memory in KiB, mapped pages of its files included, and of its own.
    pub(crate) fn memory(&self) -> (u64, u64) {
        let peak = self.proc_field("status", "VmHWM:");
        (peak, self.own.load(Ordering::Relaxed))
    }

    fn proc_field(&self, file: &str, name: &str) -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/{file}", self.process.id())).unwrap();
        field(&text, name).unwrap()
    }
}

/// Keeps the peak of a process's own memory, in KiB, until it ends.
pub(crate) fn watch(id: u32, peak: Arc<AtomicU64>, pause: Duration) -> JoinHandle<()> {
    thread::spawn(move || {
        while let Ok(status) = fs::read_to_string(format!("/proc/{id}/status")) {
            let Some(own) = field(&status, "RssAnon:") else {
                return;
            };
            peak.fetch_max(own, Ordering::Relaxed);
            thread::sleep(pause);
        }
    })
}

fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Says whether a file is no part of a store at rest: what an engine told, and SQLite's log with its
/// index.
fn passes(name: &str) -> bool {
    name == "stderr" || name.ends_with("-wal") || name.ends_with("-shm")
}

/// Returns the bytes of all files below a folder that stay.
pub(crate) fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    let bytes = entries.flatten().map(|entry| {
        let path = entry.path();
        match entry.metadata() {
            Ok(data) if data.is_dir() => bytes_in(&path),
            Ok(data) if !passes(&entry.file_name().to_string_lossy()) => data.len(),
            _ => 0,
        }
    });
    bytes.sum()
}
