//! The token curve: one column of blocks for each stretch of points, so that a saw is seen.

use super::number::count;
use super::style::{DIM, painted};

/// How large a curve is drawn, and against what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Columns of blocks.
    pub(crate) width: usize,
    /// Lines.
    pub(crate) height: usize,
    /// A line to draw across, where one is known.
    pub(crate) budget: Option<u64>,
}

const EIGHTHS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Returns the curve of `points`, oldest at the left, with a scale; nothing without points.
///
/// A column that stands for several points is solid up to the least of them and light up to the
/// greatest.
pub(crate) fn curve(points: &[u64], frame: Frame) -> String {
    let Some(greatest) = points.iter().copied().max() else {
        return String::new();
    };
    let top = greatest.max(frame.budget.unwrap_or(0)).max(1);
    let columns = columns(points, frame.width.max(1));
    let height = frame.height.max(1);
    let scale_width = count(top).len();
    let budget_row = frame
        .budget
        .map(|budget| level(budget, top, height).saturating_sub(1) / 8);
    let mut text = String::new();
    for row in (0..height).rev() {
        let scale = if row + 1 == height {
            count(top)
        } else if row == 0 {
            "0".to_owned()
        } else {
            String::new()
        };
        let mut line = String::new();
        for (least, most) in &columns {
            let block = block(level(*least, top, height), level(*most, top, height), row);
            line.push(match block {
                ' ' if budget_row == Some(row) => '┄',
                other => other,
            });
        }
        text.push_str(&painted(DIM, format!("{scale:>scale_width$} │")));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Returns the least and greatest value of each column; few points are stretched.
fn columns(points: &[u64], width: usize) -> Vec<(u64, u64)> {
    (0..width)
        .filter_map(|column| {
            let from = column * points.len() / width;
            let to = ((column + 1) * points.len() / width).max(from + 1);
            let stretch = points.get(from..to)?;
            Some((
                stretch.iter().copied().min()?,
                stretch.iter().copied().max()?,
            ))
        })
        .collect()
}

/// Returns a value in eighths of a line; all but zero are seen.
fn level(value: u64, top: u64, height: usize) -> usize {
    let eighths = u128::from(value) * (height as u128) * 8 / u128::from(top);
    let eighths = usize::try_from(eighths).unwrap_or(usize::MAX);
    if value > 0 { eighths.max(1) } else { 0 }
}

fn block(least: usize, most: usize, row: usize) -> char {
    let (solid, light) = (least.saturating_sub(row * 8), most.saturating_sub(row * 8));
    match (solid, light) {
        (8.., _) => '█',
        (_, 0) => ' ',
        // The top of a column of one value, or the lower edge of a light stretch.
        (part, light) if part == light => EIGHTHS.get(part - 1).copied().unwrap_or('█'),
        (_, 4..) => '░',
        (0, _) => ' ',
        (part, _) => EIGHTHS.get(part - 1).copied().unwrap_or('█'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(points: &[u64], width: usize, height: usize, budget: Option<u64>) -> String {
        let text = curve(
            points,
            Frame {
                width,
                height,
                budget,
            },
        );
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn a_saw_is_seen() {
        let points = [1, 2, 3, 4, 1, 2, 3, 4];
        assert_eq!(plain(&points, 8, 2, None), "4 │  ▄█  ▄█\n0 │▄███▄███\n");
    }

    #[test]
    fn a_column_of_many_points_shows_their_range() {
        assert_eq!(plain(&[1, 4, 1, 4], 2, 2, None), "4 │░░\n0 │░░\n");
        assert_eq!(plain(&[2, 4, 2, 4], 2, 2, None), "4 │░░\n0 │██\n");
    }

    #[test]
    fn the_budget_is_a_line_across() {
        assert_eq!(plain(&[4, 4], 4, 2, Some(8)), "8 │┄┄┄┄\n0 │████\n");
    }

    #[test]
    fn few_and_no_points_are_drawn_too() {
        assert_eq!(plain(&[], 8, 2, Some(5)), "");
        assert_eq!(plain(&[0], 3, 1, None), "1 │\n");
        assert_eq!(plain(&[5], 3, 1, None), "5 │███\n");
        assert_eq!(
            plain(&[u64::MAX, 1], 2, 1, None),
            format!("{} │█▁\n", count(u64::MAX))
        );
    }
}
