//! What is said of a store that cannot be opened, or that is damaged.

use super::{check, fed, plain};
use crate::program::{Program, line, talk};

#[test]
fn stores_that_cannot_be_opened() {
    let program = Program::new();
    program.write("text.db", "no database at all, only a few words of text\n");
    program.write("folder.db/x", "x");
    let other = rusqlite::Connection::open(program.path("other.db")).unwrap();
    other.execute_batch("CREATE TABLE t (x)").unwrap();
    program.append("main", &line("user", "x"));
    std::fs::copy(program.db(), program.path("newer.db")).unwrap();
    let newer = rusqlite::Connection::open(program.path("newer.db")).unwrap();
    newer.pragma_update(None, "user_version", 1_000).unwrap();
    drop((other, newer));
    check(
        "stores.txt",
        &program,
        &[
            plain(&["sessions", "--db", "nowhere.db"]),
            plain(&["grep", "x", "--db", "nowhere.db"]),
            plain(&["export", "--session", "main", "--db", "nowhere.db"]),
            plain(&["backup", "copy.db", "--db", "nowhere.db"]),
            plain(&["doctor", "--db", "text.db"]),
            plain(&["sessions", "--db", "folder.db"]),
            plain(&["sessions", "--db", "other.db"]),
            plain(&["sessions", "--db", "newer.db"]),
            fed(
                &["append", "--session", "a", "--db", "text.db"],
                "{\"role\":\"user\",\"content\":\"x\"}\n",
            ),
        ],
    );
}

#[test]
fn damage_is_told_with_what_would_help() {
    let program = Program::new();
    program.append("main", &talk(3, 3));
    program.json(&["reindex"]);
    let raw = rusqlite::Connection::open(program.db()).unwrap();
    raw.execute_batch(
        "DROP TRIGGER part_no_update; UPDATE part SET body = 'x' WHERE message_id = 3; \
         DELETE FROM search_index_data",
    )
    .unwrap();
    drop(raw);
    check(
        "damage.txt",
        &program,
        &[
            plain(&["doctor"]),
            plain(&["doctor", "--repair"]),
            plain(&["grep", "harbour0 OR ledger1"]),
        ],
    );
}
