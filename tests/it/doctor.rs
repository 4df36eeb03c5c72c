//! `doctor` finds each damage by the check whose business it is, and says where.

use std::sync::OnceLock;

use hippocamp::domain::{Check, NewMessage, Timestamp};
use hippocamp::store::Thoroughness;

use crate::store_search::kit::{Bench, bench, numbered, reopened, span};

/// A wrong value for each counter of a conversation, as SQL sets it.
pub(crate) const WRONG_COUNTERS: [&str; 9] = [
    "head = 15",
    "n_visible = 3",
    "sum_tokens = 1",
    "sum_view = 1",
    "prompt_last = 2",
    "turn_first = 5",
    "last_talk = 3",
    "first_at = 7",
    "last_at = NULL",
];

/// Fails unless every check finds the store sound.
#[track_caller]
pub(crate) fn sound(bench: &Bench) {
    for thoroughness in [Thoroughness::Quick, Thoroughness::Full] {
        for check in examine(bench, thoroughness) {
            assert!(check.is_ok, "{}: {}", check.name, check.detail);
        }
    }
}

pub(crate) fn examine(bench: &Bench, thoroughness: Thoroughness) -> Vec<Check> {
    let reader = bench.store.reader().unwrap();
    reader.integrity(thoroughness).unwrap()
}

/// A store with one of everything: a prompt, a batch, keys, a tree of three levels with a repair,
/// a branch, a large row, and all of it indexed.
fn build(mut bench: Bench) -> Vec<u8> {
    let at = |n: i64| Timestamp::from_millis(1_000_000 + n * 1_000);
    let mut rows = vec![
        NewMessage::system("rules"),
        NewMessage::user("look around").at(at(1)).with_key("k1"),
        NewMessage::tool_use("c1", "ls", "{}").at(at(2)),
        NewMessage::tool_result("c1", "files").at(at(3)),
        NewMessage::assistant("done").at(at(4)),
        NewMessage::user("noise").meta(),
    ];
    rows.extend((5..15).map(|n| NewMessage::user(format!("question {n}")).at(at(n))));
    bench.append("main", rows);
    let main = bench.conversation("main");
    let a = bench.leaf(main, 2, 5, "first");
    let b = bench.leaf(main, 6, 8, "second");
    bench.condense(main, &[a, b], span(2, 8));
    bench.repair(main, a, span(2, 5), "first, better");
    bench.fork("main", 12);
    let own = NewMessage::user("on a branch").at(at(20)).with_key("k2");
    bench.append("main", vec![own, NewMessage::assistant("yes").at(at(21))]);
    let large = numbered("word", 30_000);
    bench.append("other", vec![NewMessage::user(large).with_key("k1")]);
    bench.index();
    bench.damage("PRAGMA wal_checkpoint(TRUNCATE)");
    std::fs::read(bench.path()).unwrap()
}

/// Returns a copy of that store.
pub(crate) fn one_of_everything() -> Bench {
    static FILE: OnceLock<Vec<u8>> = OnceLock::new();
    let file = FILE.get_or_init(|| build(bench()));
    reopened(file)
}

/// Returns a copy that is damaged.
pub(crate) fn damaged(name: &str, sql: &str) -> Bench {
    damage(one_of_everything(), name, sql)
}

/// Damages a store, with the triggers out of the way meanwhile, unless they are the damage.
fn damage(bench: Bench, name: &str, sql: &str) -> Bench {
    let raw = bench.raw();
    let triggers: Vec<(String, String)> = raw
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    raw.execute_batch("PRAGMA foreign_keys = 0; PRAGMA ignore_check_constraints = 1;")
        .unwrap();
    for (trigger, _) in &triggers {
        raw.execute_batch(&format!("DROP TRIGGER {trigger}"))
            .unwrap();
    }
    raw.execute_batch(sql).unwrap();
    if name != "triggers" {
        for (_, sql) in &triggers {
            raw.execute_batch(sql).unwrap();
        }
    }
    drop(raw);
    bench
}

#[track_caller]
fn check_damage(name: &str, sql: &str, detail: &str) {
    check_damage_of(one_of_everything(), name, sql, detail);
}

/// Damages a store, and expects `name` to say `detail`.
#[track_caller]
pub(crate) fn check_damage_of(bench: Bench, name: &str, sql: &str, detail: &str) {
    let bench = damage(bench, name, sql);
    let checks = examine(&bench, Thoroughness::Full);
    let found = checks.iter().find(|check| check.name == name).unwrap();
    assert!(!found.is_ok, "{name} passes after: {sql}");
    assert!(
        found.detail.contains(detail),
        "{name} says `{}`, not `{detail}`, after: {sql}",
        found.detail
    );
    // The quick pass stands the same damage.
    assert_eq!(examine(&bench, Thoroughness::Quick).len(), checks.len());
}

