//! A view as rig's history. Owns whose message each part of it is in.
//! May not decide what is shown: the view has.

use std::collections::{HashMap, HashSet};

use rig_core::message::{
    AssistantContent, AssistantMessage, Message, Origin, StopReason, UserContent,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::block::{block_alone, block_of};
use super::kept::{Kind, kept};
use super::result::{Answered, result_of};
use crate::domain::{CallKey, Part, Role, View, ViewItem, ViewItemKind};

/// Said where a user must begin and none does.
const LEFT_OUT: &str = "[earlier messages left out]";

/// Labels a result that has no call before it.
const ALONE: &str = "[result, its call is not shown]";

/// Returns what a model sees as rig's messages, to be the history of the next prompt.
///
/// The system prompt and later system messages are rig's; pins, summaries, the quoted request and
/// gaps are the user's. Results stand right behind the message with their calls. The items of
/// providers, which rig sends back to the model that made them, are there for the newest turn, like
/// all reasoning.
#[must_use]
pub fn history(view: &View) -> Vec<Message> {
    let mut recalled = Recalled {
        answers: answers_of(view),
        joined: HashSet::new(),
        is_answered: false,
        spoken: None,
        messages: Vec::new(),
    };
    for item in &view.items {
        recalled.take(item);
    }
    recalled.end_turn();
    let mut messages = recalled.messages;
    let is_spoken = |message: &Message| !matches!(message, Message::System { .. });
    let first = messages.iter().position(is_spoken);
    if let Some(first) = first
        && matches!(messages.get(first), Some(Message::Assistant(_)))
    {
        messages.insert(first, Message::user(LEFT_OUT));
    }
    messages
}

/// Which call: ids begin anew in each stretch.
type CallAt<'view> = (usize, &'view CallKey);

/// What is kept before a part.
type Fields = Map<String, Value>;

/// A result with the pictures behind it.
struct Answer<'view> {
    /// How many stand before it: batches are answered in any order.
    order: usize,
    parts: &'view [Part],
    kept: Option<Fields>,
}

/// The parts of an item, each with its key where it is a call or a result.
fn keyed(item: &ViewItem) -> impl Iterator<Item = (usize, &Part, Option<CallAt<'_>>)> {
    let mut keys = item.keys.iter();
    item.parts.iter().enumerate().map(move |(part_idx, part)| {
        let key = match part {
            Part::ToolUse { .. } | Part::ToolResult { .. } => keys.next(),
            _ => None,
        };
        (part_idx, part, key.map(|key| (item.stretch, key)))
    })
}

/// Finds the result of each call that the view shows, wherever it stands.
fn answers_of(view: &View) -> HashMap<CallAt<'_>, Answer<'_>> {
    let parts = || view.items.iter().flat_map(keyed);
    let calls: HashSet<CallAt<'_>> = parts()
        .filter(|(_, part, _)| matches!(part, Part::ToolUse { .. }))
        .filter_map(|(_, _, key)| key)
        .collect();
    let mut answers = HashMap::new();
    for item in &view.items {
        for (part_idx, part, key) in keyed(item) {
            let Some(key) = key.filter(|key| calls.contains(key)) else {
                continue;
            };
            if !matches!(part, Part::ToolResult { .. }) {
                continue;
            }
            let order = answers.len();
            let before = part_idx.checked_sub(1).and_then(|idx| item.parts.get(idx));
            let kept = match before.and_then(kept) {
                Some((Kind::Result, fields)) => Some(fields),
                _ => None,
            };
            let end = part_idx + 1 + pictures_behind(item, part_idx);
            let parts = item.parts.get(part_idx..end).unwrap_or_default();
            let answer = Answer { order, parts, kept };
            answers.entry(key).or_insert(answer);
        }
    }
    answers
}

/// The model's turn that goes on.
struct Spoken<'view> {
    message: AssistantMessage,
    calls: Vec<(CallAt<'view>, Answered)>,
}

impl Spoken<'_> {
    const fn new(message: AssistantMessage) -> Self {
        let calls = Vec::new();
        Self { message, calls }
    }
}

/// The messages as far as they are made.
struct Recalled<'view> {
    answers: HashMap<CallAt<'view>, Answer<'view>>,
    /// The calls whose result has been met on the way.
    joined: HashSet<CallAt<'view>>,
    /// Whether a result was met since the model last spoke: what it says next is another turn.
    is_answered: bool,
    spoken: Option<Spoken<'view>>,
    messages: Vec<Message>,
}

