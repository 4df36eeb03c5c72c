//! Branches: what they inherit, and that the branch left behind stays as it was.

use super::kit::{NOW, bench, condense, key, later, leaf, plan_commit, repair, seq, span, talk};
use crate::domain::{CommitOutcome, EventKind, ForkRequest, Health, NewMessage, Tokens, Window};
use crate::store::{StoreError, WriteOp};

#[test]
fn a_branch_goes_on_after_what_it_inherits() {
    let mut bench = bench();
    let parent = bench.append("main", talk(6)).conversation;
    let forked = bench.fork("main", 4, None);
    assert_eq!((forked.parent, forked.fork_seq), (parent, seq(4)));
    let rows = bench
        .append("main", vec![NewMessage::user("another way")])
        .rows;
    assert_eq!(rows[0].seq, seq(5));
    let texts = |id, last| -> Vec<i64> {
        let found = bench.reader.messages(id, span(1, last)).unwrap();
        found.iter().map(|message| message.id.get()).collect()
    };
    let (old, new) = (texts(parent, 6), texts(forked.conversation, 5));
    assert_eq!(old[..4], new[..4]);
    assert_eq!(new[4], rows[0].id.get());
    assert_ne!(old[4], new[4]);
    let current = bench.reader.conversation(&key("main")).unwrap().unwrap();
    assert_eq!(current.id, forked.conversation);
    assert_eq!(
        (current.parent, current.fork_seq),
        (Some(parent), Some(seq(4)))
    );
    assert!(
        !bench
            .reader
            .conversation_by_id(parent)
            .unwrap()
            .unwrap()
            .is_current
    );
    assert_eq!(
        bench.reader.branches(&key("main")).unwrap(),
        [forked.conversation, parent]
    );
}

#[test]
fn a_branch_with_a_key_of_its_own_leaves_the_pointer() {
    let mut bench = bench();
    let parent = bench.append("main", talk(4)).conversation;
    let forked = bench.fork("main", 2, Some("side"));
    let current = bench.reader.conversation(&key("main")).unwrap().unwrap();
    assert_eq!(current.id, parent);
    let side = bench.reader.conversation(&key("side")).unwrap().unwrap();
    assert_eq!(side.id, forked.conversation);
    let event = bench.reader.events(side.id).unwrap().remove(0);
    assert_eq!(event.kind, EventKind::Fork);
    assert_eq!(event.pointer, Some(side.id));
    assert_eq!(bench.reader.branches(&key("main")).unwrap(), [parent]);
}

#[test]
fn a_branch_that_cannot_be_is_refused_by_name() {
    let mut bench = bench();
    bench.append("main", talk(4));
    bench.append("other", talk(1));
    let mut ask = |session: &str, at: u64, new: Option<&str>| {
        bench.run(WriteOp::Fork(ForkRequest {
            session: key(session),
            at: seq(at),
            new_session: new.map(key),
            now: NOW,
        }))
    };
    assert!(matches!(
        ask("none", 1, None),
        Err(StoreError::UnknownSession { .. })
    ));
    match ask("main", 5, None) {
        Err(error @ StoreError::BeyondHead { .. }) => {
            let text = "session `main` has no message 5; its last one is 4";
            assert_eq!(error.to_string(), text);
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        ask("main", 2, Some("other")),
        Err(StoreError::KeyTaken { .. })
    ));
    assert!(matches!(
        ask("main", 2, Some("main")),
        Err(StoreError::KeyTaken { .. })
    ));
    assert_eq!(bench.number("SELECT count(*) FROM conversation"), 2);
}

