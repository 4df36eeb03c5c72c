//! Files written anew. Owns which of their records are stored under another id: some hosts copy the
//! records of a file into a new one, and the copies get ids of their own.
//! May not take a new message for a copy: who speaks, the words and the time must all be the same.

use std::collections::HashMap;

use super::Intake;
use crate::domain::{KnownKey, SessionKey, Timestamp};
use crate::engine::EngineError;
use crate::import::batch::Draft;
use crate::import::entry::{Body, Renamed};
use crate::import::resolve::{Original, Verdict};
use crate::store::fingerprint;

/// What is known of a file that was written anew.
#[derive(Default)]
pub(super) struct Rewritten {
    /// What is stored of each session, by time.
    stored: HashMap<SessionKey, HashMap<Timestamp, Vec<KnownKey>>>,
    /// The keys under which copies are stored.
    names: HashMap<String, String>,
}

impl Intake<'_, '_> {
    /// Takes note that the file is read from its start because what was read before has changed.
    pub(in crate::import) fn note_rewritten(&mut self) {
        self.rewritten = Some(Rewritten::default());
    }

    /// Returns the key under which a row is stored that may be a copy.
    pub(super) fn stored_name<'k>(&'k self, key: &'k str) -> &'k str {
        let rewritten = self.rewritten.as_ref();
        let name = rewritten.and_then(|rewritten| rewritten.names.get(key));
        name.map_or(key, String::as_str)
    }

    /// Judges again a row that seems new: the copy of a stored one is a duplicate. Each stored row
    /// has one copy.
    pub(super) async fn look_for_original(
        &mut self,
        draft: &Draft,
        verdict: Verdict,
    ) -> Result<Verdict, EngineError> {
        let (Verdict::Row(session) | Verdict::Opening(session, _)) = &verdict else {
            return Ok(verdict);
        };
        let (Some(rewritten), Renamed::WhenRewritten) = (&mut self.rewritten, draft.entry.renamed)
        else {
            return Ok(verdict);
        };
        if !rewritten.stored.contains_key(session) {
            let mut by_time: HashMap<Timestamp, Vec<KnownKey>> = HashMap::new();
            for row in self.target.of_session(session).await? {
                if let Some(at) = row.at {
                    by_time.entry(at).or_default().push(row);
                }
            }
            rewritten.stored.insert(session.clone(), by_time);
        }
        let Body::Row(message) = &draft.entry.body else {
            return Ok(verdict);
        };
        let mut message = message.as_ref().clone();
        let rows = message
            .at
            .and_then(|at| rewritten.stored.get_mut(session)?.get_mut(&at));
        let Some(rows) = rows else {
            return Ok(verdict);
        };
        let original = rows.iter().position(|row| {
            message.key = Some(row.key.clone());
            message.name.clone_from(&row.name);
            row.fingerprint == Some(fingerprint(&message))
        });
        let Some(original) = original else {
            return Ok(verdict);
        };
        let original = rows.remove(original);
        let found = Some(Original::of(&original));
        rewritten.names.insert(draft.key.clone(), original.key);
        Ok(Verdict::Duplicate(session.clone(), found))
    }
}
