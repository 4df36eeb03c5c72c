//! README.md by example: the commands in its console blocks are run, in order, in one folder, and
//! what they print is what the page shows.
//!
//! A line `…` stands for any lines, `…` inside a line for any text.

use std::path::Path;
use std::process::Command;

use crate::architecture::root;

/// A command of the page and the lines it shows.
#[derive(Debug, PartialEq, Eq)]
struct Example {
    command: String,
    shown: Vec<String>,
}

/// Reads the console blocks of a page.
fn examples(page: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut is_console = false;
    for line in page.lines() {
        if line.starts_with("```") {
            is_console = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| is_console) {
            let command = command.to_owned();
            examples.push(Example {
                command,
                shown: Vec::new(),
            });
        } else if is_console {
            examples.last_mut().unwrap().shown.push(line.to_owned());
        }
    }
    examples
}

/// Says whether `line` is what `pattern` shows, `…` standing for any text.
fn is_line(pattern: &str, line: &str) -> bool {
    let mut pieces = pattern.split('…');
    let Some(mut rest) = line.strip_prefix(pieces.next().unwrap_or_default()) else {
        return false;
    };
    let mut last = None;
    for piece in pieces {
        let Some(at) = rest.find(piece) else {
            return false;
        };
        last = Some((rest, piece));
        rest = &rest[at + piece.len()..];
    }
    match last {
        Some((before, piece)) => before.ends_with(piece),
        None => rest.is_empty(),
    }
}

/// Says whether `printed` is what `shown` shows, a line `…` standing for any lines.
fn is_shown(shown: &[String], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line == "…" => {
            (0..=printed.len()).any(|n| is_shown(rest, &printed[n..]))
        }
        Some((line, rest)) => printed.split_first().is_some_and(|(first, others)| {
            is_line(line, first.trim_end()) && is_shown(rest, others)
        }),
    }
}

/// Runs a command as the page's reader would, in `folder`, with the built program on the path.
fn run(command: &str, folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_hippocamp"));
    let others = std::env::var("PATH").unwrap();
    let path = format!("{}:{others}", program.parent().unwrap().display());
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env_clear()
        .env("PATH", path)
        .env("HOME", folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "`{command}`: {:?}\n{stderr}",
        output.status
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_commands_of_the_readme_print_what_it_shows() {
    let page = std::fs::read_to_string(root().join("README.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let transcript = "harbour.jsonl";
    std::fs::copy(
        root().join("tests/data").join(transcript),
        folder.path().join(transcript),
    )
    .unwrap();

    let examples = examples(&page);
    let of = |word: &str| {
        examples
            .iter()
            .any(|example| example.command.contains(word))
    };
    for command in [
        "import", "grep", "expand", "context", "tree", "sessions", "stats", "events", "doctor",
    ] {
        assert!(
            of(&format!("hippocamp {command}")),
            "no example of {command}"
        );
    }
    for Example { command, shown } in examples {
        let printed = run(&command, folder.path());
        let lines: Vec<&str> = printed.lines().collect();
        assert!(
            is_shown(&shown, &lines),
            "`{command}` prints:\n{printed}\nand the page shows:\n{}",
            shown.join("\n"),
        );
    }
}

#[test]
fn only_console_blocks_are_read() {
    let page = "```sh\n$ no\n```\n```console\n$ one a\nx\ny\n$ two\n```\n$ no\n";
    let example = |command: &str, shown: &[&str]| Example {
        command: command.to_owned(),
        shown: shown.iter().map(|line| (*line).to_owned()).collect(),
    };
    assert_eq!(
        examples(page),
        [example("one a", &["x", "y"]), example("two", &[])]
    );
}

#[track_caller]
fn check_shown(shown: &str, printed: &str, want: bool) {
    let shown: Vec<String> = shown.lines().map(str::to_owned).collect();
    let printed: Vec<&str> = printed.lines().collect();
    assert_eq!(is_shown(&shown, &printed), want, "{shown:?} {printed:?}");
}

#[test]
fn what_is_shown_is_compared_line_by_line() {
    check_shown("a\nb", "a\nb", true);
    check_shown("a\nb", "a\nc", false);
    check_shown("a", "a\nb", false);
    check_shown("a\nb", "a", false);
    check_shown("a\n…", "a\nb\nc", true);
    check_shown("…\nc", "a\nb\nc", true);
    check_shown("…\nd", "a\nb\nc", false);
    check_shown("a … c", "a b c", true);
    check_shown("a … c", "a b d", false);
    check_shown("… c", "a c c", true);
    check_shown("a …", "b c", false);
}
