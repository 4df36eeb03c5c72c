//! The tools as providers' interfaces want them declared. Owns those forms.
//! May not describe a tool: `schema` does.

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value, json};
use thiserror::Error;

use super::schema::ToolSchema;

/// An interface, and what its declarations of tools look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolFormat {
    /// `OpenAI`'s Chat Completions, and the servers that speak like it.
    OpenAiChat(Strictness),
    /// `OpenAI`'s Responses.
    OpenAiResponses(Strictness),
    /// Anthropic's Messages.
    Anthropic(Strictness),
    /// Gemini's function declarations, in its subset of `OpenAPI`'s schemas. Whether calls are held
    /// to them is a setting of the request (`toolConfig`), not of a declaration.
    Gemini,
}

/// Whether the provider holds a model to the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Strictness {
    /// The schema is advice. Every server takes it.
    #[default]
    Loose,
    /// The model can write nothing else. `OpenAI` then wants every argument given, and null stands for
    /// one that is absent; [`dispatch`](super::dispatch) reads it so.
    Strict,
}

/// What is wrong with the name of a format.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ToolFormatError {
    /// No format has this name.
    #[error("`{name}` is no format; write openai, openai-responses, anthropic or gemini")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The format has no strict form.
    #[error(
        "{format} has no strict declarations: set the mode VALIDATED in the `toolConfig` of the request"
    )]
    NeverStrict {
        /// The format.
        format: ToolFormat,
    },
}

impl ToolFormat {
    /// Returns the same interface with strict declarations.
    ///
    /// # Errors
    /// [`ToolFormatError::NeverStrict`] for an interface that has none.
    pub const fn strict(self) -> Result<Self, ToolFormatError> {
        match self {
            Self::OpenAiChat(_) => Ok(Self::OpenAiChat(Strictness::Strict)),
            Self::OpenAiResponses(_) => Ok(Self::OpenAiResponses(Strictness::Strict)),
            Self::Anthropic(_) => Ok(Self::Anthropic(Strictness::Strict)),
            Self::Gemini => Err(ToolFormatError::NeverStrict { format: self }),
        }
    }
}

impl FromStr for ToolFormat {
    type Err = ToolFormatError;

    /// Reads a name, as `hippocamp tools --format` takes it; views call the first one `openai-chat`.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "openai" | "openai-chat" => Ok(Self::OpenAiChat(Strictness::Loose)),
            "openai-responses" => Ok(Self::OpenAiResponses(Strictness::Loose)),
            "anthropic" => Ok(Self::Anthropic(Strictness::Loose)),
            "gemini" => Ok(Self::Gemini),
            _ => Err(ToolFormatError::Unknown {
                name: name.to_owned(),
            }),
        }
    }
}

impl fmt::Display for ToolFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::OpenAiChat(_) => "openai",
            Self::OpenAiResponses(_) => "openai-responses",
            Self::Anthropic(_) => "anthropic",
            Self::Gemini => "gemini",
        })
    }
}

/// Returns the value of `tools` in a request: one JSON array.
///
/// For Gemini that is one object with all `functionDeclarations`; elsewhere an object a tool.
#[must_use]
pub fn declare(tools: &[ToolSchema], format: ToolFormat) -> Value {
    let all = tools.iter().map(|tool| match format {
        ToolFormat::OpenAiChat(strictness) => {
            json!({"type": "function", "function": openai(tool, strictness)})
        }
        ToolFormat::OpenAiResponses(strictness) => {
            let mut function = openai(tool, strictness);
            // This interface takes a function that does not say it for strict.
            function.insert(
                "strict".to_owned(),
                (strictness == Strictness::Strict).into(),
            );
            let mut declaration = Map::from_iter([("type".to_owned(), "function".into())]);
            declaration.extend(function);
            Value::Object(declaration)
        }
        ToolFormat::Anthropic(strictness) => anthropic(tool, strictness),
        ToolFormat::Gemini => json!({
            "name": tool.name,
            "description": tool.description,
            "parameters": openapi(&tool.parameters),
        }),
    });
    let all: Vec<Value> = all.collect();
    match format {
        ToolFormat::Gemini => json!([{"functionDeclarations": all}]),
        _ => all.into(),
    }
}

