//! Which messages become a leaf, case by case.

use super::*;

#[track_caller]
fn check_target(budget: u64, source: u64, want: u64) {
    let target = target(&Limits::default(), Tokens::new(budget), Tokens::new(source));
    assert_eq!(target, Tokens::new(want), "{source} tokens at {budget}");
}

#[test]
fn a_target_is_bounded_by_a_page_the_source_the_budget_and_what_shrinks() {
    check_target(128_000, 20_000, 1_200);
    check_target(128_000, 2_000, 700);
    check_target(8_000, 2_000, 400);
    check_target(128_000, 90, 25);
    check_target(128_000, 80, 15);
    check_target(100, 2_000, 8);
}

#[test]
fn a_chunk_is_a_quarter_of_a_small_budget_and_no_more_than_twenty_thousand() {
    let cap = |budget: u64| chunk_cap(&Limits::default(), Tokens::new(budget)).get();
    assert_eq!(
        (cap(8_000), cap(80_000), cap(1_000_000)),
        (2_000, 20_000, 20_000)
    );
}

#[test]
fn what_costs_no_more_than_the_least_summary_cannot_shrink() {
    let limits = Limits::default();
    let least = cost::SUMMARY + limits.least_summary;
    assert!(!can_shrink(&limits, least));
    assert!(can_shrink(&limits, least + Tokens::new(1)));
}
