//! Whose file is this. Owns the decision, made from what the file holds and never from a name alone.
//! May not read further than it must.

use std::io::{self, Read};
use std::path::Path;

use super::account::Refusal;
use super::batch::{Item, pending};
use super::format::Format;
use super::frame::{Frame, Framer, Position};
use super::json::Object;
use super::sniff::Head;
use super::spec::{Reader, Spec};
use super::split::{Piece, line_text, split_line, split_tail};
use super::table::FORMATS;
use super::unpack::open_text;
use crate::store::Foreign;

/// Bytes of a file that are looked at before its lines are.
const HEAD_BYTES: u64 = 64 * 1024;

/// Pieces looked at before a file is called foreign: a few damaged lines must not hide a
/// transcript, and a log of millions of lines must not be read to its end.
const MAX_PIECES: usize = 200;

/// What a zip archive begins with: exports are downloaded as one.
const ARCHIVE_MAGIC: &[u8] = b"PK\x03\x04";

/// What a file seems to be.
pub(crate) enum Detected {
    /// A transcript, and how it is read.
    Known(&'static Spec, &'static Reader),
    /// Nothing yet: an empty file, or one that ends inside its first record, which then waits.
    Nothing(Option<Refusal>),
    /// Something else, and what was seen of it.
    Foreign(String),
}

/// Looks at the beginning of a file, as any format or as the one it is said to have.
pub(crate) fn detect(path: &Path, asked: Option<&'static Spec>) -> io::Result<Detected> {
    let mut head = Vec::new();
    open_text(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    if head.starts_with(ARCHIVE_MAGIC) {
        let what = "a zip archive; unpack it, and name the file in it, as conversations.json";
        return Ok(Detected::Foreign(what.to_owned()));
    }
    if Foreign::is_database(&head) {
        return Ok(detect_database(path, asked));
    }
    let text = String::from_utf8_lossy(&head);
    let head = Head::new(path, &text);
    for (spec, reader) in readers(asked) {
        if let Reader::Document(format) = reader
            && (format.is_own)(&head)
        {
            return Ok(Detected::Known(spec, reader));
        }
    }
    if let Some(spec) = asked {
        return Ok(as_asked(spec));
    }
    detect_lines(open_text(path)?, path)
}

/// Iterates over all ways to read a file, in the order in which they are tried.
fn readers(asked: Option<&'static Spec>) -> impl Iterator<Item = (&'static Spec, &'static Reader)> {
    FORMATS
        .iter()
        .filter(move |spec| asked.is_none_or(|asked| asked.format == spec.format))
        .flat_map(|spec| spec.readers.iter().map(move |reader| (spec, reader)))
}

/// Takes a file that looks like none as what it is said to be: as lines if the format has lines.
fn as_asked(spec: &'static Spec) -> Detected {
    let is_lines = |reader: &&Reader| matches!(reader, Reader::Lines(_));
    let is_text = |reader: &&Reader| !matches!(reader, Reader::Database(_));
    let reader = spec.readers.iter().find(is_lines);
    match reader.or_else(|| spec.readers.iter().find(is_text)) {
        Some(reader) => Detected::Known(spec, reader),
        None => Detected::Foreign(format!(
            "no database, and the transcripts of {} are databases",
            spec.format
        )),
    }
}

fn detect_database(path: &Path, asked: Option<&'static Spec>) -> Detected {
    let foreign = match Foreign::open(path) {
        Ok(foreign) => foreign,
        Err(error) => return Detected::Foreign(format!("a database that cannot be read: {error}")),
    };
    for (spec, reader) in readers(asked) {
        if let Reader::Database(format) = reader
            && (format.is_own)(&foreign)
        {
            return Detected::Known(spec, reader);
        }
    }
    foreign_file("a database with other tables")
}

/// Looks at the records of a file of lines.
fn detect_lines(source: impl Read, path: &Path) -> io::Result<Detected> {
    let mut framer = Framer::new(source, Position::start());
    let mut n_pieces = 0;
    let mut seen = None;
    let mut waits = None;
    while n_pieces < MAX_PIECES {
        let Some(frame) = framer.next()? else { break };
        match frame {
            Frame::Line(line) => {
                let (text, _) = line_text(line.bytes, line.offset);
                for piece in split_line(&text, |text| owner(text, path).is_some()) {
                    n_pieces += 1;
                    let Piece::Record { text, .. } = piece else {
                        continue;
                    };
                    if let Some((spec, reader)) = owner(text, path) {
                        return Ok(Detected::Known(spec, reader));
                    }
                    seen.get_or_insert_with(|| describe(text));
                }
            }
            Frame::Tail(line) => {
                let (text, _) = line_text(line.bytes, line.offset);
                let tail = split_tail(&text);
                for (_, text) in tail.records {
                    n_pieces += 1;
                    if let Some((spec, reader)) = owner(text, path) {
                        return Ok(Detected::Known(spec, reader));
                    }
                    seen.get_or_insert_with(|| describe(text));
                }
                if tail.is_pending
                    && let Item::Pending(rest) = pending(line, 0, line.bytes.len())
                {
                    waits = Some(rest);
                }
                let rest = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\0');
                if tail.is_pending && !rest.is_empty() && !rest.starts_with('{') {
                    n_pieces += 1;
                }
                break;
            }
            Frame::Oversized { .. } | Frame::OversizedTail { .. } => n_pieces += 1,
        }
    }
    if n_pieces == 0 {
        return Ok(Detected::Nothing(waits));
    }
    let seen = seen.unwrap_or_else(|| "none of its lines is a JSON object".to_owned());
    Ok(foreign_file(&seen))
}

/// Returns the format whose record a JSON object is. Where several hosts write the same, it is the one
/// that knows the file's name, else the first.
fn owner(record: &str, path: &Path) -> Option<(&'static Spec, &'static Reader)> {
    let is_own = |(_, reader): &(_, &Reader)| match reader {
        Reader::Lines(format) => (format.is_record)(record),
        Reader::Document(_) | Reader::Database(_) => false,
    };
    let is_at_home = |(spec, _): &(&Spec, _)| (spec.is_transcript_name)(path);
    let mut own = readers(None).filter(is_own);
    let first = own.next()?;
    let at_home = std::iter::once(first).chain(own).find(is_at_home);
    Some(at_home.unwrap_or(first))
}

fn foreign_file(seen: &str) -> Detected {
    Detected::Foreign(format!("{seen}; known formats: {}", Format::known()))
}

/// Names the fields of a foreign record, so that a person sees what the file is.
fn describe(text: &str) -> String {
    let Some(record) = Object::parse(text) else {
        return "its first object cannot be read".to_owned();
    };
    let names: Vec<String> = record
        .fields()
        .take(6)
        .map(|(name, _)| name.chars().take(24).filter(|c| !c.is_control()).collect())
        .collect();
    if names.is_empty() {
        return "its first object has no fields".to_owned();
    }
    format!("its first object has the fields {}", names.join(", "))
}
