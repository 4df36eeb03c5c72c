//! Properties of the order.

use proptest::prelude::*;

use super::{place, relaxed_or_not, row};
use crate::policy::pattern::{Matcher, RowText, parse};
use crate::policy::rank::{Entry, Question, Stats, Weights, ranks, score};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// More of a word never ranks lower, and no score reaches zero.
    #[test]
    fn scores_fall_with_repeats(n_words in 1..20_usize, n_other in 0..40_usize, n_rows in 1..1_000_u64) {
        let matcher = Matcher::new(&parse("oak").unwrap());
        let stats = Stats { n_rows, n_rows_with: vec![n_rows.div_ceil(2)], average_length: 10.0 };
        let length = n_words + n_other + 1;
        let score_of = |n: usize| {
            let text = format!("{}{}", "oak ".repeat(n), "x ".repeat(length - n));
            score(&matcher.matches(&RowText::of(&row(&text))).unwrap(), &stats)
        };
        prop_assert!(score_of(n_words) < 0.0);
        prop_assert!(score_of(n_words + 1) <= score_of(n_words));
    }

    /// A row is never ranked worse for having a match beside it.
    #[test]
    fn a_match_beside_a_row_never_lowers_it(n_words in 1..6_usize, distance in 1..4_u64, is_before in any::<bool>()) {
        let pattern = relaxed_or_not("oak elm ash");
        let matcher = Matcher::new(&pattern);
        let rows = [row("oak and more"), row(&"elm ".repeat(n_words))];
        let found = rows.each_ref().map(|row| matcher.matches(&RowText::of(row)).unwrap());
        let stats = Stats::of_matches(100, 4.0, &found);
        let other = if is_before { 20 - distance } else { 20 + distance };
        let places = [place(20), place(other)];
        let entries: Vec<Entry<'_>> = places.iter().zip(&found).map(|(place, found)| Entry {
            place: Some(*place), at: None, role: None, found,
        }).collect();
        let rank = |entries: &[Entry<'_>]| ranks(entries, &stats, Question::Other, &Weights::CHOSEN)[0];
        prop_assert!(rank(&entries) <= rank(&entries[..1]));
        prop_assert_eq!(rank(&entries) < rank(&entries[..1]), distance <= 2);
    }
}
