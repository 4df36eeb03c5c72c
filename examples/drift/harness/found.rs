//! Whether every planted fact is found again, however long ago it left the view.

use std::error::Error;

use hippocamp::domain::{
    ExpandRequest, GrepRequest, ItemId, Part, Reach, SearchScope, SessionKey, ToolResults,
};
use hippocamp::engine::Engine;

use super::ledger::{Ledger, Said};
use super::score::Share;

/// Greps each fact's own word and expands the row that says it.
pub(crate) async fn check(
    engine: &Engine,
    session: &SessionKey,
    ledger: &Ledger,
) -> Result<(Share, Vec<String>), Box<dyn Error>> {
    let mut share = Share::default();
    let mut lost = Vec::new();
    for said in &ledger.said {
        let is_found = find(engine, session, said).await?;
        share.note(is_found);
        if !is_found {
            lost.push(format!("not found again: {said:?}"));
        }
    }
    Ok((share, lost))
}

async fn find(engine: &Engine, session: &SessionKey, said: &Said) -> Result<bool, Box<dyn Error>> {
    let Some((id, _)) = said.row else {
        return Ok(false);
    };
    let reach = Reach::Session(session.clone());
    let mut request = GrepRequest::new(format!("\"{}\"", said.key), reach.clone());
    request.kinds = SearchScope::Message;
    request.limit = 200;
    let reply = engine.grep(&request).await?;
    let Some(hit) = reply.hits.iter().find(|hit| hit.id == ItemId::Message(id)) else {
        return Ok(false);
    };
    let request = ExpandRequest::new(vec![hit.id], reach).tool_results(ToolResults::Include);
    let reply = engine.expand(&request).await?;
    let mut bodies = reply
        .messages
        .iter()
        .flat_map(|shown| shown.message.parts.iter().map(Part::body));
    Ok(bodies.any(|body| body.contains(&said.text)))
}
