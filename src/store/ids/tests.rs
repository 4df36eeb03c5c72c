//! Ranges of ids hold what their arithmetic says.

use proptest::prelude::*;

use super::{IdRange, coarsen, meet};

/// Ranges newest first without overlaps, from lengths and gaps.
fn ranges() -> impl Strategy<Value = Vec<IdRange>> {
    proptest::collection::vec((1..5_i64, 0..6_i64), 0..12).prop_map(|steps| {
        let mut at = 1;
        let mut ranges = Vec::new();
        for (length, gap) in steps {
            ranges.push(IdRange {
                first: at,
                last: at + length - 1,
            });
            at += length + gap;
        }
        ranges.reverse();
        ranges
    })
}

fn members(ranges: &[IdRange]) -> Vec<i64> {
    ranges
        .iter()
        .flat_map(|range| (range.first..=range.last).rev())
        .collect()
}

fn is_ordered(ranges: &[IdRange]) -> bool {
    ranges.iter().all(|range| range.first <= range.last)
        && ranges
            .iter()
            .zip(ranges.iter().skip(1))
            .all(|(newer, older)| older.last < newer.first)
}

proptest! {
    #[test]
    fn what_meets_lies_in_both(left in ranges(), right in ranges()) {
        let met = meet(&left, &right);
        let of_right = members(&right);
        let want: Vec<i64> =
            members(&left).into_iter().filter(|id| of_right.contains(id)).collect();
        prop_assert_eq!(members(&met), want);
        prop_assert!(is_ordered(&met));
    }

    #[test]
    fn coarse_ranges_hold_all_and_are_few(ranges in ranges(), most in 1..6_usize) {
        let coarse = coarsen(&ranges, most);
        let held = members(&coarse);
        prop_assert!(members(&ranges).iter().all(|id| held.contains(id)));
        prop_assert!(coarse.len() <= most);
        prop_assert!(is_ordered(&coarse));
        if ranges.len() <= most {
            prop_assert_eq!(held, members(&ranges), "few ranges stay as they are");
        }
    }
}
