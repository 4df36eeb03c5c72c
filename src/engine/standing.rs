//! Where hits stand: in view, under a summary, on another branch, hidden.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::domain::{
    Conversation, ConversationId, ItemId, Node, SearchRow, Seq, Span, Standing, Visibility,
};
use crate::store::{Reader, StoreError};

/// The live nodes of a branch and what it sees of others.
struct Ground {
    nodes: Vec<Node>,
    branch: ConversationId,
    prompt_last: Option<Seq>,
}

/// Says for each row where it stands: on the branch asked about, or on the branch its own key
/// points at.
pub(super) fn standings(
    reader: &Reader,
    rows: &[&SearchRow],
    branch: Option<&Conversation>,
) -> Result<Vec<Standing>, StoreError> {
    let mut grounds: BTreeMap<ConversationId, Ground> = BTreeMap::new();
    let mut standings = Vec::with_capacity(rows.len());
    for row in rows {
        let home = match branch {
            Some(branch) => branch.id,
            None => home_of(reader, row.conversation)?,
        };
        let ground = match grounds.entry(home) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(Ground {
                nodes: reader.live_nodes(home)?,
                branch: home,
                prompt_last: reader.prompt_last(home)?,
            }),
        };
        let sees = reader.sees(ground.branch, row.conversation, row.span)?;
        standings.push(if sees {
            stand(row, ground)
        } else {
            Standing::OtherBranch
        });
    }
    Ok(standings)
}

/// The branch that a row's session key points at now.
pub(super) fn home_of(
    reader: &Reader,
    conversation: ConversationId,
) -> Result<ConversationId, StoreError> {
    let session = reader.branch(conversation)?.session;
    Ok(reader
        .conversation(&session)?
        .map_or(conversation, |current| current.id))
}

fn stand(row: &SearchRow, ground: &Ground) -> Standing {
    match row.id {
        ItemId::Summary(id) => {
            if ground.nodes.iter().any(|node| node.id == id) {
                return Standing::InView;
            }
            match over(&ground.nodes, row.span) {
                Some(node) if row.depth.is_some_and(|depth| depth < node.depth) => {
                    Standing::Under(ItemId::Summary(node.id))
                }
                _ => Standing::NotLive,
            }
        }
        ItemId::Message(_) => {
            if row.visibility != Visibility::Talk {
                let is_opening = ground
                    .prompt_last
                    .is_some_and(|last| row.span.last() <= last);
                let is_prompt = row.visibility == Visibility::Prompt;
                return if is_opening && is_prompt {
                    Standing::InView
                } else {
                    Standing::Hidden
                };
            }
            match over(&ground.nodes, row.span) {
                Some(node) => Standing::Under(ItemId::Summary(node.id)),
                None => Standing::InView,
            }
        }
    }
}

/// The live node that covers a span.
fn over(nodes: &[Node], span: Span) -> Option<&Node> {
    nodes.iter().find(|node| node.span.covers(span))
}
