//! Titles. Owns to which conversation a record's title goes, now or when that begins.
//! May not write it: the next batch does.

use super::Intake;
use crate::domain::{ImportConversation, SessionKey};
use crate::import::batch::Draft;
use crate::import::entry::Title;
use crate::import::target::Known;

impl Intake<'_, '_> {
    /// Takes a record's title to the conversation it names, now or when that begins.
    pub(super) fn note_title(
        &mut self,
        draft: &Draft,
        session: Option<&SessionKey>,
        known: &Known,
    ) {
        if let (Some(id), Some(session)) = (&draft.entry.id, session)
            && let Some(text) = self.resolver.state.take_title(id)
        {
            self.give_title(session, text);
        }
        match &draft.entry.title {
            Some(Title::OfSession(text)) => {
                if let Some(session) = session {
                    self.give_title(session, text.clone());
                }
            }
            Some(Title::OfRecord { leaf, text }) => {
                match known.get(leaf).and_then(|places| places.first()) {
                    Some(row) => self.name_conversation(&row.session, text.clone()),
                    None => self.resolver.state.keep_title(leaf.clone(), text.clone()),
                }
            }
            None => {}
        }
    }

    fn give_title(&mut self, session: &SessionKey, text: String) {
        if self.resolver.state.open.contains(session.as_str()) {
            self.name_conversation(session, text);
        } else {
            let key = session.as_str().to_owned();
            self.resolver.state.titles.insert(key, text);
        }
    }

    fn name_conversation(&mut self, session: &SessionKey, text: String) {
        let met = self
            .conversations
            .iter_mut()
            .find(|known| known.session == *session);
        match met {
            Some(conversation) => conversation.title = Some(text),
            None => self.conversations.push(ImportConversation {
                session: session.clone(),
                project: None,
                title: Some(text),
                forked_from: None,
                rewound: None,
            }),
        }
    }
}
