//! Whose record is this, and is it new. Owns the identity of records: sessions, sub-agents, copies
//! and forks. Pure: what is stored comes in as a value.

use std::collections::HashMap;

use super::entry::{Body, Entry, Side};
use super::format::Format;
use super::key::{Place, are_two_of_one_host, is_same_kind, is_uuid, session_key};
use super::spec::Keys;
use super::state::ReadState;
use super::target::Known;
use crate::domain::{KnownKey, MessageId, Seq, SessionKey, Visibility};

/// What is to be done with a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It cannot be kept; why.
    Refused(String),
    /// It has no words of its own.
    Silent(Option<SessionKey>),
    /// It is stored already, here or where it was copied from; as which row, if that is written.
    Duplicate(SessionKey, Option<Original>),
    /// It has words but no conversation yet: a later record will say which.
    Held,
    /// It needs to know where rows lie that are not written yet.
    FlushFirst,
    /// It is a row of this conversation.
    Row(SessionKey),
    /// It is the first row of this conversation.
    Opening(SessionKey, Option<(SessionKey, Seq)>),
}

/// A stored row that a record says again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Original {
    pub(super) message: MessageId,
    /// The file it was read from; none for a row that was not imported.
    pub(super) path: Option<String>,
}

impl Original {
    pub(super) fn of(row: &KnownKey) -> Self {
        Self {
            message: row.message,
            path: row.path.clone(),
        }
    }
}

/// Judges the records of one file, in order.
#[derive(Debug)]
pub(super) struct Resolver {
    format: Format,
    keys: Keys,
    place: Place,
    /// What is remembered between imports.
    pub(super) state: ReadState,
    /// Unnamed chains of this batch: record to root.
    chains: HashMap<String, String>,
    /// Keys of rows that are judged but not written.
    fresh: HashMap<String, Vec<SessionKey>>,
}

impl Resolver {
    pub(super) fn new(format: Format, keys: Keys, place: Place, state: ReadState) -> Self {
        Self {
            format,
            keys,
            place,
            state,
            chains: HashMap::new(),
            fresh: HashMap::new(),
        }
    }

    /// Forgets what it remembered of rows that are written now.
    pub(super) fn written(&mut self) {
        self.chains.clear();
        self.fresh.clear();
    }

    /// Judges a record. After `FlushFirst` it is judged again, with what is known then.
    pub(super) fn judge(&mut self, entry: &Entry, key: &str, known: &Known) -> Verdict {
        if let Some(session) = &entry.session {
            self.state.session = Some(session.clone());
        }
        let Some(session) = self.session_of(entry).map(str::to_owned) else {
            return match entry.body {
                Body::Silent => Verdict::Silent(None),
                Body::Row(_) => Verdict::Held,
            };
        };
        let agent = self.agent(entry, key, known);
        let session = match session_key(self.format, self.keys, &session, agent.as_deref()) {
            Ok(session) => session,
            Err(error) => return Verdict::Refused(format!("no session to put it in: {error}")),
        };
        let Body::Row(message) = &entry.body else {
            return Verdict::Silent(Some(session));
        };
        if let Err(error) = message.check_parts() {
            return Verdict::Refused(error.to_string());
        }
        if let Some(verdict) = self.known_before(entry, key, &session, known) {
            return verdict;
        }
        let verdict = if self.state.open.contains(session.as_str()) {
            Verdict::Row(session.clone())
        } else {
            let is_note = message.visibility == Visibility::Meta && entry.id.is_none();
            if is_note && self.state.open.is_empty() {
                return Verdict::Held;
            }
            match self.fork_point(entry, &session, known) {
                Err(NotWritten) => return Verdict::FlushFirst,
                Ok(point) => Verdict::Opening(session.clone(), point),
            }
        };
        self.state.open.insert(session.as_str().to_owned());
        self.state.shared.remove(session.as_str());
        self.fresh.entry(key.to_owned()).or_default().push(session);
        verdict
    }

    /// Returns the session that a record belongs to.
    pub(super) fn session_of<'r>(&'r self, entry: &'r Entry) -> Option<&'r str> {
        let placed = self.place.session.as_ref().or(entry.session.as_ref());
        placed.or(self.state.session.as_ref()).map(String::as_str)
    }

    /// Returns whether a record could be a row of another session, if it had that row's key.
    pub(super) fn could_repeat(&self, entry: &Entry, row: &KnownKey, known: &Known) -> bool {
        let Some(session) = self.session_of(entry) else {
            return false;
        };
        let agent = self.agent_of(entry, &row.key, known);
        session_key(self.format, self.keys, session, agent.as_deref()).is_ok_and(|own| {
            are_two_of_one_host(&own, &row.session) && is_same_kind(&own, &row.session)
        })
    }

