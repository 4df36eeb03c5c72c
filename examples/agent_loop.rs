//! An agent's loop in one page: the model gets a view that fits and two tools to look things up, and
//! a smaller view where its provider says that the prompt was too long.
//! The model is a script here, so that `cargo run --example agent_loop` needs no network.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use hippocamp::domain::{NewMessage, Part, SessionKey, Tokens, View, Window};
use hippocamp::engine::{Engine, ErrorOutcome, FailedCall};
use hippocamp::tools::{self, ToolSchema, ToolScope};
use serde_json::{Value, json};

/// What a model answers: words, or a call of the tool it chose.
enum Answer {
    Words(String),
    Call(&'static str, Value),
}

/// Stands in for a model: it searches first, then answers from what it was given. It takes fewer
/// tokens than its host believes.
fn model(view: &View, tools: &[ToolSchema]) -> Result<Answer, FailedCall> {
    if view.tokens > Tokens::new(1_500) {
        let words = format!("prompt is too long: {} tokens > 1500 maximum", view.tokens);
        return Err(FailedCall::new(words, Some(400)).view(view.version));
    }
    let last = view.items.last().and_then(|item| item.parts.first());
    if let Some(Part::ToolResult { content, .. }) = last {
        let found: Value = serde_json::from_str(content).unwrap_or_default();
        return Ok(Answer::Words(format!(
            "I found: {}",
            found.pointer("/results/0/snippet").unwrap_or(&Value::Null)
        )));
    }
    let search = tools.first().map_or("no tool", |tool| tool.name);
    let arguments = json!({ "pattern": "\"staging port\"" });
    Ok(Answer::Call(search, arguments))
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
        let mut view = engine.turn(&session, new, window).await?.view;
        let answer = loop {
            println!("the model sees {} of {} tokens", view.tokens, view.budget);
            let failed = match model(&view, &tools::schema()) {
                Ok(answer) => break answer,
                Err(failed) => failed,
            };
            println!("it says: {}", failed.text);
            match engine.on_provider_error(&session, &failed).await? {
                ErrorOutcome::Retry { view: smaller, .. }
                | ErrorOutcome::RepairView { view: smaller } => view = smaller,
                other => return Err(format!("{}: {other:?}", failed.text).into()),
            }
        };
        match answer {
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
