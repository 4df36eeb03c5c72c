//! What summaries offer the summary above them. Owns what supersedes what.
//! May not count tokens: `fit` does.

use crate::domain::{Role, Summary, SummaryBody};
use crate::policy::carry::files::Files;

use super::fit::{Candidate, Kind};
use super::gather::{DEMAND_LABEL, offered, without_repeats};
use super::sentence;
use super::weighed::{Said, weighed};

/// Places one summary's items can have; those of a newer summary come after.
const PLACES: usize = 1_000_000;

/// Newest goals that are kept beside the first.
const NEWEST_GOALS: usize = 2;

/// Collects what summaries, old to new, offer: the dearest of each kind first.
pub(super) fn merge(children: &[Summary]) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    let mut said = Vec::new();
    let mut goals = Vec::new();
    let mut states = Vec::new();
    let mut files = Files::default();
    for (child_idx, child) in children.iter().enumerate() {
        let body = SummaryBody::parse(&child.body);
        files.inherit(&body.files);
        let mut place = child_idx.saturating_mul(PLACES);
        for kind in Kind::ALL {
            for text in items_of(&body, kind) {
                place += 1;
                match kind {
                    Kind::Goal => goals.push(Candidate { kind, place, text }),
                    Kind::State => states.push((child_idx, place, text)),
                    _ => said.push(read(kind, place, child_idx, &text)),
                }
            }
        }
    }
    // What the work is for, and what it is at; the requests between have been answered.
    let n_between = goals.len().saturating_sub(1 + NEWEST_GOALS);
    candidates.extend(goals.iter().take(1).cloned());
    candidates.extend(goals.into_iter().skip(1 + n_between).rev());
    // The state of an older stretch has passed; it is only told.
    let newest = states.last().map(|(child_idx, ..)| *child_idx);
    for (child_idx, place, text) in states {
        if Some(child_idx) == newest {
            let kind = Kind::State;
            candidates.push(Candidate { kind, place, text });
        } else {
            said.push(read(Kind::Narrative, place, child_idx, &text));
        }
    }
    candidates.extend(offered(&files));
    said.sort_by_key(|said| said.place);
    candidates.extend(weighed(&said));
    candidates.extend(dropped(children));
    without_repeats(candidates)
}

/// Reads an item: who said it stands before the words where the floor wrote it.
fn read(kind: Kind, place: usize, from_idx: usize, item: &str) -> Said {
    let speakers = [
        (DEMAND_LABEL, Role::User),
        ("user: ", Role::User),
        ("assistant: ", Role::Assistant),
        ("tool: ", Role::Tool),
        ("system: ", Role::System),
    ];
    let spoken = speakers
        .iter()
        .find_map(|(label, role)| Some((*label, *role, item.strip_prefix(label)?)));
    let (label, role, words) = spoken.unwrap_or(("", Role::Assistant, item));
    Said {
        kind,
        role,
        place,
        from_idx,
        label: label.to_owned(),
        words: words.to_owned(),
    }
}

/// Returns what a body says of one kind.
fn items_of(body: &SummaryBody, kind: Kind) -> Vec<String> {
    let items = body.items(kind.section());
    match kind {
        Kind::Demand => items
            .into_iter()
            .filter(|item| item.starts_with(DEMAND_LABEL))
            .collect(),
        Kind::Decision => items
            .into_iter()
            .filter(|item| !item.starts_with(DEMAND_LABEL))
            .collect(),
        Kind::Narrative => items
            .iter()
            .flat_map(|item| sentence::sentences(item))
            .collect(),
        // Facts speak for their section, and what was left out below is left out here too.
        // Files are read as they follow each other.
        Kind::Error | Kind::File | Kind::Dropped => Vec::new(),
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
