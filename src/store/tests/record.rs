//! The record: what was stored comes back, and adds up.

use super::kit::{NOW, all, bench, key, span, talk, write};
use crate::domain::{NewMessage, Part, Role, Timestamp, Visibility};
use crate::store::hash::{Content, GENESIS, Hash, Salt, content, link};
use crate::store::sessions::FIRST_WORDS;
use crate::store::{OpenMode, Store, fingerprint};

/// I7 and I14: sums, hashes and the chain are what a recount gives.
#[test]
fn sums_and_hashes_follow_from_the_rows() {
    let mut bench = bench();
    let with_time = NewMessage::user("now").at(Timestamp::from_millis(5));
    bench.append("main", write("sumcr"));
    bench.append("main", vec![with_time]);
    let mut chain = GENESIS;
    let (mut tokens, mut view) = (0, 0);
    for message in all(&bench, "main") {
        tokens += message.tokens.get();
        view += message.view_tokens.get();
        let sql = format!("SELECT salt FROM salt WHERE message_id = {}", message.id);
        let salt: Salt = bench
            .writer
            .conn()
            .query_row(&sql, [], |row| row.get(0))
            .unwrap();
        let sql = format!(
            "SELECT content_hash, chain_hash, sum_tokens, sum_view FROM message WHERE id = {}",
            message.id
        );
        let stored: (Hash, Hash, u64, u64) = bench
            .writer
            .conn()
            .query_row(&sql, [], |row| {
                let sum = |idx| row.get::<_, i64>(idx).map(i64::unsigned_abs);
                Ok((row.get(0)?, row.get(1)?, sum(2)?, sum(3)?))
            })
            .unwrap();
        let hash = content(&salt, &Content::from(&message));
        chain = link(&chain, &hash);
        assert_eq!(stored, (hash, chain, tokens, view));
    }
    assert_eq!(tokens, 60);
    assert_eq!(view, 36);
    assert_eq!(bench.number("SELECT sum_tokens FROM conversation"), 60);
    assert_eq!(bench.number("SELECT sum_view FROM conversation"), 36);
    assert_eq!(bench.number("SELECT n_visible FROM conversation"), 4);
    assert_eq!(bench.number("SELECT last_at FROM conversation"), 5);
    assert_eq!(bench.number("SELECT count(DISTINCT salt) FROM salt"), 6);
}

/// Compares two messages by fingerprint.
#[track_caller]
fn check_differ(left: &NewMessage, right: &NewMessage) {
    assert_ne!(fingerprint(left), fingerprint(right), "{left:?} {right:?}");
}

#[test]
fn a_fingerprint_covers_role_name_key_time_and_parts() {
    let plain = NewMessage::user("ab");
    assert_eq!(
        fingerprint(&plain),
        fingerprint(&NewMessage::user("ab").meta())
    );
    check_differ(&plain, &NewMessage::assistant("ab"));
    check_differ(&plain, &NewMessage::user("ab").with_key("k"));
    check_differ(&plain, &NewMessage::user("ab").at(NOW));
    check_differ(
        &NewMessage::user("ab").at(NOW),
        &NewMessage::user("ab").at(NOW.plus_millis(1)),
    );
    let named = NewMessage {
        name: Some("k".to_owned()),
        ..plain.clone()
    };
    check_differ(&plain, &named);
    check_differ(&named, &NewMessage::user("ab").with_key("k"));
    let text = |text: &str| Part::Text {
        text: text.to_owned(),
    };
    check_differ(
        &plain,
        &NewMessage::new(Role::User, vec![text("a"), text("b")]),
    );
    check_differ(
        &NewMessage::tool_use("a", "bc", "{}"),
        &NewMessage::tool_use("ab", "c", "{}"),
    );
}

/// B056, and every other kind of part.
#[test]
fn parts_come_back_byte_for_byte_after_a_restart() {
    let parts = vec![
        Part::Reasoning {
            text: "  first\u{0}then\n".to_owned(),
            signature: Some("c2ln==".to_owned()),
        },
        Part::Reasoning {
            text: String::new(),
            signature: None,
        },
        Part::Text {
            text: "\u{feff}é😀\r\n".to_owned(),
        },
        Part::ToolUse {
            call_id: String::new(),
            name: "grep".to_owned(),
            arguments: "{\"a\": 1.0,  \"a\": 2}".to_owned(),
        },
        Part::ToolResult {
            call_id: "x".to_owned(),
            content: String::new(),
            is_error: true,
        },
        Part::Media {
            uri: "data:image/png;base64,AA==".to_owned(),
            mime: "image/png".to_owned(),
        },
        Part::Opaque {
            json: "{\"type\":\"new\"}".to_owned(),
        },
    ];
    let mut bench = bench();
    let message = NewMessage {
        name: Some("ann".to_owned()),
        model: Some("m".to_owned()),
        provider: Some("p".to_owned()),
        ..NewMessage::new(Role::Assistant, parts.clone()).at(NOW)
    };
    bench.append(
        "main",
        vec![message.clone(), NewMessage::new(Role::User, Vec::new())],
    );
    let path = bench.path();
    let dir = bench.dir;
    drop((bench.writer, bench.reader, bench.store));
    let store = Store::open(&path, OpenMode::Existing, crate::store::Durability::Full).unwrap();
    let reader = store.reader().unwrap();
    let id = reader.conversation(&key("main")).unwrap().unwrap().id;
    let found = reader.messages(id, span(1, 2)).unwrap();
    assert_eq!(found[0].parts, parts);
    assert_eq!(found[0].at, Some(NOW));
    assert_eq!(found[0].name, message.name);
    assert_eq!(
        (found[0].model.as_deref(), found[0].provider.as_deref()),
        (Some("m"), Some("p"))
    );
    assert!(found[1].parts.is_empty());
    drop(dir);
}

