//! `pin`, `unpin`, `pins`: what is kept in every view, word for word.

use serde_json::{Value, json};

use super::named::named;
use crate::cli::args::{PinArgs, PinsArgs, UnpinArgs};
use crate::cli::failure::Failure;
use crate::cli::paint::{Align, Column, safe_line, table};
use crate::cli::reply::Reply;
use crate::domain::{Pin, PinFilter, PinId, PinRequest, PinState, SessionKey};
use crate::engine::{Engine, PinReport, PinStep};

const COLUMNS: [Column; 5] = [
    ("id", Align::Left),
    ("kind", Align::Left),
    ("state", Align::Left),
    ("message", Align::Right),
    ("text", Align::Left),
];

pub(super) async fn pin(engine: &Engine, args: &PinArgs) -> Result<Reply, Failure> {
    let session = named_if(engine, args.session.as_ref()).await?;
    let report = match (args.accept, &session, &args.text) {
        (Some(id), session, _) => engine.accept_pin(session.as_ref(), id.0).await?,
        (None, Some(session), Some(text)) => {
            let mut request = PinRequest::new(args.kind, text.as_str());
            request.source = args.message;
            engine.pin(session, request).await?
        }
        // The parser asks for both.
        (None, ..) => return Err(Failure::usage("a pin needs --session KEY and TEXT")),
    };
    reply(engine, &report).await
}

pub(super) async fn unpin(engine: &Engine, args: &UnpinArgs) -> Result<Reply, Failure> {
    let session = named_if(engine, args.session.as_ref()).await?;
    let report = engine.unpin(session.as_ref(), args.id.0).await?;
    reply(engine, &report).await
}

pub(super) async fn pins(engine: &Engine, args: &PinsArgs) -> Result<Reply, Failure> {
    let session = named(engine, &args.session).await?;
    let filter = if args.all {
        PinFilter::All
    } else {
        PinFilter::Standing
    };
    let pins = engine.pins(&session, filter).await?;
    let json: Vec<Value> = pins
        .iter()
        .map(|pin| to_json(pin, session.as_str()))
        .collect();
    let reply = Reply::new(json!({ "pins": json }), text(&pins));
    Ok(if pins.is_empty() {
        reply.with_note("no pins")
    } else {
        reply
    })
}

async fn named_if(
    engine: &Engine,
    session: Option<&SessionKey>,
) -> Result<Option<SessionKey>, Failure> {
    match session {
        Some(session) => named(engine, session).await.map(Some),
        None => Ok(None),
    }
}

async fn reply(engine: &Engine, report: &PinReport) -> Result<Reply, Failure> {
    let pin = &report.pin;
    let session = engine.session_of(pin.conversation).await?;
    let is_changed = report.step == PinStep::Changed;
    let json = json!({ "pin": to_json(pin, session.as_str()), "changed": is_changed });
    let how = match (is_changed, pin.state) {
        (true, PinState::Retired) => "is retired",
        (true, _) => "is live",
        (false, PinState::Retired) => "was retired before",
        (false, _) => "was live before",
    };
    let line = format!("{} {how}: {}\n", PinId(pin.id), safe_line(&pin.text));
    Ok(Reply::new(json, line))
}

fn to_json(pin: &Pin, session: &str) -> Value {
    json!({
        "id": PinId(pin.id).to_string(),
        "kind": pin.kind.as_str(),
        "state": pin.state.as_str(),
        "by": pin.by.as_str(),
        "text": pin.text,
        "conversation": session,
        "message": pin.source.map(|source| source.message.get()),
        "seq": pin.source.map(|source| source.seq.get()),
        "tokens": pin.tokens.get(),
        "time": pin.at.to_string(),
    })
}

fn text(pins: &[Pin]) -> String {
    if pins.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = pins
        .iter()
        .map(|pin| {
            let message = pin.source.map(|source| source.message.to_string());
            vec![
                PinId(pin.id).to_string(),
                pin.kind.as_str().to_owned(),
                pin.state.as_str().to_owned(),
                message.unwrap_or_default(),
                safe_line(&pin.text),
            ]
        })
        .collect();
    table(&COLUMNS, &rows)
}
