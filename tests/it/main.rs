//! All integration tests in one binary. Fails if a file here is not declared.
#![cfg(test)]
#![expect(
    clippy::disallowed_methods,
    reason = "tests look for the shared folder, damage files and start processes"
)]

mod planner;
mod shared;
mod view;
