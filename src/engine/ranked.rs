//! The order of what was found, and how it is shown.
//! May not take or refuse a row that matches: the matcher did.

use std::collections::{BTreeMap, BTreeSet};

use super::gather::{Gathered, Question as Asked};
use super::indexer;
use super::standing::standings;
use crate::domain::{Conversation, Hit, ItemId, Part, SearchRow, Seq, Sort, Standing, Visibility};
use crate::policy::pattern::{Match, Matcher, Pattern, RowText, SNIPPET_CHARS, snippet};
use crate::policy::rank::{Entry, Place, Question, REACH, Stats, Weights, ranks};
use crate::store::{Reader, StoreError};

/// Matches beside which messages are looked at: the best, so many for each row that is wanted. A
/// message beside a match ranks little better than the match.
const BESIDE_BEST: usize = 2;
/// And so many at least.
const BESIDE_LEAST: usize = 40;
/// What is added to a place in a list before its part of a score is taken: the usual constant of
/// reciprocal rank fusion, so that the first few places do not decide alone.
const FUSION: u64 = 60;

/// A row that the matcher took, or one beside such a row.
pub(super) struct Taken {
    pub(super) lot: Lot,
    pub(super) row: SearchRow,
    pub(super) matched: Match,
    pub(super) rank: Option<f64>,
}

/// Rows that are put in order together: those of an earlier lot come before those of a later one.
/// What a later page reads more does not change an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lot {
    /// The so-manieth.
    Nth(usize),
    /// None: read for the sake of the rows beside it.
    Beside,
}

/// Scores rows and puts them in order.
pub(super) fn order(pattern: &Pattern, stats: Option<&Stats>, sort: Sort, taken: &mut [Taken]) {
    if let Some(stats) = stats {
        set_ranks(pattern, stats, taken);
    }
    match sort {
        Sort::Relevance => best_first(taken),
        Sort::Time => newest_first(taken),
        Sort::Both => {
            newest_first(taken);
            let by_time: BTreeMap<i64, usize> = places_of(taken);
            best_first(taken);
            let by_rank = places_of(taken);
            let place = |places: &BTreeMap<i64, usize>, one: &Taken| {
                let place = places.get(&indexer::raw_id(one.row.id));
                place.map_or(u64::MAX, |place| *place as u64)
            };
            taken.sort_by_cached_key(|one| {
                let [rank, time] = [place(&by_rank, one), place(&by_time, one)];
                std::cmp::Reverse(fused(rank) + fused(time))
            });
        }
    }
}

/// The part of a place in a list, in units small enough that whole numbers tell places apart.
const fn fused(place: u64) -> u64 {
    (1 << 48) / (place.saturating_add(FUSION))
}

fn places_of(taken: &[Taken]) -> BTreeMap<i64, usize> {
    let ids = taken.iter().map(|one| indexer::raw_id(one.row.id));
    ids.enumerate().map(|(place, id)| (id, place)).collect()
}

fn set_ranks(pattern: &Pattern, stats: &Stats, taken: &mut [Taken]) {
    let lots: BTreeSet<Lot> = taken.iter().map(|one| one.lot).collect();
    for lot in lots.iter().filter(|lot| **lot != Lot::Beside) {
        let together: Vec<usize> = if lots.len() == 1 {
            (0..taken.len()).collect()
        } else {
            of_lot(*lot, taken)
        };
        let rows = together.iter().filter_map(|idx| taken.get(*idx));
        let entries: Vec<Entry<'_>> = rows
            .map(|one| Entry {
                place: place_of(&one.row),
                at: one.row.to,
                role: one.row.role,
                found: &one.matched,
            })
            .collect();
        let ranks = ranks(&entries, stats, Question::of(pattern), &Weights::CHOSEN);
        for (idx, rank) in together.into_iter().zip(ranks) {
            if let Some(one) = taken.get_mut(idx).filter(|one| one.lot == *lot) {
                one.rank = Some(rank);
            }
        }
    }
}

