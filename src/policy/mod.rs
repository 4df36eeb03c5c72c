//! Decisions. Pure: values in, values out.
//! May not see SQL, a clock, a task or a log; knows only the domain.

pub mod assemble;
pub mod carry;
pub mod clear;
pub mod condense;
pub mod cut;
pub mod effect;
pub mod extract;
pub mod judge;
pub mod language;
pub mod leaf;
pub mod limits;
pub mod overflow;
pub mod pattern;
pub mod pin;
pub mod prompt;
pub mod rank;
pub mod recount;
pub mod redact;
pub mod repair;
pub mod request;
pub mod until_under;
