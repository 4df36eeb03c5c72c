//! Filters act before the limit, and say exactly which rows pass.

use hippocamp::domain::{
    Answers, LiveMove, NewMessage, Role, RowFilter, Scope, SearchRow, SearchScope, TimeRange,
    Timestamp, Tokens,
};
use hippocamp::store::{CANDIDATES_AT_MOST, CandidateOrder, Look, WriteOp};
use proptest::prelude::*;

use super::kit::{Bench, NOW, all, bench, branch, ids, leaf_plan, number, span, token, words};

fn time(since: i64, before: i64) -> TimeRange {
    TimeRange {
        since: Some(Timestamp::from_millis(since)),
        before: Some(Timestamp::from_millis(before)),
    }
}

/// One old row of the assistant here, then 500 newer ones of users elsewhere.
fn poplars(bench: &mut Bench) -> i64 {
    let old = NewMessage::assistant("poplar needle").at(Timestamp::from_millis(1_000));
    let needle = bench.append("here", vec![old])[0];
    for start in (0..500).step_by(100) {
        let rows = (start..start + 100)
            .map(|n| NewMessage::user(format!("poplar {n}")).at(NOW))
            .collect();
        bench.append("elsewhere", rows);
    }
    bench.index();
    needle
}

// B126
#[test]
fn the_one_row_that_passes_is_found_behind_500_newer_ones() {
    let mut bench = bench();
    let needle = poplars(&mut bench);
    let here = bench.conversation("here");
    let filters = [
        branch(here),
        RowFilter {
            role: Some(Role::Assistant),
            ..all()
        },
        RowFilter {
            time: time(0, 2_000),
            ..all()
        },
    ];
    for filter in filters {
        for order in [CandidateOrder::Rank, CandidateOrder::Newest] {
            let found = bench
                .reader
                .search(&token("poplar"), &filter, &Look::default(), 5, order);
            let found = found.unwrap();
            assert_eq!(ids(&found), [needle], "{filter:?}");
            assert_eq!((found.total, found.total_capped), (1, false), "{filter:?}");
        }
        let scanned = bench.scan(&filter, None);
        assert_eq!(scanned.len(), 1, "{filter:?}");
        assert_eq!(number(scanned[0].id), needle);
    }
}

// B130
#[test]
fn a_total_counts_all_rows_that_pass_and_says_when_it_stopped() {
    let mut bench = bench();
    poplars(&mut bench);
    let found = bench.search(&token("poplar"), &all(), 5);
    assert_eq!((found.candidates.len(), found.total), (5, 501));
    assert!(!found.total_capped);
    let found = bench.search(&token("willow"), &all(), 5);
    assert_eq!((found.candidates.len(), found.total), (0, 0));
    assert!(!found.total_capped);

    let rows = |n: usize| (0..n).map(|_| NewMessage::user("poplar")).collect();
    bench.append("elsewhere", rows(CANDIDATES_AT_MOST - 501));
    bench.index();
    let found = bench.search(&token("poplar"), &all(), 5);
    assert_eq!(found.total, CANDIDATES_AT_MOST as u64);
    assert!(!found.total_capped, "all of them were counted");
    bench.append("elsewhere", rows(1));
    bench.index();
    let found = bench.search(&token("poplar"), &all(), 5);
    assert!(
        found.total_capped && found.total >= 1_000,
        "{}",
        found.total
    );
}

// B129
#[test]
fn no_limit_is_read_as_unlimited() {
    let mut bench = bench();
    poplars(&mut bench);
    for (limit, want) in [(0, 0), (1, 1), (501, 501), (usize::MAX, 501)] {
        let found = bench.search(&token("poplar"), &all(), limit);
        assert_eq!(found.candidates.len(), want);
        assert_eq!(found.total, 501);
    }
}

// B127
#[test]
fn a_branch_sees_its_own_rows_and_what_it_inherits_and_nothing_else() {
    let mut bench = bench();
    let shared = bench.say("main", "cedar shared");
    let parents = bench.say("main", "cedar of the parent");
    let stranger = bench.say("other", "cedar of a stranger");
    let parent = bench.conversation("main");
    let child = bench.fork("main", 1);
    let childs = bench.say("main", "cedar of the child");
    let grandchild = bench.fork("main", 2);
    let late = bench.say("other", "cedar again");
    bench.index();

    let check = |filter: &RowFilter, want: &[i64]| {
        assert_eq!(bench.find("cedar", filter), want, "{filter:?}");
        let mut scanned: Vec<i64> = bench
            .scan(filter, None)
            .iter()
            .map(|r| number(r.id))
            .collect();
        scanned.reverse();
        assert_eq!(scanned, want, "{filter:?}");
    };
    check(&branch(parent), &[shared, parents]);
    check(&branch(child), &[shared, childs]);
    check(&branch(grandchild), &[shared, childs]);
    check(&branch(bench.conversation("other")), &[stranger, late]);
    check(&all(), &[shared, parents, stranger, childs, late]);
}

