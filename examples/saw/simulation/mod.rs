//! A long session of an agent with tools, turn by turn through the engine, and what it cost.
//! Shared by the example and the test; knows only the public interface.

mod clock;
mod figures;
mod model;
mod plot;
mod random;
mod run;
mod table;
mod talk;
#[cfg(test)]
mod tests;
mod texts;
mod view;

pub(crate) use plot::plot;
pub(crate) use run::{Mode, Setup, Simulated, Writer, simulate};
pub(crate) use table::{row, table};