fn openai(tool: &ToolSchema, strictness: Strictness) -> Map<String, Value> {
    let (parameters, strict) = match strictness {
        Strictness::Loose => (tool.parameters.clone(), None),
        Strictness::Strict => (all_required(&tool.parameters), Some(true)),
    };
    let mut function = Map::from_iter([
        ("name".to_owned(), tool.name.into()),
        ("description".to_owned(), tool.description.into()),
        ("parameters".to_owned(), parameters),
    ]);
    if let Some(strict) = strict {
        function.insert("strict".to_owned(), strict.into());
    }
    function
}

/// Requires every argument and lets null stand for an optional one.
fn all_required(parameters: &Value) -> Value {
    let mut parameters = without(parameters, &UNCHECKED_BY_OPENAI);
    let required = parameters.get("required").and_then(Value::as_array);
    let required = required.cloned().unwrap_or_default();
    let Some(properties) = parameters
        .get_mut("properties")
        .and_then(Value::as_object_mut)
    else {
        return parameters;
    };
    for (name, property) in properties.iter_mut() {
        if !required.iter().any(|word| word == name) {
            let_null(property);
        }
    }
    let names: Vec<Value> = properties.keys().map(|name| name.as_str().into()).collect();
    if let Some(parameters) = parameters.as_object_mut() {
        parameters.insert("required".to_owned(), names.into());
    }
    parameters
}

fn let_null(property: &mut Value) {
    let Some(property) = property.as_object_mut() else {
        return;
    };
    if let Some(kind) = property.get_mut("type") {
        *kind = json!([kind.take(), "null"]);
    }
    if let Some(words) = property.get_mut("enum").and_then(Value::as_array_mut) {
        words.push(Value::Null);
    }
}

fn anthropic(tool: &ToolSchema, strictness: Strictness) -> Value {
    let (name, description) = (tool.name, tool.description);
    match strictness {
        Strictness::Loose => json!({
            "name": name,
            "description": description,
            "input_schema": tool.parameters,
        }),
        // Optional arguments stay optional: a request may have 24 of them there, and 16 unions with
        // null.
        Strictness::Strict => json!({
            "name": name,
            "description": description,
            "strict": true,
            "input_schema": without(&tool.parameters, &UNCHECKED_BY_ANTHROPIC),
        }),
    }
}

/// Keywords that strict schemas of `OpenAI` do without: its fine-tuned models and Azure refuse them.
/// [`dispatch`](super::dispatch) says what is wrong with a value that breaks them.
const UNCHECKED_BY_OPENAI: [&str; 2] = ["minimum", "minItems"];

/// Keywords that strict schemas of Anthropic refuse; of lengths of lists it knows 0 and 1.
const UNCHECKED_BY_ANTHROPIC: [&str; 1] = ["minimum"];

/// Returns a schema without some keywords, at any depth.
fn without(schema: &Value, keywords: &[&str]) -> Value {
    let mut schema = schema.clone();
    each_schema(&mut schema, &|schema| {
        schema.retain(|keyword, _| !keywords.contains(&keyword.as_str()));
    });
    schema
}

/// Returns a schema in Gemini's subset: types in capitals, words as a format, whole numbers of 64 bits
/// as text. There is no word for closed objects.
fn openapi(schema: &Value) -> Value {
    let mut schema = without(schema, &["additionalProperties"]);
    each_schema(&mut schema, &|schema| {
        if let Some(Value::String(kind)) = schema.get_mut("type") {
            kind.make_ascii_uppercase();
        }
        if let Some(count) = schema.get_mut("minItems") {
            *count = count.to_string().into();
        }
        if schema.contains_key("enum") {
            schema.insert("format".to_owned(), "enum".into());
        }
    });
    schema
}

/// Changes a schema and those inside it.
fn each_schema(schema: &mut Value, change: &impl Fn(&mut Map<String, Value>)) {
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    change(schema);
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Map::values_mut) {
        each_schema(property, change);
    }
    if let Some(items) = schema.get_mut("items") {
        each_schema(items, change);
    }
}
