//! From slots to the items of a view. Owns the order, the lines of gaps and what is reported.
//! May not leave anything out: that has been decided.

use std::collections::HashSet;

use crate::domain::{
    CallKey, ItemId, LeftOut, Part, Role, Span, TokenCounter, ViewItem, ViewItemKind,
};

use super::cost::{line_tokens, note_for, parts_tokens};
use super::slot::{self, Frame, Kind, Slot, Standing};

/// Lists the items of all slots with the lines for gaps between, and what is left out.
pub(super) fn emit(
    slots: &mut [Slot],
    frame: &Frame,
    counter: &dyn TokenCounter,
) -> (Vec<ViewItem>, Vec<LeftOut>) {
    let deepest = slots
        .iter()
        .filter(|slot| slot.is_shown())
        .filter_map(Slot::depth)
        .max();
    let mut note = deepest.map(note_for);
    let shown_calls = shown_calls(slots);
    let mut items = Vec::new();
    let mut left_out = Vec::new();
    for run in slots.chunk_by_mut(Slot::shares_line) {
        let standing = run.first().map_or(Standing::Shown, |slot| slot.standing);
        match standing {
            Standing::Shown => {
                for slot in run {
                    left_out.append(&mut slot.omitted);
                    for item in slot.give_items() {
                        let item = settle_results(item, &shown_calls, counter);
                        let note = match item.kind {
                            ViewItemKind::Summary => note.take(),
                            _ => None,
                        };
                        items.push(match note {
                            Some(note) => with_note(item, note, counter),
                            None => item,
                        });
                    }
                }
                continue;
            }
            Standing::Gap if frame.shows_gaps() => items.extend(gap_item(run, counter)),
            Standing::Gap | Standing::Silent => {}
        }
        left_out.extend(left_out_of(run));
    }
    (items, left_out)
}

fn with_note(item: ViewItem, note: &str, counter: &dyn TokenCounter) -> ViewItem {
    let tokens = item.tokens + line_tokens(note, counter);
    let note = Part::Text { text: note.into() };
    let parts = std::iter::once(note).chain(item.parts).collect();
    ViewItem {
        parts,
        tokens,
        ..item
    }
}

/// Makes the line that speaks for a run of slots.
fn gap_item(run: &[Slot], counter: &dyn TokenCounter) -> Option<ViewItem> {
    let span = Span::new(run.first()?.span.first(), run.last()?.span.last())?;
    let text = slot::gap_line(run, span);
    let tokens = line_tokens(&text, counter);
    let parts = vec![Part::Text { text }];
    Some(ViewItem {
        span: Some(span),
        tokens,
        ..ViewItem::new(ViewItemKind::Gap, Role::User, parts)
    })
}

/// Lists what a run leaves out: each summary, and runs of messages.
fn left_out_of(run: &[Slot]) -> Vec<LeftOut> {
    let mut entries: Vec<LeftOut> = Vec::new();
    for slot in run {
        let (kind, id) = match &slot.kind {
            Kind::Summary(node) => (ViewItemKind::Summary, Some(ItemId::Summary(node.id))),
            Kind::Quoted => (ViewItemKind::Request, None),
            _ => (ViewItemKind::Message, None),
        };
        match entries.last_mut() {
            Some(entry) if entry.kind == ViewItemKind::Message && kind == entry.kind => {
                entry.span = Span::new(entry.span.first(), slot.span.last()).unwrap_or(entry.span);
                entry.tokens += slot.whole;
            }
            _ => entries.push(LeftOut {
                kind,
                id,
                span: slot.span,
                tokens: slot.whole,
            }),
        }
    }
    entries
}

/// Collects the calls that the view shows, each with its stretch: ids begin anew in each turn.
/// What is shown counts, not what the rows hold: a quotation leaves calls out.
fn shown_calls(slots: &[Slot]) -> HashSet<(usize, CallKey)> {
    let mut calls = HashSet::new();
    for slot in slots.iter().filter(|slot| slot.is_shown()) {
        for item in slot.items() {
            let paired = item
                .parts
                .iter()
                .filter(|part| matches!(part, Part::ToolUse { .. } | Part::ToolResult { .. }));
            for (part, key) in paired.zip(&item.keys) {
                if matches!(part, Part::ToolUse { .. }) {
                    calls.insert((slot.stretch, key.clone()));
                }
            }
        }
    }
    calls
}

/// Turns results whose call the view does not show into labelled words, so that no result stands
/// without its call. The label is shorter than the frame of a result.
fn settle_results(
    mut item: ViewItem,
    shown_calls: &HashSet<(usize, CallKey)>,
    counter: &dyn TokenCounter,
) -> ViewItem {
    let mut keys = std::mem::take(&mut item.keys).into_iter();
    let mut changed = false;
    for part in &mut item.parts {
        let key = match part {
            Part::ToolUse { .. } | Part::ToolResult { .. } => keys.next(),
            _ => None,
        };
        let Part::ToolResult {
            content, is_error, ..
        } = part
        else {
            item.keys.extend(key);
            continue;
        };
        let call = key.map(|key| (item.stretch, key));
        if let Some(call) = call
            && shown_calls.contains(&call)
        {
            item.keys.push(call.1);
            continue;
        }
        let label = if *is_error {
            "[failed result, its call is not shown]"
        } else {
            "[result, its call is not shown]"
        };
        *part = Part::Text {
            text: format!("{label}\n{content}"),
        };
        changed = true;
    }
    if changed {
        item.tokens = parts_tokens(&item.parts, item.name.as_deref(), counter);
    }
    item
}
