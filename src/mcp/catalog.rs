//! The tools as clients list them: schemas, annotations, what a program may rely on.
//! May not run a tool.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::binding::{Binding, SESSION_ARGUMENT};
use super::server::{HostTool, ServerOptions};
use super::{context, remember};
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
    /// It adds something each time.
    Adds,
}

/// Returns the tools that a client bound in this way is shown.
pub(super) fn catalog(options: &ServerOptions, binding: &Binding) -> Vec<Tool> {
    let always = schema().into_iter().map(|schema| {
        let title = match schema.name {
            "short_grep" => "Search what was said",
            _ => "Show messages and summaries whole",
        };
        let output = output_schema(schema.name);
        tool(options, binding, schema, output, title, Effect::Reads)
    });
    let optional = options.optional.iter().map(|optional| {
        let title = match optional {
            OptionalTool::ShortCompact => "Ask for a summary when the turn has ended",
            OptionalTool::Pin => "Keep words in view",
        };
        let output = output_schema(optional.name());
        tool(
            options,
            binding,
            optional.schema(),
            output,
            title,
            Effect::AddsOnce,
        )
    });
    let hosts = options.hosts.iter().map(|host| match host {
        HostTool::Remember(_) => {
            let (schema, output) = (remember::schema(), Some(remember::output()));
            tool(
                options,
                binding,
                schema,
                output,
                "Store a turn",
                Effect::Adds,
            )
        }
        HostTool::Context => {
            let (schema, output) = (context::schema(), Some(context::output()));
            tool(
                options,
                binding,
                schema,
                output,
                "Show the view",
                Effect::Reads,
            )
        }
    });
    always.chain(optional).chain(hosts).collect()
}

fn tool(
    options: &ServerOptions,
    binding: &Binding,
    schema: ToolSchema,
    output: Option<Value>,
    title: &str,
    effect: Effect,
) -> Tool {
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
        .idempotent(effect != Effect::Adds)
        .destructive(false)
        .open_world(false);
    let mut tool = Tool::new(schema.name, description, parameters)
        .with_title(title)
        .with_annotations(annotations);
    tool.output_schema = output.map(|schema| Arc::new(fields(schema)));
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