impl<'view> Recalled<'view> {
    fn take(&mut self, item: &'view ViewItem) {
        if item.role == Role::System || item.kind == ViewItemKind::System {
            let words: Vec<&str> = item.parts.iter().map(Part::body).collect();
            self.end_turn();
            self.messages.push(Message::system(words.join("\n\n")));
            return;
        }
        let mut told: Vec<UserContent> = Vec::new();
        let mut before: Option<Fields> = None;
        for (part_idx, part, key) in keyed(item) {
            match kept(part) {
                Some((Kind::Turn, fields)) => self.begin(fields),
                Some((Kind::Next, fields)) => before = Some(fields),
                Some((Kind::Reasoning, fields)) => self.say(block_of(part, Some(fields)), None),
                Some((Kind::Alone, fields)) if item.role == Role::Assistant => {
                    self.say(block_alone(fields), None);
                }
                Some((Kind::Alone, fields)) => told.extend(block_alone::<UserContent>(fields)),
                // It has been read with its result.
                Some((Kind::Result, _)) => {}
                None => match part {
                    Part::ToolResult { content, .. } => {
                        if !self.meets(key) {
                            let text = format!("{ALONE}\n{content}");
                            told.push(UserContent::text(text));
                        }
                    }
                    Part::Media { .. } if is_of_result(item, part_idx) => {}
                    _ if item.role == Role::Assistant => {
                        self.say(block_of(part, before.take()), key);
                    }
                    _ => told.extend(block_of::<UserContent>(part, before.take())),
                },
            }
        }
        self.tell(item, told);
    }

    /// Begins a turn of the model's that says who made it.
    fn begin(&mut self, mut fields: Fields) {
        self.end_turn();
        let message = AssistantMessage::new(Vec::new())
            .with_origin(read::<Origin>(fields.shift_remove("origin")))
            .with_stop(read::<StopReason>(fields.shift_remove("stop")));
        self.spoken = Some(Spoken::new(message));
    }

    /// Adds to the model's turn: what it says after a result is another.
    fn say(&mut self, block: Option<AssistantContent>, key: Option<CallAt<'view>>) {
        let Some(block) = block else {
            return;
        };
        if self.is_answered {
            self.end_turn();
        }
        let empty = || Spoken::new(AssistantMessage::new(Vec::new()));
        let spoken = self.spoken.get_or_insert_with(empty);
        if let (AssistantContent::ToolCall(call), Some(key)) = (&block, key) {
            let answered = Answered {
                id: call.id.clone(),
                name: call.function.name.clone(),
            };
            spoken.calls.push((key, answered));
        }
        spoken.message.content.push(block);
    }

    /// Says whether a result stands behind its call; each call has one.
    fn meets(&mut self, key: Option<CallAt<'view>>) -> bool {
        let joins = key.filter(|key| self.answers.contains_key(key));
        let is_first = joins.is_some_and(|key| self.joined.insert(key));
        self.is_answered |= is_first;
        is_first
    }

    /// Ends the model's turn and puts the results of its calls behind it.
    fn end_turn(&mut self) {
        self.is_answered = false;
        let Some(Spoken { message, calls }) = self.spoken.take() else {
            return;
        };
        self.messages.push(message.into());
        let results = calls.iter().filter_map(|(key, answered)| {
            let answer = self.answers.get_mut(key)?;
            let result = result_of(answer.parts, answer.kept.take(), Some(answered))?;
            Some((answer.order, UserContent::ToolResult(result)))
        });
        let mut results: Vec<_> = results.collect();
        results.sort_by_key(|(order, _)| *order);
        if !results.is_empty() {
            let content = results.into_iter().map(|(_, result)| result).collect();
            self.messages.push(Message::User { content });
        }
    }

    /// Adds a message of the user's, if it says anything.
    fn tell(&mut self, item: &ViewItem, told: Vec<UserContent>) {
        if told.is_empty() {
            return;
        }
        self.end_turn();
        let name = item.name.as_ref().filter(|_| item.role == Role::User);
        let label = name.map(|name| {
            let name = name.replace(char::is_control, " ");
            UserContent::text(format!("{} says:", name.trim()))
        });
        let content = label.into_iter().chain(told).collect();
        self.messages.push(Message::User { content });
    }
}

fn read<T: DeserializeOwned>(value: Option<Value>) -> Option<T> {
    serde_json::from_value(value?).ok()
}

/// Counts the media right behind a result: they belong to it.
fn pictures_behind(item: &ViewItem, part_idx: usize) -> usize {
    let behind = item.parts.iter().skip(part_idx + 1);
    let is_media = |part: &&Part| matches!(part, Part::Media { .. });
    behind.take_while(is_media).count()
}

/// Says whether a medium belongs to a result before it.
fn is_of_result(item: &ViewItem, part_idx: usize) -> bool {
    let before = item.parts.iter().take(part_idx).rev();
    let mut before = before.skip_while(|part| matches!(part, Part::Media { .. }));
    matches!(before.next(), Some(Part::ToolResult { .. }))
}
