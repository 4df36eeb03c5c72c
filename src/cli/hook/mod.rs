//! `hook`: what a coding agent calls at its events. Owns the promise that nothing of it blocks or
//! breaks the host: it ends in time, with 0, and prints an answer of the host's form or nothing.
//! May not summarise: no model is asked while a host waits.

mod event;
mod files;
mod ingest;
mod log;
mod recall;
mod run;
mod size_limit;
#[cfg(test)]
mod tests;

pub(crate) use run::{misused, run};
