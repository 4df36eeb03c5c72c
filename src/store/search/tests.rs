//! What is handed to MATCH, and what a search costs.

use std::fmt::Write as _;
use std::path::Path;

use rusqlite::{Connection, StatementStatus};

use super::find::{MATCHING_MESSAGES, MATCHING_SUMMARIES};
use super::heads::{IS_SEARCHED, MESSAGES_BY_SEQ, SUMMARIES_OF};
use super::match_text::Condition;
use crate::domain::IndexQuery;
use crate::store::{Durability, OpenMode, Store, Writer};

fn token(word: &str) -> IndexQuery {
    IndexQuery::Token(word.to_owned())
}

#[track_caller]
fn check_text(query: &IndexQuery, want: &str) {
    let text = Condition::new(query).map(|condition| condition.text());
    assert_eq!(text.as_deref().unwrap_or("everything"), want);
}

#[test]
fn a_condition_is_written_in_quotes() {
    let phrase = |words: &[&str]| {
        words
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    check_text(&token("oak"), "\"oak\"");
    check_text(&token("a\"b\0c"), "\"a b c\"");
    check_text(&token("\""), "everything");
    check_text(
        &IndexQuery::Phrase(phrase(&["red", "*", "oak"])),
        "\"red oak\"",
    );
    check_text(&IndexQuery::Prefix(phrase(&["red", "o"])), "\"red o\" *");
    check_text(&IndexQuery::Prefix(phrase(&["red", "-"])), "\"red\"");
    check_text(&IndexQuery::Prefix(Vec::new()), "everything");
    let and = IndexQuery::And(vec![
        token("a"),
        IndexQuery::And(vec![token("b"), token("c")]),
    ]);
    check_text(&and, "(\"a\" AND \"b\" AND \"c\")");
    let or = IndexQuery::Or(vec![token("a"), and.clone()]);
    check_text(&or, "(\"a\" OR (\"a\" AND \"b\" AND \"c\"))");
    check_text(&IndexQuery::And(vec![token("a"), token("-")]), "\"a\"");
    check_text(&IndexQuery::Or(vec![token("a"), token("-")]), "everything");
    check_text(&IndexQuery::And(Vec::new()), "everything");
    check_text(&token("\u{10fffd}user"), "everything");
    check_text(&IndexQuery::Prefix(phrase(&["\u{10fffd}"])), "everything");
}

#[test]
fn many_alternatives_are_asked_in_few_groups_and_none_is_lost() {
    let any = IndexQuery::Or((0..100).map(|n| token(&format!("w{n}"))).collect());
    let groups = Condition::new(&any).unwrap().alternatives();
    assert!(groups.len() <= 32, "{}", groups.len());
    let text: String = groups.iter().map(|group| group.text() + " ").collect();
    for n in 0..100 {
        assert!(text.contains(&format!("\"w{n}\"")), "{n}");
    }
}

/// A store with one conversation of 50 messages and 5 summaries, after `others` like it and before
/// as many.
fn store(folder: &Path, others: i64) -> Writer {
    let path = folder.join(format!("{others}.db"));
    let store = Store::open(&path, OpenMode::Create, Durability::Normal).unwrap();
    let mut writer = store.writer().unwrap();
    let mut sql = "PRAGMA foreign_keys = 0; BEGIN;".to_owned();
    let mut id = 0;
    for conversation in 1..=2 * others + 1 {
        let live = i64::MAX;
        writeln!(
            sql,
            "INSERT INTO conversation (id, session_key, head, live_id, created_at)
             VALUES ({conversation}, 'k{conversation}', 50, {live}, 0);"
        )
        .unwrap();
        for seq in 1..=55 {
            id += 1;
            let row = if seq <= 50 {
                format!(
                    "message (id, conversation_id, seq, role, visibility, tokens, view_tokens,
                       reasoning_tokens, has_words, n_parts, sum_tokens, sum_view, n_visible,
                       turn_first, content_hash, chain_hash)
                     VALUES ({id}, {conversation}, {seq}, 'user', 'talk', 1, 1, 0, 1, 0, 1, 1, 1, 1,
                       zeroblob(32), zeroblob(32))"
                )
            } else {
                format!(
                    "summary (id, conversation_id, depth, first_seq, last_seq, generation, origin,
                       tokens, body)
                     VALUES ({id}, {conversation}, 0, {seq} - 50, {seq} - 50, 0, 'floor', 1, 'b')"
                )
            };
            writeln!(sql, "INSERT INTO {row};").unwrap();
            writeln!(
                sql,
                "INSERT INTO search_index (rowid, tokens) VALUES ({id}, 'oak');"
            )
            .unwrap();
        }
    }
    sql.push_str("COMMIT;");
    writer.conn().execute_batch(&sql).unwrap();
    writer
}

/// Counts the steps of the database's machine for one statement.
fn steps(conn: &Connection, sql: &str, params: impl rusqlite::Params) -> i32 {
    let mut statement = conn.prepare(sql).unwrap();
    let mut rows = statement.query(params).unwrap();
    let mut count = 0;
    while rows.next().unwrap().is_some() {
        count += 1;
    }
    drop(rows);
    assert!(count >= 5, "{count} rows: {sql}");
    statement.get_status(StatementStatus::VmStep)
}

// W24
#[test]
fn the_cost_of_one_conversation_does_not_know_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let costs = |others: i64| {
        let mut writer = store(folder.path(), others);
        let conn = writer.conn();
        let own = others + 1;
        let (first, last) = (others * 55 + 1, own * 55);
        [
            steps(conn, MESSAGES_BY_SEQ, [own, 1, 50, 128]),
            steps(conn, SUMMARIES_OF, [own]),
            steps(conn, MATCHING_MESSAGES, ("\"oak\"", first, last, false)),
            steps(conn, MATCHING_SUMMARIES, ("\"oak\"", first, last, false)),
        ]
    };
    assert_eq!(costs(1), costs(20));
}

#[test]
fn a_cached_statement_is_not_prepared_anew_at_each_use() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = store(folder.path(), 1);
    let conn = writer.conn();
    for id in 51..55 {
        let mut statement = conn.prepare_cached(IS_SEARCHED).unwrap();
        assert!(statement.exists((id, None::<i64>)).unwrap());
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
    }
}
