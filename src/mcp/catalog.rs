//! The tools as clients list them: schemas, annotations, what a program may rely on.
//! May not run a tool.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::binding::{Binding, SESSION_ARGUMENT};
use super::server::ServerOptions;
use crate::tools::{OptionalTool, ToolSchema, output_schema, schema};

/// The argument that looks beyond the bound conversation.
pub(super) const ALL_ARGUMENT: &str = "all_conversations";

/// What a client may think of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// It changes nothing.
    Reads,
    /// It adds something; the same again adds nothing.
    AddsOnce,
}

/// Returns the tools that a client bound in this way is shown.
pub(super) fn catalog(options: &ServerOptions, binding: &Binding) -> Vec<Tool> {
    let always = schema().into_iter().map(|schema| {
        let title = match schema.name {
            "short_grep" => "Search what was said",
            _ => "Show messages and summaries whole",
        };
        tool(options, binding, schema, title, Effect::Reads)
    });
    let optional = options.optional.iter().map(|optional| {
        let title = match optional {
            OptionalTool::ShortCompact => "Ask for a summary when the turn has ended",
            OptionalTool::Pin => "Keep words in view",
        };
        tool(options, binding, optional.schema(), title, Effect::AddsOnce)
    });
    always.chain(optional).collect()
}

fn tool(
    options: &ServerOptions,
    binding: &Binding,
    schema: ToolSchema,
    title: &str,
    effect: Effect,
) -> Tool {
    let output = output_schema(schema.name).map(|schema| Arc::new(fields(schema)));
    let mut parameters = fields(schema.parameters);
    let mut description = schema.description.to_owned();
    if let Some(properties) = parameters
        .get_mut("properties")
        .and_then(Value::as_object_mut)
    {
        if *binding == Binding::Unbound {
            properties.insert(SESSION_ARGUMENT.to_owned(), session_argument());
        }
        if options.is_confined() && properties.remove(ALL_ARGUMENT).is_some() {
            let lines = description.lines();
            let kept: Vec<&str> = lines.filter(|line| !line.contains(ALL_ARGUMENT)).collect();
            description = kept.join("\n");
        }
    }
    let annotations = ToolAnnotations::with_title(title)
        .read_only(effect == Effect::Reads)
        .idempotent(true)
        .destructive(false)
        .open_world(false);
    let mut tool = Tool::new(schema.name, description, parameters)
        .with_title(title)
        .with_annotations(annotations);
    tool.output_schema = output;
    tool
}

fn session_argument() -> Value {
    json!({
        "type": "string",
        "description": "The key of the conversation that this is about. No conversation is bound \
                        here, so each call names its own.",
    })
}

/// Returns the fields of a schema, which is always an object.
fn fields(schema: Value) -> JsonObject {
    match schema {
        Value::Object(fields) => fields,
        _ => JsonObject::new(),
    }
}
