//! Cuts. Owns where raw messages may be parted, and which of them are fresh.
//! May not choose a chunk: leaf and assemble do.

use std::collections::HashSet;
use std::ops::Range;

use crate::domain::{CallKey, Frontier, FrontierItem, MessageMeta, Role, Span, Tokens};

use super::limits::Limits;

mod around;
#[cfg(test)]
mod tests;

/// What stands before the first raw row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// Nothing but the system prompt: the first row opens a turn, whoever speaks.
    Nothing,
    /// A summary: unless a user speaks first, the turn began under it.
    Summary,
}

/// One visible message: its head row, its continuations and the hidden rows that follow.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unit {
    /// Its rows, as indexes into what was given. The first unit holds the hidden rows before it too.
    pub rows: Range<usize>,
    /// Its rows, as places.
    pub span: Span,
    /// Its role for cuts.
    pub role: Role,
    /// Its tokens in a view, without reasoning.
    pub view_tokens: Tokens,
    /// The tokens of its reasoning.
    pub reasoning_tokens: Tokens,
    /// Whether it says anything a summary could hold.
    pub has_words: bool,
}

/// The cuts of a run of raw rows that starts at a legal cut. Places between messages are unit
/// indexes: place `i` is before unit `i`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cuts {
    before: Before,
    units: Vec<Unit>,
    legal: Vec<usize>,
    preferred: Vec<usize>,
    has_open_call: bool,
    token_sums: Vec<Tokens>,
    word_sums: Vec<usize>,
}

impl Cuts {
    /// Finds the cuts of a frontier's raw rows.
    #[must_use]
    pub fn of(frontier: &Frontier) -> Self {
        let before = match frontier.items.first() {
            Some(FrontierItem::Node(_)) => Before::Summary,
            Some(FrontierItem::Raw(_)) | None => Before::Nothing,
        };
        Self::new(frontier.raw(), before)
    }

