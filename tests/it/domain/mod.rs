//! Values: spans, ids, handles, windows, tokens and keys, by property and by table.

mod times;

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::Value;

use hippocamp::domain::{
    Depth, Generation, ItemId, MONOTONE_TOLERANCE, MessageId, Seq, SessionKey, SessionKeyError,
    Span, SummaryId, Tokens, Window, estimate,
};

use crate::shared::shared;

fn seq(raw: u64) -> Seq {
    Seq::new(raw).unwrap()
}

fn span(first: u64, last: u64) -> Span {
    Span::new(seq(first), seq(last)).unwrap()
}

/// Reads a case file of the shared folder for `test`.
fn read_case(test: &str, file: &str) -> Option<Value> {
    let path = shared(test)?.join("cases").join(file);
    Some(serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap())
}

proptest! {
    #[test]
    fn a_span_never_runs_backwards(first in 1_u64..50, last in 1_u64..50) {
        let made = Span::new(seq(first), seq(last));
        prop_assert_eq!(made.is_some(), first <= last);
        if let Some(made) = made {
            prop_assert_eq!(made.n_rows(), (first..=last).count() as u64);
            prop_assert_eq!(made.to_string(), format!("{first}-{last}"));
        }
        prop_assert_eq!(Span::single(seq(first)), span(first, first));
    }

    #[test]
    fn a_span_holds_what_counting_says(first in 1_u64..20, n in 0_u64..20, a in 1_u64..50, m in 0_u64..20) {
        let (outer, inner) = (span(first, first + n), span(a, a + m));
        let rows = |span: Span| span.first().get()..=span.last().get();
        prop_assert_eq!(outer.contains(seq(a)), rows(outer).any(|row| row == a));
        let all_inside = rows(inner).all(|row| outer.contains(seq(row)));
        prop_assert_eq!(outer.covers(inner), all_inside);
    }

    #[test]
    fn neighbours_join_and_others_do_not(first in 1_u64..20, n in 0_u64..9, next in 1_u64..40, m in 0_u64..9) {
        let (older, newer) = (span(first, first + n), span(next, next + m));
        let joined = older.join(newer);
        prop_assert_eq!(joined.is_some(), first + n + 1 == next);
        prop_assert_eq!(joined.is_some(), older.touches(newer));
        if let Some(joined) = joined {
            prop_assert_eq!(joined.n_rows(), older.n_rows() + newer.n_rows());
            prop_assert!(joined.covers(older) && joined.covers(newer));
        }
    }

    #[test]
    fn places_go_up_and_down_by_one(raw in 1_u64..u64::MAX) {
        prop_assert_eq!(seq(raw).next().prev(), Some(seq(raw)));
        prop_assert_eq!(seq(raw).prev().map(Seq::get), (raw > 1).then_some(raw - 1));
    }

    #[test]
    fn what_is_printed_as_an_id_is_read_as_the_same_id(raw in 0_i64..=i64::MAX) {
        for id in [ItemId::Message(MessageId::new(raw)), ItemId::Summary(SummaryId::new(raw))] {
            prop_assert_eq!(id.to_string().parse::<ItemId>().unwrap(), id);
        }
    }

    #[test]
    fn no_text_but_digits_is_half_read_as_an_id(text in "\\PC{0,12}|s?[0-9]{1,25}[a-z. ]?") {
        let digits = text.strip_prefix('s').unwrap_or(&text);
        let is_id = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse::<ItemId>() {
            Ok(_) => prop_assert!(is_id, "{} was read", text),
            Err(error) => {
                prop_assert!(!is_id, "{} was refused", text);
                prop_assert!(error.to_string().contains(&text));
            }
        }
    }

    #[test]
    fn a_window_leaves_what_is_not_spoken_for_or_is_refused(context: u64, overhead: u64, reserve: u64) {
        let made = Window::new(Tokens::new(context), Tokens::new(overhead), Tokens::new(reserve));
        let left = i128::from(context) - i128::from(overhead) - i128::from(reserve);
        match made {
            Ok(window) => prop_assert_eq!(i128::from(window.budget().get()), left),
            Err(error) => {
                prop_assert!(left <= 0);
                prop_assert!(error.to_string().contains(&context.to_string()));
            }
        }
    }

    #[test]
    fn a_share_of_tokens_is_rounded_down(count in 0_u64..=u64::MAX / 100, percent in 0_u64..=100) {
        let exact = u128::from(count) * u128::from(percent) / 100;
        prop_assert_eq!(u128::from(Tokens::new(count).percent(percent).get()), exact);
    }

    #[test]
    fn adding_tokens_stops_at_the_most_there_can_be(counts in proptest::collection::vec(any::<u64>(), 0..5)) {
        let exact = counts.iter().map(|count| u128::from(*count)).sum::<u128>().min(u64::MAX.into());
        let mut added = Tokens::ZERO;
        for count in &counts {
            added += Tokens::new(*count);
        }
        let sum: Tokens = counts.iter().map(|count| Tokens::new(*count)).sum();
        prop_assert_eq!((u128::from(added.get()), u128::from(sum.get())), (exact, exact));
    }

    #[test]
    fn depths_and_generations_go_up_by_one(raw in 0..u32::MAX) {
        prop_assert_eq!(Depth::new(raw).above().get(), raw + 1);
        prop_assert_eq!(Depth::new(raw).to_string(), raw.to_string());
        prop_assert_eq!(Generation::new(raw).next().get(), raw + 1);
    }

    #[test]
    fn a_longer_text_counts_less_by_the_stated_tolerance_at_most(
        text in "\\PC{0,40}",
        more in "\\PC{0,10}",
    ) {
        let longer = format!("{text}{more}");
        prop_assert!(estimate(&longer) + MONOTONE_TOLERANCE >= estimate(&text));
    }

    #[test]
    fn a_key_is_kept_byte_for_byte(text in "\\PC{1,60}") {
        let key = SessionKey::new(text.clone()).unwrap();
        prop_assert_eq!(key.to_string(), text.clone());
        prop_assert_eq!(key.as_str(), text);
    }
}

