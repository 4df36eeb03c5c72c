//! What a summary is made from, loaded whole.

use super::db::Db;
use super::error::EngineError;
use crate::domain::{Message, Part, Plan, Summary, SummaryId};

/// Summaries before the source that a prompt shows as earlier context.
const EARLIER: usize = 2;

/// The source of one unit.
pub(super) enum Source {
    /// A leaf's messages, in order.
    Messages(Vec<Message>),
    /// A merge's children, old to new.
    Summaries(Vec<Summary>),
}

/// Loads the source of `plan`.
pub(super) async fn load_source(db: &Db, plan: &Plan) -> Result<Source, EngineError> {
    let (conversation, span) = (plan.conversation(), plan.span());
    match plan {
        Plan::Leaf(_) => db
            .read(move |reader| reader.messages(conversation, span).map(Source::Messages))
            .await,
        Plan::Repair(repair) if repair.children.is_empty() => db
            .read(move |reader| reader.messages(conversation, span).map(Source::Messages))
            .await,
        Plan::Condense(condense) => summaries(db, condense.children.ids().to_vec()).await,
        Plan::Repair(repair) => summaries(db, repair.children.clone()).await,
    }
}

async fn summaries(db: &Db, ids: Vec<SummaryId>) -> Result<Source, EngineError> {
    db.read(move |reader| reader.summaries_by_id(&ids).map(Source::Summaries)).await
}

impl Source {
    /// Returns the summaries right before the source.
    pub(super) async fn earlier(
        &self,
        db: &Db,
        plan: &Plan,
    ) -> Result<Vec<Summary>, EngineError> {
        match self {
            Self::Summaries(_) => Ok(Vec::new()),
            Self::Messages(_) => {
                let (conversation, first) = (plan.conversation(), plan.span().first());
                db.read(move |reader| reader.summaries_before(conversation, first, EARLIER)).await
            }
        }
    }

    /// Returns all words of the source, to tell a summary from a copy.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        match self {
            Self::Messages(messages) => {
                for part in messages.iter().flat_map(|message| &message.parts) {
                    let words = match part {
                        Part::Text { text } => text,
                        Part::ToolUse { arguments, .. } => arguments,
                        Part::ToolResult { content, .. } => content,
                        _ => continue,
                    };
                    text.push_str(words);
                    text.push('\n');
                }
            }
            Self::Summaries(children) => {
                for child in children {
                    text.push_str(&child.body);
                    text.push('\n');
                }
            }
        }
        text
    }
}
