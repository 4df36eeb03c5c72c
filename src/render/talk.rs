//! A view as a talk that providers accept: speakers take turns, a user begins, and each call has
//! its one result right behind it. Owns that order; may not know a provider's JSON.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::piece::{Answer, Call, CallIds, Piece, redacted, refusal, speaks, tool_name};
use crate::domain::{CallKey, Part, Role, View, ViewItem, ViewItemKind, arguments_object};

/// What providers differ in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// The greatest length of a call's id.
    pub(super) longest_id: usize,
    /// Where a system message behind the first word goes.
    pub(super) late_system: LateSystem,
    /// Says whether the provider itself signed the reasoning of an item.
    pub(super) signed_reasoning: fn(&ViewItem) -> bool,
    /// Where the reasoning that led to a call goes.
    pub(super) thoughts: Thoughts,
    /// Who takes its own summaries back; none where the interface knows no such block.
    pub(super) compactor: Option<Compactor>,
}

/// A provider that compacts on its side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Compactor {
    /// Its name.
    pub(super) provider: &'static str,
    /// Says whether an item's blocks are its own.
    pub(super) made: fn(&ViewItem) -> bool,
}

/// Where a system message behind the first word goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LateSystem {
    /// It stays what and where it is.
    InPlace,
    /// It becomes a labelled text of the user's.
    AsUser,
}

/// Where the reasoning that led to a call goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thoughts {
    /// Among the words, which stand before all calls; encrypted blocks are known.
    AmongWords,
    /// Right before its call; encrypted blocks of other interfaces have no place.
    BeforeItsCall,
}

/// One turn. Two of a kind never follow each other, but for the model's with calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Turn<'view> {
    System(Vec<Piece<'view>>),
    User(Vec<Piece<'view>>),
    /// The model's words, then its calls; their results come before the next turn.
    Assistant(Vec<Piece<'view>>, Vec<Call<'view>>),
}

/// A view as a talk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Talk<'view> {
    /// The system prompt.
    pub(super) system: Vec<Piece<'view>>,
    /// The turns: at least one, the first a user's.
    pub(super) turns: Vec<Turn<'view>>,
}

/// Said where a user must begin and none does.
const LEFT_OUT: &str = "[earlier messages left out]";

/// What labels a system message where the provider knows only the first.
const SYSTEM_LABEL: &str = "[system message]";

/// Makes the talk of a view; `None` if nobody says anything.
pub(super) fn talk_of<'view>(view: &'view View, rules: &Rules) -> Option<Talk<'view>> {
    let shown = shown_of(view, rules);
    let mut order = Order {
        rules,
        answers: answers_of(&shown),
        ids: CallIds::new(rules.longest_id),
        joined: HashSet::new(),
        system: Vec::new(),
        turns: Vec::new(),
        is_answered: false,
    };
    for shown in shown {
        order.take(shown);
    }
    let Order {
        system, mut turns, ..
    } = order;
    if !matches!(turns.first()?, Turn::User(_)) {
        let line = Piece::Text(Cow::Borrowed(LEFT_OUT));
        turns.insert(0, Turn::User(vec![line]));
    }
    Some(Talk { system, turns })
}

/// An item as far as it is told.
#[derive(Clone, Copy)]
struct Shown<'view> {
    item: &'view ViewItem,
    /// Its parts before this one are not told.
    first_part: usize,
    /// Whether that part is the provider's own summary, which the talk begins with.
    is_kept: bool,
}

impl<'view> Shown<'view> {
    const fn whole(item: &'view ViewItem) -> Self {
        Self {
            item,
            first_part: 0,
            is_kept: false,
        }
    }
}

/// Returns what of a view is told. Behind the last summary of the provider's own nothing before it
/// counts but the system prompt; pins, which must not be lost, follow that summary.
fn shown_of<'view>(view: &'view View, rules: &Rules) -> Vec<Shown<'view>> {
    let own = rules
        .compactor
        .filter(|own| view.managed_by.as_deref() == Some(own.provider));
    let last = own.and_then(|own| {
        let items = view.items.iter().enumerate().rev();
        items
            .filter(|(_, item)| item.role == Role::Assistant && (own.made)(item))
            .find_map(|(idx, item)| Some((idx, item.parts.iter().rposition(Part::is_compaction)?)))
    });
    let Some((last_idx, first_part)) = last else {
        return view.items.iter().map(Shown::whole).collect();
    };
    let (before, from) = view.items.split_at(last_idx);
    let of_kind = |kind| before.iter().filter(move |item| item.kind == kind);
    let summary = from.first().map(|item| Shown {
        item,
        first_part,
        is_kept: true,
    });
    let after = from.iter().skip(1).map(Shown::whole);
    of_kind(ViewItemKind::System)
        .map(Shown::whole)
        .chain(summary)
        .chain(of_kind(ViewItemKind::Pins).map(Shown::whole))
        .chain(after)
        .collect()
}

