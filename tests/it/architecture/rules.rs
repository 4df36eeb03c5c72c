//! The rules of the rooms, each a function from a file to what it breaks.
//! Knows no file system: `mod.rs` walks, and proves each rule on a bad snippet.

use super::source::Source;

/// A room and what it may see: other rooms, and crates beside `std`.
pub(crate) struct Room {
    pub(crate) name: &'static str,
    pub(crate) sees: &'static [&'static str],
    /// `None`: any crate.
    pub(crate) crates: Option<&'static [&'static str]>,
}

/// The rooms of the library, as drawn in ARCHITECTURE.md.
pub(crate) const ROOMS: [Room; 11] = [
    Room {
        name: "domain",
        sees: &[],
        crates: Some(&["chrono", "serde", "serde_json", "thiserror"]),
    },
    Room {
        name: "policy",
        sees: &["domain"],
        crates: Some(&[
            "chrono",
            "memchr",
            "regex",
            "rust_stemmers",
            "serde",
            "serde_json",
            "thiserror",
            "unicode_normalization",
            "unicode_segmentation",
        ]),
    },
    Room {
        name: "store",
        sees: &["domain"],
        crates: Some(&[
            "blake3",
            "getrandom",
            "rusqlite",
            "serde",
            "serde_json",
            "thiserror",
        ]),
    },
    Room {
        name: "engine",
        sees: &["domain", "policy", "store"],
        crates: Some(&[
            "async_trait",
            "blake3",
            "chrono",
            "getrandom",
            "serde",
            "serde_json",
            "thiserror",
            "tokio",
            "tracing",
        ]),
    },
    Room {
        name: "tools",
        sees: &["domain", "policy", "store", "engine"],
        crates: Some(&["serde", "serde_json", "thiserror", "tokio", "tracing"]),
    },
    Room {
        name: "render",
        sees: &["domain"],
        crates: Some(&["serde", "serde_json", "thiserror"]),
    },
    Room {
        name: "import",
        sees: &["domain", "policy", "store", "engine"],
        crates: Some(&[
            "blake3",
            "chrono",
            "memchr",
            "serde",
            "serde_json",
            "sha2",
            "thiserror",
            "tokio",
            "tracing",
            "zstd",
        ]),
    },
    Room {
        name: "providers",
        sees: &["domain", "policy", "store", "engine"],
        crates: Some(&[
            "async_trait",
            "chrono",
            "genai",
            "getrandom",
            "reqwest",
            "rustls",
            "rustls_platform_verifier",
            "serde",
            "serde_json",
            "thiserror",
            "tokio",
            "tracing",
        ]),
    },
    Room {
        name: "mcp",
        sees: &["domain", "engine", "tools", "render"],
        crates: Some(&[
            "async_trait",
            "axum",
            "blake3",
            "futures_core",
            "memchr",
            "rmcp",
            "serde",
            "serde_json",
            "thiserror",
            "tokio",
            "tracing",
        ]),
    },
    Room {
        name: "rig",
        sees: &["domain", "engine", "tools", "render"],
        crates: Some(&["base64", "rig_core", "serde", "serde_json", "thiserror"]),
    },
    Room {
        name: "cli",
        sees: &[
            "domain",
            "policy",
            "store",
            "engine",
            "tools",
            "render",
            "import",
            "providers",
            "mcp",
        ],
        crates: None,
    },
];

/// A word and the only files that may hold it, by the beginnings of their paths.
pub(crate) const WORDS: [(&str, &[&str]); 14] = [
    ("rusqlite", &["src/store/"]),
    ("SELECT ", &["src/store/"]),
    ("INSERT INTO ", &["src/store/"]),
    ("PRAGMA ", &["src/store/"]),
    (
        "tokio::",
        &[
            "src/engine/",
            "src/tools/",
            "src/import/",
            "src/providers/",
            "src/mcp/",
            "src/cli/",
            "src/main.rs",
        ],
    ),
    ("Utc::now", &[]),
    ("Local::now", &[]),
    ("SystemTime::now", &["src/engine/clock.rs"]),
    ("env::var", &["src/cli/config.rs", "src/cli/config/"]),
    (
        "Connection::open",
        &["src/store/conn.rs", "src/store/conn/"],
    ),
    ("tokio::spawn", &[]),
    ("task::spawn(", &[]),
    ("runtime.spawn(", &["src/engine/tasks.rs"]),
    ("#[path", &[]),
];

/// Lines that a file may have at most, and one more.
const LINES: usize = 400;

/// Returns the room that a path of `src` belongs to.
pub(crate) fn room_of(path: &str) -> Option<&'static Room> {
    let (folder, _) = path.strip_prefix("src/")?.split_once('/')?;
    ROOMS.iter().find(|room| room.name == folder)
}

/// A room sees only the rooms that its arrows point to.
pub(crate) fn arrows(source: &Source) -> Vec<String> {
    let Some(room) = room_of(&source.path) else {
        return Vec::new();
    };
    rooms_named(source)
        .into_iter()
        .filter(|named| named != room.name && !room.sees.contains(&named.as_str()))
        .map(|named| format!("{}: {} may not see {named}", source.path, room.name))
        .collect()
}

