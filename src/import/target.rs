//! Where an import goes. Owns the two ways of it: into the store, or only into an account.
//! May not decide what a record is.

use std::collections::HashMap;

use crate::domain::{
    Checkpoint, ConversationId, ImportBatch, ImportConversation, ImportCopy, KnownKey, MessageId,
    NewMessage, RowFate, Seq, SessionKey, SourceFile, Timestamp,
};
use crate::engine::{Engine, EngineError};
use crate::store::fingerprint;

/// Which rows have a key, by key.
pub(super) type Known = HashMap<String, Vec<KnownKey>>;

/// How far a file has been consumed, as a checkpoint keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Saved {
    pub(super) offset: u64,
    pub(super) lines: u64,
    pub(super) prefix: [u8; 32],
    pub(super) state: String,
}

impl Saved {
    /// Nothing of the file is consumed.
    pub(super) fn nothing() -> Self {
        Self {
            offset: 0,
            lines: 0,
            prefix: *blake3::hash(&[]).as_bytes(),
            state: String::new(),
        }
    }
}

/// What one transaction writes.
#[derive(Debug)]
pub(super) struct Write {
    pub(super) file: SourceFile,
    pub(super) conversations: Vec<ImportConversation>,
    pub(super) rows: Vec<(SessionKey, NewMessage)>,
    pub(super) copies: Vec<ImportCopy>,
    pub(super) saved: Saved,
    pub(super) now: Timestamp,
}

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Stored,
    Duplicate,
}

/// Where an import goes.
pub(super) enum Target<'a> {
    /// Into the store.
    Store(&'a Engine),
    /// Nowhere: what would be written is remembered by its keys.
    Rehearsal(Box<Rehearsal<'a>>),
}

/// An import that writes nothing.
#[derive(Default)]
pub(super) struct Rehearsal<'a> {
    /// The store that knows what is there already; none in a test of the import alone.
    engine: Option<&'a Engine>,
    known: Known,
    /// The same rows by their time.
    by_time: HashMap<Timestamp, Vec<KnownKey>>,
    heads: HashMap<SessionKey, u64>,
    #[cfg(test)]
    pub(super) checkpoints: HashMap<String, Checkpoint>,
    #[cfg(test)]
    pub(super) rows: Vec<(SessionKey, NewMessage)>,
    #[cfg(test)]
    pub(super) conversations: Vec<ImportConversation>,
}

impl<'a> Rehearsal<'a> {
    /// Rehearses an import into a store.
    pub(super) fn of(engine: &'a Engine) -> Self {
        Self {
            engine: Some(engine),
            ..Self::default()
        }
    }

    fn write(&mut self, write: &Write) -> Vec<Fate> {
        for conversation in &write.conversations {
            if let Some((_, seq)) = &conversation.forked_from {
                self.heads
                    .entry(conversation.session.clone())
                    .or_insert(seq.get());
            }
        }
        let fates: Vec<Fate> = write
            .rows
            .iter()
            .map(|(session, message)| self.note(session, message, &write.file.path))
            .collect();
        #[cfg(test)]
        self.keep(write, &fates);
        fates
    }

    fn note(&mut self, session: &SessionKey, message: &NewMessage, path: &str) -> Fate {
        let key = message.key.clone().unwrap_or_default();
        let places = self.known.entry(key.clone()).or_default();
        if places.iter().any(|known| known.session == *session) {
            return Fate::Duplicate;
        }
        let head = self.heads.entry(session.clone()).or_default();
        *head += 1;
        let row = Seq::new(*head).map(|seq| KnownKey {
            key,
            // It is not stored, and has no id.
            message: MessageId::new(0),
            path: Some(path.to_owned()),
            session: session.clone(),
            // All branches of a session are one here: only their rows are counted.
            conversation: ConversationId::new(0),
            seq,
            at: message.at,
            name: message.name.clone(),
            fingerprint: Some(fingerprint(message)),
        });
        places.extend(row.clone());
        if let Some(at) = message.at {
            self.by_time.entry(at).or_default().extend(row);
        }
        Fate::Stored
    }