/// Which call: ids begin anew in each stretch.
type CallAt<'view> = (usize, &'view CallKey);

/// Pairs the calls and results of an item with their keys.
fn keyed(shown: Shown<'_>) -> impl Iterator<Item = (&Part, Option<CallAt<'_>>)> {
    let item = shown.item;
    let mut keys = item.keys.iter();
    let parts = item.parts.iter().map(move |part| {
        let key = match part {
            Part::ToolUse { .. } | Part::ToolResult { .. } => keys.next(),
            _ => None,
        };
        (part, key.map(|key| (item.stretch, key)))
    });
    parts.skip(shown.first_part)
}

/// Finds the result of each call that the view shows, wherever it stands; `None` for a call that
/// has none.
fn answers_of<'view>(shown: &[Shown<'view>]) -> HashMap<CallAt<'view>, Option<Answer<'view>>> {
    let parts = || shown.iter().copied().flat_map(keyed);
    let calls = parts().filter(|(part, _)| matches!(part, Part::ToolUse { .. }));
    let mut answers: HashMap<_, _> = calls
        .filter_map(|(_, key)| key)
        .map(|key| (key, None))
        .collect();
    for (part, key) in parts() {
        let Part::ToolResult {
            content, is_error, ..
        } = part
        else {
            continue;
        };
        if let Some(answer) = key.and_then(|key| answers.get_mut(&key)) {
            answer.get_or_insert_with(|| Answer::new(content, *is_error));
        }
    }
    answers
}

/// The turns as far as they are made.
struct Order<'view, 'rules> {
    rules: &'rules Rules,
    answers: HashMap<CallAt<'view>, Option<Answer<'view>>>,
    ids: CallIds,
    /// The calls whose result has been met on the way.
    joined: HashSet<CallAt<'view>>,
    system: Vec<Piece<'view>>,
    turns: Vec<Turn<'view>>,
    /// Whether a result was met since the model last spoke: what it says next is another answer.
    is_answered: bool,
}

