//! Listings: sessions, and the tree of one conversation.
//! May not load bodies.

use std::collections::HashSet;

use rusqlite::{Connection, Row};

use super::error::StoreError;
use super::lineage::Lineage;
use super::load::id_list;
use super::reader::Reader;
use super::row::{column, to_count, to_seq, to_span, to_time, words_or_null};
use super::spans::{self, SpanRow};
use crate::domain::{
    Bounds, BranchName, ConversationId, Depth, Generation, Origin, SessionKey, SessionRow,
    SummaryId, Tokens, TreeNode,
};

const SESSIONS: &str = "SELECT s.key, c.id, c.n_visible, c.head, c.sum_tokens, c.first_at, \
       c.last_at, c.format, c.project, c.title, p.session_key, c.fork_seq \
     FROM session AS s \
     JOIN conversation AS c ON c.id = s.conversation_id \
     LEFT JOIN conversation AS p ON p.id = c.parent_id \
     ORDER BY COALESCE(c.last_at, c.created_at) DESC, s.key";
/// The rows of a conversation among which its first words are looked for, so that one without any
/// costs no more than others.
const FIRST_ROWS: i64 = 100;
/// Characters read of a message for its first words.
const FIRST_CHARS: i64 = 400;
/// What asks for the first words of conversations.
// Root before branch and rows in order come from the keys, so that the walk ends at the first text.
// What begins with < is a wrapper of the host's, not what a person asks for.
pub(super) const FIRST_WORDS: &str = "SELECT j.value, ( \
       SELECT substr(ltrim(p.body, char(9, 10, 13, 32)), 1, ?3) \
       FROM lineage AS l \
       CROSS JOIN message AS m \
         ON m.conversation_id = l.ancestor_id AND m.seq <= min(l.max_seq, ?2) \
       CROSS JOIN part AS p ON p.id BETWEEN m.id * 65536 AND m.id * 65536 + 65535 \
       WHERE l.conversation_id = j.value AND m.role = 'user' AND m.visibility = 'talk' \
         AND p.kind = 'text' \
         AND substr(ltrim(p.body, char(9, 10, 13, 32)), 1, 1) NOT IN ('', '<') \
       ORDER BY l.ancestor_id, m.seq, p.id LIMIT 1) \
     FROM json_each(?1) AS j";
const BRANCH_NAMES: &str = "SELECT id, session_key, project FROM conversation";
const INHERITANCES: &str = "SELECT conversation_id, ancestor_id, max_seq, max_id FROM lineage";
const WALK_BOUNDS: &str = "SELECT prompt_last, live_id FROM conversation WHERE id = ?1";

impl Reader {
    /// Returns all sessions, those with the latest messages first.
    ///
    /// # Errors
    /// `Corrupt` if a row cannot be read; what the database says otherwise.
    pub fn sessions(&self) -> Result<Vec<SessionRow>, StoreError> {
        sessions(self.conn())
    }

    /// Returns the first words that a user says in each of these conversations, of those where one
    /// says any at their beginning.
    ///
    /// # Errors
    /// What the database says.
    pub fn first_words(
        &self,
        conversations: &[ConversationId],
    ) -> Result<Vec<(ConversationId, String)>, StoreError> {
        first_words(self.conn(), conversations)
    }

    /// Returns what every branch is called, those that no key points at too.
    ///
    /// # Errors
    /// `Corrupt` if a row cannot be read; what the database says otherwise.
    pub fn branch_names(&self) -> Result<Vec<BranchName>, StoreError> {
        let mut statement = self.conn().prepare_cached(BRANCH_NAMES)?;
        let mut rows = statement.query([])?;
        let mut names = Vec::new();
        while let Some(row) = rows.next()? {
            let id: i64 = column(row, 0)?;
            names.push(BranchName {
                id: ConversationId::new(id),
                session: key_of(column(row, 1)?, id)?,
                project: column(row, 2)?,
            });
        }
        Ok(names)
    }

    /// Returns of each branch whose rows it sees, its own too, and how far.
    ///
    /// # Errors
    /// `Corrupt` if a row cannot be read; what the database says otherwise.
    pub fn inheritances(
        &self,
    ) -> Result<Vec<(ConversationId, ConversationId, Bounds)>, StoreError> {
        let mut statement = self.conn().prepare_cached(INHERITANCES)?;
        let mut rows = statement.query([])?;
        let mut inheritances = Vec::new();
        while let Some(row) = rows.next()? {
            let bounds = Bounds {
                message: to_seq(column(row, 2)?)?,
                summary: SummaryId::new(column(row, 3)?),
            };
            let [heir, owner] = [column(row, 0)?, column(row, 1)?].map(ConversationId::new);
            inheritances.push((heir, owner, bounds));
        }
        Ok(inheritances)
    }