// B051
#[test]
fn rows_imported_late_keep_their_times_and_are_found_by_them() {
    let mut bench = bench();
    let january = 1_767_571_200_000; // 2026-01-05
    let rows = |at: i64, n: i64| {
        (0..n)
            .map(|k| NewMessage::user("maple").at(Timestamp::from_millis(at + k)))
            .collect::<Vec<_>>()
    };
    bench.append("new", rows(january + 300 * 86_400_000, 400));
    bench.index();
    let late = bench.append("old", rows(january, 3));
    bench.append("new", rows(january + 301 * 86_400_000, 400));
    let unknown = bench.append("imported", vec![NewMessage::user("maple")])[0];
    bench.index();
    // The append stamps nothing: a row without a time has none here.
    let find = |since, before| {
        let filter = RowFilter {
            time: time(since, before),
            ..all()
        };
        bench.find("maple", &filter)
    };
    assert_eq!(find(january, january + 86_400_000), late);
    assert_eq!(find(january + 1, january + 3), late[1..], "since counts");
    assert_eq!(find(january, january + 2), late[..2], "before does not");
    assert_eq!(find(january - 5, january), [0_i64; 0]);
    assert_eq!(find(0, i64::MAX).len(), 803);
    assert!(!find(0, i64::MAX).contains(&unknown), "no time, no range");
    assert!(bench.find("maple", &all()).contains(&unknown));
    assert_eq!(
        find(january + 3, january),
        [0_i64; 0],
        "ends before it begins"
    );
}

#[test]
fn superseded_and_waiting_summaries_are_passed_over_and_what_lies_under_is_not() {
    let mut bench = bench();
    for n in 1..=8 {
        bench.say("main", &format!("question {n}"));
    }
    let main = bench.conversation("main");
    let first = bench.leaf(main, 1, 2, "larch first");
    let second = bench.leaf(main, 3, 4, "larch second");
    let above = bench.condense(main, &[first, second], span(1, 4));
    let better = bench.repair(main, first, span(1, 2), "larch better");
    let waiting = bench.summarise(leaf_plan(main, 5, 6), "larch waiting", LiveMove::Later);
    bench.index();
    for filter in [all(), branch(main)] {
        assert_eq!(bench.find("larch", &filter), [second, better], "{filter:?}");
        assert_eq!(bench.find("above", &filter), [above], "{filter:?}");
        let scanned = bench.scan(&filter, None);
        let summaries: Vec<i64> = scanned
            .iter()
            .filter(|row| row.role.is_none())
            .map(|row| number(row.id))
            .collect();
        assert_eq!(summaries, [better, above, second]);
    }
    bench
        .run(WriteOp::Promote {
            conversation: main,
            reason: "stage".to_owned(),
            tokens_before: Tokens::ZERO,
            tokens_after: Tokens::ZERO,
            now: NOW,
        })
        .unwrap();
    assert_eq!(bench.find("larch", &all()), [second, better, waiting]);

    let roles = RowFilter {
        role: Some(Role::User),
        ..all()
    };
    assert_eq!(
        bench.find("larch", &roles),
        [0_i64; 0],
        "a role has no summaries"
    );
    let kinds = RowFilter {
        kinds: SearchScope::Message,
        ..all()
    };
    assert_eq!(bench.find("larch", &kinds), [0_i64; 0]);
    assert_eq!(bench.find("question", &kinds).len(), 8);
    let kinds = RowFilter {
        kinds: SearchScope::Summary,
        ..all()
    };
    assert_eq!(bench.find("question", &kinds), [0_i64; 0]);
}

/// What a random history does next.
#[derive(Debug, Clone)]
enum Act {
    Say(u8, u8, u8, Option<i64>),
    Fork(u8, u8),
    Leaf(u8),
    Index,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        8 => (0..3_u8, 0..4_u8, 0..8_u8, proptest::option::of(0..50_i64))
            .prop_map(|(who, role, word, at)| Act::Say(who, role, word, at)),
        1 => (0..3_u8, 1..9_u8).prop_map(|(who, at)| Act::Fork(who, at)),
        2 => (0..3_u8).prop_map(Act::Leaf),
        1 => Just(Act::Index),
    ]
}

