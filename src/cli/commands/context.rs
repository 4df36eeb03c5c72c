//! `context`: what the model would see now.

use serde_json::{Value, json};

use super::named::named;
use crate::cli::args::{ContextArgs, ViewFormat};
use crate::cli::config::{Settings, WindowChoice};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::paint::{counted, escape_json};
use crate::cli::reply::Reply;
use crate::domain::{Depth, LeftOut, PinId, Tokens, View, ViewItem, ViewItemKind};
use crate::engine::{Engine, ViewBudget};
use crate::render::{self, Body};

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
        ViewFormat::Text => Request::Text(render::text::render(&view)),
        ViewFormat::OpenaiChat => Request::Body(render::openai_chat::render(&view)),
        ViewFormat::OpenaiResponses => Request::Body(render::openai_responses::render(&view)),
        ViewFormat::Anthropic => Request::Body(render::anthropic::render(&view)),
        ViewFormat::Gemini => Request::Body(render::gemini::render(&view)),
    };
    Ok(reply(&view, request))
}

/// A view as it was asked for.
enum Request {
    /// For people.
    Text(String),
    /// For a provider; none if nobody says anything.
    Body(Option<Body>),
}

fn reply(view: &View, request: Request) -> Reply {
    let mut reply = match request {
        Request::Text(text) => Reply::new(to_json(view, Some(&text)), text),
        Request::Body(Some(body)) => {
            let text = format!("{}\n", escape_json(body.as_str()));
            Reply::new(to_json(view, None), text).with_body("request", body)
        }
        Request::Body(None) => Reply::new(to_json(view, None), "null\n")
            .with_note("nobody says anything in this view: there is no body to send")
            .with_exit(Exit::Partial),
    };
    reply.notes.extend(view.warnings.iter().cloned());
    if let Some(excess) = view.excess {
        let over = counted(excess.get(), "token", "tokens");
        reply = reply.with_note(match pins_tokens(view) {
            Tokens::ZERO => format!("{over} over the budget"),
            pins => format!("{over} over the budget, of which pins take {pins}"),
        });
    }
    if view.fits {
        reply
    } else {
        reply.with_exit(Exit::Partial)
    }
}

fn to_json(view: &View, request: Option<&str>) -> Value {
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

/// Returns what the block of pins takes.
fn pins_tokens(view: &View) -> Tokens {
    view.items
        .iter()
        .filter(|item| item.kind == ViewItemKind::Pins)
        .map(|item| item.tokens)
        .sum()
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
