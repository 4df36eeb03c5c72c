//! Ranges of ids. Owns their arithmetic: a filter becomes a few ranges before any row is read.
//! May not query.

/// What kind of row an id of the one sequence names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RowKind {
    Message,
    Summary,
}

/// Ids `first..=last`; empty when `last` is before `first`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IdRange {
    pub first: i64,
    pub last: i64,
}

impl IdRange {
    fn meet(self, other: Self) -> Option<Self> {
        let first = self.first.max(other.first);
        let last = self.last.min(other.last);
        (first <= last).then_some(Self { first, last })
    }
}

/// Returns what lies in both lists. Each is newest first and without overlaps, as is the answer.
pub(super) fn meet(left: &[IdRange], right: &[IdRange]) -> Vec<IdRange> {
    let mut out = Vec::new();
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        out.extend(a.meet(**b));
        // The range that begins later cannot meet anything older.
        if a.first >= b.first {
            left.next();
        } else {
            right.next();
        }
    }
    out
}

/// Joins ranges, newest first, across their smallest gaps until at most `most` are left. The answer
/// covers all of them and more: rows are compared themselves.
pub(super) fn coarsen(ranges: &[IdRange], most: usize) -> Vec<IdRange> {
    let mut gaps: Vec<i64> = ranges
        .iter()
        .zip(ranges.iter().skip(1))
        .map(|(newer, older)| newer.first - older.last)
        .collect();
    gaps.sort_unstable_by_key(|gap| std::cmp::Reverse(*gap));
    // Gaps up to this one are closed: all but the `most - 1` widest. A gap of 1 is none.
    let closed = gaps.get(most.saturating_sub(1)).map_or(1, |gap| *gap);
    let mut out: Vec<IdRange> = Vec::new();
    for &range in ranges {
        match out.last_mut() {
            Some(newer) if newer.first - range.last <= closed => newer.first = range.first,
            _ => out.push(range),
        }
    }
    out
}
