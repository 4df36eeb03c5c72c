//! Matching. Owns the decision whether a row is found, and what was found in it.
//! May not score it: `policy/rank` does.

use memchr::memmem::Finder;

use crate::domain::{Expr, HitKind, SearchRow};

use super::found::{Coverage, Match, Position, TermHit, ending};
use super::part_text::{part_or_thought, part_text};
use super::probe::ReadyTerm;
use super::query::{Pattern, Term, TermUse};
use super::row_text::RowText;
use super::when::{Mention, mention};

/// A pattern made ready to look into rows.
#[derive(Debug)]
pub struct Matcher {
    terms: Vec<ReadyTerm>,
    root: Node,
    whole_forms: Vec<Finder<'static>>,
    /// The one kind of parts that is looked at, if the pattern names it.
    part_kind: Option<HitKind>,
    /// Whether rows are looked at for times.
    asks_when: bool,
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
                .map(|(term_idx, term)| {
                    ReadyTerm::new(term, pattern.breadth(), must.contains(&term_idx))
                })
                .collect(),
            root,
            part_kind: pattern.part_kind(),
            asks_when: pattern.asks_when(),
            whole_forms: pattern
                .whole_forms
                .iter()
                .map(|form| Finder::new(form).into_owned())
                .collect(),
        }
    }

    /// Says whether a row is what the fields ask for that it must meet. A row without its texts is
    /// judged like the whole one, as long as calls have their arguments.
    #[must_use]
    pub fn is_asked_for(&self, row: &SearchRow) -> bool {
        !self.terms.iter().any(|term| term.is_refused(row))
    }

    /// Cuts a row as far as the pattern looks at it; none if its fields, or what it must
    /// hold, rule the row out.
    #[must_use]
    pub fn text_of<'row>(&self, row: &'row SearchRow) -> Option<RowText<'row>> {
        let is_ruled_out = self.terms.iter().any(|term| term.is_ruled_out(row));
        (!is_ruled_out).then(|| match self.part_kind {
            Some(HitKind::Reasoning) => RowText::with_thoughts(row),
            _ => RowText::of(row),
        })
    }

    /// Returns the text that the pattern looks at in a row, not cut into words: enough for a
    /// snippet of what was found in it.
    #[must_use]
    pub fn shown_text_of<'row>(&self, row: &'row SearchRow) -> RowText<'row> {
        RowText::uncut(
            row,
            match self.part_kind {
                Some(HitKind::Reasoning) => part_or_thought,
                _ => part_text,
            },
        )
    }

    /// Returns what a row has of the pattern; none if it does not match.
    #[must_use]
    pub fn matches(&self, row: &RowText<'_>) -> Option<Match> {
        let mut hits = vec![TermHit::default(); self.terms.len()];
        let mut positions = Vec::new();
        for (term_idx, (term, hit)) in self.terms.iter().zip(&mut hits).enumerate() {
            *hit = term.look(row, self.part_kind, term_idx, &mut positions);
            if term.is_must && !hit.is_present() {
                return None;
            }
        }
        let is_accompanied = self
            .terms
            .iter()
            .zip(&hits)
            .any(|(term, hit)| term.term_use == TermUse::Wanted && hit.is_strong());
        // A word of the date counts only beside a word of the text or the speaker.
        let counts: fn(TermHit) -> bool = if is_accompanied {
            TermHit::is_present
        } else {
            TermHit::is_strong
        };
        if !self.root.holds(&hits, counts) {
            return None;
        }
        positions.sort_by_key(|place: &Position| (place.part_idx, place.bytes.start));
        let first = positions.first().map_or(0, |place| place.part_idx);
        Some(Match {
            coverage: self.coverage(&hits),
            terms: hits,
            length: row.length(),
            ending: ending(row),
            mention: self.mention(row),
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
            mention: self.mention(row),
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

    fn mention(&self, row: &RowText<'_>) -> Mention {
        if self.asks_when {
            mention(row)
        } else {
            Mention::Nothing
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

impl Node {
    fn holds(&self, hits: &[TermHit], counts: fn(TermHit) -> bool) -> bool {
        match self {
            Self::Term(term_idx) => hits.get(*term_idx).is_some_and(|hit| counts(*hit)),
            Self::All(nodes) => nodes.iter().all(|node| node.holds(hits, counts)),
            Self::Any(nodes) => nodes.iter().any(|node| node.holds(hits, counts)),
            Self::Without(left, right) => left.holds(hits, counts) && !right.holds(hits, counts),
        }
    }
}

fn node(expr: &Expr, term_use: TermUse, terms: &[Term]) -> Node {
    match expr {
        Expr::Term(operand) => Node::Term(
            terms
                .iter()
                .position(|term| term.term_use == term_use.of(operand) && term.operand == *operand)
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
