//! A bar for work whose steps are counted, on a terminal only.

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::terminal::{Form, Talk, shows_progress};

/// Makes a bar of steps; hidden where nobody would see it.
pub(super) fn steps(form: Form, talk: Talk) -> ProgressBar {
    if !shows_progress(form, talk) {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {human_pos}/{human_len}") {
        bar.set_style(style);
    }
    bar
}
