//! One file, read to its end. Owns the order of its records and its checkpoint.
//! May not judge a record: `resolve` does. Rows and checkpoint are written together, so that a
//! crash repeats a batch and never skips one.

mod batch;
mod checkpoint;

use std::fs::File;

use batch::{Draft, Item, read_batch};
pub(super) use checkpoint::unreadable;
use checkpoint::{open, saved, saved_behind_notes};

use super::account::{FileAccount, Refusal};
use super::claude_code::{Body, Place, Title};
use super::frame::Framer;
use super::resolve::{Resolver, Verdict};
use super::target::{Fate, Known, Saved, Target, Write};
use crate::domain::{
    ImportConversation, NewMessage, SessionKey, SourceFile, Timestamp, Visibility,
};
use crate::engine::EngineError;

/// A file that is being imported.
pub(super) struct Source<'t, 'e> {
    target: &'t mut Target<'e>,
    file: SourceFile,
    now: Timestamp,
    resolver: Resolver,
    account: FileAccount,
    /// What the store has.
    saved: Saved,
    rows: Vec<(SessionKey, NewMessage)>,
    /// What each waiting row adds to the account if it is stored.
    tallies: Vec<Tally>,
    conversations: Vec<ImportConversation>,
    /// Notes that came before their conversation; with its first record they are read again, so
    /// the reader goes back before the first of them.
    held: Vec<Draft>,
}

struct Tally {
    visibility: Visibility,
    messages: u64,
    output_tokens: u64,
}

impl<'t, 'e> Source<'t, 'e> {
    /// Imports a file whose format is known and returns its account. `moved` hears how many bytes
    /// have been consumed.
    ///
    /// # Errors
    /// The engine's. A file that cannot be read is no error: its account says so.
    pub(super) async fn import(
        target: &'t mut Target<'e>,
        file: SourceFile,
        place: Place,
        account: &mut FileAccount,
        now: Timestamp,
        moved: &mut (dyn FnMut(u64) + Send),
    ) -> Result<(), EngineError> {
        let checkpoint = target.checkpoint(&file.path).await?;
        let (source, start) = match open(&account.path, checkpoint.as_ref()) {
            Ok(opened) => opened,
            Err(error) => {
                account.problem = Some(unreadable(&error));
                return Ok(());
            }
        };
        let mut import = Self {
            target,
            file,
            now,
            saved: saved(&start.position, &start.state),
            resolver: Resolver::new(place, start.state),
            account: std::mem::replace(account, FileAccount::new(account.path.clone())),
            rows: Vec::new(),
            tallies: Vec::new(),
            conversations: Vec::new(),
            held: Vec::new(),
        };
        let done = import.run(Framer::new(source, start.position), moved).await;
        *account = import.account;
        done
    }

    async fn run(
        &mut self,
        mut framer: Framer<File>,
        moved: &mut (dyn FnMut(u64) + Send),
    ) -> Result<(), EngineError> {
        let begin = framer.position().offset;
        loop {
            let batch = match read_batch(&mut framer, &mut self.resolver.state) {
                Ok(batch) => batch,
                Err(error) => {
                    self.account.problem = Some(unreadable(&error));
                    break;
                }
            };
            let mut known = self.look_up(&batch.items).await?;
            for item in batch.items {
                self.take(item, &mut known).await?;
            }
            let offset = framer.position().offset;
            self.account.bytes_read = offset - begin;
            moved(offset);
            if self.held.is_empty() && offset != self.saved.offset {
                let saved = saved(framer.position(), &self.resolver.state);
                self.write(saved).await?;
            }
            if batch.is_last {
                break;
            }
        }
        // Notes of a conversation that has not begun: they are read again with its first record.
        let held = std::mem::take(&mut self.held);
        for _ in &held {
            self.count(|counts| &mut counts.meta);
        }
        if !held.is_empty() && self.account.problem.is_none() {
            let saved = saved_behind_notes(framer.position(), &self.saved);
            self.write(saved).await?;
        }
        Ok(())
    }

    /// Asks the store for the records of a batch and for what they follow.
    async fn look_up(&self, items: &[Item]) -> Result<Known, EngineError> {
        let mut keys = Vec::new();
        for item in items {
            let Item::Record(draft) = item else { continue };
            if let Body::Row(_) = draft.entry.body {
                keys.push(draft.key.clone());
            }
            keys.extend(draft.entry.parent.clone());
            if let Some(Title::OfRecord { leaf, .. }) = &draft.entry.title {
                keys.push(leaf.clone());
            }
        }
        keys.sort_unstable();
        keys.dedup();
        self.target.find(&keys).await
    }

    async fn take(&mut self, item: Item, known: &mut Known) -> Result<(), EngineError> {
        match item {
            Item::Refused(refusal) => self.account.refuse(refusal),
            Item::Pending(rest) => self.account.leave_pending(rest),
            Item::Record(draft) => self.take_record(*draft, known).await?,
        }
        Ok(())
    }

