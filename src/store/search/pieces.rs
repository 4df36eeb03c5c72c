//! Large rows, which are indexed in pieces. Owns the answer over the pieces of one row together.
//! May not demand that tokens be neighbours: a piece may end between them.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::store::error::StoreError;
use crate::store::index::broken;

use super::match_text::Condition;

const ANY_PIECE: &str = "SELECT 1 FROM index_piece LIMIT 1";
const MATCHING_PIECES: &str = "SELECT p.row_id, bm25(search_piece) \
     FROM search_piece CROSS JOIN index_piece AS p ON p.id = search_piece.rowid \
     WHERE search_piece MATCH ?1";

/// The best score of each row.
type Scores = HashMap<i64, f64>;

/// Returns the large rows whose pieces together meet a condition, with the sum of the best scores.
pub(super) fn matching(conn: &Connection, condition: &Condition) -> Result<Scores, StoreError> {
    if conn.prepare_cached(ANY_PIECE)?.exists([])? {
        evaluate(conn, condition)
    } else {
        Ok(Scores::new())
    }
}

fn evaluate(conn: &Connection, condition: &Condition) -> Result<Scores, StoreError> {
    match condition {
        Condition::Phrase(tokens) => all(conn, tokens.iter().map(|token| one_token(token))),
        Condition::Prefix(tokens) => {
            let open = tokens.len().saturating_sub(1);
            let parts = tokens.iter().enumerate().map(|(at, token)| {
                if at == open {
                    Condition::Prefix(vec![token.clone()])
                } else {
                    one_token(token)
                }
            });
            all(conn, parts)
        }
        Condition::And(conditions) => all(conn, conditions.iter().cloned()),
        Condition::Or(conditions) => {
            let mut found = Scores::new();
            for condition in conditions {
                for (id, score) in evaluate(conn, condition)? {
                    *found.entry(id).or_default() += score;
                }
            }
            Ok(found)
        }
    }
}

fn one_token(token: &str) -> Condition {
    Condition::Phrase(vec![token.to_owned()])
}

fn all(
    conn: &Connection,
    conditions: impl Iterator<Item = Condition>,
) -> Result<Scores, StoreError> {
    let mut found: Option<Scores> = None;
    for condition in conditions {
        let scores = match &condition {
            Condition::Phrase(tokens) | Condition::Prefix(tokens) if tokens.len() == 1 => {
                leaf(conn, &condition.text())?
            }
            other => evaluate(conn, other)?,
        };
        found = Some(match found {
            None => scores,
            Some(before) => before
                .into_iter()
                .filter_map(|(id, score)| Some((id, score + scores.get(&id)?)))
                .collect(),
        });
    }
    Ok(found.unwrap_or_default())
}

fn leaf(conn: &Connection, text: &str) -> Result<Scores, StoreError> {
    let mut found = Scores::new();
    let mut statement = conn.prepare_cached(MATCHING_PIECES).map_err(broken)?;
    let mut rows = statement.query([text]).map_err(broken)?;
    while let Some(row) = rows.next().map_err(broken)? {
        let score: f64 = row.get(1).map_err(broken)?;
        let best = found.entry(row.get(0)?).or_insert(score);
        *best = best.min(score);
    }
    Ok(found)
}