#[test]
fn a_branch_inherits_rows_that_end_before_it_and_were_live() {
    let mut bench = bench();
    let parent = bench.append("main", talk(12)).conversation;
    for idx in 0..3 {
        bench.applied(plan_commit(leaf(parent, 3 * idx + 1, 3 * idx + 3)));
    }
    let nodes = bench.nodes(parent);
    bench.applied(plan_commit(condense(parent, &nodes[..2])));
    bench.applied(later(leaf(parent, 10, 12)));
    // Straddled nodes give way to the rows under them, and those to raw messages.
    for (at, wanted) in [
        (12, "1-6:1 7-9:0 10 11 12"),
        (9, "1-6:1 7-9:0"),
        (8, "1-6:1 7 8"),
        (5, "1-3:0 4 5"),
        (2, "1 2"),
    ] {
        let name = format!("at {at}");
        let branch = bench.fork("main", at, Some(&name)).conversation;
        assert_eq!(bench.planner(branch), wanted, "{at}");
        assert_eq!(bench.view(branch), wanted, "{at}");
    }
}

#[test]
fn a_straddled_node_stays_unseen_when_the_branch_has_grown_past_its_end() {
    let mut bench = bench();
    let parent = bench.append("main", talk(8)).conversation;
    bench.applied(plan_commit(leaf(parent, 1, 3)));
    bench.applied(plan_commit(leaf(parent, 4, 8)));
    let branch = bench.fork("main", 6, Some("side")).conversation;
    bench.append("side", talk(4));
    assert_eq!(bench.planner(branch), "1-3:0 4 5 6 7 8 9 10");
    assert_eq!(bench.view(branch), "1-3:0 4 5 6 7 8 9 10");
}

#[test]
fn what_a_parent_does_later_is_not_seen() {
    let mut bench = bench();
    let parent = bench.append("main", talk(8)).conversation;
    bench.applied(plan_commit(leaf(parent, 1, 2)));
    let branch = bench.fork("main", 6, Some("side")).conversation;
    bench.applied(plan_commit(leaf(parent, 3, 4)));
    let old = bench.nodes(parent);
    bench.applied(plan_commit(repair(parent, &old[0], &[])));
    bench.append("main", talk(2));
    assert_eq!(bench.planner(branch), "1-2:0 3 4 5 6");
    assert_eq!(bench.nodes(branch)[0].id, old[0].id);
    assert_eq!(bench.nodes(branch)[0].health, Health::Sound);
    // And the branch compacts for itself, over inherited messages too.
    bench.applied(plan_commit(leaf(branch, 3, 5)));
    assert_eq!(bench.planner(branch), "1-2:0 3-5:0 6");
    assert_eq!(bench.planner(parent), "1-2:0 3-4:0 5 6 7 8 9 10");
}

#[test]
fn a_branch_repairs_an_inherited_row_by_a_row_of_its_own() {
    let mut bench = bench();
    let parent = bench.append("main", talk(4)).conversation;
    bench.applied(plan_commit(leaf(parent, 1, 2)));
    bench.applied(plan_commit(leaf(parent, 3, 4)));
    let leaves = bench.nodes(parent);
    let top = bench.applied(plan_commit(condense(parent, &leaves)));
    let branch = bench.fork("main", 4, Some("side")).conversation;
    let own = bench.applied(plan_commit(repair(branch, &leaves[0], &[])));
    assert_eq!(bench.nodes(branch)[0].health, Health::Stale);
    assert_eq!(bench.nodes(parent)[0].health, Health::Sound);
    // The inherited parent keeps the children that its own branch saw.
    let children = bench.reader.children(top.summary).unwrap();
    assert_eq!(children[0].id, leaves[0].id);
    let node = bench.nodes(branch).remove(0);
    let plan = repair(branch, &node, &[own.summary, leaves[1].id]);
    let better = bench.applied(plan_commit(plan));
    assert_eq!(bench.nodes(branch)[0].id, better.summary);
    assert_eq!(bench.nodes(parent)[0].id, top.summary);
    // The parent repairs the same row for itself.
    bench.applied(plan_commit(repair(parent, &leaves[0], &[])));
    assert_eq!(bench.nodes(branch)[0].health, Health::Sound);
}

