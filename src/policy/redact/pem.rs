//! Private keys in PEM, and in the form of `PuTTY`. Owns how far one reaches, whole or cut at either end.
//! May not read past the lines of a key: a key without its end takes no prose with it.
//!
//! Tools show files with something before each line: a number, a file's name, a diff's mark. Code
//! writes a key as strings that are put together. A line of a key is told by its letters, whatever of
//! this stands around them.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::Secret;

const KIND: &str = "private_key";

/// The line above a private key, and the one below it. `PuTTY` counts the lines above them.
static EDGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        "-----(?:(?<begin>BEGIN)|END) (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----",
        "|(?<ppk>Private-Lines: ?[0-9]{1,4})",
    ))
    .ok()
});

/// Marks of code, quotes and comments around a line.
const MARKS: &str = r#"[ \t"'`+\\>|*#/.,;:(){}\[\]&$-]"#;

/// What stands before a line: its number, a file's name and the number, or a file's name alone right
/// before the letters.
const BEFORE: &str = concat!(
    r"(?:[ \t]*(?:[0-9]{1,7}(?:[ \t]*(?:→|[:|)-])|[ \t.])",
    r"|[A-Za-z0-9_./@~+-]+[:-][0-9]{1,7}[:-])?MARKS{0,24}|[A-Za-z0-9_./@~+-]+[:-])",
);

/// Letters of a key, as many as no word of prose has, perhaps in pieces.
const LETTERS: &str = "(?<key>[A-Za-z0-9+/=]{16,}(?:MARKS{1,24}[A-Za-z0-9+/=]{16,})*)";

/// A line that begins with letters of a key.
static LINE: LazyLock<Option<Regex>> = LazyLock::new(|| look("^BEFORELETTERS"));

/// A line that ends with letters of a key.
static TAIL: LazyLock<Option<Regex>> = LazyLock::new(|| look("LETTERSMARKS{0,24}$"));

/// A line that ends with so many of them that anything may stand before.
static LONG: LazyLock<Option<Regex>> =
    LazyLock::new(|| look("[^A-Za-z0-9+/=](?<key>[A-Za-z0-9+/=]{40,})MARKS{0,24}$"));

/// A line that may be the last of a key.
static SHORT: LazyLock<Option<Regex>> =
    LazyLock::new(|| look("^BEFORE(?<key>[A-Za-z0-9+/]{0,15}={0,2})MARKS{0,24}$"));

/// A line between the beginning and the key.
static HEADER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    look("^BEFORE(?<key>(?:Proc-Type|DEK-Info|Comment|Version|Charset):.{0,200})")
});

/// What is before a line of a key and no part of it.
static ONLY_BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| look("^BEFORE$"));

/// Letters of a key and nothing else, behind a column.
static BARE: LazyLock<Option<Regex>> =
    LazyLock::new(|| look("^(?<key>[A-Za-z0-9+/]{1,63}={0,2})MARKS{0,24}$"));

/// What stands before each line is no longer than this, where it is told by its width alone.
const MOST_COLUMNS: usize = 120;

/// Letters in a row that are a line of a key: a word of prose is shorter.
const LEAST_LINE: usize = 16;

/// Short or empty lines in a row that are a part of the key beside them: code that puts strings together
/// leaves one of marks alone after each.
const MOST_SHORT: usize = 6;

fn look(look: &str) -> Option<Regex> {
    let look = look.replace("BEFORE", BEFORE).replace("LETTERS", LETTERS);
    Regex::new(&look.replace("MARKS", MARKS)).ok()
}

