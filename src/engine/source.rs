//! What a summary is made from, loaded whole.
//! In place of a broken child stands what views show there.

use super::db::Db;
use super::error::EngineError;
use crate::domain::{
    ConversationId, FrontierItem, Health, Message, Part, Plan, Summary, SummaryId, TokenCounter,
    Tokens,
};
use crate::policy::extract::{floor_condense, floor_leaf};
use crate::policy::prompt::Child;
use crate::store::{Reader, StoreError};

/// The source of one unit.
pub(super) enum Source {
    /// A leaf's messages, in order.
    Messages(Vec<Message>),
    /// A merge's children, old to new.
    Shown(Vec<Shown>),
}

/// One child of a merge.
pub(super) enum Shown {
    /// A summary.
    Summary(Summary),
    /// The messages a broken child covers, where no other row does.
    Messages(Summary, Vec<Message>),
}

/// Loads the source of `plan`, bodies as they are stored: what views show as a line since a clear is
/// summarised from what it held. The fit of the prompt bounds them, and plans reckon with the lines.
pub(super) async fn load_source(db: &Db, plan: &Plan) -> Result<Source, EngineError> {
    let (conversation, span) = (plan.conversation(), plan.span());
    let ids = match plan {
        Plan::Leaf(_) => Vec::new(),
        Plan::Condense(condense) => condense.children.ids().to_vec(),
        Plan::Repair(repair) => repair.children.clone(),
    };
    db.read(move |reader| {
        if ids.is_empty() {
            return reader.messages(conversation, span).map(Source::Messages);
        }
        shown(reader, conversation, &ids).map(Source::Shown)
    })
    .await
}

fn shown(
    reader: &Reader,
    conversation: ConversationId,
    ids: &[SummaryId],
) -> Result<Vec<Shown>, StoreError> {
    let mut shown = Vec::with_capacity(ids.len());
    for child in reader.summaries_by_id(ids)? {
        if child.node.health != Health::Broken {
            shown.push(Shown::Summary(child));
            continue;
        }
        let (view, _) = reader.view_frontier(conversation)?;
        let inside = view
            .items
            .iter()
            .filter(|item| child.node.span.covers(item.span()));
        let mut messages = Vec::new();
        for item in inside {
            match item {
                FrontierItem::Node(node) => {
                    shown.extend(
                        reader
                            .summaries_by_id(&[node.id])?
                            .into_iter()
                            .map(Shown::Summary),
                    );
                }
                FrontierItem::Raw(row) => messages.extend(reader.messages_by_id(&[row.id])?),
            }
        }
        if !messages.is_empty() {
            shown.push(Shown::Messages(child, messages));
        }
    }
    Ok(shown)
}

impl Source {
    /// Returns the last `n` summaries before a leaf's messages, old to new; what is merged has its own
    /// past in it.
    pub(super) async fn earlier(
        &self,
        db: &Db,
        plan: &Plan,
        n: usize,
    ) -> Result<Vec<Summary>, EngineError> {
        match self {
            Self::Shown(_) => Ok(Vec::new()),
            Self::Messages(_) => {
                let (conversation, first) = (plan.conversation(), plan.span().first());
                db.read(move |reader| reader.summaries_before(conversation, first, n))
                    .await
            }
        }
    }

    /// Writes the summary with no model.
    pub(super) fn floor(&self, target: Tokens, counter: &dyn TokenCounter) -> String {
        match self {
            Self::Messages(messages) => floor_leaf(messages, target, counter),
            Self::Shown(shown) => {
                let children: Vec<Summary> = shown
                    .iter()
                    .map(|child| child.as_summary(target, counter))
                    .collect();
                floor_condense(&children, target, counter)
            }
        }
    }

    /// Returns every text in it, by which what a summary states is known.
    pub(super) fn texts(&self) -> Vec<&str> {
        let mut texts = Vec::new();
        for child in self.children() {
            match child {
                Child::Summary(summary) => texts.push(summary.body.as_str()),
                Child::Message(message) => {
                    for part in &message.parts {
                        match part {
                            Part::Text { text } => texts.push(text),
                            Part::ToolUse {
                                name, arguments, ..
                            } => texts.extend([name.as_str(), arguments]),
                            Part::ToolResult { content, .. } => texts.push(content),
                            _ => {}
                        }
                    }
                }
            }
        }
        texts
    }

    /// Returns the children as a prompt shows them.
    pub(super) fn children(&self) -> Vec<Child<'_>> {
        match self {
            Self::Messages(messages) => messages.iter().map(Child::Message).collect(),
            Self::Shown(shown) => shown
                .iter()
                .flat_map(|child| match child {
                    Shown::Summary(summary) => vec![Child::Summary(summary)],
                    Shown::Messages(_, messages) => messages.iter().map(Child::Message).collect(),
                })
                .collect(),
        }
    }
}

impl Shown {
    fn as_summary(&self, target: Tokens, counter: &dyn TokenCounter) -> Summary {
        match self {
            Self::Summary(summary) => summary.clone(),
            Self::Messages(child, messages) => Summary {
                body: floor_leaf(messages, target, counter),
                ..child.clone()
            },
        }
    }
}
