//! The summaries of a branch as spans, and the walk over them.
//! May not judge a row or read its body.

use rusqlite::Connection;

use super::error::StoreError;
use super::lineage::Lineage;

const SUMMARY_SPANS: &str = "SELECT id, conversation_id, depth, first_seq, last_seq, generation, \
       tokens, origin \
     FROM summary WHERE conversation_id = ?1 AND last_seq <= ?2 AND id <= ?3";

/// One summary, as columns hold it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpanRow {
    pub id: i64,
    pub conversation: i64,
    pub depth: i64,
    pub first: i64,
    pub last: i64,
    pub generation: i64,
    pub tokens: i64,
    pub origin: String,
}

impl SpanRow {
    /// Says whether another row is a version of the same node.
    pub(super) fn is_node_of(&self, other: &Self) -> bool {
        (self.depth, self.first, self.last) == (other.depth, other.first, other.last)
    }
}

/// Returns the summaries that a branch sees, of one place the deepest and newest first.
pub(super) fn load(conn: &Connection, lineage: &Lineage) -> Result<Vec<SpanRow>, StoreError> {
    let mut statement = conn.prepare_cached(SUMMARY_SPANS)?;
    let mut spans = Vec::new();
    for ancestor in lineage.ancestors() {
        let bounds = [ancestor.id, ancestor.max_seq, ancestor.max_id];
        let rows = statement.query_map(bounds, |row| {
            Ok(SpanRow {
                id: row.get(0)?,
                conversation: row.get(1)?,
                depth: row.get(2)?,
                first: row.get(3)?,
                last: row.get(4)?,
                generation: row.get(5)?,
                tokens: row.get(6)?,
                origin: row.get(7)?,
            })
        })?;
        for row in rows {
            spans.push(row?);
        }
    }
    spans.sort_unstable_by_key(|row| {
        let newest_first = std::cmp::Reverse((row.depth, row.generation, row.id));
        (row.first, newest_first)
    });
    Ok(spans)
}

/// Walks from `first`: takes the deepest row that starts here and that `fits`, goes on behind it,
/// and ends where no row starts.
pub(super) fn walk(
    spans: &[SpanRow],
    first: i64,
    fits: impl Fn(&SpanRow) -> bool,
) -> Vec<&SpanRow> {
    let mut taken = Vec::new();
    let mut at = first;
    loop {
        let from = spans.partition_point(|row| row.first < at);
        let here = spans.iter().skip(from).take_while(|row| row.first == at);
        let Some(row) = here.filter(|row| row.last >= at).find(|row| fits(row)) else {
            return taken;
        };
        at = row.last.saturating_add(1);
        taken.push(row);
    }
}
