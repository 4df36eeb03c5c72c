//! A bounded run of a file's lines. Owns how much is held in memory at once.
//! May not look at what is stored.

use std::io::{self, Read};

use super::account::Refusal;
use super::digest::{Reading, sha256};
use super::entry::{Body, Entry, Location, Mirrored};
use super::frame::{Frame, Framer, Line};
use super::json::Kind;
use super::spec::LineReader;
use super::split::{Piece, Reason, split_line, split_tail};
use super::state::ReadState;
use crate::domain::{NewMessage, Provenance};

/// Records in one batch: enough that a transaction's cost is spread, few enough to be held.
const MAX_RECORDS: usize = 1_000;

/// Bytes of lines in one batch; a longer line is a batch of its own.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// A run of records.
pub(super) struct Batch {
    pub(super) items: Vec<Item>,
    /// Whether the file ends after it.
    pub(super) is_last: bool,
}

/// One piece of a file.
pub(super) enum Item {
    /// A record that was read: its rows, or what it says without one.
    Record(Vec<Draft>),
    /// A piece that is none.
    Refused(Refusal),
    /// An unfinished last line.
    Pending(Refusal),
}

/// One row of a record with its place in the file.
#[derive(Clone)]
pub(super) struct Draft {
    pub(super) location: Location,
    /// What it is stored under: its own id, else which occurrence of its text it is.
    pub(super) key: String,
    /// SHA-256 of its record, where that has a row or repeats one.
    sha256: Option<[u8; 32]>,
    pub(super) entry: Entry,
}

impl Draft {
    /// Says where its record lies.
    pub(super) fn place(&self) -> Provenance {
        Provenance {
            offset: self.location.offset,
            length: self.location.length,
            line: self.location.line,
            record_id: self.entry.id.clone(),
            sha256: self.sha256,
            ..Provenance::default()
        }
    }

    /// Completes a message with its key and origin.
    pub(super) fn with_provenance(&self, mut message: NewMessage) -> NewMessage {
        let told = message.provenance.take();
        let (joins, output_tokens) =
            told.map_or((None, None), |told| (told.joins, told.output_tokens));
        message.provenance = Some(Provenance {
            joins,
            output_tokens,
            ..self.place()
        });
        message.key = Some(self.key.clone());
        message
    }
}

/// Gives the rows of a record their keys. `raw` are the record's bytes, `text` what was read there.
pub(super) fn draft(
    location: Location,
    text: &str,
    raw: &[u8],
    entries: Vec<Entry>,
    state: &mut ReadState,
) -> Item {
    let mut occurrence: Option<String> = None;
    let is_kept = |entry: &Entry| matches!(entry.body, Body::Row(_)) || entry.mirrors.is_some();
    let sha256 = entries.iter().any(is_kept).then(|| sha256(raw));
    let mut drafts: Vec<Draft> = Vec::with_capacity(entries.len());
    let mut bases: Vec<String> = Vec::with_capacity(entries.len());
    for mut entry in entries {
        if let Some(Mirrored::Record(hash)) = &entry.mirrors {
            entry.mirrors = state.last_occurrence(hash).map(Mirrored::Row);
        }
        let base = match (&entry.id, &entry.body) {
            (Some(id), _) => id.clone(),
            (None, Body::Row(_)) => occurrence
                .get_or_insert_with(|| state.occurrence_key(text))
                .clone(),
            (None, Body::Silent) => String::new(),
        };
        let n_before = bases.iter().filter(|known| **known == base).count();
        let key = match n_before {
            0 => base.clone(),
            n => format!("{base}#{n}"),
        };
        bases.push(base);
        drafts.push(Draft {
            location,
            key,
            sha256,
            entry,
        });
    }
    Item::Record(drafts)
}

/// Reads lines as a format has them.
pub(super) struct Lines {
    pub(super) is_record: fn(&str) -> bool,
    pub(super) reader: Box<dyn LineReader>,
}

