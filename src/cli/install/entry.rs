//! An entry of ours in somebody's settings. Owns what it says, how it is known again, and what it
//! notes of the place it came to.

use std::path::Path;

use serde_json::{Map, Value};

use super::quote::{first_word, is_one_command, quote};
use super::scan::Node;

/// What calls this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The absolute path of this program.
    pub(super) program: String,
    /// What stands before the command: the store and the configuration that were named.
    pub(super) flags: Vec<String>,
}

/// What had to be made for an entry, and goes with it if nothing else is in it then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Made {
    /// Nothing: the list was there.
    Nothing,
    /// The list it stands in.
    List,
    /// The object that list stands in, too.
    Object,
    /// The file, too.
    File,
}

/// The orders of an entry's three members. An empty list that was there and one that was made for
/// an entry look alike later; the order says which it was, and means nothing to anybody else.
const ORDERS: [(Made, [usize; 3]); 4] = [
    (Made::Nothing, [1, 0, 2]),
    (Made::List, [0, 1, 2]),
    (Made::Object, [0, 2, 1]),
    (Made::File, [2, 0, 1]),
];

/// The members of a hook and of a server, in the first order.
pub(super) const HOOK: [&str; 3] = ["type", "command", "timeout"];
pub(super) const SERVER: [&str; 3] = ["type", "command", "args"];

/// What ends the command of a hook.
const HOOK_WORDS: &str = " hook claude-code";
/// What ends the arguments of the server.
const SERVER_WORD: &str = "mcp";
/// Seconds after which the host ends a hook; it ends by itself long before. Naming them also gives it
/// more than a moment where a session ends.
const TIMEOUT: u64 = 10;
/// The name of this program, whatever folder it lies in.
const NAME: &str = "hippocamp";

impl Made {
    /// Reads what an entry notes.
    pub(super) fn of(entry: &Node, names: [&str; 3]) -> Self {
        let members: Vec<&str> = entry
            .members()
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        let order = ORDERS.iter().find(|(_, order)| {
            let wanted = order.iter().filter_map(|idx| names.get(*idx));
            members.iter().eq(wanted)
        });
        order.map_or(Self::Nothing, |(made, _)| *made)
    }

    fn entry(self, members: &[(&str, Value); 3]) -> Value {
        let order = ORDERS.iter().find(|(made, _)| *made == self);
        let order = order.map_or([0, 1, 2], |(_, order)| *order);
        let ordered = order.iter().filter_map(|idx| members.get(*idx));
        let ordered = ordered.map(|(name, value)| ((*name).to_owned(), value.clone()));
        Value::Object(ordered.collect::<Map<_, _>>())
    }
}

impl Caller {
    /// Returns the command of a hook.
    pub(super) fn hook_command(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.flags);
        let words: Vec<String> = words.map(|word| quote(word)).collect();
        format!("{}{HOOK_WORDS}", words.join(" "))
    }

    /// Returns the arguments of the server.
    pub(super) fn server_arguments(&self) -> Value {
        let words = self.flags.iter().cloned();
        words.chain([SERVER_WORD.to_owned()]).collect()
    }

    pub(super) fn hook(&self, made: Made) -> Value {
        made.entry(&[
            ("type", "command".into()),
            ("command", self.hook_command().into()),
            ("timeout", TIMEOUT.into()),
        ])
    }

    pub(super) fn server(&self, made: Made) -> Value {
        made.entry(&[
            ("type", "stdio".into()),
            ("command", self.program.as_str().into()),
            ("args", self.server_arguments()),
        ])
    }

    /// Says whether a hook is ours, wherever this program lay when it was written.
    pub(super) fn is_own_hook(&self, entry: &Node) -> bool {
        entry.text("command").is_some_and(|command| {
            command.ends_with(HOOK_WORDS)
                && is_one_command(command)
                && self.is_program(&first_word(command))
        })
    }

    /// Says whether a server is ours.
    pub(super) fn is_own_server(&self, entry: &Node) -> bool {
        let last = entry.member("args").and_then(|list| list.items().last());
        let is_ours = last.is_some_and(
            |word| matches!(&word.kind, super::scan::Kind::Text(text) if text == SERVER_WORD),
        );
        is_ours
            && entry
                .text("command")
                .is_some_and(|program| self.is_program(program))
    }

    fn is_program(&self, program: &str) -> bool {
        let stem = Path::new(program).file_stem();
        program == self.program || stem.is_some_and(|stem| stem == NAME)
    }
}
