//! The records of one file, taken in order. Owns the rows that wait and what is said of each record.
//! May not judge a record: `resolve` does. Rows and checkpoint are written together, so that a
//! crash repeats a batch and never skips one.

mod copies;
mod held;
mod renamed;
mod replayed;
mod rewind;
mod title;
mod wording;

use std::collections::HashMap;
use std::io;
use std::path::Path;

use renamed::Rewritten;
use replayed::Moments;
use wording::said;

use super::account::{FileAccount, Problem, Refusal};
use super::batch::{Draft, Item};
use super::driver::ImportOptions;
use super::entry::{Body, Mirrored, Title};
use super::format::Format;
use super::ledger::{Ledger, Outcome, RecordNumber};
use super::prefix::Recheck;
use super::resolve::{Resolver, Verdict};
use super::spec::Spec;
use super::state::ReadState;
use super::target::{Fate, Known, Saved, Target, Write};
use crate::domain::{
    Checkpoint, ImportConversation, ImportCopy, NewMessage, SessionKey, SourceFile, Timestamp,
    Visibility,
};
use crate::engine::EngineError;

/// A file that is being imported.
pub(super) struct Intake<'t, 'e> {
    target: &'t mut Target<'e>,
    spec: &'static Spec,
    file: SourceFile,
    now: Timestamp,
    recheck: Recheck,
    resolver: Resolver,
    account: FileAccount,
    ledger: Ledger,
    /// What the store has.
    saved: Saved,
    rows: Vec<(SessionKey, NewMessage)>,
    /// Records that say what other rows say.
    copies: Vec<ImportCopy>,
    /// What each waiting row adds to the account if it is stored.
    tallies: Vec<Tally>,
    /// What the waiting rows say, by key.
    fresh: HashMap<String, Vec<(SessionKey, [u8; 32])>>,
    conversations: Vec<ImportConversation>,
    /// Notes that came before their conversation; with its first record they are read again, so
    /// the reader goes back before the first of them.
    held: Vec<(Draft, RecordNumber)>,
    /// The key of the newest row that each session got from this file now.
    newest: HashMap<SessionKey, String>,
    /// For a file that was written anew: which of its records are stored under other ids.
    rewritten: Option<Rewritten>,
    /// What was said elsewhere when the records of this batch were.
    moments: Moments,
}

struct Tally {
    record: RecordNumber,
    visibility: Visibility,
    wording: Wording,
    messages: u64,
    output_tokens: u64,
}

/// Whether a row is the first of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wording {
    First,
    /// Its record was stored before, in other words.
    Other,
}

/// A row to be judged.
struct Asked {
    draft: Draft,
    record: RecordNumber,
    wording: Wording,
}

impl<'t, 'e> Intake<'t, 'e> {
    /// Begins the import of a file that is read from its start.
    pub(super) fn new(
        target: &'t mut Target<'e>,
        spec: &'static Spec,
        path: &Path,
        mut account: FileAccount,
        options: &ImportOptions,
    ) -> Self {
        account.format = Some(spec.format);
        let state = ReadState::new(spec.format);
        Self {
            target,
            spec,
            file: SourceFile {
                path: path.to_string_lossy().into_owned(),
                format: spec.format.as_str().to_owned(),
            },
            now: options.now,
            recheck: options.recheck,
            resolver: Resolver::new(spec.format, spec.keys, (spec.place)(path), state),
            account,
            ledger: Ledger::default(),
            saved: Saved::nothing(),
            rows: Vec::new(),
            copies: Vec::new(),
            tallies: Vec::new(),
            fresh: HashMap::new(),
            conversations: Vec::new(),
            held: Vec::new(),
            newest: HashMap::new(),
            rewritten: None,
            moments: Moments::new(),
        }
    }

    /// Goes on where an earlier import left the file.
    pub(super) fn resume(&mut self, state: ReadState, saved: Saved) {
        self.resolver.state = state;
        self.saved = saved;
    }

    /// Returns how far the file was read by an earlier import.
    pub(super) async fn checkpoint(&self) -> Result<Option<Checkpoint>, EngineError> {
        self.target.checkpoint(&self.file.path).await
    }

