//! Where a history may be cut, case by case.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::domain::{MessageId, Seq, Visibility};

use super::*;

/// Makes rows from words: `u` user, `a` assistant, `s` system, `m` meta, `+` a continuation of the
/// message before; `a(x,y)` calls, `t(x)` and `u(x)` carry results. Occurrences count on within a
/// turn. Each visible row costs 10 tokens.
fn rows(words: &str) -> Vec<MessageMeta> {
    let mut rows: Vec<MessageMeta> = Vec::new();
    let mut turn: Vec<(bool, String)> = Vec::new();
    for (word, seq) in words.split_whitespace().zip(1..) {
        let (kind, ids) = word.split_once('(').unwrap_or((word, ")"));
        let ids: Vec<&str> = ids
            .trim_end_matches(')')
            .split(',')
            .filter(|id| !id.is_empty())
            .collect();
        let role = match kind {
            "u" => Role::User,
            "t" => Role::Tool,
            "s" => Role::System,
            _ => Role::Assistant,
        };
        let is_call = role == Role::Assistant;
        if word == "u" {
            turn.clear();
        }
        let mut keys = Vec::new();
        for id in ids {
            let seen = turn
                .iter()
                .filter(|seen| **seen == (is_call, id.to_owned()))
                .count();
            turn.push((is_call, id.to_owned()));
            keys.push(CallKey {
                call_id: id.to_owned(),
                occurrence: u32::try_from(seen).unwrap(),
            });
        }
        let (calls, results) = if is_call {
            (keys, vec![])
        } else {
            (vec![], keys)
        };
        let is_meta = kind == "m";
        rows.push(MessageMeta {
            id: MessageId::new(seq),
            seq: Seq::new(seq.unsigned_abs()).unwrap(),
            role,
            visibility: if is_meta {
                Visibility::Meta
            } else {
                Visibility::Talk
            },
            continues: (kind == "+").then_some(Seq::FIRST),
            tokens: Tokens::new(10),
            view_tokens: Tokens::new(if is_meta { 0 } else { 10 }),
            reasoning_tokens: Tokens::ZERO,
            has_words: true,
            at: None,
            calls,
            results,
            cleared: Vec::new(),
        });
    }
    rows
}

/// Draws the groups: their first and last rows, a `!` where a call is open.
fn drawn(words: &str) -> String {
    let rows = rows(words);
    let cuts = Cuts::new(&rows, Before::Nothing);
    let groups: Vec<String> = cuts
        .groups()
        .map(|group| cuts.span(group).unwrap().to_string())
        .collect();
    groups.join(" ") + if cuts.has_open_call() { "!" } else { "" }
}

#[track_caller]
fn check_groups(words: &str, want: &str) {
    assert_eq!(drawn(words), want, "{words}");
}

#[test]
fn a_call_binds_what_follows_until_its_result_or_until_something_else_is_said() {
    check_groups("", "");
    check_groups("u a u a", "1-1 2-2 3-3 4-4");
    check_groups("u a(x) t(x) a", "1-1 2-3 4-4");
    check_groups("u a(x,y) t(y) t(x) a", "1-1 2-4 5-5");
    check_groups("u a(x) a(y) t(x) t(y) a", "1-1 2-5 6-6");
    check_groups("u a(x,y) t(x) a", "1-1 2-3 4-4");
    check_groups("u a(x,y) t(x) u a", "1-1 2-3 4-4 5-5");
    check_groups("u a(x)", "1-1 2-2!");
    check_groups("u a(x) s a", "1-1 2-3 4-4");
    check_groups("u a(x,y) t(x)", "1-1 2-3!");
}

#[test]
fn early_late_and_repeated_results_bind_nothing() {
    check_groups("u t(x) a(x) a", "1-1 2-2 3-3 4-4");
    check_groups("u a(x) u t(x) a", "1-1 2-2 3-3 4-4 5-5");
    check_groups("u a(x) t(x) t(x) a", "1-1 2-3 4-4 5-5");
}

