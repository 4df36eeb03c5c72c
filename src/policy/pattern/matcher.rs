//! Matching. Owns the decision whether a row is found, and what was found in it.
//! May not score it: `policy/rank` does.

use std::ops::Range;

use memchr::memmem::Finder;

use crate::domain::{Expr, HitKind, Operand, Words};

use super::cut::Cut;
use super::forms::{Breadth, other_words};
use super::needle::{Compare, Needle};
use super::query::{Pattern, Term, TermUse};
use super::row_text::RowText;

/// The most places kept of one term: enough for a snippet.
const MAX_PLACES: usize = 16;

/// The fewest adjacent words of a date that are a date.
const DATE_WORDS: usize = 3;

/// A pattern made ready to look into rows.
#[derive(Debug)]
pub struct Matcher {
    terms: Vec<ReadyTerm>,
    root: Node,
    whole_forms: Vec<Finder<'static>>,
}

/// What was found in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Match {
    /// How many of the wanted terms it has.
    pub coverage: Coverage,
    /// What it has of each term, in the order of [`Pattern::terms`].
    pub terms: Vec<TermHit>,
    /// The words of its text.
    pub length: usize,
    /// Whether its last words ask.
    pub ending: Ending,
    /// What kind of part was hit first.
    pub kind: HitKind,
    /// Whole written forms (`c++`, `foo_bar`) that its text has, of those in the pattern.
    pub whole_forms: Coverage,
    /// Places in its text, in order; at most a few of each term.
    pub positions: Vec<Position>,
}

/// Some of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coverage {
    /// How many are there.
    pub found: usize,
    /// How many were asked for.
    pub wanted: usize,
}

impl Coverage {
    /// Says whether all are there.
    #[must_use]
    pub const fn is_whole(self) -> bool {
        self.found == self.wanted
    }
}

/// What a row has of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct TermHit {
    /// What the term is for.
    pub term_use: TermUse,
    /// How often it stands in the text.
    pub count: u32,
    /// How often among the first words: what the messages beside it are given of it.
    pub n_early: u32,
    /// Whether the speaker's name has it.
    pub is_speaker: bool,
    /// What the date has of it.
    pub date: DateHit,
}

/// How the text of a row ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With a question mark.
    Question,
    /// In any other way.
    Statement,
}

fn ending(row: &RowText<'_>) -> Ending {
    let last = row.parts.last().map(|part| part.text.trim_end());
    if last.is_some_and(|text| text.ends_with(['?', '？', '؟'])) {
        Ending::Question
    } else {
        Ending::Statement
    }
}

/// What the words of a date have of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DateHit {
    /// Nothing.
    #[default]
    None,
    /// A word, which counts beside another term only.
    Word,
    /// A whole date.
    Whole,
}

impl TermHit {
    /// Says whether the row has the term at all.
    #[must_use]
    pub fn is_present(self) -> bool {
        self.is_strong() || self.date == DateHit::Word
    }

    /// Says whether it has the term by itself, not only beside another.
    #[must_use]
    pub fn is_strong(self) -> bool {
        self.count > 0 || self.is_speaker || self.date == DateHit::Whole
    }
}

/// A place in the searchable text of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Position {
    /// Which part, counted among those searched.
    pub part_idx: usize,
    /// The bytes.
    pub bytes: Range<usize>,
    /// Which term.
    pub term_idx: usize,
}

#[derive(Debug)]
struct ReadyTerm {
    probe: Probe,
    term_use: TermUse,
    /// Whether a row without it can be left at once.
    is_must: bool,
}

#[derive(Debug)]
enum Probe {
    Words { needles: Vec<Needle>, dates: Dates },
    Substring(Box<Finder<'static>>),
}

/// Whether a term looks at dates: a beginning or a substring would find most of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dates {
    Looked,
    Skipped,
}

#[derive(Debug)]
enum Node {
    Term(usize),
    All(Vec<Node>),
    Any(Vec<Node>),
    Without(Box<Node>, Box<Node>),
}

