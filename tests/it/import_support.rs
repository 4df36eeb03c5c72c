//! What the tests of the import share: a store in a temporary folder, and lines of transcripts.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use hippocamp::domain::{
    ExpandRequest, GrepReply, GrepRequest, ItemId, Message, MessageId, Part, Reach, SessionKey,
    Timestamp, Tokens, ToolResults, Visibility,
};
use hippocamp::engine::{Durability, Engine};
use hippocamp::import::{ImportAccount, ImportOptions, import_paths};
use tokio::runtime::{Builder, Runtime};

/// A folder with transcripts and a store beside them.
pub(crate) struct Home {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) engine: Engine,
    pub(crate) runtime: Runtime,
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = scratch();
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let engine = open(&runtime, folder.path());
        Self {
            folder,
            engine,
            runtime,
        }
    }

    /// Closes the store and opens it again.
    pub(crate) fn reopen(self) -> Self {
        let Self {
            folder,
            engine,
            runtime,
        } = self;
        runtime.block_on(engine.shutdown()).unwrap();
        let engine = open(&runtime, folder.path());
        Self {
            folder,
            engine,
            runtime,
        }
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join("in").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn import(&self, paths: &[PathBuf]) -> ImportAccount {
        self.import_with(paths, &options())
    }

    pub(crate) fn import_with(&self, paths: &[PathBuf], options: &ImportOptions) -> ImportAccount {
        let account = self
            .runtime
            .block_on(import_paths(&self.engine, paths, options, &mut |_| {}))
            .unwrap();
        assert!(account.balances(), "{account:?}");
        account
    }

    /// Writes a file and imports it.
    pub(crate) fn take(&self, name: &str, bytes: impl AsRef<[u8]>) -> ImportAccount {
        let path = self.write(name, bytes);
        self.import(&[path])
    }

    pub(crate) fn grep(&self, pattern: &str) -> GrepReply {
        let request = GrepRequest::new(pattern, Reach::All);
        self.runtime.block_on(self.engine.grep(&request)).unwrap()
    }

    #[track_caller]
    pub(crate) fn check_found(&self, pattern: &str, n_rows: u64) {
        let reply = self.grep(pattern);
        assert_eq!(reply.total, n_rows, "{pattern}: {reply:?}");
    }

    /// Returns all stored messages with their sessions, in the order they were stored. Records that
    /// continue a message are part of it here.
    pub(crate) fn rows(&self) -> Vec<(SessionKey, Message)> {
        self.runtime.block_on(async {
            let stats = self.engine.stats().await.unwrap();
            // Messages share their ids with events, of which an import writes few.
            let last = i64::try_from(stats.rows + stats.conversations * 2 + 16).unwrap();
            let mut rows = Vec::new();
            for first in (1..=last).step_by(100) {
                let ids = (first..first + 100).map(|id| ItemId::Message(MessageId::new(id)));
                let mut request = ExpandRequest::new(ids.collect(), Reach::All)
                    .tool_results(ToolResults::Include)
                    .max_tokens(Tokens::new(1_000_000_000));
                loop {
                    let reply = self.engine.expand(&request).await.unwrap();
                    rows.extend(
                        reply
                            .messages
                            .into_iter()
                            .map(|row| (row.session, row.message)),
                    );
                    request.cursor = reply.cursor;
                    if request.cursor.is_none() {
                        break;
                    }
                }
            }
            rows.sort_by_key(|(_, message): &(SessionKey, Message)| message.id);
            rows.dedup_by_key(|(_, message)| message.id);
            let talk = |row: &&(SessionKey, Message)| row.1.visibility == Visibility::Talk;
            assert_eq!(rows.iter().filter(talk).count() as u64, stats.messages);
            rows
        })
    }

    /// Returns the stored words of the talk, in order.
    pub(crate) fn talk(&self) -> Vec<String> {
        self.rows()
            .iter()
            .filter(|(_, message)| message.visibility == Visibility::Talk)
            .map(|(_, message)| words(message))
            .collect()
    }

    /// Returns who said what in which session, a row a line; notes are in brackets.
    pub(crate) fn told(&self) -> Vec<String> {
        let rows = self.rows().into_iter().map(|(session, row)| {
            let words = words(&row);
            match row.visibility {
                Visibility::Meta => format!("{session} {}: [{words}]", row.role),
                _ => format!("{session} {}: {words}", row.role),
            }
        });
        rows.collect()
    }

    /// Returns what is stored in a form that two imports can be compared by.
    pub(crate) fn picture(&self) -> Vec<String> {
        let mut lines: Vec<(SessionKey, u64, String)> = self
            .rows()
            .into_iter()
            .map(|(session, row)| {
                let text = format!(
                    "{:?} {:?} {:?} {:?} {:?} {:?}",
                    row.role, row.visibility, row.parts, row.at, row.model, row.continues
                );
                (session, row.seq.get(), text)
            })
            .collect();
        lines.sort();
        lines
            .into_iter()
            .map(|(session, seq, text)| format!("{session} {seq} {text}"))
            .collect()
    }
}

