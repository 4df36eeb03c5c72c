//! All integration tests in one binary. Fails if a file here is not declared.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at the first thing that is wrong"
)]

mod pattern_sets;
mod patterns;
mod shared;
