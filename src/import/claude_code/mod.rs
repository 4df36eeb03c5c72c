//! Claude Code's JSON lines. Owns what each of its records means.
//! May not read files or know what is stored.

mod entry;
mod noise;
mod parts;
mod place;
mod shape;
mod user;

pub(crate) use entry::{Body, Entry, Side, Title, read};
pub(crate) use place::{Place, is_same_kind, session_key};
pub(crate) use shape::looks_like_record;
