//! A store without a store: rows, summaries over some of them, and the frontier they make.

use std::collections::HashMap;
use std::fmt;

use hippocamp::domain::{
    CallKey, ConversationId, Depth, Estimator, Frontier, FrontierItem, Generation, Health, Message,
    MessageId, MessageMeta, NewMessage, Node, Origin, Part, PromptMeta, Role, Seq, Span, Summary,
    SummaryId, Timestamp, Tokens, View, Visibility,
};
use hippocamp::policy::assemble::{
    Bodies, ViewPlan, finish_view, plan_view, stamp_costs, summary_tokens,
};
use hippocamp::policy::cut::{Before, Cuts};
use hippocamp::policy::limits::Limits;
use proptest::prelude::*;

/// One row to be.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) message: NewMessage,
    pub(crate) continues: bool,
}

impl From<NewMessage> for Row {
    fn from(message: NewMessage) -> Self {
        Self {
            message,
            continues: false,
        }
    }
}

/// A summary to be: how many groups it covers, how deep it is, and its body.
#[derive(Debug, Clone)]
pub(crate) struct Cover {
    pub(crate) n_groups: usize,
    pub(crate) depth: u32,
    pub(crate) body: String,
    /// Passed over as broken: its rows stand raw.
    pub(crate) is_broken: bool,
}

impl Cover {
    pub(crate) fn leaf(n_groups: usize, body: &str) -> Self {
        Self {
            n_groups,
            depth: 0,
            body: body.into(),
            is_broken: false,
        }
    }
}

#[derive(Clone)]
pub(crate) struct World {
    pub(crate) frontier: Frontier,
    pub(crate) request: Vec<MessageMeta>,
    pub(crate) bodies: Bodies,
    pub(crate) metas: Vec<MessageMeta>,
    pub(crate) limits: Limits,
}

impl fmt::Debug for World {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for item in &self.frontier.items {
            match item {
                FrontierItem::Node(node) => {
                    let body = &self.bodies.summaries[&node.id].body;
                    writeln!(formatter, "node {} d{} {body:?}", node.span, node.depth)?;
                }
                FrontierItem::Raw(row) => {
                    let parts = &self.bodies.messages[&row.id].parts;
                    let (role, seen) = (row.role, row.visibility);
                    writeln!(
                        formatter,
                        "{} {role} {seen:?} {:?} {parts:?}",
                        row.seq, row.continues
                    )?;
                }
            }
        }
        let request: Vec<u64> = self.request.iter().map(|row| row.seq.get()).collect();
        writeln!(formatter, "request {request:?}")
    }
}

pub(crate) fn meta_of(world: &World, id: MessageId) -> &MessageMeta {
    world.metas.iter().find(|row| row.id == id).unwrap()
}

/// Makes a store of a prompt, rows and summaries over the oldest groups.
pub(crate) fn world(prompt: Option<&str>, rows: &[Row], covers: &[Cover]) -> World {
    let limits = Limits::default();
    let mut metas: Vec<MessageMeta> = Vec::new();
    let mut messages = HashMap::new();
    let mut keys = Keys::default();
    let prompt_row = prompt.map(|text| {
        let mut message = NewMessage::system(text);
        message.visibility = Visibility::Prompt;
        Row::from(message)
    });
    let n_prompt = usize::from(prompt_row.is_some());
    for (row_idx, row) in prompt_row.iter().chain(rows).enumerate() {
        let number = i64::try_from(row_idx).unwrap() + 1;
        let seq = Seq::new(number.unsigned_abs()).unwrap();
        let id = MessageId::new(10 * number);
        let new = row.message.clone();
        let costs = stamp_costs(&new, &Estimator, &limits);
        let is_talk = new.visibility == Visibility::Talk;
        let (calls, results) = keys.read(&new);
        let head = metas
            .iter()
            .rev()
            .find(|row| row.is_visible())
            .filter(|head| row.continues && is_talk && head.role == new.role)
            .map(|head| head.continues.unwrap_or(head.seq));
        metas.push(MessageMeta {
            id,
            seq,
            role: new.role,
            visibility: new.visibility,
            continues: head,
            tokens: costs.tokens,
            view_tokens: if is_talk {
                costs.view_tokens
            } else {
                Tokens::ZERO
            },
            reasoning_tokens: costs.reasoning_tokens,
            has_words: costs.has_words,
            at: Some(Timestamp::from_millis(1_700_000_000_000 + number * 60_000)),
            calls,
            results,
            cleared: Vec::new(),
        });
        let mut message = Message::from_new(new, id, ConversationId::new(1), seq);
        message.continues = head;
        message.at = metas.last().unwrap().at;
        messages.insert(id, message);
    }
    let (items, summaries) = cover(&metas[n_prompt..], covers);
    let prompt = prompt_row.map(|row| PromptMeta {
        rows: vec![metas[0].id],
        tokens: stamp_costs(&row.message, &Estimator, &limits).view_tokens,
    });
    World {
        frontier: Frontier {
            conversation: ConversationId::new(1),
            prompt,
            prompt_last: Seq::new(n_prompt as u64),
            items,
            head: metas.last().map(|row| row.seq),
            pins: Vec::new(),
            n_visible: metas.iter().filter(|row| row.is_visible()).count() as u64,
        },
        request: newest_request(&metas[n_prompt..]),
        bodies: Bodies {
            messages,
            summaries,
            ..Bodies::default()
        },
        metas,
        limits,
    }
}

