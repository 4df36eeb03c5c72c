//! How many rows hold a token, for weighing words against each other.
//! May not walk the whole list of a common word: beyond a bound the count is estimated.

use rusqlite::Connection;

use crate::domain::IndexQuery;
use crate::store::error::StoreError;
use crate::store::index::{Words, averages, broken, read_mark};
use crate::store::reader::Reader;
use crate::store::row::to_count;

use super::match_text::Condition;
use super::pieces;

/// Rows that are counted one by one, the newest ones.
const COUNTED: i64 = 1_000;

const NEWEST_MATCHES: &str = "SELECT COUNT(*), MIN(id) FROM ( \
     SELECT rowid AS id FROM search_index WHERE search_index MATCH ?1 \
     ORDER BY rowid DESC LIMIT ?2)";

impl Reader {
    /// Returns how many indexed rows hold each token: exact up to a thousand, beyond that
    /// estimated from how dense the newest ones lie.
    ///
    /// # Errors
    /// `Corrupt` if the index cannot be read.
    pub fn document_frequency(&self, tokens: &[String]) -> Result<Vec<u64>, StoreError> {
        self.one_state(|| {
            let mark = read_mark(self.conn())?.mark.id;
            let rows = averages(self.conn(), Words::Rows)?.rows;
            tokens
                .iter()
                .map(|token| frequency(self.conn(), token, mark, rows))
                .collect()
        })
    }
}

fn frequency(conn: &Connection, token: &str, mark: i64, rows: u64) -> Result<u64, StoreError> {
    let Some(condition) = Condition::new(&IndexQuery::Token(token.to_owned())) else {
        return Ok(0);
    };
    let mut statement = conn.prepare_cached(NEWEST_MATCHES).map_err(broken)?;
    let (count, oldest): (u64, Option<i64>) = statement
        .query_row((condition.text_with(None), COUNTED), |row| {
            Ok((to_count(row.get(0)?), row.get(1)?))
        })
        .map_err(broken)?;
    let large = pieces::matching(conn, &condition)?.len() as u64;
    let stretch = oldest.map_or(0, |oldest| mark - oldest + 1);
    let (Ok(stretch), Ok(mark)) = (u64::try_from(stretch), u64::try_from(mark)) else {
        return Ok(count + large);
    };
    let whole = if count < COUNTED.unsigned_abs() || stretch == 0 {
        count
    } else {
        (count.saturating_mul(mark) / stretch).clamp(count, rows.max(count))
    };
    Ok(whole + large)
}
