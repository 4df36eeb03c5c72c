//! The tools as each provider wants them: held to its published rules, its strict mode's among them.

mod anthropic;
mod examples;
mod gemini;
mod openai;
mod schemas;

use hippocamp::tools::{OptionalTool, ToolFormat, declare, schema_with};
use serde_json::Value;

use crate::render::rule::{Rule, broken};

/// The choices a host has of optional tools.
const WITH: [&[OptionalTool]; 4] = [
    &[],
    &[OptionalTool::ShortCompact],
    &[OptionalTool::Pin],
    &OptionalTool::ALL,
];

/// Reads a format by its name.
fn loose(name: &str) -> ToolFormat {
    name.parse().unwrap()
}

fn strict(name: &str) -> ToolFormat {
    loose(name).strict().unwrap()
}

/// All four tools in a format.
fn declared(format: ToolFormat) -> Value {
    declare(&schema_with(&OptionalTool::ALL), format)
}

/// Whatever a host registers, no rule is broken.
#[track_caller]
fn check_declared(format: ToolFormat, rules: &[&[Rule]]) {
    for with in WITH {
        let tools = declare(&schema_with(with), format);
        for rules in rules {
            assert_eq!(broken(rules, &tools), Vec::<&str>::new(), "{tools}");
        }
        assert!(tools.to_string().contains("short_expand"), "{tools}");
        for tool in OptionalTool::ALL {
            let name = format!("{:?}", tool.name());
            let is_declared = tools.to_string().contains(&format!("\"name\":{name}"));
            assert_eq!(is_declared, with.contains(&tool), "{tools}");
        }
    }
}

#[test]
fn a_tool_named_twice_is_declared_once() {
    let twice = [OptionalTool::Pin, OptionalTool::Pin];
    let once = schema_with(&[OptionalTool::Pin]);
    assert_eq!(schema_with(&twice), once);
    assert_eq!(once.len(), 3);
}

#[test]
fn names_of_formats_are_read_and_others_refused() {
    for name in ["openai", "openai-responses", "anthropic", "gemini"] {
        assert_eq!(loose(name).to_string(), name);
    }
    // As views and bodies are called.
    assert_eq!(loose("openai-chat"), loose("openai"));
    for name in ["", "OpenAI", "chat", "mcp"] {
        let error = name.parse::<ToolFormat>().unwrap_err().to_string();
        assert!(error.contains(&format!("`{name}`")), "{error}");
        assert!(error.contains("openai-responses"), "{error}");
    }
    let error = loose("gemini").strict().unwrap_err().to_string();
    assert!(error.contains("VALIDATED"), "{error}");
}
