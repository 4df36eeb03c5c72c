//! Small histories: what is done, with choices that are read against the state they meet.

use proptest::collection::vec;
use proptest::prelude::*;

/// One step. Numbers choose among what there is, by remainder.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    /// Messages in letters: `u` user, `a` assistant, `s` system, `p` a prompt by name, `m` meta,
    /// `k` a user's with one of three keys, `t` two results of tools.
    Append {
        session: usize,
        letters: String,
    },
    /// The host's whole list, as decided from what is there.
    Sync {
        session: usize,
        action: Action,
        choice: usize,
        letters: String,
    },
    /// A decision made before somebody else wrote.
    LateSync {
        session: usize,
    },
    Fork {
        session: usize,
        at: usize,
        key: Key,
    },
    Leaf {
        session: usize,
        length: usize,
        when: When,
    },
    /// A leaf that leaves a gap, or reaches past the head.
    WrongLeaf {
        session: usize,
        is_long: bool,
    },
    Condense {
        session: usize,
        start: usize,
        n_children: usize,
        when: When,
    },
    Repair {
        session: usize,
        choice: usize,
        when: When,
    },
    /// A plan that was carried out before.
    Again {
        choice: usize,
    },
    Promote {
        session: usize,
    },
    Clear {
        session: usize,
        choice: usize,
    },
    /// Of rows that the branch does not see.
    WrongClear {
        session: usize,
    },
    Pin {
        session: usize,
        choice: usize,
    },
    Reopen,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Extend,
    Fork,
    Switch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Same,
    Own,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Now,
    Later,
}

fn when() -> impl Strategy<Value = When> {
    prop_oneof![4 => Just(When::Now), 1 => Just(When::Later)]
}

fn session() -> impl Strategy<Value = usize> {
    prop_oneof![3 => Just(0), 1 => 0..4_usize]
}

fn op() -> impl Strategy<Value = Op> {
    let choice = 0..64_usize;
    prop_oneof![
        6 => (session(), "[uuaaasmpkttt]{1,6}")
            .prop_map(|(session, letters)| Op::Append { session, letters }),
        2 => (
            session(),
            prop_oneof![Just(Action::Extend), Just(Action::Fork), Just(Action::Switch)],
            choice.clone(),
            "[uapt]{0,3}",
        )
            .prop_map(|(session, action, choice, letters)| Op::Sync {
                session,
                action,
                choice,
                letters,
            }),
        1 => session().prop_map(|session| Op::LateSync { session }),
        2 => (session(), choice.clone(), prop_oneof![Just(Key::Same), Just(Key::Own)])
            .prop_map(|(session, at, key)| Op::Fork { session, at, key }),
        6 => (session(), 0..4_usize, when())
            .prop_map(|(session, length, when)| Op::Leaf { session, length, when }),
        1 => (session(), any::<bool>())
            .prop_map(|(session, is_long)| Op::WrongLeaf { session, is_long }),
        5 => (session(), choice.clone(), 2..5_usize, when()).prop_map(
            |(session, start, n_children, when)| Op::Condense {
                session,
                start,
                n_children,
                when,
            }
        ),
        3 => (session(), choice.clone(), when())
            .prop_map(|(session, choice, when)| Op::Repair { session, choice, when }),
        1 => choice.clone().prop_map(|choice| Op::Again { choice }),
        1 => session().prop_map(|session| Op::Promote { session }),
        4 => (session(), choice.clone())
            .prop_map(|(session, choice)| Op::Clear { session, choice }),
        1 => session().prop_map(|session| Op::WrongClear { session }),
        4 => (session(), 0..64_usize).prop_map(|(session, choice)| Op::Pin { session, choice }),
        1 => Just(Op::Reopen),
    ]
}

/// A history: talk first, so that there is something to work on.
pub(crate) fn history() -> impl Strategy<Value = Vec<Op>> {
    ("[sm]{0,2}[uat]{4,12}", vec(op(), 1..16)).prop_map(|(letters, mut ops)| {
        let begin = Op::Append {
            session: 0,
            letters,
        };
        ops.insert(0, begin);
        ops
    })
}
