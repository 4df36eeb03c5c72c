//! Slots: the pieces that a view shows or leaves out as wholes, old to new.
//! Owns rung 5, the dropping from the old end. May not shorten a text.

use crate::domain::{
    Depth, ItemId, LeftOut, MessageId, MessageMeta, Node, Part, Span, TokenCounter, Tokens,
    ViewItem, ViewItemKind,
};
use crate::policy::limits::Limits;

use super::cost::{line_tokens, note_tokens, parts_tokens};
use super::wrap;

/// What a slot holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// A summary.
    Summary(Node),
    /// Rows of the newest request that a summary covers: quoted.
    Quoted,
    /// A group of an older turn.
    Older,
    /// A raw message of the newest request.
    Request,
    /// A group of the newest turn behind its request.
    Step,
}

/// Whether a slot is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is, perhaps shortened.
    Shown,
    /// It is not; a line says so.
    Gap,
    /// It is not, and no line says so.
    Silent,
}

/// One piece of a view.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub(super) kind: Kind,
    /// The visible rows of a group.
    pub(super) rows: Vec<MessageMeta>,
    pub(super) span: Span,
    /// Which stretch without a user's message or a summary between it lies in: results find their
    /// calls within one.
    pub(super) stretch: usize,
    pub(super) standing: Standing,
    /// What it costs as it stands now.
    pub(super) tokens: Tokens,
    /// What it would cost whole.
    pub(super) whole: Tokens,
    /// What it shows now, unless that is all; empty until bodies are known.
    items: Vec<ViewItem>,
    /// Whether it shows all that it would show whole.
    is_whole: bool,
    /// What it would show whole.
    pub(super) full: Vec<ViewItem>,
    /// Messages inside that are left out while the rest is shown.
    pub(super) omitted: Vec<LeftOut>,
}

impl Slot {
    pub(super) fn of_node(node: &Node) -> Self {
        Self::new(
            Kind::Summary(node.clone()),
            Vec::new(),
            node.span,
            node.tokens,
        )
    }

    /// Makes a slot of rows; `None` for none.
    pub(super) fn of_rows(kind: Kind, rows: Vec<MessageMeta>) -> Option<Self> {
        let span = Span::new(rows.first()?.seq, rows.last()?.seq)?;
        let tokens = rows
            .iter()
            .map(|row| match kind {
                Kind::Step | Kind::Request => row.view_tokens + row.reasoning_tokens,
                _ => row.view_tokens,
            })
            .sum();
        Some(Self::new(kind, rows, span, tokens))
    }

    fn new(kind: Kind, rows: Vec<MessageMeta>, span: Span, tokens: Tokens) -> Self {
        Self {
            kind,
            rows,
            span,
            stretch: 0,
            standing: Standing::Shown,
            tokens,
            whole: tokens,
            items: Vec::new(),
            is_whole: false,
            full: Vec::new(),
            omitted: Vec::new(),
        }
    }

    /// Shows these items, quoted where a summary covers them.
    pub(super) fn show(&mut self, items: Vec<ViewItem>, counter: &dyn TokenCounter) {
        self.items = match self.kind {
            Kind::Quoted => items.into_iter().map(|item| quote(item, counter)).collect(),
            _ => items,
        };
        self.is_whole = false;
        self.tokens = self.items.iter().map(|item| item.tokens).sum();
    }

    /// Shows all there is.
    pub(super) fn show_whole(&mut self, counter: &dyn TokenCounter) {
        if self.kind == Kind::Quoted {
            return self.show(self.full.clone(), counter);
        }
        self.items.clear();
        self.is_whole = true;
        self.tokens = self.full.iter().map(|item| item.tokens).sum();
    }

    /// Returns what it shows now.
    pub(super) fn items(&self) -> &[ViewItem] {
        if self.is_whole {
            &self.full
        } else {
            &self.items
        }
    }

    /// Says whether it shows all there is, as it is.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole || self.items == self.full
    }

    /// Returns what it shows now, to be shown in another way.
    pub(super) fn take_items(&mut self) -> Vec<ViewItem> {
        if self.is_whole {
            self.full.clone()
        } else {
            std::mem::take(&mut self.items)
        }
    }

    /// Gives what it shows away; it is of no use afterwards.
    pub(super) fn give_items(&mut self) -> Vec<ViewItem> {
        std::mem::take(if self.is_whole {
            &mut self.full
        } else {
            &mut self.items
        })
    }

    /// Notes that a message inside is not shown, though the rest is.
    pub(super) fn omit(&mut self, item: &ViewItem, tokens: Tokens) {
        self.omitted.extend(item.span.map(|span| LeftOut {
            kind: ViewItemKind::Message,
            id: item.id,
            span,
            tokens,
        }));
    }

    pub(super) fn is_shown(&self) -> bool {
        self.standing == Standing::Shown
    }

    pub(super) fn depth(&self) -> Option<Depth> {
        match &self.kind {
            Kind::Summary(node) => Some(node.depth),
            _ => None,
        }
    }

    /// Says whether the slot lies at the old end, before the newest turn.
    pub(super) fn is_old(&self) -> bool {
        matches!(self.kind, Kind::Summary(_) | Kind::Older)
    }

    /// Says whether one line can speak for this slot and `other`, if both are left out.
    pub(super) fn shares_line(&self, other: &Self) -> bool {
        self.standing == other.standing && self.is_old() == other.is_old()
    }

    /// Counts messages, continuations not counted.
    pub(super) fn n_messages(&self) -> usize {
        self.rows
            .iter()
            .filter(|row| row.continues.is_none())
            .count()
    }
}

