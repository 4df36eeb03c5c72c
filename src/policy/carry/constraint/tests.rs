//! Which sentences set and lift constraints.

use super::*;

#[track_caller]
fn check(text: &str, want: &[(Kind, &str)]) {
    let found: Vec<(Kind, &str)> = find(text)
        .into_iter()
        .map(|found| (found.kind, found.sentence))
        .collect();
    assert_eq!(found, want, "{text}");
}

#[test]
fn a_demand_is_found_as_it_stands() {
    check(
        "Here is the plan.\n- Never push to `main`. It breaks the deploy.",
        &[(Kind::Sets, "Never push to `main`.")],
    );
    check("must we rename it?", &[]);
    check("```\nnever do this\n```\n> never do that", &[]);
}

#[test]
fn a_replaced_value_lifts_and_sets() {
    let text = "Use port 9000 instead of 8080 from now on.";
    check(text, &[(Kind::Lifts, text), (Kind::Sets, text)]);
    let [lifting, setting] = find(text)[..] else {
        panic!("two")
    };
    assert!(lifts(&lifting, "Always use port 8080."));
    assert!(!lifts(&lifting, "Never mention the budget."));
    assert!(!lifts(&setting, "Always use port 8080."));
}
