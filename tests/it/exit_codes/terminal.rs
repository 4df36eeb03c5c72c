//! What is different on a terminal: nobody types messages there, and output has styles.

use std::process::Stdio;

use super::seeded;
use crate::program::{Ended, Program};

/// Runs the program, and what a shell does with it, on a terminal of its own; `None`, named, where there is no such tool.
fn on_terminal(test: &str, program: &Program, variables: &str, words: &str) -> Option<Ended> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut version = std::process::Command::new("script");
    let known = version.arg("--version").stdin(Stdio::null()).output();
    if !known.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("util-linux")) {
        println!("SKIPPED {test}: there is no `script` of util-linux here");
        return None;
    }
    let binary = assert_cmd::cargo::cargo_bin!("hippocamp");
    let mut command = program.process_of("script");
    command
        .args(["--quiet", "--return", "--command"])
        .arg(format!("{variables} '{}' {words}", binary.display()))
        .arg("/dev/null")
        .env("PATH", path)
        .env("SHELL", "/bin/sh")
        .env("TERM", "xterm")
        .stdin(Stdio::null());
    Some(Ended::of(command.output().unwrap()))
}

#[test]
fn messages_are_not_read_from_a_terminal() {
    let test = "messages_are_not_read_from_a_terminal";
    let program = Program::new();
    for command in ["append", "turn", "append --sync"] {
        let words = format!("{command} --session main");
        let Some(ended) = on_terminal(test, &program, "", &words) else {
            return;
        };
        assert_eq!(ended.code, Some(2), "{command}: {ended:?}");
        assert!(ended.stdout.contains("that is a terminal"), "{ended:?}");
        assert!(ended.stdout.contains("hint: pipe them in"), "{ended:?}");
    }
    assert!(!program.db().exists());
}

#[test]
fn styles_reach_a_terminal_unless_they_are_not_wanted() {
    let test = "styles_reach_a_terminal_unless_they_are_not_wanted";
    let program = seeded();
    for words in ["grep otter", "sessions", "doctor", "--help", "stats"] {
        let Some(ended) = on_terminal(test, &program, "", words) else {
            return;
        };
        assert_eq!(ended.code, Some(0), "{words}: {ended:?}");
        assert!(ended.stdout.contains("\u{1b}["), "{words}: {ended:?}");
        let plain = format!("{words} | cat");
        let ended = on_terminal(test, &program, "", &plain).unwrap();
        assert!(!ended.stdout.contains("\u{1b}["), "{plain}: {ended:?}");
    }
    let ended = on_terminal(test, &program, "NO_COLOR=1", "grep otter").unwrap();
    let is_plain = ended.stdout.contains("otter") && !ended.stdout.contains("\u{1b}[");
    assert!(is_plain, "{ended:?}");
}