/// Numbers calls and results by id within a turn.
#[derive(Default)]
struct Keys {
    calls: HashMap<String, u32>,
    results: HashMap<String, u32>,
    in_request: bool,
}

impl Keys {
    fn read(&mut self, new: &NewMessage) -> (Vec<CallKey>, Vec<CallKey>) {
        let has_result = new
            .parts
            .iter()
            .any(|part| matches!(part, Part::ToolResult { .. }));
        if new.visibility != Visibility::Talk {
            return (Vec::new(), Vec::new());
        }
        let is_user = new.role == Role::User && !has_result;
        if is_user && !self.in_request {
            self.calls.clear();
            self.results.clear();
        }
        self.in_request = is_user;
        let mut calls = Vec::new();
        let mut results = Vec::new();
        for part in &new.parts {
            let (counts, keys, call_id) = match part {
                Part::ToolUse { call_id, .. } => (&mut self.calls, &mut calls, call_id),
                Part::ToolResult { call_id, .. } => (&mut self.results, &mut results, call_id),
                _ => continue,
            };
            let count = counts.entry(call_id.clone()).or_default();
            keys.push(CallKey {
                call_id: call_id.clone(),
                occurrence: *count,
            });
            *count += 1;
        }
        (calls, results)
    }
}

/// Covers the oldest groups with summaries.
fn cover(
    rows: &[MessageMeta],
    covers: &[Cover],
) -> (Vec<FrontierItem>, HashMap<SummaryId, Summary>) {
    let cuts = Cuts::new(rows, Before::Nothing);
    let groups: Vec<_> = cuts.groups().collect();
    let mut items = Vec::new();
    let mut summaries = HashMap::new();
    let mut group_idx = 0;
    let mut row_idx = 0;
    for (number, cover) in (1_000..).zip(covers) {
        let end = (group_idx + cover.n_groups).min(groups.len());
        if cover.n_groups == 0 || end == group_idx {
            continue;
        }
        let row_end = cuts.units()[groups[end - 1].end - 1].rows.end;
        let covered = &rows[row_idx..row_end];
        if cover.is_broken {
            items.extend(covered.iter().cloned().map(FrontierItem::Raw));
        } else {
            let node = Node {
                id: SummaryId::new(number),
                conversation: ConversationId::new(1),
                span: Span::new(covered[0].seq, covered[covered.len() - 1].seq).unwrap(),
                depth: Depth::new(cover.depth),
                generation: Generation::FIRST,
                origin: Origin::Floor,
                tokens: summary_tokens(&cover.body, &Estimator),
                health: Health::Sound,
                from: covered[0].at,
                to: covered[covered.len() - 1].at,
            };
            items.push(FrontierItem::Node(node.clone()));
            let summary = Summary {
                node,
                body: cover.body.clone(),
                model: None,
            };
            summaries.insert(summary.id(), summary);
        }
        group_idx = end;
        row_idx = row_end;
    }
    items.extend(rows[row_idx..].iter().cloned().map(FrontierItem::Raw));
    (items, summaries)
}

/// Returns the last run of visible user messages.
fn newest_request(rows: &[MessageMeta]) -> Vec<MessageMeta> {
    let mut request: Vec<MessageMeta> = rows
        .iter()
        .rev()
        .filter(|row| row.is_visible())
        .skip_while(|row| row.cut_role() != Role::User)
        .take_while(|row| row.cut_role() == Role::User)
        .cloned()
        .collect();
    request.reverse();
    request
}

impl World {
    pub(crate) fn plan(&self, budget: u64) -> ViewPlan {
        let budget = Tokens::new(budget);
        plan_view(&self.frontier, &self.request, budget, &self.limits)
    }

    /// Makes the view, with only the bodies that the plan asked for.
    pub(crate) fn view(&self, budget: u64) -> View {
        let plan = self.plan(budget);
        let (messages, summaries) = plan.needs();
        let bodies = Bodies {
            messages: messages
                .into_iter()
                .map(|id| (id, self.bodies.messages[&id].clone()))
                .collect(),
            summaries: summaries
                .into_iter()
                .map(|id| (id, self.bodies.summaries[&id].clone()))
                .collect(),
            pins: self.bodies.pins.clone(),
        };
        finish_view(plan, &bodies, &Estimator)
    }
}

/// Returns all the words of a view.
pub(crate) fn words(view: &View) -> String {
    let mut text = String::new();
    for part in view.items.iter().flat_map(|item| &item.parts) {
        match part {
            Part::Text { text: words } | Part::Reasoning { text: words, .. } => {
                text.push_str(words);
            }
            Part::ToolUse {
                name, arguments, ..
            } => {
                text.push_str(name);
                text.push_str(arguments);
            }
            Part::ToolResult { content, .. } => text.push_str(content),
            _ => {}
        }
        text.push('\n');
    }
    text
}

/// Draws summaries over the oldest groups, whose bodies are drawn from `body`.
pub(crate) fn covers(body: impl Strategy<Value = String>) -> impl Strategy<Value = Vec<Cover>> {
    let cover =
        (1..6_usize, body, prop::bool::weighted(0.1)).prop_map(|(n, body, is_broken)| Cover {
            n_groups: n,
            depth: 0,
            body,
            is_broken,
        });
    prop::collection::vec(cover, 0..6).prop_map(|mut covers| {
        let n = covers.len();
        for (at, cover) in covers.iter_mut().enumerate() {
            cover.depth = u32::try_from((n - at) / 2).unwrap();
        }
        covers
    })
}