    #[cfg(test)]
    fn keep(&mut self, write: &Write, fates: &[Fate]) {
        let source = crate::domain::SourceId::new(1);
        let checkpoint = Checkpoint {
            source,
            offset: write.saved.offset,
            lines: write.saved.lines,
            prefix: write.saved.prefix,
            state: write.saved.state.clone(),
        };
        self.checkpoints.insert(write.file.path.clone(), checkpoint);
        self.conversations
            .extend(write.conversations.iter().cloned());
        for (row, fate) in write.rows.iter().zip(fates) {
            if *fate == Fate::Stored {
                self.rows.push(row.clone());
            }
        }
    }
}

impl Target<'_> {
    /// Returns how far a file has been read.
    pub(super) async fn checkpoint(&self, path: &str) -> Result<Option<Checkpoint>, EngineError> {
        match self {
            Self::Store(engine) => engine.checkpoint(path).await,
            Self::Rehearsal(rehearsal) => {
                #[cfg(test)]
                if let Some(checkpoint) = rehearsal.checkpoints.get(path) {
                    return Ok(Some(checkpoint.clone()));
                }
                match rehearsal.engine {
                    Some(engine) => engine.checkpoint(path).await,
                    None => Ok(None),
                }
            }
        }
    }

    /// Returns which of these keys are stored, and where.
    pub(super) async fn find(&self, keys: &[String]) -> Result<Known, EngineError> {
        let mut known = Known::new();
        if keys.is_empty() {
            return Ok(known);
        }
        let engine = match self {
            Self::Store(engine) => Some(*engine),
            Self::Rehearsal(rehearsal) => {
                for key in keys {
                    if let Some(places) = rehearsal.known.get(key) {
                        known.insert(key.clone(), places.clone());
                    }
                }
                rehearsal.engine
            }
        };
        if let Some(engine) = engine {
            for row in engine.find_keys(keys).await? {
                known.entry(row.key.clone()).or_default().push(row);
            }
        }
        Ok(known)
    }

    /// Returns all rows with keys of a session that were stored before this import.
    pub(super) async fn of_session(
        &self,
        session: &SessionKey,
    ) -> Result<Vec<KnownKey>, EngineError> {
        let engine = match self {
            Self::Store(engine) => Some(*engine),
            Self::Rehearsal(rehearsal) => rehearsal.engine,
        };
        match engine {
            Some(engine) => engine.keys_of_session(session).await,
            None => Ok(Vec::new()),
        }
    }

    /// Returns the imported rows of these times.
    pub(super) async fn of_moments(
        &self,
        moments: Vec<Timestamp>,
    ) -> Result<Vec<KnownKey>, EngineError> {
        if moments.is_empty() {
            return Ok(Vec::new());
        }
        let (engine, rehearsed) = match self {
            Self::Store(engine) => (Some(*engine), Vec::new()),
            Self::Rehearsal(rehearsal) => {
                let rows = moments.iter().filter_map(|at| rehearsal.by_time.get(at));
                (rehearsal.engine, rows.flatten().cloned().collect())
            }
        };
        let mut rows = match engine {
            Some(engine) => engine.keys_of_moments(moments).await?,
            None => Vec::new(),
        };
        rows.extend(rehearsed);
        Ok(rows)
    }

    /// Writes rows and checkpoint together.
    pub(super) async fn write(&mut self, write: Write) -> Result<Vec<Fate>, EngineError> {
        match self {
            Self::Rehearsal(rehearsal) => Ok(rehearsal.write(&write)),
            Self::Store(engine) => {
                let rows = write
                    .rows
                    .into_iter()
                    .map(|(session, message)| engine.stamp_import(session, message))
                    .collect();
                let batch = ImportBatch {
                    file: write.file,
                    conversations: write.conversations,
                    rows,
                    copies: write.copies,
                    offset: write.saved.offset,
                    lines: write.saved.lines,
                    prefix: write.saved.prefix,
                    state: write.saved.state,
                    now: write.now,
                };
                let reply = engine.import(batch).await?;
                let fates = reply.fates.iter().map(|fate| match fate {
                    RowFate::Stored(..) => Fate::Stored,
                    RowFate::Duplicate(_) => Fate::Duplicate,
                });
                Ok(fates.collect())
            }
        }
    }
}
