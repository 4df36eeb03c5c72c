//! Copies and edits. Owns whether a record that has the id of a stored one also says the same.
//! May not ask when it was said: a host that copies a record may give it a new time.

use super::Intake;
use crate::domain::{KnownKey, NewMessage};
use crate::import::batch::Draft;
use crate::import::entry::Body;
use crate::import::target::Known;
use crate::store::fingerprint;

/// Hexadecimal digits that tell the wordings of a record apart.
const WORDING_DIGITS: usize = 16;

impl Intake<'_, '_> {
    /// Returns a name for what a row says, if no row with its key says the same.
    pub(super) fn other_wording(&self, draft: &Draft, known: &Known) -> Option<String> {
        let Body::Row(message) = &draft.entry.body else {
            return None;
        };
        if draft.entry.is_known_by_words {
            return None;
        }
        let mut message = draft.with_provenance(message.as_ref().clone());
        let mut says = |row: &KnownKey| {
            message.at = row.at;
            message.name.clone_from(&row.name);
            row.fingerprint
                .is_none_or(|stored| stored == fingerprint(&message))
        };
        let stored = known.get(&draft.key).map(Vec::as_slice).unwrap_or_default();
        if stored.iter().any(&mut says) {
            return None;
        }
        let print = said(&mut message);
        let waiting = self.fresh.get(&draft.key);
        if waiting.is_some_and(|rows| rows.iter().any(|(_, says)| *says == print)) {
            return None;
        }
        let digits = blake3::Hash::from(print).to_hex();
        digits.get(..WORDING_DIGITS).map(str::to_owned)
    }
}

/// Hashes who says what, whatever the key, the time and the name.
pub(super) fn said(message: &mut NewMessage) -> [u8; 32] {
    let mut bare = NewMessage::new(message.role, std::mem::take(&mut message.parts));
    bare.visibility = message.visibility;
    let print = fingerprint(&bare);
    message.parts = bare.parts;
    print
}