#[test]
fn a_name_used_again_is_another_call_within_a_turn_and_in_the_next_one() {
    check_groups("u a(x,x) t(x) t(x) a", "1-1 2-4 5-5");
    check_groups("u a(x) t(x) a(x) t(x)", "1-1 2-3 4-5");
    check_groups("u a(x) t(x) u a(x) t(x)", "1-1 2-3 4-4 5-6");
}

#[test]
fn a_users_row_with_a_result_is_a_tool_message() {
    check_groups("u a(x,y) u(x) u(y) a", "1-1 2-4 5-5");
    let rows = rows("u a(x) u(x) a");
    assert_eq!(Cuts::new(&rows, Before::Nothing).preferred(), [0]);
}

#[test]
fn hidden_rows_and_continuations_are_no_messages() {
    check_groups("m u m a + m + u", "1-3 4-7 8-8");
    check_groups("m m", "");
    let rows = rows("u a(x) m + t(x) u");
    let cuts = Cuts::new(&rows, Before::Nothing);
    assert_eq!(cuts.units().len(), 4);
    assert_eq!(cuts.tokens(0..4), Tokens::new(50));
}

#[test]
fn the_newest_request_is_the_run_of_user_messages_that_opens_the_newest_turn() {
    let request = |words: &str, before: Before| Cuts::new(&rows(words), before).newest_request();
    assert_eq!(
        request("u a u u m u a(x) t(x)", Before::Summary),
        Some(2..5)
    );
    assert_eq!(request("a(x) t(x) a", Before::Summary), None);
    assert_eq!(request("a u", Before::Nothing), Some(1..2));
    let turn = |words: &str, before: Before| Cuts::new(&rows(words), before).newest_turn();
    assert_eq!(turn("a(x) t(x) a", Before::Summary), None);
    assert_eq!(turn("a(x) t(x) a", Before::Nothing), Some(0));
    assert_eq!(turn("u a u u a", Before::Nothing), Some(2));
}

#[track_caller]
fn check_tail(words: &str, budget: u64, want: usize) {
    let rows = rows(words);
    let cuts = Cuts::new(&rows, Before::Nothing);
    let tail = cuts.fresh_tail(&Limits::default(), Tokens::new(budget));
    assert_eq!(tail, want, "{words} at {budget}");
}

#[test]
fn the_tail_is_a_quarter_of_the_budget_on_a_legal_cut_and_never_less_than_the_newest_group() {
    check_tail("u a u a u a", 120, 3);
    check_tail("u a u a u a", 80, 4);
    check_tail("u a u a u a", 40, 5);
    check_tail("u a u a u a", 1, 5);
    check_tail("u a(x) t(x) u a(y) t(y)", 1, 4);
    // The newest answered group stays with an open one, which views leave out.
    check_tail("u a(x) t(x) a(y)", 1, 1);
    // The start moves forward, past the result.
    check_tail("u a(x,y) t(x) t(y) u a", 160, 4);
}

#[test]
fn the_newest_turn_stays_whole_while_it_fits_a_quarter_of_the_budget() {
    let long = format!("u a u {}", "a(x) t(x) ".repeat(40));
    check_tail(&long, 81 * 10 * 4, 2);
    check_tail(&long, 81 * 10 * 4 - 4, 83 - 32);
    // Under a summary the turn is not whole any more.
    let rows = rows(&"a(x) t(x) ".repeat(40));
    let cuts = Cuts::new(&rows, Before::Summary);
    assert_eq!(
        cuts.fresh_tail(&Limits::default(), Tokens::new(1_000_000)),
        80 - 32
    );
}

