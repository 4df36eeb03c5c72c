//! Rung 2. Owns which old tool results become a line, and when that is worth a changed prompt.
//! May not read or write a row, and never touches a call: its result stays where it was.
//!
//! Past the soft limit every old result goes at once, so that the prompt changes seldom. The newest
//! ones before the model's newest message stay, and all after it, which the model has not read.
//! Nothing is done for less than [`Limits::clear_least`](super::limits::Limits::clear_least).

mod find;
mod plan;

pub use find::{Candidates, Room, candidates};
pub(in crate::policy) use find::{Found, results_of};
pub(in crate::policy) use plan::tool_of;
pub use plan::{apply, plan_clear};
