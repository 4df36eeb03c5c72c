mod said;

use proptest::prelude::*;

use super::*;
use said::{COUNTED, OTHERS, UNCOUNTED};

#[track_caller]
fn check_overflow(text: &str, status: Option<u16>, used: Option<u64>, limit: Option<u64>) {
    let wanted = Overflow {
        limit: limit.map(Tokens::new),
        used: used.map(Tokens::new),
    };
    let found = classify(text, status);
    assert_eq!(found, ProviderError::Overflow(wanted), "{text}");
}

#[track_caller]
fn check_kind(text: &str, status: Option<u16>, wanted: ProviderError) {
    assert_eq!(classify(text, status), wanted, "{text}");
}

#[test]
fn technique_k6_every_wording_of_an_overflow_is_known_with_its_counts() {
    for (text, used, limit) in COUNTED {
        for status in [None, Some(400), Some(413), Some(500)] {
            check_overflow(text, status, *used, *limit);
            // The letters of an escape are not to be changed.
            if !text.contains('\\') {
                check_overflow(&text.to_uppercase(), status, *used, *limit);
            }
        }
    }
    for text in UNCOUNTED {
        for status in [Some(400), Some(413)] {
            check_overflow(text, status, None, None);
        }
    }
}

#[test]
fn the_status_alone_says_it_where_there_is_no_body() {
    for text in ["", " \n", "400 status code (no body)", "(no body)"] {
        check_overflow(text, Some(413), None, None);
        check_overflow(text, Some(400), None, None);
        check_kind(text, Some(404), ProviderError::Other);
    }
    check_overflow("<html>nginx</html>", Some(413), None, None);
    check_overflow("413 <html>nginx</html>", None, None, None);
    check_kind("<html>nginx</html>", Some(400), ProviderError::Other);
}

#[test]
fn what_is_something_else_is_no_overflow_though_it_speaks_of_tokens() {
    for (text, status, wanted) in OTHERS {
        check_kind(text, Some(*status), *wanted);
    }
}

#[test]
fn short_words_count_only_with_a_status_that_an_overflow_has() {
    for text in [
        "max_tokens",
        "InvalidParameter",
        "context window",
        "token limit",
        "input token",
        "this exceeds the limit",
    ] {
        check_overflow(text, Some(400), None, None);
        check_overflow(text, Some(413), None, None);
        for status in [None, Some(200), Some(401), Some(404)] {
            check_kind(text, status, ProviderError::Other);
        }
        check_kind(text, Some(500), ProviderError::Unavailable);
    }
    check_overflow("400 token limit", None, None, None);
    check_overflow(
        "Error code: 400 - {'message': 'token limit'}",
        None,
        None,
        None,
    );
}

#[test]
fn hostile_texts_are_read_in_linear_time_and_give_no_absurd_count() {
    check_overflow(
        "prompt is too long: 99999999999999999999999 tokens > 5 maximum",
        None,
        None,
        None,
    );
    check_overflow("prompt is too long: 0 tokens > 0 maximum", None, None, None);
    let long = "maximum context length is 1 tokens ".repeat(200_000);
    check_overflow(&long, None, None, Some(1));
    let half = "é".repeat(1 << 20) + "prompt is too long";
    check_kind(&half, None, ProviderError::Other);
    for text in ["\\", "\\u", "\\ud800 \\uzzzz", "\u{0}", "#…#", "1,2,3,,"] {
        check_kind(text, None, ProviderError::Other);
    }
}

proptest! {
    /// A mutant that asks for overflows first, or that takes short words at any status, fails.
    #[test]
    fn exclusions_come_first_and_short_words_need_a_status(
        wording in 0..COUNTED.len(),
        excluded in 0..RATE_LIMIT.len(),
        risky in 0..RISKY.len(),
        before in any::<bool>(),
        status in prop_oneof![Just(None), (200_u16..600).prop_map(Some)],
    ) {
        let (overflow, limited) = (COUNTED[wording].0, RATE_LIMIT[excluded]);
        let text = if before { format!("{limited}. {overflow}") } else { format!("{overflow} {limited}") };
        prop_assert_eq!(classify(&text, status), ProviderError::RateLimit);
        let is_risky = matches!(classify(RISKY[risky], status), ProviderError::Overflow(_));
        prop_assert_eq!(is_risky, matches!(status, Some(400 | 413)));
    }

    /// A mutant that swaps the counts, or forgets separators, fails.
    #[test]
    fn counts_are_read_whatever_their_size(used in 1_u64..10_000_000, limit in 1_u64..10_000_000) {
        let said = [
            format!("prompt is too long: {used} tokens > {limit} maximum"),
            format!("maximum context length is {limit} tokens. However, your messages resulted in {used} tokens"),
            format!("input token count ({used}) exceeds the maximum number of tokens allowed ({limit})"),
            format!("prompt is too long: {} tokens > {} maximum", grouped(used), grouped(limit)),
        ];
        let wanted = Overflow { limit: Some(Tokens::new(limit)), used: Some(Tokens::new(used)) };
        for text in said {
            prop_assert_eq!(classify(&text, None), ProviderError::Overflow(wanted), "{}", text);
        }
    }

    #[test]
    fn no_text_panics(text in "\\PC*", status in any::<Option<u16>>()) {
        let _ = classify(&text, status);
    }
}

fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (idx, digit) in digits.char_indices() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
