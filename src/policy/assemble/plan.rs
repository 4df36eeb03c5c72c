//! Which rows a view will need, from counts alone, so that no body is read in vain.
//! May not see bodies: `finish` does.

use std::collections::HashSet;

use crate::domain::{
    Estimator, EventId, Frontier, FrontierItem, MessageId, MessageMeta, PinMeta, PromptMeta, Role,
    Seq, SummaryId, Tokens,
};
use crate::policy::cut::{Before, Cuts};
use crate::policy::limits::Limits;

use super::pins::block_tokens;
use super::slot::{self, Frame, Kind, Slot};

/// A view before its bodies are read.
#[derive(Debug, Clone)]
pub struct ViewPlan {
    pub(super) budget: Tokens,
    pub(super) limits: Limits,
    pub(super) prompt: Option<PromptMeta>,
    pub(super) slots: Vec<Slot>,
    pub(super) warnings: Vec<String>,
    pub(super) pins: Vec<PinMeta>,
    pub(super) pins_left_out: Vec<PinMeta>,
}

impl ViewPlan {
    /// Returns the messages and summaries whose bodies the view shows.
    #[must_use]
    pub fn needs(&self) -> (Vec<MessageId>, Vec<SummaryId>) {
        let mut messages: Vec<MessageId> = Vec::new();
        let mut summaries = Vec::new();
        if let Some(prompt) = &self.prompt {
            messages.extend(&prompt.rows);
        }
        for slot in self.slots.iter().filter(|slot| slot.is_shown()) {
            messages.extend(slot.rows.iter().map(|row| row.id));
            if let Kind::Summary(node) = &slot.kind {
                summaries.push(node.id);
            }
        }
        (messages, summaries)
    }

    /// Returns the pins whose words the view shows.
    #[must_use]
    pub fn pin_ids(&self) -> Vec<EventId> {
        self.pins.iter().map(|pin| pin.id).collect()
    }

    /// Names the live pins that a budget below the configured one has no room for.
    #[must_use]
    pub fn with_pins_left_out(mut self, left_out: Vec<PinMeta>) -> Self {
        self.pins_left_out = left_out;
        self
    }

    /// Adds what the reader of the frontier passed over, in words.
    #[must_use]
    pub fn with_warnings(mut self, warnings: Vec<String>) -> Self {
        self.warnings.extend(warnings);
        self
    }
}

/// Plans the view of a frontier within a budget.
///
/// `request` is the run of visible user messages that opens the newest turn, old to new, whether
/// raw or covered; what of it is covered gets quoted.
#[must_use]
pub fn plan_view(
    frontier: &Frontier,
    request: &[MessageMeta],
    budget: Tokens,
    limits: &Limits,
) -> ViewPlan {
    let mut slots = lay_out(frontier, request);
    let prompt = frontier
        .prompt
        .as_ref()
        .map_or(Tokens::ZERO, |prompt| prompt.tokens);
    // The room of pins is kept also where their sources are in view, so that nothing moves when
    // those leave it.
    let fixed = prompt + block_tokens(&frontier.pins);
    let frame = Frame::new(budget, fixed, &Estimator);
    slot::drop_old_end(&mut slots, &frame, limits, &Estimator);
    ViewPlan {
        budget,
        limits: limits.clone(),
        prompt: frontier.prompt.clone(),
        slots,
        warnings: Vec::new(),
        pins: frontier.pins.clone(),
        pins_left_out: Vec::new(),
    }
}

/// Cuts the frontier into slots, old to new.
fn lay_out(frontier: &Frontier, request: &[MessageMeta]) -> Vec<Slot> {
    let raw: HashSet<MessageId> = frontier.raw().map(|row| row.id).collect();
    let asked: HashSet<MessageId> = request.iter().map(|row| row.id).collect();
    let turn_first = request.first().map(|row| row.seq);
    let mut slots = Vec::new();
    let mut stretch: Vec<&MessageMeta> = Vec::new();
    let mut after_last_node = 0;
    for item in &frontier.items {
        match item {
            FrontierItem::Node(node) => {
                slots.extend(group_slots(&stretch, &asked, turn_first));
                stretch.clear();
                slots.push(Slot::of_node(node));
                after_last_node = slots.len();
            }
            FrontierItem::Raw(row) if row.is_visible() => stretch.push(row),
            FrontierItem::Raw(_) => {}
        }
    }
    slots.extend(group_slots(&stretch, &asked, turn_first));
    let quoted: Vec<Slot> = messages_of(request.iter().filter(|row| !raw.contains(&row.id)))
        .into_iter()
        .filter_map(|rows| Slot::of_rows(Kind::Quoted, rows))
        .collect();
    slots.splice(after_last_node..after_last_node, quoted);
    let mut stretch = 0;
    for slot in &mut slots {
        let is_user = |row: &MessageMeta| row.cut_role() == Role::User;
        stretch += usize::from(slot.rows.first().is_none_or(is_user));
        slot.stretch = stretch;
    }
    slots
}

/// Cuts a stretch of visible rows at its legal cuts.
fn group_slots(
    stretch: &[&MessageMeta],
    asked: &HashSet<MessageId>,
    turn_first: Option<Seq>,
) -> Vec<Slot> {
    let cuts = Cuts::new(stretch.iter().copied(), Before::Nothing);
    cuts.groups()
        .filter_map(|group| {
            let units = cuts.units().get(group)?;
            let rows = units.first()?.rows.start..units.last()?.rows.end;
            let rows = stretch.get(rows)?.iter().copied().cloned().collect();
            slot_of(rows, asked, turn_first)
        })
        .collect()
}

fn slot_of(
    rows: Vec<MessageMeta>,
    asked: &HashSet<MessageId>,
    turn_first: Option<Seq>,
) -> Option<Slot> {
    let first = rows.first()?;
    // Before the first request all rows are one turn.
    let kind = if turn_first.is_some_and(|turn_first| first.seq < turn_first) {
        Kind::Older
    } else if asked.contains(&first.id) {
        Kind::Request
    } else {
        Kind::Step
    };
    Slot::of_rows(kind, rows)
}

/// Joins rows into messages: a head and its continuations.
pub(super) fn messages_of<'a>(
    rows: impl IntoIterator<Item = &'a MessageMeta>,
) -> Vec<Vec<MessageMeta>> {
    let mut messages: Vec<Vec<MessageMeta>> = Vec::new();
    for row in rows {
        let head = messages.last().and_then(|rows| rows.first());
        let continues = head.is_some_and(|head| row.continues == Some(head.seq));
        match messages.last_mut() {
            Some(message) if continues => message.push(row.clone()),
            _ => messages.push(vec![row.clone()]),
        }
    }
    messages
}
