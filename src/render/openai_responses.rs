//! A view as the input of `OpenAI`'s Responses interface. Owns that JSON.
//! May not decide who speaks when: `talk` does.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::body::Body;
use super::media::{self, PICTURES, Source};
use super::piece::{Call, Piece, kept};
use super::talk::{Compactor, LateSystem, Rules, Thoughts, Turn, talk_of};
use crate::domain::{View, ViewItem};

pub use super::read::openai_responses::read;

/// What this interface asks for. Its ids have at most 64 characters.
const RULES: Rules = Rules {
    longest_id: 64,
    late_system: LateSystem::InPlace,
    signed_reasoning: is_of_openai,
    thoughts: Thoughts::BeforeItsCall,
    compactor: Some(Compactor {
        provider: "openai",
        made: is_of_openai,
    }),
};

/// Returns the body `{"instructions": …, "input": […]}` of a view; `None` if nobody says anything in
/// it. Without a system prompt there are no `instructions`.
///
/// Speakers alternate and a user begins. The calls of a turn follow its words, and behind all of
/// them stand their results, one for each. A failed result begins with a line `[failed]`, since
/// there is no other mark for it. Reasoning is kept where `OpenAI` encrypted it: its item stands
/// right before the message or the call that it led to, as it came where it was stored so.
///
/// Items bear no ids of their own but for such reasoning, so the body does not rest on what the
/// provider has stored: send it with `store: false` and
/// `include: ["reasoning.encrypted_content"]`, or with `store: true` as a new beginning.
///
/// Where `OpenAI` compacts the conversation (the view says so), everything before the last item of
/// its own is left out: the talk begins with that item, byte for byte, and the pins follow it. In
/// other views such items are left out.
#[must_use]
pub fn render(view: &View) -> Option<Body> {
    let talk = talk_of(view, &RULES)?;
    let mut input = Vec::new();
    for turn in &talk.turns {
        match turn {
            Turn::System(pieces) => input.push(Item::message("system", pieces, words)),
            Turn::User(pieces) => input.push(Item::message("user", pieces, user_content)),
            Turn::Assistant(pieces, calls) => {
                push_words(&mut input, pieces);
                for call in calls {
                    input.extend(call.thoughts.iter().filter_map(thought));
                    input.push(Item::of_call(call));
                }
                input.extend(calls.iter().map(Item::of_result));
            }
        }
    }
    let prompt: Vec<String> = talk.system.iter().map(word).collect();
    let instructions = (!prompt.is_empty()).then(|| prompt.join("\n\n"));
    Some(Body::of(&Request {
        instructions,
        input,
    }))
}

/// Says whether `OpenAI` encrypted the reasoning of an item. Where nothing is known of it the
/// answer is no: what another provider signed is refused.
fn is_of_openai(item: &ViewItem) -> bool {
    const MODELS: [&str; 6] = ["gpt-", "codex", "o1", "o3", "o4", "chatgpt"];
    match (&item.provider, &item.model) {
        (Some(provider), _) => provider == "openai",
        (None, Some(model)) => MODELS.iter().any(|family| model.starts_with(family)),
        (None, None) => false,
    }
}

#[derive(Serialize)]
struct Request<'talk> {
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
    input: Vec<Item<'talk>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item<'talk> {
    Message {
        role: &'static str,
        content: Vec<Content<'talk>>,
    },
    Reasoning {
        summary: Vec<Summary<'talk>>,
        encrypted_content: &'talk str,
    },
    FunctionCall {
        call_id: &'talk str,
        name: &'talk str,
        arguments: &'talk str,
    },
    FunctionCallOutput {
        call_id: &'talk str,
        output: Cow<'talk, str>,
    },
    #[serde(untagged)]
    Kept(Box<RawValue>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "summary_text")]
struct Summary<'talk> {
    text: &'talk str,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Content<'talk> {
    InputText {
        text: String,
    },
    InputImage {
        image_url: String,
    },
    InputFile {
        #[serde(flatten)]
        file: File<'talk>,
    },
    OutputText {
        text: String,
    },
    Refusal {
        refusal: &'talk str,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum File<'talk> {
    Inline {
        filename: &'static str,
        file_data: String,
    },
    Link {
        file_url: &'talk str,
    },
}

impl<'talk> Item<'talk> {
    fn message<'piece>(
        role: &'static str,
        pieces: &'talk [Piece<'piece>],
        content: fn(&'talk Piece<'piece>) -> Content<'talk>,
    ) -> Self {
        Self::Message {
            role,
            content: pieces.iter().map(content).collect(),
        }
    }

    fn of_call(call: &'talk Call<'_>) -> Self {
        Self::FunctionCall {
            call_id: &call.id,
            name: &call.name,
            arguments: &call.arguments,
        }
    }

    fn of_result(call: &'talk Call<'_>) -> Self {
        Self::FunctionCallOutput {
            call_id: &call.id,
            output: call.result.marked(),
        }
    }
}

