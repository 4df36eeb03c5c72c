//! Files: what calls of tools did to them.
//! May not open a file: it reads arguments.

use serde_json::Value;

use super::sentence;

/// Bytes of what was written that a state quotes.
const QUOTE_BYTES: usize = 60;

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileState {
    pub(super) path: String,
    pub(super) state: String,
}

impl FileState {
    fn new(path: &str, state: impl Into<String>) -> Self {
        Self {
            path: path.trim().to_owned(),
            state: state.into(),
        }
    }
}

/// Reads the files a call changes or reads, from its name and arguments.
pub(super) fn of_call(name: &str, arguments: &str) -> Vec<FileState> {
    let parsed = serde_json::from_str::<Value>(arguments).ok();
    let field = |keys: &[&str]| {
        let fields = parsed.as_ref()?.as_object()?;
        keys.iter()
            .find_map(|key| fields.get(*key))
            .and_then(Value::as_str)
    };
    let lower = name.to_ascii_lowercase();
    if let Some(patch) = field(&["patch", "input", "diff"]).or_else(|| {
        // Some hosts give the patch itself as the arguments.
        parsed.is_none().then_some(arguments)
    }) && patch.contains("*** ")
    {
        return of_patch(patch);
    }
    if let Some(command) = field(&["command", "cmd", "script"])
        && field(PATH_KEYS).is_none()
    {
        let patched = of_patch(command);
        return if patched.is_empty() {
            of_command(command)
        } else {
            patched
        };
    }
    let Some(path) = field(PATH_KEYS) else {
        return Vec::new();
    };
    let state = if ["write", "create", "save"]
        .iter()
        .any(|verb| lower.contains(verb))
    {
        quoted(
            "written",
            field(&["content", "contents", "text", "file_text"]),
        )
    } else if ["edit", "replace", "insert", "update", "modify"]
        .iter()
        .any(|verb| lower.contains(verb))
    {
        let new = field(&[
            "new_string",
            "new_str",
            "new_source",
            "insert_text",
            "content",
        ]);
        quoted("edited", new)
    } else if ["delete", "remove"].iter().any(|verb| lower.contains(verb)) {
        "deleted".to_owned()
    } else if ["read", "view", "open", "cat"]
        .iter()
        .any(|verb| lower.contains(verb))
    {
        "read".to_owned()
    } else {
        return Vec::new();
    };
    vec![FileState::new(path, state)]
}

/// The names under which tools take a path.
const PATH_KEYS: &[&str] = &[
    "file_path",
    "path",
    "notebook_path",
    "filename",
    "file",
    "target_file",
];

/// Adds the first telling line of what was written.
fn quoted(verb: &str, text: Option<&str>) -> String {
    let first = text
        .into_iter()
        .flat_map(|text| sentence::sentences(text).into_iter().take(1))
        .next();
    match first {
        Some(line) => format!("{verb}: {}", sentence::clip(&line, QUOTE_BYTES)),
        None => verb.to_owned(),
    }
}

/// Reads the headings of a patch.
fn of_patch(patch: &str) -> Vec<FileState> {
    let heads = [
        ("*** Add File: ", "added"),
        ("*** Update File: ", "edited by a patch"),
        ("*** Delete File: ", "deleted"),
        ("*** Move to: ", "moved here"),
    ];
    patch
        .lines()
        .filter_map(|line| {
            heads.iter().find_map(|(head, state)| {
                line.trim()
                    .strip_prefix(head)
                    .map(|path| FileState::new(path, *state))
            })
        })
        .collect()
}

/// Reads the plainest file commands of a shell line.
fn of_command(command: &str) -> Vec<FileState> {
    let mut states = Vec::new();
    for step in command.split([';', '\n', '|', '&']) {
        let words: Vec<&str> = step.split_whitespace().collect();
        let words = match words.as_slice() {
            ["sudo" | "git", rest @ ..] => rest,
            all => all,
        };
        let paths = || words.iter().skip(1).filter(|word| is_path(word));
        match words.first().copied() {
            Some("rm") => states.extend(paths().map(|path| FileState::new(path, "deleted"))),
            Some("touch" | "mkdir") => {
                states.extend(paths().map(|path| FileState::new(path, "created")));
            }
            Some("mv") => {
                if let [from, to] = paths().collect::<Vec<_>>().as_slice() {
                    states.push(FileState::new(from, format!("moved to {to}")));
                    states.push(FileState::new(to, format!("moved from {from}")));
                }
            }
            Some("cp") => {
                if let [from, to] = paths().collect::<Vec<_>>().as_slice() {
                    states.push(FileState::new(to, format!("copied from {from}")));
                }
            }
            _ => {}
        }
        for pair in words.windows(2) {
            match pair {
                [">", path] if is_path(path) => {
                    states.push(FileState::new(path, "written by a command"));
                }
                [">>", path] if is_path(path) => {
                    states.push(FileState::new(path, "appended to by a command"));
                }
                _ => {}
            }
        }
    }
    states
}

fn is_path(word: &str) -> bool {
    !word.starts_with('-')
        && !word.contains(['*', '$', '`', '"', '\'', '(', '<', '>'])
        && word.contains(char::is_alphanumeric)
}