    async fn take_record(&mut self, draft: Draft, known: &mut Known) -> Result<(), EngineError> {
        let verdict = self.judge(&draft, known).await?;
        let session = match &verdict {
            Verdict::Row(session) | Verdict::Opening(session, _) | Verdict::Duplicate(session) => {
                Some(session.clone())
            }
            Verdict::Silent(session) => session.clone(),
            Verdict::Refused(_) | Verdict::Held | Verdict::FlushFirst => None,
        };
        self.note_title(&draft, session.as_ref(), known);
        if self.account.conversation.is_none() {
            self.account.conversation.clone_from(&session);
        }
        match verdict {
            Verdict::Refused(reason) => self.account.refuse(Refusal {
                line: draft.line,
                offset: draft.offset,
                reason,
            }),
            Verdict::Silent(_) => self.count(|counts| &mut counts.meta),
            Verdict::Duplicate(_) => {
                self.count(|counts| &mut counts.duplicate);
                self.release_held(known).await?;
            }
            Verdict::Held | Verdict::FlushFirst => self.held.push(draft),
            Verdict::Row(session) => self.push(&draft, session),
            Verdict::Opening(session, forked_from) => {
                self.open(&draft, &session, forked_from);
                self.release_held(known).await?;
                self.push(&draft, session);
            }
        }
        Ok(())
    }

    /// Judges a record, writing what waits if its place must be known for that.
    async fn judge(&mut self, draft: &Draft, known: &mut Known) -> Result<Verdict, EngineError> {
        let verdict = self.resolver.judge(&draft.entry, &draft.key, known);
        if verdict != Verdict::FlushFirst {
            return Ok(verdict);
        }
        self.write(self.saved.clone()).await?;
        let mut keys = vec![draft.key.clone()];
        keys.extend(draft.entry.parent.clone());
        known.extend(self.target.find(&keys).await?);
        Ok(self.resolver.judge(&draft.entry, &draft.key, known))
    }

    /// Gives held notes their rows once a conversation of the file has begun.
    async fn release_held(&mut self, known: &mut Known) -> Result<(), EngineError> {
        if self.held.is_empty() || self.resolver.state.open.is_empty() {
            return Ok(());
        }
        let held = std::mem::take(&mut self.held);
        let keys: Vec<String> = held.iter().map(|draft| draft.key.clone()).collect();
        known.extend(self.target.find(&keys).await?);
        let current = self.resolver.state.session.clone();
        for draft in held {
            match self.judge(&draft, known).await? {
                Verdict::Row(session) => self.push(&draft, session),
                Verdict::Opening(session, forked_from) => {
                    self.open(&draft, &session, forked_from);
                    self.push(&draft, session);
                }
                Verdict::Duplicate(_) => self.count(|counts| &mut counts.duplicate),
                _ => self.count(|counts| &mut counts.meta),
            }
        }
        self.resolver.state.session = current;
        Ok(())
    }

    fn count(&mut self, place: impl Fn(&mut super::account::Counts) -> &mut u64) {
        self.account.counts.records += 1;
        *place(&mut self.account.counts) += 1;
    }

    fn open(
        &mut self,
        draft: &Draft,
        session: &SessionKey,
        forked_from: Option<(SessionKey, crate::domain::Seq)>,
    ) {
        let title = self.resolver.state.titles.remove(session.as_str());
        self.conversations.push(ImportConversation {
            session: session.clone(),
            project: draft.entry.cwd.clone(),
            title,
            forked_from,
        });
    }

    fn push(&mut self, draft: &Draft, session: SessionKey) {
        let Body::Row(message) = draft.entry.body.clone() else {
            return;
        };
        let message = draft.with_provenance(*message);
        let provenance = message.provenance.as_ref();
        let joins = provenance.and_then(|provenance| provenance.joins.clone());
        let tokens = provenance.and_then(|provenance| provenance.output_tokens);
        let state = &mut self.resolver.state;
        let is_talk = message.visibility == Visibility::Talk;
        let begins = is_talk && state.begins_message(session.as_str(), joins.as_deref());
        self.tallies.push(Tally {
            visibility: message.visibility,
            messages: u64::from(begins),
            output_tokens: tokens.map_or(0, |count| state.added_tokens(joins.as_deref(), count)),
        });
        self.rows.push((session, message));
    }

    /// Takes a record's title to the conversation it names, now or when that begins.
    fn note_title(&mut self, draft: &Draft, session: Option<&SessionKey>, known: &Known) {
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
                    Some((session, _)) => self.name_conversation(session, text.clone()),
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
            }),
        }
    }

    /// Writes what waits, with the checkpoint, and counts what became of it.
    async fn write(&mut self, saved: Saved) -> Result<(), EngineError> {
        // A conversation begins with its first row: until then what is said of it waits.
        let (conversations, waiting) = std::mem::take(&mut self.conversations)
            .into_iter()
            .partition(|known| {
                known.forked_from.is_none()
                    || self
                        .rows
                        .iter()
                        .any(|(session, _)| *session == known.session)
            });
        self.conversations = waiting;
        let write = Write {
            file: self.file.clone(),
            conversations,
            rows: std::mem::take(&mut self.rows),
            saved: saved.clone(),
            now: self.now,
        };
        let fates = self.target.write(write).await?;
        let counts = &mut self.account.counts;
        for (tally, fate) in std::mem::take(&mut self.tallies).into_iter().zip(fates) {
            counts.records += 1;
            match (fate, tally.visibility) {
                (Fate::Duplicate, _) => counts.duplicate += 1,
                (Fate::Stored, Visibility::Talk) => {
                    counts.stored += 1;
                    counts.messages += tally.messages;
                    counts.output_tokens += tally.output_tokens;
                }
                (Fate::Stored, _) => counts.meta += 1,
            }
        }
        self.saved = saved;
        self.resolver.written();
        Ok(())
    }
}