/// Adds what the model says: words in a row are one message, and each thought is an item of its own.
fn push_words<'talk>(input: &mut Vec<Item<'talk>>, pieces: &'talk [Piece<'_>]) {
    let mut content = Vec::new();
    for piece in pieces {
        let own = match piece {
            Piece::Signed { .. } => thought(piece),
            Piece::Kept(json) => kept(json).map(Item::Kept),
            _ => {
                content.push(said(piece));
                continue;
            }
        };
        if !content.is_empty() {
            input.push(Item::Message {
                role: "assistant",
                content: std::mem::take(&mut content),
            });
        }
        input.extend(own);
    }
    if !content.is_empty() {
        input.push(Item::Message {
            role: "assistant",
            content,
        });
    }
}

/// Returns reasoning as an item: as it came, where the signature is the whole item.
fn thought<'talk>(piece: &'talk Piece<'_>) -> Option<Item<'talk>> {
    let Piece::Signed { text, signature } = piece else {
        return None;
    };
    if is_reasoning(signature) {
        return kept(signature).map(Item::Kept);
    }
    // What begins as JSON is no encrypted content: an item that rests on the provider's store.
    if signature.starts_with('{') {
        return None;
    }
    let summary = if text.is_empty() {
        Vec::new()
    } else {
        vec![Summary { text }]
    };
    Some(Item::Reasoning {
        summary,
        encrypted_content: signature,
    })
}

/// Says whether a signature is a whole reasoning item that the provider can read without its store.
pub(super) fn is_reasoning(signature: &str) -> bool {
    if !signature.starts_with('{') {
        return false;
    }
    let item = serde_json::from_str::<Value>(signature).unwrap_or_default();
    let encrypted = item.get("encrypted_content").and_then(Value::as_str);
    item.get("type").is_some_and(|kind| kind == "reasoning")
        && item.get("summary").is_some_and(Value::is_array)
        && encrypted.is_some_and(|encrypted| !encrypted.is_empty())
}

fn user_content<'talk>(piece: &'talk Piece<'_>) -> Content<'talk> {
    if let Piece::Media { uri, mime, .. } = piece
        && let Some(content) = media::source(uri, mime).and_then(media_content)
    {
        return content;
    }
    words(piece)
}

fn media_content(source: Source<'_>) -> Option<Content<'_>> {
    const PDF: &str = "application/pdf";
    let file = |file| Some(Content::InputFile { file });
    match source {
        Source::Base64 { mime, data } if PICTURES.contains(&mime.as_str()) => {
            Some(Content::InputImage {
                image_url: format!("data:{mime};base64,{data}"),
            })
        }
        Source::Base64 { mime, data } if mime == PDF => file(File::Inline {
            filename: "document.pdf",
            file_data: format!("data:{mime};base64,{data}"),
        }),
        Source::Link { mime, url } if mime.starts_with("image/") => Some(Content::InputImage {
            image_url: url.to_owned(),
        }),
        Source::Link { mime, url } if mime == PDF => file(File::Link { file_url: url }),
        Source::Base64 { .. } | Source::Link { .. } => None,
    }
}

fn words<'talk>(piece: &Piece<'_>) -> Content<'talk> {
    Content::InputText { text: word(piece) }
}

fn said<'talk>(piece: &'talk Piece<'_>) -> Content<'talk> {
    match piece {
        Piece::Refusal(words) => Content::Refusal { refusal: words },
        _ => Content::OutputText { text: word(piece) },
    }
}

fn word(piece: &Piece<'_>) -> String {
    match piece {
        Piece::Text(text) => text.to_string(),
        Piece::Refusal(words) => words.clone(),
        Piece::Media { uri, mime, of } => media::line(uri, mime, *of),
        // Only the model thinks, and what is kept is an item of its own.
        Piece::Signed { .. } | Piece::Redacted(_) | Piece::Kept(_) => String::new(),
    }
}