#[test]
fn a_sound_store_passes_every_check_and_says_what_was_counted() {
    let bench = one_of_everything();
    sound(&bench);
    let checks = examine(&bench, Thoroughness::Full);
    assert!(checks.len() >= 14, "{}", checks.len());
    assert!(checks.iter().all(|check| !check.detail.is_empty()));
    sound(&crate::store_search::kit::bench());
}

#[test]
fn the_file_and_its_references() {
    check_damage(
        "sqlite",
        "UPDATE message SET role = 'robot' WHERE seq = 4",
        "CHECK",
    );
    check_damage(
        "foreign_keys",
        "INSERT INTO salt VALUES (9999, zeroblob(16))",
        "salt 9999",
    );
    check_damage("triggers", "", "is missing");
    let softened = "CREATE TRIGGER message_no_update BEFORE UPDATE ON message BEGIN SELECT 1; END;";
    check_damage("triggers", softened, "message_no_update has another body");
    check_damage(
        "sequence",
        "UPDATE sequence SET last_id = 12",
        "is beyond the sequence",
    );
    check_damage("sequence", "DELETE FROM sequence", "lost its row");
    let shared = "INSERT INTO event (id, conversation_id, kind, at, live_id, pointer) \
         VALUES (3, 1, 'call', 0, 0, 1)";
    check_damage("sequence", shared, "id 3");
}

#[test]
fn branches_and_keys() {
    let bounds = "UPDATE lineage SET max_seq = 11 WHERE conversation_id = 2 AND ancestor_id = 1";
    check_damage("lineage", bounds, "up to message 11");
    let bounds = "UPDATE lineage SET max_id = 1 WHERE conversation_id = 2 AND ancestor_id = 1";
    check_damage("lineage", bounds, "conversation 2 sees conversation 1");
    check_damage(
        "lineage",
        "DELETE FROM lineage WHERE conversation_id = 3",
        "conversation 3 has lost",
    );
    check_damage(
        "lineage",
        "INSERT INTO lineage VALUES (3, 1, 4, 4, 0)",
        "no ancestor",
    );
    check_damage(
        "lineage",
        "UPDATE conversation SET fork_seq = 99 WHERE id = 2",
        "not reach so far",
    );
    check_damage(
        "pointers",
        "UPDATE session SET conversation_id = 3 WHERE key = 'main'",
        "conversation 3",
    );
    check_damage(
        "pointers",
        "DELETE FROM session WHERE key = 'main'",
        "points at nothing",
    );
    check_damage(
        "pointers",
        "UPDATE conversation SET live_id = 0 WHERE id = 1",
        "conversation 1",
    );
    check_damage(
        "pointers",
        "UPDATE conversation SET live_id = 2 WHERE id = 1",
        "none of its own",
    );
    check_damage(
        "pointers",
        "UPDATE conversation SET newest_id = 99 WHERE id = 2",
        "up to 99",
    );
    let elsewhere = "UPDATE message_key SET message_id = 1 WHERE conversation_id = 3";
    check_damage("keys", elsewhere, "message 1");
    let repeated = "UPDATE message_key SET key = 'k1' WHERE conversation_id = 2";
    check_damage("keys", repeated, "which its branch inherits");
    check_damage("keys", "DELETE FROM message_key", "another key");
    let another = "UPDATE message_key SET key = 'k9' WHERE conversation_id = 1";
    check_damage("keys", another, "another key");
}

#[test]
fn messages_and_their_ledger() {
    check_damage(
        "parts",
        "DELETE FROM part WHERE id = 4 * 65536",
        "message 4",
    );
    let gap = "UPDATE part SET id = id + 1, ordinal = 1 WHERE id = 4 * 65536";
    check_damage("parts", gap, "message 4");
    let lost = "UPDATE part SET message_id = 5 WHERE id = 4 * 65536";
    check_damage("parts", lost, &format!("part {}", 4 * 65_536));
    for counter in WRONG_COUNTERS {
        let name = counter.split(' ').next().unwrap();
        let sql = format!("UPDATE conversation SET {counter} WHERE id = 1");
        check_damage("counters", &sql, &format!("conversation 1: {name}"));
    }
    for column in [
        "tokens",
        "sum_tokens",
        "sum_view",
        "n_visible",
        "turn_first",
    ] {
        let sql = format!("UPDATE message SET {column} = {column} + 1 WHERE id = 5");
        check_damage("counters", &sql, "message 5: ");
    }
    check_damage(
        "counters",
        "UPDATE message SET view_tokens = 3 WHERE seq = 6",
        "costs 3 in views",
    );
    check_damage(
        "counters",
        "UPDATE message SET seq = 99 WHERE id = 9",
        "message 10 stands at 10",
    );
    check_damage(
        "chain",
        "UPDATE part SET body = 'other' WHERE id = 5 * 65536",
        "message 5 does not",
    );
    check_damage(
        "chain",
        "UPDATE message SET at = 5 WHERE id = 5",
        "message 5 does not",
    );
    check_damage(
        "chain",
        "UPDATE message SET name = 'eve' WHERE id = 5",
        "message 5 does not",
    );
    let chain = "UPDATE message SET chain_hash = zeroblob(32) WHERE id = 5";
    check_damage("chain", chain, "the chain breaks at message 5");
    check_damage(
        "chain",
        "DELETE FROM salt WHERE message_id = 5",
        "message 5 has lost its salt",
    );
    check_damage(
        "chain",
        "UPDATE salt SET salt = zeroblob(16) WHERE message_id = 5",
        "message 5",
    );
}

