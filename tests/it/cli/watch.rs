//! `import --watch` in a process of its own: it takes in what is written and ends on Ctrl-C.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::Value;

use crate::import_support::{answer, lines, user};
use crate::program::Program;

/// A program that watches, and what it says.
struct Watcher {
    process: Child,
    said: BufReader<ChildStderr>,
}

impl Watcher {
    fn start(program: &Program, words: &[&str]) -> Self {
        let mut process = program
            .process()
            .args(["import", "--watch"])
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(process.stderr.take().unwrap());
        Self { process, said }
    }

    /// Waits until it says these words.
    #[track_caller]
    fn wait_for(&mut self, words: &str) {
        let mut heard = String::new();
        while self.said.read_line(&mut heard).unwrap() > 0 {
            if heard.contains(words) {
                return;
            }
        }
        panic!("it never said {words:?}: {heard}");
    }

    /// Presses Ctrl-C and returns its exit code and what it printed.
    fn interrupt(mut self) -> (Option<i32>, String) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
        assert!(sent.success());
        let mut printed = String::new();
        let mut stdout = self.process.stdout.take().unwrap();
        stdout.read_to_string(&mut printed).unwrap();
        (self.process.wait().unwrap().code(), printed)
    }
}

fn append(path: &str, text: &str) {
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

#[test]
fn what_is_written_while_it_watches_is_taken_in_and_ctrl_c_ends_it() {
    let program = Program::new();
    let path = program.write("in/a.jsonl", &lines(&[user(1, "one")]));
    let folder = program.path("in");
    let mut watcher = Watcher::start(&program, &[folder.to_str().unwrap()]);
    watcher.wait_for("1 new message from");
    watcher.wait_for("watching");
    // A line in two pieces, then a file that was not there.
    let (first, rest) = (answer(2, "two"), answer(3, "three"));
    let (begin, end) = rest.split_at(40);
    append(&path, &format!("{first}\n{begin}"));
    watcher.wait_for("1 new message from");
    append(&path, &format!("{end}\n"));
    watcher.wait_for("1 new message from");
    let other = user(4, "four").replace("\"s1\"", "\"s2\"");
    program.write("in/deep/b.jsonl", &lines(&[other]));
    watcher.wait_for("b.jsonl");
    let (code, printed) = watcher.interrupt();
    assert_eq!(code, Some(0), "{printed}");
    assert!(printed.contains("2 files"), "{printed}");
    assert_eq!(program.json(&["stats"])["messages"], 4);
    assert_eq!(program.json(&["doctor"])["ok"], true);
    let again = program.json(&["import", folder.to_str().unwrap()]);
    assert_eq!(again["totals"]["stored"], 0);
}

#[test]
fn json_is_one_object_at_the_end_which_sums_up_all_looks() {
    let program = Program::new();
    let path = program.write("in/a.jsonl", &lines(&[user(1, "one")]));
    let mut watcher = Watcher::start(&program, &["--json", &path]);
    watcher.wait_for("watching");
    let (first, rest) = (answer(2, "two"), answer(3, "three"));
    append(&path, &format!("{first}\n{}", &rest[..40]));
    watcher.wait_for("1 new message from");
    append(&path, &rest[40..]);
    watcher.wait_for("1 new message from");
    let (code, printed) = watcher.interrupt();
    assert_eq!(code, Some(0), "{printed}");
    let object: Value = serde_json::from_str(&printed).unwrap();
    let totals = &object["totals"];
    // The line that was pending is counted where it was taken in.
    let counts = ["records", "stored", "pending"].map(|name| totals[name].as_u64());
    assert_eq!(counts, [Some(3), Some(3), Some(0)], "{object}");
    assert_eq!(object["files"].as_array().unwrap().len(), 1);
}

#[test]
fn a_rehearsal_does_not_watch() {
    let program = Program::new();
    let ended = program.run(&["import", "--watch", "--dry-run"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
}
