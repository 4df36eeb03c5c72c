//! The tree: the frontier covers every message once (I1), a parent is the sum of its children (I2).

use std::collections::BTreeSet;

use rusqlite::Connection;

use super::{Found, Thoroughness, conversations, damaged, sound};
use crate::store::error::StoreError;
use crate::store::lineage::Lineage;
use crate::store::spans::{self, SpanRow, walk};

const ENDS: &str = "SELECT head, prompt_last, live_id FROM conversation WHERE id = ?1";
const COUNT_ROWS: &str = "SELECT COUNT(*), MIN(seq), MAX(seq) FROM message \
     WHERE conversation_id = ?1 AND seq BETWEEN ?2 AND ?3";

/// A branch with the summaries it sees.
struct Branch {
    id: i64,
    head: i64,
    prompt_last: i64,
    live_id: i64,
    spans: Vec<SpanRow>,
}

impl Branch {
    fn load(conn: &Connection, id: i64, lineage: &Lineage) -> Result<Self, StoreError> {
        let (head, prompt_last, live_id) = conn
            .prepare_cached(ENDS)?
            .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(Self {
            id,
            head,
            prompt_last,
            live_id,
            spans: spans::load(conn, lineage)?,
        })
    }
}

/// Each place up to the head has one message, and the frontier's summaries cover a beginning of
/// the talk without gap or overlap.
pub(super) fn partition(conn: &Connection, _: Thoroughness) -> Found {
    let mut count = 0;
    for id in conversations(conn)? {
        let lineage = Lineage::load(conn, id)?;
        let branch = Branch::load(conn, id, &lineage)?;
        if let Some(detail) = rows_missing(conn, &lineage, &branch)? {
            return damaged(detail);
        }
        if let Some(detail) = uneven(&branch) {
            return damaged(detail);
        }
        count += 1;
    }
    sound(format!("branches covered once: {count}"))
}

fn rows_missing(
    conn: &Connection,
    lineage: &Lineage,
    branch: &Branch,
) -> Result<Option<String>, StoreError> {
    let mut statement = conn.prepare_cached(COUNT_ROWS)?;
    for stretch in lineage.stretches(1, i64::MAX) {
        let bounds = [stretch.conversation, stretch.first, stretch.last];
        let (rows, first, last): (i64, Option<i64>, Option<i64>) =
            statement.query_row(bounds, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let wanted = stretch.last.min(branch.head) - stretch.first + 1;
        if rows != wanted.max(0) || first.is_some_and(|first| first != stretch.first) {
            return Ok(Some(format!(
                "conversation {} should have {} messages from {} on and has {rows}, the last one \
                 at {}",
                stretch.conversation,
                wanted.max(0),
                stretch.first,
                last.unwrap_or(0)
            )));
        }
    }
    Ok(None)
}

/// Finds what the walk of planners or of views would trip over.
fn uneven(branch: &Branch) -> Option<String> {
    let Branch {
        id,
        head,
        prompt_last,
        live_id,
        spans,
    } = branch;
    let first = prompt_last + 1;
    for row in spans {
        if row.last > *head || row.first < first {
            return Some(format!(
                "summary {} covers {}-{}, the talk of conversation {id} is {first}-{head}",
                row.id, row.first, row.last
            ));
        }
    }
    for live in [i64::MAX, *live_id] {
        let walked = walk(spans, first, |row| row.id <= live);
        let end = walked.last().map_or(*prompt_last, |row| row.last);
        let beyond = spans.iter().find(|row| row.id <= live && row.last > end);
        if let Some(row) = beyond {
            return Some(format!(
                "summary {} covers {}-{}, but the frontier of conversation {id} ends at {end}",
                row.id, row.first, row.last
            ));
        }
        let rises = walked.iter().zip(walked.iter().skip(1));
        if let Some((_, row)) = rises.into_iter().find(|(old, new)| new.depth > old.depth) {
            return Some(format!(
                "summary {} is deeper than the one before it on the frontier of conversation {id}",
                row.id
            ));
        }
    }
    None
}

/// Every condensed row has two or more children that fill its span, the deepest one level below.
pub(super) fn tree(conn: &Connection, _: Thoroughness) -> Found {
    let mut count = 0;
    for id in conversations(conn)? {
        let lineage = Lineage::load(conn, id)?;
        let branch = Branch::load(conn, id, &lineage)?;
        let versions: BTreeSet<_> = branch
            .spans
            .iter()
            .map(|row| (row.depth, row.first, row.last, row.generation))
            .collect();
        for row in branch.spans.iter().filter(|row| row.conversation == id) {
            let earlier = (row.depth, row.first, row.last, row.generation - 1);
            if row.generation > 0 && !versions.contains(&earlier) {
                return damaged(format!(
                    "summary {} repairs a row that is not there",
                    row.id
                ));
            }
            if let Some(detail) = wrong_children(&branch.spans, row) {
                return damaged(detail);
            }
            count += 1;
        }
    }
    sound(format!(
        "summaries that stand on what lies under them: {count}"
    ))
}

fn wrong_children(spans: &[SpanRow], parent: &SpanRow) -> Option<String> {
    let id = parent.id;
    if parent.first > parent.last || parent.depth < 0 {
        return Some(format!("summary {id} has no span"));
    }
    if parent.depth == 0 {
        return None;
    }
    let children = walk(spans, parent.first, |row| {
        row.depth < parent.depth && row.id < id && row.last <= parent.last
    });
    if children.len() < 2 {
        return Some(format!(
            "summary {id} is condensed and has {} children",
            children.len()
        ));
    }
    let end = children.last().map_or(0, |row| row.last);
    if end != parent.last {
        return Some(format!(
            "summary {id} covers {}-{}, its children end at {end}",
            parent.first, parent.last
        ));
    }
    let deepest = children.iter().map(|row| row.depth).max().unwrap_or(0);
    (parent.depth != deepest + 1).then(|| {
        format!(
            "summary {id} has depth {}, its deepest child {deepest}",
            parent.depth
        )
    })
}
