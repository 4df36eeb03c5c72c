//! The order of what was found. Owns the score and its weights.
//! May not decide what is found: `policy/pattern` does.

mod beside;
mod list;
mod score;
mod sitting;
mod turns;
mod weights;

#[cfg(test)]
mod tests;

pub use list::{Entry, Question, ranks, score};
pub use score::Stats;
pub use sitting::Place;
pub use turns::take_turns;
pub use weights::{EARLY_WORDS, REACH, Weights};
