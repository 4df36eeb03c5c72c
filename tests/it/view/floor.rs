//! The floor.
