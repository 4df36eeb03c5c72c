//! A secret is found however its letters are written, and only it is replaced.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::policy::redact::plain;

/// How a letter of a secret may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Bare,
    Unicode,
    Nested,
    Percent,
    PercentTwice,
    Hex,
    Wide,
    BehindNothing,
    Coloured,
    ColouredInJson,
}

impl Written {
    fn write(self, letter: char) -> String {
        let code = u32::from(letter);
        match self {
            Self::Bare => letter.to_string(),
            Self::Unicode => format!("\\u{code:04x}"),
            Self::Nested => format!("\\\\\\u{code:04X}"),
            Self::Percent => format!("%{code:02X}"),
            Self::PercentTwice => format!("%25{code:02x}"),
            Self::Hex => format!("\\x{code:02x}"),
            Self::Wide => char::from_u32(code - 0x21 + 0xff01).unwrap().to_string(),
            Self::BehindNothing => format!("\u{200b}{letter}"),
            Self::Coloured => format!("\u{1b}[1;31m{letter}"),
            Self::ColouredInJson => format!("\\u001b[0m{letter}"),
        }
    }
}

fn ways() -> impl Strategy<Value = Vec<Written>> {
    let way = select(vec![
        Written::Bare,
        Written::Bare,
        Written::Bare,
        Written::Unicode,
        Written::Nested,
        Written::Percent,
        Written::PercentTwice,
        Written::Hex,
        Written::Wide,
        Written::BehindNothing,
        Written::Coloured,
        Written::ColouredInJson,
    ]);
    proptest::collection::vec(way, 1..26)
}

proptest! {
    #[test]
    fn a_key_is_found_however_its_letters_are_written(
        before in "[a-zà-ú .\n]{0,20}",
        ways in ways(),
        after in "[a-zà-ú .\n]{0,20}",
    ) {
        let secret = "glpat-x7Kq29vBn4TzLw8RyP3d";
        let written: String = secret
            .chars()
            .zip(ways.iter().chain(std::iter::repeat(&Written::Bare)))
            .map(|(letter, way)| way.write(letter))
            .collect();
        let clean = Patterns::default().redact(&format!("{before} {written} {after}")).text.into_owned();
        let (start, end) = clean.split_once("[redacted:gitlab_token]").unwrap();
        // What shows as nothing before the first letter may stay.
        prop_assert!(start.starts_with(&format!("{before} ")), "{:?}", clean);
        prop_assert!(start.len() <= before.len() + 12, "{:?}", clean);
        prop_assert_eq!(end, format!(" {after}"));
    }

    #[test]
    fn each_letter_as_it_reads_is_found_where_it_is_written(
        pieces in proptest::collection::vec(
            prop_oneof![
                3 => "\\PC{1,4}".boxed(),
                3 => select(vec![
                    "\\u00e9", "\\ud83e\\udd80", "\\ud83e", "\\u12", "%41", "%2541", "%c3%a9", "%", "%2", "\\n", "\\\\n",
                    "\\\"", "\\/", "\\", "\u{200b}", "\u{1b}[0m", "\u{1b}", "\u{1b}[", "\\x41", "\\x4", "Ａ", "é", "🦀",
                    "\\033[1m", "\\e[m", "\u{1b}]0;a\u{7}",
                ]).prop_map(str::to_owned).boxed(),
            ],
            0..12,
        ),
    ) {
        let text = pieces.concat();
        let Some(plain) = plain::read(&text) else {
            return Ok(());
        };
        let mut last = 0;
        for (at, letter) in plain.text.char_indices() {
            let written = plain.written(&(at..at + letter.len_utf8()));
            prop_assert!(written.start >= last && written.end > written.start);
            let alone = text.get(written.clone()).unwrap();
            let reads = plain::read(alone).map_or(alone.to_owned(), |plain| plain.text);
            prop_assert_eq!(reads, letter.to_string());
            last = written.end;
        }
    }
}

#[track_caller]
fn check_reads(text: &str, reads: &str) {
    let plain = plain::read(text).map_or(text.to_owned(), |plain| plain.text);
    assert_eq!(plain, reads);
}

#[test]
fn escapes_read_as_what_they_stand_for() {
    check_reads(r"postgres:\/\/app", "postgres://app");
    check_reads(r#"{\\\"a\\\":1}"#, r#"{"a":1}"#);
    check_reads(r"a\nb\\\\nc", "a\nb\nc");
    check_reads(r"\u0041\ud83e\udd80", "A🦀");
    check_reads("a%20b%252Dc%25%zz%00", "a b-c%%zz%00");
    check_reads("\u{1b}[1;31mred\u{1b}[0m \u{1b}]0;title\u{7}x", "red x");
    check_reads("５：ｘ", "5:x");
    check_reads("C:\\dir", "C:\\dir");
    check_reads("é 50% of it", "é 50% of it");
}
