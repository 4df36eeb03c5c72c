//! `fork`: a branch is begun after a message.

use serde_json::json;

use super::named::named;
use crate::cli::args::ForkArgs;
use crate::cli::failure::Failure;
use crate::cli::paint::{place, safe_key};
use crate::cli::reply::Reply;
use crate::domain::{Seq, Span};
use crate::engine::Engine;

pub(super) async fn run(engine: &Engine, args: &ForkArgs) -> Result<Reply, Failure> {
    let session = named(engine, &args.session).await?;
    let forked = engine
        .fork(&session, args.at, args.new_session.clone())
        .await?;
    let key = args.new_session.as_ref().unwrap_or(&session);
    let json = json!({
        "key": key.as_str(),
        "id": forked.conversation.get(),
        "parent": forked.parent.get(),
        "fork_seq": forked.fork_seq.get(),
    });
    let shared = Span::new(Seq::FIRST, forked.fork_seq).map_or_else(String::new, place);
    let text = format!(
        "{} is now branch {}, which shares {} with branch {}\n",
        safe_key(key.as_str()),
        forked.conversation,
        shared,
        forked.parent,
    );
    Ok(Reply::new(json, text))
}
