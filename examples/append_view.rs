//! Storing messages and asking what a model should see, without a runtime of your own.
//! `cargo run --example append_view`
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use hippocamp::domain::{NewMessage, SessionKey, Tokens, Window};
use hippocamp::engine::{ViewBudget, blocking::Engine};
use hippocamp::render;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let engine = Engine::build(Engine::builder(folder.path().join("agent.db")))?;
    let session = SessionKey::new("ferry")?;

    // `append` only stores. A key keeps a message that is sent twice from being stored twice.
    let question = NewMessage::user("When does the ferry sail?").with_key("question-1");
    for _ in 0..2 {
        let appended = engine.append(&session, vec![question.clone()])?;
        println!(
            "message {}",
            appended.rows.iter().map(|row| row.id.get()).sum::<i64>()
        );
    }

    // `turn` stores, summarises what is due, and returns the view.
    let window = Window::new(Tokens::new(4_000), Tokens::new(500), Tokens::new(500))?;
    for day in 1..=40 {
        let words = "The harbour log was read and the tide table was checked again. ".repeat(5);
        let new = vec![
            NewMessage::user(format!("Day {day}: anything new?")),
            NewMessage::assistant(format!("Day {day}: {words}")),
        ];
        engine.turn(&session, new, window)?;
    }
    let view = engine.view(&session, ViewBudget::Configured)?;
    println!(
        "{} of {} tokens, {} summaries",
        view.tokens,
        view.budget,
        engine.tree(&session)?.len()
    );

    // The same for a smaller model; what is left out is listed.
    let small = engine.view(&session, ViewBudget::Of(Tokens::new(800)))?;
    println!(
        "{} of {} tokens, {} left out",
        small.tokens,
        small.budget,
        small.left_out.len()
    );
    for line in render::text::render(&small).lines().take(3) {
        println!("{line}");
    }
    Ok(())
}
