//! An agent's loop in one page: the model gets a view that fits and two tools to look things up.
//! The model is a script here, so that `cargo run --example agent_loop` needs no network.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use hippocamp::domain::{NewMessage, Part, SessionKey, Tokens, View, Window};
use hippocamp::engine::Engine;
use hippocamp::tools::{self, ToolSchema, ToolScope};
use serde_json::{Value, json};

/// What a model answers: words, or a call of the tool it chose.
enum Answer {
    Words(String),
    Call(&'static str, Value),
}

/// Stands in for a model: it searches first, then answers from what it was given.
fn model(view: &View, tools: &[ToolSchema]) -> Answer {
    let last = view.items.last().and_then(|item| item.parts.first());
    if let Some(Part::ToolResult { content, .. }) = last {
        let found: Value = serde_json::from_str(content).unwrap_or_default();
        return Answer::Words(format!(
            "I found: {}",
            found.pointer("/results/0/snippet").unwrap_or(&Value::Null)
        ));
    }
    let search = tools.first().map_or("no tool", |tool| tool.name);
    Answer::Call(search, json!({ "pattern": "\"staging port\"" }))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let engine = Engine::builder(folder.path().join("agent.db")).build()?;
    let session = SessionKey::new("main")?;
    let scope = ToolScope::Session(session.clone());
    let window = Window::of(Tokens::new(2_000))?;
    let mut new = vec![NewMessage::user("The staging port is 7443.")];
    new.extend((1..=60).map(|step| {
        let words = "Checked the build, read its log and fixed the next warning. ".repeat(4);
        NewMessage::assistant(format!("Step {step}. {words}"))
    }));
    new.push(NewMessage::user("Which port does staging use?"));
    loop {
        let view = engine.turn(&session, new, window).await?.view;
        println!("the model sees {} of {} tokens", view.tokens, view.budget);
        match model(&view, &tools::schema()) {
            Answer::Words(words) => {
                println!("{words}");
                let last = vec![NewMessage::assistant(words)];
                engine.append(&session, last).await?;
                return Ok(engine.shutdown().await?);
            }
            Answer::Call(name, arguments) => {
                let call = NewMessage::tool_use("call-1", name, arguments.to_string());
                let result = tools::dispatch(&engine, &scope, name, arguments).await?;
                new = vec![call, NewMessage::tool_result("call-1", result.to_string())];
            }
        }
    }
}