/// Makes a folder in memory where the system offers one with room for every test at once; on a
/// disk four of five seconds of these tests go to syncs.
fn scratch() -> tempfile::TempDir {
    static BASE: LazyLock<PathBuf> = LazyLock::new(|| {
        let memory = Path::new("/dev/shm");
        match free_kilobytes(memory) {
            Some(free) if free >= 1 << 20 => memory.to_owned(),
            _ => std::env::temp_dir(),
        }
    });
    tempfile::tempdir_in(&*BASE).unwrap()
}

fn free_kilobytes(folder: &Path) -> Option<u64> {
    let output = Command::new("df").arg("-Pk").arg(folder).output().ok()?;
    let table = String::from_utf8(output.stdout).ok()?;
    let row = table.lines().nth(1)?;
    row.split_whitespace().nth(3)?.parse().ok()
}

fn open(runtime: &Runtime, folder: &Path) -> Engine {
    runtime.block_on(async {
        Engine::builder(folder.join("hippocamp.db"))
            .durability(Durability::Normal)
            .build()
            .unwrap()
    })
}

/// A sample, with what the manifest says of it.
pub(crate) struct Sample {
    pub(crate) path: PathBuf,
    pub(crate) n_records: u64,
    pub(crate) n_calls: Option<usize>,
}

/// Returns the samples of Claude Code, each once.
pub(crate) fn samples(shared: &Path) -> Vec<Sample> {
    let manifest = std::fs::read_to_string(shared.join("samples/MANIFEST.tsv")).unwrap();
    let samples: Vec<Sample> = manifest
        .lines()
        .filter(|line| line.starts_with("claude-code/") && line.contains(".jsonl\t"))
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let n_calls = fields[5].split("tool calls ").nth(1).map(|rest| {
                let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
                digits.parse().unwrap()
            });
            Sample {
                path: shared.join("samples").join(fields[0]),
                n_records: fields[4].parse().unwrap(),
                n_calls,
            }
        })
        .collect();
    assert!(samples.len() > 80, "{}", samples.len());
    samples
}

pub(crate) fn options() -> ImportOptions {
    ImportOptions::new(Timestamp::from_millis(1_790_000_000_000))
}

/// Returns all that a message says.
pub(crate) fn words(message: &Message) -> String {
    let texts = message.parts.iter().map(|part| match part {
        Part::Text { text } | Part::Reasoning { text, .. } => text.clone(),
        Part::ToolUse {
            name, arguments, ..
        } => format!("{name} {arguments}"),
        Part::ToolResult { content, .. } => content.clone(),
        Part::Media { mime, .. } => format!("[{mime}]"),
        Part::Opaque { json } => json.clone(),
        _ => String::new(),
    });
    texts.collect::<Vec<_>>().join(" ")
}

pub(crate) fn uuid(n: u32) -> String {
    format!("00000000-0000-4000-8000-{n:012}")
}

/// One record: a person's words.
pub(crate) fn user(n: u32, text: &str) -> String {
    record(n, "user", &quoted(text))
}

/// One record: a whole answer.
pub(crate) fn answer(n: u32, text: &str) -> String {
    block(
        n,
        &format!("msg_{n}"),
        &format!(r#"{{"type":"text","text":{}}}"#, quoted(text)),
    )
}

/// One record: one block of the answer `message`.
pub(crate) fn block(n: u32, message: &str, block: &str) -> String {
    let time = time(n);
    format!(
        r#"{{"sessionId":"s1","cwd":"/proj","type":"assistant","requestId":"req","message":{{"id":"{message}","role":"assistant","model":"model-x","content":[{block}],"usage":{{"input_tokens":10,"output_tokens":5}}}},"uuid":"{}","timestamp":"{time}"}}"#,
        uuid(n)
    )
}

/// One record with any content, written as JSON.
pub(crate) fn record(n: u32, role: &str, content: &str) -> String {
    let time = time(n);
    format!(
        r#"{{"sessionId":"s1","cwd":"/proj","type":"{role}","message":{{"role":"{role}","content":{content}}},"uuid":"{}","timestamp":"{time}"}}"#,
        uuid(n)
    )
}

pub(crate) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

pub(crate) fn lines(records: &[String]) -> String {
    let mut text = records.join("\n");
    text.push('\n');
    text
}

fn time(n: u32) -> String {
    format!("2026-01-05T10:{:02}:{:02}.000Z", n / 60 % 60, n % 60)
}
