//! Rung 2: which old tool results become a line, what is recorded of it, and who sees it.

mod doctor;
mod engine;
pub(crate) mod kit;
mod lines;
mod policy;
mod properties;
