//! Text for people: tables, trees, curves, times, sizes. Owns how things look.
//! May not fetch anything: values in, text out.

mod curve;
mod fitted;
mod number;
mod path;
mod safe;
mod style;
mod table;
mod tree;
mod when;

pub(crate) use curve::{Frame, curve};
pub(crate) use fitted::fitted;
pub(crate) use number::{bytes, count, counted, place};
pub(crate) use path::PathForm;
pub(crate) use safe::{escape_json, safe_key, safe_line};
pub(crate) use style::{BAD, DIM, GOOD, HIT, STRONG, painted};
pub(crate) use table::{Align, Column, table};
pub(crate) use tree::{tree, tree_size};
pub(crate) use when::{ago, moment};

/// Appends formatted text to a `String`, which cannot fail.
macro_rules! push {
    ($text:expr, $($arguments:tt)*) => {{
        use std::fmt::Write as _;
        let _ = write!($text, $($arguments)*);
    }};
}
pub(crate) use push;
