//! The block of pins: how one is fenced, what it costs, which are printed.
//! May not decide which pins are live.

use crate::domain::{
    Estimator, EventId, Part, PinId, PinKind, PinMeta, Role, TokenCounter, Tokens, ViewItem,
    ViewItemKind,
};

use super::cost::{line_tokens, wrapped_tokens};
use super::slot::{Kind, Slot};
use super::wrap::escape;

/// What is said before the first pin.
const NOTE: &str = "Pinned in this conversation, word for word. It holds whatever summaries say.";

/// Returns a pin as views print it.
#[must_use]
pub fn render_pin(id: EventId, kind: PinKind, text: &str) -> String {
    let (id, kind, text) = (PinId(id), kind.as_str(), escape(text));
    format!("<pin id=\"{id}\" kind=\"{kind}\">{text}</pin>")
}

/// Counts a pin as printed: an upper bound for every id below a million million.
#[must_use]
pub fn pin_tokens(kind: PinKind, text: &str, counter: &dyn TokenCounter) -> Tokens {
    let widest = EventId::new(999_999_999_999);
    wrapped_tokens(&render_pin(widest, kind, text), counter)
}

/// Returns what the block of these pins costs, the line before them included; nothing for none.
#[must_use]
pub fn block_tokens<'pin>(pins: impl IntoIterator<Item = &'pin PinMeta>) -> Tokens {
    sum(pins.into_iter().map(|pin| pin.tokens), &Estimator)
}

/// Returns what a block costs whose pins cost this much each.
fn sum(pins: impl Iterator<Item = Tokens>, counter: &dyn TokenCounter) -> Tokens {
    let (count, tokens) = pins.fold((0, Tokens::ZERO), |(count, sum), tokens| {
        (count + 1, sum + tokens)
    });
    if count == 0 {
        Tokens::ZERO
    } else {
        line_tokens(NOTE, counter) + tokens
    }
}

/// A pin with its words.
pub(super) struct Printed<'body> {
    pub(super) meta: PinMeta,
    pub(super) text: &'body str,
    line: String,
}

impl<'body> Printed<'body> {
    pub(super) fn new(meta: PinMeta, text: &'body str) -> Self {
        let line = render_pin(meta.id, meta.kind, text);
        Self { meta, text, line }
    }

    /// Says whether a slot shows the message that the pin comes from, raw and whole, with the words
    /// in it.
    fn is_said_in(&self, slot: &Slot) -> bool {
        let Some(source) = self.meta.source else {
            return false;
        };
        let is_raw = matches!(slot.kind, Kind::Older | Kind::Request | Kind::Step);
        is_raw
            && slot.is_shown()
            && slot.rows.iter().any(|row| row.id == source.message)
            && slot.is_whole()
            && slot
                .items()
                .iter()
                .filter(|item| item.span.is_some_and(|span| span.contains(source.seq)))
                .flat_map(|item| &item.parts)
                .any(|part| matches!(part, Part::Text { text } if text.contains(self.text)))
    }
}

/// Counts the whole block, which is reserved whether all of it is printed or not.
pub(super) fn reserved(pins: &[Printed<'_>], counter: &dyn TokenCounter) -> Tokens {
    sum(
        pins.iter().map(|pin| wrapped_tokens(&pin.line, counter)),
        counter,
    )
}

/// Makes the block of the pins that no slot says; none if all are said.
pub(super) fn block(
    pins: &[Printed<'_>],
    slots: &[Slot],
    counter: &dyn TokenCounter,
) -> Option<ViewItem> {
    let printed: Vec<&Printed<'_>> = pins
        .iter()
        .filter(|pin| !slots.iter().any(|slot| pin.is_said_in(slot)))
        .collect();
    if printed.is_empty() {
        return None;
    }
    let tokens = sum(
        printed.iter().map(|pin| wrapped_tokens(&pin.line, counter)),
        counter,
    );
    let lines = printed.iter().map(|pin| pin.line.clone());
    let parts = std::iter::once(NOTE.to_owned())
        .chain(lines)
        .map(|text| Part::Text { text })
        .collect();
    Some(ViewItem {
        tokens,
        ..ViewItem::new(ViewItemKind::Pins, Role::User, parts)
    })
}