fn play(bench: &mut Bench, act: &Act) {
    let session = |who: &u8| format!("session {who}");
    match act {
        Act::Say(who, role, word, at) => {
            let role = [Role::User, Role::Assistant, Role::Tool, Role::System][usize::from(*role)];
            let mut message = NewMessage::text(role, format!("w{word} w{}", word / 2));
            message.at = at.map(Timestamp::from_millis);
            bench.append(&session(who), vec![message]);
        }
        Act::Fork(who, at) => {
            let key = super::kit::key(&session(who));
            let head = bench
                .reader
                .conversation(&key)
                .unwrap()
                .and_then(|c| c.head);
            if head.is_some_and(|head| u64::from(*at) <= head.get()) {
                bench.fork(&session(who), u64::from(*at));
            }
        }
        Act::Leaf(who) => {
            let key = super::kit::key(&session(who));
            let Some(found) = bench.reader.conversation(&key).unwrap() else {
                return;
            };
            let frontier = bench.reader.planner_frontier(found.id).unwrap();
            let raw: Vec<u64> = frontier.raw().map(|row| row.seq.get()).collect();
            if let [first, second, ..] = raw[..] {
                bench.leaf(found.id, first, second, &format!("w{} summary", first % 8));
            }
        }
        Act::Index => {
            bench.index();
        }
    }
}

fn filter() -> impl Strategy<Value = (Option<u8>, RowFilter)> {
    let kinds = prop_oneof![
        Just(SearchScope::Both),
        Just(SearchScope::Message),
        Just(SearchScope::Summary)
    ];
    let role = proptest::option::weighted(0.3, prop_oneof![Just(Role::User), Just(Role::Tool)]);
    let bound = || proptest::option::weighted(0.5, (0..50_i64).prop_map(Timestamp::from_millis));
    let scope = proptest::option::of(0..3_u8);
    (scope, kinds, role, bound(), bound()).prop_map(|(who, kinds, role, since, before)| {
        let filter = RowFilter {
            scope: Scope::All,
            kinds,
            role,
            time: TimeRange { since, before },
            answers: Answers::Unnamed,
        };
        (who, filter)
    })
}

/// Decides as the filter is documented, from a row and the branch's own lists.
fn passes(bench: &Bench, filter: &RowFilter, row: &SearchRow) -> bool {
    let is_summary = row.role.is_none();
    let kind = match filter.kinds {
        SearchScope::Both => true,
        SearchScope::Message => !is_summary,
        SearchScope::Summary => is_summary,
    };
    let role = filter.role.is_none_or(|role| row.role == Some(role));
    let reach = match filter.scope {
        Scope::All => true,
        Scope::Branch(_) => {
            bench.reader.items_within(filter.scope, &[row.id]).unwrap()[0].is_some()
        }
    };
    kind && role && reach && filter.time.overlaps(row.from, row.to)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    // I13: index and scan agree with the filter as it is written down, before any limit.
    #[test]
    fn index_and_scan_propose_exactly_the_rows_that_pass(
        acts in proptest::collection::vec(act(), 1..60),
        questions in proptest::collection::vec((filter(), 0..8_u8), 1..8),
    ) {
        let mut bench = bench();
        for act in &acts {
            play(&mut bench, act);
        }
        bench.index();
        let everything = bench.scan(&all(), None);
        for ((who, filter), word) in &questions {
            let mut filter = *filter;
            if let Some(who) = who {
                let key = super::kit::key(&format!("session {who}"));
                let Some(found) = bench.reader.conversation(&key).unwrap() else { continue };
                filter.scope = Scope::Branch(found.id);
            }
            let want: Vec<i64> = everything
                .iter()
                .rev()
                .filter(|row| passes(&bench, &filter, row))
                .map(|row| number(row.id))
                .collect();
            let mut scanned: Vec<i64> =
                bench.scan(&filter, None).iter().map(|row| number(row.id)).collect();
            scanned.reverse();
            prop_assert_eq!(&scanned, &want, "scan {:?}", filter);

            let word = format!("w{word}");
            let want: Vec<i64> = everything
                .iter()
                .rev()
                .filter(|row| passes(&bench, &filter, row) && words(row).contains(&word))
                .map(|row| number(row.id))
                .collect();
            prop_assert_eq!(bench.find(&word, &filter), want, "search {:?}", filter);
        }
    }
}
