//! Lists, counts and ids: sessions, trees, the curve, and what a branch may expand.

use std::ops::ControlFlow;

use hippocamp::domain::{
    Answers, ItemId, LiveMove, MessageId, NewMessage, Scope, SearchScope, Timestamp, Tokens,
};
use hippocamp::store::Look;

use super::kit::{all, bench, branch, key, leaf_plan, message, number, span, summary};

#[test]
fn a_scan_is_newest_first_and_stops_when_told() {
    let mut bench = bench();
    let mut stored = Vec::new();
    for n in 0..300 {
        let session = if n % 3 == 0 { "one" } else { "two" };
        stored.push(bench.say(session, &format!("text {n}")));
    }
    let rows = bench.scan(&all(), None);
    let seen: Vec<i64> = rows.iter().rev().map(|row| number(row.id)).collect();
    assert_eq!(seen, stored);
    let above = bench.scan(&all(), Some(stored[289]));
    assert_eq!(above.len(), 10);
    let filter = branch(bench.conversation("one"));
    assert_eq!(bench.scan(&filter, None).len(), 100);
    assert_eq!(bench.scan(&filter, Some(stored[290])).len(), 3);
    let mut count = 0;
    bench
        .reader
        .scan(&filter, &Look::default(), None, &mut |_| {
            count += 1;
            if count == 7 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
        .unwrap();
    assert_eq!(count, 7);
}

#[test]
fn rows_come_whole_in_the_order_asked_for_and_unknown_ids_are_left_out() {
    let mut bench = bench();
    let call = bench.append(
        "main",
        vec![
            NewMessage::tool_use("c1", "grep", "{\"pattern\":\"x\"}"),
            NewMessage::tool_result("c1", "nothing"),
        ],
    );
    let main = bench.conversation("main");
    let leaf = bench.leaf(main, 1, 2, "looked");
    let ids = [
        summary(leaf),
        message(call[1]),
        message(999),
        summary(call[0]),
        message(call[0]),
    ];
    let found = bench.reader.search_rows(&ids, Answers::Unnamed).unwrap();
    let rows = found.rows;
    let found: Vec<ItemId> = rows.iter().map(|row| row.id).collect();
    assert_eq!(found, [summary(leaf), message(call[1]), message(call[0])]);
    assert_eq!(rows[0].span, span(1, 2));
    assert_eq!(
        rows[1].parts,
        NewMessage::tool_result("c1", "nothing").parts
    );
    assert_eq!(rows[2].conversation, main);
}

#[test]
fn forty_thousand_ids_are_one_question() {
    let mut bench = bench();
    let first = bench.say("main", "here");
    let there = bench.say("other", "there");
    let main = Scope::Branch(bench.conversation("main"));
    let ids: Vec<ItemId> = (1..=40_000)
        .map(|id| ItemId::Message(MessageId::new(id)))
        .collect();
    let within = bench.reader.items_within(main, &ids).unwrap();
    assert_eq!(within.len(), 40_000);
    assert_eq!(within.iter().flatten().count(), 1);
    let place = usize::try_from(first).unwrap() - 1;
    assert_eq!(within[place].unwrap().span, span(1, 1));
    let everywhere = bench.reader.items_within(Scope::All, &ids).unwrap();
    assert_eq!(everywhere.iter().flatten().count(), 2);
    assert_eq!(
        bench
            .reader
            .search_rows(&ids, Answers::Unnamed)
            .unwrap()
            .rows
            .len(),
        2
    );
    let home = bench
        .reader
        .item_conversation(message(there))
        .unwrap()
        .unwrap();
    assert_eq!(home.conversation, bench.conversation("other"));
    assert!(
        bench
            .reader
            .item_conversation(summary(there))
            .unwrap()
            .is_none()
    );
}

#[test]
fn a_branch_expands_what_it_inherits_and_not_what_came_after_the_fork() {
    let mut bench = bench();
    let ids: Vec<i64> = (0..6)
        .map(|n| bench.say("main", &format!("m{n}")))
        .collect();
    let parent = bench.conversation("main");
    let early = bench.leaf(parent, 1, 2, "early");
    let child = bench.fork("main", 4);
    let late = bench.leaf(parent, 3, 4, "after the fork");
    let own = bench.leaf(child, 3, 4, "of the child");
    let asked = [
        message(ids[3]),
        message(ids[4]),
        summary(early),
        summary(late),
        summary(own),
    ];
    let reach = |of| -> Vec<bool> {
        let homes = bench
            .reader
            .items_within(Scope::Branch(of), &asked)
            .unwrap();
        homes.iter().map(Option::is_some).collect()
    };
    assert_eq!(reach(child), [true, false, true, false, true]);
    assert_eq!(reach(parent), [true, true, true, true, false]);
}

#[test]
fn sessions_say_what_they_hold_and_where_they_come_from() {
    let mut bench = bench();
    let at = Timestamp::from_millis(5_000);
    bench.append("old", vec![NewMessage::user("a").at(at)]);
    for n in 0..3 {
        bench.append(
            "main",
            vec![NewMessage::user(format!("q{n}")).at(super::kit::NOW)],
        );
    }
    bench.append("main", vec![NewMessage::user("noise").meta()]);
    bench.fork("main", 2);
    let sessions = bench.reader.sessions().unwrap();
    let keys: Vec<&str> = sessions.iter().map(|row| row.session.as_str()).collect();
    assert_eq!(keys, ["main", "old"]);
    let main = &sessions[0];
    assert_eq!(
        (main.messages, main.rows, main.tokens),
        (2, 2, Tokens::new(20))
    );
    let parent = main.parent.clone().unwrap();
    assert_eq!((parent.0, parent.1.get()), (key("main"), 2));
    assert_eq!(sessions[1].first_at, Some(at));
    let stats = bench.reader.store_stats().unwrap();
    assert_eq!(
        (stats.messages, stats.rows),
        (4, 5),
        "shared rows count once"
    );
    assert_eq!((stats.tokens, stats.conversations), (Tokens::new(50), 3));
    assert!(stats.bytes > 4_096);
    let own = bench.reader.conversation_stats(main.id).unwrap();
    assert_eq!((own.messages, own.rows, own.summaries), (2, 2, 0));
}

#[test]
fn a_tree_shows_the_newest_versions_and_which_are_live() {
    let mut bench = bench();
    for n in 0..8 {
        bench.say("main", &format!("m{n}"));
    }
    let main = bench.conversation("main");
    let a = bench.leaf(main, 1, 2, "a");
    let b = bench.leaf(main, 3, 4, "b");
    let above = bench.condense(main, &[a, b], span(1, 4));
    let better = bench.repair(main, a, span(1, 2), "better");
    let waiting = bench.summarise(leaf_plan(main, 5, 6), "waiting", LiveMove::Later);
    let tree = bench.reader.tree(main).unwrap();
    let nodes: Vec<(i64, bool)> = tree
        .iter()
        .map(|node| (node.id.get(), node.is_live))
        .collect();
    assert_eq!(
        nodes,
        [(above, true), (better, false), (b, false), (waiting, false)]
    );
    assert_eq!(tree[0].depth.get(), 1);
    assert_eq!(tree[1].generation.get(), 1);
}

#[test]
fn the_curve_is_a_saw_that_ends_at_the_frontier() {
    let mut bench = bench();
    bench.append("main", vec![NewMessage::system("rules")]);
    for n in 0..6 {
        bench.say("main", &format!("m{n}"));
    }
    let main = bench.conversation("main");
    let a = bench.leaf(main, 2, 4, "a");
    bench.say("main", "more");
    let b = bench.leaf(main, 5, 7, "b");
    bench.condense(main, &[a, b], span(2, 7));
    bench.repair(main, a, span(2, 4), "better, below the frontier");
    bench.say("main", "last");
    let curve = bench.reader.curve(main).unwrap();
    let tokens: Vec<u64> = curve.iter().map(|step| step.tokens.get()).collect();
    // A prompt of 9, messages of 9, summaries of 5.
    assert_eq!(tokens, [18, 27, 36, 45, 54, 63, 41, 50, 28, 23, 23, 32]);
    assert!(curve[6].event.is_some() && curve[7].event.is_none());

    let child = bench.fork("main", 6);
    bench.say("main", "other end");
    let branch = bench.reader.curve(child).unwrap();
    let last = branch.last().unwrap();
    // The second leaf reaches past the fork: its messages are raw again.
    assert_eq!((last.seq.get(), last.tokens.get()), (7, 9 + 5 + 9 + 9 + 9));
    let scan = hippocamp::domain::RowFilter {
        kinds: SearchScope::Summary,
        ..super::kit::branch(child)
    };
    assert_eq!(bench.scan(&scan, None).len(), 1);
}