/// B053.
#[test]
fn a_nul_in_a_text_hides_nothing() {
    let mut bench = bench();
    let texts = ["before\u{0}after", "ends in\u{0}", "\u{0}", "plain"];
    bench.append("main", texts.map(NewMessage::user).to_vec());
    let found: Vec<_> = all(&bench, "main")
        .into_iter()
        .map(|message| message.parts)
        .collect();
    let wanted: Vec<_> = texts
        .iter()
        .map(|text| {
            vec![Part::Text {
                text: (*text).to_owned(),
            }]
        })
        .collect();
    assert_eq!(found, wanted);
}

/// B030.
#[test]
fn keys_are_kept_byte_for_byte_and_never_share_rows() {
    let mut bench = bench();
    let long = "k".repeat(1024);
    let keys = [
        "a/b",
        "a_b",
        "a\\b",
        "A/b",
        " ",
        "../../etc/x",
        "a'; --",
        "é",
        &long,
    ];
    for (idx, name) in keys.iter().enumerate() {
        bench.append(name, vec![NewMessage::user(format!("I am {idx}")); idx + 1]);
    }
    for (idx, name) in keys.iter().enumerate() {
        let rows = all(&bench, name);
        assert_eq!(rows.len(), idx + 1);
        let found = bench.reader.conversation(&key(name)).unwrap().unwrap();
        assert_eq!(found.session.as_str(), *name);
    }
    assert!(bench.reader.conversation(&key("a b")).unwrap().is_none());
}

#[test]
fn an_unknown_key_is_answered_with_near_ones() {
    let mut bench = bench();
    for name in ["project-alpha", "project-beta", "main", "mein", "zzz"] {
        bench.append(name, talk(1));
    }
    let near = |asked: &str| -> Vec<String> {
        let found = bench.reader.near_keys(&key(asked)).unwrap();
        found.iter().map(ToString::to_string).collect()
    };
    assert_eq!(near("projct-alpha"), ["project-alpha"]);
    assert_eq!(near("maim"), ["main"]);
    assert_eq!(near("mian"), ["main"]);
    assert_eq!(near("Main "), ["main"]);
    assert_eq!(near("project"), ["project-alpha", "project-beta"]);
    assert!(near("quite another").is_empty());
}

/// B058.
#[test]
fn every_role_keeps_its_own() {
    let mut bench = bench();
    let roles = [
        Role::System,
        Role::User,
        Role::Assistant,
        Role::Tool,
        Role::System,
    ];
    let messages = roles.map(|role| NewMessage::text(role, "words"));
    bench.append("main", messages.to_vec());
    let found: Vec<_> = all(&bench, "main")
        .iter()
        .map(|message| message.role)
        .collect();
    assert_eq!(found, roles);
}

#[test]
fn a_conversation_is_known_by_what_a_user_says_first() {
    let mut bench = bench();
    let mut noise = NewMessage::user("host's words");
    noise.visibility = Visibility::Meta;
    let first = vec![
        noise,
        NewMessage::assistant("good day"),
        NewMessage::user("<ide_opened_file>a.rs</ide_opened_file>"),
        NewMessage::user("\n  mend the net"),
        NewMessage::user("and the oars"),
    ];
    let main = bench.append("main", first).conversation;
    let branch = bench.fork("main", 5, Some("branch")).conversation;
    bench.append("branch", vec![NewMessage::user("later")]);
    let early = bench.fork("main", 2, Some("early")).conversation;
    bench.append("early", vec![NewMessage::user("x".repeat(900))]);
    let silent = bench.append("silent", vec![NewMessage::assistant("hm")]);
    let ids = [main, branch, early, silent.conversation];
    let found = bench.reader.first_words(&ids).unwrap();
    let words = |words: &str| words.to_owned();
    let want = [
        (main, words("mend the net")),
        (branch, words("mend the net")),
        (early, "x".repeat(400)),
    ];
    assert_eq!(found, want);
}

/// A sorter would read a whole conversation for the first thing said in it.
#[test]
fn first_words_are_found_without_reading_on() {
    let bench = bench();
    let conn = bench.reader.conn();
    let mut statement = conn
        .prepare(&format!("EXPLAIN QUERY PLAN {FIRST_WORDS}"))
        .unwrap();
    let lines: Vec<String> = statement
        .query_map(("[1]", 100, 400), |row| row.get(3))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert!(
        lines.iter().any(|line| line.starts_with("SEARCH m ")),
        "{lines:#?}"
    );
    assert!(
        !lines.iter().any(|line| line.contains("TEMP B-TREE")),
        "{lines:#?}"
    );
}