#[test]
fn bounds_are_the_least_along_the_chain() {
    let mut bench = bench();
    bench.append("a", talk(10));
    bench.fork("a", 8, Some("b"));
    bench.append("b", talk(4));
    bench.fork("b", 5, Some("c"));
    bench.append("c", talk(1));
    bench.fork("c", 6, Some("d"));
    let d = bench.append("d", talk(2)).conversation;
    let found = bench.reader.messages(d, span(1, 8)).unwrap();
    let owners: Vec<_> = found
        .iter()
        .map(|message| message.conversation.get())
        .collect();
    assert_eq!(owners, [1, 1, 1, 1, 1, 3, 4, 4]);
    assert_eq!(bench.planner(d), "1 2 3 4 5 6 7 8");
}

#[test]
fn counters_of_a_branch_are_those_of_its_place() {
    let mut bench = bench();
    let mut messages = vec![NewMessage::system("be brief")];
    messages.extend(talk(4));
    for (idx, message) in messages.iter_mut().enumerate() {
        message.at = Some(NOW.plus_millis(i64::try_from(idx).unwrap()));
    }
    let parent = bench.append("main", messages).conversation;
    bench
        .run(WriteOp::Window {
            conversation: parent,
            window: Window::of(Tokens::new(8_000)).unwrap(),
            now: NOW,
        })
        .unwrap();
    let branch = bench.fork("main", 4, Some("side")).conversation;
    let sql = |what: &str| format!("SELECT {what} FROM conversation WHERE id = {branch}");
    for (column, wanted) in [
        ("n_visible", 3),
        ("sum_tokens", 40),
        ("sum_view", 27),
        ("turn_first", 4),
        ("last_talk", 4),
        ("prompt_last", 1),
        ("first_at", NOW.millis()),
        ("last_at", NOW.millis() + 3),
        ("window_context", 8_000),
    ] {
        assert_eq!(bench.number(&sql(column)), wanted, "{column}");
    }
    // The branch ends in a user's message, so that the next one is of the same turn.
    bench.append("side", vec![NewMessage::user("and this")]);
    assert_eq!(bench.reader.newest_request(branch).unwrap().len(), 2);
}

#[test]
fn a_branch_inside_the_leading_rows_begins_with_the_prompt_it_inherits() {
    let mut bench = bench();
    let system = || NewMessage::system("be brief");
    let meta = || NewMessage::user("<injected>").meta();
    bench.append("main", vec![meta(), system(), meta(), system()]);
    bench.append("main", talk(2));
    for (at, wanted) in [(1, 0), (2, 2), (3, 2), (4, 4), (5, 4)] {
        let name = format!("at {at}");
        let branch = bench.fork("main", at, Some(&name)).conversation;
        let frontier = bench.reader.planner_frontier(branch).unwrap();
        assert_eq!(
            frontier.prompt_last.map_or(0, crate::domain::Seq::get),
            wanted,
            "{at}"
        );
    }
}

#[test]
fn keys_and_occurrences_follow_the_lineage() {
    let mut bench = bench();
    let keyed = |key: &str| NewMessage::user("hello").with_key(key);
    let call = || NewMessage::tool_use("c", "ls", "{}");
    bench.append("main", vec![keyed("k1"), call(), keyed("k2")]);
    let branch = bench.fork("main", 2, None).conversation;
    let rows = bench
        .append("main", vec![keyed("k1"), keyed("k2"), call()])
        .rows;
    assert!(rows[0].is_duplicate && !rows[1].is_duplicate);
    let again = bench.append("main", vec![keyed("k2")]).rows;
    assert!(again[0].is_duplicate);
    let frontier = bench.reader.planner_frontier(branch).unwrap();
    let occurrences: Vec<_> = frontier
        .raw()
        .flat_map(|row| row.calls.iter().map(|call| call.occurrence))
        .collect();
    // Message 3 is a user's after an assistant's: a new turn.
    assert_eq!(occurrences, [0, 0]);
    assert_eq!(
        bench.commit(plan_commit(leaf(branch, 1, 2))),
        CommitOutcome::Applied(crate::domain::Committed {
            summary: bench.nodes(branch)[0].id,
            event: bench.reader.events(branch).unwrap()[1].id,
            pressure: bench.reader.events(branch).unwrap()[1]
                .tokens_after
                .unwrap(),
        })
    );
}