#[test]
fn the_first_place_has_none_before_it() {
    assert_eq!(Seq::new(0), None);
    assert_eq!(Seq::FIRST.prev(), None);
    assert_eq!(seq(u64::MAX).next(), seq(u64::MAX));
    assert_eq!(Depth::LEAF.above(), Depth::new(1));
    assert_eq!(Generation::FIRST.next(), Generation::new(1));
}

#[test]
fn forms_that_are_no_id_are_refused_by_name() {
    for text in [
        "", "s", "ss1", "S12", "s-1", "-1", "+1", "10abc", "abc", "10.5", "10.0", " 10 ", "1_0",
        "0x10", "١", "s 12", "[\"10\"]",
    ] {
        let error = text.parse::<ItemId>().unwrap_err().to_string();
        assert!(error.contains(&format!("`{text}`")), "{error}");
        assert!(error.contains("42") && error.contains("s12"), "{error}");
    }
}

#[test]
fn a_number_that_no_row_can_have_is_an_id_all_the_same() {
    let most = ItemId::Message(MessageId::new(i64::MAX));
    assert_eq!("9223372036854775808".parse(), Ok(most));
    assert_eq!("0".parse(), Ok(ItemId::Message(MessageId::new(0))));
    assert_eq!("007".parse(), Ok(ItemId::Message(MessageId::new(7))));
}

/// Ids sent as text in the shared case: the ones it wants as rows, or wants named, must parse as
/// whole numbers; the ones it wants as an error must not.
#[test]
fn forms_of_ids_are_read_as_the_case_asks() {
    let Some(case) = read_case(
        "forms_of_ids_are_read_as_the_case_asks",
        "B135_expand_ids.json",
    ) else {
        return;
    };
    let mut n_texts = 0;
    for call in case["calls"].as_array().unwrap() {
        let want = call["want"].to_string();
        for text in call["message_ids"].as_array().into_iter().flatten() {
            let Some(text) = text.as_str() else { continue };
            n_texts += 1;
            match text.parse::<ItemId>() {
                Ok(id) => assert!(want != "\"error\"", "{text} was read as {id}"),
                Err(_) => assert!(want.contains("error"), "{text} was refused"),
            }
        }
    }
    assert!(n_texts >= 10, "{n_texts}");
}

