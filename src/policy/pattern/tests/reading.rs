//! How patterns are read: the table of the language, row by row.

use super::super::{Relaxation, parse};
use super::read;

#[track_caller]
fn check_read(pattern: &str, read_as: &str) {
    assert_eq!(read(pattern).read_as(), read_as, "`{pattern}`");
}

#[track_caller]
fn check_error(pattern: &str, shown: &[&str]) {
    let error = match parse(pattern) {
        Ok(pattern) => panic!("read as `{}`", pattern.read_as()),
        Err(error) => error,
    };
    let all = format!("{} / {}", error.message, error.hint.unwrap_or_default());
    for part in shown {
        assert!(all.contains(part), "`{pattern}`: `{all}` lacks `{part}`");
    }
}

#[test]
fn words_and_operators() {
    for (pattern, read_as) in [
        ("alpha beta", "alpha AND beta"),
        ("alpha AND beta", "alpha AND beta"),
        ("rock and roll", "rock AND roll (optional: and)"),
        ("alpha or beta", "alpha AND beta (optional: or)"),
        ("not alpha", "alpha (optional: not)"),
        ("And alpha", "alpha (optional: and)"),
        ("alpha OR beta", "alpha OR beta"),
        ("alpha NOT beta", "alpha NOT beta"),
        ("alpha AND NOT beta", "alpha NOT beta"),
        ("AND", "and"),
        ("OR", "or"),
        ("NOT", "not"),
        ("(NOT)", "not"),
        ("alpha NOT beta gamma", "(alpha AND gamma) NOT beta"),
        ("alpha NOT beta NOT gamma", "alpha NOT (beta OR gamma)"),
        ("alpha OR beta gamma", "alpha OR (beta AND gamma)"),
        ("alpha beta OR gamma", "(alpha AND beta) OR gamma"),
        ("alpha NOT (beta OR gamma)", "alpha NOT (beta OR gamma)"),
        ("404 NOT FOUND", "404 NOT found"),
        ("IS NOT NULL", "is NOT null"),
        ("DO NOT USE FIND /", "(do AND find) NOT use"),
        ("NEAR(alpha beta, 5)", "near+alpha AND beta AND 5"),
        ("^alpha", "alpha"),
        ("{alpha}", "alpha"),
        ("alpha NEAR", "alpha AND near"),
        ("alpha && beta", "alpha AND beta"),
        ("a||b", "a+b"),
    ] {
        check_read(pattern, read_as);
    }
    for pattern in [
        "alpha NOT",
        "alpha AND",
        "AND alpha",
        "alpha OR OR beta",
        "alpha AND AND beta",
        "OR alpha",
        "alpha OR",
        "alpha AND ->",
        "alpha (OR beta)",
    ] {
        check_error(pattern, &["in quotes for the word"]);
    }
    check_error("NOT alpha", &["x NOT alpha", "\"NOT alpha\""]);
    check_error("NOT alpha beta", &["x NOT alpha", "\"NOT alpha\""]);
    check_error("alpha OR NOT beta", &["x NOT beta", "\"NOT beta\""]);
    check_error("alpha NOT NOT beta", &["x NOT beta"]);
}

#[test]
fn shouted_operators_get_a_hint_to_quote() {
    assert!(read("404 NOT FOUND").hint().unwrap().contains("quotes"));
    assert!(read("IS NOT NULL").hint().is_some());
    assert_eq!(read("alpha NOT beta").hint(), None);
    assert_eq!(read("SHOUTED WORDS").hint(), None);
}

#[test]
fn what_is_nearly_a_field_or_an_expression_gets_a_hint() {
    for (pattern, advice) in [
        ("Role:user alpha", Some("small letters: role:user")),
        ("role: user", Some("without a blank: role:…")),
        ("alpha LAST:7d", Some("small letters: last:7d")),
        ("/alpha beta/ gamma", Some("must be the whole pattern")),
        ("gamma /alpha beta/", Some("must be the whole pattern")),
        ("role:user alpha", None),
        ("\"Role:user\"", None),
        ("\"the role: user\"", None),
        ("foo:bar http://localhost std::path", None),
        ("/alpha beta/", None),
        ("/usr/lib /etc/", None),
        ("alpha/ /beta", None),
    ] {
        let read = read(pattern);
        match (read.hint(), advice) {
            (Some(hint), Some(advice)) => assert!(hint.contains(advice), "{pattern}: {hint}"),
            (hint, advice) => assert_eq!(hint, advice, "{pattern}"),
        }
    }
}

