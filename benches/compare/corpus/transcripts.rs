//! The corpus as transcripts in the form of Claude Code: a file a conversation, in folders of
//! projects.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::random::Random;
use super::talk::{Corpus, Role, Said, session};
use super::words::{Words, hexadecimal, uuid};

/// Into how many folders of projects a corpus is divided, where it has so many conversations.
const PROJECTS: usize = 10;

/// Conversations whose transcripts lie in one folder.
pub(crate) struct Project {
    pub(crate) number: usize,
    /// Each one's number and how many messages it has.
    pub(crate) conversations: Vec<(u64, u64)>,
}

impl Project {
    /// Returns the name of its folder.
    pub(crate) fn name(&self) -> String {
        format!("-srv-project-{}", self.number)
    }

    pub(crate) fn messages(&self) -> u64 {
        self.conversations.iter().map(|(_, length)| length).sum()
    }
}

/// Returns the projects of a corpus.
pub(crate) fn projects(corpus: Corpus) -> Vec<Project> {
    let all: Vec<(u64, u64)> = corpus.conversations().collect();
    let chunks = all.chunks(all.len().div_ceil(PROJECTS));
    let project = |(number, chunk): (usize, &[(u64, u64)])| Project {
        number,
        conversations: chunk.to_vec(),
    };
    chunks.enumerate().map(project).collect()
}

/// What a folder holds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Written {
    /// All bytes.
    pub(crate) bytes: u64,
    /// Bytes of text.
    pub(crate) text: u64,
}

/// Writes the transcripts of a project into its folder.
pub(crate) fn write(
    corpus: Corpus,
    words: &Words,
    project: &Project,
    folder: &Path,
) -> io::Result<Written> {
    let mut written = Written::default();
    fs::create_dir_all(folder)?;
    for (n, length) in &project.conversations {
        let file = File::create(folder.join(format!("{}.jsonl", session(*n))))?;
        let mut file = BufWriter::new(file);
        let mut records = Records::new(corpus.seed, *n);
        for said in corpus.talk(words, *n, *length) {
            let line = records.record(&said).to_string();
            writeln!(file, "{line}")?;
            written.bytes += u64::try_from(line.len() + 1).unwrap();
            written.text += u64::try_from(said.text.len()).unwrap();
        }
        file.flush()?;
    }
    Ok(written)
}

/// The records of one transcript.
struct Records {
    random: Random,
    session: String,
    /// The id of the record before.
    before: Option<String>,
    /// The id of the call that waits for its result.
    call: String,
}

impl Records {
    fn new(seed: u64, n: u64) -> Self {
        Self {
            random: Random::new(seed ^ 0x7ec0, n),
            session: session(n),
            before: None,
            call: String::new(),
        }
    }

    fn record(&mut self, said: &Said) -> Value {
        let (kind, message) = match said.role {
            Role::User => ("user", json!({"role": "user", "content": said.text})),
            Role::Tool => {
                let block = json!({
                    "tool_use_id": self.call, "type": "tool_result", "content": said.text,
                });
                ("user", json!({"role": "user", "content": [block]}))
            }
            Role::Assistant => ("assistant", self.answer(said)),
        };
        let id = uuid(&mut self.random);
        let before = self.before.replace(id.clone());
        let mut record = json!({
            "parentUuid": before, "isSidechain": false, "userType": "external",
            "cwd": "/srv/harbour", "sessionId": self.session, "version": "2.0.14",
            "gitBranch": "main", "type": kind, "message": message, "uuid": id,
            "timestamp": time(said.at),
        });
        if said.role == Role::Tool {
            record["toolUseResult"] = json!({"type": "text", "numLines": 3});
        }
        record
    }

    fn answer(&mut self, said: &Said) -> Value {
        let block = match &said.call {
            None => json!({"type": "text", "text": said.text}),
            Some((name, input)) => {
                self.call = format!("toolu_{}", hexadecimal(&mut self.random, 24));
                json!({"type": "tool_use", "id": self.call, "name": name, "input": input})
            }
        };
        json!({
            "id": format!("msg_{}", hexadecimal(&mut self.random, 24)), "type": "message",
            "role": "assistant", "model": "claude-sonnet-4-5-20250929", "content": [block],
            "usage": {"input_tokens": 4, "output_tokens": said.text.len() / 4},
        })
    }
}

/// Writes milliseconds as a time.
fn time(at: i64) -> String {
    let time = chrono::DateTime::from_timestamp_millis(at).unwrap();
    time.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}
