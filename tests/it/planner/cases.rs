//! Named inputs.
