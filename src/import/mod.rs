//! Transcripts in. Owns how files of other hosts become messages, and the account of it.
//! May not print, speak SQL, or make summaries: an imported conversation is compacted when used.

mod account;
mod claude_code;
mod detect;
mod driver;
mod format;
mod frame;
mod json;
mod resolve;
mod source;
mod split;
mod state;
mod target;
#[cfg(test)]
mod tests;
mod walk;

pub use account::{Counts, FileAccount, ImportAccount, Problem, Refusal};
pub use driver::{ImportError, ImportMode, ImportOptions, Progress, import_paths};
pub use format::{Format, FormatError};