    /// Notes and returns the sub-agent a record belongs to.
    fn agent(&mut self, entry: &Entry, key: &str, known: &Known) -> Option<String> {
        let own = entry.id.as_deref().unwrap_or(key);
        let agent = self.agent_of(entry, own, known)?;
        if self.place.agent.is_none() && entry.side == Side::Agent(None) {
            self.chains.insert(own.to_owned(), agent.clone());
            self.state.set_tip(&agent, own);
        }
        Some(agent)
    }

    /// Returns the sub-agent that a record with this key belongs to. One without a name is told by
    /// the root of its chain, since chains of several sub-agents run through one file side by side.
    fn agent_of(&self, entry: &Entry, own: &str, known: &Known) -> Option<String> {
        let named = match (&self.place.agent, &entry.side) {
            (Some(agent), _) => Some(agent),
            (None, Side::Main) => return None,
            (None, Side::Agent(named)) => named.as_ref(),
        };
        let parent = entry.parent.as_deref();
        named
            .cloned()
            .or_else(|| self.chain_root(parent?, known))
            .or_else(|| Some(own.to_owned()))
    }

    fn chain_root(&self, record: &str, known: &Known) -> Option<String> {
        if let Some(root) = self.chains.get(record) {
            return Some(root.clone());
        }
        if let Some(root) = self.state.chain_of(record) {
            return Some(root.to_owned());
        }
        known
            .get(record)?
            .iter()
            .find_map(|row| row.session.as_str().split_once('/'))
            .map(|(_, root)| root.to_owned())
    }

    /// Looks for a record among those that are stored or about to be.
    fn known_before(
        &mut self,
        entry: &Entry,
        key: &str,
        session: &SessionKey,
        known: &Known,
    ) -> Option<Verdict> {
        let places = known.get(key).map(Vec::as_slice).unwrap_or_default();
        let fresh = self.fresh.get(key).map(Vec::as_slice).unwrap_or_default();
        let own = places.iter().find(|row| row.session == *session);
        if own.is_some() || fresh.contains(session) {
            self.state.open.insert(session.as_str().to_owned());
            return Some(Verdict::Duplicate(session.clone(), own.map(Original::of)));
        }
        if !can_be_copied(entry) {
            return None;
        }
        if let Some(origin) = places
            .iter()
            .find(|row| is_same_kind(&row.session, session))
        {
            if !self.state.open.contains(session.as_str()) {
                let shared = (origin.session.as_str().to_owned(), origin.seq.get());
                let branch = (origin.conversation.get(), origin.seq.get());
                self.state
                    .shared_branch
                    .insert(session.as_str().to_owned(), branch);
                self.state
                    .shared
                    .insert(session.as_str().to_owned(), shared);
            }
            let original = Some(Original::of(origin));
            return Some(Verdict::Duplicate(session.clone(), original));
        }
        fresh
            .iter()
            .any(|place| is_same_kind(place, session))
            .then_some(Verdict::FlushFirst)
    }

    /// Returns the record of another conversation after which a new one goes on: its parent, else
    /// the last one it copied.
    fn fork_point(
        &self,
        entry: &Entry,
        session: &SessionKey,
        known: &Known,
    ) -> Result<Option<(SessionKey, Seq)>, NotWritten> {
        let is_main = !session.as_str().contains('/');
        let parent = entry
            .parent
            .as_deref()
            .filter(|parent| is_main && (entry.is_branch || is_uuid(parent)));
        if let Some(parent) = parent {
            let is_other = |place: &SessionKey| place != session && is_same_kind(place, session);
            let places = known.get(parent).map(Vec::as_slice).unwrap_or_default();
            if let Some(row) = places.iter().find(|row| is_other(&row.session)) {
                return Ok(Some((row.session.clone(), row.seq)));
            }
            let fresh = self
                .fresh
                .get(parent)
                .map(Vec::as_slice)
                .unwrap_or_default();
            if fresh.iter().any(is_other) {
                return Err(NotWritten);
            }
        }
        let shared = self.state.shared.get(session.as_str());
        Ok(shared.and_then(|(origin, seq)| {
            Some((SessionKey::new(origin.clone()).ok()?, Seq::new(*seq)?))
        }))
    }
}

/// The rows asked for are not written yet, so their places are not known.
struct NotWritten;

/// Returns whether a record with the same id in another session is this record. Ids made by this
/// host are unique everywhere; any other id only within its session, unless the record says that
/// it is a copy.
fn can_be_copied(entry: &Entry) -> bool {
    entry.is_copy || entry.id.as_deref().is_some_and(is_uuid)
}
