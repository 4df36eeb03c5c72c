//! From a plan and its bodies to a view. Owns the items as they are whole.
//! May not choose what is cut inside the newest turn: `newest` does.

use std::collections::{HashMap, HashSet};

use crate::domain::{
    CallKey, EventId, ItemId, Message, MessageId, MessageMeta, Node, Part, PinMeta, Role, Span,
    Summary, SummaryId, TokenCounter, Tokens, View, ViewItem, ViewItemKind,
};
use crate::policy::limits::Limits;

use super::cost::{Form, bodies_tokens, frame_tokens, parts_tokens, wrapped_tokens};
use super::counts::Counts;
use super::emit;
use super::newest;
use super::pins::{self, Printed};
use super::plan::{ViewPlan, messages_of};
use super::shorten::{self, Reasoning};
use super::slot::{self, Frame, Kind, Slot, Standing};
use super::wrap;

/// What a plan asked for, as read.
#[derive(Debug, Clone, Default)]
pub struct Bodies {
    /// Messages by id.
    pub messages: HashMap<MessageId, Message>,
    /// Summaries by id.
    pub summaries: HashMap<SummaryId, Summary>,
    /// The words of pins by id.
    pub pins: HashMap<EventId, String>,
}

/// Makes the view that was planned. Counts all anew, so that the view is within its budget even
/// where stored counts were made by another counter.
#[must_use]
pub fn finish_view(plan: ViewPlan, bodies: &Bodies, counter: &dyn TokenCounter) -> View {
    finish_view_by(plan, bodies, counter, &mut Counts::default())
}

/// As [`finish_view`], with what the same counter counted before; what it counts now is added.
#[must_use]
pub fn finish_view_by(
    plan: ViewPlan,
    bodies: &Bodies,
    counter: &dyn TokenCounter,
    counts: &mut Counts,
) -> View {
    let ViewPlan {
        budget,
        limits,
        prompt,
        mut slots,
        mut warnings,
        pins,
        pins_left_out,
    } = plan;
    let prompt_rows = prompt.map(|prompt| prompt.rows).unwrap_or_default();
    let prompt = prompt_items(&prompt_rows, bodies, counter, &mut warnings);
    let pins = printed(pins, bodies, &mut warnings);
    let mut filler = Filler {
        bodies,
        counter,
        limits: &limits,
        counts,
    };
    for slot in slots.iter_mut().filter(|slot| slot.is_shown()) {
        filler.fill(slot, &mut warnings);
    }
    leave_out_open_calls(&mut slots, counter);
    // A group with nothing to say is neither shown nor missed.
    slots.retain(|slot| !slot.is_shown() || !slot.full.is_empty());
    let prompt_tokens: Tokens = prompt.iter().map(|item| item.tokens).sum();
    let fixed = prompt_tokens + pins::reserved(&pins, counter);
    let mut frame = Frame::new(budget, fixed, counter);
    slot::drop_old_end(&mut slots, &frame, &limits, counter);
    let excess = newest::cut(&mut slots, &mut frame, &limits, counter);
    let block = pins::block(&pins, &slots, counter);
    let (rest, left_out) = emit::emit(&mut slots, &frame, counter);
    let items: Vec<ViewItem> = prompt.into_iter().chain(block).chain(rest).collect();
    View {
        tokens: items.iter().map(|item| item.tokens).sum(),
        budget,
        fits: excess.is_none(),
        excess,
        items,
        left_out,
        pins_left_out,
        warnings,
        version: None,
        managed_by: None,
    }
}

/// Joins pins with their words.
fn printed<'body>(
    metas: Vec<PinMeta>,
    bodies: &'body Bodies,
    warnings: &mut Vec<String>,
) -> Vec<Printed<'body>> {
    let mut found = Vec::with_capacity(metas.len());
    for meta in metas {
        match bodies.pins.get(&meta.id) {
            Some(text) => found.push(Printed::new(meta, text)),
            None => warnings.push(format!("pin p{} could not be read", meta.id)),
        }
    }
    found
}

