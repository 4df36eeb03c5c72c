//! The order of what was found. Owns the score and its constants.
//! May not decide what is found: `policy/pattern` does.

mod score;
mod smooth;
mod turns;

#[cfg(test)]
mod tests;

pub use score::{Stats, score};
pub use smooth::{Place, Spread, smooth};
pub use turns::take_turns;
