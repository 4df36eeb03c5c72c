//! `events`: what the engine did in a conversation, old to new, and the curve it made.

use serde_json::{Value, json};

use super::named::named;
use super::stats::curve_text;
use crate::cli::args::SessionArgs;
use crate::cli::failure::Failure;
use crate::cli::paint::{Align, Column, count, moment, safe_line, table};
use crate::cli::reply::Reply;
use crate::domain::{Event, EventKind, ItemId, RedactionCounts, SessionKey, Tokens, Usage};
use crate::engine::Engine;

const COLUMNS: [Column; 7] = [
    ("id", Align::Right),
    ("time", Align::Left),
    ("what", Align::Left),
    ("seq", Align::Right),
    ("summary", Align::Left),
    ("tokens", Align::Right),
    ("reason", Align::Left),
];

pub(super) async fn run(engine: &Engine, args: &SessionArgs) -> Result<Reply, Failure> {
    let session = named(engine, &args.session).await?;
    let events = engine.events(&session).await?;
    let json = to_json(&events, &session);
    if events.is_empty() {
        return Ok(Reply::new(json, "").with_note("nothing has happened yet"));
    }
    let points = engine.curve(&session).await?;
    let budget = events.iter().rev().find_map(|event| event.window);
    let mut text = text(&events);
    text.push_str("\ntokens that a view without a limit would hold, message by message\n");
    text.push_str(&curve_text(
        &points,
        budget.map(|window| window.budget().get()),
    ));
    Ok(Reply::new(json, text))
}

fn to_json(events: &[Event], session: &SessionKey) -> Value {
    let tokens = |tokens: Option<Tokens>| tokens.map(Tokens::get);
    let events: Vec<Value> = events
        .iter()
        .map(|event| {
            json!({
                "id": event.id.get(),
                "kind": event.kind.as_str(),
                "conversation": session.as_str(),
                "branch": event.conversation.get(),
                "time": event.at.to_string(),
                "first_seq": event.span.map(|span| span.first().get()),
                "last_seq": event.span.map(|span| span.last().get()),
                "summary": event.summary.map(|id| ItemId::Summary(id).to_string()),
                "tokens_before": tokens(event.tokens_before),
                "tokens_after": tokens(event.tokens_after),
                "reason": event.reason,
                "model": event.model,
                "usage": event.usage.map(usage_json),
                "redactions": (event.kind == EventKind::Call).then(|| counts_json(&event.redactions)),
            })
        })
        .collect();
    json!({ "events": events })
}

/// Writes what calls cost.
pub(super) fn usage_json(usage: Usage) -> Value {
    json!({
        "input": usage.input.get(),
        "output": usage.output.get(),
        "cached": usage.cached.get(),
    })
}

fn counts_json(counts: &RedactionCounts) -> Value {
    let counts = counts.iter().map(|(kind, n)| (kind.to_owned(), n.into()));
    Value::Object(counts.collect())
}

/// Says what a call cost and what was kept from it, after what came of it.
fn remark(event: &Event) -> String {
    let mut words: Vec<String> = event.reason.as_deref().map(safe_line).into_iter().collect();
    words.extend(event.model.as_deref().map(safe_line));
    if let Some(usage) = event.usage {
        words.push(format!(
            "{} in, {} out",
            count(usage.input.get()),
            count(usage.output.get())
        ));
    }
    if !event.redactions.is_empty() {
        words.push(format!("{} redacted", count(event.redactions.total())));
    }
    words.join(" · ")
}

fn text(events: &[Event]) -> String {
    let rows: Vec<Vec<String>> = events
        .iter()
        .map(|event| {
            let tokens = match (event.tokens_before, event.tokens_after) {
                (Some(before), Some(after)) => {
                    format!("{} → {}", count(before.get()), count(after.get()))
                }
                (_, Some(tokens)) | (Some(tokens), None) => count(tokens.get()),
                (None, None) => String::new(),
            };
            let summary = event.summary.map(|id| ItemId::Summary(id).to_string());
            vec![
                event.id.to_string(),
                moment(event.at),
                event.kind.as_str().to_owned(),
                event.span.map(|span| span.to_string()).unwrap_or_default(),
                summary.unwrap_or_default(),
                tokens,
                remark(event),
            ]
        })
        .collect();
    table(&COLUMNS, &rows)
}
