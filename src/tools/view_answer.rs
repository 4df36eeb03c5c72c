//! A view's answer as JSON. Owns the names and forms of its fields, for tools and `--json` alike.
//! May not render: the request comes from outside.

use serde_json::{Value, json};

use crate::domain::{Depth, LeftOut, PinId, Tokens, View, ViewItem, ViewItemKind};

/// Returns a view's answer as one object; `request` is its text, or null for a body to be put there.
#[must_use]
pub fn view_answer(view: &View, request: Option<&str>) -> Value {
    json!({
        "tokens": view.tokens.get(),
        "budget": view.budget.get(),
        "fits": view.fits,
        "excess": view.excess.map(Tokens::get),
        "items": view.items.iter().map(item_json).collect::<Vec<_>>(),
        "left_out": left_out_all(view),
        "request": request,
        "warnings": view.warnings,
    })
}

fn item_json(item: &ViewItem) -> Value {
    json!({
        "kind": item.kind.as_str(),
        "id": item.id.map(|id| id.to_string()),
        "depth": item.depth.map(Depth::get),
        "first_seq": item.span.map(|span| span.first().get()),
        "last_seq": item.span.map(|span| span.last().get()),
        "tokens": item.tokens.get(),
    })
}

fn left_out_all(view: &View) -> Vec<Value> {
    let pins = view.pins_left_out.iter().map(|pin| {
        let seq = pin.source.map(|source| source.seq.get());
        json!({
            "kind": ViewItemKind::Pins.as_str(),
            "id": PinId(pin.id).to_string(),
            "first_seq": seq,
            "last_seq": seq,
            "tokens": pin.tokens.get(),
        })
    });
    pins.chain(view.left_out.iter().map(left_out_json))
        .collect()
}

fn left_out_json(left_out: &LeftOut) -> Value {
    json!({
        "kind": left_out.kind.as_str(),
        "id": left_out.id.map(|id| id.to_string()),
        "first_seq": left_out.span.first().get(),
        "last_seq": left_out.span.last().get(),
        "tokens": left_out.tokens.get(),
    })
}
