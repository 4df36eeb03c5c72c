//! The account of an import. Owns the sum in which each record has exactly one place.
//! May not print it.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::path::PathBuf;

use super::format::Format;
use crate::domain::SessionKey;

/// Refusals that are listed for one file; all of them are counted.
const MAX_LISTED_REFUSALS: usize = 1_000;

/// What became of the records of one file, or of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Records read in this run: non-blank lines, and each piece of a damaged one.
    pub records: u64,
    /// Records that gave or joined a message of the talk.
    pub stored: u64,
    /// Records that are no talk, whether their words were kept as a meta row or they had none.
    pub meta: u64,
    /// Records that were there before, here or in a conversation they were copied from.
    pub duplicate: u64,
    /// Of those, records whose message came from elsewhere than this file: it names them as copies.
    pub copies: u64,
    /// Records that could not be read.
    pub refused: u64,
    /// Unfinished last lines; each is read again when its file has grown.
    pub pending: u64,
    /// Rows that say in other words what a row stored before says under the same id: both are kept.
    pub edited: u64,
    /// Messages that the stored records make: a record that continues one adds none, and one that
    /// holds an answer with its calls and their results adds several.
    pub messages: u64,
    /// The model's output tokens as the records give them, counted once for each message.
    pub output_tokens: u64,
    /// All tokens, those of requests included, where a host counts them for the whole session.
    pub total_tokens: u64,
}

impl Counts {
    /// Returns whether each record fell in exactly one place.
    #[must_use]
    pub const fn balances(&self) -> bool {
        self.records == self.stored + self.meta + self.duplicate + self.refused + self.pending
            && self.copies <= self.duplicate
            && (self.messages == 0 || self.stored > 0)
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.records += other.records;
        self.stored += other.stored;
        self.meta += other.meta;
        self.duplicate += other.duplicate;
        self.copies += other.copies;
        self.refused += other.refused;
        self.pending += other.pending;
        self.edited += other.edited;
        self.messages += other.messages;
        self.output_tokens += other.output_tokens;
        self.total_tokens += other.total_tokens;
    }
}

/// A piece of a file that could not be read, or not yet.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// Its line, from 1.
    pub line: u64,
    /// Its first byte in the file.
    pub offset: u64,
    /// Why, as a lower-case fragment.
    pub reason: String,
}

/// Why a file could not be imported at all, or not to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// There is no such path.
    NotFound,
    /// It could not be read, or not further.
    Unreadable {
        /// Why, in the system's words.
        reason: String,
    },
    /// It is no transcript of a known format.
    Foreign {
        /// What was seen, and which formats are known.
        reason: String,
    },
}

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileAccount {
    /// The file, as found.
    pub path: PathBuf,
    /// Its format; none for a foreign, empty or unreadable file.
    pub format: Option<Format>,
    /// The conversation of its first record, where one is known.
    pub conversation: Option<SessionKey>,
    /// What became of its records.
    pub counts: Counts,
    /// Its refused pieces, the first thousand of them.
    pub refusals: Vec<Refusal>,
    /// Its unfinished last line.
    pub pending: Option<Refusal>,
    /// Why it was not imported, or not to its end.
    pub problem: Option<Problem>,
    /// Bytes of it that were read as records; a fingerprinted prefix is not counted.
    pub bytes_read: u64,
}

impl FileAccount {
    /// Begins the account of a file.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            format: None,
            conversation: None,
            counts: Counts::default(),
            refusals: Vec::new(),
            pending: None,
            problem: None,
            bytes_read: 0,
        }
    }

    /// Begins the account of a file that cannot be imported.
    pub(crate) fn with_problem(path: PathBuf, problem: Problem) -> Self {
        let mut account = Self::new(path);
        account.problem = Some(problem);
        account
    }

    /// Counts a refused piece.
    pub(crate) fn refuse(&mut self, refusal: Refusal) {
        self.counts.records += 1;
        self.counts.refused += 1;
        self.list(refusal);
    }

    /// Lists a refused piece.
    pub(crate) fn list(&mut self, refusal: Refusal) {
        if self.refusals.len() < MAX_LISTED_REFUSALS {
            self.refusals.push(refusal);
        }
    }

    /// Counts an unfinished last line.
    pub(crate) fn leave_pending(&mut self, rest: Refusal) {
        self.counts.records += 1;
        self.counts.pending += 1;
        self.pending = Some(rest);
    }
}

/// What became of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ImportAccount {
    /// One entry for each file met, in order.
    pub files: Vec<FileAccount>,
    /// Symbolic links inside the folders given. They are not followed, so that a folder cannot
    /// lead out of itself.
    pub links: Vec<PathBuf>,
    /// Files that hold only copies of what a session beside them holds. They are not read.
    pub siblings: Vec<PathBuf>,
    /// Files inside the folders given that no name of a transcript fits, counted by folder. They
    /// are not looked at.
    pub skipped: BTreeMap<PathBuf, usize>,
    /// The sum over all files.
    pub totals: Counts,
}

impl ImportAccount {
    /// Adds a file.
    pub(crate) fn push(&mut self, file: FileAccount) {
        self.totals += file.counts;
        self.files.push(file);
    }

    /// Adds a later import of the same files: what was pending then was read again.
    pub fn absorb(&mut self, later: Self) {
        for file in later.files {
            let known = self.files.iter_mut().find(|known| known.path == file.path);
            let Some(known) = known else {
                self.files.push(file);
                continue;
            };
            known.counts.records -= known.counts.pending;
            known.counts.pending = 0;
            known.counts += file.counts;
            known.bytes_read += file.bytes_read;
            known.format = file.format.or(known.format);
            known.conversation = file.conversation.or_else(|| known.conversation.take());
            let room = MAX_LISTED_REFUSALS.saturating_sub(known.refusals.len());
            known.refusals.extend(file.refusals.into_iter().take(room));
            known.pending = file.pending;
            known.problem = file.problem;
        }
        self.links = later.links;
        self.siblings = later.siblings;
        self.skipped = later.skipped;
        self.totals = Counts::default();
        for file in &self.files {
            self.totals += file.counts;
        }
    }

    /// Returns whether each record of each file fell in exactly one place and the totals are their
    /// sum.
    #[must_use]
    pub fn balances(&self) -> bool {
        let mut sum = Counts::default();
        for file in &self.files {
            sum += file.counts;
        }
        sum == self.totals && self.files.iter().all(|file| file.counts.balances())
    }

    /// Returns whether something was refused, foreign or unreadable. A pending tail is no fault.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.totals.refused > 0 || self.files.iter().any(|file| file.problem.is_some())
    }
}
