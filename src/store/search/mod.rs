//! Questions to the record. Owns how rows are proposed: by index, by scan, by id.
//! May not decide a match: every row that may match is proposed, the caller decides on its text.
//! A damaged row is named and passed over.

mod beside;
mod check;
mod find;
mod frequency;
mod heads;
mod look;
mod match_text;
mod matching;
mod newest;
mod pieces;
mod ranges;
mod scan;
#[cfg(test)]
mod tests;

pub use find::{CANDIDATES_AT_MOST, CandidateOrder, Found};
pub use look::Look;
pub use newest::{NewestBy, Verdict, Walked, Wants};
