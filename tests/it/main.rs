//! All integration tests in one binary. Fails if a file here is not declared.
