//! Copies. Owns which records are named beside the row whose words they repeat.
//! May not name a record of the row's own file, which is read again whenever it has changed, unless
//! its host says that it is a mirror.

use super::Intake;
use crate::domain::{CopyOf, ImportCopy, SessionKey};
use crate::engine::EngineError;
use crate::import::batch::Draft;
use crate::import::entry::Mirrored;
use crate::import::ledger::Outcome;
use crate::import::resolve::Original;
use crate::import::target::Known;

impl Intake<'_, '_> {
    /// Notes a record whose row is stored, and returns what became of it.
    pub(super) fn note_copy(&mut self, draft: &Draft, original: Option<&Original>) -> Outcome {
        let elsewhere = original.filter(|row| row.path.as_deref() != Some(&self.file.path));
        let Some(original) = elsewhere else {
            return Outcome::Duplicate;
        };
        self.copies.push(ImportCopy {
            of: CopyOf::Stored(original.message),
            place: draft.place(),
        });
        Outcome::Copy
    }

    /// Notes a record without a row of its own if it is the mirror of one that is stored or waits.
    pub(super) async fn note_mirror(
        &mut self,
        draft: &Draft,
        session: Option<&SessionKey>,
        known: &mut Known,
    ) -> Result<(), EngineError> {
        let (Some(Mirrored::Row(key)), Some(session)) = (&draft.entry.mirrors, session) else {
            return Ok(());
        };
        let mut rows = self.rows.iter();
        let waiting = rows.rposition(|(of, row)| of == session && row.key.as_ref() == Some(key));
        let of = if let Some(row_idx) = waiting {
            Some(CopyOf::Row(row_idx))
        } else {
            if !known.contains_key(key) {
                // It was written since the batch was looked up.
                known.extend(self.target.find(std::slice::from_ref(key)).await?);
            }
            let places = known.get(key).map(Vec::as_slice).unwrap_or_default();
            let stored = places.iter().find(|row| row.session == *session);
            stored.map(|row| CopyOf::Stored(row.message))
        };
        let place = draft.place();
        self.copies.extend(of.map(|of| ImportCopy { of, place }));
        Ok(())
    }
}
