//! The order of what was found, and how it is shown.
//! May not take or refuse a row: the matcher did.

use std::collections::BTreeMap;

use super::frequency::read_stats;
use super::indexer;
use super::standing::standings;
use crate::domain::{Conversation, Hit, ItemId, SearchRow, Standing};
use crate::policy::pattern::{Match, Pattern, RowText, SNIPPET_CHARS, snippet};
use crate::policy::rank::{Place, Spread, score, smooth};
use crate::store::{Reader, StoreError};

/// A row that the matcher took.
pub(super) struct Taken {
    pub(super) row: SearchRow,
    pub(super) matched: Match,
    pub(super) rank: Option<f64>,
}

/// Scores rows and puts the best first; newer first where scores are equal or there are none.
/// A message's score takes in those of its neighbours that match too: the answer is often one
/// message beside the hit.
pub(super) fn order(
    reader: &Reader,
    pattern: &Pattern,
    taken: &mut [Taken],
) -> Result<(), StoreError> {
    if !pattern.is_fuzzy_only() {
        let stats = read_stats(reader, pattern)?;
        let mut scores = Vec::new();
        for row in taken.iter_mut() {
            let own = score(&row.matched, &stats);
            row.rank = Some(own);
            scores.extend(place_of(&row.row).map(|place| (place, own)));
        }
        let smoothed: BTreeMap<Place, f64> =
            smooth(&scores, Spread::Matching).into_iter().collect();
        for row in taken.iter_mut() {
            let of_place = place_of(&row.row).and_then(|place| smoothed.get(&place));
            row.rank = of_place.copied().or(row.rank);
        }
    }
    taken.sort_by(|one, other| {
        let by_rank = one
            .rank
            .unwrap_or(0.0)
            .total_cmp(&other.rank.unwrap_or(0.0));
        by_rank.then_with(|| indexer::raw_id(other.row.id).cmp(&indexer::raw_id(one.row.id)))
    });
    Ok(())
}

/// Where a message stands; a summary stands beside nothing.
fn place_of(row: &SearchRow) -> Option<Place> {
    match row.id {
        ItemId::Message(_) => Some((row.conversation, row.span.first())),
        ItemId::Summary(_) => None,
    }
}

/// Dresses rows for the caller.
pub(super) fn hits(
    reader: &Reader,
    page: Vec<Taken>,
    branch: Option<&Conversation>,
) -> Result<Vec<Hit>, StoreError> {
    let rows: Vec<&SearchRow> = page.iter().map(|taken| &taken.row).collect();
    let standings: Vec<Standing> = standings(reader, &rows, branch)?;
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
            snippet: snippet(&RowText::of(&taken.row), &taken.matched, SNIPPET_CHARS),
            standing,
        });
    }
    Ok(hits)
}
