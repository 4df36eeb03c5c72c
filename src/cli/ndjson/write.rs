//! Stored rows as lines that `append` reads back. Owns that nothing of a row is lost on the way.
//! May not say what goes without saying: a line has the keys it needs.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::cli::paint::{escape_json, push};
use crate::domain::{HistoryRow, Part, Replay, Role, Seq, Timestamp, Visibility};
use crate::tools::{REPLAYS, read_block};

/// Writes the rows of one conversation, old to new.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    stands: Stands,
    first_prompt: Option<Seq>,
}

/// Where the next row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Stands {
    /// Nothing visible stands before it, so that a system message is a prompt by the usual rules.
    #[default]
    BeforeTalk,
    /// Somewhere in the talk.
    InTalk,
}

impl Lines {
    /// Returns a row as one JSON object without a line break.
    pub(crate) fn line(&mut self, row: &HistoryRow) -> String {
        let message = &row.message;
        let mut line = format!("{{\"role\":\"{}\",\"content\":", message.role);
        push_content(&mut line, &message.parts);
        if let Some(at) = message.at {
            push_field(&mut line, "time", &time_text(at));
        }
        let texts = [
            ("name", &message.name),
            ("model", &message.model),
            ("provider", &message.provider),
            ("key", &row.key),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                push_field(&mut line, name, text);
            }
        }
        if message.visibility == Visibility::Meta {
            line.push_str(",\"meta\":true");
        }
        if let Some(replay) = self.replay(row) {
            let word = REPLAYS.iter().find(|(_, known)| *known == replay);
            push_field(
                &mut line,
                "replay",
                word.map_or("message", |(word, _)| word),
            );
        }
        if message.visibility == Visibility::Talk {
            self.stands = Stands::InTalk;
        }
        line.push('}');
        escape_json(&line)
    }

    /// Says how the row stood, where `append` would place it otherwise.
    fn replay(&mut self, row: &HistoryRow) -> Option<Replay> {
        let message = &row.message;
        let usual = match message.at {
            Some(_) => None,
            None => Some(Replay::Message),
        };
        match message.visibility {
            Visibility::Talk if message.continues.is_some() => Some(Replay::Continuation),
            Visibility::Talk | Visibility::Meta => usual,
            Visibility::Prompt => {
                let first = row.prompt_first.unwrap_or(message.seq);
                let is_of_first = *self.first_prompt.get_or_insert(first) == first;
                let is_leading = self.stands == Stands::BeforeTalk
                    && message.role == Role::System
                    && is_of_first;
                if is_leading {
                    usual
                } else if first == message.seq {
                    Some(Replay::Prompt)
                } else {
                    Some(Replay::PromptContinuation)
                }
            }
        }
    }

    /// Begins in the middle of a conversation.
    pub(crate) fn from_the_middle() -> Self {
        Self {
            stands: Stands::InTalk,
            first_prompt: None,
        }
    }
}

fn time_text(at: Timestamp) -> String {
    let text = at.to_string();
    match Timestamp::parse(&text) {
        Ok(read) if read == at => text,
        _ => format!("{} ms", at.millis()),
    }
}

/// Writes one text as a text, all else as blocks.
fn push_content(line: &mut String, parts: &[Part]) {
    if let [Part::Text { text }] = parts {
        line.push_str(&quoted(text));
        return;
    }
    line.push('[');
    for (part_idx, part) in parts.iter().enumerate() {
        if part_idx > 0 {
            line.push(',');
        }
        push_part(line, part);
    }
    line.push(']');
}

fn push_part(line: &mut String, part: &Part) {
    let (kind, texts): (&str, Vec<(&str, &str)>) = match part {
        Part::Text { text } => ("text", vec![("text", text)]),
        Part::Reasoning { text, signature } => {
            let signature = signature.as_deref().map(|text| ("signature", text));
            let texts = [("text", text.as_str())].into_iter().chain(signature);
            ("reasoning", texts.collect())
        }
        Part::ToolUse {
            call_id,
            name,
            arguments,
        } => (
            "tool_use",
            vec![
                ("call_id", call_id),
                ("name", name),
                ("arguments", arguments),
            ],
        ),
        Part::ToolResult {
            call_id, content, ..
        } => (
            "tool_result",
            vec![("call_id", call_id), ("content", content)],
        ),
        Part::Media { uri, mime } => ("media", vec![("uri", uri), ("mime", mime)]),
        Part::Opaque { json } if is_read_back(json) => {
            line.push_str(json);
            return;
        }
        Part::Opaque { json } => ("opaque", vec![("json", json)]),
    };
    push!(line, "{{\"type\":\"{kind}\"");
    for (name, text) in texts {
        push_field(line, name, text);
    }
    if matches!(part, Part::ToolResult { is_error: true, .. }) {
        line.push_str(",\"is_error\":true");
    }
    line.push('}');
}

/// Says whether a block of another kind can stand in the line as it is.
fn is_read_back(json: &str) -> bool {
    if json.contains(['\n', '\r']) || escape_json(json) != json {
        return false;
    }
    let Ok(raw) = RawValue::from_string(json.to_owned()) else {
        return false;
    };
    matches!(read_block(&raw), Ok(Part::Opaque { json: read }) if read == json)
}

fn push_field(line: &mut String, name: &str, text: &str) {
    push!(line, ",\"{name}\":{}", quoted(text));
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