    /// Returns how much of the file is read again.
    pub(super) fn recheck(&self) -> Recheck {
        self.recheck
    }

    pub(super) fn format(&self) -> Format {
        self.spec.format
    }

    pub(super) fn state_mut(&mut self) -> &mut ReadState {
        &mut self.resolver.state
    }

    pub(super) fn account_mut(&mut self) -> &mut FileAccount {
        &mut self.account
    }

    /// Returns what the store has of the file.
    pub(super) fn saved(&self) -> Saved {
        self.saved.clone()
    }

    /// Returns whether no record waits for its conversation.
    pub(super) fn holds_nothing(&self) -> bool {
        self.held.is_empty()
    }

    /// Ends the import of a file that could not be read, or not further.
    pub(super) fn fail(mut self, problem: Problem) -> FileAccount {
        self.account.problem = Some(problem);
        self.account
    }

    /// Ends the import.
    pub(super) fn finish(mut self) -> FileAccount {
        // Notes of a conversation that has not begun: they are read again with its first record.
        for (_, record) in std::mem::take(&mut self.held) {
            self.settle(record, Outcome::Silent);
        }
        self.account
    }

    /// Takes a run of records.
    pub(super) async fn take_all(&mut self, items: Vec<Item>) -> Result<(), EngineError> {
        let mut known = self.look_up(&items).await?;
        self.look_for_moments(&items, &known).await?;
        for item in items {
            match item {
                Item::Refused(refusal) => self.account.refuse(refusal),
                Item::Pending(rest) => self.account.leave_pending(rest),
                Item::Record(drafts) => {
                    let record = self.ledger.begin(drafts.len(), &mut self.account.counts);
                    for draft in drafts {
                        let wording = Wording::First;
                        let asked = Asked {
                            draft,
                            record,
                            wording,
                        };
                        self.take_row(asked, &mut known).await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Asks the store for the records of a batch and for what they follow.
    async fn look_up(&self, items: &[Item]) -> Result<Known, EngineError> {
        let mut keys = Vec::new();
        for item in items {
            let Item::Record(drafts) = item else { continue };
            for draft in drafts {
                if let Body::Row(_) = draft.entry.body {
                    keys.push(draft.key.clone());
                }
                keys.extend(draft.entry.parent.clone());
                if let Some(Mirrored::Row(key)) = &draft.entry.mirrors {
                    keys.push(key.clone());
                }
                if let Some(Title::OfRecord { leaf, .. }) = &draft.entry.title {
                    keys.push(leaf.clone());
                }
            }
        }
        keys.sort_unstable();
        keys.dedup();
        self.target.find(&keys).await
    }

    async fn take_row(&mut self, mut asked: Asked, known: &mut Known) -> Result<(), EngineError> {
        let verdict = self.judge(&mut asked, known).await?;
        let session = match &verdict {
            Verdict::Row(session)
            | Verdict::Opening(session, _)
            | Verdict::Duplicate(session, _) => Some(session.clone()),
            Verdict::Silent(session) => session.clone(),
            Verdict::Refused(_) | Verdict::Held | Verdict::FlushFirst => None,
        };
        self.note_title(&asked.draft, session.as_ref(), known);
        let spent = asked.draft.entry.spent;
        self.account.counts.total_tokens += spent.total;
        self.account.counts.output_tokens += spent.output;
        if self.account.conversation.is_none() {
            self.account.conversation.clone_from(&session);
        }
        match verdict {
            Verdict::Refused(reason) => {
                self.account.list(Refusal {
                    line: asked.draft.location.line,
                    offset: asked.draft.location.offset,
                    reason,
                });
                self.settle(asked.record, Outcome::Refused);
            }
            Verdict::Silent(session) => {
                self.note_mirror(&asked.draft, session.as_ref(), known)
                    .await?;
                self.settle(asked.record, Outcome::Silent);
            }
            Verdict::Duplicate(_, original) => {
                let outcome = self.note_copy(&asked.draft, original.as_ref());
                self.settle(asked.record, outcome);
                self.release_held(known).await?;
            }
            Verdict::Held | Verdict::FlushFirst => self.held.push((asked.draft, asked.record)),
            Verdict::Row(session) => self.go_on(asked, session, known).await?,
            Verdict::Opening(session, forked_from) => {
                self.open(&asked.draft, &session, forked_from);
                self.release_held(known).await?;
                self.push(asked, session);
            }
        }
        Ok(())
    }

    /// Judges a row, writing what waits if its place must be known for that. A row whose record is
    /// stored in other words gets a key of its own: both wordings are kept.
    async fn judge(
        &mut self,
        asked: &mut Asked,
        known: &mut Known,
    ) -> Result<Verdict, EngineError> {
        self.recognise(asked, known).await?;
        let verdict = self.judge_once(&asked.draft, known).await?;
        let Verdict::Duplicate(..) = verdict else {
            return self.look_for_original(&asked.draft, verdict).await;
        };
        let Some(wording) = self.other_wording(&asked.draft, known) else {
            return Ok(verdict);
        };
        asked.draft.key = format!("{}~{wording}", asked.draft.key);
        asked.wording = Wording::Other;
        let keys = [asked.draft.key.clone()];
        known.extend(self.target.find(&keys).await?);
        self.judge_once(&asked.draft, known).await
    }

    async fn judge_once(
        &mut self,
        draft: &Draft,
        known: &mut Known,
    ) -> Result<Verdict, EngineError> {
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

    fn settle(&mut self, record: RecordNumber, outcome: Outcome) {
        self.ledger
            .settle(record, outcome, &mut self.account.counts);
    }

    fn push(&mut self, asked: Asked, session: SessionKey) {
        let mut draft = asked.draft;
        let Body::Row(message) = std::mem::replace(&mut draft.entry.body, Body::Silent) else {
            return;
        };
        let mut message = draft.with_provenance(*message);
        let provenance = message.provenance.as_ref();
        let joins = provenance.and_then(|provenance| provenance.joins.clone());
        let tokens = provenance.and_then(|provenance| provenance.output_tokens);
        let state = &mut self.resolver.state;
        let is_talk = message.visibility == Visibility::Talk;
        let begins = is_talk && state.begins_message(session.as_str(), joins.as_deref());
        self.tallies.push(Tally {
            record: asked.record,
            visibility: message.visibility,
            wording: asked.wording,
            messages: u64::from(begins),
            output_tokens: tokens.map_or(0, |count| state.added_tokens(joins.as_deref(), count)),
        });
        let fresh = self.fresh.entry(draft.key.clone()).or_default();
        fresh.push((session.clone(), said(&mut message)));
        self.newest.insert(session.clone(), draft.key);
        self.rows.push((session, message));
    }

    /// Writes what waits, with the checkpoint, and counts what became of it.
    pub(super) async fn write(&mut self, saved: Saved) -> Result<(), EngineError> {
        // A conversation begins with its first row: until then what is said of it waits.
        let (conversations, waiting) = std::mem::take(&mut self.conversations)
            .into_iter()
            .partition(|known| {
                !known.is_branch()
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
            copies: std::mem::take(&mut self.copies),
            saved: saved.clone(),
            now: self.now,
        };
        let fates = self.target.write(write).await?;
        for (tally, fate) in std::mem::take(&mut self.tallies).into_iter().zip(fates) {
            let outcome = match (fate, tally.visibility) {
                (Fate::Duplicate, _) => Outcome::Duplicate,
                (Fate::Stored, Visibility::Talk) => Outcome::Stored,
                (Fate::Stored, _) => Outcome::Meta,
            };
            let counts = &mut self.account.counts;
            if outcome == Outcome::Stored {
                counts.messages += tally.messages;
                counts.output_tokens += tally.output_tokens;
            }
            if fate == Fate::Stored && tally.wording == Wording::Other {
                counts.edited += 1;
            }
            self.settle(tally.record, outcome);
        }
        self.fresh.clear();
        self.saved = saved;
        self.resolver.written();
        Ok(())
    }
}

pub(super) fn unreadable(error: &io::Error) -> Problem {
    Problem::Unreadable {
        reason: error.to_string(),
    }
}
