//! `stats`: what is stored, and the token curve of one conversation.

use serde_json::{Value, json};

use super::events::usage_json;
use super::named::named;
use crate::cli::args::StatsArgs;
use crate::cli::failure::Failure;
use crate::cli::paint::{DIM, Frame, bytes, counted, curve, painted, push, safe_key};
use crate::cli::reply::Reply;
use crate::domain::{CurveStep, Depth, SessionKey, StoreStats};
use crate::engine::Engine;

/// Columns and lines of the curve: half a terminal of the usual size.
const WIDTH: usize = 64;
const HEIGHT: usize = 10;

pub(super) async fn run(engine: &Engine, args: &StatsArgs) -> Result<Reply, Failure> {
    let (stats, drawn) = match &args.session {
        Some(session) => {
            let session = named(engine, session).await?;
            (engine.session_stats(&session).await?, Some(session))
        }
        None => (engine.stats().await?, newest_session(engine).await?),
    };
    let points = match &drawn {
        Some(session) => engine.curve(session).await?,
        None => Vec::new(),
    };
    let mut text = counts_text(&stats);
    if let Some(session) = drawn.as_ref().filter(|_| points.len() > 1) {
        push!(
            text,
            "\ntokens that a view of {} without a limit would hold, message by message\n",
            safe_key(session.as_str())
        );
        text.push_str(&curve_text(&points, None));
    }
    Ok(Reply::new(to_json(&stats, drawn.as_ref(), &points), text))
}

async fn newest_session(engine: &Engine) -> Result<Option<SessionKey>, Failure> {
    let rows = engine.sessions().await?;
    let newest = rows.into_iter().max_by_key(|row| (row.last_at, row.id));
    Ok(newest.map(|row| row.session))
}

fn to_json(stats: &StoreStats, drawn: Option<&SessionKey>, points: &[CurveStep]) -> Value {
    let points: Vec<Value> = points
        .iter()
        .map(|point| json!({"seq": point.seq.get(), "tokens": point.tokens.get()}))
        .collect();
    json!({
        "messages": stats.messages,
        "tokens": stats.tokens.get(),
        "summaries": stats.summaries,
        "depth": stats.depth.map(Depth::get),
        "bytes": stats.bytes,
        "conversations": stats.conversations,
        "calls": stats.calls,
        "usage": usage_json(stats.usage),
        "curve": points,
        "curve_of": drawn.map(SessionKey::as_str),
    })
}

fn counts_text(stats: &StoreStats) -> String {
    let depth = stats.depth.map_or_else(String::new, |depth| {
        format!(", the deepest at depth {depth}")
    });
    let calls = match stats.calls {
        0 => String::new(),
        n => format!(
            "{} of models, {} in and {} out\n",
            counted(n, "call", "calls"),
            counted(stats.usage.input.get(), "token", "tokens"),
            counted(stats.usage.output.get(), "token", "tokens"),
        ),
    };
    format!(
        "{} of {} in {}\n{}{depth}\n{calls}{} on disk\n",
        counted(stats.messages, "message", "messages"),
        counted(stats.tokens.get(), "token", "tokens"),
        counted(stats.conversations, "conversation", "conversations"),
        counted(stats.summaries, "summary", "summaries"),
        bytes(stats.bytes),
    )
}

/// Draws the curve as people see it, against a budget where one is known, and says what its marks
/// mean.
pub(crate) fn curve_text(points: &[CurveStep], budget: Option<u64>) -> String {
    let tokens: Vec<u64> = points.iter().map(|point| point.tokens.get()).collect();
    let frame = Frame {
        width: WIDTH,
        height: HEIGHT,
        budget,
    };
    let mut text = curve(&tokens, frame);
    let marks = [
        ("░ least to greatest of a column", tokens.len() > WIDTH),
        ("┄ the budget", budget.is_some()),
    ];
    let used: Vec<&str> = marks
        .into_iter()
        .filter_map(|(mark, is_used)| is_used.then_some(mark))
        .collect();
    if !used.is_empty() {
        text.push_str(&painted(DIM, used.join("   ")));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Seq, Tokens};

    fn drawn(n_points: u64, budget: Option<u64>) -> String {
        let point = |number: u64| CurveStep {
            seq: Seq::new(number).unwrap(),
            tokens: Tokens::new(number),
            event: None,
        };
        let points: Vec<CurveStep> = (1..=n_points).map(point).collect();
        curve_text(&points, budget)
    }

    #[test]
    fn the_marks_that_a_curve_may_hold_are_told() {
        assert_eq!(drawn(10, None).lines().count(), HEIGHT);
        assert!(drawn(10, Some(20)).contains("the budget"));
        assert!(drawn(100, None).contains("greatest of a column"));
        assert!(!drawn(100, None).contains("the budget"));
    }
}
