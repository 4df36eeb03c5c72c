//! What is measured on: made up from a seed, the same whoever asks, and never all in memory.

pub(crate) mod queries;
mod random;
mod talk;
mod text;
pub(crate) mod transcripts;
mod words;

pub(crate) use talk::{Corpus, Role, Said, Talk, session};
pub(crate) use words::Words;