#[track_caller]
fn check_around(words: &str, unit_idx: usize, n_turns: usize, at_most: usize, want: Range<usize>) {
    let rows = rows(words);
    let cuts = Cuts::new(&rows, Before::Nothing);
    let around = cuts.around(unit_idx, n_turns, at_most);
    assert_eq!(around, want, "{n_turns} turns around {unit_idx} of {words}");
}

#[test]
fn turns_around_a_message_are_whole() {
    let words = "a u a u u a(x) t(x) a u a u a";
    check_around(words, 5, 0, 100, 3..8);
    check_around(words, 5, 1, 100, 1..10);
    check_around(words, 5, 2, 100, 0..12);
    check_around(words, 5, usize::MAX, 100, 0..12);
    check_around(words, 0, 0, 100, 0..1);
    check_around(words, 0, 1, 100, 0..3);
    check_around(words, 11, 1, 100, 8..12);
    check_around(words, 12, 1, 100, 0..0);
    check_around("", 0, 1, 100, 0..0);
}

#[test]
fn a_long_turn_ends_near_the_message_and_parts_no_call_from_its_result() {
    let words = "u a(x) t(x) a(y,z) t(y) t(z) a(v) t(v) a u";
    check_around(words, 4, 1, 2, 3..6);
    check_around(words, 4, 1, 3, 1..8);
    check_around(words, 4, 1, 0, 3..6);
    check_around(words, 0, 1, 1, 0..1);
    check_around(words, 0, 1, 2, 0..3);
    check_around(words, 9, 1, 2, 8..10);
}

proptest! {
    #[test]
    fn around_a_message_there_are_whole_groups_and_no_more_turns_than_asked(
        kinds in vec(0..7usize, 1..60),
        at in any::<prop::sample::Index>(),
        n_turns in 0..4usize,
        at_most in 0..30usize,
    ) {
        let words = ["u", "a", "a(x)", "t(x)", "a(x,y)", "t(y)", "m"];
        let words: Vec<&str> = kinds.into_iter().map(|kind| words[kind]).collect();
        let rows = rows(&words.join(" "));
        let cuts = Cuts::new(&rows, Before::Nothing);
        if cuts.units().is_empty() {
            return Ok(());
        }
        let unit_idx = at.index(cuts.units().len());
        let around = cuts.around(unit_idx, n_turns, at_most);
        prop_assert!(around.contains(&unit_idx));
        let is_cut = |place: usize| place == cuts.units().len() || cuts.legal().contains(&place);
        prop_assert!(is_cut(around.start) && is_cut(around.end), "{around:?}");
        let own = cuts.groups().find(|group| group.contains(&unit_idx)).unwrap();
        prop_assert!(around.start >= unit_idx.saturating_sub(at_most).min(own.start));
        prop_assert!(around.end <= (unit_idx + 1 + at_most).max(own.end));
        let far = cuts.around(unit_idx, n_turns, usize::MAX);
        let opened = |from: usize, to: usize| {
            cuts.preferred().iter().filter(|place| (from..to).contains(place)).count()
        };
        let (before, after) = (opened(far.start + 1, unit_idx + 1), opened(unit_idx + 1, far.end));
        if far.start > 0 {
            prop_assert!(before == n_turns && cuts.preferred().contains(&far.start), "{far:?}");
        }
        if far.end < cuts.units().len() {
            prop_assert!(after == n_turns && cuts.preferred().contains(&far.end), "{far:?}");
        }
        prop_assert!(before <= n_turns && after <= n_turns, "{far:?}");
        // What is left out begins or ends at the nearest legal cut beyond the bound.
        prop_assert!(far.start <= around.start && around.end <= far.end);
        let older = cuts.legal().iter().rfind(|place| **place < around.start);
        prop_assert!(around.start == far.start || *older.unwrap() + at_most < unit_idx);
        let newer = cuts.legal().iter().find(|place| **place > around.end);
        let newer = *newer.unwrap_or(&cuts.units().len());
        prop_assert!(around.end == far.end || newer > unit_idx + 1 + at_most);
    }
}