impl Matcher {
    /// Makes a pattern ready.
    #[must_use]
    pub fn new(pattern: &Pattern) -> Self {
        let terms = pattern.terms();
        let root = node(&pattern.expr, TermUse::Wanted, &terms);
        let must = musts(&root);
        Self {
            terms: terms
                .iter()
                .enumerate()
                .map(|(term_idx, term)| ReadyTerm {
                    probe: Probe::new(&term.operand, term.term_use, pattern.breadth()),
                    term_use: term.term_use,
                    is_must: must.contains(&term_idx),
                })
                .collect(),
            root,
            whole_forms: pattern
                .whole_forms
                .iter()
                .map(|form| Finder::new(form).into_owned())
                .collect(),
        }
    }

    /// Returns what a row has of the pattern; none if it does not match.
    #[must_use]
    pub fn matches(&self, row: &RowText<'_>) -> Option<Match> {
        let mut hits = vec![TermHit::default(); self.terms.len()];
        let mut positions = Vec::new();
        for (term_idx, (term, hit)) in self.terms.iter().zip(&mut hits).enumerate() {
            *hit = term.look(row, term_idx, &mut positions);
            if term.is_must && !hit.is_present() {
                return None;
            }
        }
        let is_accompanied = self
            .terms
            .iter()
            .zip(&hits)
            .any(|(term, hit)| term.term_use == TermUse::Wanted && hit.is_strong());
        if !is_accompanied || !self.root.holds(&hits) {
            return None;
        }
        positions.sort_by_key(|place: &Position| (place.part_idx, place.bytes.start));
        let first = positions.first().map_or(0, |place| place.part_idx);
        Some(Match {
            coverage: self.coverage(&hits),
            terms: hits,
            length: row.length(),
            ending: ending(row),
            kind: row.parts.get(first).map_or(HitKind::Text, |part| part.kind),
            whole_forms: self.whole_forms(row),
            positions,
        })
    }

    /// Returns what a row has that does not match: nothing but its length and its ending. Rows
    /// beside a match are ranked by what they are given.
    #[must_use]
    pub fn nothing_of(&self, row: &RowText<'_>) -> Match {
        let terms = self.terms.iter().map(|term| TermHit {
            term_use: term.term_use,
            ..TermHit::default()
        });
        let terms: Vec<TermHit> = terms.collect();
        Match {
            coverage: self.coverage(&terms),
            terms,
            length: row.length(),
            ending: ending(row),
            kind: row.parts.first().map_or(HitKind::Text, |part| part.kind),
            whole_forms: self.whole_forms(row),
            positions: Vec::new(),
        }
    }

    fn coverage(&self, hits: &[TermHit]) -> Coverage {
        let wanted = self
            .terms
            .iter()
            .zip(hits)
            .filter(|(term, _)| term.term_use == TermUse::Wanted);
        Coverage {
            found: wanted.clone().filter(|(_, hit)| hit.is_present()).count(),
            wanted: wanted.count(),
        }
    }

    fn whole_forms(&self, row: &RowText<'_>) -> Coverage {
        let has = |form: &&Finder<'static>| {
            row.parts
                .iter()
                .any(|part| form.find(part.cut.folded.as_bytes()).is_some())
        };
        Coverage {
            found: self.whole_forms.iter().filter(has).count(),
            wanted: self.whole_forms.len(),
        }
    }
}

impl ReadyTerm {
    fn look(&self, row: &RowText<'_>, term_idx: usize, positions: &mut Vec<Position>) -> TermHit {
        let mut hit = TermHit {
            term_use: self.term_use,
            ..TermHit::default()
        };
        let mut n_places = 0;
        for (part_idx, part) in row.parts.iter().enumerate() {
            self.probe.scan(&part.cut, |folded| {
                hit.count = hit.count.saturating_add(1);
                if row.is_early(part_idx, folded.start) {
                    hit.n_early = hit.n_early.saturating_add(1);
                }
                if self.term_use == TermUse::Wanted && n_places < MAX_PLACES {
                    n_places += 1;
                    positions.push(Position {
                        part_idx,
                        bytes: part.cut.source(&folded),
                        term_idx,
                    });
                }
            });
        }
        if let Probe::Words { needles, dates } = &self.probe {
            if let Some(speaker) = &row.speaker {
                hit.is_speaker = needles.iter().any(|needle| is_in(needle, speaker));
            }
            if let (Some(date), Dates::Looked) = (&row.date, dates) {
                hit.date = date_hit(needles, date);
            }
        }
        hit
    }
}

