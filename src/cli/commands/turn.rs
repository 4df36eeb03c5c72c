//! `turn`: one turn is stored and compacted, as a host would do it.

use crate::cli::paint::push;
use serde_json::{Value, json};

use super::append::{Stored, read_messages, reply_of};
use super::compact::{cleared, ids, written};
use super::summarising;
use crate::cli::args::TurnArgs;
use crate::cli::config::Settings;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::ndjson::Refusal;
use crate::cli::paint::count;
use crate::cli::reply::Reply;
use crate::domain::{Event, EventKind, SummaryId, Tokens};
use crate::engine::{CompactReason, Engine, OpenMode, TurnReport};

/// What tier 2 did after the turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Later {
    condensed: Vec<SummaryId>,
    tokens_after: Option<Tokens>,
}

pub(super) async fn run(settings: &Settings, args: &TurnArgs) -> Result<Reply, Failure> {
    let input = read_messages(args.from)?;
    if input.messages.is_empty() {
        return Ok(nothing(&input.refused));
    }
    summarising(settings, OpenMode::Create, async |engine| {
        let window = settings.window.window();
        let report = engine.turn(&args.session, input.messages, window).await?;
        let later = if args.no_wait {
            Later::default()
        } else {
            wait(engine, args, &report).await?
        };
        Ok(reply(&report, &later, &input.refused))
    })
    .await
}

/// Waits for tier 2 and reads what it did from the events after the turn's own.
async fn wait(engine: &Engine, args: &TurnArgs, report: &TurnReport) -> Result<Later, Failure> {
    engine.settle().await?;
    let newest_row = report.appended.rows.iter().map(|row| row.id.get()).max();
    let mut known = report.compacted.leaf.clone();
    known.extend(&report.compacted.condensed);
    let newest_known = known.iter().map(|id| id.get()).max();
    let from = newest_row.max(newest_known).unwrap_or(i64::MAX);
    let events = engine.events(&args.session).await?;
    Ok(later_than(from, &events))
}

/// Reads what was condensed after an id; events share their ids' order with rows.
fn later_than(from: i64, events: &[Event]) -> Later {
    let condensed = events
        .iter()
        .filter(|event| event.kind == EventKind::Condense)
        .filter(|event| event.summary.is_some_and(|id| id.get() > from));
    let mut later = Later::default();
    for event in condensed {
        later.condensed.extend(event.summary);
        later.tokens_after = event.tokens_after.or(later.tokens_after);
    }
    later
}

fn reply(report: &TurnReport, later: &Later, refused: &[Refusal]) -> Reply {
    let stored = Stored::of(&report.appended);
    let compacted = &report.compacted;
    let mut condensed = compacted.condensed.clone();
    condensed.extend(&later.condensed);
    let tokens_after = later.tokens_after.unwrap_or(compacted.tokens_after);
    let fields = json!({
        "leaf": ids(&compacted.leaf),
        "condensed": ids(&condensed),
        "cleared": compacted.n_cleared,
        "tokens_before": compacted.tokens_before.get(),
        "tokens_after": tokens_after.get(),
        "fits": report.view.fits,
        "reason": compacted.reason.as_str(),
    });
    let mut reply = reply_of(stored, refused);
    merge(&mut reply.json, fields);
    reply.text.push_str(&cleared(compacted.n_cleared));
    reply.text.push_str(&written(&compacted.leaf, &condensed));
    push!(
        reply.text,
        "the view holds {} of {} tokens\n",
        count(report.view.tokens.get()),
        count(report.view.budget.get()),
    );
    reply.notes.extend(report.view.warnings.iter().cloned());
    if compacted.reason == CompactReason::StoreFailed {
        let message = "the messages are stored, but a summary could not be written";
        reply.failure = Some(Failure::new(Exit::Failed, "store_failed", message));
    }
    if report.view.fits {
        reply
    } else {
        reply.with_exit(Exit::Partial)
    }
}

/// The reply where there is nothing to store: no conversation is begun.
fn nothing(refused: &[Refusal]) -> Reply {
    let fields = json!({
        "leaf": [],
        "condensed": [],
        "cleared": 0,
        "tokens_before": null,
        "tokens_after": null,
        "fits": null,
        "reason": "no_messages",
    });
    let mut reply = reply_of(Stored::default(), refused);
    merge(&mut reply.json, fields);
    reply
}

fn merge(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ConversationId, EventId, Timestamp};

    fn condense(summary: i64, tokens_after: u64) -> Event {
        let at = Timestamp::from_millis(0);
        let (id, conversation) = (EventId::new(summary + 1), ConversationId::new(1));
        let mut event = Event::new(id, EventKind::Condense, conversation, at);
        event.summary = Some(SummaryId::new(summary));
        event.tokens_after = Some(Tokens::new(tokens_after));
        event
    }

    #[test]
    fn only_what_came_after_the_turn_is_its_own() {
        let events = [condense(5, 50), condense(20, 40), condense(30, 30)];
        let later = later_than(10, &events);
        assert_eq!(later.condensed, [SummaryId::new(20), SummaryId::new(30)]);
        assert_eq!(later.tokens_after, Some(Tokens::new(30)));
        assert_eq!(later_than(30, &events), Later::default());
    }

    #[test]
    fn an_empty_turn_has_every_field() {
        let reply = nothing(&[]);
        for name in [
            "appended",
            "duplicate",
            "first_seq",
            "last_seq",
            "refused",
            "fork_seq",
            "leaf",
            "condensed",
            "cleared",
            "tokens_before",
            "tokens_after",
            "fits",
            "reason",
        ] {
            assert!(reply.json.get(name).is_some(), "{name}");
        }
        assert_eq!(reply.exit, Exit::Done);
    }
}
