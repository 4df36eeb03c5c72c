//! Taking transcripts in and finding what was said, with what was said around it.
//! `cargo run --example import_search`
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::path::Path;

use hippocamp::domain::{ExpandRequest, GrepRequest, ItemId, Part, Reach, Tokens};
use hippocamp::engine::Engine;
use hippocamp::import::{ImportOptions, import_paths};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let engine = Engine::builder(folder.path().join("archive.db")).build()?;

    // Files and folders; a second import reads on from where the first one ended.
    let transcript = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/harbour.jsonl");
    let options = ImportOptions::new(engine.now());
    for _ in 0..2 {
        let paths = [transcript.clone()];
        let account = import_paths(&engine, &paths, &options, &mut |_| {}).await?;
        println!("{} records stored", account.totals.stored);
    }

    let request = GrepRequest::new("staging port", Reach::All);
    let answer = engine.grep(&request).await?;
    println!("{} rows, read as {}", answer.total, answer.read_as);
    for hit in &answer.hits {
        println!("{}  {}", hit.id, hit.snippet.text);
    }

    // The first one whole, byte for byte as it was said.
    if let Some(hit) = answer.hits.first() {
        let ids: Vec<ItemId> = vec![hit.id];
        let whole = ExpandRequest::new(ids, Reach::All).max_tokens(Tokens::new(500));
        for message in engine.expand(&whole).await?.messages {
            for part in &message.message.parts {
                println!("{}: {}", message.message.role, words(part));
            }
        }
    }
    engine.shutdown().await?;
    Ok(())
}

/// What a part says, for people.
fn words(part: &Part) -> String {
    match part {
        Part::Text { text } => text.clone(),
        Part::Reasoning { text, .. } => format!("(thinks) {text}"),
        Part::ToolUse {
            name, arguments, ..
        } => format!("calls {name} with {arguments}"),
        Part::ToolResult { content, .. } => format!("gets {content}"),
        _ => "(no text)".to_owned(),
    }
}
