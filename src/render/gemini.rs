//! A view as the contents of Gemini's `generateContent`. Owns that JSON.
//! May not decide who speaks when: `talk` does.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::body::Body;
use super::media::{self, Source};
use super::piece::{Call, Piece, kept, one_line};
use super::talk::{LateSystem, Rules, Thoughts, Turn, talk_of};
use crate::domain::{View, ViewItem};

pub use super::read::gemini::read;

/// What this interface asks for. Its ids have no published limit; 64 is what others take.
const RULES: Rules = Rules {
    longest_id: 64,
    late_system: LateSystem::AsUser,
    signed_reasoning: is_of_gemini,
    thoughts: Thoughts::BeforeItsCall,
    compactor: None,
};

/// Returns the body `{"systemInstruction": …, "contents": […]}` of a view; `None` if nobody says
/// anything in it. Without a system prompt there is no `systemInstruction`.
///
/// Speakers alternate and a user begins; the calls of a turn stand behind its words in one content,
/// and their responses, as many and in the same order, are the next content, alone: what the user
/// says then is a content of its own. A result is `{"output": …}`, a failed one `{"error": …}`.
/// Later system messages become texts of the user's under a label. A thought signature is kept
/// where Gemini made it, on the part that it came with. A model that insists on signatures refuses
/// the calls of other models in the newest turn; a host that changes models there can set the
/// placeholder that Google documents.
#[must_use]
pub fn render(view: &View) -> Option<Body> {
    let talk = talk_of(view, &RULES)?;
    let mut contents = Vec::new();
    for turn in &talk.turns {
        match turn {
            Turn::User(pieces) | Turn::System(pieces) => contents.push(Content {
                role: "user",
                parts: pieces.iter().map(user_part).collect(),
            }),
            Turn::Assistant(pieces, calls) => {
                contents.push(Content {
                    role: "model",
                    parts: model_parts(pieces, calls),
                });
                if !calls.is_empty() {
                    contents.push(Content {
                        role: "user",
                        parts: calls.iter().map(response_part).collect(),
                    });
                }
            }
        }
    }
    let system_instruction = (!talk.system.is_empty()).then(|| Instruction {
        parts: talk.system.iter().map(text_part).collect(),
    });
    Some(Body::of(&Request {
        system_instruction,
        contents,
    }))
}

/// Says whether Gemini signed the reasoning of an item. Where nothing is known of it the answer is
/// no: what another provider signed is refused.
fn is_of_gemini(item: &ViewItem) -> bool {
    match (&item.provider, &item.model) {
        (Some(provider), _) => provider == "google" || provider == "gemini",
        (None, Some(model)) => model.starts_with("gemini"),
        (None, None) => false,
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'talk> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Instruction<'talk>>,
    contents: Vec<Content<'talk>>,
}

#[derive(Serialize)]
struct Instruction<'talk> {
    parts: Vec<Part<'talk>>,
}

