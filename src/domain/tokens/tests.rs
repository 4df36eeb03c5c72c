//! The estimator against texts whose cost is known within bounds.

use std::time::Instant;

use proptest::prelude::*;

use super::*;

#[track_caller]
fn check_bounds(text: &str, times: usize, least: u64, most: u64) {
    let tokens = estimate(&text.repeat(times)).get();
    assert!(
        (least..=most).contains(&tokens),
        "{text:?} x {times}: {tokens} is outside {least}..={most}"
    );
}

#[test]
fn texts_of_every_kind_are_within_bounds() {
    check_bounds("", 1, 0, 0);
    check_bounds("Every word of this line is one token or so. ", 10, 90, 130);
    check_bounds(
        "fn take(&mut self) -> Option<u32> { self.inner.take() }\n",
        10,
        150,
        260,
    );
    check_bounds("会议改到周四上午举行，请大家准时参加。", 10, 110, 300);
    check_bounds("会議は木曜日の午前に変わりました。", 10, 95, 260);
    check_bounds("회의가 목요일 오전으로 바뀌었습니다. ", 10, 85, 260);
    check_bounds("Встреча перенесена на четверг. ", 10, 60, 180);
    check_bounds("تم نقل الاجتماع ", 10, 40, 160);
    check_bounds("🚀✨", 10, 15, 60);
    check_bounds("👨‍👩‍👧‍👦", 5, 10, 120);
    check_bounds("e\u{301}o\u{308}", 20, 20, 160);
    check_bounds("c0ffee12", 50, 100, 400);
    check_bounds("SGlwcG9jYW1wIGtlZXBzIGFsbC4g", 20, 250, 620);
    check_bounds("\0", 30, 1, 60);
}

/// B104.
#[test]
fn a_megabyte_of_one_run_is_counted_at_once() {
    for text in ["a", " ", "\n", "A", "7", "=", "é", "界", "🚀", " a", "aA"] {
        let long = text.repeat(1_000_000 / text.len());
        let start = Instant::now();
        let tokens = estimate(&long).get();
        assert!(start.elapsed().as_millis() < 1_000, "{text:?} is slow");
        assert!(
            (10_000..=1_500_000).contains(&tokens),
            "{text:?}: {tokens} tokens"
        );
    }
}

fn texts() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![
            "[a-z]{1,20}",
            "[A-Z]{1,6}",
            "[0-9]{1,7}",
            "[ \t\n]{1,20}",
            "[-=<>/.,]{1,6}",
            "\\PC{0,6}",
            "[界かな한🚀é]{1,4}",
        ],
        0..12,
    )
    .prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_longer_text_is_never_much_cheaper(left in texts(), right in texts()) {
        let whole = estimate(&format!("{left}{right}")) + MONOTONE_TOLERANCE;
        prop_assert!(whole >= estimate(&left));
        prop_assert!(whole >= estimate(&right));
    }

    #[test]
    fn any_text_is_counted(text in ".*") {
        let tokens = estimate(&text).get();
        prop_assert!(tokens <= text.len() as u64 * 3);
        prop_assert!(text.is_empty() || text.trim().is_empty() || tokens > 0);
    }
}
