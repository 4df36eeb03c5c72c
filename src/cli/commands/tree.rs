//! `tree`: the summaries of a conversation, parents above their children.

use serde_json::{Value, json};

use super::named::named;
use crate::cli::args::SessionArgs;
use crate::cli::failure::Failure;
use crate::cli::paint::tree;
use crate::cli::reply::Reply;
use crate::domain::{ItemId, TreeNode};
use crate::engine::Engine;

pub(super) async fn run(engine: &Engine, args: &SessionArgs) -> Result<Reply, Failure> {
    let session = named(engine, &args.session).await?;
    let nodes = engine.tree(&session).await?;
    let reply = Reply::new(to_json(&nodes), tree(&nodes));
    Ok(if nodes.is_empty() {
        reply.with_note(format!(
            "nothing is summarised yet; `hippocamp compact --session {session}` summarises what is due"
        ))
    } else {
        reply
    })
}

fn to_json(nodes: &[TreeNode]) -> Value {
    let nodes: Vec<Value> = nodes
        .iter()
        .map(|node| {
            json!({
                "id": ItemId::Summary(node.id).to_string(),
                "depth": node.depth.get(),
                "first_seq": node.span.first().get(),
                "last_seq": node.span.last().get(),
                "tokens": node.tokens.get(),
                "origin": node.origin.as_str(),
                "generation": node.generation.get(),
                "in_view": node.is_live,
            })
        })
        .collect();
    json!({ "nodes": nodes })
}
