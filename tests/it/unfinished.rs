//! `export` and `backup` that are broken off, by a full disk or by Ctrl-C: no part of a file is left.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::program::{Ended, Program, interrupt, line};

/// Fills a store with messages of 100,000 bytes.
fn filled(n_messages: usize) -> Program {
    let program = Program::new();
    let text = "the harbour report was filed again ".repeat(100_000 / 35);
    let lines: Vec<String> = (0..n_messages)
        .map(|n| line("user", &format!("{n} {text}")))
        .collect();
    program.append("main", &lines.concat());
    program
}

/// Returns what lies in a folder, hidden things included.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Runs the program where no file may have more than so many blocks of 512 bytes.
fn run_in(program: &Program, blocks: u32, words: &[&str]) -> Ended {
    let binary = assert_cmd::cargo::cargo_bin!("hippocamp");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut command = program.process_of("/bin/sh");
    command.arg("-c").arg(script).arg(binary).args(words);
    Ended::of(command.stdin(Stdio::null()).output().unwrap())
}

#[test]
fn a_full_disk_leaves_no_part_of_a_file() {
    let program = filled(8);
    program.append("other", &line("user", "short"));
    std::fs::create_dir(program.path("out")).unwrap();
    let ended = run_in(&program, 200, &["export", "--all", "--to", "out", "--json"]);
    assert_eq!(ended.code, Some(6), "{ended:?}");
    let message = ended.error()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("out/1-main.md"), "{message}");
    let left = entries(&program.path("out"));
    assert!(left.len() <= 1, "{left:?}");
    for path in left {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            path.ends_with("2-other.md") && text.contains("short"),
            "{path:?}"
        );
    }
    let before = entries(&program.path("")).len();
    let ended = run_in(&program, 200, &["backup", "copy.db", "--json"]);
    assert_eq!(ended.code, Some(6), "{ended:?}");
    assert!(ended.error()["message"].as_str().is_some());
    assert_eq!(
        entries(&program.path("")).len(),
        before,
        "something is left"
    );
}

/// Interrupts the program once it has begun to write in a folder, and returns its exit code.
fn interrupt_while_writing(program: &Program, folder: &Path, words: &[&str]) -> Option<i32> {
    let mut command = program.process();
    let mut child = command.args(words).stdout(Stdio::null()).spawn().unwrap();
    let begins = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with(".hippocamp") && !entries(path).is_empty()
    };
    while !entries(folder).iter().any(begins) {
        if let Some(ended) = child.try_wait().unwrap() {
            return ended.code();
        }
    }
    interrupt(&child);
    child.wait().unwrap().code()
}

#[test]
fn ctrl_c_leaves_no_part_of_a_file() {
    let program = filled(120);
    for (folder, words) in [
        ("out", &["export", "--all", "--to", "out"][..]),
        ("copies", &["backup", "copies/copy.db"]),
    ] {
        let path = program.path(folder);
        std::fs::create_dir(&path).unwrap();
        let code = interrupt_while_writing(&program, &path, words);
        assert_eq!(code, Some(130), "{words:?}");
        assert_eq!(entries(&path), Vec::<PathBuf>::new(), "{words:?}");
        assert_eq!(program.run(words).code, Some(0), "{words:?}");
        assert_eq!(entries(&path).len(), 1, "{words:?}");
    }
}
