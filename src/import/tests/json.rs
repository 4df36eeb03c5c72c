//! What JSON is mended and what is kept byte for byte.

use crate::import::json::{Object, repair, strings};

#[track_caller]
fn check_repair(line: &str, expected: &str) {
    assert_eq!(repair(line), expected, "{line}");
    assert_eq!(repair(line).len(), line.len());
}

#[test]
fn only_lone_halves_of_surrogate_pairs_are_replaced() {
    check_repair(r#""a\ud83d b""#, r#""a\ufffd b""#);
    check_repair(r#""a\ude00 b""#, r#""a\ufffd b""#);
    check_repair(r#""\ud83d\ude00""#, r#""\ud83d\ude00""#);
    check_repair(r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#);
    check_repair(r#""\\ud83d""#, r#""\\ud83d""#);
    check_repair(r#""\\\ud83d""#, r#""\\\ufffd""#);
    check_repair(r#""\uD83D\n\uDE00""#, r#""\ufffd\n\ufffd""#);
    check_repair(r#""\ud83"#, r#""\ud83"#);
    check_repair(r#""\"#, r#""\"#);
}

#[test]
fn the_last_of_two_fields_with_one_name_counts() {
    let object = Object::parse(r#"{"a":"x","a":"y","n":null,"t":true}"#).unwrap();
    assert_eq!(object.text("a").as_deref(), Some("y"));
    assert!(object.get("n").is_none() && object.has("n"));
    assert!(object.is_set("t") && !object.is_set("a"));
}

#[test]
fn numbers_of_any_size_are_read_past() {
    let object =
        Object::parse(r#"{"n":123456789012345678901234567890,"f":1e400,"a":"x"}"#).unwrap();
    assert_eq!(
        object.get("n").unwrap().get(),
        "123456789012345678901234567890"
    );
    assert_eq!(object.text("a").as_deref(), Some("x"));
}

#[test]
fn words_are_collected_in_order_without_skipped_fields() {
    let raw = r#"{"b":"two words","a":["x",{"type":"skip","c":"y"}],"n":1," ":"  "}"#;
    assert_eq!(strings(raw, &["type"]), ["two words", "x", "y"]);
}

#[test]
fn nesting_beyond_any_stack_is_walked() {
    let deep = format!("{}\"core\"{}", "[".repeat(100_000), "]".repeat(100_000));
    let found = strings(&deep, &[]);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("core"));
}