impl Lines {
    /// Reads the next run of records.
    pub(super) fn read_batch(
        &mut self,
        framer: &mut Framer<impl Read>,
        state: &mut ReadState,
    ) -> io::Result<Batch> {
        let mut items = Vec::new();
        let begin = framer.position().offset;
        while items.len() < MAX_RECORDS {
            let read_bytes = framer.position().offset - begin;
            if usize::try_from(read_bytes).is_ok_and(|bytes| bytes >= MAX_BYTES) {
                break;
            }
            let Some(frame) = framer.next()? else {
                return Ok(last(items));
            };
            match frame {
                Frame::Line(line) => self.read_line(line, state, &mut items),
                Frame::Tail(line) => {
                    let consumed = self.read_tail(line, state, &mut items);
                    framer.consume_tail(consumed);
                    return Ok(last(items));
                }
                Frame::Oversized {
                    number,
                    offset,
                    length,
                } => items.push(Item::Refused(Refusal {
                    line: number,
                    offset,
                    reason: format!("a line of {length} bytes is longer than is read whole"),
                })),
                Frame::OversizedTail { number, offset } => {
                    items.push(Item::Pending(Refusal {
                        line: number,
                        offset,
                        reason: "an unfinished line, longer than is read whole".to_owned(),
                    }));
                    return Ok(last(items));
                }
            }
        }
        Ok(Batch {
            items,
            is_last: false,
        })
    }

    fn read_line(&mut self, line: Line<'_>, state: &mut ReadState, items: &mut Vec<Item>) {
        let reading = Reading::of(line);
        for piece in split_line(reading.text(), self.is_record) {
            items.push(match piece {
                Piece::Record { at, text } => self.read_record(&reading, at, text, state),
                Piece::Bad { at, length, reason } => Item::Refused(Refusal {
                    line: line.number,
                    offset: line.offset + count(reading.raw(at..at + length).start),
                    reason: explain(reason, length),
                }),
            });
        }
    }

    /// Reads what can be taken of an unfinished line and returns how many of its bytes that is.
    fn read_tail(&mut self, line: Line<'_>, state: &mut ReadState, items: &mut Vec<Item>) -> usize {
        let reading = Reading::of(line);
        let tail = split_tail(reading.text());
        // A character that is cut in two may still become one: all or nothing then.
        if !reading.is_exact() && tail.is_pending {
            items.push(pending(line, 0, line.bytes.len()));
            return 0;
        }
        for (at, text) in tail.records {
            items.push(self.read_record(&reading, at, text, state));
        }
        if !tail.is_pending {
            return line.bytes.len();
        }
        let consumed = match tail.consumed {
            0 => 0,
            consumed => reading.raw(0..consumed).end,
        };
        items.push(pending(line, consumed, line.bytes.len() - consumed));
        consumed
    }

    fn read_record(
        &mut self,
        reading: &Reading<'_>,
        at: usize,
        text: &str,
        state: &mut ReadState,
    ) -> Item {
        let (line, raw) = (reading.line(), reading.raw(at..at + text.len()));
        let location = Location {
            offset: line.offset + count(raw.start),
            length: count(raw.len()),
            line: line.number,
        };
        let raw = line.bytes.get(raw).unwrap_or_default();
        match self.reader.read(text, location) {
            Ok(entries) => draft(location, text, raw, entries, state),
            Err(reason) => Item::Refused(Refusal {
                line: location.line,
                offset: location.offset,
                reason,
            }),
        }
    }
}

fn last(items: Vec<Item>) -> Batch {
    Batch {
        items,
        is_last: true,
    }
}

/// Counts an unfinished last line of which `at` bytes were taken.
pub(super) fn pending(line: Line<'_>, at: usize, length: usize) -> Item {
    let rest = line.bytes.get(at..).unwrap_or_default();
    let reason = if rest
        .iter()
        .all(|byte| *byte == 0 || byte.is_ascii_whitespace())
    {
        format!("{length} bytes of padding at the end, no record")
    } else {
        format!("an unfinished line of {length} bytes; it is read again when the file has grown")
    };
    Item::Pending(Refusal {
        line: line.number,
        offset: line.offset + count(at),
        reason,
    })
}

fn explain(reason: Reason, length: usize) -> String {
    match reason {
        Reason::NotAnObject(kind) => {
            let kind = match kind {
                Kind::Text => "a string",
                Kind::Array => "an array",
                Kind::Number => "a number",
                Kind::Object | Kind::Literal => "a bare word",
            };
            format!("JSON, but {kind} and not an object")
        }
        Reason::CutShort => format!("{} of JSON that is cut short", bytes(length)),
        Reason::Malformed(_) if length == 1 => "1 byte that is no JSON".to_owned(),
        Reason::Malformed(at) => {
            format!("{} that are no JSON from byte {at} of them", bytes(length))
        }
    }
}

fn bytes(n: usize) -> String {
    let unit = if n == 1 { "byte" } else { "bytes" };
    format!("{n} {unit}")
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
