//! Searches as bare statements: by the index in several ways, and as a scan.

use memchr::memmem::Finder;
use rusqlite::{Connection, OptionalExtension, params};

use crate::bare::Words;
use crate::corpus::queries::Kind;
use crate::protocol::{Grep, Order};

/// A row and its text.
pub(crate) type Found = Vec<(i64, String)>;

/// Of words in more rows than that only the newest are ranked.
const RANKED: i64 = 1_000;

/// Searches; none if there is no statement for this. The ways are `newest` (by row), `capped`
/// (`bm25` over the newest 1,000 matches), `bm25` (over all), `rank` (`ORDER BY rank`) and `scan`
/// (each row's text is looked through, newest first); the first two are those of the two orders.
pub(crate) fn grep(
    connection: &Connection,
    words: Words,
    grep: &Grep,
) -> rusqlite::Result<Option<Found>> {
    let usual = match (grep.kind, &grep.session, grep.order) {
        (Kind::Substring | Kind::Fuzzy, ..) | (_, Some(_), _) => "scan",
        (_, None, Order::Newest) => "newest",
        (_, None, Order::Ranked) => "capped",
    };
    let way = grep.way.as_deref().unwrap_or(usual);
    let limit = i64::try_from(grep.limit).unwrap();
    if way == "scan" {
        return match &grep.session {
            Some(session) => scan_one(connection, session, &grep.query, grep.limit).map(Some),
            None => scan_all(connection, &grep.query, grep.limit).map(Some),
        };
    }
    let Some(query) = expression(grep).filter(|_| words == Words::Inside) else {
        return Ok(None);
    };
    let ids = match way {
        "newest" => ids(
            connection,
            "SELECT rowid FROM word WHERE word MATCH ?1 ORDER BY rowid DESC LIMIT ?2",
            params![query, limit],
        )?,
        "capped" => {
            let last =
                "SELECT rowid FROM word WHERE word MATCH ?1 ORDER BY rowid DESC LIMIT 1 OFFSET ?2";
            let last: Option<i64> = connection
                .prepare_cached(last)?
                .query_row(params![query, RANKED - 1], |row| row.get(0))
                .optional()?;
            ids(
                connection,
                "SELECT rowid, bm25(word) AS score FROM word WHERE word MATCH ?1 AND rowid >= ?3
                 ORDER BY score LIMIT ?2",
                params![query, limit, last.unwrap_or_default()],
            )?
        }
        "bm25" => ids(
            connection,
            "SELECT rowid, bm25(word) AS score FROM word WHERE word MATCH ?1 ORDER BY score LIMIT ?2",
            params![query, limit],
        )?,
        "rank" => ids(
            connection,
            "SELECT rowid FROM word WHERE word MATCH ?1 ORDER BY rank LIMIT ?2",
            params![query, limit],
        )?,
        _ => return Ok(None),
    };
    bodies(connection, &ids).map(Some)
}

/// Reads the texts of rows.
pub(crate) fn bodies(connection: &Connection, ids: &[i64]) -> rusqlite::Result<Found> {
    let mut statement = connection.prepare_cached("SELECT body FROM line WHERE id = ?1")?;
    let mut read = |id: &i64| Ok((*id, statement.query_row([id], |row| row.get(0))?));
    ids.iter().map(&mut read).collect()
}

fn ids(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
) -> rusqlite::Result<Vec<i64>> {
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_map(values, |row| row.get(0))?.collect()
}

/// Writes a query in the language of the index.
fn expression(grep: &Grep) -> Option<String> {
    let quoted = |word: &str| format!("\"{word}\"");
    let joined = |by: &str| {
        let words: Vec<String> = grep.query.split(' ').map(quoted).collect();
        words.join(by)
    };
    Some(match grep.kind {
        Kind::Word | Kind::And => joined(" AND "),
        Kind::Or => joined(" OR "),
        Kind::Phrase => quoted(&grep.query),
        Kind::Prefix => format!("{} *", quoted(&grep.query)),
        Kind::Fuzzy | Kind::Substring => return None,
    })
}

/// Looks through the texts of one session.
fn scan_one(
    connection: &Connection,
    session: &str,
    piece: &str,
    limit: usize,
) -> rusqlite::Result<Found> {
    let mut statement = connection.prepare_cached(
        "SELECT l.id, l.body FROM talk AS t JOIN line AS l ON l.talk = t.id
         WHERE t.key = ?1 ORDER BY l.seq DESC",
    )?;
    scan(statement.query([session])?, piece, limit)
}

/// Looks through all texts.
fn scan_all(connection: &Connection, piece: &str, limit: usize) -> rusqlite::Result<Found> {
    let mut statement = connection.prepare_cached("SELECT id, body FROM line ORDER BY id DESC")?;
    scan(statement.query([])?, piece, limit)
}

/// Looks at every row, as one must who says how many there are, and keeps the newest.
fn scan(mut rows: rusqlite::Rows<'_>, piece: &str, limit: usize) -> rusqlite::Result<Found> {
    let finder = Finder::new(piece);
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let body = row.get_ref(1)?.as_bytes()?;
        if finder.find(body).is_some() && found.len() < limit {
            found.push((row.get(0)?, row.get(1)?));
        }
    }
    Ok(found)
}