/// An edge of a key.
struct Edge {
    at: Range<usize>,
    kind: EdgeKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EdgeKind {
    Begin,
    End,
}

/// How far a key reaches into the text behind its beginning.
struct Reach {
    /// Where its last line ends that is one for certain.
    end: usize,
    /// Whether the lines up to the next edge are its own if that edge is its end.
    is_whole: bool,
}

/// Finds private keys. A beginning takes the lines of a key that follow it, an end without one the
/// lines before it.
pub(super) fn find(text: &str, found: &mut Vec<Secret>) {
    let mut edges = edges(text).into_iter().peekable();
    let mut taken = 0;
    while let Some(edge) = edges.next() {
        let at = match edge.kind {
            EdgeKind::Begin => {
                let bound = edges.peek().map_or(text.len(), |next| next.at.start);
                let before = text.get(taken..edge.at.start).unwrap_or_default();
                let column = before
                    .rfind('\n')
                    .map_or(before.len(), |at| before.len() - at - 1);
                let reach = after_begin(text.get(edge.at.end..bound).unwrap_or_default(), column);
                let is_end = |next: &Edge| reach.is_whole && next.kind == EdgeKind::End;
                let end = edges.next_if(is_end).map(|end| end.at.end);
                edge.at.start..end.unwrap_or(edge.at.end + reach.end)
            }
            EdgeKind::End => {
                let body = text.get(taken..edge.at.start).unwrap_or_default();
                taken + before_end(body)..edge.at.end
            }
        };
        taken = at.end;
        found.push(Secret::new(at, KIND));
    }
}

fn edges(text: &str) -> Vec<Edge> {
    let looked = EDGE.as_ref().map(|edge| edge.captures_iter(text));
    let edges = looked.into_iter().flatten().filter_map(|groups| {
        let is_begin = groups.name("begin").is_some() || groups.name("ppk").is_some();
        Some(Edge {
            at: groups.get(0)?.range(),
            kind: if is_begin {
                EdgeKind::Begin
            } else {
                EdgeKind::End
            },
        })
    });
    edges.collect()
}

/// Returns how far a key reaches that begins above `body`, `column` bytes behind its line's start.
fn after_begin(body: &str, column: usize) -> Reach {
    let mut end = 0;
    let mut at = 0;
    let mut n_short = 0;
    for line in body.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let is_before_edge = at == body.len() && is_in_column(line.len(), column);
        let line = line.trim_end();
        let taken = key_in(&LINE, line)
            .or_else(|| key_in(&LONG, line))
            .or_else(|| key_in(&HEADER, line))
            .or_else(|| key_in_column(line, column).filter(|key| key.len() >= LEAST_LINE));
        if let Some(key) = taken {
            end = start + key.end;
            n_short = 0;
            if !is_short(line.get(key.end..).unwrap_or_default()) {
                return Reach {
                    end,
                    is_whole: false,
                };
            }
        } else if let Some(key) = key_in(&SHORT, line)
            .or_else(|| key_in_column(line, column))
            .or_else(|| is_before_edge.then_some(0..0))
        {
            n_short += 1;
            if n_short > MOST_SHORT {
                return Reach {
                    end,
                    is_whole: false,
                };
            }
            // Padding ends a key: no word ends so.
            if line.get(key.clone()).unwrap_or_default().ends_with('=') {
                end = start + key.end;
            }
        } else {
            return Reach {
                end,
                is_whole: false,
            };
        }
    }
    Reach {
        end,
        is_whole: true,
    }
}

/// Returns where a key begins that ends below `body`.
fn before_end(body: &str) -> usize {
    let mut start = body.len();
    let mut line_end = body.len();
    let mut n_short = 0;
    let column = body
        .rfind('\n')
        .map_or(body.len(), |at| body.len() - at - 1);
    loop {
        let before = body.get(..line_end).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.get(line_start..).unwrap_or_default().trim_end();
        if let Some(key) = key_in(&TAIL, line).or_else(|| key_in(&LONG, line)) {
            start = line_start + key.start;
            n_short = 0;
            let is_first = key_in(&LONG, line).is_none()
                && !is_in_column(key.start, column)
                && !ONLY_BEFORE
                    .as_ref()
                    .is_some_and(|only| only.is_match(line.get(..key.start).unwrap_or_default()));
            if is_first {
                return start;
            }
        } else if n_short < MOST_SHORT
            && (is_short(line)
                || key_in_column(line, column).is_some()
                || (line_end == body.len() && column <= MOST_COLUMNS))
        {
            n_short += 1;
        } else {
            return start;
        }
        match line_start.checked_sub(1) {
            Some(end) => line_end = end,
            None => return start,
        }
    }
}

fn key_in(look: &LazyLock<Option<Regex>>, line: &str) -> Option<Range<usize>> {
    let groups = look.as_ref()?.captures(line)?;
    Some(groups.name("key")?.range())
}

/// Finds the last letters of a key where the lines of it begin, give or take a digit of a number.
fn key_in_column(line: &str, column: usize) -> Option<Range<usize>> {
    let columns = column.saturating_sub(1)..=column + 1;
    let mut columns = columns.filter(|at| (1..=MOST_COLUMNS).contains(at));
    columns.find_map(|at| {
        let (before, rest) = line.split_at_checked(at)?;
        let is_apart = !before.ends_with(|letter: char| letter.is_alphanumeric());
        let key = key_in(&BARE, rest).filter(|_| is_apart)?;
        Some(at + key.start..at + key.end)
    })
}

fn is_in_column(n_bytes: usize, column: usize) -> bool {
    column <= MOST_COLUMNS && n_bytes.abs_diff(column) <= 1
}

fn is_short(line: &str) -> bool {
    key_in(&SHORT, line).is_some()
}
