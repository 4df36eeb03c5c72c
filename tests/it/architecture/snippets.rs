//! Proof that each rule of the rooms can fail: bad snippets, and good ones beside them.

use super::rules;
use super::source::Source;

/// Checks what a rule says of a snippet: nothing if `want` is empty, else each text of it.
#[track_caller]
fn check_rule(rule: impl Fn(&Source) -> Vec<String>, path: &str, text: &str, want: &[&str]) {
    let broken = rule(&Source::new(path, text));
    assert_eq!(broken.len(), want.len(), "{path} {text:?}: {broken:?}");
    for (line, expected) in broken.iter().zip(want) {
        assert!(line.contains(expected), "{line:?} should hold {expected:?}");
    }
}

#[test]
fn an_arrow_the_wrong_way_is_found() {
    let see = |path, text, want: &[&str]| check_rule(rules::arrows, path, text, want);
    see(
        "src/domain/a.rs",
        "use crate::policy::x;",
        &["may not see policy"],
    );
    see("src/domain/a.rs", "use crate::domain::x;", &[]);
    see(
        "src/policy/a.rs",
        "use crate::{domain::{a, store}, store::b};",
        &["may not see store"],
    );
    see("src/policy/a.rs", "use crate::{domain::{a, store}};", &[]);
    see(
        "src/store/a.rs",
        "fn f() { crate::policy::g(); }",
        &["may not see policy"],
    );
    see(
        "src/store/a/b.rs",
        "use super::super::super::policy::g;",
        &["may not see policy"],
    );
    see("src/store/a/b.rs", "use super::super::policy::g;", &[]);
    see(
        "src/store/mod.rs",
        "use super::engine;",
        &["may not see engine"],
    );
    see(
        "src/engine/a.rs",
        "use crate::cli::a; use crate::tools::b;",
        &["cli", "tools"],
    );
    see(
        "src/engine/a.rs",
        "use crate::{domain, policy, store};",
        &[],
    );
    see(
        "src/render/a.rs",
        "use crate :: engine::a;",
        &["may not see engine"],
    );
    see("src/tools/a.rs", "use crate::*;", &["may not see *"]);
    see("src/import/a.rs", "use crate::cli;", &["may not see cli"]);
    see("src/cli/a.rs", "use crate::{import, engine};", &[]);
    see(
        "src/policy/a.rs",
        "//! See crate::store.\nlet a = \"crate::store::b\";",
        &[],
    );
}

#[test]
fn a_crate_in_the_wrong_room_is_found() {
    let dependencies = ["tokio", "serde", "blake3"].map(str::to_owned);
    let see = |path, text, want: &[&str]| {
        check_rule(
            |source| rules::crates(source, &dependencies),
            path,
            text,
            want,
        );
    };
    see(
        "src/domain/a.rs",
        "use tokio::sync;",
        &["may not use tokio"],
    );
    see(
        "src/domain/a.rs",
        "use ::blake3::Hash;",
        &["may not use blake3"],
    );
    see(
        "src/domain/a.rs",
        "#[derive(serde::Serialize)] struct A; a::tokio::b();",
        &[],
    );
    see("src/store/a.rs", "let a = blake3::hash(b);", &[]);
    see("src/cli/a.rs", "use tokio::sync;", &[]);
}

#[test]
fn a_word_outside_its_room_is_found() {
    let see = |path, text, want: &[&str]| check_rule(rules::words, path, text, want);
    see("src/engine/a.rs", "let a = \"SELECT 1\";", &["SELECT "]);
    see(
        "src/store/a.rs",
        "let a = \"SELECT 1\"; use rusqlite::Row;",
        &[],
    );
    see("src/cli/a.rs", "rusqlite::version()", &["rusqlite"]);
    see("src/policy/a.rs", "tokio::join!(a, b)", &["tokio::"]);
    see(
        "src/engine/turn.rs",
        "tokio::spawn(a); Utc::now()",
        &["Utc::now", "tokio::spawn"],
    );
    see("src/engine/tasks.rs", "self.runtime.spawn(a)", &[]);
    see(
        "src/engine/turn.rs",
        "self.runtime.spawn(a)",
        &["runtime.spawn("],
    );
    see("src/engine/clock.rs", "SystemTime::now()", &[]);
    see(
        "src/store/a.rs",
        "Connection::open(b)",
        &["Connection::open"],
    );
    see("src/store/conn.rs", "Connection::open(b)", &[]);
    see("src/cli/grep.rs", "std::env::var_os(b)", &["env::var"]);
    see("src/cli/config.rs", "std::env::var_os(b)", &[]);
    see("src/policy/a.rs", "// SELECT and tokio:: in words", &[]);
}

#[test]
fn a_misshapen_file_is_found() {
    let see = |path, text: &str, want: &[&str]| check_rule(rules::shape, path, text, want);
    let long = "//! A.\n".repeat(400);
    see("src/domain/a.rs", &long, &["400 lines"]);
    see("src/domain/a.rs", &long[7..], &[]);
    see("src/domain/a.rs", "use std::fmt;", &["does not start"]);
    see("src/domain/a/tests.rs", "use super::a;", &[]);
    see("src/domain/utils.rs", "//! A.", &["main type or verb"]);
}

#[test]
fn what_is_left_over_is_found() {
    let see =
        |text: &str, want: &[&str]| check_rule(rules::leftovers, "src/domain/a.rs", text, want);
    see("#[allow(dead_code)] fn a() {}", &["#[allow"]);
    see("#![allow(dead_code)]", &["#![allow"]);
    see(
        "fn a() { todo!() } fn b() { unimplemented!() }",
        &["todo!", "unimplemented!"],
    );
    see("dbg!(a);", &["dbg!"]);
    see("// TODO later", &["TODO"]);
    see("/* FIXME */", &["FIXME"]);
    see("let cue = \"TODO: \";", &[]);
    see("#[expect(dead_code, reason = \"a\")] fn a() {}", &[]);
}

#[test]
fn a_machine_path_is_found() {
    let text = format!("cd /{}/main", "work");
    assert_eq!(rules::machine_paths("README.md", &text).len(), 1);
    assert!(rules::machine_paths("README.md", "cd ~/project; src/work/a").is_empty());
}
