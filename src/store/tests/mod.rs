//! Tests of the room.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may")]

mod kit;
mod tree;
