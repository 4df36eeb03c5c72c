//! What summaries offer the summary above them. Owns what supersedes what.
//! May not count tokens: `fit` does.

use std::collections::HashSet;

use crate::domain::{Summary, SummaryBody};

use super::fit::{Candidate, Kind};
use super::gather::{DEMAND_LABEL, without_repeats};
use super::sentence;

/// Places one summary's items can have; those of a newer summary come after.
const PLACES: usize = 1_000_000;

/// Collects what summaries, old to new, offer: the dearest of each kind first.
pub(super) fn merge(children: &[Summary]) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    let mut paths = HashSet::new();
    let mut has_state = false;
    for (child_idx, child) in children.iter().enumerate().rev() {
        let body = SummaryBody::parse(&child.body);
        let mut place = child_idx.saturating_mul(PLACES);
        for kind in Kind::ALL {
            for text in items_of(&body, kind) {
                place += 1;
                // The state of an older stretch has passed; it is only told.
                let kind = match kind {
                    Kind::State if has_state => Kind::Narrative,
                    _ => kind,
                };
                if kind == Kind::File {
                    let path = text.split(" -> ").next().unwrap_or_default();
                    if !paths.insert(path.to_owned()) {
                        continue;
                    }
                }
                candidates.push(Candidate { kind, place, text });
            }
        }
        has_state |= !body.state.is_empty();
    }
    candidates.extend(dropped(children));
    without_repeats(candidates)
}

/// Returns what a body says of one kind.
fn items_of(body: &SummaryBody, kind: Kind) -> Vec<String> {
    let items = body.items(kind.section());
    match kind {
        Kind::Demand => items
            .into_iter()
            .filter(|item| item.starts_with(DEMAND_LABEL))
            .collect(),
        // Newest first within a body too, as the floor ranks them.
        Kind::Decision => items
            .into_iter()
            .filter(|item| !item.starts_with(DEMAND_LABEL))
            .rev()
            .collect(),
        Kind::File => items.into_iter().rev().collect(),
        Kind::Narrative => items
            .iter()
            .flat_map(|item| sentence::sentences(item))
            .collect(),
        // Facts speak for their section, and what was left out below is left out here too.
        Kind::Error | Kind::Dropped => Vec::new(),
        _ => items,
    }
}

/// Says what the summary was made from.
fn dropped(children: &[Summary]) -> Option<Candidate> {
    let first = children.first()?.node.span.first();
    let last = children.last()?.node.span.last();
    Some(Candidate {
        kind: Kind::Dropped,
        place: usize::MAX,
        text: format!(
            "details of {} summaries, seq {first}-{last}",
            children.len()
        ),
    })
}
