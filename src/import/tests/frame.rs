//! How bytes fall into records.

use std::io::{self, Read};

use proptest::prelude::*;

use crate::import::frame::{Frame, Framer, Position};

/// Gives bytes in pieces of one size, as a slow disk might.
struct Slow<'a> {
    bytes: &'a [u8],
    piece: usize,
}

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.piece.min(buffer.len()).min(self.bytes.len());
        buffer[..n].copy_from_slice(&self.bytes[..n]);
        self.bytes = &self.bytes[n..];
        Ok(n)
    }
}

fn frames(bytes: &[u8], piece: usize, max_line: usize) -> Vec<String> {
    let source = Slow { bytes, piece };
    let mut framer = Framer::with_max_line(source, Position::start(), max_line);
    let mut seen = Vec::new();
    while let Some(frame) = framer.next().unwrap() {
        let is_last = matches!(frame, Frame::Tail(_) | Frame::OversizedTail { .. });
        seen.push(match frame {
            Frame::Line(line) => format!(
                "{}@{} {}",
                line.number,
                line.offset,
                String::from_utf8_lossy(line.bytes)
            ),
            Frame::Tail(line) => format!(
                "tail {}@{} {}",
                line.number,
                line.offset,
                String::from_utf8_lossy(line.bytes)
            ),
            Frame::Oversized {
                number,
                offset,
                length,
            } => {
                format!("oversized {number}@{offset} {length}")
            }
            Frame::OversizedTail { number, offset } => format!("oversized tail {number}@{offset}"),
        });
        if is_last {
            break;
        }
    }
    let position = framer.position();
    let consumed = usize::try_from(position.offset).unwrap();
    assert_eq!(
        position.fingerprint(),
        *blake3::hash(&bytes[..consumed]).as_bytes()
    );
    seen
}

#[track_caller]
fn check_frames(text: &str, expected: &[&str]) {
    for piece in [1, 3, 1_000] {
        assert_eq!(
            frames(text.as_bytes(), piece, 100),
            expected,
            "pieces of {piece}"
        );
    }
}

#[test]
fn lines_have_numbers_and_offsets() {
    check_frames("", &[]);
    check_frames("a\n\nbc\n", &["1@0 a", "2@2 ", "3@3 bc"]);
    check_frames("a\r\nb", &["1@0 a\r", "tail 2@3 b"]);
}

#[test]
fn a_line_too_long_is_passed_over_with_its_size() {
    let long = "x".repeat(70_000);
    let text = format!("a\n{long}\nb\n");
    for piece in [7, 100_000] {
        let seen = frames(text.as_bytes(), piece, 1_000);
        assert_eq!(seen, ["1@0 a", "oversized 2@2 70000", "3@70003 b"]);
        let seen = frames(&text.as_bytes()[..50_000], piece, 1_000);
        assert_eq!(seen, ["1@0 a", "oversized tail 2@2"]);
    }
}

#[test]
fn a_tail_is_consumed_only_when_asked() {
    let mut framer = Framer::new(&b"a\nbcd"[..], Position::start());
    assert!(matches!(framer.next().unwrap(), Some(Frame::Line(_))));
    assert!(matches!(framer.next().unwrap(), Some(Frame::Tail(_))));
    assert_eq!(framer.position().offset, 2);
    framer.consume_tail(2);
    assert_eq!((framer.position().offset, framer.position().lines), (4, 1));
    assert_eq!(
        framer.position().fingerprint(),
        *blake3::hash(b"a\nbc").as_bytes()
    );
}

proptest! {
    #[test]
    fn no_byte_is_lost_or_doubled(
        lines in prop::collection::vec("[ab{}\" ]{0,40}", 0..12),
        piece in 1usize..50,
        ends_in_newline: bool,
    ) {
        let mut text = lines.join("\n");
        if ends_in_newline {
            text.push('\n');
        }
        let source = Slow { bytes: text.as_bytes(), piece };
        let mut framer = Framer::new(source, Position::start());
        let mut whole = Vec::new();
        loop {
            match framer.next().unwrap() {
                Some(Frame::Line(line)) => {
                    prop_assert_eq!(line.offset, whole.len() as u64);
                    whole.extend_from_slice(line.bytes);
                    whole.push(b'\n');
                }
                Some(Frame::Tail(line)) => {
                    whole.extend_from_slice(line.bytes);
                    break;
                }
                Some(other) => panic!("{other:?}"),
                None => break,
            }
        }
        prop_assert_eq!(whole, text.into_bytes());
    }
}
