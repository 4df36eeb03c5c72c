//! Snippets. Owns which piece of a text is shown around a hit.
//! May not escape it for a terminal: the command line does.

use std::ops::Range;

use unicode_segmentation::GraphemeCursor;

use crate::domain::{Part, Snippet};

use super::matcher::{Match, Position};
use super::part_text::part_text;
use super::row_text::RowText;

/// How many characters a snippet has at most unless asked otherwise: two lines of a terminal.
pub const SNIPPET_CHARS: usize = 160;

/// What stands where the text goes on.
const MORE: char = '…';

/// The share of a snippet before its first hit: one part in this many.
const LEAD_SHARE: usize = 4;

/// Returns one line of at most `max_chars` characters around the place of a match where most of
/// its terms are near. Blanks and controls in a row are one blank; clusters of characters stay
/// whole.
#[must_use]
pub fn snippet(row: &RowText<'_>, found: &Match, max_chars: usize) -> Snippet {
    let part_idx = found.positions.first().map_or(0, |place| place.part_idx);
    let places: Vec<&Position> = found
        .positions
        .iter()
        .filter(|place| place.part_idx == part_idx)
        .collect();
    let text = row.part(part_idx).unwrap_or_default();
    // Two characters are kept for the marks at both ends.
    let room = max_chars.saturating_sub(2);
    let start = densest(&places, room);
    let window = window(text, start, room);
    line(text, &window, &places, max_chars)
}

/// Returns the beginning of what a message says, one line of at most `max_chars` characters: its
/// words, calls and results one after another, thoughts left out.
#[must_use]
pub fn beginning(parts: &[Part], max_chars: usize) -> String {
    let mut text = String::new();
    for part in parts {
        if let Some((_, words)) = part_text(part) {
            text.push_str(&words);
            text.push('\n');
        }
        // A character has at most 4 bytes, so this much text has more than is shown.
        if text.len() > max_chars.saturating_mul(4).saturating_add(4) {
            break;
        }
    }
    let text = text.trim();
    let mut shown = 0..0;
    // A character is kept for the mark at the end.
    grow_right(text, &mut shown, &mut max_chars.saturating_sub(1));
    line(text, &shown, &[], max_chars).text
}

/// Returns the first byte of the place from which most terms lie within a number of bytes.
fn densest(places: &[&Position], room: usize) -> usize {
    let mut best = (0, 0);
    for (idx, place) in places.iter().enumerate() {
        let mut terms: Vec<usize> = places
            .iter()
            .skip(idx)
            .take_while(|other| other.bytes.end <= place.bytes.start + room)
            .map(|other| other.term_idx)
            .collect();
        terms.sort_unstable();
        terms.dedup();
        let n_terms = terms.len().max(1);
        if n_terms > best.0 {
            best = (n_terms, place.bytes.start);
        }
    }
    best.1
}

/// Grows a window around a place: first a little to the left, then to the right, then to the left
/// with what is left over.
fn window(text: &str, start: usize, room: usize) -> Range<usize> {
    let mut window = start..start;
    let mut n_left = room;
    grow_left(text, &mut window, &mut n_left, room / LEAD_SHARE);
    let lead = room - n_left;
    grow_right(text, &mut window, &mut n_left);
    let rest = n_left;
    grow_left(text, &mut window, &mut n_left, rest);
    if window.end < text.len() || lead == room / LEAD_SHARE {
        begin_at_word(text, &mut window, start);
    }
    window
}

fn grow_left(text: &str, window: &mut Range<usize>, n_left: &mut usize, at_most: usize) {
    let mut allowed = at_most.min(*n_left);
    let mut cursor = GraphemeCursor::new(window.start, text.len(), true);
    while let Ok(Some(at)) = cursor.prev_boundary(text, 0) {
        let n_chars = n_chars(text, at..window.start);
        if n_chars > allowed {
            return;
        }
        allowed -= n_chars;
        *n_left -= n_chars;
        window.start = at;
    }
}

fn grow_right(text: &str, window: &mut Range<usize>, n_left: &mut usize) {
    let mut cursor = GraphemeCursor::new(window.end, text.len(), true);
    while let Ok(Some(at)) = cursor.next_boundary(text, 0) {
        let n_chars = n_chars(text, window.end..at);
        if n_chars > *n_left {
            return;
        }
        *n_left -= n_chars;
        window.end = at;
    }
}

/// Moves the start of a window to the next blank if one stands before the hit.
fn begin_at_word(text: &str, window: &mut Range<usize>, hit: usize) {
    if window.start == 0 {
        return;
    }
    let lead = text.get(window.start..hit).unwrap_or_default();
    if let Some(blank) = lead.find(char::is_whitespace) {
        window.start += blank;
    }
}

fn n_chars(text: &str, range: Range<usize>) -> usize {
    text.get(range).unwrap_or_default().chars().count()
}

/// Writes a window as one line, with its hits as bytes of that line.
fn line(text: &str, window: &Range<usize>, places: &[&Position], max_chars: usize) -> Snippet {
    let shown = text.get(window.clone()).unwrap_or_default();
    let mut line = String::with_capacity(shown.len() + 6);
    if window.start > 0 && max_chars > 0 {
        line.push(MORE);
    }
    // Where each shown character of the text begins in the line.
    let mut begins: Vec<(usize, usize)> = Vec::with_capacity(shown.len());
    let mut is_blank = true;
    for (at, c) in shown.char_indices() {
        begins.push((window.start + at, line.len()));
        let is_space = c.is_whitespace() || c.is_control();
        if !is_space {
            line.push(c);
        } else if !is_blank {
            line.push(' ');
        }
        is_blank = is_space;
    }
    let length = line.trim_end().len();
    line.truncate(length);
    begins.push((window.end, length));
    if window.end < text.len() && max_chars > 1 {
        line.push(MORE);
    }
    Snippet {
        highlights: highlights(&begins, window, places, length),
        text: line,
    }
}

fn highlights(
    begins: &[(usize, usize)],
    window: &Range<usize>,
    places: &[&Position],
    length: usize,
) -> Vec<(usize, usize)> {
    let in_line = |byte: usize| {
        let idx = begins.partition_point(|(source, _)| *source < byte);
        begins.get(idx).map_or(length, |(_, at)| (*at).min(length))
    };
    let mut highlights: Vec<(usize, usize)> = Vec::new();
    for place in places {
        let from = place.bytes.start.clamp(window.start, window.end);
        let to = place.bytes.end.clamp(window.start, window.end);
        let (from, to) = (in_line(from), in_line(to));
        if from >= to {
            continue;
        }
        match highlights.last_mut() {
            Some(last) if from < last.1 => last.1 = last.1.max(to),
            _ => highlights.push((from, to)),
        }
    }
    highlights
}
