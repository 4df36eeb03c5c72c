//! Lines to records. Owns what is salvaged from a damaged line: records glued together, a record
//! after the stub of another, a record padded with NULs. May not know what a record says; a format
//! tells it what one looks like.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::json::{self, Kind};

/// The work of looking for a record behind a stub, in lengths of the line: each try may read to
/// the end, and a hostile line could ask for one at every byte.
const SEARCH_LENGTHS: usize = 16;

/// One piece of a line. Pieces that are no record are reported, never dropped in silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// A JSON object.
    Record {
        /// Its first byte in the line.
        at: usize,
        /// Its text.
        text: &'a str,
    },
    /// Bytes that hold no record.
    Bad {
        /// Their first byte in the line.
        at: usize,
        /// How many.
        length: usize,
        /// What is wrong with them.
        reason: Reason,
    },
}

/// Why bytes hold no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// JSON, but no object.
    NotAnObject(Kind),
    /// The JSON ends too early.
    CutShort,
    /// Not JSON, from this byte of the piece on.
    Malformed(usize),
}

/// The pieces of an unfinished last line that can be taken already.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TailSplit<'a> {
    /// Whole records at its beginning.
    pub(crate) records: Vec<(usize, &'a str)>,
    /// The bytes that may be consumed. The rest waits.
    pub(crate) consumed: usize,
    /// Whether something but blanks waits.
    pub(crate) is_pending: bool,
}

/// Returns a line's text: bytes that are no UTF-8 become U+FFFD, a byte order mark is passed over.
/// The number is of bytes passed over.
pub(crate) fn line_text(bytes: &[u8], offset: u64) -> (Cow<'_, str>, usize) {
    let mark = match offset {
        0 if bytes.starts_with(b"\xEF\xBB\xBF") => 3,
        _ => 0,
    };
    let text = String::from_utf8_lossy(bytes.get(mark..).unwrap_or_default());
    (text, mark)
}

/// Cuts a finished line into its records and what is none. A blank line, or one of NULs, has no
/// pieces.
pub(crate) fn split_line(line: &str, is_record: impl Fn(&str) -> bool + Copy) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for (start, segment) in segments(line) {
        split_segment(start, segment, is_record, &mut pieces);
    }
    pieces
}

/// Takes from an unfinished line the records at its beginning: a whole object stays whole whatever
/// is written after it, anything else may still become something else.
pub(crate) fn split_tail(tail: &str) -> TailSplit<'_> {
    let mut split = TailSplit::default();
    let mut at = skip_blank(tail, 0);
    while tail.get(at..).is_some_and(|rest| rest.starts_with('{')) {
        let Ok(end) = value_end(tail, at) else { break };
        split
            .records
            .push((at, tail.get(at..end).unwrap_or_default()));
        split.consumed = end;
        at = skip_blank(tail, end);
    }
    let rest = tail.get(split.consumed..).unwrap_or_default();
    if rest.chars().all(char::is_whitespace) {
        split.consumed = tail.len();
    } else {
        split.is_pending = true;
    }
    split
}

/// Splits at runs of NULs: what a power cut leaves in a file between the records before and after.
fn segments(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    line.split('\0').filter_map(move |segment| {
        let at = start;
        start += segment.len() + 1;
        (!segment.trim().is_empty()).then_some((at, segment))
    })
}

fn split_segment<'a>(
    start: usize,
    segment: &'a str,
    is_record: impl Fn(&str) -> bool,
    pieces: &mut Vec<Piece<'a>>,
) {
    let mut at = skip_blank(segment, 0);
    while at < segment.len() {
        let rest = segment.get(at..).unwrap_or_default();
        let end = match value_end(segment, at) {
            Ok(end) if rest.starts_with('{') => {
                pieces.push(Piece::Record {
                    at: start + at,
                    text: segment.get(at..end).unwrap_or_default(),
                });
                end
            }
            found => {
                let (end, reason) = match found {
                    Ok(end) if skip_blank(segment, end) == segment.len() => {
                        (segment.len(), Reason::NotAnObject(json::kind(rest)))
                    }
                    Ok(_) => (find_record(segment, at, &is_record), Reason::Malformed(0)),
                    Err(reason) => (find_record(segment, at, &is_record), reason),
                };
                let bad = segment.get(at..end).unwrap_or_default().trim_end();
                pieces.push(Piece::Bad {
                    at: start + at,
                    length: bad.len(),
                    reason,
                });
                end
            }
        };
        at = skip_blank(segment, end);
    }
}

/// Returns where the first record after a stub begins, else the end. A piece counts as a record
/// only if it looks like one and reaches the end of the line or the next object: a stub holds
/// whole objects of its own, and those are not records.
fn find_record(segment: &str, stub: usize, is_record: impl Fn(&str) -> bool) -> usize {
    let mut effort = segment.len() * SEARCH_LENGTHS;
    let mut from = stub + 1;
    // By bytes: a stub may begin with a character of several.
    while let Some(found) = segment
        .as_bytes()
        .get(from..)
        .and_then(|rest| memchr::memmem::find(rest, b"{\""))
    {
        let at = from + found;
        from = at + 1;
        let read = match value_end(segment, at) {
            Ok(end) => {
                let next = skip_blank(segment, end);
                let closes = segment
                    .get(next..)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('{'));
                if closes && segment.get(at..end).is_some_and(&is_record) {
                    return at;
                }
                end - at
            }
            Err(Reason::Malformed(column)) => column,
            Err(_) => segment.len() - at,
        };
        let Some(left) = effort.checked_sub(read) else {
            break;
        };
        effort = left;
    }
    segment.len()
}

/// Returns where the JSON value that begins at `at` ends.
fn value_end(text: &str, at: usize) -> Result<usize, Reason> {
    let rest = text.get(at..).unwrap_or_default();
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
    match values.next() {
        Some(Ok(_)) => Ok(at + values.byte_offset()),
        Some(Err(error)) if error.is_eof() => Err(Reason::CutShort),
        Some(Err(error)) => Err(Reason::Malformed(error.column().saturating_sub(1))),
        None => Err(Reason::CutShort),
    }
}

fn skip_blank(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let blank = rest.len()
        - rest
            .trim_start_matches(|c: char| c.is_whitespace() || c == '\0')
            .len();
    from + blank
}
