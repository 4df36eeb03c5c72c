//! A view as the messages of `OpenAI`'s Chat Completions. Owns that JSON.
//! May not decide who speaks when: `talk` does.

use serde::Serialize;

use super::body::Body;
use super::media::{self, PICTURES, Source};
use super::piece::{Call, Piece};
use super::talk::{LateSystem, Rules, Thoughts, Turn, talk_of};
use crate::domain::View;

pub use super::read::openai_chat::read;

/// What this interface asks for. Its ids have at most 40 characters.
const RULES: Rules = Rules {
    longest_id: 40,
    late_system: LateSystem::InPlace,
    signed_reasoning: |_| false,
    thoughts: Thoughts::AmongWords,
    // Its compactions belong to the Responses interface: here they have no place.
    compactor: None,
};

/// Returns the body `{"messages": […]}` of a view; `None` if nobody says anything in it.
///
/// The system prompt is the first message. Speakers alternate and a user begins; each call is
/// followed by its one `tool` message. Text is a string, texts of one turn parted by an empty line;
/// a turn with a picture, a PDF or a sound is a list of parts. There is no place for reasoning. A
/// failed result begins with a line `[failed]`, since there is no other mark for it. Summaries that
/// a provider made on its side are left out: what they stand for is shown as far as it fits.
#[must_use]
pub fn render(view: &View) -> Option<Body> {
    let talk = talk_of(view, &RULES)?;
    let mut messages = Vec::new();
    if !talk.system.is_empty() {
        messages.push(Message::System {
            content: words(&talk.system),
        });
    }
    for turn in &talk.turns {
        match turn {
            Turn::System(pieces) => messages.push(Message::System {
                content: words(pieces),
            }),
            Turn::User(pieces) => messages.push(Message::User {
                content: content(pieces),
            }),
            Turn::Assistant(pieces, calls) => {
                messages.push(Message::Assistant {
                    content: (!pieces.is_empty()).then(|| words(pieces)),
                    tool_calls: calls.iter().map(ToolCall::of).collect(),
                });
                messages.extend(calls.iter().map(tool_message));
            }
        }
    }
    Some(Body::of(&Messages { messages }))
}

#[derive(Serialize)]
struct Messages<'view> {
    messages: Vec<Message<'view>>,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Message<'view> {
    System {
        content: String,
    },
    User {
        content: Content<'view>,
    },
    Assistant {
        content: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall<'view>>,
    },
    Tool {
        tool_call_id: &'view str,
        content: String,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'view> {
    Text(String),
    Parts(Vec<ContentPart<'view>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ContentPart<'view> {
    Text { text: String },
    ImageUrl { image_url: ImageUrl },
    InputAudio { input_audio: Audio<'view> },
    File { file: File },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

#[derive(Serialize)]
struct Audio<'view> {
    data: &'view str,
    format: &'static str,
}

#[derive(Serialize)]
struct File {
    filename: &'static str,
    file_data: String,
}

#[derive(Serialize)]
struct ToolCall<'view> {
    id: &'view str,
    r#type: &'static str,
    function: Function<'view>,
}

#[derive(Serialize)]
struct Function<'view> {
    name: &'view str,
    arguments: &'view str,
}

impl<'view> ToolCall<'view> {
    fn of(call: &'view Call<'_>) -> Self {
        Self {
            id: &call.id,
            r#type: "function",
            function: Function {
                name: &call.name,
                arguments: &call.arguments,
            },
        }
    }
}

fn tool_message<'view>(call: &'view Call<'_>) -> Message<'view> {
    Message::Tool {
        tool_call_id: &call.id,
        content: call.result.marked().into_owned(),
    }
}

/// Returns what a user says: a string if it is all words.
fn content<'view>(pieces: &[Piece<'view>]) -> Content<'view> {
    let parts: Vec<ContentPart<'_>> = pieces.iter().map(part).collect();
    let texts: Option<Vec<&str>> = parts
        .iter()
        .map(|part| match part {
            ContentPart::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    match texts {
        Some(texts) => Content::Text(texts.join(BETWEEN)),
        None => Content::Parts(parts),
    }
}

fn part<'view>(piece: &Piece<'view>) -> ContentPart<'view> {
    if let Piece::Media { uri, mime, .. } = piece
        && let Some(part) = media::source(uri, mime).and_then(media_part)
    {
        return part;
    }
    ContentPart::Text { text: word(piece) }
}

fn media_part(source: Source<'_>) -> Option<ContentPart<'_>> {
    match source {
        Source::Base64 { mime, data } => match mime.as_str() {
            mime if PICTURES.contains(&mime) => Some(ContentPart::ImageUrl {
                image_url: ImageUrl {
                    url: format!("data:{mime};base64,{data}"),
                },
            }),
            "audio/wav" | "audio/x-wav" => Some(audio(data, "wav")),
            "audio/mpeg" | "audio/mp3" => Some(audio(data, "mp3")),
            "application/pdf" => Some(ContentPart::File {
                file: File {
                    filename: "document.pdf",
                    file_data: format!("data:{mime};base64,{data}"),
                },
            }),
            _ => None,
        },
        Source::Link { mime, url } => mime.starts_with("image/").then(|| ContentPart::ImageUrl {
            image_url: ImageUrl {
                url: url.to_owned(),
            },
        }),
    }
}

fn audio<'view>(data: &'view str, format: &'static str) -> ContentPart<'view> {
    ContentPart::InputAudio {
        input_audio: Audio { data, format },
    }
}

/// What parts two texts of one turn.
const BETWEEN: &str = "\n\n";

/// Returns pieces as one text.
fn words(pieces: &[Piece<'_>]) -> String {
    let words: Vec<String> = pieces.iter().map(word).collect();
    words.join(BETWEEN)
}

fn word(piece: &Piece<'_>) -> String {
    match piece {
        Piece::Text(text) => text.to_string(),
        Piece::Refusal(words) => words.clone(),
        Piece::Media { uri, mime, of } => media::line(uri, mime, *of),
        // No reasoning is signed by this interface, and no block of it is kept.
        Piece::Signed { .. } | Piece::Redacted(_) | Piece::Kept(_) => String::new(),
    }
}
