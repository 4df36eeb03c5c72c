//! `pin`, `unpin`, `pins`: their objects, their texts, how they end.

use serde_json::Value;

use crate::program::{Program, line};

const RULE: &str = "Never push to the main branch.";

fn program() -> Program {
    let program = Program::new();
    program.append("main", &line("user", RULE));
    program
}

fn pins(program: &Program, words: &[&str]) -> Vec<Value> {
    let mut all = vec!["pins", "--session", "main"];
    all.extend(words);
    program.json(&all)["pins"].as_array().unwrap().clone()
}

#[track_caller]
fn check_ends(program: &Program, words: &[&str], code: i32, said: &str) {
    let ended = program.run(words);
    assert_eq!(ended.code, Some(code), "{words:?}: {}", ended.stderr);
    assert!(ended.stderr.contains(said), "{words:?}: {}", ended.stderr);
}

#[test]
fn what_a_user_demands_is_listed_with_all_its_fields() {
    let program = program();
    let pin = &pins(&program, &[])[0];
    for (field, value) in [
        ("kind", Value::from("constraint")),
        ("state", "live".into()),
        ("by", "auto".into()),
        ("text", RULE.into()),
        ("conversation", "main".into()),
        ("message", 1.into()),
        ("seq", 1.into()),
    ] {
        assert_eq!(pin[field], value, "{field}");
    }
    assert!(pin["time"].as_str().unwrap().ends_with('Z'));
    assert!(pin["id"].as_str().unwrap().starts_with('p'));
}

#[test]
fn a_pin_is_made_and_retired_by_its_id() {
    let program = program();
    let words = [
        "pin",
        "--session",
        "main",
        "--kind",
        "fact",
        "--message",
        "1",
        "the port is 8443",
    ];
    let made = program.json(&words);
    assert_eq!(
        (&made["changed"], &made["pin"]["state"]),
        (&true.into(), &"live".into())
    );
    assert_eq!(program.json(&words)["changed"], false);
    let id = made["pin"]["id"].as_str().unwrap();
    let view = program.run(&["context", "--session", "main"]).stdout;
    assert!(view.contains(">the port is 8443</pin>"), "{view}");
    let gone = program.json(&["unpin", id]);
    assert_eq!(
        (&gone["changed"], &gone["pin"]["state"]),
        (&true.into(), &"retired".into())
    );
    assert_eq!(program.json(&["unpin", &id[1..]])["changed"], false);
    assert_eq!(pins(&program, &[]).len(), 1);
    assert_eq!(pins(&program, &["--all"]).len(), 2);
}

#[test]
fn without_auto_pins_what_is_found_is_proposed_and_accepted_by_hand() {
    let program = Program::new();
    let words = ["append", "--session", "main"];
    let mut command = program.command();
    command.env("HIPPOCAMP_AUTO_PINS", "false").args(words);
    command.write_stdin(line("user", RULE)).assert().success();
    let pin = pins(&program, &[]).remove(0);
    assert_eq!(pin["state"], "proposed");
    let id = pin["id"].as_str().unwrap();
    assert_eq!(
        program.json(&["pin", "--accept", id])["pin"]["state"],
        "live"
    );
}

#[test]
fn a_smaller_budget_lists_the_pins_it_leaves_out() {
    let program = program();
    let view = program.run(&["context", "--session", "main", "--budget", "40", "--json"]);
    let out = view.object()["left_out"][0].clone();
    assert_eq!(
        (&out["kind"], &out["first_seq"]),
        (&"pins".into(), &1.into())
    );
    assert!(out["id"].as_str().unwrap().starts_with('p'));
}

#[test]
fn wrong_use_is_named() {
    let program = program();
    let long = "word ".repeat(20_000);
    for (words, said) in [
        (vec!["pin", "--session", "maim", "x"], "main"),
        (vec!["pin", "--session", "main"], "TEXT"),
        (vec!["pin", "x"], "--session"),
        (vec!["pin", "--session", "main", " "], "words"),
        (vec!["pin", "--session", "main", &long], "shorten"),
        (
            vec!["pin", "--session", "main", "--kind", "rule", "x"],
            "constraint",
        ),
        (
            vec!["pin", "--session", "main", "--message", "999", "x"],
            "message 999",
        ),
        (
            vec!["pin", "--session", "main", "--message", "s1", "x"],
            "number",
        ),
        (vec!["pin", "--accept", "p999"], "p999"),
        (vec!["unpin", "p999"], "p999"),
        (vec!["unpin", "99999999999999999999"], "no pin"),
        (vec!["unpin", "x"], "p57"),
        (vec!["unpin"], "ID"),
        (vec!["pins"], "--session"),
        (vec!["pins", "--session", "maim"], "main"),
    ] {
        check_ends(&program, &words, 2, said);
    }
    check_ends(&program, &["pins", "--session", "main"], 0, "");
    assert_eq!(pins(&program, &["--all"]).len(), 1);
}
