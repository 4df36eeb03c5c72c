//! Tables with aligned columns, by the width that characters take on a terminal.

use unicode_width::UnicodeWidthStr;

use super::style::{STRONG, painted};

/// Which side of its column a cell stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A column's heading and side.
pub(crate) type Column = (&'static str, Align);

/// Returns a table. A cell may not hold line breaks; a row may have fewer cells than columns.
pub(crate) fn table(columns: &[Column], rows: &[Vec<String>]) -> String {
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(column_idx, (heading, _))| {
            let cells = rows.iter().filter_map(|row| row.get(column_idx));
            cells
                .map(|cell| cell.width())
                .max()
                .unwrap_or(0)
                .max(heading.width())
        })
        .collect();
    let headings: Vec<String> = columns
        .iter()
        .map(|(heading, _)| (*heading).to_owned())
        .collect();
    let mut text = painted(STRONG, line(columns, &widths, &headings));
    text.push('\n');
    for row in rows {
        text.push_str(&line(columns, &widths, row));
        text.push('\n');
    }
    text
}

fn line(columns: &[Column], widths: &[usize], cells: &[String]) -> String {
    let mut text = String::new();
    for ((column_idx, (_, align)), width) in columns.iter().enumerate().zip(widths) {
        let cell = cells.get(column_idx).map_or("", String::as_str);
        let padding = " ".repeat(width.saturating_sub(cell.width()));
        if column_idx > 0 {
            text.push_str("  ");
        }
        match align {
            Align::Left => {
                text.push_str(cell);
                text.push_str(&padding);
            }
            Align::Right => {
                text.push_str(&padding);
                text.push_str(cell);
            }
        }
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_whatever_the_script() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let rows = [row(["main", "1,234", "x"]), row(["用户", "5", ""])];
        let columns = [
            ("key", Align::Left),
            ("tokens", Align::Right),
            ("note", Align::Left),
        ];
        let text = anstream::adapter::strip_str(&table(&columns, &rows)).to_string();
        let want = "key   tokens  note\nmain   1,234  x\n用户       5\n";
        assert_eq!(text, want);
    }

    #[test]
    fn no_rows_leave_the_headings() {
        let text = table(&[("key", Align::Left)], &[]);
        assert_eq!(anstream::adapter::strip_str(&text).to_string(), "key\n");
    }
}
