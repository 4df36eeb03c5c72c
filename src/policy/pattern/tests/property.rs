//! The index never misses what the matcher finds.

use super::super::{Matcher, RowText, index_tokens, parse};
use super::{dated, row_of, text_part};
use crate::domain::{IndexQuery, Part, SearchRow};
use proptest::prelude::*;

/// Says whether a row of tokens meets a condition, as an index would.
fn meets(query: &IndexQuery, tokens: &[&str]) -> bool {
    match query {
        IndexQuery::Token(word) => tokens.contains(&word.as_str()),
        IndexQuery::Phrase(words) => tokens.windows(words.len()).any(|run| run == words),
        IndexQuery::Prefix(words) => {
            let (open, before) = words.split_last().unwrap();
            tokens.windows(words.len()).any(|run| {
                let (last, first) = run.split_last().unwrap();
                first == before && last.starts_with(open.as_str())
            })
        }
        IndexQuery::And(queries) => queries.iter().all(|query| meets(query, tokens)),
        IndexQuery::Or(queries) => queries.iter().any(|query| meets(query, tokens)),
        IndexQuery::Everything => true,
    }
}

fn words() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "run",
        "running",
        "runs",
        "getUserName",
        "getusername",
        "user",
        "GitHub",
        "github",
        "foo_bar",
        "foo",
        "bar",
        "Straße",
        "strasse",
        "用户",
        "用",
        "户gen",
        "gen",
        "🔥",
        "C++",
        "20.04",
        "2026",
        "january",
        "ada",
        "the",
        "what",
        "don't",
        "e\u{301}te\u{301}",
        "été",
        "İs",
        "is",
        "zero\u{200b}width",
        "wi\u{200d}dth",
        "width",
        "URLs",
        "url",
        "ＡＢ",
        "ab",
        "서울API를",
        "api",
        "ไทย",
        "src/lib.rs",
        "dying",
        "die",
        "HTTPServer",
        "happily",
    ])
    .prop_map(str::to_owned)
}

fn texts() -> impl Strategy<Value = String> {
    let between = prop::sample::select(vec![" ", " ", "\n", "-", ", ", "", "_", "\u{301} "]);
    prop::collection::vec((words(), between), 0..8).prop_map(|pairs| {
        pairs
            .into_iter()
            .map(|(word, between)| word + between)
            .collect()
    })
}

fn rows() -> impl Strategy<Value = SearchRow> {
    let parts = prop_oneof![
        texts().prop_map(|text| text_part(&text)),
        texts().prop_map(|text| Part::ToolUse {
            call_id: "c".to_owned(),
            name: "runTool".to_owned(),
            arguments: serde_json::json!({ "key": text }).to_string(),
        }),
    ];
    (prop::collection::vec(parts, 1..3), any::<bool>()).prop_map(|(parts, is_dated)| {
        let mut row = row_of(parts);
        if is_dated {
            let frame = dated("", "2026-01-02T00:00:00Z", "Ada");
            (row.name, row.from, row.to) = (frame.name, frame.from, frame.to);
        }
        row
    })
}

fn operands() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => words(),
        2 => texts().prop_map(|text| format!("\"{text}\"")),
        1 => words().prop_map(|word| {
            let n_kept = word.chars().count().div_ceil(2);
            word.chars().take(n_kept).chain(['*']).collect()
        }),
        1 => words().prop_map(|word| format!("%{word}%")),
    ]
}

fn patterns() -> impl Strategy<Value = String> {
    let joined = prop::sample::select(vec![" ", " ", " AND ", " OR ", " NOT "]);
    prop_oneof![
        6 => prop::collection::vec((operands(), joined), 1..5).prop_map(|pairs| {
            let mut pattern = String::new();
            let n_pairs = pairs.len();
            for (idx, (operand, joined)) in pairs.into_iter().enumerate() {
                pattern.push_str(&operand);
                if idx + 1 < n_pairs {
                    pattern.push_str(joined);
                }
            }
            pattern
        }),
        1 => texts().prop_map(|text| format!("%{text}%")),
        1 => "\\PC{0,12}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_index_proposes_every_match(row in rows(), pattern in patterns()) {
        let Ok(pattern) = parse(&pattern) else {
            return Ok(());
        };
        let tokens = index_tokens(&row.parts, row.name.as_deref(), row.from);
        let tokens: Vec<&str> = tokens.split(' ').collect();
        let text = RowText::of(&row);
        for pattern in std::iter::once(&pattern).chain(pattern.relaxed().as_ref()) {
            let matcher = Matcher::new(pattern);
            if matcher.matches(&text).is_some() {
                prop_assert!(matcher.text_of(&row).is_some(), "{:?} is left uncut", pattern.read_as());
                prop_assert!(meets(&pattern.index_query(), &tokens), "{:?} {:?}", pattern.read_as(), tokens);
            }
        }
    }

    /// Beginnings of a text's words and pieces of the text are proposed wherever they end.
    #[test]
    fn the_index_proposes_beginnings_and_pieces(
        text in texts(),
        from in 0..20_usize,
        n_chars in 1..20_usize,
    ) {
        let row = row_of(vec![text_part(&text)]);
        let tokens = index_tokens(&row.parts, None, None);
        let tokens: Vec<&str> = tokens.split(' ').collect();
        let text_row = RowText::of(&row);
        let piece: String = text.chars().skip(from).take(n_chars).collect();
        let first_word = piece.split([' ', '\n']).next().unwrap_or_default();
        let expression = piece.replace(['+', '/', '\n'], ".");
        for pattern in [format!("%{piece}%"), format!("{first_word}*"), format!("/{expression}/")] {
            let Ok(pattern) = parse(&pattern) else {
                continue;
            };
            let matcher = Matcher::new(&pattern);
            if matcher.matches(&text_row).is_some() {
                prop_assert!(matcher.text_of(&row).is_some(), "{} is left uncut", pattern.read_as());
                prop_assert!(meets(&pattern.index_query(), &tokens), "{}", pattern.read_as());
            }
        }
    }

    /// Each text is found by its own words, in quotes and as a substring.
    #[test]
    fn a_text_finds_itself(text in texts()) {
        let row = row_of(vec![text_part(&text)]);
        let row = RowText::of(&row);
        let quoted = text.replace('"', " ");
        for pattern in [format!("\"{quoted}\""), format!("%{text}%"), quoted.clone()] {
            // A text with newlines is no single substring: blanks of a pattern are blanks.
            if pattern.starts_with('%') && (text.contains(['\n', '\u{200b}']) || text.trim() != text || !text.contains(' ')) {
                continue;
            }
            if let Ok(pattern) = parse(&pattern) {
                prop_assert!(Matcher::new(&pattern).matches(&row).is_some(), "{}", pattern.read_as());
            }
        }
    }

    #[test]
    fn tokens_are_ascii_letters_and_digits_or_beyond_ascii(text in "\\PC{0,40}") {
        let tokens = index_tokens(&[text_part(&text)], Some(&text), None);
        for c in tokens.chars().filter(char::is_ascii) {
            prop_assert!(c == ' ' || c.is_ascii_digit() || c.is_ascii_lowercase());
        }
    }
}