impl<'view> Order<'view, '_> {
    fn take(&mut self, shown: Shown<'view>) {
        let item = shown.item;
        let mut speech = Speech::of(item);
        for (part_idx, (part, key)) in keyed(shown).enumerate() {
            match part {
                Part::Opaque { json } if part.is_compaction() => {
                    // Only the one that the talk begins with goes back; others count for nothing.
                    if shown.is_kept && part_idx == 0 {
                        self.say(&mut speech, Piece::Kept(json));
                    }
                }
                Part::Text { text } if speaks(text) => {
                    self.say(&mut speech, Piece::Text(Cow::Borrowed(text)));
                }
                Part::Media { uri, mime } => {
                    let of = item.id;
                    self.say(&mut speech, Piece::Media { uri, mime, of });
                }
                Part::Opaque { json } => {
                    if let Some(data) = redacted(json) {
                        speech.think(Piece::Redacted(data), self.rules);
                    } else if let Some(words) = refusal(json) {
                        self.say(&mut speech, Piece::Refusal(words));
                    } else if speaks(json) {
                        self.say(&mut speech, Piece::Text(Cow::Borrowed(json)));
                    }
                }
                Part::Reasoning {
                    text,
                    signature: Some(signature),
                } => speech.think(Piece::Signed { text, signature }, self.rules),
                Part::ToolUse {
                    call_id,
                    name,
                    arguments,
                } => {
                    let answer = key.and_then(|key| self.answers.get(&key).copied().flatten());
                    let call = Call {
                        id: self.ids.give(call_id, item.id, speech.n_calls),
                        name: tool_name(name),
                        arguments: arguments_object(arguments),
                        result: answer.unwrap_or(Answer::MISSING),
                        thoughts: Vec::new(),
                    };
                    speech.n_calls += 1;
                    self.call(&mut speech, call);
                }
                Part::ToolResult {
                    content, is_error, ..
                } => self.meet(&mut speech, key, content, *is_error),
                Part::Text { .. } | Part::Reasoning { .. } => {}
            }
        }
    }

    /// Adds a piece to the turn of whoever says it.
    fn say(&mut self, speech: &mut Speech<'view>, piece: Piece<'view>) {
        let item = speech.item;
        match item.role {
            _ if item.kind == ViewItemKind::System => self.system.push(piece),
            Role::Assistant => self.assistant(|words, _| {
                words.append(&mut speech.thoughts);
                words.push(piece);
            }),
            Role::System if self.rules.late_system == LateSystem::InPlace => {
                match self.turns.last_mut() {
                    Some(Turn::System(pieces)) => pieces.push(piece),
                    _ => self.turns.push(Turn::System(vec![piece])),
                }
            }
            Role::User | Role::Tool | Role::System => {
                let label = speech.label.take().map(Piece::Text);
                let pieces = label.into_iter().chain([piece]);
                match self.turns.last_mut() {
                    Some(Turn::User(said)) => said.extend(pieces),
                    _ => self.turns.push(Turn::User(pieces.collect())),
                }
            }
        }
    }

    /// Adds a call with the reasoning that led to it.
    fn call(&mut self, speech: &mut Speech<'view>, mut call: Call<'view>) {
        let place = self.rules.thoughts;
        self.assistant(|words, calls| {
            match place {
                Thoughts::AmongWords => words.append(&mut speech.thoughts),
                Thoughts::BeforeItsCall => call.thoughts.append(&mut speech.thoughts),
            }
            calls.push(call);
        });
    }

    /// Meets a result: it stands behind its call already, or is told in place if there is none.
    fn meet(
        &mut self,
        speech: &mut Speech<'view>,
        key: Option<CallAt<'view>>,
        content: &'view str,
        is_error: bool,
    ) {
        let joins = key.filter(|key| self.answers.contains_key(key));
        if joins.is_some_and(|key| self.joined.insert(key)) {
            self.is_answered = true;
            return;
        }
        let label = if is_error {
            "[failed result, its call is not shown]"
        } else {
            "[result, its call is not shown]"
        };
        let text = format!("{label}\n{content}");
        self.say(speech, Piece::Text(Cow::Owned(text)));
    }

    /// Adds to the model's turn that goes on, or to a new one.
    fn assistant(&mut self, add: impl FnOnce(&mut Vec<Piece<'view>>, &mut Vec<Call<'view>>)) {
        match self.turns.last_mut() {
            Some(Turn::Assistant(words, calls)) if calls.is_empty() || !self.is_answered => {
                add(words, calls);
            }
            _ => {
                let (mut words, mut calls) = (Vec::new(), Vec::new());
                add(&mut words, &mut calls);
                self.turns.push(Turn::Assistant(words, calls));
                self.is_answered = false;
            }
        }
    }
}

/// One item being said.
struct Speech<'view> {
    item: &'view ViewItem,
    /// Says whose words follow, where the role does not; once.
    label: Option<Cow<'view, str>>,
    /// Reasoning that waits for what it led to: alone it is not shown.
    thoughts: Vec<Piece<'view>>,
    n_calls: usize,
}

impl<'view> Speech<'view> {
    fn of(item: &'view ViewItem) -> Self {
        let label = match (item.role, &item.name) {
            (Role::System, _) => Some(Cow::Borrowed(SYSTEM_LABEL)),
            (Role::User, Some(name)) if speaks(name) => {
                let name = name.replace(char::is_control, " ");
                Some(Cow::Owned(format!("{} says:", name.trim())))
            }
            _ => None,
        };
        Self {
            item,
            label,
            thoughts: Vec::new(),
            n_calls: 0,
        }
    }

    /// Keeps reasoning that goes to the provider that signed it.
    fn think(&mut self, thought: Piece<'view>, rules: &Rules) {
        let is_signed = match &thought {
            Piece::Signed { signature, .. } => !signature.is_empty(),
            Piece::Redacted(data) => !data.is_empty() && rules.thoughts == Thoughts::AmongWords,
            _ => false,
        };
        if is_signed && self.item.role == Role::Assistant && (rules.signed_reasoning)(self.item) {
            self.thoughts.push(thought);
        }
    }
}
