//! What a format tells the import. Owns the shape of a format's own line in the table of formats.
//! May not read a file.

use std::path::Path;

use super::account::Refusal;
use super::document::Document;
use super::entry::{Entry, Location};
use super::format::Format;
use super::key::Place;
use super::places::Whereabouts;
use super::sniff::Head;
use crate::store::{Foreign, ForeignError};

/// All that the import knows of a format.
pub(crate) struct Spec {
    /// Its name.
    pub(crate) format: Format,
    /// How its conversations are called.
    pub(crate) keys: Keys,
    /// How its files are read: one reader for each kind of file it writes.
    pub(crate) readers: &'static [Reader],
    /// Reads what a file's path says of its records.
    pub(crate) place: fn(&Path) -> Place,
    /// Returns whether a file met in a folder is worth a look by its name. Files that end in
    /// `.jsonl` are looked at without being asked for.
    pub(crate) is_transcript_name: fn(&Path) -> bool,
    /// Returns whether a file holds, by its name, only copies of what the file beside it holds.
    pub(crate) is_sibling_name: fn(&Path) -> bool,
    /// Where its files lie on a machine.
    pub(crate) places: &'static [Whereabouts],
}

/// How conversations of a format are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    /// `<format>:<session id>`.
    Prefixed,
    /// The host's own key, as it is.
    Own,
}

/// A way to read files.
#[derive(Clone, Copy)]
pub(crate) enum Reader {
    /// Files of JSON lines, which only grow.
    Lines(LineFormat),
    /// Text files that are read whole.
    Document(DocumentFormat),
    /// `SQLite` databases.
    Database(DatabaseFormat),
}

/// A file of JSON lines.
#[derive(Clone, Copy)]
pub(crate) struct LineFormat {
    /// Returns whether a JSON object is a record of this format: its files are told by it from
    /// others, and a record behind the stub of another is found by it.
    pub(crate) is_record: fn(&str) -> bool,
    /// Begins to read a file, from its start or from what an earlier reader of it remembered.
    pub(crate) open: fn(&Path, Option<&str>) -> Box<dyn LineReader>,
}

/// Reads the records of one file, in order.
pub(crate) trait LineReader: Send {
    /// Reads one record: its rows, or one silent entry, or nothing at all.
    ///
    /// # Errors
    /// A lower-case fragment that says why it is none.
    fn read(&mut self, record: &str, location: Location) -> Result<Vec<Entry>, String>;

    /// Returns what a later reader of the same file must know of the records before it. It must
    /// not grow with the file.
    fn state(&self) -> String {
        String::new()
    }
}

/// The records of a file that is read whole.
pub(crate) type Pieces<'a> = Box<dyn Iterator<Item = Piece> + Send + 'a>;

/// A text file that is read whole.
#[derive(Clone, Copy)]
pub(crate) struct DocumentFormat {
    /// Returns whether a file that begins so is one.
    pub(crate) is_own: fn(&Head<'_>) -> bool,
    /// Reads its records.
    pub(crate) read: for<'a> fn(&'a Document<'a>, &Path) -> Result<Pieces<'a>, Unread>,
}

/// A database.
#[derive(Clone, Copy)]
pub(crate) struct DatabaseFormat {
    /// Returns whether a database with these tables is one.
    pub(crate) is_own: fn(&Foreign) -> bool,
    /// Reads its records, given what the reader before wished to be remembered: nothing, if none
    /// came to the end.
    pub(crate) read: fn(Foreign, &Path, &str) -> Result<Pieces<'static>, Unread>,
}

/// One record of a file that is read whole.
pub(crate) enum Piece {
    /// A record.
    Record {
        /// Where it lies.
        location: Location,
        /// Its text, by which entries without an id are known and of which the hash is kept: of a
        /// document the piece at its location, of a database what it says, as JSON.
        text: String,
        /// What it gives.
        entries: Vec<Entry>,
    },
    /// One that could not be read.
    Refused(Refusal),
    /// No record: what a later reader of the same database is given. It must be small.
    Remember(String),
}

impl Piece {
    /// Makes the piece of a part of a text that is no record.
    pub(crate) fn refused(location: Location, reason: &str) -> Self {
        Self::Refused(Refusal {
            line: location.line,
            offset: location.offset,
            reason: reason.to_owned(),
        })
    }
}

/// Why a file that is read whole could not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It ends too early: it is being written.
    CutShort,
    /// It is damaged.
    Malformed(Refusal),
}

impl Piece {
    /// Makes the piece of rows that could not be read.
    pub(crate) fn broken(offset: u64, reason: String) -> Self {
        let line = 0;
        Self::Refused(Refusal {
            line,
            offset,
            reason,
        })
    }
}

impl Unread {
    /// Makes the end of a database that could not be read.
    pub(crate) fn broken(error: &ForeignError) -> Self {
        let (line, offset) = (0, 0);
        let reason = error.to_string();
        Self::Malformed(Refusal {
            line,
            offset,
            reason,
        })
    }
}
