//! The filters of a question, ready to be held against one row after another.
//! May not query rows: it is given what they say.

use std::collections::BTreeSet;

use rusqlite::{Connection, Row};

use crate::domain::{Role, RowFilter, Scope, SearchScope, TimeRange, Timestamp};
use crate::store::error::StoreError;
use crate::store::ids::RowKind;
use crate::store::lineage::{Ancestor, Lineage};

use super::look::Look;

const LIVE_ID: &str = "SELECT live_id FROM conversation WHERE id = ?1";

/// What the filters look at in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub kind: RowKind,
    pub id: i64,
    pub conversation: i64,
    /// A summary's last one.
    pub seq: i64,
    pub from: Option<i64>,
    pub to: Option<i64>,
    pub has_role: bool,
}

/// A branch with what it sees.
#[derive(Debug)]
pub(super) struct Branch {
    pub lineage: Lineage,
    /// The greatest summary id that its views may use.
    pub live_id: i64,
}

impl Branch {
    pub(super) fn load(conn: &Connection, conversation: i64) -> Result<Self, StoreError> {
        let live_id = conn
            .prepare_cached(LIVE_ID)?
            .query_row([conversation], |row| row.get(0))?;
        Ok(Self {
            lineage: Lineage::load(conn, conversation)?,
            live_id,
        })
    }

    pub(super) fn ancestor(&self, conversation: i64) -> Option<&Ancestor> {
        let mut ancestors = self.lineage.ancestors().iter();
        ancestors.find(|ancestor| ancestor.id == conversation)
    }
}

/// The filters, with the bounds of the branch they name.
#[derive(Debug)]
pub(super) struct Check {
    pub branch: Option<Branch>,
    pub kinds: SearchScope,
    pub role: Option<&'static str>,
    pub time: TimeRange,
    /// Conversations whose own rows alone are asked for.
    pub within: Option<BTreeSet<i64>>,
}

impl Check {
    /// Reads what the filters need.
    pub(super) fn load(
        conn: &Connection,
        filter: &RowFilter,
        look: &Look<'_>,
    ) -> Result<Self, StoreError> {
        let branch = match filter.scope {
            Scope::All => None,
            Scope::Branch(conversation) => Some(Branch::load(conn, conversation.get())?),
        };
        Ok(Self {
            branch,
            kinds: filter.kinds,
            role: filter.role.map(Role::as_str),
            time: filter.time,
            within: look
                .within
                .map(|within| within.iter().map(|id| id.get()).collect()),
        })
    }

    /// Says whether rows of a kind are asked for at all.
    pub(super) fn wants(&self, kind: RowKind) -> bool {
        match kind {
            RowKind::Message => self.kinds != SearchScope::Summary,
            RowKind::Summary => self.kinds != SearchScope::Message && self.role.is_none(),
        }
    }

    /// Says whether every row of a kind passes that has the word of its facet.
    pub(super) fn is_open(&self) -> bool {
        self.branch.is_none() && self.within.is_none() && self.time.is_open()
    }

    /// Returns the word under which the index keeps the rows of a kind that are asked for, if there
    /// is one.
    pub(super) fn facet(&self, kind: RowKind) -> Option<&'static str> {
        match kind {
            RowKind::Message => self.role,
            RowKind::Summary => Some("summary"),
        }
    }

    /// Reads the columns `id, conversation, seq, role, from, to`, and nothing of the role but
    /// whether it is the one asked for. What cannot be read may have been what is asked for: who loads
    /// the row tells that it is damaged.
    pub(super) fn head(&self, kind: RowKind, row: &Row<'_>) -> rusqlite::Result<Head> {
        let has_role = match self.role {
            None => true,
            Some(role) => match row.get_ref(3)?.as_str_or_null() {
                Ok(Some(word)) => word == role || word.parse::<Role>().is_err(),
                Ok(None) => false,
                Err(_) => true,
            },
        };
        Ok(Head {
            kind,
            id: row.get(0)?,
            conversation: row.get(1).unwrap_or_default(),
            seq: row.get(2).unwrap_or_default(),
            from: row.get(4).unwrap_or(Some(i64::MIN)),
            to: row.get(5).unwrap_or(Some(i64::MAX)),
            has_role,
        })
    }

    /// Says whether a row passes all filters. Which generation of a
    /// summary counts, and whether views use it yet, is asked apart.
    pub(super) fn takes(&self, head: &Head) -> bool {
        self.wants(head.kind) && head.has_role && self.is_in_time(head) && self.is_within(head)
    }

    fn is_in_time(&self, head: &Head) -> bool {
        let time = |at: Option<i64>| at.map(Timestamp::from_millis);
        self.time.overlaps(time(head.from), time(head.to))
    }

    fn is_within(&self, head: &Head) -> bool {
        if let Some(within) = &self.within
            && !within.contains(&head.conversation)
        {
            return false;
        }
        let Some(branch) = &self.branch else {
            return true;
        };
        let Some(ancestor) = branch.ancestor(head.conversation) else {
            return false;
        };
        let is_known = match head.kind {
            RowKind::Message => true,
            RowKind::Summary => head.id <= ancestor.max_id,
        };
        is_known && head.seq <= ancestor.max_seq
    }
}
