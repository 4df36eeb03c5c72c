//! Shell lines: the commands that write, move and delete files.
//! May not expand a pattern or a variable: what is not a plain path is passed over.

mod lex;

use super::Op;
use super::words::quoted;

use lex::{Step, steps};

/// Reads what a script does to files, command by command.
pub(super) fn ops(script: &str) -> Vec<Op> {
    let mut ops = Vec::new();
    let mut folder = String::new();
    for step in steps(script) {
        let words: Vec<&str> = step.words.iter().map(String::as_str).collect();
        let words = without_prefixes(&words);
        if let ["cd", to] = words {
            folder = joined(&folder, to);
            continue;
        }
        let mut found = of_command(words);
        found.extend(of_redirections(&step));
        ops.extend(found.into_iter().filter_map(|op| inside(op, &folder)));
    }
    ops
}

/// Takes words away that stand before a command.
fn without_prefixes<'w>(mut words: &'w [&'w str]) -> &'w [&'w str] {
    while let [first, rest @ ..] = words {
        let is_variable = first.contains('=') && !first.starts_with('=');
        if is_variable || matches!(*first, "sudo" | "time" | "command" | "env" | "then" | "do") {
            words = rest;
        } else {
            break;
        }
    }
    words
}

fn of_command(words: &[&str]) -> Vec<Op> {
    let [command, rest @ ..] = words else {
        return Vec::new();
    };
    let paths: Vec<&str> = rest
        .iter()
        .copied()
        .filter(|word| !word.starts_with('-'))
        .collect();
    match (*command, paths.as_slice()) {
        ("git", ["mv", paths @ ..]) | ("mv", paths) => moved(paths),
        ("git", ["rm", paths @ ..]) if !rest.contains(&"--cached") => deleted(paths),
        ("git", ["checkout", ..]) => match rest.iter().position(|word| *word == "--") {
            Some(at) => all(rest.get(at + 1..).unwrap_or_default(), "restored from git"),
            None => Vec::new(),
        },
        ("git", ["restore", paths @ ..]) if !rest.contains(&"--staged") => {
            all(paths, "restored from git")
        }
        ("rm" | "rmdir" | "unlink" | "trash", paths) => deleted(paths),
        ("touch" | "mkdir", paths) => all(paths, "created"),
        ("cp", paths) => copied(paths),
        ("tee", paths) if has_flag(rest, "-a") => all(paths, "appended to by a command"),
        ("tee", paths) => all(paths, "written by a command"),
        ("sed" | "perl", _) if is_in_place(rest) => {
            all(paths.get(1..).unwrap_or_default(), "edited by a command")
        }
        ("ln", [target, link]) => all(&[link], &format!("linked to {target}")),
        ("curl" | "wget", _) => {
            let flag = rest
                .iter()
                .position(|word| matches!(*word, "-o" | "-O" | "--output"));
            let target = flag.and_then(|at| rest.get(at + 1)).copied();
            all(target.as_slice(), "downloaded")
        }
        _ => Vec::new(),
    }
}

fn has_flag(words: &[&str], flag: &str) -> bool {
    words.contains(&flag)
}

/// Says whether flags ask for files to be changed in place: `-i`, `-i.bak`, `-pi`, `-ni`.
fn is_in_place(words: &[&str]) -> bool {
    words.iter().any(|word| {
        word.starts_with("-i")
            || word.starts_with("--in-place")
            || matches!(*word, "-pi" | "-ni" | "-Ei" | "-ri")
    })
}

fn all(paths: &[&str], state: &str) -> Vec<Op> {
    let plain = paths.iter().filter(|path| is_path(path));
    plain
        .map(|path| Op::Set {
            path: (*path).to_owned(),
            state: state.to_owned(),
        })
        .collect()
}

fn deleted(paths: &[&str]) -> Vec<Op> {
    let plain = paths.iter().filter(|path| is_path(path));
    plain
        .map(|path| Op::Delete {
            path: path.trim_end_matches('/').to_owned(),
        })
        .collect()
}

/// Pairs sources with their new names: several, or one into a folder, keep theirs.
fn targets<'p>(paths: &[&'p str]) -> Vec<(&'p str, String)> {
    let Some((last, sources)) = paths.split_last() else {
        return Vec::new();
    };
    let is_folder = sources.len() > 1 || last.ends_with('/') || matches!(*last, "." | "..");
    let sources = sources
        .iter()
        .filter(|path| is_path(path) && (is_path(last) || is_folder));
    sources
        .map(|source| {
            let source = source.trim_end_matches('/');
            let name = source.rsplit('/').next().unwrap_or(source);
            let target = if is_folder {
                joined(last, name)
            } else {
                (*last).to_owned()
            };
            (source, target)
        })
        .collect()
}

fn moved(paths: &[&str]) -> Vec<Op> {
    let pairs = targets(paths).into_iter();
    pairs
        .map(|(from, to)| Op::Move {
            from: from.to_owned(),
            to,
        })
        .collect()
}

fn copied(paths: &[&str]) -> Vec<Op> {
    let pairs = targets(paths).into_iter();
    pairs
        .map(|(from, path)| Op::Set {
            path,
            state: format!("copied from {from}"),
        })
        .collect()
}

fn of_redirections(step: &Step) -> Vec<Op> {
    let plain = step.outputs.iter().filter(|output| is_path(&output.path));
    plain
        .map(|output| Op::Set {
            path: output.path.clone(),
            state: match (output.is_appended, &step.here) {
                (false, Some(text)) => quoted("written", Some(text)),
                (false, None) => "written by a command".to_owned(),
                (true, _) => "appended to by a command".to_owned(),
            },
        })
        .collect()
}

/// Puts the paths of an operation into the folder the shell is in.
fn inside(op: Op, folder: &str) -> Option<Op> {
    let place = |path: String| joined(folder, &path);
    let op = match op {
        Op::Set { path, state } => Op::Set {
            path: place(path),
            state,
        },
        Op::Read { path } => Op::Read { path: place(path) },
        Op::Delete { path } => Op::Delete { path: place(path) },
        Op::Move { from, to } => Op::Move {
            from: place(from),
            to: place(to),
        },
    };
    let is_device = op
        .paths()
        .into_iter()
        .flatten()
        .any(|path| path.starts_with("/dev/"));
    let is_same = matches!(&op, Op::Move { from, to } if from == to);
    (!is_device && !is_same).then_some(op)
}

fn joined(folder: &str, path: &str) -> String {
    let path = path
        .strip_prefix("./")
        .filter(|rest| !rest.is_empty())
        .unwrap_or(path);
    let is_rooted = path.starts_with(['/', '~']) || folder.is_empty() || folder == ".";
    if is_rooted {
        path.to_owned()
    } else if path == "." {
        folder.to_owned()
    } else {
        format!("{}/{path}", folder.trim_end_matches('/'))
    }
}

fn is_path(word: &str) -> bool {
    !word.starts_with(['-', '&'])
        && !word.contains(['*', '$', '`', '"', '\'', '(', ')', '{', '<', '>', '\n'])
        && word.contains(char::is_alphanumeric)
}
