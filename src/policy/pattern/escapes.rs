//! Escape sequences of terminals. Owns where one ends.
//! May not say what it does.

/// The byte that a sequence begins with.
pub(super) const ESC: u8 = 0x1b;

/// The bytes that say which sequence it is.
const OPENING: usize = 2;

/// How many bytes a sequence has at most: a link's address is the longest of what programs write.
const MAX_BYTES: usize = 2_048;

/// Returns the bytes of the sequence that a text begins with; 0 if it begins with none or with one
/// that does not end. Known are control sequences (colours, the cursor), commands of the system (links,
/// titles) and the end of such a command.
pub(super) fn sequence_length(text: &str) -> usize {
    let length = match text.as_bytes() {
        [ESC, b'[', body @ ..] => control_length(body),
        [ESC, b']', body @ ..] => command_length(body),
        [ESC, b'\\', ..] => Some(0),
        _ => None,
    };
    length.map_or(0, |length| length + OPENING)
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
        .position(|byte| matches!(*byte, 0x07 | ESC | b'\n'))?;
    match body.get(end..)? {
        [0x07, ..] => Some(end + 1),
        [ESC, b'\\', ..] => Some(end + 2),
        _ => None,
    }
}
