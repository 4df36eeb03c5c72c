//! Neighbours. Owns how the score of a message spreads to those beside it.
//! May not find rows: the caller says which neighbours there are.

use std::collections::BTreeMap;

use crate::domain::{ConversationId, Seq};

/// What a message gets of the scores one place away: the answer often stands beside the hit.
const NEXT_SHARE: f64 = 0.4;

/// What it gets of the scores two places away.
const SECOND_SHARE: f64 = 0.3;

/// Where a message stands.
pub type Place = (ConversationId, Seq);

/// Which rows get a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// Only rows that match: the order changes, the rows do not.
    Matching,
    /// Neighbours too become rows; the caller drops places that hold none.
    Neighbours,
}

/// Returns the scores with the shares of neighbours, best first; equal ones newest first.
///
/// Scores are negative, as of [`score`](super::score). A place given twice keeps its better score.
#[must_use]
pub fn smooth(scores: &[(Place, f64)], spread: Spread) -> Vec<(Place, f64)> {
    let mut own: BTreeMap<Place, f64> = BTreeMap::new();
    for (place, score) in scores {
        let entry = own.entry(*place).or_insert(*score);
        *entry = entry.min(*score);
    }
    let mut smoothed: BTreeMap<Place, f64> = own.clone();
    for (place, score) in &own {
        for (distance, share) in [
            (-2, SECOND_SHARE),
            (-1, NEXT_SHARE),
            (1, NEXT_SHARE),
            (2, SECOND_SHARE),
        ] {
            let Some(beside) = beside(*place, distance) else {
                continue;
            };
            if spread == Spread::Neighbours || own.contains_key(&beside) {
                *smoothed.entry(beside).or_insert(0.0) += share * score;
            }
        }
    }
    let mut order: Vec<(Place, f64)> = smoothed.into_iter().collect();
    order.sort_by(|left, right| left.1.total_cmp(&right.1).then(right.0.cmp(&left.0)));
    order
}

fn beside(place: Place, distance: i64) -> Option<Place> {
    let seq = place.1.get().checked_add_signed(distance)?;
    Some((place.0, Seq::new(seq)?))
}
