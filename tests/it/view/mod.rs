//! Views over made-up stores: what is shown, what is left out, and that nothing is broken.

mod budget;
mod cases;
mod check;
mod ladder;
mod pins;
mod properties;
mod talk;
pub(crate) mod world;
