//! What each command says when something is wrong, word for word: how it ends, what a person reads
//! on stderr, and the kind that programs read.
//!
//! The texts stand in files of this folder. After a text was changed on purpose,
//! `GOLDEN=renew cargo test --test it errors::` writes them anew; read the difference before it is
//! committed.

mod agents;
mod stores;

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use crate::program::{Ended, Program, line, talk};

/// A command with what it reads.
struct Try {
    words: &'static [&'static str],
    stdin: &'static str,
    variables: &'static [(&'static str, &'static str)],
}

const fn plain(words: &'static [&'static str]) -> Try {
    Try {
        words,
        stdin: "",
        variables: &[],
    }
}

const fn fed(words: &'static [&'static str], stdin: &'static str) -> Try {
    Try {
        words,
        stdin,
        variables: &[],
    }
}

const fn with(
    variables: &'static [(&'static str, &'static str)],
    words: &'static [&'static str],
) -> Try {
    Try {
        words,
        stdin: "",
        variables,
    }
}

impl Try {
    fn run(&self, program: &Program, more: &[&str]) -> Ended {
        let split_idx = self.words.iter().position(|word| *word == "--");
        let (before, after) = self.words.split_at(split_idx.unwrap_or(self.words.len()));
        let mut command = program.command();
        command.args([before, more, after].concat());
        // Logs carry the time.
        command.env("HIPPOCAMP_LOG", "off");
        command.envs(self.variables.iter().copied());
        Ended::of(command.write_stdin(self.stdin).output().unwrap())
    }

    /// Returns the command as it would be typed.
    fn typed(&self) -> String {
        let mut typed = String::from("$");
        for (name, value) in self.variables {
            let _ = write!(typed, " {name}={value}");
        }
        typed.push_str(" hippocamp");
        for word in self.words {
            let is_bare =
                |character: char| character.is_ascii_alphanumeric() || "-_./".contains(character);
            if !word.is_empty() && word.chars().all(is_bare) {
                let _ = write!(typed, " {word}");
            } else {
                let _ = write!(typed, " '{word}'");
            }
        }
        if !self.stdin.is_empty() {
            let _ = write!(typed, " < {:?}", self.stdin);
        }
        typed
    }
}

/// Runs each command twice, for people and for programs, and compares with the file of this name.
#[track_caller]
fn check(name: &str, program: &Program, tries: &[Try]) {
    let home = program.path("");
    let home = home.to_str().unwrap().trim_end_matches('/');
    let mut told = String::new();
    for one in tries {
        let ended = one.run(program, &[]);
        let with_json = one.run(program, &["--json"]);
        let typed = one.typed();
        assert_eq!(
            ended.code, with_json.code,
            "{typed}: {ended:?} {with_json:?}"
        );
        let code = ended.code.unwrap();
        // To its host a hook never fails, and what is wrong is told all the same.
        let is_hook = one.words.contains(&"hook");
        assert_eq!(code == 0, is_hook, "{typed}: {ended:?}");
        let kind = kind_of(&with_json);
        let _ = write!(told, "{typed}\nexit {code}");
        if let Some(kind) = kind {
            let _ = write!(told, ", {kind}");
        }
        told.push('\n');
        for line in ended.stderr.replace(home, "~").lines() {
            // Each format that comes would change every such line.
            let known = line.find("; known").unwrap_or(line.len());
            let _ = writeln!(told, "  {}", &line[..known]);
        }
        told.push('\n');
    }
    compare(name, &told);
}

/// Returns the kind in the one object on stderr, and holds it to the text for people.
fn kind_of(ended: &Ended) -> Option<String> {
    if matches!(ended.code, Some(0 | 2 | 3 | 6)) {
        return Some(ended.error()["kind"].as_str().unwrap().to_owned());
    }
    // What is done in part is told by the object on stdout.
    let object: Value = ended.object();
    assert!(object.get("error").is_none(), "{object}");
    None
}

