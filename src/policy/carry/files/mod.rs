//! Files: what the calls of tools did to them. Owns which state of a file is the newest.
//! May not open a file, nor believe a summary against a call.

mod call;
mod patch;
mod shell;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use crate::domain::{Message, Part, Visibility};

pub(in crate::policy) use words::is_look;
pub(super) use words::{READ, verb};

/// What one step of a call does to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Op {
    /// It is in this state now.
    Set { path: String, state: String },
    /// It was looked at.
    Read { path: String },
    /// It and all under it are gone.
    Delete { path: String },
    /// It and all under it go by another name.
    Move { from: String, to: String },
}

impl Op {
    fn paths(&self) -> [Option<&str>; 2] {
        match self {
            Self::Set { path, .. } | Self::Read { path } | Self::Delete { path } => {
                [Some(path), None]
            }
            Self::Move { from, to } => [Some(from), Some(to)],
        }
    }
}

/// The state of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState {
    /// The path as the tools name it.
    pub path: String,
    /// What became of it, newest.
    pub state: String,
}

/// A call that may still turn out to have failed.
#[derive(Debug, Clone)]
struct Pending {
    verb: String,
    /// The files it touched, as they were before it.
    before: Vec<(String, Option<String>)>,
}

/// The files a conversation touched, with the newest state of each. A path once in it stays.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// In the order of their last change.
    states: BTreeMap<u64, FileState>,
    /// Where each path stands in that order.
    places: BTreeMap<String, u64>,
    next_place: u64,
    /// By the call's id, oldest first where it comes again.
    pending: HashMap<String, VecDeque<Pending>>,
}

impl Files {
    /// Reads the calls in messages, oldest first.
    #[must_use]
    pub fn of_messages(messages: &[Message]) -> Self {
        let mut files = Self::default();
        for message in messages {
            files.read(message);
        }
        files
    }

    /// Reads the calls and results of one message.
    pub fn read(&mut self, message: &Message) {
        if message.visibility != Visibility::Talk {
            return;
        }
        for part in &message.parts {
            match part {
                Part::ToolUse {
                    call_id,
                    name,
                    arguments,
                } => self.call(call_id, name, arguments),
                Part::ToolResult {
                    call_id,
                    content,
                    is_error,
                } => self.result(call_id, content, *is_error),
                _ => {}
            }
        }
    }

    /// Reads what a call does, as if it succeeds.
    pub fn call(&mut self, call_id: &str, name: &str, arguments: &str) {
        let ops = call::ops(name, arguments);
        let mut known: HashSet<&str> = HashSet::new();
        let before: Vec<(String, Option<String>)> = ops
            .iter()
            .flat_map(|op| op.paths().into_iter().flatten())
            .filter(|path| known.insert(path))
            .map(|path| (path.to_owned(), self.state(path).map(str::to_owned)))
            .collect();
        for op in &ops {
            self.apply(op);
        }
        if let Some((first, _)) = before.first() {
            let verb = words::verb(self.state(first).unwrap_or_default()).to_owned();
            let calls = self.pending.entry(call_id.to_owned()).or_default();
            calls.push_back(Pending { verb, before });
        }
    }

    /// Reads how a call ended: what failed changed nothing.
    pub fn result(&mut self, call_id: &str, content: &str, is_error: bool) {
        let calls = self.pending.get_mut(call_id);
        let Some(pending) = calls.and_then(VecDeque::pop_front) else {
            return;
        };
        if !is_error && !words::tells_failure(content) {
            return;
        }
        let reason = words::reason(content);
        for (path, before) in pending.before {
            let failure = format!("{} failed: {reason}", pending.verb);
            self.set(&path, words::failed(before.as_deref(), &failure));
        }
    }

    /// Takes the states over that a newer summary tells: what was known of a file before is
    /// replaced, but neither a look at it nor a failure changes it, and a moved file keeps what was
    /// known of it.
    pub fn inherit(&mut self, newer: &[(String, String)]) {
        let before: HashMap<String, String> = self
            .states()
            .map(|known| (known.path.clone(), known.state.clone()))
            .collect();
        let known = |path: &str| before.get(path).map(String::as_str);
        for (path, state) in newer {
            if is_look(state) && self.state(path).is_some() {
                continue;
            }
            if let (Some(before), Some(failure)) = (self.state(path), words::only_failure(state)) {
                let state = words::failed(Some(before), failure);
                self.set(path, state);
                continue;
            }
            let from = state
                .strip_prefix(words::MOVED_FROM)
                .filter(|from| from != path);
            let carried = from.and_then(known).and_then(words::carried);
            match (from, carried) {
                (Some(from), Some(carried)) => {
                    self.set(path, words::moved(from, Some(&carried)));
                }
                _ => self.set(path, state.clone()),
            }
        }
    }

    /// Returns the state of a file.
    #[must_use]
    pub fn state(&self, path: &str) -> Option<&str> {
        let place = self.places.get(path)?;
        self.states.get(place).map(|known| known.state.as_str())
    }

    /// Returns each file once, the one changed last at the end.
    #[must_use]
    pub fn states(&self) -> impl ExactSizeIterator<Item = &FileState> {
        self.states.values()
    }

    /// Says whether no file was touched.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    fn set(&mut self, path: &str, state: String) {
        let before = self.places.insert(path.to_owned(), self.next_place);
        if let Some(before) = before {
            self.states.remove(&before);
        }
        self.states.insert(
            self.next_place,
            FileState {
                path: path.to_owned(),
                state,
            },
        );
        self.next_place += 1;
    }

    fn apply(&mut self, op: &Op) {
        match op {
            Op::Set { path, state } => self.set(path, state.clone()),
            Op::Read { path } => {
                if self.state(path).is_none() {
                    self.set(path, READ.to_owned());
                }
            }
            Op::Delete { path } => {
                for inside in self.inside(path) {
                    self.set(&inside, format!("deleted with {path}"));
                }
                self.set(path, words::DELETED.to_owned());
            }
            Op::Move { from, to } => self.rename(from, to),
        }
    }

    fn rename(&mut self, from: &str, to: &str) {
        let known: HashMap<String, String> = self
            .inside(from)
            .into_iter()
            .chain([from.to_owned()])
            .filter_map(|path| Some((path.clone(), self.state(&path)?.to_owned())))
            .collect();
        let mut moved: Vec<String> = self.inside(from);
        moved.push(from.to_owned());
        for path in moved {
            let rest = path.strip_prefix(from).unwrap_or_default();
            let target = format!("{}{rest}", to.trim_end_matches('/'));
            let carried = known.get(&path).and_then(|old| words::carried(old));
            self.set(&path, format!("{}{target}", words::MOVED_TO));
            self.set(&target, words::moved(&path, carried.as_deref()));
        }
    }

    /// Returns the known paths under a folder, in the order of their last change.
    fn inside(&self, folder: &str) -> Vec<String> {
        let start = format!("{}/", folder.trim_end_matches('/'));
        let mut found: Vec<(u64, &String)> = self
            .places
            .range(start.clone()..)
            .take_while(|(path, _)| path.starts_with(&start))
            .filter(|(path, _)| *path != folder)
            .map(|(path, place)| (*place, path))
            .collect();
        found.sort_unstable();
        found.into_iter().map(|(_, path)| path.clone()).collect()
    }
}
