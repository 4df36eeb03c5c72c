//! Files read whole. Owns their text, where a piece of it lies, and the fingerprint by which an
//! unchanged file is passed over. May not know a format.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::OnceLock;

use serde_json::value::RawValue;

use super::account::{FileAccount, Problem, Refusal};
use super::batch::{Item, draft};
use super::entry::Location;
use super::intake::{Intake, unreadable};
use super::json::{self, Kind};
use super::spec::{DatabaseFormat, DocumentFormat, Piece, Pieces, Unread};
use super::state::ReadState;
use super::target::Saved;
use super::unpack::open_text;
use crate::engine::EngineError;
use crate::store::Foreign;

/// The largest text file that is read whole.
const MAX_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// How many times its size a packed file may become: what people write and programs print becomes
/// ten to fifty times, and a small file made to fill the memory many thousand times.
const MAX_EXPANSION: u64 = 200;

/// What a packed file may become whatever its size.
const SMALL_BYTES: u64 = 16 * 1024 * 1024;

/// Records that are judged and written together.
const MAX_RECORDS: usize = 1_000;

/// Bytes of records after which those so far are written.
const MAX_BATCH_BYTES: usize = 16 * 1024 * 1024;

/// Bytes after which the lines before are noted, so that none is counted twice.
const STRIDE: usize = 64 * 1024;

/// A text file in memory.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    text: &'a str,
    /// Bytes of a byte order mark before it.
    mark: usize,
    /// Lines begun before each stride of bytes.
    lines: OnceLock<Vec<u64>>,
}

impl<'a> Document<'a> {
    /// Takes the text of a file. A byte order mark is no part of it.
    pub(crate) fn new(file: &'a str) -> Self {
        let text = file.trim_start_matches('\u{feff}');
        Self {
            text,
            mark: file.len() - text.len(),
            lines: OnceLock::new(),
        }
    }

    /// Returns all of it.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Reads the text as one JSON value.
    ///
    /// # Errors
    /// [`Unread`] says whether it ends too early or where it is damaged.
    pub(crate) fn json(&self) -> Result<&'a RawValue, Unread> {
        serde_json::from_str(self.text).map_err(|error| {
            if error.is_eof() {
                return Unread::CutShort;
            }
            let line = u64::try_from(error.line()).unwrap_or(u64::MAX);
            Unread::Malformed(Refusal {
                line,
                offset: 0,
                reason: format!("not one JSON document: {error}"),
            })
        })
    }

    /// Reads the text as a JSON list and returns its members; any other value is its own only one.
    ///
    /// # Errors
    /// As [`Document::json`].
    pub(crate) fn members(&self) -> Result<Vec<&'a RawValue>, Unread> {
        let root = self.json()?;
        Ok(match json::kind(root.get()) {
            Kind::Array => json::elements(root.get()).unwrap_or_default(),
            _ => vec![root],
        })
    }

    /// Returns where a piece of the text lies.
    pub(crate) fn location(&self, piece: &str) -> Location {
        let first = piece.as_ptr().addr() - self.text.as_ptr().addr();
        self.location_at(first, piece.len())
    }

    /// As [`Document::location`], by the first byte.
    pub(crate) fn location_at(&self, first: usize, length: usize) -> Location {
        let bytes = self.text.as_bytes();
        let lines = self.lines.get_or_init(|| {
            let mut n_lines = 0;
            let strides = bytes.chunks(STRIDE).map(|chunk| {
                let before = n_lines;
                n_lines += count_lines(chunk);
                before
            });
            strides.collect()
        });
        let stride = first / STRIDE;
        let before = lines.get(stride).copied().unwrap_or_default();
        let rest = bytes.get(stride * STRIDE..first).unwrap_or_default();
        Location {
            offset: to_count(self.mark + first),
            length: to_count(length),
            line: before + count_lines(rest) + 1,
        }
    }
}

fn count_lines(bytes: &[u8]) -> u64 {
    to_count(memchr::memchr_iter(b'\n', bytes).count())
}

fn to_count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// Imports a text file that is read whole.
///
/// # Errors
/// The engine's. A file that cannot be read is no error: its account says so.
pub(super) async fn import_document(
    mut intake: Intake<'_, '_>,
    path: &Path,
    format: DocumentFormat,
    moved: &mut (dyn FnMut(u64) + Send),
) -> Result<FileAccount, EngineError> {
    let bytes = match read_whole(path) {
        Ok(bytes) => bytes,
        Err(error) => return Ok(intake.fail(unreadable(&error))),
    };
    let print = *blake3::hash(&bytes).as_bytes();
    if intake.is_unchanged(print).await? {
        return Ok(intake.finish());
    }
    let text = String::from_utf8_lossy(&bytes);
    let document = Document::new(&text);
    let saved = Saved {
        offset: to_count(bytes.len()),
        lines: count_lines(&bytes),
        prefix: print,
        state: String::new(),
    };
    match (format.read)(&document, path) {
        Ok(pieces) => run(&mut intake, pieces, saved, moved).await?,
        Err(unread) => intake.take_unread(unread),
    }
    Ok(intake.finish())
}

fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let on_disk = fs::metadata(path)?.len();
    let unpacked = on_disk.saturating_mul(MAX_EXPANSION).max(SMALL_BYTES);
    let most = unpacked.min(MAX_BYTES);
    let file = open_text(path)?;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if to_count(bytes.len()) > most {
        let words = format!("longer than the {most} bytes that are read whole");
        return Err(io::Error::other(words));
    }
    Ok(bytes)
}

/// Imports a database, from one snapshot of it.
///
/// # Errors
/// As for [`import_document`].
pub(super) async fn import_database(
    mut intake: Intake<'_, '_>,
    path: &Path,
    format: DatabaseFormat,
    moved: &mut (dyn FnMut(u64) + Send),
) -> Result<FileAccount, EngineError> {
    // Before the snapshot: what is written between the two is read again then, never passed over.
    let (print, n_bytes) = match Foreign::fingerprint(path) {
        Ok(print) => print,
        Err(error) => return Ok(intake.fail(unreadable(&error))),
    };
    if intake.is_unchanged(print).await? {
        return Ok(intake.finish());
    }
    let foreign = match Foreign::open(path) {
        Ok(foreign) => foreign,
        Err(error) => {
            let reason = error.to_string();
            return Ok(intake.fail(Problem::Unreadable { reason }));
        }
    };
    let saved = Saved {
        offset: n_bytes,
        lines: 0,
        prefix: print,
        state: String::new(),
    };
    let earlier = intake.remembered().await?;
    match (format.read)(foreign, path, &earlier) {
        Ok(pieces) => run(&mut intake, pieces, saved, moved).await?,
        Err(unread) => intake.take_unread(unread),
    }
    Ok(intake.finish())
}

/// Takes all records of a file, and says at its end that it was read.
async fn run(
    intake: &mut Intake<'_, '_>,
    mut pieces: Pieces<'_>,
    saved: Saved,
    moved: &mut (dyn FnMut(u64) + Send),
) -> Result<(), EngineError> {
    loop {
        let mut items = Vec::new();
        let mut n_bytes = 0;
        let mut is_last = true;
        for piece in pieces.by_ref() {
            items.push(match piece {
                Piece::Remember(text) => {
                    intake.state_mut().reader = text;
                    continue;
                }
                Piece::Refused(refusal) => Item::Refused(refusal),
                Piece::Record {
                    location,
                    text,
                    entries,
                } => {
                    n_bytes += text.len();
                    let bytes = text.as_bytes();
                    draft(location, &text, bytes, entries, intake.state_mut())
                }
            });
            if items.len() == MAX_RECORDS || n_bytes >= MAX_BATCH_BYTES {
                is_last = false;
                break;
            }
        }
        if let Some(Item::Record(drafts)) = items.last()
            && let Some(last) = drafts.last()
        {
            moved(last.location.offset.min(saved.offset));
        }
        intake.take_all(items).await?;
        if is_last {
            break;
        }
        intake.write(intake.saved()).await?;
    }
    moved(saved.offset);
    intake.account_mut().bytes_read = saved.offset;
    let state = intake.state_mut().to_json();
    intake.write(Saved { state, ..saved }).await
}

impl Intake<'_, '_> {
    /// Returns whether an earlier import read the file to its end as it is now.
    async fn is_unchanged(&self, print: [u8; 32]) -> Result<bool, EngineError> {
        let checkpoint = self.checkpoint().await?;
        let format = self.format();
        Ok(checkpoint.is_some_and(|checkpoint| {
            checkpoint.offset > 0
                && checkpoint.prefix == print
                && ReadState::from_json(&checkpoint.state, format).is_some()
        }))
    }

    /// Returns what the reader of an earlier import that came to the end wished to be remembered.
    async fn remembered(&self) -> Result<String, EngineError> {
        let checkpoint = self.checkpoint().await?;
        let whole = checkpoint.filter(|checkpoint| checkpoint.offset > 0);
        let state = whole.and_then(|it| ReadState::from_json(&it.state, self.format()));
        Ok(state.map(|state| state.reader).unwrap_or_default())
    }

    /// Counts a file of which no record could be told from another.
    fn take_unread(&mut self, unread: Unread) {
        match unread {
            Unread::CutShort => self.account_mut().leave_pending(Refusal {
                line: 1,
                offset: 0,
                reason: "an unfinished file; it is read again when it has changed".to_owned(),
            }),
            Unread::Malformed(refusal) => self.account_mut().refuse(refusal),
        }
    }
}