    /// Finds the cuts of raw rows. One pass: each row, call and result is looked at once.
    #[must_use]
    pub fn new<'rows>(rows: impl IntoIterator<Item = &'rows MessageMeta>, before: Before) -> Self {
        let rows: Vec<&MessageMeta> = rows.into_iter().collect();
        let units = gather(&rows);
        let mut cuts = Self {
            before,
            legal: Vec::new(),
            preferred: Vec::new(),
            has_open_call: false,
            token_sums: running(units.iter().map(|unit| unit.view_tokens), Tokens::ZERO),
            word_sums: running(units.iter().map(|unit| usize::from(unit.has_words)), 0),
            units,
        };
        cuts.find(&rows);
        cuts
    }

    fn find(&mut self, rows: &[&MessageMeta]) {
        let mut open: HashSet<&CallKey> = HashSet::new();
        let mut answered: HashSet<&CallKey> = HashSet::new();
        let mut previous = None;
        for (unit_idx, unit) in self.units.iter().enumerate() {
            if unit.role == Role::User {
                open.clear();
                if previous != Some(Role::User) {
                    // Occurrences are counted afresh within each turn.
                    answered.clear();
                    self.preferred.push(unit_idx);
                }
            } else if unit.role == Role::Assistant && previous != Some(Role::Assistant) {
                open.clear();
            }
            if open.is_empty() {
                self.legal.push(unit_idx);
            }
            let visible = || {
                let rows = rows.get(unit.rows.clone()).unwrap_or_default();
                rows.iter().filter(|row| row.is_visible())
            };
            let calls = visible().flat_map(|row| &row.calls);
            open.extend(calls.filter(|call| !answered.contains(call)));
            for result in visible().flat_map(|row| &row.results) {
                open.remove(result);
                answered.insert(result);
            }
            previous = Some(unit.role);
        }
        self.has_open_call = !open.is_empty();
    }

    /// Returns the visible messages, old to new.
    #[must_use]
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// Returns the places before which no call is open, ascending. Place 0 is one.
    #[must_use]
    pub fn legal(&self) -> &[usize] {
        &self.legal
    }

    /// Returns the places before a turn, ascending. Each is legal too.
    #[must_use]
    pub fn preferred(&self) -> &[usize] {
        &self.preferred
    }

    /// Returns the messages between neighbouring legal cuts, old to new.
    #[must_use]
    pub fn groups(&self) -> impl DoubleEndedIterator<Item = Range<usize>> + ExactSizeIterator {
        (0..self.legal.len()).map(|group_idx| {
            let start = self.legal.get(group_idx).copied().unwrap_or_default();
            let end = self.legal.get(group_idx + 1).copied();
            start..end.unwrap_or(self.units.len())
        })
    }

    /// Says whether a call of the newest group still waits for its result.
    #[must_use]
    pub const fn has_open_call(&self) -> bool {
        self.has_open_call
    }

    /// Returns the tokens of units in a view, without reasoning.
    #[must_use]
    pub fn tokens(&self, units: Range<usize>) -> Tokens {
        let sum = |place: usize| self.token_sums.get(place).copied().unwrap_or_default();
        sum(units.end).saturating_sub(sum(units.start))
    }

    /// Says whether any of the units has words.
    #[must_use]
    pub fn has_words(&self, units: Range<usize>) -> bool {
        self.word_sums.get(units.end) != self.word_sums.get(units.start)
    }

    /// Returns the rows of units as places; `None` for no units.
    #[must_use]
    pub fn span(&self, units: Range<usize>) -> Option<Span> {
        let units = self.units.get(units)?;
        Span::new(units.first()?.span.first(), units.last()?.span.last())
    }

    /// Returns the place before the newest turn; `None` if that turn began under a summary, or
    /// there is none.
    #[must_use]
    pub fn newest_turn(&self) -> Option<usize> {
        let opens = self.before == Before::Nothing && !self.units.is_empty();
        self.preferred.last().copied().or(opens.then_some(0))
    }

    /// Returns the user's messages that open the newest turn; `None` if they lie under a summary,
    /// or the turn has none.
    #[must_use]
    pub fn newest_request(&self) -> Option<Range<usize>> {
        let start = *self.preferred.last()?;
        let rest = self.units.get(start..)?;
        let run = rest.iter().take_while(|unit| unit.role == Role::User);
        Some(start..start + run.count())
    }

    /// Returns the place before the newest group: all that recovery leaves alone.
    #[must_use]
    pub fn newest_group(&self) -> usize {
        self.legal.last().copied().unwrap_or_default()
    }

    /// Returns the place before the fresh tail, a legal cut.
    #[must_use]
    pub fn fresh_tail(&self, limits: &Limits, budget: Tokens) -> usize {
        let room = budget.percent(limits.tail_percent);
        let turn = self.newest_turn();
        let mut start = self.units.len();
        let mut held = Tokens::ZERO;
        let mut n_messages = 0;
        for (unit_idx, unit) in self.units.iter().enumerate().rev() {
            held += unit.view_tokens;
            // Views show reasoning in the newest turn only.
            if turn.is_none_or(|turn| turn <= unit_idx) {
                held += unit.reasoning_tokens;
            }
            n_messages += 1;
            if held > room {
                break;
            }
            let is_whole_turn = turn == Some(unit_idx);
            if is_whole_turn || (n_messages <= limits.tail_messages && start == unit_idx + 1) {
                start = unit_idx;
            }
            if n_messages >= limits.tail_messages && turn.is_none_or(|turn| turn >= unit_idx) {
                break;
            }
        }
        let next_legal = self.legal.partition_point(|&place| place < start);
        let start = self.legal.get(next_legal).copied().unwrap_or(start);
        start.min(self.least_tail())
    }

    /// The newest closed group and an open one, whatever they cost.
    fn least_tail(&self) -> usize {
        let n_groups = if self.has_open_call { 2 } else { 1 };
        let group_idx = self.legal.len().saturating_sub(n_groups);
        self.legal.get(group_idx).copied().unwrap_or_default()
    }
}

/// Gathers rows into messages: a continuation joins its head, a hidden row the message before it.
fn gather(rows: &[&MessageMeta]) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    for (row_idx, row) in rows.iter().enumerate() {
        let is_visible = row.is_visible();
        match units.last_mut() {
            Some(unit) if !is_visible || row.continues.is_some() => {
                unit.rows.end = row_idx + 1;
                unit.span = Span::new(unit.span.first(), row.seq).unwrap_or(unit.span);
                if is_visible {
                    unit.view_tokens += row.view_tokens;
                    unit.reasoning_tokens += row.reasoning_tokens;
                    unit.has_words |= row.has_words;
                    if !row.results.is_empty() {
                        unit.role = Role::Tool;
                    }
                }
            }
            None if !is_visible => {}
            last => {
                let is_first = last.is_none();
                let first_row = if is_first { 0 } else { row_idx };
                let first_seq = rows.get(first_row).map_or(row.seq, |first| first.seq);
                units.push(Unit {
                    rows: first_row..row_idx + 1,
                    span: Span::new(first_seq, row.seq).unwrap_or(Span::single(row.seq)),
                    role: row.cut_role(),
                    view_tokens: row.view_tokens,
                    reasoning_tokens: row.reasoning_tokens,
                    has_words: row.has_words,
                });
            }
        }
    }
    units
}

/// Returns the sums of all beginnings, the empty one first.
fn running<T: Copy + std::ops::Add<Output = T>>(
    values: impl Iterator<Item = T>,
    zero: T,
) -> Vec<T> {
    let mut sums = vec![zero];
    let mut sum = zero;
    for value in values {
        sum = sum + value;
        sums.push(sum);
    }
    sums
}
