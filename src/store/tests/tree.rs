use super::kit::{bench, leaf, plan_commit, talk};
use crate::domain::{CommitOutcome, Health};

#[test]
fn a_leaf_covers_the_oldest_messages_and_the_rest_is_raw() {
    let mut bench = bench();
    let conversation = bench.append("main", talk(6)).conversation;
    let done = bench.applied(plan_commit(leaf(conversation, 1, 4)));
    for frontier in [
        bench.reader.planner_frontier(conversation).unwrap(),
        bench.reader.view_frontier(conversation).unwrap().0,
    ] {
        let spans: Vec<_> = frontier
            .items
            .iter()
            .map(|item| item.span().to_string())
            .collect();
        assert_eq!(spans, ["1-4", "5-5", "6-6"]);
        let node = frontier.nodes().next().unwrap();
        assert_eq!((node.id, node.health), (done.summary, Health::Sound));
    }
    assert_eq!(
        bench.commit(plan_commit(leaf(conversation, 1, 4))),
        CommitOutcome::Stale
    );
}