/// Makes the items of the system prompt, which is never cut.
fn prompt_items(
    rows: &[MessageId],
    bodies: &Bodies,
    counter: &dyn TokenCounter,
    warnings: &mut Vec<String>,
) -> Vec<ViewItem> {
    let mut items = Vec::new();
    for id in rows {
        let Some(message) = bodies.messages.get(id) else {
            warnings.push(format!(
                "message {id} of the system prompt could not be read"
            ));
            continue;
        };
        let mut parts = message.parts.clone();
        parts.retain(|part| !shorten::is_blank(part));
        if parts.is_empty() {
            continue;
        }
        items.push(ViewItem {
            id: Some(ItemId::Message(*id)),
            span: Some(Span::single(message.seq)),
            tokens: parts_tokens(&parts, message.name.as_deref(), counter),
            at: message.at,
            name: message.name.clone(),
            ..ViewItem::new(ViewItemKind::System, Role::System, parts)
        });
    }
    items
}

/// Fills slots with what they show whole.
struct Filler<'a> {
    bodies: &'a Bodies,
    counter: &'a dyn TokenCounter,
    limits: &'a Limits,
    counts: &'a mut Counts,
}

impl Filler<'_> {
    fn fill(&mut self, slot: &mut Slot, warnings: &mut Vec<String>) {
        let items = match &slot.kind {
            Kind::Summary(node) => self.summary(node).map(|item| vec![item]),
            _ => self.messages(slot),
        };
        match items {
            Ok(items) => {
                slot.full = items;
                slot.show_whole(self.counter);
                slot.whole = slot.tokens;
            }
            Err(what) => {
                warnings.push(format!("{what} could not be read"));
                slot.standing = Standing::Gap;
            }
        }
    }

    fn summary(&self, node: &Node) -> Result<ViewItem, String> {
        let summary = self.bodies.summaries.get(&node.id);
        let body = &summary.ok_or_else(|| format!("summary s{}", node.id))?.body;
        let text = wrap::render_summary(node, body);
        let tokens = wrapped_tokens(&text, self.counter);
        Ok(ViewItem {
            id: Some(ItemId::Summary(node.id)),
            depth: Some(node.depth),
            span: Some(node.span),
            tokens,
            ..ViewItem::new(ViewItemKind::Summary, Role::User, vec![Part::Text { text }])
        })
    }

    fn messages(&mut self, slot: &Slot) -> Result<Vec<ViewItem>, String> {
        let mut items = Vec::new();
        for rows in messages_of(&slot.rows) {
            items.extend(self.message(slot, &rows)?);
        }
        Ok(items)
    }

    /// Makes the item of one message, head and continuations; none if it says nothing.
    fn message(&mut self, slot: &Slot, rows: &[MessageMeta]) -> Result<Option<ViewItem>, String> {
        let kind = &slot.kind;
        let reasoning = match kind {
            Kind::Step | Kind::Request => Reasoning::Shown,
            _ => Reasoning::Hidden,
        };
        let mut parts = Vec::new();
        let mut tokens = Tokens::ZERO;
        let mut keys = Vec::new();
        let mut item: Option<ViewItem> = None;
        for row in rows {
            let message = self.bodies.messages.get(&row.id);
            let message = message.ok_or_else(|| format!("message {}", row.id))?;
            let limits = self.limits;
            keys.extend(keys_of(row, &message.parts));
            let form = Form {
                id: row.id,
                reasoning,
                cleared: &row.cleared,
                tools: tools_of(self.bodies, limits, slot, row),
            };
            let (shown, cost) = self
                .counts
                .shown(&message.parts, &form, limits, self.counter);
            parts.extend(shown);
            tokens += cost;
            let first = item.as_ref().and_then(|item| item.span).map(Span::first);
            let span = Span::new(first.unwrap_or(row.seq), row.seq);
            match &mut item {
                Some(item) => item.span = span,
                None => {
                    item = Some(ViewItem {
                        id: Some(ItemId::Message(row.id)),
                        span,
                        at: message.at,
                        name: message.name.clone(),
                        model: message.model.clone(),
                        provider: message.provider.clone(),
                        stretch: slot.stretch,
                        ..ViewItem::new(ViewItemKind::Message, message.role, Vec::new())
                    });
                }
            }
        }
        if *kind == Kind::Quoted {
            // A quotation holds what the user said and showed; calls have their place elsewhere.
            parts.retain(|part| matches!(part, Part::Text { .. } | Part::Media { .. }));
            tokens = bodies_tokens(&parts, self.counter);
            keys.clear();
        }
        if parts.is_empty() {
            return Ok(None);
        }
        Ok(item.map(|item| ViewItem {
            tokens: frame_tokens(item.name.as_deref(), self.counter) + tokens,
            kind: match kind {
                Kind::Quoted => ViewItemKind::Request,
                _ => ViewItemKind::Message,
            },
            parts,
            keys,
            ..item
        }))
    }
}

