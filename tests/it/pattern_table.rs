//! The pattern language by example: every row of the truth table as it is read.

use std::collections::BTreeSet;

use hippocamp::policy::pattern::parse;

use crate::shared::shared;

/// What becomes of a pattern.
enum Read {
    /// It is understood so.
    As(&'static str),
    /// It is understood so, with advice.
    Advised(&'static str),
    /// It is refused with a message and a hint that have this.
    Refused(&'static str),
}

use Read::{Advised, As, Refused};

const ROWS: &[(&str, &str, Read)] = &[
    ("1", "alpha beta", As("alpha AND beta")),
    ("2", "alpha AND beta", As("alpha AND beta")),
    ("3", "alpha and beta", As("alpha AND beta (optional: and)")),
    ("3", "or", As("or")),
    ("3", "not", As("not")),
    ("3", "And", As("and")),
    ("4", "alpha OR beta", As("alpha OR beta")),
    ("5", "alpha NOT beta", As("alpha NOT beta")),
    ("6", "alpha AND NOT beta", As("alpha NOT beta")),
    ("7", "NOT alpha", Refused("x NOT alpha, or \"NOT alpha\"")),
    ("7", "NOT alpha beta", Refused("x NOT alpha")),
    ("8", "alpha NOT", Refused("x NOT y")),
    ("8", "alpha AND", Refused("x AND y")),
    ("8", "AND alpha", Refused("x AND y")),
    ("9", "alpha OR OR beta", Refused("x OR y")),
    ("10", "alpha OR NOT beta", Refused("x NOT beta")),
    ("11", "AND", As("and")),
    ("11", "OR", As("or")),
    ("11", "NOT", As("not")),
    (
        "12",
        "alpha NOT beta gamma",
        As("(alpha AND gamma) NOT beta"),
    ),
    (
        "13",
        "alpha NOT beta NOT gamma",
        As("alpha NOT (beta OR gamma)"),
    ),
    ("14", "alpha OR beta gamma", As("alpha OR (beta AND gamma)")),
    ("15", "alpha beta OR gamma", As("(alpha AND beta) OR gamma")),
    (
        "16",
        "alpha NOT (beta OR gamma)",
        As("alpha NOT (beta OR gamma)"),
    ),
    (
        "17",
        "((alpha) OR (beta)) AND together",
        As("(alpha OR beta) AND together"),
    ),
    ("18", "(alpha", Refused("not closed")),
    ("19", "alpha)", As("alpha")),
    ("19", "alpha :) beta", As("alpha AND beta")),
    ("20", "()", Refused("%")),
    ("20", "foo ()", As("foo")),
    ("21", "main()", As("main")),
    ("21", "foo(bar)", As("foo+bar")),
    ("21", "f(x) AND g(y)", As("f+x AND g+y")),
    ("22", "404 NOT FOUND", Advised("404 NOT found")),
    ("22", "IS NOT NULL", Advised("is NOT null")),
    ("23", "\"alpha beta\"", As("\"alpha beta\"")),
    ("24", "\"AND\"", As("\"and\"")),
    ("24", "\"alpha AND beta\"", As("\"alpha and beta\"")),
    ("25", "\"alpha", Refused("does not end")),
    ("25", "\"\"\"", Refused("does not end")),
    ("26", "alpha\"", As("alpha")),
    ("26", "5\" disk", As("5 AND disk")),
    ("26", "foo\"bar\"baz", As("foo+bar+baz")),
    ("27", "\"\"", Refused("search for")),
    ("27", "\"\" \"\"", Refused("search for")),
    ("28", "%", Refused("nothing to search")),
    ("28", "%%", Refused("nothing to search")),
    ("28", "%%%", Refused("nothing to search")),
    ("28", "% %", Refused("nothing to search")),
    ("29", "50%", As("50")),
    ("29", "100%", As("100")),
    ("29", "%50", As("50")),
    ("29", "alpha%", As("alpha")),
    ("30", "%50%", As("%50%")),
    ("30", "%PATH%", As("%path%")),
    ("30", "%->%", As("%->%")),
    ("31", "%foo bar%", As("%foo bar%")),
    ("32", "50% of 80%", As("50 AND 80 (optional: of)")),
    ("33", "%a%b%", As("%a%b%")),
    ("34", "%snake_case%", As("%snake_case%")),
    ("35", "alpha*", As("alpha*")),
    ("35", "用*", As("用*")),
    ("36", "foo-ba*", As("foo+ba*")),
    ("37", "*", Refused("no word to search")),
    ("37", "* ", Refused("no word to search")),
    ("38", "a*b", As("a+b")),
    ("38", "src/*.rs", As("src+rs")),
    ("38", "*.rs", As("rs")),
    ("39", "\"alpha*\"", As("\"alpha\"")),
    ("40", "-word", As("word")),
    ("40", "--force", As("force")),
    ("40", "alpha -beta", As("alpha AND beta")),
    ("40", "!alpha", As("alpha")),
    ("40", "+alpha", As("alpha")),
    ("41", "multi-agent", As("multi+agent")),
    ("41", "foo_bar", As("foo+bar")),
    ("41", "GB/s", As("gb+s")),
    ("41", "20.04", As("20+04")),
    ("42", "don't", As("don+t")),
    ("43", "user@example.org", As("user+example+org")),
    ("44", "https://ex.org/a?b=c#d", As("https+ex+org+a+b+c+d")),
    ("45", "C:\\temp\\x", As("c+temp+x")),
    ("45", "C:\\\\x", As("c+x")),
    ("46", "std::vector", As("std+vector")),
    ("46", "status:", As("status")),
    ("46", "status:done", As("status+done")),
    ("46", "content:alpha", As("content+alpha")),
    ("47", "foo:bar", As("foo+bar")),
    ("47", "Role:user", As("role+user")),
    ("48", "role:user alpha", As("role:user AND alpha")),
    ("49", "role:user", As("role:user")),
    ("50", "role: user", As("role AND user")),
    ("50", "role:", As("role")),
    (
        "51",
        "role:robot",
        Refused("user, assistant, tool and system"),
    ),
    ("51", "is:foo", Refused("is:error")),
    ("51", "depth:>=2", Refused("depth:0")),
    ("52", "alpha NOT role:tool", As("alpha NOT role:tool")),
    ("53", "x role:user OR y", As("(x AND role:user) OR y")),
    ("54", "path:\"my dir/x.rs\"", As("path:\"my dir/x.rs\"")),
    (
        "55",
        "before:2026-01-02",
        As("before:2026-01-02T00:00:00.000Z"),
    ),
    ("55b", "last:7d after:2026-01-02", Refused("last:7d alone")),
    ("56", "\"role\":\"user\"", As("\"role\" AND user")),
    ("57", "model:gpt-4o", As("model:gpt-4o")),
    ("58", "/err(or)?\\d+/", As("/err(or)?\\d+/")),
    ("59", "/usr/lib", As("usr+lib")),
    ("59", "/usr/lib/", As("usr+lib")),
    ("59", "/api/v1/", As("api+v1")),
    ("60", "/foo/", As("/foo/")),
    ("61", "/(/", Refused("no regular expression")),
    ("62", "/", Refused("no word to search")),
    ("62", "//", Refused("no word to search")),
    ("62", "a / b / c", As("b AND c (optional: a)")),
    ("62", "/x/i", As("x+i")),
    ("63", "->", Refused("%->%")),
    ("63", "!=", Refused("%->%")),
    ("63", "---", Refused("%->%")),
    ("63", "...", Refused("%->%")),
    ("63", "_", Refused("%->%")),
    ("63", "\\", Refused("%->%")),
    ("64", "C++", As("c")),
    ("64", "C#", As("c")),
    ("65", "🔥", As("🔥")),
    ("66", "用户", As("用+户")),
    ("66", "重跑gen-itgc", As("重+跑 AND gen+itgc")),
    ("66", "gen后50", As("gen AND 后+50")),
    ("66", "\"用户身份\"", As("\"用 户 身 份\"")),
    ("67", "what did we", As("what AND did AND we")),
    ("67", "the", As("the")),
    ("67", "to be or not to be", As("to AND be AND or AND not")),
    ("68", "decide NOT we", As("decide NOT we")),
    ("69", "", Refused("nothing to search")),
    ("69", " \n", Refused("nothing to search")),
    ("69", "\0", Refused("nothing to search")),
    ("69", "\u{200b}", Refused("nothing to search")),
    ("70", "alpha\0beta", As("alpha AND beta")),
    ("70", "alpha\u{200b}beta", As("alpha AND beta")),
    ("70", "al\u{200d}pha", As("alpha")),
    ("71", "NEAR(alpha beta, 5)", As("near+alpha AND beta AND 5")),
    ("71", "^alpha", As("alpha")),
    ("71", "{alpha}", As("alpha")),
    ("73", "alpha && beta", As("alpha AND beta")),
    ("73", "a||b", As("a+b")),
];

#[test]
fn every_row_of_the_truth_table_is_read_as_it_says() {
    for (number, pattern, expected) in ROWS {
        let read = parse(pattern);
        match (expected, &read) {
            (As(read_as), Ok(read)) => assert_eq!(read.read_as(), *read_as, "{number} `{pattern}`"),
            (Advised(read_as), Ok(read)) => {
                assert_eq!(read.read_as(), *read_as, "{number} `{pattern}`");
                assert!(read.hint().is_some_and(|hint| hint.contains("\"quotes\"")));
            }
            (Refused(part), Err(error)) => {
                let hint = error.hint.as_deref().unwrap_or_default();
                let said = format!("{error}; {hint}");
                assert!(said.contains(part), "{number} `{pattern}`: {said}");
                assert!(!said.contains("fts5") && !hint.is_empty(), "{said}");
            }
            _ => panic!("{number} `{pattern}`: {read:?}"),
        }
    }
    for (number, pattern) in [
        ("72", "a".repeat(8_193)),
        ("72", "b ".repeat(257)),
        ("72", format!("{}a{}", "(".repeat(33), ")".repeat(33))),
    ] {
        assert!(parse(&pattern).is_err(), "{number}");
    }
}

/// Returns what a row has between backticks, the rest of the cell describes, and whether its
/// meaning is an error. Where both cells have as many parts, each part has a meaning of its own.
fn written(patterns: &str, meaning: &str) -> Vec<(String, bool)> {
    let patterns: Vec<&str> = patterns.split(';').collect();
    let meanings: Vec<&str> = meaning.split(';').collect();
    let mut found = Vec::new();
    for (idx, part) in patterns.iter().enumerate() {
        let meaning = match meanings.get(idx) {
            Some(own) if meanings.len() == patterns.len() => own,
            _ => meaning,
        };
        let is_refused = meaning.trim().starts_with("error");
        let part = part.replace("\\|", "|").replace("\\0", "\0");
        let between = part.split('`').skip(1).step_by(2);
        found.extend(between.map(|pattern| (pattern.trim().to_owned(), is_refused)));
    }
    found
}

#[test]
fn the_shared_truth_table_has_no_row_that_is_not_here() {
    let Some(folder) = shared("the_shared_truth_table_has_no_row_that_is_not_here") else {
        return;
    };
    let table = std::fs::read_to_string(folder.join("cases/patterns.md")).unwrap();
    let known: BTreeSet<&str> = ROWS.iter().map(|(number, ..)| *number).collect();
    let mut n_rows = 0;
    for line in table.lines() {
        let cells: Vec<&str> = line.split(" | ").collect();
        let number = cells[0].trim_start_matches('|').trim();
        if !number.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        n_rows += 1;
        assert!(
            known.contains(number) || number == "72",
            "row {number} has no test"
        );
        for (pattern, is_refused) in written(cells[1], cells[2]) {
            if pattern.starts_with("--") && number.starts_with("55") {
                continue;
            }
            let of_row = || ROWS.iter().filter(|row| row.0 == number);
            let row = of_row()
                .find(|row| row.1.trim() == pattern)
                .or_else(|| of_row().find(|row| row.1.contains(&pattern)));
            let Some(row) = row else {
                panic!("row {number}: `{pattern}` has no test");
            };
            let is_refused_here = matches!(row.2, Refused(_));
            assert_eq!(is_refused_here, is_refused, "row {number}: `{pattern}`");
        }
    }
    assert!(n_rows >= 73, "{n_rows}");
}