#[track_caller]
fn compare(name: &str, told: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/errors");
    let path = folder.join(name);
    if std::env::var_os("GOLDEN").is_some_and(|word| word == "renew") {
        std::fs::write(&path, told).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let (kept, told): (Vec<&str>, Vec<&str>) =
        (kept.split("\n\n").collect(), told.split("\n\n").collect());
    for (kept, told) in kept.iter().zip(&told) {
        assert_eq!(kept, told, "{name}; GOLDEN=renew writes it anew");
    }
    assert_eq!(
        kept.len(),
        told.len(),
        "{name}; GOLDEN=renew writes it anew"
    );
}

fn seeded() -> Program {
    let program = Program::new();
    let talked = line("user", "the otter swims") + &line("assistant", "an otter and a heron");
    program.append("main", &talked);
    program.append("mainland", &talk(2, 3));
    program
}

#[test]
fn words_that_cannot_be_understood() {
    check(
        "words.txt",
        &seeded(),
        &[
            plain(&[]),
            plain(&["bogus"]),
            plain(&["grpe", "x"]),
            plain(&["grep"]),
            plain(&["grep", "otter", "--bogus"]),
            plain(&["grep", "otter", "heron"]),
            plain(&["grep", "-foo"]),
            plain(&["grep", "otter", "--limit", "0"]),
            plain(&["grep", "otter", "--limit", "2.5"]),
            plain(&["grep", "otter", "-C", "few"]),
            plain(&["grep", "otter", "--role", "robot"]),
            plain(&["grep", "otter", "--scope", "all"]),
            plain(&["tree"]),
            plain(&["tree", "--session", ""]),
            plain(&["tree", "--session", "a", "--session", "b"]),
            plain(&["context", "--session", "main", "--budget", "0"]),
            plain(&["compact", "--session", "main", "--until-under", "x"]),
            plain(&["expand"]),
            plain(&["fork", "--session", "main", "--at", "0"]),
            plain(&["append"]),
            plain(&["turn"]),
            plain(&["events"]),
            plain(&["status", "-v", "-q"]),
            plain(&["export"]),
            plain(&["export", "--all"]),
            plain(&["export", "--session", "main", "--span", "9-3"]),
            plain(&["export", "--session", "main", "--format", "html"]),
            plain(&["backup"]),
            plain(&["doctor", "--yes"]),
            plain(&["completions"]),
            plain(&["completions", "csh"]),
            plain(&["man", "bogus"]),
            plain(&["tools"]),
            plain(&["tools", "--format", "openapi"]),
            plain(&["tools", "--format", "gemini", "--strict"]),
            plain(&["tools", "--format", "openai", "--with", "pin,grep"]),
            plain(&["tools", "--format", "openai", "--with", "remember"]),
            plain(&["tools", "openai"]),
            plain(&["grep", "otter", "--sesion", "main"]),
            plain(&["pin", "--accept", "p99", "words"]),
        ],
    );
}

#[test]
fn requests_for_what_is_not_there_or_makes_no_sense() {
    check(
        "requests.txt",
        &seeded(),
        &[
            plain(&["grep", "walrus"]),
            plain(&["grep", ""]),
            plain(&["grep", "otter AND"]),
            plain(&["grep", "(otter"]),
            plain(&["grep", "otter", "--role", "user", "--scope", "summary"]),
            plain(&["grep", "otter", "--last", "10s"]),
            plain(&["grep", "otter", "--last", "1d", "--since", "2026-01-01"]),
            plain(&["grep", "otter", "--since", "soon"]),
            plain(&["grep", "otter", "--cursor", "bogus"]),
            plain(&["grep", "otter", "--session", "nobody"]),
            plain(&["grep", "otter", "--session", "mian"]),
            plain(&["context", "--session", "mian"]),
            plain(&["context", "--session", "mai"]),
            plain(&["context", "--session", "main", "--budget", "1"]),
            plain(&["tree", "--session", "mian"]),
            plain(&["stats", "--session", "mian"]),
            plain(&["events", "--session", "mian"]),
            plain(&["compact", "--session", "mian"]),
            plain(&["compact", "--session", "main", "--until-under", "1"]),
            plain(&["fork", "--session", "main", "--at", "99"]),
            plain(&["fork", "--session", "main", "--at", "1", "--as", "mainland"]),
            plain(&["expand", "999999"]),
            plain(&["expand", "10abc"]),
            plain(&["expand", "s"]),
            plain(&["expand", "1", "--cursor", "bogus"]),
            plain(&["sessions", "--since", "soon"]),
            plain(&["sessions", "--before", "soon"]),
            plain(&["export", "--session", "mian"]),
            plain(&["export", "--session", "main", "--span", "2-3"]),
            plain(&["export", "--session", "main", "--title", "x"]),
            plain(&["export", "--all", "--since", "soon", "--to", "folder"]),
            plain(&[
                "export",
                "--session",
                "main",
                "--to",
                "data/hippocamp/hippocamp.db",
            ]),
            plain(&["backup", "data/hippocamp/hippocamp.db"]),
            plain(&["backup", "no/folder/copy.db"]),
        ],
    );
}

const SYNC: &[&str] = &["append", "--session", "main", "--sync"];
const FROM: &[&str] = &["append", "--session", "new", "--from", "anthropic"];
const SYNC_FROM: &[&str] = &["append", "--session", "main", "--sync", "--from", "gemini"];
const APPEND: &[&str] = &["append", "--session", "new"];

#[test]
fn input_that_cannot_be_stored() {
    let program = seeded();
    program.write(
        "foreign/c.jsonl",
        "{\"level\":\"info\",\"msg\":\"started\"}\n",
    );
    program.write("broken/b.jsonl", "{\"broken\n");
    check(
        "input.txt",
        &program,
        &[
            fed(APPEND, "bad\n"),
            fed(APPEND, "{\"content\":\"x\"}\n"),
            fed(APPEND, "{\"role\":\"robot\",\"content\":\"x\"}\n"),
            fed(APPEND, "{\"role\":\"user\",\"content\":null}\n"),
            fed(
                APPEND,
                "{\"role\":\"user\",\"content\":\"x\",\"tool_calls\":[]}\n",
            ),
            fed(
                APPEND,
                "{\"role\":\"user\",\"content\":[{\"type\":\"text\"}]}\n",
            ),
            fed(
                APPEND,
                "{\"role\":\"user\",\"content\":\"x\",\"time\":\"soon\"}\n",
            ),
            fed(
                APPEND,
                "{\"role\":\"user\",\"content\":\"x\",\"replay\":\"yes\"}\n",
            ),
            fed(&["turn", "--session", "new"], "[1]\n"),
            plain(SYNC),
            fed(SYNC, "{\"role\":\"user\",\"content\":\"x\"}\nbad\n"),
            fed(
                FROM,
                "{\"messages\":[{\"role\":\"tool\",\"content\":\"x\"}]}",
            ),
            fed(FROM, "{\"role\":\"user\"}"),
            fed(FROM, "[{]"),
            fed(FROM, "\u{feff}5"),
            fed(SYNC_FROM, "{\"contents\":[]}"),
            plain(&["append", "--session", "new", "--from", "bogus"]),
            plain(&["import", "nowhere"]),
            plain(&["import", "--format", "bogus", "foreign"]),
            plain(&["import", "foreign/c.jsonl"]),
            plain(&["import", "broken/b.jsonl"]),
            plain(&["import", "nowhere", "foreign/c.jsonl"]),
        ],
    );
}

#[test]
fn settings_that_cannot_be_read() {
    let program = seeded();
    program.write("unknown.toml", "context_window = 8000\n\nbogus = 1\n");
    program.write("value.toml", "leaf = \"never\"\n");
    program.write("number.toml", "\nsummarize_token_percent = 101\n");
    program.write("syntax.toml", "leaf = \n");
    program.write("table.toml", "[leaf]\nx = 1\n");
    program.write("bad.json", "{\n\"agents\":\n");
    check(
        "settings.txt",
        &program,
        &[
            plain(&["config", "--config", "nowhere.toml"]),
            plain(&["config", "--config", "unknown.toml"]),
            plain(&["config", "--config", "value.toml"]),
            plain(&["config", "--config", "number.toml"]),
            plain(&["config", "--config", "syntax.toml"]),
            plain(&["config", "--config", "table.toml"]),
            plain(&["config", "--config", "bad.json"]),
            plain(&["config", "--window", "0"]),
            plain(&["sessions", "--window", "x"]),
            with(&[("HIPPOCAMP_CONFIG", "nowhere.toml")], &["sessions"]),
            with(&[("HIPPOCAMP_LEAF", "never")], &["sessions"]),
            with(&[("HIPPOCAMP_AUTO_PINS", "perhaps")], &["sessions"]),
            with(&[("HIPPOCAMP_LOG", "a=b=c")], &["sessions"]),
            with(&[("HIPPOCAMP_BOGUS", "1")], &["grep", "walrus"]),
        ],
    );
}