/// Names the tools of a row's results, whose calls stand in the same group. Asked for only where
/// tools have caps of their own.
fn tools_of<'s>(
    bodies: &'s Bodies,
    limits: &Limits,
    slot: &'s Slot,
    row: &MessageMeta,
) -> Vec<Option<&'s str>> {
    if limits.tool_result_caps.is_empty() {
        return Vec::new();
    }
    let mut names: HashMap<&CallKey, &str> = HashMap::new();
    for caller in &slot.rows {
        let message = bodies.messages.get(&caller.id);
        let parts = message.into_iter().flat_map(|message| &message.parts);
        let called = parts.filter_map(|part| match part {
            Part::ToolUse { name, .. } => Some(name.as_str()),
            _ => None,
        });
        names.extend(caller.calls.iter().zip(called));
    }
    let results = row.results.iter();
    results.map(|key| names.get(key).copied()).collect()
}

/// Lists which call each call and result among a row's parts is or answers.
fn keys_of(row: &MessageMeta, parts: &[Part]) -> Vec<CallKey> {
    let mut calls = row.calls.iter();
    let mut results = row.results.iter();
    let keys = parts.iter().filter_map(|part| match part {
        Part::ToolUse { .. } => calls.next(),
        Part::ToolResult { .. } => results.next(),
        _ => None,
    });
    keys.cloned().collect()
}

/// Takes the calls that still wait for their results out of the newest group; their answered
/// siblings stay.
fn leave_out_open_calls(slots: &mut [Slot], counter: &dyn TokenCounter) {
    let Some((slot, older)) = slots.split_last_mut() else {
        return;
    };
    if slot.kind == Kind::Quoted {
        return;
    }
    let answers = |other: &Slot| {
        let rows = (other.stretch == slot.stretch).then_some(&other.rows);
        rows.into_iter()
            .flatten()
            .flat_map(|row| row.results.clone())
            .collect::<Vec<CallKey>>()
    };
    let answered: HashSet<CallKey> = older
        .iter()
        .chain(std::iter::once(&*slot))
        .flat_map(answers)
        .collect();
    let open: Vec<bool> = slot
        .rows
        .iter()
        .flat_map(|row| &row.calls)
        .map(|call| !answered.contains(call))
        .collect();
    if !open.contains(&true) {
        return;
    }
    let mut is_open = open.into_iter();
    for mut item in std::mem::take(&mut slot.full) {
        let (whole, n_parts) = (item.tokens, item.parts.len());
        let mut keys = std::mem::take(&mut item.keys).into_iter();
        item.parts.retain(|part| {
            let is_call = matches!(part, Part::ToolUse { .. });
            let key = match part {
                Part::ToolUse { .. } | Part::ToolResult { .. } => keys.next(),
                _ => None,
            };
            let stays = !is_call || !is_open.next().unwrap_or(false);
            item.keys.extend(key.filter(|_| stays));
            stays
        });
        item.tokens = parts_tokens(&item.parts, item.name.as_deref(), counter);
        // Reasoning that led to a call nobody sees is not worth showing; a message of its own is.
        let is_untouched = n_parts > 0 && item.parts.len() == n_parts;
        if is_untouched || says_more_than_reasoning(&item) {
            slot.full.push(item);
        } else {
            slot.omit(&item, whole);
        }
    }
    slot.show_whole(counter);
    if slot.full.is_empty() {
        slot.standing = Standing::Silent;
    }
}

/// Says whether an item holds anything but reasoning.
fn says_more_than_reasoning(item: &ViewItem) -> bool {
    item.parts
        .iter()
        .any(|part| !matches!(part, Part::Reasoning { .. }))
}
