//! The best rows by the index's own score: only the texts of those that may be shown are read, and of
//! matches beside them.
//! May not order them: `ranked` does, lot by lot.

use std::collections::{BTreeSet, HashMap};

use super::gather::{Count, Gathered, Question, take};
use super::indexer;
use super::ranked::{Lot, beside, place_of};
use crate::domain::{ItemId, Part, SearchRow};
use crate::policy::pattern::Matcher;
use crate::policy::rank::Place;
use crate::store::{Found, Reader, StoreError};

/// Rows of one kind that are scored on their texts together: two pages, since the index's own score
/// knows nothing of what stands beside a row.
const LOT: usize = 40;

/// Bytes that hold the first words of a text, of which the rows beside it are given.
const BEGINNING: usize = 1_024;

/// Takes the best candidates of each kind, as many lots as the page needs: further ones where too
/// few match on their texts.
pub(super) fn best(
    reader: &Reader,
    (matcher, certainty): (&Matcher, Certainty),
    question: &Question,
    found: &Found,
    gathered: &mut Gathered,
) -> Result<(), StoreError> {
    let enough = question.n_wanted().saturating_add(1);
    let lots = dealt(found, question);
    let reading = Reading {
        reader,
        matcher,
        question,
        lots: &lots,
    };
    let n_above = gathered.taken.len();
    let n_lots = lots.values().max().map_or(0, |last| last + 1);
    let mut next = 0;
    // As many as can be enough at once, then one after another.
    let mut upto = enough.div_ceil(LOT).min(n_lots);
    while next < upto {
        let ids = lots.iter().filter(|(_, lot)| (next..upto).contains(*lot));
        let ids = ids.map(|(id, _)| *id).collect();
        reading.read(ids, gathered, Extent::Whole)?;
        next = upto;
        if is_short(gathered, n_above, enough) {
            upto = (upto + 1).min(n_lots);
        }
    }
    if next < n_lots {
        let taken = gathered.taken.iter().skip(n_above);
        let places: Vec<Place> = taken.filter_map(|one| place_of(&one.row)).collect();
        let known: BTreeSet<Place> = places.iter().copied().collect();
        let near: BTreeSet<Place> = places.into_iter().flat_map(beside).collect();
        let near = reader.ids_at(near.difference(&known).copied())?;
        let is_later = |id: &ItemId| lots.get(id).is_some_and(|lot| *lot >= next);
        let near = near.into_iter().map(ItemId::Message).filter(is_later);
        reading.read(near.collect(), gathered, Extent::Beginning)?;
    }
    let n_taken = gathered.taken.len() as u64;
    gathered.counted = match certainty {
        _ if next == n_lots && !found.total_capped => None,
        Certainty::All if found.total_capped => Some(Count::AtLeast(found.total)),
        Certainty::All => Some(Count::Exactly(found.total.saturating_add(n_above as u64))),
        Certainty::Some => Some(Count::AtLeast(n_taken)),
    };
    Ok(())
}

/// Whether rows that the index proposes match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    /// All of them do.
    All,
    /// Their texts tell.
    Some,
}

/// Deals candidates out to lots, those of each kind in their order.
fn dealt(found: &Found, question: &Question) -> HashMap<ItemId, usize> {
    let (mut n_messages, mut n_summaries) = (0, 0);
    let known = found.candidates.iter();
    let known = known.filter(|one| indexer::raw_id(one.id) <= question.start.newest);
    known
        .map(|candidate| {
            let nth = match candidate.id {
                ItemId::Message(_) => &mut n_messages,
                ItemId::Summary(_) => &mut n_summaries,
            };
            let lot = *nth / LOT;
            *nth += 1;
            (candidate.id, lot)
        })
        .collect()
}

/// Says whether more rows of a kind may be needed.
fn is_short(gathered: &Gathered, n_above: usize, enough: usize) -> bool {
    let taken = gathered.taken.iter().skip(n_above);
    taken.count() < enough
}

/// How much of rows is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// All.
    Whole,
    /// What those beside them are given of.
    Beginning,
}

/// Leaves the beginning of each part, and whether the last one asks.
fn beginning(mut row: SearchRow) -> SearchRow {
    for part in &mut row.parts {
        if let Part::Text { text } | Part::ToolResult { content: text, .. } = part
            && text.len() > BEGINNING
        {
            let asks = text.trim_end().ends_with(['?', '？', '؟']);
            text.truncate(text.floor_char_boundary(BEGINNING));
            text.push_str(if asks { " ?" } else { " ." });
        }
    }
    row
}

/// What rows are read with.
struct Reading<'a> {
    reader: &'a Reader,
    matcher: &'a Matcher,
    question: &'a Question,
    lots: &'a HashMap<ItemId, usize>,
}

impl Reading<'_> {
    /// Reads rows and takes those that match into their lots.
    fn read(
        &self,
        mut ids: Vec<ItemId>,
        gathered: &mut Gathered,
        extent: Extent,
    ) -> Result<(), StoreError> {
        // Neighbours in the file are read from pages that are at hand.
        ids.sort_unstable();
        let answers = self.question.filter.answers;
        let loaded = self.reader.search_rows(&ids, answers)?;
        gathered.damaged.extend(loaded.damaged);
        for row in loaded.rows {
            if !self.question.wanted.is_wanted() {
                break;
            }
            let nth = self.lots.get(&row.id).copied().unwrap_or_default();
            let (row, lot) = match extent {
                Extent::Whole => (row, Lot::Nth(nth)),
                Extent::Beginning => (beginning(row), Lot::Beside),
            };
            let before = gathered.taken.len();
            take(row, self.matcher, self.question, gathered);
            for taken in gathered.taken.iter_mut().skip(before) {
                taken.lot = lot;
            }
        }
        Ok(())
    }
}