/// Returns which rows are of a lot or beside one that is.
fn of_lot(lot: Lot, taken: &[Taken]) -> Vec<usize> {
    let own = taken.iter().filter(|one| one.lot == lot);
    let places = own.filter_map(|one| place_of(&one.row));
    let beside: BTreeSet<Place> = places.flat_map(beside).collect();
    let is_near = |one: &Taken| place_of(&one.row).is_some_and(|place| beside.contains(&place));
    let rows = taken.iter().enumerate();
    rows.filter(|(_, one)| one.lot == lot || is_near(one))
        .map(|(idx, _)| idx)
        .collect()
}

/// Puts the best first; newer first where ranks are equal or there are none.
fn best_first(taken: &mut [Taken]) {
    taken.sort_by(|one, other| {
        let [one_rank, other_rank] = [one, other].map(|taken| taken.rank.unwrap_or(0.0));
        one.lot
            .cmp(&other.lot)
            .then_with(|| one_rank.total_cmp(&other_rank))
            .then_with(|| indexer::raw_id(other.row.id).cmp(&indexer::raw_id(one.row.id)))
    });
}

/// Puts the newest first; rows without a time last, by arrival.
fn newest_first(taken: &mut [Taken]) {
    taken.sort_by_key(|one| std::cmp::Reverse((one.row.to, indexer::raw_id(one.row.id))));
}

/// Adds the messages of the talk beside the best matches: the answer is often a message or two
/// beside the words of the question.
pub(super) fn add_besides(
    reader: &Reader,
    question: &Asked,
    matcher: &Matcher,
    found: &mut Gathered,
) -> Result<(), StoreError> {
    let taken = &mut found.taken;
    best_first(taken);
    let known: BTreeSet<Place> = taken.iter().filter_map(|one| place_of(&one.row)).collect();
    let mut places: Vec<Place> = Vec::new();
    let best = taken.iter().filter_map(|one| place_of(&one.row));
    let n_best = question
        .n_wanted()
        .saturating_mul(BESIDE_BEST)
        .max(BESIDE_LEAST);
    for place in best.take(n_best) {
        places.extend(beside(place).filter(|place| !known.contains(place)));
    }
    places.sort_unstable();
    places.dedup();
    let loaded = reader.search_rows_at(&question.filter, &places)?;
    found.damaged.extend(loaded.damaged);
    for row in loaded.rows {
        let is_talk = row.visibility == Visibility::Talk
            && row
                .parts
                .iter()
                .any(|part| matches!(part, Part::Text { .. }));
        if is_talk && matcher.is_asked_for(&row) && indexer::raw_id(row.id) <= question.start.newest
        {
            let nothing = matcher.nothing_of(&RowText::of(&row));
            taken.push(Taken {
                lot: Lot::Nth(0),
                row,
                matched: nothing,
                rank: None,
            });
        }
    }
    Ok(())
}

pub(super) fn beside(place: Place) -> impl Iterator<Item = Place> {
    (-REACH..=REACH).filter_map(move |distance| {
        let seq = place.1.get().checked_add_signed(distance)?;
        Some((place.0, Seq::new(seq)?))
    })
}

/// Where a message stands; a summary stands beside nothing.
pub(super) fn place_of(row: &SearchRow) -> Option<Place> {
    match row.id {
        ItemId::Message(_) => Some((row.conversation, row.span.first())),
        ItemId::Summary(_) => None,
    }
}

/// Dresses rows for the caller.
pub(super) fn hits(
    reader: &Reader,
    pattern: &Pattern,
    page: Vec<Taken>,
    branch: Option<&Conversation>,
) -> Result<Vec<Hit>, StoreError> {
    let rows: Vec<&SearchRow> = page.iter().map(|taken| &taken.row).collect();
    let standings: Vec<Standing> = standings(reader, &rows, branch)?;
    let matcher = Matcher::new(pattern);
    let mut hits = Vec::with_capacity(page.len());
    for (taken, standing) in page.into_iter().zip(standings) {
        let session = reader.branch(taken.row.conversation)?.session;
        hits.push(Hit {
            id: taken.row.id,
            seq: taken.row.span.first(),
            span: taken.row.span,
            kind: taken.matched.kind,
            role: taken.row.role,
            depth: taken.row.depth,
            conversation: taken.row.conversation,
            session,
            at: taken.row.to,
            rank: taken.rank,
            snippet: {
                let text = matcher.shown_text_of(&taken.row);
                snippet(&text, &taken.matched, SNIPPET_CHARS)
            },
            standing,
        });
    }
    Ok(hits)
}
