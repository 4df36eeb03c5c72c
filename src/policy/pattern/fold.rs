//! Folding. Owns the form in which texts are compared, and the way back to the text as stored.
//! May not cut words.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, decompose_compatible};
use unicode_normalization::{IsNormalized, is_nfc_quick, is_nfkc_quick};

/// Says whether a character vanishes: joiners, direction marks, variation selectors, tags, the
/// soft hyphen, the Arabic stretcher.
const fn vanishes(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{640}' | '\u{180b}'..='\u{180f}'
            | '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{20e3}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Takes the characters of a text in normal form, case kept, each with the bytes it comes from.
pub(super) trait Sink {
    /// Takes one character.
    fn take(&mut self, c: char, source: Range<usize>);

    /// Takes a run of ASCII that begins at a byte of the text and that nothing composes with.
    fn take_ascii(&mut self, run: &str, at: usize);
}

/// Walks a text in NFKC. A control character is a blank, joiners and their like are left out.
pub(super) fn normalise(text: &str, sink: &mut impl Sink) {
    let mut cluster = String::new();
    let mut from = 0;
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii() {
            let run = plain_run(text, at);
            if !run.is_empty() {
                flush(&mut cluster, from..at, sink);
                sink.take_ascii(run, at);
                at += run.len();
                continue;
            }
        }
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else {
            break;
        };
        if !vanishes(c) {
            if begins_cluster(c) {
                flush(&mut cluster, from..at, sink);
            }
            if cluster.is_empty() {
                from = at;
            }
            cluster.push(c);
        }
        at += c.len_utf8();
    }
    flush(&mut cluster, from..text.len(), sink);
}

/// Returns the ASCII from a byte on, without a last character that what follows may compose with.
fn plain_run(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    let length = rest.bytes().position(|byte| !byte.is_ascii());
    let length = length.map_or(rest.len(), |length| length.saturating_sub(1));
    rest.get(..length).unwrap_or_default()
}

/// Returns one blank for every kind of blank, for control characters and for U+200B, so that a
/// substring is found across the ends of lines whichever blank it is written with.
pub(super) fn spaced(c: char) -> char {
    if c.is_control() || c.is_whitespace() || c == '\u{200b}' {
        ' '
    } else {
        c
    }
}

/// Says whether nothing before a character can compose with it or be reordered behind it.
fn begins_cluster(c: char) -> bool {
    if c.is_ascii() {
        return true;
    }
    let mut first = None;
    decompose_compatible(c, |part| {
        first.get_or_insert(part);
    });
    let first = first.unwrap_or(c);
    canonical_combining_class(first) == 0
        && is_nfc_quick(std::iter::once(first)) == IsNormalized::Yes
}

fn flush(cluster: &mut String, source: Range<usize>, sink: &mut impl Sink) {
    let mut chars = cluster.chars();
    match (chars.next(), chars.next()) {
        (None, _) => return,
        (Some(only), None)
            if only.is_ascii() || is_nfkc_quick(std::iter::once(only)) == IsNormalized::Yes =>
        {
            let end = source.start + only.len_utf8();
            sink.take(spaced(only), source.start..end);
        }
        _ => {
            for c in cluster.nfkc() {
                sink.take(spaced(c), source.clone());
            }
        }
    }
    cluster.clear();
}

/// Appends a character with its case folded.
pub(super) fn push_folded(folded: &mut String, c: char) {
    match c {
        _ if c.is_ascii() => folded.push(c.to_ascii_lowercase()),
        'ß' | 'ẞ' => folded.push_str("ss"),
        'ς' => folded.push('σ'),
        'İ' => folded.push('i'),
        // What lower-casing makes of `İ` elsewhere.
        '\u{307}' if folded.ends_with('i') => {}
        _ => folded.extend(c.to_lowercase()),
    }
}

/// The way from folded bytes back to the bytes of the text.
#[derive(Debug, Clone, Default)]
pub(super) struct SourceMap {
    stretches: Vec<Stretch>,
}

/// Folded bytes that come from source bytes one by one, or as a whole.
#[derive(Debug, Clone)]
struct Stretch {
    folded: usize,
    source: Range<usize>,
    is_even: bool,
}

impl SourceMap {
    /// Records that the folded bytes from `folded` on, `length` of them, come from `source`.
    pub(super) fn record(&mut self, folded: usize, length: usize, source: Range<usize>) {
        let is_even = length == source.len();
        if let Some(last) = self.stretches.last_mut() {
            if last.is_even && is_even && last.source.end == source.start {
                last.source.end = source.end;
                return;
            }
            if source == last.source {
                last.is_even = false;
                return;
            }
        }
        self.stretches.push(Stretch {
            folded,
            source,
            is_even,
        });
    }

    /// Returns the bytes of the text that folded bytes come from.
    pub(super) fn source(&self, folded: &Range<usize>) -> Range<usize> {
        let start = self.stretch(folded.start);
        let last = self.stretch(folded.end.saturating_sub(1));
        let (Some(start), Some(last)) = (start, last) else {
            return 0..0;
        };
        let from = if start.is_even {
            start.source.start + (folded.start - start.folded)
        } else {
            start.source.start
        };
        let to = if last.is_even {
            last.source.start + (folded.end - last.folded)
        } else {
            last.source.end
        };
        from..to.max(from)
    }

    fn stretch(&self, folded: usize) -> Option<&Stretch> {
        let after = self
            .stretches
            .partition_point(|stretch| stretch.folded <= folded);
        self.stretches.get(after.checked_sub(1)?)
    }
}
