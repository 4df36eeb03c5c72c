//! How a line with a stub falls into records.

use proptest::prelude::*;

use crate::import::split::{Piece, line_text, split_line, split_tail};

fn is_record(text: &str) -> bool {
    text.contains("\"uuid\"")
}

#[track_caller]
fn check_split(line: &str, expected: &[&str]) {
    let seen: Vec<String> = split_line(line, is_record)
        .into_iter()
        .map(|piece| match piece {
            Piece::Record { at, text } => {
                assert!(line[at..].starts_with(text));
                text.to_owned()
            }
            Piece::Bad { at, length, .. } => format!("bad {}", &line[at..at + length]),
        })
        .collect();
    assert_eq!(seen, expected, "{line:?}");
}

#[test]
fn blank_lines_and_padding_have_no_pieces() {
    check_split("", &[]);
    check_split(" \t\r", &[]);
    check_split("\0\0\0", &[]);
    check_split("  {\"a\":1}\r", &["{\"a\":1}"]);
    check_split("\0\0{\"a\":1}\0\0\0", &["{\"a\":1}"]);
}

#[test]
fn what_is_no_object_is_reported() {
    check_split("\"text\"", &["bad \"text\""]);
    check_split("[1,2] ", &["bad [1,2]"]);
    check_split("null", &["bad null"]);
    check_split("{\"a\":", &["bad {\"a\":"]);
    check_split("<<<<<<< HEAD", &["bad <<<<<<< HEAD"]);
}

#[test]
fn records_glued_together_are_both_taken() {
    check_split("{\"a\":1}{\"b\":2}", &["{\"a\":1}", "{\"b\":2}"]);
    check_split("{\"a\":1} junk", &["{\"a\":1}", "bad junk"]);
    check_split("{\"a\":1}\0\0{\"b\":2}", &["{\"a\":1}", "{\"b\":2}"]);
}

#[test]
fn a_record_after_a_stub_is_saved_and_the_stub_reported() {
    let record = r#"{"type":"user","uuid":"2","x":{"y":[]}}"#;
    for stub in [
        r#"{"type":"user","message":{"content":"cut he"#,
        r#"{"type":"user","message":"#,
        "\u{fffd}",
        r#"{"type":"user","blocks":[{"type":"text","text":"x"},"#,
    ] {
        check_split(
            &format!("{stub}{record}"),
            &[&format!("bad {stub}"), record],
        );
        check_split(
            &format!("{stub}\0\0{record}"),
            &[&format!("bad {stub}"), record],
        );
    }
}

#[test]
fn an_object_inside_a_stub_is_no_record() {
    let stub = r#"{"uuid":"1","blocks":[{"type":"text","uuid":"x"}],"sto"#;
    check_split(stub, &[&format!("bad {stub}")]);
}

#[test]
fn a_hostile_line_is_searched_in_linear_time() {
    let nested = "{\"a\":".repeat(200_000);
    let begin = std::time::Instant::now();
    assert_eq!(split_line(&nested, is_record).len(), 1);
    let glued = format!("{{\"a\" {}", "{\"".repeat(500_000));
    assert_eq!(split_line(&glued, is_record).len(), 1);
    assert!(begin.elapsed().as_secs() < 5, "{:?}", begin.elapsed());
}

#[test]
fn only_whole_objects_at_the_beginning_of_a_tail_are_taken() {
    let tail = split_tail("{\"a\":1} {\"b\":");
    assert_eq!(
        (tail.records.len(), tail.consumed, tail.is_pending),
        (1, 7, true)
    );
    let tail = split_tail("{\"a\":1} ");
    assert_eq!(
        (tail.records.len(), tail.consumed, tail.is_pending),
        (1, 8, false)
    );
    let tail = split_tail("{\"a\":{\"b\":1}");
    assert_eq!(
        (tail.records.len(), tail.consumed, tail.is_pending),
        (0, 0, true)
    );
    let tail = split_tail("42");
    assert_eq!(
        (tail.records.len(), tail.consumed, tail.is_pending),
        (0, 0, true)
    );
    let tail = split_tail("\0\0");
    assert_eq!(
        (tail.records.len(), tail.consumed, tail.is_pending),
        (0, 0, true)
    );
}

#[test]
fn bad_bytes_are_replaced_and_the_byte_order_mark_is_passed_over_once() {
    let (text, mark) = line_text(b"\xEF\xBB\xBF{}", 0);
    assert_eq!((text.as_ref(), mark), ("{}", 3));
    let (text, mark) = line_text(b"a\xFF\xC3(b", 9);
    assert_eq!((text.as_ref(), mark), ("a\u{FFFD}\u{FFFD}(b", 0));
}

proptest! {
    /// What is taken from a tail is what is taken from the line once it is finished.
    #[test]
    fn a_tail_gives_what_its_line_gives(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                r#"{"uuid":"1"}"#, r#"{"a":{"b":"}{"}}"#, " ", "\0", r#"{"cut":"#, "junk", "[1]",
                r#"{"uuid":"é"}"#,
            ]),
            0..6,
        ),
        at in 0usize..80,
    ) {
        let line = pieces.concat();
        let mut cut = at.min(line.len());
        while !line.is_char_boundary(cut) {
            cut -= 1;
        }
        let head = split_tail(&line[..cut]);
        let mut seen: Vec<&str> = head.records.iter().map(|(_, text)| *text).collect();
        let rest = split_line(&line[head.consumed..], is_record);
        let whole = split_line(&line, is_record);
        let records = |pieces: &[Piece<'_>]| -> Vec<String> {
            pieces.iter().filter_map(|piece| match piece {
                Piece::Record { text, .. } => Some((*text).to_owned()),
                Piece::Bad { .. } => None,
            }).collect()
        };
        let tail = records(&rest);
        seen.extend(tail.iter().map(String::as_str));
        prop_assert_eq!(seen, records(&whole));
    }
}
