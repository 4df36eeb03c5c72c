//! Patterns of words, read from a language's lists. Owns their notation and how they match.
//!
//! Patterns are parted by `|`. `^` stands for the beginning of a clause behind words that open
//! one, `$` for its end, `…` for any words between, `#` for a number, `a/b` for either word, a
//! final `*` for any ending, a first one for any beginning, `@do` for the language's verbs of command, `@rule` for its words for
//! a rule.

use std::collections::HashMap;

/// What a pattern shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
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

/// What the patterns of a clause show together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Signs(u8);

impl Signs {
    /// Says whether a sign is among them.
    pub(super) const fn has(self, sign: Sign) -> bool {
        self.0 & (1 << sign as u8) != 0
    }

    const fn add(&mut self, sign: Sign) {
        self.0 |= 1 << sign as u8;
    }

    /// Returns the signs of both.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
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

    /// Returns what the patterns that match somewhere in a clause show. Each word is looked up once.
    pub(super) fn signs(&self, clause: &Clause<'_>) -> Signs {
        let mut signs = Signs::default();
        for (at, word) in clause.words.iter().enumerate() {
            let Some(candidates) = self.by_start.get(head(word)) else {
                continue;
            };
            let rest = clause.words.get(at..).unwrap_or_default();
            for pattern in candidates {
                let is_shown = !signs.has(pattern.sign)
                    && (!pattern.is_start || clause.starts.contains(&at))
                    && matches(&pattern.pieces, rest, pattern.is_end);
                if is_shown {
                    signs.add(pattern.sign);
                }
            }
        }
        signs
    }
}

/// Returns the letters that patterns of a first word are found by.
fn head(word: &str) -> &str {
    let end = word.char_indices().nth(START_LETTERS);
    end.map_or(word, |(end, _)| word.get(..end).unwrap_or(word))
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
        Piece::Word(word) | Piece::Stem(word) => head(word).to_owned(),
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
