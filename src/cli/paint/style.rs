//! The few styles there are. Whether they reach the terminal is decided where text is written.

use std::fmt;

use anstyle::{AnsiColor, Style};

/// What matters less.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What matters more.
pub(crate) const STRONG: Style = Style::new().bold();
/// A piece that matches a search.
pub(crate) const HIT: Style = AnsiColor::Yellow.on_default().bold();
/// All is well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Something is wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// Returns `text` in a style.
pub(crate) fn painted(style: Style, text: impl fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}
