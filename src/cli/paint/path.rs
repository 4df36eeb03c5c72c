//! Paths as people read them: the end of a path says most.

use std::path::Path;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// How paths are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathForm<'a> {
    /// As they are, for programs that read the text.
    Whole,
    /// For a terminal: the home folder is `~`, and a long path is cut from the left.
    Short {
        /// The home folder, if there is one.
        home: Option<&'a Path>,
    },
}

impl PathForm<'_> {
    /// Returns a line that shows a path; a short one has at most so many columns.
    pub(crate) fn show(self, path: &str, columns: usize) -> String {
        match self {
            Self::Whole => path.to_owned(),
            Self::Short { home } => fitted_left(&with_tilde(path, home), columns),
        }
    }
}

fn with_tilde(path: &str, home: Option<&Path>) -> String {
    let inside = home
        .filter(|home| home.parent().is_some())
        .and_then(|home| Path::new(path).strip_prefix(home).ok());
    match inside.and_then(Path::to_str) {
        Some("") => "~".to_owned(),
        Some(rest) => format!("~{}{rest}", std::path::MAIN_SEPARATOR),
        None => path.to_owned(),
    }
}

/// Returns as much of the end of a line as `columns` hold; a mark says that it begins before.
fn fitted_left(line: &str, columns: usize) -> String {
    if line.width() <= columns {
        return line.to_owned();
    }
    let mut n_left = columns.saturating_sub(1);
    let mut kept: Vec<&str> = Vec::new();
    for cluster in line.graphemes(true).rev() {
        let width = cluster.width();
        if width > n_left {
            break;
        }
        n_left -= width;
        kept.push(cluster);
    }
    kept.push("…");
    kept.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_short(path: &str, columns: usize, want: &str) {
        let home = Some(Path::new("/home/ada"));
        assert_eq!(PathForm::Short { home }.show(path, columns), want);
    }

    #[test]
    fn a_path_is_cut_from_the_left_and_begins_at_home() {
        check_short("/home/ada/shop", 20, "~/shop");
        check_short("/home/ada", 20, "~");
        check_short("/home/adam/shop", 20, "/home/adam/shop");
        check_short("/srv/harbour/a.jsonl", 20, "/srv/harbour/a.jsonl");
        check_short("/srv/harbour/a.jsonl", 10, "…r/a.jsonl");
        check_short("/srv/用户", 4, "…户");
        check_short("/srv", 0, "…");
    }

    #[test]
    fn a_whole_path_stays_and_the_root_is_no_home() {
        let path = "/home/ada/shop";
        assert_eq!(PathForm::Whole.show(path, 4), path);
        let home = Some(Path::new("/"));
        assert_eq!(PathForm::Short { home }.show(path, 20), path);
        assert_eq!(PathForm::Short { home: None }.show(path, 20), path);
    }
}
