//! What was said around a hit: whole for programs, the ends of long turns for people.

use serde_json::{Value, json};

use crate::cli::paint::{DIM, count, fitted, painted, push, safe_line};
use crate::domain::{GrepReply, Hit, ItemId, MessageId, Neighbour, Role, Surroundings};

/// Columns of a message around a hit: a line of a common terminal with its id and role.
const AROUND_COLUMNS: usize = 76;
/// A turn of more messages is told by its ends and by what stands beside the hit.
const LONG_TURN: usize = 8;
/// Messages at each end of a long turn that are shown.
const TURN_ENDS: usize = 3;

/// Finds what was read around a hit.
pub(super) fn around_hit<'around>(
    hit: &Hit,
    around: &'around [Surroundings],
) -> Option<&'around Surroundings> {
    let around = around
        .iter()
        .find(|around| ItemId::Message(around.id) == hit.id);
    around.filter(|around| !around.messages.is_empty())
}

/// Adds to each result what was said around it; null where nothing was asked or there is none.
pub(super) fn with_around(mut json: Value, found: &GrepReply, around: &[Surroundings]) -> Value {
    let results = json.get_mut("results").and_then(Value::as_array_mut);
    for (result, hit) in results.into_iter().flatten().zip(&found.hits) {
        let said = around_hit(hit, around).map(|around| {
            let messages = around.messages.iter().map(|message| {
                json!({
                    "id": message.id.get(),
                    "seq": message.seq.get(),
                    "role": message.role.as_str(),
                    "time": message.at.map(|at| at.to_string()),
                    "text": message.text,
                })
            });
            messages.collect::<Vec<_>>()
        });
        if let Some(fields) = result.as_object_mut() {
            fields.insert("around".to_owned(), json!(said));
        }
    }
    json
}

/// Says which of the messages around a hit are shown: of a long turn its ends and the neighbours of
/// the hit, and what else is a gap of one.
fn shown_around(messages: &[Neighbour], own: Option<MessageId>) -> Vec<bool> {
    let is_user = |message: &Neighbour| message.role == Role::User;
    let mut shown: Vec<bool> = Vec::with_capacity(messages.len());
    for turn in messages.chunk_by(|one, next| is_user(one) || !is_user(next)) {
        let own_idx = turn.iter().position(|message| Some(message.id) == own);
        let is_kept = |idx: usize| {
            turn.len() <= LONG_TURN
                || idx < TURN_ENDS
                || idx + TURN_ENDS >= turn.len()
                || own_idx.is_some_and(|own_idx| own_idx.abs_diff(idx) <= 1)
        };
        // The line that tells of a gap of one is no shorter than the message.
        shown.extend(
            (0..turn.len())
                .map(|idx| is_kept(idx) || (idx > 0 && is_kept(idx - 1) && is_kept(idx + 1))),
        );
    }
    shown
}

/// Tells how many messages were passed over, if any were.
fn push_left_out(text: &mut String, n_left_out: &mut u64, width: usize) {
    if *n_left_out > 0 {
        let about = format!("  {:>width$}  {} more", "…", count(*n_left_out));
        push!(text, "  {}\n", painted(DIM, about));
        *n_left_out = 0;
    }
}

/// Returns what was said around a hit, a line a message, the hit's own marked.
pub(super) fn around_text(hit: &Hit, around: &Surroundings) -> String {
    let is_before = |message: &&Neighbour| message.seq <= hit.seq;
    let own = around.messages.iter().rfind(is_before).map(|own| own.id);
    let ids = around.messages.iter().map(|message| message.id.to_string());
    let width = ids.map(|id| id.len()).max().unwrap_or(0);
    let mut text = "\n".to_owned();
    let shown = shown_around(&around.messages, own);
    let mut n_left_out = 0;
    for (message, is_shown) in around.messages.iter().zip(shown) {
        if !is_shown {
            n_left_out += 1;
            continue;
        }
        push_left_out(&mut text, &mut n_left_out, width);
        let mark = if own == Some(message.id) { ">" } else { " " };
        let about = format!(
            "{mark} {:>width$}  {:<9}",
            message.id.to_string(),
            message.role.as_str()
        );
        let said = fitted(&safe_line(&message.text), AROUND_COLUMNS);
        let line = format!("  {}  {said}", painted(DIM, about));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.push('\n');
    text
}
