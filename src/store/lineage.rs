//! What a branch sees of itself and its ancestors. Owns the bounds along the chain.
//! May not change them: they are written once, when the branch is made.

use rusqlite::{Connection, params};

use super::error::StoreError;
use super::row::{to_seq, to_sql};
use crate::domain::{Seq, Span};

/// One conversation whose rows a branch sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ancestor {
    pub id: i64,
    /// The last message seen of it.
    pub max_seq: i64,
    /// The greatest summary id seen of it.
    pub max_id: i64,
    /// The last change of pins seen of it.
    pub max_pin_id: i64,
}

/// A branch with its ancestors, the root first and the branch itself last.
#[derive(Debug, Clone)]
pub(super) struct Lineage {
    ancestors: Vec<Ancestor>,
}

/// Messages `first..=last` as rows of one conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    pub conversation: i64,
    pub first: i64,
    pub last: i64,
}

impl Lineage {
    /// Reads the bounds of a branch.
    ///
    /// # Errors
    /// `Corrupt` if it has none.
    pub(super) fn load(conn: &Connection, conversation: i64) -> Result<Self, StoreError> {
        // An ancestor was made before its descendants, so that order of ids is order of descent.
        let mut statement = conn.prepare_cached(
            "SELECT ancestor_id, max_seq, max_id, max_pin_id FROM lineage
             WHERE conversation_id = ?1 ORDER BY ancestor_id",
        )?;
        let ancestors = statement
            .query_map([conversation], |row| {
                Ok(Ancestor {
                    id: row.get(0)?,
                    max_seq: row.get(1)?,
                    max_id: row.get(2)?,
                    max_pin_id: row.get(3)?,
                })
            })?
            .collect::<Result<Vec<_>, _>>()?;
        let mut ancestors = ancestors;
        match ancestors.last_mut() {
            Some(own) if own.id == conversation => {
                // A branch sees all changes of its own, also one made before there were pins.
                own.max_pin_id = i64::MAX;
                Ok(Self { ancestors })
            }
            _ => Err(StoreError::corrupt(format!(
                "conversation {conversation} has no lineage"
            ))),
        }
    }

    /// Writes the bounds of a new branch: itself without bounds, and what it inherits.
    pub(super) fn begin(
        conn: &Connection,
        conversation: i64,
        inherited: &[Ancestor],
    ) -> Result<Self, StoreError> {
        let own = Ancestor {
            id: conversation,
            max_seq: i64::MAX,
            max_id: i64::MAX,
            max_pin_id: i64::MAX,
        };
        let ancestors: Vec<_> = inherited.iter().copied().chain([own]).collect();
        let mut statement = conn.prepare_cached(
            "INSERT INTO lineage (conversation_id, ancestor_id, max_seq, max_id, max_pin_id)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for ancestor in &ancestors {
            statement.execute(params![
                conversation,
                ancestor.id,
                ancestor.max_seq,
                ancestor.max_id,
                ancestor.max_pin_id
            ])?;
        }
        Ok(Self { ancestors })
    }

    /// Returns what a branch at `fork_seq` inherits: each bound is the minimum along the chain.
    pub(super) fn inherited(
        &self,
        fork_seq: i64,
        fork_summary_id: i64,
        fork_pin_id: i64,
    ) -> Vec<Ancestor> {
        self.ancestors
            .iter()
            .map(|ancestor| Ancestor {
                id: ancestor.id,
                max_seq: ancestor.max_seq.min(fork_seq),
                max_id: ancestor.max_id.min(fork_summary_id),
                max_pin_id: ancestor.max_pin_id.min(fork_pin_id),
            })
            .filter(|ancestor| ancestor.max_seq > 0)
            .collect()
    }

    /// Returns the branch and its ancestors, the root first.
    pub(super) fn ancestors(&self) -> &[Ancestor] {
        &self.ancestors
    }

    /// Returns the branch itself.
    pub(super) fn own_id(&self) -> i64 {
        self.ancestors.last().map_or(0, |own| own.id)
    }

    /// Cuts a span into stretches of one conversation each, old to new. An ancestor's own rows
    /// begin where the one before it ends.
    pub(super) fn stretches(&self, first: i64, last: i64) -> Vec<Stretch> {
        let mut begin = 1;
        let mut stretches = Vec::new();
        for ancestor in &self.ancestors {
            let stretch = Stretch {
                conversation: ancestor.id,
                first: begin.max(first),
                last: ancestor.max_seq.min(last),
            };
            if stretch.first <= stretch.last {
                stretches.push(stretch);
            }
            begin = begin.max(ancestor.max_seq.saturating_add(1));
        }
        stretches
    }

    /// Cuts a span of the domain.
    pub(super) fn stretches_of(&self, span: Span) -> Vec<Stretch> {
        self.stretches(to_sql(span.first().get()), to_sql(span.last().get()))
    }

    /// Finds the conversation whose row stands at `seq`.
    pub(super) fn owner(&self, seq: i64) -> Option<i64> {
        self.stretches(seq, seq)
            .first()
            .map(|stretch| stretch.conversation)
    }
}

/// Reports a row that must be at `seq` and is not.
pub(super) fn missing(conversation: i64, seq: i64) -> StoreError {
    StoreError::corrupt(format!("conversation {conversation} has no message {seq}"))
}

/// Checks that rows come without gaps.
pub(super) fn check_place(conversation: i64, expected: Seq, found: i64) -> Result<Seq, StoreError> {
    let seq = to_seq(found)?;
    if seq == expected {
        Ok(seq)
    } else {
        Err(missing(conversation, to_sql(expected.get())))
    }
}
