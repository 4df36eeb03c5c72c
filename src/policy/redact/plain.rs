//! A text as its reader sees it: escapes read, what is invisible left out. Owns where each letter of
//! it stands in the text itself.
//! May not decide what a secret is.
//!
//! JSON writes `\/`, `\n` and `\u002d`, an address `%2D`; a zero-width letter or a terminal's colours
//! may stand inside a key. Each is read in one pass, nested escapes too: `\\\"` and `%252D` are what
//! JSON within JSON makes of a quotation mark, and an address within an address of a hyphen.

use std::ops::Range;

/// Backslashes before one letter that are read as one escape: JSON doubles them with each nesting.
const MOST_BACKSLASHES: usize = 32;

/// `25` between a percent sign and its digits that are read as one escape.
const MOST_NESTED: usize = 8;

/// A control sequence of a terminal is no longer than this.
const SEQUENCE_LETTERS: usize = 64;

/// A text that reads otherwise than it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plain {
    /// As it reads.
    pub(super) text: String,
    /// Stretches, old to new: where each begins as it reads, and where it stands as it is written.
    stretches: Vec<Stretch>,
}

/// Letters in a row that are written as they read, or one letter that is not.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stretch {
    reads_at: usize,
    written: Range<usize>,
    /// Bytes as it reads.
    n_bytes: usize,
}

/// One letter as it reads, and how many bytes write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Letter {
    reads: char,
    n_bytes: usize,
}

/// Reads `text`; none if it reads as it is written.
pub(super) fn read(text: &str) -> Option<Plain> {
    let may_differ = |letter: char| matches!(letter, '\\' | '%' | '\u{1b}') || !letter.is_ascii();
    if !text.contains(may_differ) {
        return None;
    }
    let mut plain = Plain {
        text: String::with_capacity(text.len()),
        stretches: Vec::new(),
    };
    let mut at = 0;
    while let Some(letter) = letter_at(text, at) {
        let end = at + letter.n_bytes;
        if letter.reads == '\u{1b}' {
            at = after_sequence(text, end);
        } else {
            if !is_invisible(letter.reads) {
                plain.push(letter.reads, at..end);
            }
            at = end;
        }
    }
    (plain.text != text).then_some(plain)
}

impl Plain {
    fn push(&mut self, letter: char, written: Range<usize>) {
        let reads_at = self.text.len();
        let n_bytes = letter.len_utf8();
        self.text.push(letter);
        let is_same = n_bytes == written.len();
        match self.stretches.last_mut() {
            Some(last)
                if is_same
                    && last.written.end == written.start
                    && last.n_bytes == last.written.len() =>
            {
                last.written.end = written.end;
                last.n_bytes += n_bytes;
            }
            _ => self.stretches.push(Stretch {
                reads_at,
                written,
                n_bytes,
            }),
        }
    }

    /// Returns where a range of the text as it reads is written.
    pub(super) fn written(&self, reads: &Range<usize>) -> Range<usize> {
        let start = self.stretch(reads.start).map_or(0, |stretch| {
            let inside = reads.start - stretch.reads_at;
            stretch.written.start + stretch.scaled(inside, Edge::Start)
        });
        let end = reads.end.checked_sub(1).and_then(|last| self.stretch(last));
        let end = end.map_or(start, |stretch| {
            let inside = reads.end - stretch.reads_at;
            stretch.written.start + stretch.scaled(inside, Edge::End)
        });
        start..end.max(start)
    }

    /// Finds the stretch that holds a byte.
    fn stretch(&self, reads_at: usize) -> Option<&Stretch> {
        let n_before = self
            .stretches
            .partition_point(|stretch| stretch.reads_at <= reads_at);
        self.stretches.get(n_before.checked_sub(1)?)
    }
}

/// Which end of a range is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    Start,
    End,
}

impl Stretch {
    /// Returns how far into the stretch a byte is written; an escape is one piece.
    fn scaled(&self, inside: usize, edge: Edge) -> usize {
        match edge {
            _ if self.n_bytes == self.written.len() => inside.min(self.n_bytes),
            Edge::Start => 0,
            Edge::End => self.written.len(),
        }
    }
}

