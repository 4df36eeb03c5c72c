//! Probes. Owns how one term is looked for in a row.
//! May not know the other terms.

use std::ops::Range;

use memchr::memmem::Finder;
use regex::Regex;

use crate::domain::{Field, HitKind, Operand, SearchRow, Words};

use super::cut::Cut;
use super::field::is_met;
use super::forms::{Breadth, other_words};
use super::found::{DateHit, Position, TermHit};
use super::literal;
use super::needle::{Compare, Needle};
use super::query::{Term, TermUse};
use super::regular::compile;
use super::row_text::{RowText, TextPart};
use super::sieve::{Form, Sieve, Speaker};

/// The most places kept of one term: enough for a snippet.
const MAX_PLACES: usize = 16;

/// The fewest adjacent words of a date that are a date.
const DATE_WORDS: usize = 3;

/// A term made ready to be looked for.
#[derive(Debug)]
pub(super) struct ReadyTerm {
    probe: Probe,
    pub(super) term_use: TermUse,
    /// Whether a row without it can be left at once.
    pub(super) is_must: bool,
    /// What a row must hold; only where it must have the term.
    sieve: Option<Sieve>,
}

#[derive(Debug)]
enum Probe {
    Words {
        needles: Vec<Needle>,
        dates: Dates,
    },
    Substring(Box<Finder<'static>>),
    Expression(Regex),
    Field(Field),
    /// An expression that does not compile; reading the pattern refused it.
    Never,
}

/// Whether a term looks at dates: a beginning or a substring would find most of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dates {
    Looked,
    Skipped,
}

impl ReadyTerm {
    /// Makes a term ready.
    pub(super) fn new(term: &Term, breadth: Breadth, is_must: bool) -> Self {
        let probe = Probe::new(&term.operand, term.term_use, breadth);
        // Where some of the words are enough, every row in reach is counted.
        let may_sieve = is_must && breadth == Breadth::Forms;
        Self {
            sieve: may_sieve.then(|| probe.sieve(&term.operand)).flatten(),
            probe,
            term_use: term.term_use,
            is_must,
        }
    }

    /// Says whether a row can be left without a look at its text: a field that it must meet is
    /// not met.
    pub(super) fn is_refused(&self, row: &SearchRow) -> bool {
        match &self.probe {
            Probe::Field(field) => self.is_must && !is_met(field, row),
            Probe::Words { .. } | Probe::Substring(_) | Probe::Expression(_) | Probe::Never => {
                false
            }
        }
    }

    /// Says whether a row can be left without cutting its text.
    pub(super) fn is_ruled_out(&self, row: &SearchRow) -> bool {
        self.is_refused(row)
            || self
                .sieve
                .as_ref()
                .is_some_and(|sieve| !sieve.lets_through(row))
    }

    /// Looks for the term in the parts of one kind, or in all.
    pub(super) fn look(
        &self,
        row: &RowText<'_>,
        kind: Option<HitKind>,
        term_idx: usize,
        positions: &mut Vec<Position>,
    ) -> TermHit {
        let mut hit = TermHit {
            term_use: self.term_use,
            ..TermHit::default()
        };
        if let Probe::Field(field) = &self.probe {
            hit.count = u32::from(is_met(field, row.row));
            return hit;
        }
        let mut n_places = 0;
        let parts = row.parts.iter().enumerate();
        for (part_idx, part) in parts.filter(|(_, part)| kind.is_none_or(|kind| part.kind == kind))
        {
            self.probe.scan(part, |folded, bytes| {
                hit.count = hit.count.saturating_add(1);
                if row.is_early(part_idx, folded.start) {
                    hit.n_early = hit.n_early.saturating_add(1);
                }
                if self.term_use == TermUse::Wanted && n_places < MAX_PLACES {
                    n_places += 1;
                    positions.push(Position {
                        part_idx,
                        bytes: bytes.unwrap_or_else(|| part.cut.source(&folded)),
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
            TermUse::Unwanted | TermUse::Filter => Dates::Skipped,
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
            Operand::Regex(expression) => compile(expression).map_or(Self::Never, Self::Expression),
            Operand::Field(field) => Self::Field(field.clone()),
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

    /// Returns what a row must hold for this to be in it.
    fn sieve(&self, operand: &Operand) -> Option<Sieve> {
        match (self, operand) {
            (Self::Words { needles, dates }, _) => {
                let speaker = match dates {
                    Dates::Looked => Speaker::Dated,
                    Dates::Skipped => Speaker::Counts,
                };
                let pieces = needles.iter().map(Needle::literal);
                Sieve::new(pieces, Form::Folded, speaker)
            }
            (Self::Substring(_), Operand::Fuzzy(text)) => {
                let pieces = std::iter::once(text.as_str());
                Sieve::new(pieces, Form::Folded, Speaker::Apart)
            }
            (Self::Expression(_), Operand::Regex(expression)) => {
                let pieces = literal::pieces(expression);
                Sieve::new(
                    pieces.iter().map(String::as_str),
                    Form::Stored,
                    Speaker::Apart,
                )
            }
            _ => None,
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

    /// Calls back with the folded bytes of each place, and with the bytes of the text where those
    /// are known.
    fn scan(
        &self,
        part: &TextPart<'_>,
        mut on_hit: impl FnMut(Range<usize>, Option<Range<usize>>),
    ) {
        match self {
            Self::Words { needles, .. } => {
                for needle in needles {
                    needle.scan(&part.cut, |folded| on_hit(folded, None));
                }
            }
            Self::Substring(finder) => {
                let length = finder.needle().len();
                for at in finder.find_iter(part.cut.folded.as_bytes()) {
                    on_hit(at..at + length, None);
                }
            }
            Self::Expression(expression) => {
                let found = expression.find_iter(&part.text);
                for place in found.filter(|place| !place.is_empty()) {
                    on_hit(usize::MAX..usize::MAX, Some(place.range()));
                }
            }
            Self::Field(_) | Self::Never => {}
        }
    }
}
