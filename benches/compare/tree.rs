//! Commits of summaries into a conversation that was imported.

use crate::bench::{Bench, Column, tell};
use crate::child::Running;
use crate::protocol::Request;
use crate::reads::session_in;

pub(crate) const LEAF: &str = "leaf of 8, committed";
pub(crate) const MERGE: &str = "merge of 4 leaves, committed";
/// Leaves of one round.
const LEAVES: usize = 8;

/// Covers a conversation with leaves, and merges some of them.
pub(crate) fn grow(bench: &mut Bench<'_>, engines: &mut [Running]) {
    tell(LEAF);
    let (n, length) = bench.corpus.measured();
    let session = session_in(n, true);
    let text = "Goal: the harbour opens. State: two piers are done. ".repeat(60);
    let most = usize::try_from(length).unwrap() / 8 / bench.options.rounds;
    let columns = || {
        let mut columns = Column::of(engines);
        columns.retain(|column| !column.label.starts_with("bare"));
        columns
    };
    let (leaves, merges) = (columns(), columns());
    bench.rounds(LEAF, engines, leaves, &mut |_, _| {
        let request = Request::Leaf {
            session: session.clone(),
            text: text.clone(),
        };
        vec![request; LEAVES.min(most)]
    });
    bench.rounds(MERGE, engines, merges, &mut |_, _| {
        let request = Request::Condense {
            session: session.clone(),
            text: text.clone(),
        };
        vec![request; LEAVES.min(most) / 4]
    });
}
