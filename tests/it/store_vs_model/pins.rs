//! The steps that change pins: made, moved, and planned from what is no longer so.

use std::collections::BTreeMap;

use hippocamp::domain::{
    EventId, MessageId, NewPin, PinBy, PinChange, PinCommit, PinFilter, PinKind, PinMove,
    PinOutcome, PinRef, PinSource, PinState, Tokens,
};
use hippocamp::store::{Reader, WriteOp, WriteReply};

use super::history::History;
use super::model::Branch;
use super::world::{NOW, World, seq};

const STATES: [PinState; 3] = [PinState::Proposed, PinState::Live, PinState::Retired];

impl World {
    /// Makes a pin and moves one that the branch sees, if it sees any.
    pub(super) fn pin(&mut self, history: &mut History, session: usize, choice: usize) {
        let Some(idx) = history.session(session) else {
            return;
        };
        let branch = &history.branches[idx];
        let row = branch.rows.get(choice % branch.rows.len().max(1));
        let place = (choice % branch.rows.len().max(1)) as u64 + 1;
        let made = PinChange::Make(NewPin {
            kind: PinKind::Fact,
            state: STATES[choice % 2],
            by: PinBy::Hand,
            text: format!("pin {choice}"),
            tokens: Tokens::new(7),
            source: row.map(|row| PinSource::new(MessageId::new(row.id), seq(place))),
            reason: "pinned",
        });
        let known: Vec<i64> = branch.pins().into_keys().collect();
        let moved = known.get(choice % known.len().max(1)).map(|pin| {
            PinChange::Move(PinMove {
                pin: PinRef::Stored(EventId::new(*pin)),
                state: STATES[choice % 3],
                by: PinBy::Hand,
                cause: None,
                reason: "accepted",
            })
        });
        let changes: Vec<_> = [Some(made), moved].into_iter().flatten().collect();
        let newest = branch.changes.iter().map(|change| change.0).max();
        let late = self.run_pins(branch, newest.map_or(Some(1), |id| Some(id - 1)), &changes);
        assert_eq!(late, PinOutcome::Stale);
        let PinOutcome::Applied(events) = self.run_pins(branch, newest, &changes) else {
            panic!("what nobody has changed is stale");
        };
        assert_eq!(events.len(), changes.len());
        let branch = &mut history.branches[idx];
        branch.n_events += events.len();
        branch
            .changes
            .push((events[0].get(), events[0].get(), STATES[choice % 2]));
        if let Some(event) = events.get(1) {
            let pin = known[choice % known.len()];
            branch.changes.push((event.get(), pin, STATES[choice % 3]));
        }
    }

    fn run_pins(
        &mut self,
        branch: &Branch,
        newest: Option<i64>,
        changes: &[PinChange],
    ) -> PinOutcome {
        let commit = PinCommit {
            conversation: branch.id,
            newest: newest.map(EventId::new),
            mark: None,
            new_mark: None,
            changes: changes.to_vec(),
            now: NOW,
        };
        match self.run(WriteOp::Pins(commit)).unwrap() {
            WriteReply::Pinned(outcome) => outcome,
            other => panic!("{other:?}"),
        }
    }
}

impl Branch {
    /// Where each pin stands that the branch sees.
    fn pins(&self) -> BTreeMap<i64, PinState> {
        let changes = self.changes.iter();
        changes.map(|(_, pin, state)| (*pin, *state)).collect()
    }

    /// The changes that a branch beginning after `at` sees: those before the first message that it
    /// does not inherit.
    pub(super) fn changes_at(&self, at: u64) -> Vec<(i64, i64, PinState)> {
        let next = self.rows.get(usize::try_from(at).unwrap());
        let is_seen = |id: i64| at > 0 && next.is_none_or(|row| id < row.id);
        let changes = self.changes.iter().filter(|change| is_seen(change.0));
        changes.copied().collect()
    }
}

/// A branch sees the pins of its lineage as they stood when it went its own way.
pub(super) fn check_pins(reader: &Reader, branch: &Branch) {
    let stored = reader.pins(branch.id, PinFilter::All).unwrap();
    let found: BTreeMap<i64, PinState> =
        stored.iter().map(|pin| (pin.id.get(), pin.state)).collect();
    assert_eq!(found, branch.pins());
    let live: Vec<i64> = branch
        .pins()
        .into_iter()
        .filter(|(_, state)| *state == PinState::Live)
        .map(|(pin, _)| pin)
        .collect();
    let planner = reader.planner_frontier(branch.id).unwrap();
    let (view, _) = reader.view_frontier(branch.id).unwrap();
    for frontier in [planner, view] {
        let ids: Vec<i64> = frontier.pins.iter().map(|pin| pin.id.get()).collect();
        assert_eq!(ids, live);
    }
}
