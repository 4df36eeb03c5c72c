//! Each damage to what is derived is repaired, and nothing that was said is touched by it.

use hippocamp::store::{Repair, Thoroughness};
use rusqlite::types::Value;

use crate::doctor::{WRONG_COUNTERS, damaged, examine, one_of_everything, sound};
use crate::store_search::kit::{Bench, RULES};

/// Returns every column of every row that was said or done.
fn said(bench: &Bench) -> Vec<Vec<Value>> {
    let raw = bench.raw();
    let mut rows = Vec::new();
    for table in [
        "message",
        "part",
        "summary",
        "event",
        "salt",
        "mark",
        "message_key",
        "lineage",
    ] {
        let mut statement = raw
            .prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2"))
            .unwrap();
        let n_columns = statement.column_count();
        let mut found = statement.query([]).unwrap();
        while let Some(row) = found.next().unwrap() {
            rows.push((0..n_columns).map(|idx| row.get(idx).unwrap()).collect());
        }
    }
    rows
}

/// Returns the checks that fail, and what would mend them.
fn failed(bench: &Bench) -> (Vec<String>, Vec<Repair>) {
    let checks = examine(bench, Thoroughness::Full);
    let names: Vec<String> = checks
        .into_iter()
        .filter(|check| !check.is_ok)
        .map(|check| check.name)
        .collect();
    let repairs = names.iter().filter_map(|name| Repair::of_check(name));
    (names.clone(), repairs.collect())
}

/// Damages a copy of a store with one of everything, sees `name` fail, repairs it and sees it sound.
#[track_caller]
fn check_repair(name: &str, sql: &str) {
    let mut bench = damaged(name, sql);
    let before = said(&bench);
    let (names, repairs) = failed(&bench);
    assert!(
        names.iter().any(|failed| failed == name),
        "{names:?} after: {sql}"
    );
    bench
        .writer
        .repair(&repairs, RULES)
        .unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    bench.index();
    sound(&bench);
    assert!(
        said(&bench) == before,
        "rows are not as before after: {sql}"
    );
}

/// Damages rows, and expects that a repair mends nothing of it and hides nothing.
#[track_caller]
fn check_beyond(name: &str, sql: &str) {
    let mut bench = damaged(name, sql);
    let before = said(&bench);
    let (_, repairs) = failed(&bench);
    bench.writer.repair(&repairs, RULES).unwrap();
    bench.index();
    let (names, _) = failed(&bench);
    assert!(
        names.iter().any(|failed| failed == name),
        "{names:?} after: {sql}"
    );
    assert!(
        said(&bench) == before,
        "rows are not as before after: {sql}"
    );
}

#[test]
fn the_search_index_is_made_anew() {
    for sql in [
        "DELETE FROM search_index WHERE rowid = 5",
        "DELETE FROM search_index_docsize WHERE id = 5",
        "DELETE FROM search_index_data WHERE id > 10",
        "DELETE FROM search_index_data",
        "UPDATE search_index_data SET block = x'ff00ff'",
        "DROP TABLE search_index_data",
        "DROP TABLE search_index_docsize",
        "DROP TABLE search_index_config",
        "DROP TABLE search_index_idx",
        "DROP TABLE search_piece_data",
        "INSERT INTO search_index (search_index) VALUES ('delete-all')",
        "INSERT INTO search_index (rowid, tokens) VALUES (9999, 'no row')",
        "DELETE FROM index_piece WHERE ordinal = 1",
        "UPDATE index_state SET n_rows = n_rows + 1",
        "DELETE FROM index_state",
    ] {
        check_repair("index", sql);
    }
    check_repair("time_runs", "DELETE FROM time_run");
    check_repair("time_runs", "UPDATE time_run SET max_at = 1000000");
}

#[test]
fn what_was_findable_is_found_after_a_repair() {
    let mut bench = damaged("index", "DROP TABLE search_index_data");
    let sound = one_of_everything();
    let filter = crate::store_search::kit::all();
    let (_, repairs) = failed(&bench);
    bench.writer.repair(&repairs, RULES).unwrap();
    bench.index();
    for word in ["question", "files", "word29999", "better"] {
        let want = sound.find(word, &filter);
        assert!(!want.is_empty(), "{word}");
        assert_eq!(bench.find(word, &filter), want, "{word}");
    }
}

#[test]
fn counters_are_counted_again() {
    for counter in WRONG_COUNTERS {
        let sql = format!("UPDATE conversation SET {counter} WHERE id = 1");
        check_repair("counters", &sql);
    }
}

#[test]
fn pointers_say_again_what_the_last_event_said() {
    check_repair(
        "pointers",
        "UPDATE session SET conversation_id = 3 WHERE key = 'main'",
    );
    check_repair("pointers", "DELETE FROM session WHERE key = 'main'");
    check_repair(
        "pointers",
        "INSERT INTO session (key, conversation_id) VALUES ('ghost', 1)",
    );
    check_repair(
        "pointers",
        "UPDATE conversation SET live_id = 0 WHERE id = 1",
    );
    check_repair(
        "pointers",
        "UPDATE conversation SET live_id = 2 WHERE id = 1",
    );
    check_repair(
        "pointers",
        "UPDATE conversation SET newest_id = 99 WHERE id = 2",
    );
    let mut bench = damaged("pointers", "DELETE FROM session");
    let sound = one_of_everything();
    let (_, repairs) = failed(&bench);
    bench.writer.repair(&repairs, RULES).unwrap();
    for session in ["main", "other"] {
        assert_eq!(bench.conversation(session), sound.conversation(session));
    }
}

#[test]
fn the_sequence_goes_forward_and_triggers_are_put_back() {
    check_repair("sequence", "UPDATE sequence SET last_id = 12");
    check_repair("sequence", "DELETE FROM sequence");
    check_repair("triggers", "");
    let softened = "CREATE TRIGGER message_no_update BEFORE UPDATE ON message BEGIN SELECT 1; END;";
    check_repair("triggers", softened);
}

#[test]
fn an_index_of_a_table_that_lost_a_row_is_made_anew() {
    let hidden = "PRAGMA writable_schema = 1;
         CREATE TEMP TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'event_conversation';
         DELETE FROM sqlite_schema WHERE name = 'event_conversation';
         PRAGMA writable_schema = RESET;
         INSERT INTO event (id, conversation_id, kind, at, live_id, pointer)
           SELECT last_id + 1, 3, 'switch', 0, 0, 3 FROM sequence;
         UPDATE sequence SET last_id = last_id + 1;
         PRAGMA writable_schema = 1;
         INSERT INTO sqlite_schema SELECT * FROM kept;
         PRAGMA writable_schema = RESET;";
    check_repair("sqlite", hidden);
}

#[test]
fn damage_in_what_was_said_stays_and_is_not_hidden() {
    check_beyond("parts", "DELETE FROM part WHERE id = 4 * 65536");
    check_beyond(
        "chain",
        "UPDATE part SET body = 'other' WHERE id = 5 * 65536",
    );
    check_beyond(
        "chain",
        "UPDATE message SET chain_hash = zeroblob(32) WHERE id = 5",
    );
    check_beyond(
        "counters",
        "UPDATE message SET sum_tokens = sum_tokens + 1 WHERE id = 5",
    );
    check_beyond("tree", "DELETE FROM summary WHERE first_seq = 6");
    check_beyond("lineage", "DELETE FROM lineage WHERE conversation_id = 3");
    // The last message of a branch is lost: fewer rows than were counted are no wrong count.
    check_beyond(
        "counters",
        "DELETE FROM message WHERE id = (SELECT MAX(id) FROM message WHERE conversation_id = 2)",
    );
}
