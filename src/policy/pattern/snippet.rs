//! Snippets. Owns which piece of a text is shown around a hit.
//! May not escape it for a terminal: the command line does.

use std::ops::Range;

use unicode_segmentation::GraphemeCursor;

use crate::domain::{Part, Snippet};

use super::found::{Match, Position};
use super::part_text::part_text;
use super::row_text::RowText;

/// How many characters a snippet has at most unless asked otherwise: two lines of a terminal.
pub const SNIPPET_CHARS: usize = 160;

/// What stands where the text goes on.
const MORE: &str = "…";

/// The share of a snippet before its first hit: one part in this many.
const LEAD_SHARE: usize = 4;

/// What stands between two pieces of a text.
const BETWEEN: &str = " … ";

/// Fewer characters than this say nothing of a hit: the room for one is not halved further.
const LEAST_PIECE: usize = 24;

/// Returns one line of at most `max_chars` characters that shows as many terms of a match as it
/// can: around the place where most of them are near, or around two places if that shows more.
/// Blanks and controls in a row are one blank; clusters of characters stay whole.
#[must_use]
pub fn snippet(row: &RowText<'_>, found: &Match, max_chars: usize) -> Snippet {
    // Two characters are kept for the marks at both ends.
    let room = max_chars.saturating_sub(2);
    let whole = densest(&found.positions, &[], room);
    if whole.terms.len() < n_terms(&found.positions)
        && let Some(two) = two_pieces(row, &found.positions, &whole, max_chars)
    {
        return two;
    }
    let (text, window) = around(row, &whole, room);
    line(
        text,
        &window,
        &in_part(&found.positions, whole.part_idx),
        max_chars,
    )
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

/// A place in a text, with the terms that lie there.
#[derive(Debug, Default)]
struct Spot {
    part_idx: usize,
    bytes: Range<usize>,
    terms: Vec<usize>,
}

/// Returns the place from which most terms lie within a number of bytes, those of `but` not
/// counted: the first of several.
fn densest(places: &[Position], but: &[usize], room: usize) -> Spot {
    let mut best = Spot::default();
    for (idx, place) in places.iter().enumerate() {
        let near = places.iter().skip(idx).take_while(|other| {
            other.part_idx == place.part_idx && other.bytes.end <= place.bytes.start + room
        });
        let mut end = place.bytes.end;
        // A hit longer than the room is shown by its beginning.
        let mut terms = vec![place.term_idx];
        for other in near {
            if !terms.contains(&other.term_idx) {
                terms.push(other.term_idx);
                end = end.max(other.bytes.end);
            }
        }
        terms.retain(|term| !but.contains(term));
        if terms.len() > best.terms.len() {
            best = Spot {
                part_idx: place.part_idx,
                bytes: place.bytes.start..end,
                terms,
            };
        }
    }
    best
}

/// Shows two pieces of a row if more terms are in them than `whole` shows in one.
fn two_pieces(
    row: &RowText<'_>,
    places: &[Position],
    whole: &Spot,
    max_chars: usize,
) -> Option<Snippet> {
    let between = BETWEEN.chars().count();
    let half = max_chars.saturating_sub(2 + between) / 2;
    if half < LEAST_PIECE {
        return None;
    }
    let one = densest(places, &[], half);
    let other = densest(places, &one.terms, half);
    if one.terms.len() + other.terms.len() <= whole.terms.len() {
        return None;
    }
    let (first, second) = if (one.part_idx, one.bytes.start) <= (other.part_idx, other.bytes.start)
    {
        (one, other)
    } else {
        (other, one)
    };
    let (text, left) = around(row, &first, half);
    let (other_text, right) = around(row, &second, half);
    let hits = in_part(places, first.part_idx);
    if first.part_idx == second.part_idx && right.start <= left.end {
        let both = left.start..left.end.max(right.end);
        return Some(line(text, &both, &hits, max_chars));
    }
    let other_hits = in_part(places, second.part_idx);
    let before = if left.start > 0 { MORE } else { "" };
    let after = if right.end < other_text.len() {
        MORE
    } else {
        ""
    };
    let pieces = [
        piece(text, &left, &hits),
        piece(other_text, &right, &other_hits),
    ];
    Some(joined(before, pieces, after))
}

/// Returns the text of a spot's part, and the window around the spot.
fn around<'a>(row: &'a RowText<'_>, spot: &Spot, room: usize) -> (&'a str, Range<usize>) {
    let text = row.part(spot.part_idx).unwrap_or_default();
    (text, window(text, &spot.bytes, room))
}

fn n_terms(places: &[Position]) -> usize {
    let mut terms: Vec<usize> = places.iter().map(|place| place.term_idx).collect();
    terms.sort_unstable();
    terms.dedup();
    terms.len()
}

fn in_part(places: &[Position], part_idx: usize) -> Vec<&Position> {
    let places = places.iter();
    places.filter(|place| place.part_idx == part_idx).collect()
}

/// Grows a window around hits: first a little to the left, as far as they leave room for it, then to the right, then to the left
/// with what is left over.
fn window(text: &str, hits: &Range<usize>, room: usize) -> Range<usize> {
    let start = hits.start;
    let mut window = start..start;
    let mut n_left = room;
    let most = room.saturating_sub(hits.len()).min(room / LEAD_SHARE);
    grow_left(text, &mut window, &mut n_left, most);
    let lead = room - n_left;
    grow_right(text, &mut window, &mut n_left);
    let rest = n_left;
    grow_left(text, &mut window, &mut n_left, rest);
    if window.end < text.len() || lead == most {
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
    let before = if window.start > 0 && max_chars > 0 {
        MORE
    } else {
        ""
    };
    let after = if window.end < text.len() && max_chars > 1 {
        MORE
    } else {
        ""
    };
    joined(before, [piece(text, window, places)], after)
}

/// Joins pieces to one line between two marks.
fn joined<const N: usize>(before: &str, pieces: [Snippet; N], after: &str) -> Snippet {
    let mut line = Snippet {
        text: before.to_owned(),
        highlights: Vec::new(),
    };
    for (piece_idx, piece) in pieces.into_iter().enumerate() {
        if piece_idx > 0 {
            line.text.push_str(BETWEEN);
        }
        let at = line.text.len();
        let moved = piece
            .highlights
            .iter()
            .map(|(from, to)| (from + at, to + at));
        line.highlights.extend(moved);
        line.text.push_str(&piece.text);
    }
    line.text.push_str(after);
    line
}

/// Writes a window without marks.
fn piece(text: &str, window: &Range<usize>, places: &[&Position]) -> Snippet {
    let shown = text.get(window.clone()).unwrap_or_default();
    let mut line = String::with_capacity(shown.len() + 6);
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
