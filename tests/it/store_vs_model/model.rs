//! The store again, as lists: each branch holds all that it sees, and every question is answered
//! by looking through everything.

use std::collections::BTreeSet;

use hippocamp::domain::{ConversationId, Health, PinState};

/// One message of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) words: String,
    pub(crate) key: Option<String>,
    pub(crate) shown: Shown,
    pub(crate) is_user: bool,
    pub(crate) n_results: usize,
    /// For a prompt: the index of the first row of its version.
    pub(crate) version: usize,
}

/// How a row shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    Talk,
    Meta,
    Prompt,
}

/// One summary that a branch sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) id: i64,
    pub(crate) owner: usize,
    pub(crate) depth: u32,
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) generation: u32,
}

/// One branch with all that it sees.
#[derive(Debug, Clone)]
pub(crate) struct Branch {
    pub(crate) id: ConversationId,
    pub(crate) key: String,
    pub(crate) parent: Option<usize>,
    pub(crate) rows: Vec<Row>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) live: i64,
    /// Which results of which rows are cleared.
    pub(crate) cleared: BTreeSet<(i64, u32)>,
    /// What became of which pin: the event, the pin, the state since.
    pub(crate) changes: Vec<(i64, i64, PinState)>,
    /// How many events tell of it.
    pub(crate) n_events: usize,
}

/// Which nodes a walk may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct May {
    pub(crate) last: u64,
    pub(crate) max_id: i64,
    pub(crate) below: u32,
}

impl Branch {
    pub(crate) fn new(id: ConversationId, key: &str) -> Self {
        Self {
            id,
            key: key.to_owned(),
            parent: None,
            rows: Vec::new(),
            nodes: Vec::new(),
            live: 0,
            cleared: BTreeSet::new(),
            changes: Vec::new(),
            n_events: 0,
        }
    }

    /// The cleared results of one row, in order.
    pub(crate) fn cleared_of(&self, row: i64) -> impl Iterator<Item = (i64, u32)> {
        self.cleared.range((row, 0)..=(row, u32::MAX)).copied()
    }

    pub(crate) fn head(&self) -> u64 {
        self.rows.len() as u64
    }

    pub(crate) fn n_visible(&self) -> u64 {
        let is_talk = |row: &&Row| row.shown == Shown::Talk;
        self.rows.iter().filter(is_talk).count() as u64
    }

    pub(crate) fn has_talk(&self, first: u64, last: u64) -> bool {
        let mut inside = (1..)
            .zip(&self.rows)
            .filter(|(seq, _)| (first..=last).contains(seq));
        inside.any(|(_, row)| row.shown == Shown::Talk)
    }

    /// The last prompt row before any talk.
    pub(crate) fn prompt_last(&self) -> u64 {
        let leading = self.rows.iter().take_while(|row| row.shown != Shown::Talk);
        leading
            .enumerate()
            .filter(|(_, row)| row.shown == Shown::Prompt)
            .last()
            .map_or(0, |(idx, _)| idx as u64 + 1)
    }

    /// The rows of the newest version of the prompt.
    pub(crate) fn prompt(&self) -> Vec<i64> {
        let prompts = self.rows.iter().filter(|row| row.shown == Shown::Prompt);
        let newest = prompts.clone().next_back().map(|row| row.version);
        prompts
            .filter(|row| Some(row.version) == newest)
            .map(|row| row.id)
            .collect()
    }

    /// The places of the visible user messages that open the newest turn.
    pub(crate) fn request(&self) -> Vec<u64> {
        let talk: Vec<_> = (1..)
            .zip(&self.rows)
            .filter(|(_, row)| row.shown == Shown::Talk)
            .collect();
        let mut runs: Vec<Vec<u64>> = Vec::new();
        let mut was_user = false;
        for (seq, row) in talk {
            if row.is_user && !was_user {
                runs.push(Vec::new());
            }
            if let Some(run) = runs.last_mut().filter(|_| row.is_user) {
                run.push(seq);
            }
            was_user = row.is_user;
        }
        runs.pop().unwrap_or_default()
    }

    pub(crate) fn find_key(&self, key: &str) -> Option<(i64, u64)> {
        (1..)
            .zip(&self.rows)
            .find(|(_, row)| row.key.as_deref() == Some(key))
            .map(|(seq, row)| (row.id, seq))
    }

    /// Walks from `from`: the deepest node that starts here, the newest generation of it, then on
    /// from its end.
    pub(crate) fn walk(&self, from: u64, may: May) -> Vec<&Node> {
        let mut seq = from;
        let mut found = Vec::new();
        loop {
            let here = self
                .nodes
                .iter()
                .filter(|node| node.first == seq && node.last <= may.last)
                .filter(|node| node.id <= may.max_id && node.depth < may.below)
                .max_by_key(|node| (node.depth, node.generation));
            let Some(node) = here else { return found };
            seq = node.last + 1;
            found.push(node);
        }
    }

    pub(crate) fn planned(&self) -> Vec<&Node> {
        self.walk(self.prompt_last() + 1, self.all())
    }

    pub(crate) fn shown(&self) -> Vec<&Node> {
        let may = May {
            max_id: self.live,
            ..self.all()
        };
        self.walk(self.prompt_last() + 1, may)
    }

    pub(crate) fn all(&self) -> May {
        May {
            last: self.head(),
            max_id: i64::MAX,
            below: u32::MAX,
        }
    }

    /// What a node of this branch's own was made from.
    pub(crate) fn children(&self, node: &Node) -> Vec<i64> {
        let may = May {
            last: node.last,
            max_id: node.id - 1,
            below: node.depth,
        };
        ids(&self.walk(node.first, may))
    }

    /// What a repair of a node would be made from now.
    pub(crate) fn inside(&self, node: &Node) -> Vec<i64> {
        let may = May {
            last: node.last,
            max_id: i64::MAX,
            below: node.depth,
        };
        ids(&self.walk(node.first, may))
    }

    pub(crate) fn health(&self, node: &Node) -> Health {
        let is_stale = self.nodes.iter().any(|other| {
            other.id > node.id
                && other.depth < node.depth
                && other.first >= node.first
                && other.last <= node.last
        });
        if is_stale {
            Health::Stale
        } else {
            Health::Sound
        }
    }

    /// The nodes that no newer generation stands for.
    pub(crate) fn newest(&self) -> Vec<&Node> {
        let place = |node: &Node| (node.depth, node.first, node.last);
        self.nodes
            .iter()
            .filter(|node| {
                self.nodes
                    .iter()
                    .all(|other| place(other) != place(node) || other.generation <= node.generation)
            })
            .collect()
    }

    /// Makes the branch that begins after `at`.
    pub(crate) fn fork(&self, parent: usize, id: ConversationId, key: &str, at: u64) -> Self {
        let seen = |node: &&Node| node.last <= at && node.id <= self.live;
        Self {
            id,
            key: key.to_owned(),
            parent: Some(parent),
            rows: (1..=at)
                .zip(&self.rows)
                .map(|(_, row)| row.clone())
                .collect(),
            nodes: self.nodes.iter().filter(seen).cloned().collect(),
            live: self.live,
            cleared: self
                .cleared
                .iter()
                .filter(|(id, _)| (1..=at).zip(&self.rows).any(|(_, row)| row.id == *id))
                .copied()
                .collect(),
            changes: self.changes_at(at),
            n_events: 1,
        }
    }
}

pub(crate) fn ids(nodes: &[&Node]) -> Vec<i64> {
    nodes.iter().map(|node| node.id).collect()
}
