//! The planners alone, against a store of rows in memory.

mod ahead;
mod checks;
mod history;
mod leaf_cases;
mod oracle;
mod properties;
mod sim;
mod talks;
mod tree_cases;
