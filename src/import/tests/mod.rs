//! Tests of the import that need no store.
