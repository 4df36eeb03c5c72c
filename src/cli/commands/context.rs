//! `context`: what the model would see now.

use serde_json::{Value, json};

use super::named::named;
use crate::cli::args::{ContextArgs, ViewFormat};
use crate::cli::config::{Settings, WindowChoice};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::paint::counted;
use crate::cli::reply::Reply;
use crate::domain::{Depth, LeftOut, Tokens, View, ViewItem};
use crate::engine::{Engine, ViewBudget};
use crate::render;

pub(super) async fn run(
    engine: &Engine,
    settings: &Settings,
    args: &ContextArgs,
) -> Result<Reply, Failure> {
    let budget = match (args.budget, settings.window) {
        (Some(tokens), _) => ViewBudget::Of(tokens),
        (None, WindowChoice::Asked(window)) => ViewBudget::Of(window.budget()),
        (None, WindowChoice::Configured(_)) => ViewBudget::Configured,
    };
    let session = named(engine, &args.session).await?;
    let view = engine.view(&session, budget).await?;
    let request = match args.format {
        ViewFormat::Text => render::text::render(&view),
    };
    Ok(reply(&view, &request))
}

fn reply(view: &View, request: &str) -> Reply {
    let mut reply = Reply::new(to_json(view, request), request);
    reply.notes.clone_from(&view.warnings);
    if let Some(excess) = view.excess {
        reply = reply.with_note(format!(
            "{} over the budget",
            counted(excess.get(), "token", "tokens")
        ));
    }
    if view.fits {
        reply
    } else {
        reply.with_exit(Exit::Partial)
    }
}

fn to_json(view: &View, request: &str) -> Value {
    json!({
        "tokens": view.tokens.get(),
        "budget": view.budget.get(),
        "fits": view.fits,
        "excess": view.excess.map(Tokens::get),
        "items": view.items.iter().map(item_json).collect::<Vec<_>>(),
        "left_out": view.left_out.iter().map(left_out_json).collect::<Vec<_>>(),
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

fn left_out_json(left_out: &LeftOut) -> Value {
    json!({
        "kind": left_out.kind.as_str(),
        "id": left_out.id.map(|id| id.to_string()),
        "first_seq": left_out.span.first().get(),
        "last_seq": left_out.span.last().get(),
        "tokens": left_out.tokens.get(),
    })
}
