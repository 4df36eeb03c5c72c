//! What must hold of every view.

use hippocamp::domain::{Part, Role, Tokens, View, ViewItem, ViewItemKind, estimate};
use hippocamp::policy::assemble::unescape;

/// Tokens that a call and its result may take in their least form.
const LEAST_CALL: Tokens = Tokens::new(400);

/// What the view was asked for.
pub(super) struct Asked<'a> {
    /// The newest request.
    pub(super) request: &'a str,
    /// The calls of the newest batch.
    pub(super) n_calls: u64,
    /// The model's room.
    pub(super) budget: Tokens,
}

/// Says what is wrong with a view: it is over its budget with no reason, or the newest request is
/// not in it word for word.
pub(super) fn check(view: &View, asked: &Asked<'_>) -> Result<(), String> {
    let counted: Tokens = view.items.iter().map(|item| item.tokens).sum();
    if counted != view.tokens {
        return Err(format!(
            "{counted} tokens of items in a view of {}",
            view.tokens
        ));
    }
    if view.fits {
        if view.tokens > asked.budget {
            return Err(format!("{} tokens in {}", view.tokens, asked.budget));
        }
        if !shows(view, asked.request) {
            return Err("the newest request is not there word for word".to_owned());
        }
        return Ok(());
    }
    let kept = |kind| view.items.iter().filter(move |item| item.kind == kind);
    let fixed: Tokens = kept(ViewItemKind::System)
        .chain(kept(ViewItemKind::Pins))
        .map(|item| item.tokens)
        .sum();
    let calls = Tokens::new(LEAST_CALL.get() * (asked.n_calls + 1));
    let least = fixed + estimate(asked.request) + calls;
    if least <= asked.budget {
        return Err(format!(
            "says it does not fit {}, though the least it must show is about {least}",
            asked.budget
        ));
    }
    if view.tokens > asked.budget.max(fixed + LEAST_CALL) || view.excess.is_none() {
        return Err(format!("{} tokens, cut to {}", view.tokens, asked.budget));
    }
    Ok(())
}

/// Says whether the user's words stand in the view, raw or as a quoted request.
fn shows(view: &View, request: &str) -> bool {
    view.items.iter().rev().any(|item| match item.kind {
        ViewItemKind::Message => item.role == Role::User && words(item).eq([request]),
        ViewItemKind::Request => words(item).any(|text| quoted(text).as_deref() == Some(request)),
        _ => false,
    })
}

fn words(item: &ViewItem) -> impl Iterator<Item = &str> {
    item.parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        _ => None,
    })
}

/// Takes the wrapper of a quoted request away.
fn quoted(text: &str) -> Option<String> {
    let (opening, rest) = text.split_once(">\n")?;
    let inner = rest.strip_suffix("\n</request>")?;
    opening.starts_with("<request id=").then(|| unescape(inner))
}
