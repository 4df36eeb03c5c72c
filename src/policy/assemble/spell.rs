//! A view with its calls and results in words. Owns what stands for a call where no rule of
//! pairing can be broken. May not change what else the view says.

use super::cost::{part_tokens, parts_tokens};
use super::shorten::cut_middle;
use crate::domain::{ItemId, MessageId, Part, TokenCounter, Tokens, View, ViewItem, cost};

/// Writes the calls and results of a view out as texts, for a provider that has refused them:
/// there is nothing left to pair, no id to repeat and no arguments to parse. Reasoning, which
/// belongs to calls, goes. No part takes more than it did.
#[must_use]
pub fn spell_out(view: View, counter: &dyn TokenCounter) -> View {
    let items: Vec<ViewItem> = view
        .items
        .into_iter()
        .filter_map(|item| spelled(item, counter))
        .collect();
    View {
        tokens: items.iter().map(|item| item.tokens).sum(),
        items,
        ..view
    }
}

fn spelled(mut item: ViewItem, counter: &dyn TokenCounter) -> Option<ViewItem> {
    let is_plain = |part: &Part| matches!(part, Part::Text { .. } | Part::Media { .. });
    if item.parts.iter().all(is_plain) {
        return Some(item);
    }
    let id = match item.id {
        Some(ItemId::Message(id)) => id,
        _ => MessageId::new(0),
    };
    let parts = std::mem::take(&mut item.parts);
    item.parts = parts
        .into_iter()
        .filter(|part| !matches!(part, Part::Reasoning { .. }))
        .map(|part| in_words(part, id, counter))
        .collect();
    item.keys.clear();
    item.tokens = parts_tokens(&item.parts, item.name.as_deref(), counter);
    (!item.parts.is_empty()).then_some(item)
}

fn in_words(part: Part, id: MessageId, counter: &dyn TokenCounter) -> Part {
    let text = match &part {
        Part::ToolUse {
            name, arguments, ..
        } => format!("[called {name}: {arguments}]"),
        Part::ToolResult {
            content,
            is_error: true,
            ..
        } => format!("[it failed]\n{content}"),
        Part::ToolResult { content, .. } => format!("[result]\n{content}"),
        Part::Opaque { json } => format!("[block]\n{json}"),
        _ => return part,
    };
    let most = part_tokens(&part, counter);
    let words = cost::PART + counter.count(&text);
    if words <= most {
        return Part::Text { text };
    }
    let room = most.saturating_sub(cost::PART).max(Tokens::new(1));
    match cut_middle(&text, room, id, counter) {
        Some(text) if cost::PART + counter.count(&text) <= most => Part::Text { text },
        _ => Part::Text {
            text: "…".to_owned(),
        },
    }
}
