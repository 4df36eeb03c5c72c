//! The store against a model made of lists: whatever is done, both give the same answers, and the
//! invariants hold after every step. A second store has to pass this too.

mod clears;
mod history;
mod model;
mod ops;
mod pins;
mod plans;
mod world;

use std::cell::RefCell;

use hippocamp::domain::{Frontier, FrontierItem, Health, MessageId, Seq, SummaryId, Visibility};
use hippocamp::store::{Reader, Thoroughness};
use proptest::test_runner::{Config, TestRunner};

use self::history::History;
use self::model::{Branch, Node, Shown, ids};
use self::world::{World, key, span};

/// Histories in a default run.
const CASES: u32 = 1_024;

#[test]
fn the_store_and_its_model_agree() {
    let world = RefCell::new(World::new());
    let mut runner = TestRunner::new(Config {
        cases: CASES,
        source_file: Some(file!()),
        ..Config::default()
    });
    let outcome = runner.run(&ops::history(), |ops| {
        let mut world = world.borrow_mut();
        let mut history = world.begin();
        for op in &ops {
            world.step(&mut history, op);
            check(&world.reader, &history);
        }
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    // All histories lie in one store: its own check of every invariant sees all of them.
    let world = world.into_inner();
    for check in world.reader.integrity(Thoroughness::Full).unwrap() {
        assert!(check.is_ok, "{}: {}", check.name, check.detail);
    }
}

fn check(reader: &Reader, history: &History) {
    for (idx, branch) in history.branches.iter().enumerate() {
        check_record(reader, branch);
        check_frontiers(reader, branch);
        clears::check_clears(reader, branch);
        pins::check_pins(reader, branch);
        check_tree(reader, history, branch);
        check_pointer(reader, history, idx, branch);
    }
}

/// I3 and I11: the rows are those that were stored, in order, each once.
fn check_record(reader: &Reader, branch: &Branch) {
    let stored = match Seq::new(branch.head()) {
        Some(_) => reader.messages(branch.id, span(1, branch.head())).unwrap(),
        None => Vec::new(),
    };
    assert_eq!(stored.len(), branch.rows.len());
    for (seq, (message, row)) in (1..).zip(stored.iter().zip(&branch.rows)) {
        assert_eq!((message.seq.get(), message.id.get()), (seq, row.id));
        assert_eq!(format!("{:?}", message.parts), row.words);
        let shown = match message.visibility {
            Visibility::Talk => Shown::Talk,
            Visibility::Meta => Shown::Meta,
            Visibility::Prompt => Shown::Prompt,
        };
        assert_eq!(shown, row.shown);
    }
    let ids: Vec<_> = branch
        .rows
        .iter()
        .map(|row| MessageId::new(row.id))
        .collect();
    assert_eq!(reader.messages_by_id(&ids).unwrap(), stored);
    let marks = reader.marks(branch.id).unwrap();
    let n_marks = branch.rows.iter().filter(|row| row.shown != Shown::Meta);
    assert_eq!(marks.len(), n_marks.count());
    let request = reader.newest_request(branch.id).unwrap();
    let places: Vec<_> = request.iter().map(|row| row.seq.get()).collect();
    assert_eq!(places, branch.request());
}

/// I1: both frontiers cover everything behind the prompt once, in order, as the model walks it.
fn check_frontiers(reader: &Reader, branch: &Branch) {
    let planner = reader.planner_frontier(branch.id).unwrap();
    let (view, warnings) = reader.view_frontier(branch.id).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    for (frontier, nodes) in [(&planner, branch.planned()), (&view, branch.shown())] {
        check_partition(frontier, branch);
        let found: Vec<_> = frontier.nodes().map(|node| node.id.get()).collect();
        assert_eq!(found, ids(&nodes));
        assert_eq!(frontier.n_visible, branch.n_visible());
        let prompt = frontier.prompt.iter().flat_map(|prompt| &prompt.rows);
        let prompt: Vec<_> = prompt.map(|id| id.get()).collect();
        assert_eq!(prompt, branch.prompt());
    }
    for (node, wanted) in planner.nodes().zip(branch.planned()) {
        assert_eq!(node.health, branch.health(wanted));
    }
}

fn check_partition(frontier: &Frontier, branch: &Branch) {
    assert_eq!(frontier.head.map_or(0, Seq::get), branch.head());
    assert_eq!(
        frontier.prompt_last.map_or(0, Seq::get),
        branch.prompt_last()
    );
    let mut next = branch.prompt_last() + 1;
    let mut depth = u32::MAX;
    for item in &frontier.items {
        assert_eq!(item.span().first().get(), next);
        next = item.span().last().get() + 1;
        if let FrontierItem::Node(node) = item {
            assert!(node.depth.get() <= depth, "depth rises");
            assert_ne!(node.health, Health::Broken);
            depth = node.depth.get();
        }
    }
    assert_eq!(next, branch.head() + 1);
}

/// I2: what stands above is above at least two neighbours, one level deeper than the deepest.
fn check_tree(reader: &Reader, history: &History, branch: &Branch) {
    for node in &branch.nodes {
        let children = reader.children(SummaryId::new(node.id)).unwrap();
        let found: Vec<_> = children.iter().map(|child| child.id.get()).collect();
        if node.depth == 0 {
            assert!(found.is_empty());
            continue;
        }
        assert_eq!(found, history.branches[node.owner].children(node));
        assert!(found.len() >= 2);
        let mut next = node.first;
        for child in &children {
            assert_eq!(child.span.first().get(), next);
            next = child.span.last().get() + 1;
        }
        assert_eq!(next, node.last + 1);
        let deepest = children.iter().map(|child| child.depth.get()).max();
        assert_eq!(deepest, Some(node.depth - 1));
    }
    let rows = reader.tree_rows(branch.id).unwrap();
    let mut found: Vec<_> = rows.iter().map(|row| row.id.get()).collect();
    let mut wanted: Vec<_> = branch.newest().iter().map(|node: &&Node| node.id).collect();
    found.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
}

/// The key means the branch it was pointed at last; every event is there.
fn check_pointer(reader: &Reader, history: &History, idx: usize, branch: &Branch) {
    let found = reader.conversation_by_id(branch.id).unwrap().unwrap();
    let parent = branch.parent.map(|parent| history.branches[parent].id);
    assert_eq!(found.parent, parent);
    assert_eq!(found.live_id.map_or(0, SummaryId::get), branch.live);
    assert_eq!(found.is_current, history.pointers.contains(&idx));
    if found.is_current {
        let current = reader.conversation(&key(&branch.key)).unwrap().unwrap();
        assert_eq!(current.id, branch.id);
    }
    let events = reader.events(branch.id).unwrap();
    assert_eq!(events.len(), branch.n_events);
    assert!(events.is_sorted_by_key(|event| event.id));
}
