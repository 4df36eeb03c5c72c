//! `install` and `uninstall`: what a coding agent is told of hippocamp. Owns the edits of its files.
//! May not write them anew: what others wrote there stays as it is, byte for byte.

mod diff;
mod edit;
mod entry;
mod file;
mod hooks;
mod place;
mod quote;
mod run;
mod scan;
mod servers;
#[cfg(test)]
mod tests;

pub(crate) use run::{Task, run};
