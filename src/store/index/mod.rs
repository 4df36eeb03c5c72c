//! The search index's upkeep. Owns the mark, the steps that move it, and the runs of times.
//! May not cut words: ready tokens come in.

mod mark;
mod read;
mod step;
#[cfg(test)]
mod tests;
mod time_run;
mod write;

pub use mark::{IndexMark, IndexTotals};
pub use read::IndexBatch;
pub use step::{IndexOutcome, IndexStep, IndexWork, STEP_BYTES, STEP_ROWS};

pub(super) use mark::{MarkRow, Words, averages, broken, read_mark, varint};
pub(super) use time_run::{runs_later_than, runs_of_messages, runs_of_summaries};
pub(super) use write::{DAMAGED, index_rows, is_level};
