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

/// The state of a file that was only looked at.
pub(in crate::policy::carry) const READ: &str = "read";

/// What stands between a state and a failure after it.
const LATER: &str = "; later ";
/// What stands between a state and the name the file had before.
const MOVED_HERE: &str = " (moved from ";

/// Says whether a state tells only of a look, with or without what was seen.
pub(in crate::policy) fn is_look(state: &str) -> bool {
    let is_read = verb(state).split(',').next() == Some(READ);
    is_read && !state.contains(LATER) && !state.contains(MOVED_HERE)
}

/// Says whether a state tells of a failure and of nothing before it.
fn is_bare_failure(state: &str) -> bool {
    verb(state).ends_with(" failed")
}

/// Returns the failure that a state tells of, where it tells of no change.
pub(super) fn only_failure(state: &str) -> Option<&str> {
    if is_bare_failure(state) {
        return Some(state);
    }
    let (before, failure) = state.split_once(LATER)?;
    is_look(before).then_some(failure)
}

/// Writes that something failed at a file beside what was known of it before.
pub(super) fn failed(before: Option<&str>, failure: &str) -> String {
    match before.map(without_failure) {
        Some(before) if !is_bare_failure(before) => format!("{before}{LATER}{failure}"),
        _ => failure.to_owned(),
    }
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
    state.split_once(LATER).map_or(state, |(state, _)| state)
}

/// Returns what goes along when a file is moved; a path without a file carries nothing, nor
/// does a look or a failure.
pub(super) fn carried(state: &str) -> Option<String> {
    let state = without_failure(state);
    let is_gone = state.starts_with(DELETED) || state.starts_with(MOVED_TO);
    let is_unchanged = is_look(state) || is_bare_failure(state);
    let is_bare = state.starts_with(MOVED_FROM) || is_gone || is_unchanged;
    let state = state
        .rsplit_once(MOVED_HERE)
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
    let plain = line.replace(LATER, "; ").replace(MOVED_HERE, " (from ");
    if plain.len() <= QUOTE_BYTES {
        return plain;
    }
    let end = plain.floor_char_boundary(QUOTE_BYTES - '…'.len_utf8());
    format!("{}…", plain.get(..end).unwrap_or_default().trim_end())
}
