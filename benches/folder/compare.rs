//! Two stores that were filled in different ways hold the same rows.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

/// All that says what was imported, but for salted hashes, ids and times of the import.
const CONTENTS: [&str; 3] = [
    "SELECT c.session_key, m.seq, m.role, m.visibility, m.continues, m.tokens, m.sum_tokens, m.n_visible,
            m.at, p.ordinal, p.kind, p.call_id, p.occurrence, p.name, p.is_error, p.body
     FROM conversation AS c JOIN message AS m ON m.conversation_id = c.id
                            JOIN part AS p ON p.message_id = m.id
     ORDER BY c.session_key, m.seq, p.ordinal",
    "SELECT c.session_key, m.seq, k.key, s.path, o.offset, o.length, o.line, o.record_id, o.joins
     FROM conversation AS c JOIN message AS m ON m.conversation_id = c.id
                            JOIN message_key AS k ON k.message_id = m.id
                            JOIN provenance AS o ON o.message_id = m.id
                            JOIN source AS s ON s.id = o.source_id
     ORDER BY c.session_key, m.seq",
    "SELECT path, format, offset, lines, prefix, state FROM source ORDER BY path",
];

/// Checks that two stores hold the same, and `n_rows` messages each.
pub(crate) fn stores(one: &Path, other: &Path, n_rows: u64) {
    assert_eq!(count(one), n_rows, "{}", one.display());
    assert_eq!(count(other), n_rows, "{}", other.display());
    let (one, other) = (open(one), open(other));
    for sql in CONTENTS {
        let (mut left, mut right) = (one.prepare(sql).unwrap(), other.prepare(sql).unwrap());
        let n_columns = left.column_count();
        let (mut left, mut right) = (left.query([]).unwrap(), right.query([]).unwrap());
        loop {
            let (left, right) = (left.next().unwrap(), right.next().unwrap());
            let (Some(left), Some(right)) = (left, right) else {
                assert!(left.is_none() && right.is_none(), "one holds more: {sql}");
                break;
            };
            for column in 0..n_columns {
                let (left, right) = (left.get_ref(column), right.get_ref(column));
                assert_eq!(left, right, "column {column} of {sql}");
            }
        }
    }
}

/// Counts the messages of a store.
pub(crate) fn count(path: &Path) -> u64 {
    if !path.exists() {
        return 0;
    }
    let rows = open(path).query_row("SELECT COUNT(*) FROM message", [], |row| {
        row.get::<_, i64>(0)
    });
    rows.unwrap().unsigned_abs()
}

fn open(path: &Path) -> Connection {
    Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
}
