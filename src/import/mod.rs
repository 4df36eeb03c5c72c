//! Transcripts in. Owns how files of other hosts become messages, and the account of it.
//! May not print, speak SQL, or make summaries: an imported conversation is compacted when used.
//!
//! # A file's way in
//!
//! `walk` finds files, `detect` asks the formats of `table` whose a file is, `lines` or `document`
//! reads it as that format's `Reader` says, `batch` gives each row its key, `resolve`
//! judges it, `intake` writes rows and checkpoint together and keeps the account.
//!
//! # Adding a format
//!
//! One folder and one line in `table`, which is in the order of trying; names of all formats are in
//! `format` already. The folder's `mod.rs` holds a `Spec`:
//!
//! - **Lines** (a file that only grows): `is_record` tells this host's JSON objects from those of all
//!   others; `open` makes a `LineReader`, whose `read` turns one record into rows (`Entry`):
//!   none, one, or several. What it must know of earlier records it keeps in fields and gives back as
//!   text from `state`; that goes into the checkpoint, so it must stay small.
//! - **Document** (read whole, again whenever it has changed): `is_own` looks at the beginning
//!   (`Head`), `read` gives an iterator of records, each with its place
//!   (`Document::location` of any piece of the text) and its text.
//! - **Database**: `is_own` looks at tables and columns, `read` gets a snapshot
//!   ([`Foreign`](crate::store::Foreign)) and gives the same iterator; a row's id is its `offset`.
//!
//! An entry's `id` is its key: the same id in the same session is the same record, and one that says
//! something else then is kept beside the first and counted as edited. Without an id, a row is known
//! by its record's text and how often that has come. Rows that make one message share
//! `provenance.joins`. Injected context, notes of the host and withdrawn messages are meta rows;
//! records without words are `Entry::silent`, which may still carry session, directory and title.
//! A session id may hold no `/`: that is where a sub-agent's id begins.
//!
//! # A record's hash
//!
//! Each row keeps its record's place and SHA-256. In a file of lines they are of the bytes from the
//! record's first to its last, as they stand in the file (unpacked, if it is packed): the whole line
//! but for the blanks around it and its end, unless damage put several records into one. In a file
//! read whole they are of the record's text in the document's, which is the file's bytes unless those
//! are no UTF-8. In a database it is of a row's JSON: of the `data`, `event_json` or unpacked
//! `event_zstd` that the host wrote, of `[session, role, content_json, milliseconds]` for Goose, of a
//! message's columns and those of its parts for `PicoClaw`.
//!
//! # Copies
//!
//! A record that is stored from another file gives no row: the row names the file as its copy, once
//! (`intake::copies`), in the batch's transaction. That goes for all that is judged a duplicate:
//! resumed and forked sessions, replays (also under new ids: `intake::replayed`), files under another name, exports made anew, what a host
//! keeps in lines and in a database. In the row's own file only a mirror is named, a record whose
//! entry has `mirrors` (a delivered answer, what a host copies into its own summary): any other is
//! there again because the file is read again. Two streams of one
//! file that say all twice by design are no copies of each other. A copy in other words is a row.

mod account;
mod aider;
mod batch;
mod chat_content;
mod chatgpt;
mod checkpoint;
mod claude_ai;
mod claude_code;
mod codex;
mod column;
mod detect;
mod digest;
mod document;
mod driver;
mod entry;
mod format;
mod frame;
mod gemini_cli;
mod goose;
mod intake;
mod json;
mod key;
mod kimi;
mod ledger;
mod lines;
mod openclaw;
mod opencode;
mod openhands;
mod pi;
mod picoclaw;
mod places;
mod prefix;
mod replays;
mod resolve;
mod sniff;
mod spec;
mod split;
mod state;
mod swe_agent;
mod table;
mod target;
#[cfg(test)]
mod tests;
mod tree;
mod twins;
mod unpack;
mod walk;
mod watch;

pub use account::{Counts, FileAccount, ImportAccount, Problem, Refusal};
pub use driver::{ImportError, ImportMode, ImportOptions, Progress, import_paths};
pub use format::{Format, FormatError};
pub use places::{KnownPlace, known_places};
pub use prefix::Recheck;
pub use watch::Watch;
