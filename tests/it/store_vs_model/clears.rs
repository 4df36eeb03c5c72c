//! The step that clears results: of rows that the branch sees, of rows that it does not.

use hippocamp::domain::{
    ClearCommit, ClearOutcome, ClearPlan, Cleared, FrontierItem, MessageId, Tokens,
};
use hippocamp::store::{Reader, StoreError, WriteOp, WriteReply};

use super::history::History;
use super::model::Branch;
use super::world::{NOW, World, span};

/// What the stamp of a message says that it costs in views.
const VIEW_TOKENS: u64 = 9;
/// What each clear saves: two of a row are less than the row.
const SAVED: u64 = 4;

impl World {
    /// Clears one result of every second row with results, from a row on.
    pub(super) fn clear(&mut self, history: &mut History, session: usize, choice: usize) {
        let Some(idx) = history.session(session) else {
            return;
        };
        let branch = &history.branches[idx];
        let rows = branch.rows.iter().filter(|row| row.n_results > 0);
        let results: Vec<(i64, u32)> = rows
            .skip(choice % 3)
            .step_by(2)
            .map(|row| (row.id, u32::try_from(choice % row.n_results).unwrap()))
            .collect();
        if results.is_empty() {
            return;
        }
        let outcome = self.run_clear(branch, &results).unwrap();
        let fresh = results.iter().filter(|one| !branch.cleared.contains(one));
        let is_new = fresh.count() > 0;
        assert_eq!(matches!(outcome, ClearOutcome::Applied(_)), is_new);
        let branch = &mut history.branches[idx];
        branch.n_events += usize::from(is_new);
        branch.cleared.extend(results);
    }

    /// Rows of another branch, and rows that are not there, are refused.
    pub(super) fn wrong_clear(&mut self, history: &mut History, session: usize) {
        let Some(idx) = history.session(session) else {
            return;
        };
        let branch = &history.branches[idx];
        let sees = |id: i64| branch.rows.iter().any(|row| row.id == id);
        let others = history.branches.iter().flat_map(|other| &other.rows);
        let foreign = others.map(|row| row.id).find(|id| !sees(*id));
        for id in foreign.into_iter().chain([i64::MAX]) {
            let refused = self.run_clear(branch, &[(id, 0)]);
            assert!(matches!(refused, Err(StoreError::Refused { .. })));
        }
    }

    fn run_clear(
        &mut self,
        branch: &Branch,
        results: &[(i64, u32)],
    ) -> Result<ClearOutcome, StoreError> {
        let cleared = |nth| Cleared {
            nth,
            tool: Some("Read".to_owned()),
            tokens: Tokens::new(8),
            saved: Tokens::new(SAVED),
            same_as: None,
        };
        let commit = ClearCommit {
            plan: ClearPlan {
                conversation: branch.id,
                tokens_before: Tokens::new(1_000),
                results: results
                    .iter()
                    .map(|(id, nth)| (MessageId::new(*id), cleared(*nth)))
                    .collect(),
            },
            reason: "turn".to_owned(),
            now: NOW,
        };
        match self.run(WriteOp::Clear(commit))? {
            WriteReply::Cleared(outcome) => Ok(outcome),
            other => panic!("{other:?}"),
        }
    }
}

/// I7: a row costs what was stored less what its clears save, by itself and in sums.
pub(super) fn check_clears(reader: &Reader, branch: &Branch) {
    let frontier = reader.planner_frontier(branch.id).unwrap();
    for item in &frontier.items {
        let FrontierItem::Raw(row) = item else {
            continue;
        };
        let found: Vec<(i64, u32)> = row
            .cleared
            .iter()
            .map(|one| (row.id.get(), one.nth))
            .collect();
        let wanted: Vec<(i64, u32)> = branch.cleared_of(row.id.get()).collect();
        assert_eq!(found, wanted);
        let saved = SAVED * found.len() as u64;
        let whole = if row.is_visible() { VIEW_TOKENS } else { 0 };
        assert_eq!(row.view_tokens.get(), whole - saved);
    }
    if branch.head() == 0 {
        return;
    }
    let all = reader
        .view_tokens(branch.id, span(1, branch.head()))
        .unwrap();
    let wanted = VIEW_TOKENS * branch.n_visible() - SAVED * branch.cleared.len() as u64;
    assert_eq!(all.get(), wanted);
}
