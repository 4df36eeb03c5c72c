//! The planners alone, against a store of rows in memory.

mod ahead;
mod checks;
mod history;
mod leaf_cases;
mod oracle;
mod properties;
pub(crate) mod sim;
mod soft;
mod talks;
mod tree_cases;
