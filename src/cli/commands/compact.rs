//! `compact`: what is due is summarised, or as much as a budget asks for.

use super::named::named;
use crate::cli::paint::push;
use serde_json::{Value, json};

use crate::cli::args::CompactArgs;
use crate::cli::config::Settings;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::paint::count;
use crate::cli::reply::Reply;
use crate::domain::{ItemId, SessionKey, SummaryId};
use crate::engine::{CompactReason, CompactReport, Engine};

/// Summaries that are named one by one; programs get all of them.
const MAX_NAMED: usize = 8;

pub(super) async fn run(
    engine: &Engine,
    settings: &Settings,
    session: &SessionKey,
    args: &CompactArgs,
) -> Result<Reply, Failure> {
    let session = named(engine, session).await?;
    let report = match (args.until_under, &args.focus) {
        (Some(budget), _) => engine.compact_until_under(&session, budget).await?,
        (None, Some(focus)) => engine.compact_with(&session, focus).await?,
        (None, None) => engine.compact(&session).await?,
    };
    let is_unwritten = report.reason == CompactReason::ModelFailed;
    let exit = if report.fits && !is_unwritten {
        Exit::Done
    } else {
        Exit::Partial
    };
    let mut reply = Reply::new(to_json(&report), text(&report)).with_exit(exit);
    if is_unwritten {
        reply = reply.with_note(
            "the model failed, and what it should have summarised stays as it is until it answers: \
             `events` has its words, `status` when it is asked again",
        );
    }
    if args.focus.is_some() && settings.models.is_empty() {
        reply =
            reply.with_note("--focus is for a model, and no `model` is set: it changed nothing");
    }
    if report.reason == CompactReason::StoreFailed {
        let message = "a summary could not be written";
        reply.failure = Some(Failure::new(Exit::Failed, "store_failed", message));
    }
    Ok(reply)
}

pub(super) fn ids(summaries: &[SummaryId]) -> Vec<String> {
    summaries
        .iter()
        .map(|id| ItemId::Summary(*id).to_string())
        .collect()
}

fn to_json(report: &CompactReport) -> Value {
    json!({
        "leaf": ids(&report.leaf),
        "condensed": ids(&report.condensed),
        "cleared": report.n_cleared,
        "tokens_before": report.tokens_before.get(),
        "tokens_after": report.tokens_after.get(),
        "fits": report.fits,
        "reason": report.reason.as_str(),
    })
}

fn text(report: &CompactReport) -> String {
    let mut text = cleared(report.n_cleared);
    text.push_str(&written(&report.leaf, &report.condensed));
    push!(
        text,
        "{} tokens before, {} after; {}\n",
        count(report.tokens_before.get()),
        count(report.tokens_after.get()),
        report.reason.as_str().replace('_', " "),
    );
    if !report.fits {
        text.push_str("that is still over the budget\n");
    }
    text
}

/// Names a few ids, and of many the first and the last.
fn listed(ids: &[String]) -> String {
    match ids {
        [first, .., last] if ids.len() > MAX_NAMED => {
            format!("{} summaries, {first} to {last},", count(ids.len() as u64))
        }
        _ => ids.join(", "),
    }
}

/// Returns a line that counts the results of tools that became lines, if any did.
pub(super) fn cleared(n_results: usize) -> String {
    match n_results {
        0 => String::new(),
        1 => "cleared 1 old tool result\n".to_owned(),
        more => format!("cleared {} old tool results\n", count(more as u64)),
    }
}

/// Returns a line for each kind of summary that was written.
pub(super) fn written(leaf: &[SummaryId], condensed: &[SummaryId]) -> String {
    let mut text = String::new();
    for (from, summaries) in [("from messages", leaf), ("from summaries", condensed)] {
        if !summaries.is_empty() {
            push!(text, "wrote {} {from}\n", listed(&ids(summaries)));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cleared_results_are_counted() {
        assert_eq!(cleared(0), "");
        assert_eq!(cleared(1), "cleared 1 old tool result\n");
        assert_eq!(cleared(1200), "cleared 1,200 old tool results\n");
    }

    #[test]
    fn many_summaries_are_counted_and_few_are_named() {
        let summaries = |last| -> Vec<SummaryId> { (1..=last).map(SummaryId::new).collect() };
        assert_eq!(written(&[], &[]), "");
        assert_eq!(
            written(&summaries(2), &summaries(1)),
            "wrote s1, s2 from messages\nwrote s1 from summaries\n"
        );
        assert_eq!(
            written(&summaries(8), &[]),
            "wrote s1, s2, s3, s4, s5, s6, s7, s8 from messages\n"
        );
        assert_eq!(
            written(&summaries(1200), &[]),
            "wrote 1,200 summaries, s1 to s1200, from messages\n"
        );
    }
}
