//! What other engines do to keep a context small, each as this engine does it. The names in the
//! tests are those of the field's list; what the design decides otherwise is said at the test.

mod bodies;
mod control;
mod covered;
mod outcomes;
mod pairs;
mod record;
#[cfg(feature = "cli")]
mod status;
mod steps;
mod triggers;
