//! The bytes of a record and their hash, for whoever wants to check a message against its file.
//! May not judge a record: identity is `resolve`'s, and rests on ids.

use std::borrow::Cow;
use std::ops::Range;

use sha2::{Digest, Sha256};

use super::frame::Line;
use super::split::line_text;

/// Returns the SHA-256 of a record's bytes.
pub(super) fn sha256(record: &[u8]) -> [u8; 32] {
    Sha256::digest(record).into()
}

/// A line as text, and where its pieces lie among its bytes.
pub(super) struct Reading<'a> {
    line: Line<'a>,
    text: Cow<'a, str>,
    /// Bytes of a byte order mark, which is no text.
    mark: usize,
}

impl<'a> Reading<'a> {
    /// Reads a line. Bytes that are no UTF-8 become U+FFFD.
    pub(super) fn of(line: Line<'a>) -> Self {
        let (text, mark) = line_text(line.bytes, line.offset);
        Self { line, text, mark }
    }

    pub(super) fn line(&self) -> Line<'a> {
        self.line
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the text has a byte for each of the line's.
    pub(super) fn is_exact(&self) -> bool {
        matches!(self.text, Cow::Borrowed(_))
    }

    /// Returns the line's bytes from which a piece of the text was read.
    pub(super) fn raw(&self, piece: Range<usize>) -> Range<usize> {
        if self.is_exact() {
            return self.mark + piece.start..self.mark + piece.end;
        }
        self.raw_at(piece.start)..self.raw_at(piece.end)
    }

    /// Walks text and bytes side by side: each run of bytes that are no UTF-8 is one U+FFFD.
    fn raw_at(&self, at: usize) -> usize {
        let (mut text_at, mut raw_at) = (0, self.mark);
        for chunk in self
            .line
            .bytes
            .get(self.mark..)
            .unwrap_or_default()
            .utf8_chunks()
        {
            let n_valid = chunk.valid().len();
            if at <= text_at + n_valid {
                return raw_at + (at - text_at);
            }
            text_at += n_valid + char::REPLACEMENT_CHARACTER.len_utf8();
            raw_at += n_valid + chunk.invalid().len();
        }
        raw_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_raw(bytes: &[u8], offset: u64, piece: &str, expected: Range<usize>) {
        let reading = Reading::of(Line {
            number: 1,
            offset,
            bytes,
        });
        let at = reading.text().find(piece).unwrap();
        assert_eq!(reading.raw(at..at + piece.len()), expected);
    }

    #[test]
    fn a_piece_of_a_line_is_found_among_its_bytes() {
        check_raw(b"  {\"a\":1} ", 0, "{\"a\":1}", 2..9);
        check_raw(b"\xEF\xBB\xBF{}", 0, "{}", 3..5);
        // Later in a file the same bytes are text.
        check_raw(b"\xEF\xBB\xBF{}", 7, "{}", 3..5);
        check_raw(
            b"\xFF{\"a\":\"\xC3\xC3\"}\xF0\x9F{}",
            0,
            "{\"a\":\"\u{fffd}\u{fffd}\"}",
            1..11,
        );
        check_raw(b"\xFF{\"a\":\"\xC3\xC3\"}\xF0\x9F{}", 0, "{}", 13..15);
        check_raw(b"\xEF\xBB\xBF\xFFx\xFF", 0, "x", 4..5);
        check_raw(b"\xEF\xBB\xBF\xFFx\xFF", 0, "x\u{fffd}", 4..6);
    }

    #[test]
    fn the_hash_is_the_one_that_others_compute() {
        // The first example of FIPS 180-4.
        let hex = blake3::Hash::from(sha256(b"abc")).to_hex();
        assert_eq!(
            hex.as_str(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
