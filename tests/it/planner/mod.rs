//! The planners alone, against a store of rows in memory.

mod cases;
mod history;
mod oracle;
mod properties;
mod sim;
