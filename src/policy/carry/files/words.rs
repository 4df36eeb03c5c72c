//! The words of states. Owns how a state is written, so that it is known again one level up.

/// What a state of a deleted file says.
pub(super) const DELETED: &str = "deleted";
/// How the state of a path that is another one now begins.
pub(super) const MOVED_TO: &str = "moved to ";
/// How the state of a path that was another one begins, where nothing else is known of it.
pub(super) const MOVED_FROM: &str = "moved from ";

/// Bytes of what was written, or of why it failed, that a state quotes.
const QUOTE_BYTES: usize = 60;

/// Beginnings of a result that tells of a failure where the host has no mark for it.
const FAILURES: [&str; 8] = [
    "error",
    "fatal:",
    "traceback (most",
    "no replacement was",
    "patch failed",
    "failed to ",
    "<tool_use_error>",
    "permission denied",
];

/// Returns what a state says was done, without what it quotes.
pub(in crate::policy::carry) fn verb(state: &str) -> &str {
    let end = state.find([':', ';', '(']).unwrap_or(state.len());
    state.get(..end).unwrap_or(state).trim()
}

/// Adds the first telling line of what was written.
pub(super) fn quoted(verb: &str, text: Option<&str>) -> String {
    let lines = text.into_iter().flat_map(str::lines);
    let telling = lines
        .map(str::trim)
        .find(|line| line.chars().any(char::is_alphanumeric));
    match telling {
        Some(line) => format!("{verb}: {}", clip(line)),
        None => verb.to_owned(),
    }
}

/// Returns why something failed, in its first telling line.
pub(super) fn reason(content: &str) -> String {
    let mut lines = content.lines().map(str::trim);
    let telling = lines.find(|line| line.chars().any(char::is_alphanumeric));
    telling.map_or_else(|| "no reason given".to_owned(), clip)
}

/// Says whether a result tells of a failure.
pub(super) fn tells_failure(content: &str) -> bool {
    let head = content.trim_start();
    let head = head.get(..head.floor_char_boundary(64)).unwrap_or(head);
    let head = head.to_ascii_lowercase();
    let code = head
        .strip_prefix("exit code")
        .map(|rest| rest.trim_start_matches([' ', ':']));
    let is_code = code.is_some_and(|code| code.starts_with(|digit| matches!(digit, '1'..='9')));
    is_code || FAILURES.iter().any(|sign| head.starts_with(sign))
}

/// Takes away that something failed before.
pub(super) fn without_failure(state: &str) -> &str {
    state
        .split_once("; later ")
        .map_or(state, |(state, _)| state)
}

/// Returns what goes along when a file is moved; a path without a file carries nothing.
pub(super) fn carried(state: &str) -> Option<String> {
    let state = without_failure(state);
    let is_gone = state.starts_with(DELETED) || state.starts_with(MOVED_TO);
    let is_bare = state.starts_with(MOVED_FROM) || is_gone;
    let state = state
        .rsplit_once(" (moved from ")
        .map_or(state, |(state, _)| state);
    (!is_bare && !state.is_empty()).then(|| state.to_owned())
}

/// Writes the state of a file at its new path.
pub(super) fn moved(from: &str, carried: Option<&str>) -> String {
    match carried {
        Some(state) => format!("{state} ({MOVED_FROM}{from})"),
        None => format!("{MOVED_FROM}{from}"),
    }
}

/// Shortens a line between characters, without what would be read as the end of a quotation.
fn clip(line: &str) -> String {
    let plain = line
        .replace("; later ", "; ")
        .replace(" (moved from ", " (from ");
    if plain.len() <= QUOTE_BYTES {
        return plain;
    }
    let end = plain.floor_char_boundary(QUOTE_BYTES - '…'.len_utf8());
    format!("{}…", plain.get(..end).unwrap_or_default().trim_end())
}