#[test]
fn groups() {
    for (pattern, read_as) in [
        (
            "((alpha) OR (beta)) AND together",
            "(alpha OR beta) AND together",
        ),
        ("alpha)", "alpha"),
        (":) alpha", "alpha"),
        ("alpha :) beta", "alpha AND beta"),
        ("foo ()", "foo"),
        ("main()", "main"),
        ("foo(bar)", "foo+bar"),
        ("f(x) AND g(y)", "f+x AND g+y"),
        ("(f(x) OR g(y)) z", "(f+x OR g+y) AND z"),
        ("'); DROP TABLE messages;--", "drop AND table AND messages"),
    ] {
        check_read(pattern, read_as);
    }
    check_error("(alpha", &["not closed", "(x OR y) AND z"]);
    check_error("(alpha OR foo(bar)", &["not closed"]);
    check_error("()", &["no word"]);
    check_error("alpha NOT ()", &["NOT"]);
}

#[test]
fn quotations() {
    for (pattern, read_as) in [
        ("\"alpha beta\"", "\"alpha beta\""),
        ("\"AND\"", "\"and\""),
        ("\"alpha AND beta\"", "\"alpha and beta\""),
        ("alpha\"", "alpha"),
        ("5\" disk", "5 AND disk"),
        ("foo\"bar\"baz", "foo+bar+baz"),
        ("\"alpha*\"", "\"alpha\""),
        ("\"role\":\"user\"", "\"role\" AND user"),
        ("\"\" alpha", "alpha"),
        ("\"alpha\"\"beta\"", "\"alpha\" AND \"beta\""),
    ] {
        check_read(pattern, read_as);
    }
    for pattern in ["\"alpha", "\"\"\"", "\"", "alpha \"beta"] {
        check_error(pattern, &["does not end", "\"some words\""]);
    }
    for pattern in ["\"\"", "\"\" \"\"", "\\\""] {
        check_error(pattern, &["no word"]);
    }
}

#[test]
fn percent_signs() {
    for (pattern, read_as) in [
        ("50%", "50"),
        ("100%", "100"),
        ("%50", "50"),
        ("alpha%", "alpha"),
        ("%50%", "%50%"),
        ("%PATH%", "%path%"),
        ("%->%", "%->%"),
        ("%foo bar%", "%foo bar%"),
        ("50% of 80%", "50 AND 80 (optional: of)"),
        ("%a%b%", "%a%b%"),
        ("%snake_case%", "%snake_case%"),
        ("%a% OR %b%", "%a% OR %b%"),
        ("(%a% OR b) c", "(%a% OR b) AND c"),
        ("alpha %b% %%", "alpha AND %b%"),
        ("%a\0b%", "%a b%"),
    ] {
        check_read(pattern, read_as);
    }
    for pattern in ["%", "%%", "%%%", "% %", "%\0%", "%\u{200b}%", "%\u{200d}%"] {
        check_error(pattern, &["nothing to search", "%substring%"]);
    }
    assert!(
        read("alpha %b c% d")
            .hint()
            .unwrap()
            .contains("whole pattern")
    );
    assert_eq!(read("50% of 80%").hint(), None);
}

#[test]
fn stars() {
    for (pattern, read_as) in [
        ("alpha*", "alpha*"),
        ("用*", "用*"),
        ("foo-ba*", "foo+ba*"),
        ("a*b", "a+b"),
        ("src/*.rs", "src+rs"),
        ("*.rs", "rs"),
        ("C++*", "c"),
    ] {
        check_read(pattern, read_as);
    }
    check_error("*", &["no word"]);
    check_error("* ", &["no word"]);
}