#[test]
fn the_tree() {
    check_damage(
        "partition",
        "DELETE FROM message WHERE id = 9",
        "conversation 1",
    );
    check_damage(
        "partition",
        "DELETE FROM message WHERE seq = 16",
        "conversation 1",
    );
    check_damage(
        "partition",
        "UPDATE summary SET last_seq = 99 WHERE depth = 1",
        "covers 2-99",
    );
    check_damage(
        "partition",
        "UPDATE summary SET first_seq = 1 WHERE depth = 1",
        "covers 1-8",
    );
    let overlap = "DELETE FROM summary WHERE depth = 1; \
         UPDATE summary SET first_seq = 5 WHERE first_seq = 6";
    check_damage("partition", overlap, "the frontier");
    let gap = "DELETE FROM summary WHERE depth = 1; \
         UPDATE summary SET first_seq = 7 WHERE first_seq = 6";
    check_damage("partition", gap, "the frontier");
    let rising = "DELETE FROM summary WHERE depth = 1; \
         UPDATE summary SET depth = 3 WHERE first_seq = 6";
    check_damage("partition", rising, "deeper than the one before it");
    check_damage(
        "tree",
        "UPDATE summary SET depth = 2 WHERE depth = 1",
        "its deepest child 0",
    );
    check_damage(
        "tree",
        "DELETE FROM summary WHERE first_seq = 6",
        "has 1 children",
    );
    check_damage(
        "tree",
        "UPDATE summary SET last_seq = 7 WHERE first_seq = 6",
        "children end at 7",
    );
    let repairs = "DELETE FROM summary WHERE depth = 1; \
         DELETE FROM summary WHERE first_seq = 2 AND generation = 0";
    check_damage("tree", repairs, "repairs a row that is not there");
}

#[test]
fn the_index() {
    check_damage(
        "index",
        "DELETE FROM search_index WHERE rowid = 5",
        "message 5 is not in the index",
    );
    check_damage(
        "index",
        "DELETE FROM search_index_docsize WHERE id = 5",
        "message 5 is not in",
    );
    check_damage(
        "index",
        "DELETE FROM search_index_data WHERE id > 10",
        "search_index",
    );
    check_damage("index", "DELETE FROM search_index_data", "search_index");
    check_damage("index", "DROP TABLE search_index_data", "");
    let emptied = "INSERT INTO search_index (search_index) VALUES ('delete-all')";
    check_damage("index", emptied, "is not in the index");
    let twice = "INSERT INTO search_index (rowid, tokens) VALUES (5, 'files and more')";
    check_damage("index", twice, "");
    let beyond = "INSERT INTO search_index (rowid, tokens) VALUES (9999, 'no row')";
    check_damage("index", beyond, "9999");
    check_damage(
        "index",
        "DELETE FROM index_piece WHERE ordinal = 1",
        "pieces",
    );
    check_damage(
        "index",
        "DELETE FROM search_piece WHERE rowid = 2",
        "piece 2",
    );
    check_damage(
        "index",
        "UPDATE index_state SET n_rows = n_rows + 1",
        "its state",
    );
    check_damage("time_runs", "DELETE FROM time_run", "runs end at 0");
    check_damage(
        "time_runs",
        "UPDATE time_run SET max_at = 1000000",
        "message",
    );
    check_damage("time_runs", "UPDATE time_run SET from_at = NULL", "summary");
    check_damage(
        "time_runs",
        "UPDATE time_run SET first_id = first_id + 1",
        "run 2",
    );
}

#[test]
fn the_same_words_in_other_places_are_found_by_the_count_of_each_row() {
    let bench = one_of_everything();
    // Row 5 loses its words to row 5 of the same size: totals agree, the row's own count does not.
    bench.damage(
        "INSERT INTO search_index (rowid, tokens) VALUES (5, 'x'); \
         UPDATE index_state SET n_rows = n_rows + 1;",
    );
    let checks = examine(&bench, Thoroughness::Full);
    let index = checks.iter().find(|check| check.name == "index").unwrap();
    assert!(!index.is_ok, "{}", index.detail);
}
