//! Answers as JSON. Owns the names and forms of the fields, for tools and `--json` alike.
//! Absent values are null, never left out; times are ISO 8601 in UTC.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};

use serde_json::{Value, json};

use super::ids::AskedId;
use super::short_grep::GREP_LIMIT_MAX;
use crate::domain::{
    Depth, ExpandReply, ExpandedMessage, ExpandedSummary, GrepReply, Hit, ItemId, MatchKind, Part,
    Role, Seq, Sources, Standing, Summary, Timestamp,
};

/// Returns a search's answer as one object.
#[must_use]
pub fn grep_answer(reply: &GrepReply) -> Value {
    json!({
        "results": reply.hits.iter().map(hit).collect::<Vec<_>>(),
        "total": reply.total,
        "total_capped": reply.total_capped,
        "limit": reply.limit,
        "match": match reply.matched {
            MatchKind::All => "all",
            MatchKind::Some => "some",
        },
        "read_as": reply.read_as,
        "complete": reply.complete,
        "cursor": reply.cursor,
        "hint": grep_hint(reply),
    })
}

/// Returns an expansion's answer as one object. `asked` lets a missing id be named as written.
#[must_use]
pub fn expand_answer(reply: &ExpandReply, asked: &[AskedId]) -> Value {
    json!({
        "messages": reply.messages.iter().map(message).collect::<Vec<_>>(),
        "summaries": reply.summaries.iter().map(summary).collect::<Vec<_>>(),
        "tokens": reply.tokens.get(),
        "cursor": reply.cursor,
        "missing": missing(&reply.missing, asked),
    })
}

/// Returns the words for where a hit stands.
#[must_use]
pub fn standing_word(standing: Standing) -> String {
    match standing {
        Standing::InView => "in_view".to_owned(),
        Standing::Under(id) => format!("under {id}"),
        Standing::OtherBranch => "other_branch".to_owned(),
        Standing::Hidden => "hidden".to_owned(),
        Standing::NotLive => "not_live".to_owned(),
    }
}

fn grep_hint(reply: &GrepReply) -> Option<String> {
    let capped = reply
        .limit_capped
        .then(|| format!("limit is at most {GREP_LIMIT_MAX}; use cursor for more"));
    match (reply.hint.clone(), capped) {
        (Some(hint), Some(capped)) => Some(format!("{hint}; {capped}")),
        (hint, capped) => hint.or(capped),
    }
}

fn hit(hit: &Hit) -> Value {
    json!({
        "id": hit.id.to_string(),
        "seq": hit.seq.get(),
        "last_seq": hit.span.last().get(),
        "kind": hit.kind.as_str(),
        "role": hit.role.map(Role::as_str),
        "depth": hit.depth.map(Depth::get),
        "conversation": hit.session.as_str(),
        "time": time(hit.at),
        "rank": hit.rank,
        "snippet": hit.snippet.text,
        "standing": standing_word(hit.standing),
    })
}

fn message(shown: &ExpandedMessage) -> Value {
    let message = &shown.message;
    let parts: Vec<Value> = message
        .parts
        .iter()
        .enumerate()
        .map(|(part_idx, part)| {
            let omitted = shown.omitted.iter().find(|(idx, _)| *idx == part_idx);
            part_json(part, omitted.map(|(_, bytes)| *bytes))
        })
        .collect();
    json!({
        "id": message.id.get(),
        "seq": message.seq.get(),
        "conversation": shown.session.as_str(),
        "role": message.role.as_str(),
        "time": time(message.at),
        "name": message.name,
        "model": message.model,
        "continues": message.continues.map(Seq::get),
        "tokens": message.tokens.get(),
        "parts": parts,
        "cut": shown.cut.map(|piece| json!({
            "from": piece.from,
            "to": piece.to,
            "of": piece.of,
        })),
    })
}

fn part_json(part: &Part, omitted_bytes: Option<u64>) -> Value {
    match part {
        Part::Text { text } => json!({"type": "text", "text": text}),
        Part::Reasoning { text, signature } => {
            json!({"type": "reasoning", "text": text, "signature": signature})
        }
        Part::ToolUse {
            call_id,
            name,
            arguments,
        } => json!({
            "type": "tool_use",
            "call_id": call_id,
            "name": name,
            "arguments": arguments,
        }),
        Part::ToolResult {
            call_id,
            content,
            is_error,
        } => json!({
            "type": "tool_result",
            "call_id": call_id,
            "content": omitted_bytes.is_none().then_some(content),
            "is_error": is_error,
            "omitted_bytes": omitted_bytes,
        }),
        Part::Media { uri, mime } => json!({"type": "media", "uri": uri, "mime": mime}),
        Part::Opaque { json } => json!({"type": "opaque", "json": json}),
    }
}

fn summary(shown: &ExpandedSummary) -> Value {
    let mut object = summary_json(&shown.summary);
    if let Some(fields) = object.as_object_mut() {
        fields.insert("conversation".to_owned(), shown.session.as_str().into());
        let children: Vec<Value> = match &shown.sources {
            Sources::Children(children) => children.iter().map(summary_json).collect(),
            Sources::Messages(_) => Vec::new(),
        };
        fields.insert("children".to_owned(), children.into());
    }
    object
}

fn summary_json(summary: &Summary) -> Value {
    let node = &summary.node;
    json!({
        "id": ItemId::Summary(node.id).to_string(),
        "depth": node.depth.get(),
        "first_seq": node.span.first().get(),
        "last_seq": node.span.last().get(),
        "from": time(node.from),
        "to": time(node.to),
        "tokens": node.tokens.get(),
        "origin": node.origin.as_str(),
        "model": summary.model,
        "body": summary.body,
    })
}

/// Names missing ids as they were asked for; several texts past 64 bits share one id.
fn missing(missing: &[ItemId], asked: &[AskedId]) -> Vec<String> {
    let mut written: BTreeMap<ItemId, Vec<&str>> = BTreeMap::new();
    let mut seen = HashSet::new();
    for asked in asked {
        let texts = written.entry(asked.id).or_default();
        if seen.insert(asked.text.as_str()) {
            texts.push(&asked.text);
        }
    }
    let named = missing.iter().flat_map(|id| match written.get(id) {
        Some(texts) => texts.iter().map(|text| (*text).to_owned()).collect(),
        None => vec![id.to_string()],
    });
    named.collect()
}

fn time(at: Option<Timestamp>) -> Option<String> {
    at.map(|at| at.to_string())
}