fn is_in(needle: &Needle, cut: &Cut) -> bool {
    let mut is_in = false;
    needle.scan(cut, |_| is_in = true);
    is_in
}

fn date_hit(needles: &[Needle], date: &Cut) -> DateHit {
    needles
        .iter()
        .find(|needle| is_in(needle, date))
        .map_or(DateHit::None, |needle| {
            if needle.len() >= DATE_WORDS {
                DateHit::Whole
            } else {
                DateHit::Word
            }
        })
}

impl Probe {
    fn new(operand: &Operand, term_use: TermUse, breadth: Breadth) -> Self {
        let dates = match term_use {
            TermUse::Wanted | TermUse::Optional => Dates::Looked,
            TermUse::Unwanted => Dates::Skipped,
        };
        match operand {
            Operand::Word(words) => {
                Self::words(words, Compare::Stems, dates).or_others(match words.pieces.as_slice() {
                    [only] => other_words(only, breadth),
                    _ => Vec::new(),
                })
            }
            Operand::Phrase(words) => Self::words(words, Compare::Whole, dates),
            Operand::Prefix(words) => Self::words(words, Compare::LastOpen, Dates::Skipped),
            Operand::Fuzzy(text) => Self::Substring(Box::new(Finder::new(text).into_owned())),
        }
    }

    fn words(words: &Words, compare: Compare, dates: Dates) -> Self {
        let split = words.split.as_deref();
        Self::Words {
            needles: std::iter::once(words.pieces.as_slice())
                .chain(split)
                .map(|pieces| Needle::new(pieces, compare))
                .collect(),
            dates,
        }
    }

    /// Looks for other words too.
    fn or_others(mut self, others: Vec<&'static str>) -> Self {
        if let Self::Words { needles, .. } = &mut self {
            needles.extend(
                others
                    .into_iter()
                    .map(|word| Needle::new(&[word.to_owned()], Compare::Stems)),
            );
        }
        self
    }

    fn scan(&self, cut: &Cut, mut on_hit: impl FnMut(Range<usize>)) {
        match self {
            Self::Words { needles, .. } => {
                for needle in needles {
                    needle.scan(cut, &mut on_hit);
                }
            }
            Self::Substring(finder) => {
                let length = finder.needle().len();
                for at in finder.find_iter(cut.folded.as_bytes()) {
                    on_hit(at..at + length);
                }
            }
        }
    }
}

impl Node {
    fn holds(&self, hits: &[TermHit]) -> bool {
        match self {
            Self::Term(term_idx) => hits.get(*term_idx).is_some_and(|hit| hit.is_present()),
            Self::All(nodes) => nodes.iter().all(|node| node.holds(hits)),
            Self::Any(nodes) => nodes.iter().any(|node| node.holds(hits)),
            Self::Without(left, right) => left.holds(hits) && !right.holds(hits),
        }
    }
}

fn node(expr: &Expr, term_use: TermUse, terms: &[Term]) -> Node {
    match expr {
        Expr::Term(operand) => Node::Term(
            terms
                .iter()
                .position(|term| term.term_use == term_use && term.operand == *operand)
                .unwrap_or(usize::MAX),
        ),
        Expr::And(exprs) => Node::All(nodes(exprs, term_use, terms)),
        Expr::Or(exprs) => Node::Any(nodes(exprs, term_use, terms)),
        Expr::Without(left, right) => Node::Without(
            Box::new(node(left, term_use, terms)),
            Box::new(node(right, TermUse::Unwanted, terms)),
        ),
    }
}

fn nodes(exprs: &[Expr], term_use: TermUse, terms: &[Term]) -> Vec<Node> {
    exprs
        .iter()
        .map(|expr| node(expr, term_use, terms))
        .collect()
}

/// Returns the terms without which the pattern cannot hold.
fn musts(root: &Node) -> Vec<usize> {
    match root {
        Node::Term(term_idx) => vec![*term_idx],
        Node::All(nodes) => nodes.iter().flat_map(musts).collect(),
        Node::Any(_) => Vec::new(),
        Node::Without(left, _) => musts(left),
    }
}