#[derive(Serialize)]
struct Content<'talk> {
    role: &'static str,
    parts: Vec<Part<'talk>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Part<'talk> {
    #[serde(rename_all = "camelCase")]
    Made {
        #[serde(flatten)]
        data: Data<'talk>,
        #[serde(skip_serializing_if = "Option::is_none")]
        thought: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        thought_signature: Option<&'talk str>,
    },
    Kept(Box<RawValue>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Data<'talk> {
    Text(Cow<'talk, str>),
    InlineData(InlineData<'talk>),
    FileData(FileData<'talk>),
    FunctionCall(FunctionCall<'talk>),
    FunctionResponse(FunctionResponse<'talk>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InlineData<'talk> {
    mime_type: String,
    data: &'talk str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileData<'talk> {
    mime_type: String,
    file_uri: &'talk str,
}

#[derive(Serialize)]
struct FunctionCall<'talk> {
    id: &'talk str,
    name: Cow<'talk, str>,
    args: Box<RawValue>,
}

#[derive(Serialize)]
struct FunctionResponse<'talk> {
    id: &'talk str,
    name: Cow<'talk, str>,
    response: Response<'talk>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Response<'talk> {
    Output(&'talk str),
    Error(&'talk str),
}

impl<'talk> From<Data<'talk>> for Part<'talk> {
    fn from(data: Data<'talk>) -> Self {
        Self::Made {
            data,
            thought: None,
            thought_signature: None,
        }
    }
}

/// Returns what the model says and calls. A signature without words stands on the part behind it.
fn model_parts<'talk>(pieces: &'talk [Piece<'_>], calls: &'talk [Call<'_>]) -> Vec<Part<'talk>> {
    let mut parts = Vec::new();
    let mut waiting = None;
    for piece in pieces {
        push_piece(&mut parts, &mut waiting, piece);
    }
    for call in calls {
        for thought in &call.thoughts {
            push_piece(&mut parts, &mut waiting, thought);
        }
        parts.push(signed(call_data(call), waiting.take()));
    }
    parts
}

fn push_piece<'talk>(
    parts: &mut Vec<Part<'talk>>,
    waiting: &mut Option<&'talk str>,
    piece: &'talk Piece<'_>,
) {
    let Piece::Signed { text, signature } = piece else {
        parts.push(signed(Data::Text(words(piece)), waiting.take()));
        return;
    };
    if is_signed_part(signature) {
        parts.extend(kept(signature).map(Part::Kept));
    } else if !is_bytes(signature) {
        // No signature of Gemini's: it would be refused.
    } else if text.is_empty() {
        // A part bears one signature: the one before stands alone.
        let before = waiting.replace(signature);
        parts.extend(before.map(|before| signed(Data::Text(Cow::Borrowed("")), Some(before))));
    } else {
        parts.push(Part::Made {
            data: Data::Text(Cow::Borrowed(text)),
            thought: Some(true),
            thought_signature: Some(signature),
        });
    }
}

fn signed<'talk>(data: Data<'talk>, signature: Option<&'talk str>) -> Part<'talk> {
    Part::Made {
        data,
        thought: None,
        thought_signature: signature,
    }
}

/// Says whether a signature is a whole part: one that holds nothing but words and its signature.
pub(super) fn is_signed_part(signature: &str) -> bool {
    const FIELDS: [&str; 3] = ["text", "thought", "thoughtSignature"];
    if !signature.starts_with('{') {
        return false;
    }
    let part = serde_json::from_str::<Map<String, Value>>(signature).unwrap_or_default();
    let text = |name: &str| part.get(name).and_then(Value::as_str);
    part.keys().all(|name| FIELDS.contains(&name.as_str()))
        && text("thoughtSignature").is_some_and(is_bytes)
        && part.get("text").is_none_or(Value::is_string)
        && part.get("thought").is_none_or(Value::is_boolean)
}

/// Says whether a text is bytes as Google reads them: base64 of either alphabet.
pub(super) fn is_bytes(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte);
    let n_padding = text.len() - digits.len();
    let is_whole = match digits.len() % 4 {
        0 => n_padding == 0,
        2 => n_padding == 0 || n_padding == 2,
        3 => n_padding <= 1,
        _ => false,
    };
    !digits.is_empty() && is_whole && digits.bytes().all(is_digit)
}

fn user_part<'talk>(piece: &'talk Piece<'_>) -> Part<'talk> {
    if let Piece::Media { uri, mime, .. } = piece
        && let Some(data) = media::source(uri, mime).and_then(media_data)
    {
        return data.into();
    }
    text_part(piece)
}

fn text_part<'talk>(piece: &'talk Piece<'_>) -> Part<'talk> {
    Data::Text(words(piece)).into()
}

/// The media that Gemini reads.
const MEDIA: [&str; 22] = [
    "image/png",
    "image/jpeg",
    "image/webp",
    "image/heic",
    "image/heif",
    "application/pdf",
    "audio/wav",
    "audio/x-wav",
    "audio/mpeg",
    "audio/mp3",
    "audio/aiff",
    "audio/aac",
    "audio/ogg",
    "audio/flac",
    "video/mp4",
    "video/mpeg",
    "video/quicktime",
    "video/x-flv",
    "video/mpg",
    "video/webm",
    "video/wmv",
    "video/3gpp",
];

fn media_data(source: Source<'_>) -> Option<Data<'_>> {
    if !MEDIA.contains(&source.mime()) {
        return None;
    }
    Some(match source {
        Source::Base64 { mime, data } => Data::InlineData(InlineData {
            mime_type: mime,
            data,
        }),
        Source::Link { mime, url } => Data::FileData(FileData {
            mime_type: mime,
            file_uri: url,
        }),
    })
}

fn call_data<'talk>(call: &'talk Call<'_>) -> Data<'talk> {
    #[expect(
        clippy::expect_used,
        reason = "the arguments of a call in a talk are a JSON object"
    )]
    let args = RawValue::from_string(one_line(&call.arguments)).expect("JSON");
    Data::FunctionCall(FunctionCall {
        id: &call.id,
        name: function_name(&call.name),
        args,
    })
}

fn response_part<'talk>(call: &'talk Call<'_>) -> Part<'talk> {
    let content = call.result.content;
    Data::FunctionResponse(FunctionResponse {
        id: &call.id,
        name: function_name(&call.name),
        response: if call.result.is_error {
            Response::Error(content)
        } else {
            Response::Output(content)
        },
    })
    .into()
}

/// Returns a function's name as this interface takes it: it begins with a letter or `_`.
fn function_name(name: &str) -> Cow<'_, str> {
    if name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        return Cow::Borrowed(name);
    }
    Cow::Owned(format!("_{name}").chars().take(64).collect())
}

fn words<'talk>(piece: &'talk Piece<'_>) -> Cow<'talk, str> {
    match piece {
        Piece::Text(text) => Cow::Borrowed(text),
        Piece::Refusal(words) => Cow::Borrowed(words),
        Piece::Media { uri, mime, of } => Cow::Owned(media::line(uri, mime, *of)),
        // Only the model thinks, and no block of this interface is kept.
        Piece::Signed { .. } | Piece::Redacted(_) | Piece::Kept(_) => Cow::Borrowed(""),
    }
}
