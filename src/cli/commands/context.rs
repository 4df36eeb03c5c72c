//! `context`: what the model would see now.

use super::named::named;
use crate::cli::args::{ContextArgs, ViewFormat};
use crate::cli::config::{Settings, WindowChoice};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::paint::{counted, escape_json};
use crate::cli::reply::Reply;
use crate::domain::{Tokens, View, ViewItemKind};
use crate::engine::{Engine, ViewBudget};
use crate::render::{self, Body};
use crate::tools::view_answer;

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
        Request::Text(text) => Reply::new(view_answer(view, Some(&text)), text),
        Request::Body(Some(body)) => {
            let text = format!("{}\n", escape_json(body.as_str()));
            Reply::new(view_answer(view, None), text).with_body("request", body)
        }
        Request::Body(None) => Reply::new(view_answer(view, None), "null\n")
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

/// Returns what the block of pins takes.
fn pins_tokens(view: &View) -> Tokens {
    view.items
        .iter()
        .filter(|item| item.kind == ViewItemKind::Pins)
        .map(|item| item.tokens)
        .sum()
}