/// A room uses only the crates given to it; `dependencies` are all that Cargo.toml names.
pub(crate) fn crates(source: &Source, dependencies: &[String]) -> Vec<String> {
    let Some((room, allowed)) = room_of(&source.path).and_then(|r| Some((r, r.crates?))) else {
        return Vec::new();
    };
    let tokens = tokens(&source.code);
    let mut broken = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_path_start = tokens.get(at + 1) == Some(&"::") && !follows_a_path(&tokens[..at]);
        if is_path_start
            && dependencies.iter().any(|name| name == token)
            && !allowed.contains(token)
        {
            broken.push(format!(
                "{}: {} may not use {token}",
                source.path, room.name
            ));
        }
    }
    broken
}

/// A word stands only in its rooms.
pub(crate) fn words(source: &Source) -> Vec<String> {
    WORDS
        .iter()
        .filter(|(word, homes)| {
            source.code_and_strings.contains(word)
                && !homes.iter().any(|home| source.path.starts_with(home))
        })
        .map(|(word, homes)| format!("{}: `{word}` belongs in {homes:?}", source.path))
        .collect()
}

/// A file is short, says first what it is, and has a name that says something.
pub(crate) fn shape(source: &Source) -> Vec<String> {
    let mut broken = Vec::new();
    let n_lines = source.text.lines().count();
    if n_lines >= LINES {
        broken.push(format!(
            "{}: {n_lines} lines, fewer than {LINES} allowed",
            source.path
        ));
    }
    let is_tests = source.path.ends_with("/tests.rs") || source.path.contains("/tests/");
    if !source.text.starts_with("//! ") && !is_tests {
        broken.push(format!("{}: does not start with `//! `", source.path));
    }
    let name = source.path.rsplit('/').next().unwrap_or_default();
    let stem = name.strip_suffix(".rs").unwrap_or(name);
    if ["util", "utils", "helper", "helpers", "common", "misc"].contains(&stem) {
        broken.push(format!(
            "{}: name it for its main type or verb",
            source.path
        ));
    }
    broken
}

/// Nothing is unfinished or waved through.
pub(crate) fn leftovers(source: &Source) -> Vec<String> {
    let in_code = [
        "#[allow",
        "#![allow",
        "todo!",
        "dbg!",
        "unimplemented!",
        "#[ignore",
        "#[should_panic",
    ];
    let in_comments = ["TODO", "FIXME", "XXX", "Placeholder"];
    let found_in_code = in_code.iter().filter(|word| source.code.contains(*word));
    let found_in_comments = in_comments
        .iter()
        .filter(|word| source.comments.contains(*word));
    found_in_code
        .chain(found_in_comments)
        .map(|word| format!("{}: holds `{word}`", source.path))
        .collect()
}

/// Nothing knows the machine it was written on; for any text file.
pub(crate) fn machine_paths(path: &str, text: &str) -> Vec<String> {
    // Cut in two, so that this file does not break the rule itself.
    let places = [concat!("/wo", "rk/"), concat!("/ro", "ot/")];
    let is_inside = |before: char| before.is_alphanumeric() || "_-.~".contains(before);
    places
        .iter()
        .filter(|place| {
            text.match_indices(*place)
                .any(|(at, _)| !text[..at].ends_with(is_inside))
        })
        .map(|place| format!("{path}: holds the machine path `{place}`"))
        .collect()
}

/// Returns every room that a file names by a path from the crate's root.
pub(crate) fn rooms_named(source: &Source) -> Vec<String> {
    let tokens = tokens(&source.code);
    let depth = module_depth(&source.path);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let n_supers = tokens[at..]
            .chunks(2)
            .take_while(|pair| *pair == ["super", "::"])
            .count();
        let is_root =
            matches!(tokens[at], "crate" | "hippocamp") && tokens.get(at + 1) == Some(&"::");
        let after_root = if is_root {
            Some(at + 2)
        } else {
            (n_supers > 0 && n_supers >= depth).then_some(at + 2 * n_supers)
        };
        if let Some(start) = after_root {
            found.extend(path_heads(&tokens[start..]));
        }
        at = after_root.unwrap_or(at + 1 + (2 * n_supers).saturating_sub(1));
    }
    found.retain(|name| ROOMS.iter().any(|room| room.name == name) || name == "*");
    found.sort();
    found.dedup();
    found
}

/// Returns the first names behind a path's root: one, or all of a `{…}` group's.
fn path_heads(tokens: &[&str]) -> Vec<String> {
    match tokens.first() {
        Some(&"{") => {
            let mut depth = 0;
            let mut heads = Vec::new();
            let mut is_head = false;
            for token in tokens {
                match *token {
                    "{" => depth += 1,
                    "}" => depth -= 1,
                    _ if is_head => heads.push((*token).to_owned()),
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
                is_head = depth == 1 && matches!(*token, "{" | ",");
            }
            heads
        }
        Some(name) => vec![(*name).to_owned()],
        None => Vec::new(),
    }
}

/// Returns how many `super` lead from a file's module to the crate's root.
fn module_depth(path: &str) -> usize {
    let inside = path.trim_start_matches("src/").trim_end_matches(".rs");
    inside
        .split('/')
        .filter(|part| !["mod", "lib", "main"].contains(part))
        .count()
}

/// Says whether the next word belongs to a path begun before it (`a::` but not `use ::`).
fn follows_a_path(before: &[&str]) -> bool {
    let is_word = |token: &str| token.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    match before {
        [.., owner, "::"] => (is_word(owner) && *owner != "use") || *owner == ">",
        _ => false,
    }
}

/// Cuts code into words, `::` and single marks.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        let length = match word {
            0 if rest.starts_with("::") => 2,
            0 => first.len_utf8(),
            _ => word,
        };
        let (token, tail) = rest.split_at(length);
        tokens.push(token);
        rest = tail.trim_start();
    }
    tokens
}
