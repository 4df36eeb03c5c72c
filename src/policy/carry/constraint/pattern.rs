//! Patterns of words, read from a language's lists. Owns their notation and how they match.
//!
//! Patterns are parted by `|`. `^` stands for the beginning of a clause behind words that open
//! one, `$` for its end, `…` for any words between, `#` for a number, `a/b` for either word, a
//! final `*` for any ending, a first one for any beginning, `@do` for the language's verbs of command, `@rule` for its words for
//! a rule.

use std::collections::HashMap;

/// What a pattern shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// A demand or a ban.
    Demand,
    /// A constraint taken back.
    Lift,
    /// A duty taken back: what was forbidden stays so.
    Relief,
    /// Words of forbidding.
    Ban,
    /// A value put in the place of another.
    Replace,
    /// That the clause tells or asks, and demands nothing.
    Veto,
    /// That somebody else says what follows.
    Report,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Word(String),
    Stem(String),
    Ending(String),
    Number,
    Gap,
}

#[derive(Debug, Clone)]
struct Pattern {
    sign: Sign,
    is_start: bool,
    is_end: bool,
    pieces: Vec<Piece>,
}

/// A language's patterns by how they begin.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    by_start: HashMap<String, Vec<Pattern>>,
}

/// A clause as patterns see it.
pub(super) struct Clause<'c> {
    /// Its words.
    pub(super) words: &'c [String],
    /// Where a clause may be said to begin in it.
    pub(super) starts: Vec<usize>,
}

impl Patterns {
    /// Adds the patterns of a list.
    pub(super) fn add(&mut self, sign: Sign, list: &str, verbs: &str, rules: &str) {
        for written in list.split('|').map(str::trim).filter(|one| !one.is_empty()) {
            for plain in alternatives(written, verbs, rules) {
                if let Some((start, pattern)) = read(sign, &plain) {
                    self.by_start.entry(start).or_default().push(pattern);
                }
            }
        }
    }

    /// Says whether a pattern of this sign matches somewhere in a clause.
    pub(super) fn shows(&self, sign: Sign, clause: &Clause<'_>) -> bool {
        clause.words.iter().enumerate().any(|(at, word)| {
            let start: String = word.chars().take(START_LETTERS).collect();
            let candidates = self.by_start.get(&start);
            candidates.into_iter().flatten().any(|pattern| {
                pattern.sign == sign
                    && (!pattern.is_start || clause.starts.contains(&at))
                    && matches(
                        &pattern.pieces,
                        clause.words.get(at..).unwrap_or_default(),
                        pattern.is_end,
                    )
            })
        })
    }
}

/// Letters of a first word that patterns are found by.
const START_LETTERS: usize = 3;

fn matches(pieces: &[Piece], words: &[String], is_end: bool) -> bool {
    match (pieces, words) {
        ([], rest) => !is_end || rest.is_empty(),
        ([Piece::Gap], _) => true,
        ([Piece::Gap, after @ ..], _) => (0..words.len())
            .any(|skip| matches(after, words.get(skip..).unwrap_or_default(), is_end)),
        (_, []) => false,
        ([piece, after @ ..], [word, rest @ ..]) => {
            let fits = match piece {
                Piece::Word(wanted) => word == wanted,
                Piece::Stem(stem) => word.starts_with(stem.as_str()),
                Piece::Ending(ending) => word.ends_with(ending.as_str()),
                Piece::Number => word.starts_with(|first: char| first.is_numeric()),
                Piece::Gap => true,
            };
            fits && matches(after, rest, is_end)
        }
    }
}

/// Writes a pattern out for each choice it leaves.
fn alternatives(written: &str, verbs: &str, rules: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for piece in written.split_whitespace() {
        let bare = piece.trim_start_matches('^').trim_end_matches('$');
        let (before, after) = (piece.starts_with('^'), piece.ends_with('$'));
        let choices: Vec<&str> = match bare {
            "@do" => verbs.split('|').map(str::trim).collect(),
            "@rule" => rules.split('|').map(str::trim).collect(),
            _ => bare.split('/').collect(),
        };
        all = all
            .iter()
            .flat_map(|start| {
                choices.iter().map(move |choice| {
                    let (open, close) =
                        (if before { "^" } else { "" }, if after { "$" } else { "" });
                    format!("{start} {open}{choice}{close}")
                })
            })
            .collect();
    }
    all
}

/// Reads one pattern without choices, with the letters it is found by.
fn read(sign: Sign, written: &str) -> Option<(String, Pattern)> {
    let written = written.trim();
    let (is_start, written) = match written.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, written),
    };
    let (is_end, written) = match written.strip_suffix('$') {
        Some(rest) => (true, rest),
        None => (false, written),
    };
    let mut pieces = Vec::new();
    for word in written.split_whitespace() {
        match word {
            "…" => pieces.push(Piece::Gap),
            "#" => pieces.push(Piece::Number),
            _ if word.starts_with('*') => {
                pieces.push(Piece::Ending(word.trim_start_matches('*').to_owned()));
            }
            _ if word.ends_with('*') => {
                pieces.push(Piece::Stem(word.trim_end_matches('*').to_owned()));
            }
            _ => pieces.extend(split_unspaced(word)),
        }
    }
    let start = match pieces.first()? {
        Piece::Word(word) | Piece::Stem(word) => word.chars().take(START_LETTERS).collect(),
        Piece::Ending(_) | Piece::Number | Piece::Gap => return None,
    };
    let pattern = Pattern {
        sign,
        is_start,
        is_end,
        pieces,
    };
    Some((start, pattern))
}

/// Parts a word of a script without blanks into its characters.
fn split_unspaced(word: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut spaced = String::new();
    for letter in word.chars() {
        if crate::policy::language::is_unspaced(letter) {
            if !spaced.is_empty() {
                pieces.push(Piece::Word(std::mem::take(&mut spaced)));
            }
            pieces.push(Piece::Word(letter.to_string()));
        } else if letter == '…' || letter == '#' {
            if !spaced.is_empty() {
                pieces.push(Piece::Word(std::mem::take(&mut spaced)));
            }
            pieces.push(if letter == '…' {
                Piece::Gap
            } else {
                Piece::Number
            });
        } else {
            spaced.push(letter);
        }
    }
    if !spaced.is_empty() {
        pieces.push(Piece::Word(spaced));
    }
    pieces
}
