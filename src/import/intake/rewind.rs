//! Beginnings. Owns where a conversation begins, and a session's new branch when a record does not go
//! on from the newest one: hosts go back. May not move rows: those left behind stay where they are.

use super::{Asked, Intake};
use crate::domain::{ConversationId, ImportConversation, Rewind, Seq, SessionKey};
use crate::engine::EngineError;
use crate::import::batch::Draft;
use crate::import::entry::Follows;
use crate::import::target::Known;

impl Intake<'_, '_> {
    /// Begins a conversation, with what is known of it before its first row.
    pub(super) fn open(
        &mut self,
        draft: &Draft,
        session: &SessionKey,
        forked_from: Option<(SessionKey, Seq)>,
    ) {
        let title = self.resolver.state.titles.remove(session.as_str());
        let rewound = self.branch_of(session, forked_from.as_ref());
        self.conversations.push(ImportConversation {
            session: session.clone(),
            project: draft.entry.cwd.clone(),
            title,
            forked_from,
            rewound,
        });
    }

    /// Takes a row of a conversation that has begun.
    pub(super) async fn go_on(
        &mut self,
        asked: Asked,
        session: SessionKey,
        known: &mut Known,
    ) -> Result<(), EngineError> {
        self.rewind(&asked.draft, &session, known).await?;
        self.push(asked, session);
        Ok(())
    }

    /// Returns the branch of its origin that a copied session goes on from: the origin may have gone
    /// back since, and its key then names another branch.
    fn branch_of(
        &mut self,
        session: &SessionKey,
        forked_from: Option<&(SessionKey, Seq)>,
    ) -> Option<Rewind> {
        let branches = &mut self.resolver.state.shared_branch;
        let (branch, at) = branches.remove(session.as_str())?;
        let (_, seq) = forked_from.filter(|(_, seq)| seq.get() == at)?;
        Some(Rewind::After(ConversationId::new(branch), *seq))
    }

    /// Begins a branch before a row that goes on from elsewhere. What waits is written first: it
    /// belongs to the branch left behind.
    async fn rewind(
        &mut self,
        draft: &Draft,
        session: &SessionKey,
        known: &mut Known,
    ) -> Result<(), EngineError> {
        let rewound = match &draft.entry.follows {
            Follows::Newest => return Ok(()),
            Follows::Row(key) if self.is_newest(session, key) => return Ok(()),
            Follows::Nothing => {
                self.write(self.saved.clone()).await?;
                Rewind::ToStart
            }
            Follows::Row(key) => {
                self.write(self.saved.clone()).await?;
                let key = &self.stored_name(key).to_owned();
                known.extend(self.target.find(std::slice::from_ref(key)).await?);
                let places = known.get(key).map(Vec::as_slice).unwrap_or_default();
                let Some(row) = places.iter().find(|row| row.session == *session) else {
                    return Ok(());
                };
                Rewind::After(row.conversation, row.seq)
            }
        };
        self.conversations.push(ImportConversation {
            session: session.clone(),
            project: None,
            title: None,
            forked_from: None,
            rewound: Some(rewound),
        });
        Ok(())
    }

    /// Returns whether a row, be it in other words, is the newest of its session.
    fn is_newest(&self, session: &SessionKey, key: &str) -> bool {
        let rest = self
            .newest
            .get(session)
            .and_then(|newest| newest.strip_prefix(key));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('~'))
    }
}