#[test]
fn a_window_that_leaves_nothing_names_its_numbers() {
    let tokens = Tokens::new;
    let error = Window::new(tokens(100), tokens(60), tokens(40))
        .unwrap_err()
        .to_string();
    for number in ["100", "60", "40"] {
        assert!(error.contains(number), "{error}");
    }
    assert!(Window::of(Tokens::ZERO).is_err());
    assert_eq!(Window::of(tokens(1)).unwrap().budget(), tokens(1));
    assert!(Window::new(tokens(u64::MAX), tokens(u64::MAX), tokens(u64::MAX)).is_err());
}

#[test]
fn keys_that_cannot_be_kept_are_refused_by_their_rule() {
    assert_eq!(SessionKey::new(""), Err(SessionKeyError::Empty));
    assert_eq!(SessionKey::new("k\0z"), Err(SessionKeyError::Nul { at: 1 }));
    assert_eq!(
        SessionKey::new("k".repeat(1_025)),
        Err(SessionKeyError::TooLong { bytes: 1_025 })
    );
    assert!(SessionKey::new("k".repeat(1_024)).is_ok());
    assert!(
        SessionKey::new("é".repeat(513)).is_err(),
        "bytes count, not characters"
    );
}

#[test]
fn keys_that_look_alike_stay_apart() {
    let own = [
        "a/b",
        "a_b",
        "a\\b",
        "A/b",
        " ",
        "../../etc/x",
        "é",
        "e\u{301}",
    ]
    .map(str::to_owned);
    let mut texts = own.to_vec();
    if let Some(case) = read_case("keys_that_look_alike_stay_apart", "B030_session_keys.json") {
        let listed = case["keys"].as_array().unwrap();
        texts.extend(listed.iter().map(|key| key.as_str().unwrap().to_owned()));
        assert!(texts.len() >= 15);
    }
    texts.sort();
    texts.dedup();
    for text in &texts {
        let is_good = !text.is_empty() && !text.contains('\0') && text.len() <= 1_024;
        let key = SessionKey::new(text.clone());
        assert_eq!(
            key.as_ref().map(SessionKey::as_str).ok(),
            is_good.then_some(text.as_str())
        );
    }
}

#[test]
fn estimates_lie_within_the_bounds_of_the_case() {
    let Some(case) = read_case(
        "estimates_lie_within_the_bounds_of_the_case",
        "B101_token_texts.json",
    ) else {
        return;
    };
    let texts = case["texts"].as_array().unwrap();
    assert!(texts.len() >= 10);
    for text in texts {
        let times = usize::try_from(text["times"].as_u64().unwrap()).unwrap();
        let count = estimate(&text["text"].as_str().unwrap().repeat(times)).get();
        let bounds = text["min"].as_u64().unwrap()..=text["max"].as_u64().unwrap();
        assert!(
            bounds.contains(&count),
            "{}: {count} not in {bounds:?}",
            text["name"]
        );
    }
}

#[test]
fn an_estimate_is_neither_far_off_nor_slow() {
    let prose = "The harbour master wrote the tide tables by hand. ".repeat(20);
    assert!((180..=400).contains(&estimate(&prose).get()));
    assert!((40..=160).contains(&estimate(&"潮汐表是手写的。".repeat(10)).get()));
    assert_eq!(estimate(""), Tokens::ZERO);
    for unit in ["a", " ", "a b"] {
        let text = unit.repeat(1_000_000 / unit.len());
        let begin = Instant::now();
        assert!(estimate(&text) > Tokens::ZERO);
        assert!(begin.elapsed() < Duration::from_secs(1), "{unit:?}");
    }
}