/// What counts in a view beside its slots.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) budget: Tokens,
    /// The system prompt and the pins, which are never cut.
    pub(super) fixed: Tokens,
    /// What a gap's line costs at most; nothing once no lines are shown.
    gap_line: Option<Tokens>,
}

/// The message of an item that shows one.
pub(super) fn message_of(item: &ViewItem) -> MessageId {
    match item.id {
        Some(ItemId::Message(id)) => id,
        _ => MessageId::new(0),
    }
}

/// Fences the words of an item as the newest request.
fn quote(mut item: ViewItem, counter: &dyn TokenCounter) -> ViewItem {
    let id = message_of(&item);
    for part in &mut item.parts {
        if let Part::Text { text } = part {
            *text = wrap::wrap_request(id, text);
        }
    }
    item.tokens = parts_tokens(&item.parts, item.name.as_deref(), counter);
    item
}

impl Frame {
    pub(super) fn new(budget: Tokens, fixed: Tokens, counter: &dyn TokenCounter) -> Self {
        const MANY: usize = 999_999_999;
        let widest = old_gap_line(MANY, MANY, "999999999999-999999999999");
        Self {
            budget,
            fixed,
            gap_line: Some(line_tokens(&widest, counter)),
        }
    }

    /// Counts a view of these slots, notes and gap lines included.
    pub(super) fn total(&self, slots: &[Slot], counter: &dyn TokenCounter) -> Tokens {
        let shown: Tokens = slots
            .iter()
            .filter(|slot| slot.is_shown())
            .map(|slot| slot.tokens)
            .sum();
        let deepest = slots
            .iter()
            .filter(|slot| slot.is_shown())
            .filter_map(Slot::depth)
            .max();
        let note = deepest.map_or(Tokens::ZERO, |deepest| note_tokens(deepest, counter));
        let gap_line = self.gap_line.unwrap_or_default();
        let gaps: Tokens = slots
            .chunk_by(Slot::shares_line)
            .filter(|run| {
                run.first()
                    .is_some_and(|slot| slot.standing == Standing::Gap)
            })
            .map(|_| gap_line)
            .sum();
        self.fixed + shown + note + gaps
    }

    pub(super) fn shows_gaps(&self) -> bool {
        self.gap_line.is_some()
    }

    /// Shows no lines for gaps any more.
    pub(super) fn hide_gaps(&mut self) {
        self.gap_line = None;
    }
}

/// Returns the line that speaks for a run of slots.
pub(super) fn gap_line(run: &[Slot], span: Span) -> String {
    let seqs = span.to_string();
    if run.first().is_some_and(Slot::is_old) {
        let n_summaries = run.iter().filter(|slot| slot.depth().is_some()).count();
        let n_messages = run.iter().map(Slot::n_messages).sum();
        old_gap_line(n_summaries, n_messages, &seqs)
    } else {
        step_gap_line(run.len(), &seqs)
    }
}

/// Returns the line for a gap at the old end.
fn old_gap_line(n_summaries: usize, n_messages: usize, seqs: &str) -> String {
    let named = [
        (n_summaries, "summary", "summaries"),
        (n_messages, "message", "messages"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
    .collect::<Vec<_>>()
    .join(" and ");
    format!("[{named}, seq {seqs}, left out; short_grep finds them]")
}

/// Returns the line for steps of the newest turn that are left out.
fn step_gap_line(n_steps: usize, seqs: &str) -> String {
    let steps = if n_steps == 1 { "step" } else { "steps" };
    format!("[{n_steps} {steps}, seq {seqs}, left out]")
}

/// Rung 5: drops from the old end what the budget has no room for.
///
/// While raw groups of older turns can still be dropped, summaries keep half of what is free;
/// beyond that half the oldest summaries go first.
pub(super) fn drop_old_end(
    slots: &mut [Slot],
    frame: &Frame,
    limits: &Limits,
    counter: &dyn TokenCounter,
) {
    let half = frame
        .budget
        .saturating_sub(frame.fixed)
        .percent(limits.summaries_percent);
    let mut summaries: Tokens = slots
        .iter()
        .filter(|slot| slot.is_shown() && slot.depth().is_some())
        .map(|slot| slot.tokens)
        .sum();
    drop_oldest(slots, frame, counter, |slot| {
        let goes = slot.depth().is_some() && summaries > half;
        if goes {
            summaries = summaries.saturating_sub(slot.tokens);
        }
        goes
    });
    drop_oldest(slots, frame, counter, |slot| slot.kind == Kind::Older);
}

/// Leaves out the oldest of the shown slots that may go, until the rest fits.
pub(super) fn drop_oldest(
    slots: &mut [Slot],
    frame: &Frame,
    counter: &dyn TokenCounter,
    mut may_go: impl FnMut(&Slot) -> bool,
) {
    let mut total = frame.total(slots, counter);
    for at in 0..slots.len() {
        if total <= frame.budget {
            break;
        }
        let Some(slot) = slots.get_mut(at) else { break };
        if !slot.is_shown() || !may_go(slot) {
            continue;
        }
        slot.standing = Standing::Gap;
        total = total.saturating_sub(slot.tokens);
        // The line of a new gap may eat what its first slot gave: count again before stopping.
        if total <= frame.budget {
            total = frame.total(slots, counter);
        }
    }
}