    /// Returns the summaries of a branch, old to new and a parent before what lies under it: of
    /// each node the newest version, and the one that views use where that is another.
    ///
    /// # Errors
    /// `Corrupt` if a row cannot be read; what the database says otherwise.
    pub fn tree(&self, conversation: ConversationId) -> Result<Vec<TreeNode>, StoreError> {
        self.one_state(|| tree(self.conn(), conversation))
    }
}

fn tree(conn: &Connection, conversation: ConversationId) -> Result<Vec<TreeNode>, StoreError> {
    let (prompt_last, live_id): (i64, i64) = conn
        .prepare_cached(WALK_BOUNDS)?
        .query_row([conversation.get()], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let spans = spans::load(conn, &Lineage::load(conn, conversation.get())?)?;
    let live: HashSet<i64> = spans::walk(&spans, prompt_last + 1, |row| row.id <= live_id)
        .into_iter()
        .map(|row| row.id)
        .collect();
    let mut nodes = Vec::new();
    let mut newer: Option<&SpanRow> = None;
    for row in &spans {
        let is_live = live.contains(&row.id);
        let is_newest = !newer.is_some_and(|newer| newer.is_node_of(row));
        newer = Some(row);
        if is_live || is_newest {
            nodes.push(node(row, is_live).map_err(|error| error.of_row("summary", row.id))?);
        }
    }
    Ok(nodes)
}

fn node(row: &SpanRow, is_live: bool) -> Result<TreeNode, StoreError> {
    let number = |value: i64| {
        u32::try_from(value).map_err(|_| StoreError::corrupt(format!("{value} is out of range")))
    };
    Ok(TreeNode {
        id: SummaryId::new(row.id),
        depth: Depth::new(number(row.depth)?),
        span: to_span(row.first, row.last)?,
        generation: Generation::new(number(row.generation)?),
        tokens: Tokens::new(to_count(row.tokens)),
        origin: Origin::from_word(&row.origin)
            .ok_or_else(|| StoreError::corrupt("its origin is none"))?,
        is_live,
    })
}

fn sessions(conn: &Connection) -> Result<Vec<SessionRow>, StoreError> {
    let mut statement = conn.prepare_cached(SESSIONS)?;
    let mut rows = statement.query([])?;
    let mut sessions = Vec::new();
    while let Some(row) = rows.next()? {
        sessions.push(session(row)?);
    }
    Ok(sessions)
}

fn first_words(
    conn: &Connection,
    conversations: &[ConversationId],
) -> Result<Vec<(ConversationId, String)>, StoreError> {
    let mut statement = conn.prepare_cached(FIRST_WORDS)?;
    let ids = id_list(conversations.iter().map(|id| id.get()));
    let mut rows = statement.query((ids, FIRST_ROWS, FIRST_CHARS))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        if let Some(words) = words_or_null(row, 1)? {
            found.push((ConversationId::new(column(row, 0)?), words));
        }
    }
    Ok(found)
}

fn session(row: &Row<'_>) -> Result<SessionRow, StoreError> {
    let id: i64 = column(row, 1)?;
    let parent: Option<String> = column(row, 10)?;
    let fork_seq: Option<i64> = column(row, 11)?;
    let parent = match (parent, fork_seq) {
        // A branch that shares nothing has a parent, but no last message shared.
        (Some(key), Some(seq)) if seq > 0 => Some((key_of(key, id)?, to_seq(seq)?)),
        _ => None,
    };
    Ok(SessionRow {
        session: key_of(column(row, 0)?, id)?,
        id: ConversationId::new(id),
        messages: to_count(column(row, 2)?),
        rows: to_count(column(row, 3)?),
        tokens: Tokens::new(to_count(column(row, 4)?)),
        first_at: to_time(column(row, 5)?),
        last_at: to_time(column(row, 6)?),
        format: column(row, 7)?,
        project: column(row, 8)?,
        title: column(row, 9)?,
        parent,
    })
}

/// Reads a stored key.
fn key_of(text: String, conversation: i64) -> Result<SessionKey, StoreError> {
    SessionKey::new(text)
        .map_err(|error| StoreError::corrupt(format!("conversation {conversation}: {error}")))
}
