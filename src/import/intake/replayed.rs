//! Replays. Owns which records of a session are those of another one under new ids: some hosts write
//! a session anew and leave only speakers, words and times as they were.
//! May not take a new message for a copy: speaker, words and millisecond must all be the same, and
//! each stored row has one copy in a session. May not look into the file's own rows: which of them
//! are stored yet depends on where it was cut.

use std::collections::HashMap;

use super::{Asked, Intake, Wording};
use crate::domain::{KnownKey, Timestamp};
use crate::engine::EngineError;
use crate::import::batch::{Draft, Item};
use crate::import::entry::{Body, Entry, Renamed, Title};
use crate::import::key::{base_session, is_uuid};
use crate::import::target::Known;
use crate::store::fingerprint;

/// Rows of other files by their time, for the records of a batch that have unknown ids.
pub(super) type Moments = HashMap<Timestamp, Vec<KnownKey>>;

/// Returns when a record was said that may be a copy under another id.
fn moment(draft: &Draft) -> Option<Timestamp> {
    let Entry {
        id: Some(id),
        renamed: Renamed::WhenReplayed,
        body: Body::Row(message),
        ..
    } = &draft.entry
    else {
        return None;
    };
    message.at.filter(|_| is_uuid(id))
}

impl Intake<'_, '_> {
    /// Asks the store what was said when the unknown records of a batch were.
    pub(super) async fn look_for_moments(
        &mut self,
        items: &[Item],
        known: &Known,
    ) -> Result<(), EngineError> {
        self.moments.clear();
        let drafts = items.iter().flat_map(|item| match item {
            Item::Record(drafts) => drafts.as_slice(),
            Item::Refused(_) | Item::Pending(_) => &[],
        });
        let unknown = drafts.filter(|draft| !known.contains_key(&draft.key));
        let mut moments: Vec<Timestamp> = unknown.filter_map(moment).collect();
        moments.sort_unstable();
        moments.dedup();
        for row in self.target.of_moments(moments).await? {
            let is_elsewhere = row
                .path
                .as_ref()
                .is_some_and(|path| *path != self.file.path);
            if let Some(at) = row.at.filter(|_| is_elsewhere) {
                self.moments.entry(at).or_default().push(row);
            }
        }
        Ok(())
    }

    /// Gives a record that is a copy under another id the key of what it repeats, so that it is
    /// judged as any other copy; and what names such a record, the same.
    pub(super) async fn recognise(
        &mut self,
        asked: &mut Asked,
        known: &mut Known,
    ) -> Result<(), EngineError> {
        self.name_originals(&mut asked.draft.entry, known).await?;
        let Some(at) = moment(&asked.draft) else {
            return Ok(());
        };
        let own = asked.draft.key.clone();
        if known.contains_key(&own) || self.fresh.contains_key(&own) {
            return Ok(());
        }
        let Some(session) = self.resolver.session_of(&asked.draft.entry) else {
            return Ok(());
        };
        let session = session.to_owned();
        let replays = &self.resolver.state.replays;
        let rows = self.moments.get(&at).map(Vec::as_slice).unwrap_or_default();
        let rows = rows.iter().filter(|row| {
            !replays.has_copied(&session, &row.key)
                && self.resolver.could_repeat(&asked.draft.entry, row, known)
        });
        let followed = replays.followed(&session);
        let (mut likely, other): (Vec<&KnownKey>, Vec<&KnownKey>) =
            rows.partition(|row| Some(base_session(&row.session)) == followed);
        // In the place of a record that was copied there are other words.
        let is_edit = !likely.is_empty();
        likely.extend(other);
        let Some(row) = original(&asked.draft, &likely).cloned() else {
            if is_edit {
                asked.wording = Wording::Other;
            }
            return Ok(());
        };
        let state = &mut self.resolver.state;
        if let Some(title) = state.take_title(&own) {
            state.keep_title(row.key.clone(), title);
        }
        let origin = base_session(&row.session);
        state.replays.note(&session, origin, own, row.key.clone());
        asked.draft.key.clone_from(&row.key);
        asked.draft.entry.id = Some(row.key.clone());
        asked.draft.entry.is_copy = true;
        known.entry(row.key.clone()).or_insert_with(|| vec![row]);
        Ok(())
    }

    /// Replaces the ids of copied records, in what a record says of others, by those of their
    /// originals.
    async fn name_originals(
        &self,
        entry: &mut Entry,
        known: &mut Known,
    ) -> Result<(), EngineError> {
        let leaf = match &mut entry.title {
            Some(Title::OfRecord { leaf, .. }) => Some(leaf),
            Some(Title::OfSession(_)) | None => None,
        };
        for named in entry.parent.iter_mut().chain(leaf) {
            let Some(original) = self.resolver.state.replays.original(named) else {
                continue;
            };
            original.clone_into(named);
            if !known.contains_key(named) {
                known.extend(self.target.find(std::slice::from_ref(named)).await?);
            }
        }
        Ok(())
    }
}

/// Returns the first of the rows that says what a record says.
fn original<'r>(draft: &Draft, rows: &[&'r KnownKey]) -> Option<&'r KnownKey> {
    let Body::Row(message) = &draft.entry.body else {
        return None;
    };
    if rows.is_empty() {
        return None;
    }
    let mut message = message.as_ref().clone();
    let mut says = |row: &&&KnownKey| {
        message.key = Some(row.key.clone());
        message.name.clone_from(&row.name);
        row.fingerprint == Some(fingerprint(&message))
    };
    rows.iter().find(&mut says).copied()
}
