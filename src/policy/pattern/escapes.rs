//! Escape sequences of terminals. Owns where one ends.
//! May not say what it does.

/// The character that a sequence begins with.
const ESC: char = '\u{1b}';

/// How many bytes a sequence has at most: a link's address is the longest of what programs write.
const MAX_BYTES: usize = 2_048;

/// Returns the bytes of the sequence that a text begins with; 0 if it begins with none or with one
/// that does not end. Known are control sequences (colours, the cursor), commands of the system (links,
/// titles) and the end of such a command.
pub(super) fn sequence_length(text: &str) -> usize {
    let Some(rest) = text.strip_prefix(ESC) else {
        return 0;
    };
    let length = match rest.as_bytes() {
        [b'[', body @ ..] => control_length(body).map(|length| length + 1),
        [b']', body @ ..] => command_length(body).map(|length| length + 1),
        [b'\\', ..] => Some(1),
        _ => None,
    };
    length.map_or(0, |length| length + ESC.len_utf8())
}

/// Returns where the sequence ends that a place lies inside; the place itself if it lies in none.
pub(super) fn behind_sequence(text: &str, place: usize) -> usize {
    let from = text.floor_char_boundary(place.saturating_sub(MAX_BYTES));
    let before = text.get(from..place).unwrap_or_default();
    let Some(at) = before.rfind(ESC) else {
        return place;
    };
    let begins = from + at;
    let length = sequence_length(text.get(begins..).unwrap_or_default());
    place.max(begins + length)
}

/// Parameters, then what stands between, then the final byte.
fn control_length(body: &[u8]) -> Option<usize> {
    let n_before = body
        .iter()
        .take(MAX_BYTES)
        .take_while(|byte| matches!(byte, 0x20..=0x3f))
        .count();
    let is_final = matches!(body.get(n_before), Some(0x40..=0x7e));
    is_final.then_some(n_before + 1)
}

/// Anything on one line up to a bell or the sign of the end.
fn command_length(body: &[u8]) -> Option<usize> {
    let end = body
        .iter()
        .take(MAX_BYTES)
        .position(|byte| matches!(byte, 0x07 | 0x1b | b'\n'))?;
    match body.get(end..)? {
        [0x07, ..] => Some(end + 1),
        [0x1b, b'\\', ..] => Some(end + 2),
        _ => None,
    }
}