#[test]
fn punctuation_joins_words() {
    for (pattern, read_as) in [
        ("-word", "word"),
        ("--force", "force"),
        ("alpha -beta", "alpha AND beta"),
        ("!alpha", "alpha"),
        ("+alpha", "alpha"),
        ("multi-agent", "multi+agent"),
        ("foo_bar", "foo+bar"),
        ("GB/s", "gb+s"),
        ("20.04", "20+04"),
        ("don't", "don+t"),
        ("user@example.org", "user+example+org"),
        ("https://ex.org/a?b=c#d", "https+ex+org+a+b+c+d"),
        ("C:\\temp\\x", "c+temp+x"),
        ("C:\\\\x", "c+x"),
        ("std::vector", "std+vector"),
        ("status:", "status"),
        ("status:done", "status+done"),
        ("content:alpha", "content+alpha"),
        ("rowid:1", "rowid+1"),
        ("foo:bar", "foo+bar"),
        ("Role:user", "role+user"),
        ("role: user", "role AND user"),
        ("role:", "role"),
        ("/usr/lib", "usr+lib"),
        ("/usr/lib/", "usr+lib"),
        ("/api/v1/", "api+v1"),
        ("a / b / c", "b AND c (optional: a)"),
        ("/x/i", "x+i"),
        ("C++", "c"),
        ("C#", "c"),
        ("router,", "router"),
        ("decide?", "decide"),
        ("agent's", "agent"),
    ] {
        check_read(pattern, read_as);
    }
    for pattern in ["->", "!=", "---", "...", "_", "\\", "/", "//", "'", "`"] {
        check_error(pattern, &["no word", "%->%"]);
    }
}

#[test]
fn scripts() {
    for (pattern, read_as) in [
        ("🔥", "🔥"),
        ("👩\u{200d}👩\u{200d}👧", "👩+👩+👧"),
        ("用户", "用+户"),
        ("重跑gen-itgc", "重+跑 AND gen+itgc"),
        ("gen后50", "gen AND 后+50"),
        ("\"用户身份\"", "\"用 户 身 份\""),
        ("API를", "api+를"),
        ("alpha\0beta", "alpha AND beta"),
        ("alpha\u{200b}beta", "alpha AND beta"),
        ("al\u{200d}pha", "alpha"),
    ] {
        check_read(pattern, read_as);
    }
    for pattern in ["", "   ", "\n", "\0", "\u{200b}"] {
        check_error(pattern, &["nothing to search"]);
    }
}

#[test]
fn stop_words_are_optional_beside_other_words_only() {
    for (pattern, read_as) in [
        ("what did we", "what AND did AND we"),
        ("the", "the"),
        ("to be or not to be", "to AND be AND or AND not"),
        ("what did we decide", "decide (optional: what did we)"),
        ("decide NOT we", "decide NOT we"),
        ("decide AND we", "decide AND we"),
        ("it's the plan", "plan (optional: it+s the)"),
        ("\"the\" plan", "\"the\" AND plan"),
        ("für den Plan", "den AND plan (optional: für)"),
        ("o plano para hoje", "plano AND hoje (optional: o para)"),
    ] {
        check_read(pattern, read_as);
    }
}

#[test]
fn words_are_relaxed_only_without_an_operator() {
    for (pattern, relaxation) in [
        ("alpha", Relaxation::Never),
        ("the alpha", Relaxation::Never),
        ("alpha beta", Relaxation::WhenNoneHasAll),
        ("the alpha beta", Relaxation::ToFillUp),
        ("alpha beta role:user", Relaxation::WhenNoneHasAll),
        ("alpha role:user", Relaxation::Never),
        ("alpha beta gamma", Relaxation::ToFillUp),
        ("alpha AND beta", Relaxation::Never),
        ("(alpha beta) NOT gamma", Relaxation::Never),
        ("\"alpha beta\" %gamma%", Relaxation::Never),
        ("\"alpha beta\" gamma", Relaxation::WhenNoneHasAll),
    ] {
        let read = read(pattern);
        assert_eq!(read.relaxation(), relaxation, "`{pattern}`");
        assert_eq!(read.relaxed().is_some(), read.can_relax(), "`{pattern}`");
    }
}

#[test]
fn limits_are_named() {
    check_error(&"a".repeat(8_193), &["8193", "8192"]);
    check_error(&"b ".repeat(257), &["256 operands"]);
    read(&"b ".repeat(256));
    let nested = |depth: usize| format!("{}alpha{}", "(".repeat(depth), ")".repeat(depth));
    check_error(&nested(33), &["32 groups"]);
    read(&nested(32));
    check_error(&format!("%{}%", "a".repeat(60_000)), &["8192"]);
}

#[test]
fn hostile_patterns_are_answered_at_once() {
    for pattern in [
        "(".repeat(5_000),
        "%".repeat(8_000),
        "\"".repeat(8_000),
        format!("%{}", "a%".repeat(2_000)),
        "NEAR(".repeat(300),
        " NOT ".repeat(1_000),
        "a AND ".repeat(1_000),
        "用".repeat(2_700),
        "e\u{301}\u{302}\u{303}".repeat(1_000),
        "*".repeat(8_000),
    ] {
        if let Err(error) = parse(&pattern) {
            assert!(!error.message.is_empty());
        }
    }
}
