//! Tests of the import that need no store: what would be written is kept in memory.

mod cut;
mod detect;
mod driver;
mod entry;
mod frame;
mod identity;
mod json;
mod packed;
mod split;
mod tree;

use std::path::{Path, PathBuf};

use super::account::ImportAccount;
use super::driver::{ImportOptions, import_into};
use super::target::{Rehearsal, Target};
use crate::domain::{NewMessage, Part, SessionKey, Timestamp, Visibility};

/// An import that keeps what it would write.
pub(super) struct Bench {
    pub(super) folder: tempfile::TempDir,
    target: Target<'static>,
}

impl Bench {
    pub(super) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            target: Target::Rehearsal(Box::default()),
        }
    }

    pub(super) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub(super) fn import(&mut self, path: &Path) -> ImportAccount {
        self.import_all(&[path.to_owned()])
    }

    pub(super) fn import_all(&mut self, paths: &[PathBuf]) -> ImportAccount {
        let options = ImportOptions::new(Timestamp::from_millis(0));
        let account = run(import_into(&mut self.target, paths, &options, &mut |_| {})).unwrap();
        assert!(account.balances(), "{account:?}");
        account
    }

    pub(super) fn rehearsal(&self) -> &Rehearsal<'static> {
        match &self.target {
            Target::Rehearsal(rehearsal) => rehearsal,
            Target::Store(_) => panic!("a bench has no store"),
        }
    }

    /// Forgets how far files were read, as after a lost checkpoint.
    pub(super) fn forget_checkpoints(&mut self) {
        if let Target::Rehearsal(rehearsal) = &mut self.target {
            rehearsal.checkpoints.clear();
        }
    }

    pub(super) fn rows(&self) -> &[(SessionKey, NewMessage)] {
        &self.rehearsal().rows
    }

    /// Rows in the order of their conversations, for comparing two ways of import.
    pub(super) fn sorted_rows(&self) -> Vec<(SessionKey, NewMessage)> {
        let mut rows = self.rows().to_vec();
        rows.sort_by(|one, other| one.0.cmp(&other.0));
        rows
    }

    /// The texts of visible rows.
    pub(super) fn talk(&self) -> Vec<String> {
        self.rows()
            .iter()
            .filter(|(_, message)| message.visibility == Visibility::Talk)
            .map(|(_, message)| words(message))
            .collect()
    }

    pub(super) fn sessions(&self) -> Vec<&str> {
        let mut sessions: Vec<&str> = self.rows().iter().map(|(key, _)| key.as_str()).collect();
        sessions.dedup();
        sessions
    }
}

pub(super) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(future)
}

pub(super) fn words(message: &NewMessage) -> String {
    let texts = message.parts.iter().map(|part| match part {
        Part::Text { text } | Part::Reasoning { text, .. } => text.clone(),
        Part::ToolUse {
            name, arguments, ..
        } => format!("{name} {arguments}"),
        Part::ToolResult { content, .. } => content.clone(),
        Part::Media { mime, .. } => format!("[{mime}]"),
        Part::Opaque { json } => json.clone(),
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// One line of a transcript: a user's words.
pub(super) fn user(n: u32, text: &str) -> String {
    format!(
        r#"{{"parentUuid":null,"sessionId":"s1","cwd":"/w","type":"user","message":{{"role":"user","content":{}}},"uuid":"{}","timestamp":"2026-01-05T10:00:{:02}.000Z"}}"#,
        serde_json::to_string(text).unwrap(),
        uuid(n),
        n % 60
    )
}

/// One line of a transcript: a block of an answer, all lines with one `message` being one answer.
pub(super) fn answer(n: u32, message: &str, block: &str, output_tokens: u64) -> String {
    format!(
        r#"{{"sessionId":"s1","type":"assistant","requestId":"r-{message}","message":{{"id":"{message}","role":"assistant","model":"model-x","content":[{block}],"usage":{{"output_tokens":{output_tokens}}}}},"uuid":"{}"}}"#,
        uuid(n)
    )
}

pub(super) fn text_block(text: &str) -> String {
    format!(
        r#"{{"type":"text","text":{}}}"#,
        serde_json::to_string(text).unwrap()
    )
}

pub(super) fn uuid(n: u32) -> String {
    format!("00000000-0000-4000-8000-{n:012}")
}
