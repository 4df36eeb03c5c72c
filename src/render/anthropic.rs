//! A view as the body of Anthropic's Messages interface. Owns that JSON.
//! May not decide who speaks when: `talk` does.

use serde::Serialize;
use serde_json::value::RawValue;

use super::body::Body;
use super::media::{self, PICTURES, Source};
use super::piece::{Call, Piece, kept, one_line, trim_end};
use super::talk::{Compactor, LateSystem, Rules, Thoughts, Turn, talk_of};
use crate::domain::{View, ViewItem};

pub use super::read::anthropic::read;

/// What this interface asks for. Its ids have no published limit; a gateway's is 64.
const RULES: Rules = Rules {
    longest_id: 64,
    late_system: LateSystem::AsUser,
    signed_reasoning: is_of_claude,
    thoughts: Thoughts::AmongWords,
    compactor: Some(Compactor {
        provider: "anthropic",
        made: is_of_claude,
    }),
};

/// Returns the body `{"system": […], "messages": […]}` of a view; `None` if nobody says anything in
/// it. Without a system prompt there is no `system`.
///
/// Speakers alternate and a user begins; each call's one result opens the message behind it. Later
/// system messages become texts of the user's under a label. Reasoning is kept where Anthropic
/// signed it and something follows it in its message; blanks at the end of the model's texts go,
/// since a body that ends with them is refused.
///
/// Where Anthropic compacts the conversation (the view says so), everything before the last block
/// of its own is left out, since it is ignored there: the talk begins with that block, byte for
/// byte, and the pins follow it. The request must then declare the edit that made the block. In
/// other views such blocks are left out.
#[must_use]
pub fn render(view: &View) -> Option<Body> {
    let talk = talk_of(view, &RULES)?;
    let mut messages: Vec<Message<'_>> = Vec::new();
    // The results that open the next message of the user's.
    let mut results: Vec<Block<'_>> = Vec::new();
    for turn in &talk.turns {
        match turn {
            Turn::User(pieces) | Turn::System(pieces) => {
                let mut content = std::mem::take(&mut results);
                content.extend(pieces.iter().map(user_block));
                messages.push(Message::User { content });
            }
            Turn::Assistant(pieces, calls) => {
                if !results.is_empty() {
                    let content = std::mem::take(&mut results);
                    messages.push(Message::User { content });
                }
                let said = pieces.iter().map(assistant_block);
                let content = said.chain(calls.iter().map(call_block)).collect();
                messages.push(Message::Assistant { content });
                results = calls.iter().map(result_block).collect();
            }
        }
    }
    if !results.is_empty() {
        messages.push(Message::User { content: results });
    }
    let system = talk.system.iter().map(text_block).collect();
    Some(Body::of(&Messages { system, messages }))
}

/// Says whether the reasoning of an item bears Anthropic's signature: its provider says so, or
/// nothing is known to say otherwise.
fn is_of_claude(item: &ViewItem) -> bool {
    match (&item.provider, &item.model) {
        (Some(provider), _) => provider == "anthropic",
        (None, Some(model)) => model.starts_with("claude"),
        (None, None) => true,
    }
}

#[derive(Serialize)]
struct Messages<'talk> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'talk>>,
    messages: Vec<Message<'talk>>,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Message<'talk> {
    User { content: Vec<Block<'talk>> },
    Assistant { content: Vec<Block<'talk>> },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'talk> {
    Text {
        text: String,
    },
    Thinking {
        thinking: &'talk str,
        signature: &'talk str,
    },
    RedactedThinking {
        data: &'talk str,
    },
    Image {
        source: BlockSource<'talk>,
    },
    Document {
        source: BlockSource<'talk>,
    },
    ToolUse {
        id: &'talk str,
        name: &'talk str,
        input: Box<RawValue>,
    },
    ToolResult {
        tool_use_id: &'talk str,
        content: &'talk str,
        #[serde(skip_serializing_if = "is_false")]
        is_error: bool,
    },
    #[serde(untagged)]
    Kept(Box<RawValue>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum BlockSource<'talk> {
    Base64 {
        media_type: String,
        data: &'talk str,
    },
    Url {
        url: &'talk str,
    },
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde gives fields by reference"
)]
fn is_false(value: &bool) -> bool {
    !value
}

fn user_block<'talk>(piece: &'talk Piece<'_>) -> Block<'talk> {
    if let Piece::Media { uri, mime, .. } = piece
        && let Some(block) = media::source(uri, mime).and_then(media_block)
    {
        return block;
    }
    text_block(piece)
}

fn media_block(source: Source<'_>) -> Option<Block<'_>> {
    let mime = source.mime();
    let is_picture = match &source {
        Source::Base64 { .. } => PICTURES.contains(&mime),
        Source::Link { .. } => mime.starts_with("image/"),
    };
    let is_document = mime == "application/pdf";
    let source = match source {
        Source::Base64 { mime, data } => BlockSource::Base64 {
            media_type: mime,
            data,
        },
        Source::Link { url, .. } => BlockSource::Url { url },
    };
    match (is_picture, is_document) {
        (true, _) => Some(Block::Image { source }),
        (_, true) => Some(Block::Document { source }),
        _ => None,
    }
}

fn text_block<'talk>(piece: &Piece<'_>) -> Block<'talk> {
    let text = match piece {
        Piece::Text(text) => text.to_string(),
        Piece::Media { uri, mime, of } => media::line(uri, mime, *of),
        // Only the model thinks.
        Piece::Signed { text, .. } => (*text).to_owned(),
        Piece::Redacted(data) => data.clone(),
        Piece::Refusal(words) => trim_end(words).to_owned(),
        Piece::Kept(json) => (*json).to_owned(),
    };
    Block::Text { text }
}

fn assistant_block<'talk>(piece: &'talk Piece<'_>) -> Block<'talk> {
    match piece {
        Piece::Signed { text, signature } => Block::Thinking {
            thinking: text,
            signature,
        },
        Piece::Redacted(data) => Block::RedactedThinking { data },
        Piece::Text(text) => Block::Text {
            text: trim_end(text).to_owned(),
        },
        Piece::Kept(json) => kept(json).map_or_else(|| text_block(piece), Block::Kept),
        Piece::Media { .. } | Piece::Refusal(_) => text_block(piece),
    }
}

fn call_block<'talk>(call: &'talk Call<'_>) -> Block<'talk> {
    #[expect(
        clippy::expect_used,
        reason = "the arguments of a call in a talk are a JSON object"
    )]
    let input = RawValue::from_string(one_line(&call.arguments)).expect("JSON");
    Block::ToolUse {
        id: &call.id,
        name: &call.name,
        input,
    }
}

fn result_block<'talk>(call: &'talk Call<'_>) -> Block<'talk> {
    Block::ToolResult {
        tool_use_id: &call.id,
        content: call.result.content,
        is_error: call.result.is_error,
    }
}