/// Reads the letter that is written from `at` on.
fn letter_at(text: &str, at: usize) -> Option<Letter> {
    let rest = text.get(at..)?;
    let written = rest.chars().next()?;
    let escape = match written {
        '\\' => backslash(rest.as_bytes()),
        '%' => percent(rest.as_bytes()),
        _ => None,
    };
    Some(escape.unwrap_or(Letter {
        reads: unwidened(written),
        n_bytes: written.len_utf8(),
    }))
}

/// Reads an escape that begins with a backslash.
fn backslash(bytes: &[u8]) -> Option<Letter> {
    let n_backslashes = bytes
        .iter()
        .take(MOST_BACKSLASHES)
        .take_while(|byte| **byte == b'\\')
        .count();
    let (reads, n_more) = match bytes.get(n_backslashes)? {
        b'n' => ('\n', 1),
        b'r' => ('\r', 1),
        b't' => ('\t', 1),
        b'e' => ('\u{1b}', 1),
        byte @ (b'/' | b'"' | b'\'') => (char::from(*byte), 1),
        b'u' => unicode(bytes, n_backslashes)?,
        b'x' => (char::from_u32(hex(bytes, n_backslashes + 1, 2)?)?, 3),
        b'0' if bytes.get(n_backslashes..n_backslashes + 3)? == b"033" => ('\u{1b}', 3),
        _ => return None,
    };
    let n_bytes = n_backslashes + n_more;
    Some(Letter { reads, n_bytes })
}

/// Reads the digits behind `\u`, of both halves where it takes two.
fn unicode(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let first = hex(bytes, at + 1, 4)?;
    if let Some(letter) = char::from_u32(first) {
        return Some((letter, 5));
    }
    if bytes.get(at + 5..at + 7)? != b"\\u" {
        return None;
    }
    let second = hex(bytes, at + 7, 4)?;
    let is_pair = (0xd800..0xdc00).contains(&first) && (0xdc00..0xe000).contains(&second);
    let code = 0x1_0000 + ((first & 0x3ff) << 10) + (second & 0x3ff);
    char::from_u32(code)
        .filter(|_| is_pair)
        .map(|letter| (letter, 11))
}

/// Reads an escape of an address; letters beyond ASCII stay as they are written.
fn percent(bytes: &[u8]) -> Option<Letter> {
    let is_nested = |idx: &usize| bytes.get(idx * 2 + 1..idx * 2 + 3) == Some(b"25");
    let n_nested = (0..MOST_NESTED).take_while(is_nested).count();
    let read = |n_nested: usize| {
        let code = hex(bytes, n_nested * 2 + 1, 2)?;
        let is_text = (0x20..0x7f).contains(&code) || matches!(code, 0x09 | 0x0a | 0x0d);
        let reads = char::from_u32(code).filter(|_| is_text)?;
        let n_bytes = n_nested * 2 + 3;
        Some(Letter { reads, n_bytes })
    };
    read(n_nested).or_else(|| read(n_nested.checked_sub(1)?))
}

fn hex(bytes: &[u8], from: usize, n_digits: usize) -> Option<u32> {
    let digits = bytes.get(from..from + n_digits)?;
    digits.iter().try_fold(0, |code, digit| {
        Some(code * 16 + char::from(*digit).to_digit(16)?)
    })
}

/// Returns the end of a control sequence whose escape letter ends at `at`.
fn after_sequence(text: &str, mut at: usize) -> usize {
    let Some(kind) = letter_at(text, at) else {
        return at;
    };
    // A sequence of another kind is its escape letter alone.
    let is_end: fn(char) -> bool = match kind.reads {
        '[' => |letter| ('@'..='~').contains(&letter),
        ']' => |letter| letter == '\u{7}',
        _ => return at,
    };
    let start = at;
    at += kind.n_bytes;
    for _ in 0..SEQUENCE_LETTERS {
        match letter_at(text, at) {
            Some(letter) if is_end(letter.reads) => return at + letter.n_bytes,
            Some(letter) if letter.reads != '\n' => at += letter.n_bytes,
            _ => break,
        }
    }
    start
}

/// Says whether a letter shows as nothing.
fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
    )
}

/// Returns the ASCII letter that a wide one stands for.
fn unwidened(letter: char) -> char {
    match letter {
        '\u{ff01}'..='\u{ff5e}' => {
            char::from_u32(u32::from(letter) - 0xff01 + 0x21).unwrap_or(letter)
        }
        _ => letter,
    }
}
