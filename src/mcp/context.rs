//! What a host asks through MCP before each call of its model: the view. Owns the tool's arguments,
//! its formats and its answer.
//! May not choose what a view shows.

use serde_json::{Value, json};

use crate::domain::{SessionKey, Tokens, View};
use crate::engine::{Engine, EngineError, ViewBudget};
use crate::render::{self, Body};
use crate::tools::output::{count, flag, list, object, or_null, text};
use crate::tools::{ToolError, ToolSchema, read_arguments, view_answer};

/// The name of the tool.
pub(super) const NAME: &str = "context";

const DESCRIPTION: &str = "\
For hosts: returns what the model should see now, within the budget, and changes nothing. Send request \
to the provider of that format, with your model, tools and options beside it. In text form request is a \
text for people.

Examples:
{\"format\": \"openai-chat\"}
{\"format\": \"anthropic\", \"budget\": 8000}

The answer has tokens, budget, fits, excess (by how much it does not fit), items, left_out, request (null \
if nobody says anything) and warnings. It stands in the text of the result too, where long numbers keep \
every digit.";

/// How a view becomes a body.
type Render = fn(&View) -> Option<Body>;

/// The formats of providers. A new one is one line here.
const FORMATS: [(&str, Render); 4] = [
    ("openai-chat", render::openai_chat::render),
    ("openai-responses", render::openai_responses::render),
    ("anthropic", render::anthropic::render),
    ("gemini", render::gemini::render),
];

/// The format for people.
const TEXT: &str = "text";

/// Returns the tool as it is listed.
pub(super) fn schema() -> ToolSchema {
    let parameters = json!({
        "type": "object",
        "properties": {
            "budget": {
                "type": "integer",
                "minimum": 1,
                "description": "Tokens that the view may take. Default: the conversation's window.",
            },
            "format": {
                "type": "string",
                "enum": words(),
                "description": "Whose request it becomes. Default text.",
            },
        },
        "additionalProperties": false,
    });
    ToolSchema::new(NAME, DESCRIPTION, parameters)
}

fn words() -> Vec<&'static str> {
    let providers = FORMATS.into_iter().map(|(word, _)| word);
    std::iter::once(TEXT).chain(providers).collect()
}

/// Returns the schema of the answer.
pub(super) fn output() -> Value {
    let item = object(&[
        (
            "kind",
            text("system, pins, summary, request, message or gap."),
        ),
        ("id", or_null(&text("For short_expand."))),
        ("depth", or_null(&count("Of a summary."))),
        ("first_seq", or_null(&count("The first message."))),
        ("last_seq", or_null(&count("The last message."))),
        ("tokens", count("What it takes.")),
    ]);
    let left_out = object(&[
        ("kind", text("What it is.")),
        ("id", or_null(&text("Its id."))),
        ("first_seq", or_null(&count("The first message."))),
        ("last_seq", or_null(&count("The last message."))),
        ("tokens", count("What it would have taken.")),
    ]);
    let body = json!({"type": "object", "properties": {}});
    object(&[
        ("tokens", count("Of the whole view.")),
        ("budget", count("What it may take.")),
        ("fits", flag("Whether what must be shown fits.")),
        ("excess", or_null(&count("By how much it does not."))),
        ("items", list(&item)),
        ("left_out", list(&left_out)),
        (
            "request",
            json!({"anyOf": [text("For people."), body, {"type": "null"}]}),
        ),
        ("warnings", list(&text("What is odd, but no error."))),
    ])
}

/// A view's answer, twice: the text keeps what a JSON value would round.
pub(super) struct ContextAnswer {
    pub(super) json: Value,
    pub(super) text: String,
}

/// What it means that nothing is stored under a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unstored {
    /// The conversation is new.
    New,
    /// The key may be wrong.
    Unknown,
}

/// Returns the view.
///
/// # Errors
/// `Argument` for a budget or a format that is none; else what the engine says.
pub(super) async fn context(
    engine: &Engine,
    session: &SessionKey,
    unstored: Unstored,
    arguments: Value,
) -> Result<ContextAnswer, ToolError> {
    let mut fields = read_arguments(NAME, &["budget", "format"], arguments)?;
    let budget = match fields.count("budget")? {
        Some(tokens) => ViewBudget::Of(Tokens::new(tokens)),
        None => ViewBudget::Configured,
    };
    let render = fields.parsed("format", read_format)?.unwrap_or_default();
    let view = match engine.view(session, budget).await {
        Err(EngineError::UnknownSession { .. }) if unstored == Unstored::New => {
            let json = view_answer(&nothing_within(engine, budget), None);
            let text = json.to_string();
            return Ok(ContextAnswer { json, text });
        }
        view => view?,
    };
    let body = match render {
        Format::Text => {
            let json = view_answer(&view, Some(&render::text::render(&view)));
            let text = json.to_string();
            return Ok(ContextAnswer { json, text });
        }
        Format::Body(render) => render(&view),
    };
    let mut json = view_answer(&view, None);
    let text = with_request(&json, body.as_ref());
    if let (Some(body), Some(fields)) = (&body, json.as_object_mut()) {
        // A body is JSON; what a value cannot hold exactly stands in the text.
        let request = serde_json::from_str(body.as_str()).unwrap_or_default();
        fields.insert("request".to_owned(), request);
    }
    Ok(ContextAnswer { json, text })
}

/// Returns the view of a conversation in which nothing has been said.
fn nothing_within(engine: &Engine, budget: ViewBudget) -> View {
    let budget = match budget {
        ViewBudget::Of(tokens) => tokens,
        ViewBudget::Configured => engine.window().budget(),
    };
    View {
        tokens: Tokens::ZERO,
        budget,
        fits: true,
        excess: None,
        items: Vec::new(),
        left_out: Vec::new(),
        pins_left_out: Vec::new(),
        warnings: Vec::new(),
        version: None,
        managed_by: None,
    }
}

#[derive(Default)]
enum Format {
    #[default]
    Text,
    Body(Render),
}

fn read_format(word: &str) -> Result<Format, String> {
    if word == TEXT {
        return Ok(Format::Text);
    }
    let known = FORMATS.into_iter().find(|(known, _)| *known == word);
    known
        .map(|(_, render)| Format::Body(render))
        .ok_or_else(|| {
            format!(
                "`{word}` is no format; the formats are {}",
                words().join(", ")
            )
        })
}

/// Writes the answer with the body as it is.
fn with_request(answer: &Value, body: Option<&Body>) -> String {
    let fields = answer.as_object().into_iter().flatten();
    let fields: Vec<String> = fields
        .map(|(name, value)| match body {
            Some(body) if name == "request" => format!("\"request\":{body}"),
            _ => format!("{}:{value}", Value::from(name.as_str())),
        })
        .collect();
    format!("{{{}}}", fields.join(","))
}
