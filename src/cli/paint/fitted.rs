//! Text cut to a number of columns, clusters of characters whole.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Returns as much of a line as `columns` hold; a mark says that it goes on.
pub(crate) fn fitted(line: &str, columns: usize) -> String {
    if line.width() <= columns {
        return line.to_owned();
    }
    let mut text = String::new();
    let mut n_left = columns.saturating_sub(1);
    for cluster in line.graphemes(true) {
        let width = cluster.width();
        if width > n_left {
            break;
        }
        n_left -= width;
        text.push_str(cluster);
    }
    text.truncate(text.trim_end().len());
    text.push('…');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_takes_no_more_columns_than_there_are() {
        for (line, columns, want) in [
            ("short", 5, "short"),
            ("too long", 7, "too lo…"),
            ("to cut", 4, "to…"),
            ("用户身份", 8, "用户身份"),
            ("用户身份", 7, "用户身…"),
            ("用户身份", 6, "用户…"),
            ("👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"),
            ("", 0, ""),
        ] {
            assert_eq!(fitted(line, columns), want, "{line} in {columns}");
        }
    }
}
