//! `status`: how full views are, and how far the index and the models are.

use serde_json::{Value, json};

use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::paint::{
    Align, Column, bytes, count, counted, moment, push, safe_key, safe_line, table,
};
use crate::cli::reply::Reply;
use crate::engine::{Engine, Status};

const COLUMNS: [Column; 5] = [
    ("key", Align::Left),
    ("pressure", Align::Right),
    ("budget", Align::Right),
    ("full", Align::Right),
    ("to summarise", Align::Right),
];

pub(super) async fn run(engine: &Engine) -> Result<Reply, Failure> {
    let status = engine.status().await?;
    let mut reply = Reply::new(to_json(&status), text(&status));
    for (session, reason) in &status.damaged {
        let (key, reason) = (safe_key(session.as_str()), safe_line(reason));
        let note = format!("`{key}` cannot be read: {reason}; run `hippocamp doctor`");
        reply = reply.with_exit(Exit::Partial).with_note(note);
    }
    Ok(match &status.background {
        Some(failure) => reply.with_note(format!("a background task failed last: {failure}")),
        None => reply,
    })
}

fn is_complete(status: &Status) -> bool {
    status.index.backlog == 0 && status.index.is_current
}

fn to_json(status: &Status) -> Value {
    let sessions: Vec<Value> = status
        .sessions
        .iter()
        .map(|session| {
            json!({
                "key": session.session.as_str(),
                "pressure": session.pressure.get(),
                "budget": session.budget.get(),
                "leaf_candidates": session.leaf_candidates,
                "model": session.model,
                "factor": f64::from(session.factor.thousandths()) / 1_000.0,
                "managed_by": session.managed_by,
                "paused": session.pause.map(|pause| json!({
                    "reason": "ineffective",
                    "since": pause.since.to_string(),
                    "until": pause.until.to_string(),
                })),
                "requested": session.request.is_some(),
            })
        })
        .collect();
    let breakers: Vec<Value> = status
        .breakers
        .iter()
        .map(|breaker| {
            json!({
                "name": breaker.name,
                "state": breaker.state,
                "until": breaker.until.map(|at| at.to_string()),
            })
        })
        .collect();
    let damaged: Vec<Value> = status
        .damaged
        .iter()
        .map(|(session, reason)| json!({"key": session.as_str(), "reason": reason}))
        .collect();
    json!({
        "sessions": sessions,
        "damaged": damaged,
        "index": {
            "mark": status.index.mark,
            "backlog": status.index.backlog,
            "complete": is_complete(status),
        },
        "breakers": breakers,
        "wal_bytes": status.wal_bytes,
        "background": status.background,
    })
}

fn text(status: &Status) -> String {
    let rows: Vec<Vec<String>> = status
        .sessions
        .iter()
        .map(|session| {
            let (pressure, budget) = (session.pressure.get(), session.budget.get());
            let percent = u128::from(pressure) * 100 / u128::from(budget.max(1));
            vec![
                safe_key(session.session.as_str()),
                count(pressure),
                count(budget),
                format!("{percent} %"),
                count(session.leaf_candidates),
            ]
        })
        .collect();
    let mut text = if rows.is_empty() {
        "no conversations\n".to_owned()
    } else {
        table(&COLUMNS, &rows)
    };
    let index = if is_complete(status) {
        "complete".to_owned()
    } else {
        format!("{} behind", counted(status.index.backlog, "row", "rows"))
    };
    push!(
        text,
        "\nsearch index: {index}\nwrite-ahead log: {}\n",
        bytes(status.wal_bytes)
    );
    for session in &status.sessions {
        let key = safe_key(session.session.as_str());
        if let Some(provider) = &session.managed_by {
            push!(text, "{key}: {} compacts it\n", safe_line(provider));
        }
        if let Some(pause) = session.pause {
            let until = moment(pause.until);
            push!(
                text,
                "{key}: not compacted unasked until {until}, since the last times did not help\n"
            );
        }
    }
    for breaker in &status.breakers {
        let how = match breaker.until {
            Some(at) => format!("keeps failing, not asked until {}", moment(at)),
            None => "asked".to_owned(),
        };
        push!(text, "model {}: {how}\n", safe_line(&breaker.name));
    }
    text
}
