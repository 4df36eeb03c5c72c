//! What is asked of rows beyond the filters, without their texts. Owns what is read for it.
//! May not decide: the caller does, on a row whose texts are empty.

use std::collections::BTreeSet;

use rusqlite::Connection;

use crate::domain::{Answers, ConversationId, SearchRow};
use crate::store::error::StoreError;
use crate::store::search_row::{Loaded, RowLoader, item};

use super::check::Head;

/// Says whether a row is asked for.
type Holds<'a> = &'a dyn Fn(&SearchRow) -> bool;

/// A question about rows that acts before any limit and before any text is read.
#[derive(Clone, Copy, Default)]
pub struct Look<'a> {
    /// Only rows of these conversations.
    pub within: Option<&'a BTreeSet<ConversationId>>,
    /// Only rows of which this holds; their parts have no texts but the arguments of calls.
    pub holds: Option<Holds<'a>>,
}

/// A look with the statements that it needs.
pub(super) struct Looker<'a> {
    holds: Option<(Holds<'a>, RowLoader<'a>)>,
}

impl<'a> Looker<'a> {
    pub(super) fn new(
        conn: &'a Connection,
        look: &Look<'a>,
        answers: Answers,
    ) -> Result<Self, StoreError> {
        let holds = match look.holds {
            Some(holds) => Some((holds, RowLoader::of_shapes(conn, answers)?)),
            None => None,
        };
        Ok(Self { holds })
    }

    /// Says whether nothing is asked.
    pub(super) const fn is_open(&self) -> bool {
        self.holds.is_none()
    }

    /// Says whether a row is what is asked for, or may be: a damaged one is told by those who load it.
    pub(super) fn takes(&mut self, head: &Head) -> Result<bool, StoreError> {
        match &mut self.holds {
            Some((holds, shapes)) => Ok(match shapes.row(item(head.kind, head.id))? {
                Loaded::Row(row) => holds(&row),
                Loaded::Damaged => true,
            }),
            None => Ok(true),
        }
    }
}
