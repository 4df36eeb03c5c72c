//! Commands that read.

use serde_json::Value;

use super::{check_fields, with_summaries};
use crate::program::{Program, line};

#[test]
fn a_view_is_told_item_by_item_and_printed_alone() {
    let program = with_summaries();
    let view = program.json(&["context", "--session", "long"]);
    check_fields(
        &view,
        &[
            "tokens", "budget", "fits", "excess", "items", "left_out", "request",
        ],
    );
    for item in view["items"].as_array().unwrap() {
        check_fields(
            item,
            &["kind", "id", "depth", "first_seq", "last_seq", "tokens"],
        );
    }
    let kinds: Vec<&str> = view["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["kind"].as_str().unwrap())
        .collect();
    assert!(
        kinds.contains(&"summary") && kinds.contains(&"message"),
        "{kinds:?}"
    );
    let text = program.run(&["context", "--session", "long"]).stdout;
    assert_eq!(view["request"].as_str().unwrap(), text);
    assert!(text.contains("<summary id=\"s"), "{text}");
}

#[test]
fn a_view_in_which_nobody_speaks_is_no_body_and_says_so() {
    let program = Program::new();
    let told = r#"{"role":"user","content":"set up","meta":true}"#;
    program.append("quiet", &format!("{told}\n"));
    let ended = program.run(&["context", "--session", "quiet", "--format", "anthropic"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(4), "null\n"));
    assert!(ended.stderr.contains("nobody says anything"), "{ended:?}");
}

#[test]
fn a_view_is_printed_as_the_body_of_an_interface_numbers_of_any_length_included() {
    let program = Program::new();
    let call = r#"{"role":"assistant","content":[{"type":"tool_use","call_id":"t1","name":"Read","arguments":"{\n\"n\": 123456789012345678901234567890,\n\"s\": \"\u009b\"}"}]}"#;
    let result =
        r#"{"role":"tool","content":[{"type":"tool_result","call_id":"t1","content":"\u202ehi"}]}"#;
    program.append("a", &format!("{}\n{call}\n{result}\n", line("user", "go")));
    for (format, wanted) in [
        (
            "anthropic",
            r#""input":{"n":123456789012345678901234567890,"s":"\u009b"}"#,
        ),
        ("openai-chat", r#"\"n\": 123456789012345678901234567890,"#),
        (
            "openai-responses",
            r#"\"n\": 123456789012345678901234567890,"#,
        ),
        (
            "gemini",
            r#""args":{"n":123456789012345678901234567890,"s":"\u009b"}"#,
        ),
    ] {
        let words = ["context", "--session", "a", "--format", format];
        let printed = program.run(&words).stdout;
        assert!(
            printed.contains(wanted) && printed.contains("\\u202ehi"),
            "{printed}"
        );
        let body: Value = serde_json::from_str(&printed).unwrap();
        let whole = program.run(&[&words[..], &["--json"]].concat()).stdout;
        assert!(whole.contains(printed.trim_end()), "{whole}");
        let view: Value = serde_json::from_str(&whole).unwrap();
        assert_eq!(view["request"], body);
        assert_eq!(view["fits"], true);
    }
}

#[test]
fn a_view_in_which_nobody_speaks_has_no_body() {
    let program = Program::new();
    program.append("a", &line("system", "Be brief."));
    for format in ["anthropic", "openai-chat", "openai-responses", "gemini"] {
        let words = ["context", "--session", "a", "--format", format];
        let ended = program.run(&words);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(4), "null\n"));
        assert!(ended.stderr.contains("nobody says anything"), "{ended:?}");
        let ended = program.run(&[&words[..], &["--json"]].concat());
        assert_eq!(ended.code, Some(4));
        let view: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(view["request"], Value::Null);
    }
}

#[test]
fn a_window_asked_for_is_the_budget_of_a_view() {
    let program = with_summaries();
    let budget = |words: &[&str]| {
        program.json(&[&["context", "--session", "long"], words].concat())["budget"].clone()
    };
    assert_eq!(budget(&[]), 3000);
    assert_eq!(budget(&["--window", "2500"]), 2500);
    assert_eq!(budget(&["--window", "2500", "--budget", "2000"]), 2000);
}

#[test]
fn hits_name_their_conversation_and_expand_takes_their_ids() {
    let program = Program::new();
    program.append("one", &line("user", "the otter swims"));
    program.append("two", &line("user", "another otter"));
    let answer = program.json(&["grep", "otter"]);
    check_fields(
        &answer,
        &[
            "results",
            "total",
            "total_capped",
            "limit",
            "match",
            "read_as",
            "complete",
            "cursor",
        ],
    );
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for result in results {
        check_fields(
            result,
            &[
                "id",
                "seq",
                "kind",
                "role",
                "depth",
                "conversation",
                "time",
                "rank",
                "snippet",
                "standing",
                "copies",
            ],
        );
        let shown = program.json(&["expand", result["id"].as_str().unwrap()]);
        check_fields(
            &shown,
            &["messages", "summaries", "tokens", "cursor", "missing"],
        );
        assert_eq!(shown["messages"][0]["conversation"], result["conversation"]);
    }
    let one = program.json(&["grep", "otter", "--session", "one"]);
    assert_eq!(one["total"], 1);
    assert_eq!(one["results"][0]["conversation"], "one");
}

#[test]
fn a_page_of_hits_goes_on_with_its_cursor() {
    let program = Program::new();
    let text: String = (0..7)
        .map(|n| line("user", &format!("otter number {n}")))
        .collect();
    program.append("main", &text);
    let mut ids = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut words = vec!["grep", "otter", "--limit", "3"];
        if let Some(cursor) = &cursor {
            words.extend(["--cursor", cursor]);
        }
        let page = program.json(&words);
        for result in page["results"].as_array().unwrap() {
            ids.push(result["id"].as_str().unwrap().to_owned());
        }
        match page["cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 7);
}

#[test]
fn stored_text_comes_back_byte_for_byte_in_json_and_harmless_on_a_terminal() {
    let program = Program::new();
    let hostile = "a\u{1b}[2Jb\u{9b}31m\u{202e}\u{0} <&\"'>\r\n trailing  ";
    program.append("main\u{7}", &line("user", &format!("otter {hostile}")));
    let hit = program.json(&["grep", "otter"])["results"][0].clone();
    let id = hit["id"].as_str().unwrap();
    let shown = program.json(&["expand", id]);
    assert_eq!(
        shown["messages"][0]["parts"][0]["text"],
        format!("otter {hostile}")
    );
    for words in [
        &["grep", "otter"][..],
        &["expand", id],
        &["sessions"],
        &["status"],
        &["stats"],
        &["context", "--session", "main\u{7}"],
        &["context", "--session", "main\u{7}", "--json"],
        &["expand", id, "--json"],
    ] {
        let ended = program.run(words);
        let raw = |text: &str| {
            text.chars()
                .any(|c| (c.is_control() && !matches!(c, '\n' | '\t')) || c == '\u{202e}')
        };
        assert!(
            !raw(&ended.stdout) && !raw(&ended.stderr),
            "{words:?}: {ended:?}"
        );
    }
    let ended = program.run(&["tree", "--session", "ma\u{1b}[2Jin"]);
    assert!(!ended.stderr.contains('\u{1b}'), "{ended:?}");
}

#[test]
fn the_words_for_where_a_row_stands_are_explained() {
    let help = Program::new().run(&["grep", "--help"]).stdout;
    for word in ["in view", "under s12", "other branch", "hidden", "not live"] {
        assert!(help.contains(&format!("\n  {word}  ")), "{word}: {help}");
    }
}

#[test]
fn a_tree_is_drawn_and_listed() {
    let program = with_summaries();
    let nodes = program.json(&["tree", "--session", "long"])["nodes"].clone();
    let nodes = nodes.as_array().unwrap();
    assert!(!nodes.is_empty());
    for node in nodes {
        check_fields(
            node,
            &["id", "depth", "first_seq", "last_seq", "tokens", "origin"],
        );
    }
    let text = program.run(&["tree", "--session", "long"]).stdout;
    assert_eq!(text.lines().count(), nodes.len());
    for node in nodes {
        assert!(text.contains(node["id"].as_str().unwrap()), "{text}");
    }
}

#[test]
fn listings_have_every_documented_field() {
    let program = with_summaries();
    let sessions = program.json(&["sessions"]);
    check_fields(
        &sessions["sessions"][0],
        &[
            "key",
            "id",
            "messages",
            "tokens",
            "first_time",
            "last_time",
            "format",
            "parent",
        ],
    );
    let stats = program.json(&["stats"]);
    check_fields(
        &stats,
        &["messages", "tokens", "summaries", "depth", "bytes", "curve"],
    );
    check_fields(&stats["curve"][0], &["seq", "tokens"]);
    let events = program.json(&["events", "--session", "long"]);
    for event in events["events"].as_array().unwrap() {
        check_fields(
            event,
            &[
                "id",
                "kind",
                "conversation",
                "time",
                "first_seq",
                "last_seq",
                "tokens_before",
                "tokens_after",
                "reason",
            ],
        );
    }
    let answer = program.json(&["status"]);
    check_fields(&answer, &["sessions", "index", "breakers", "wal_bytes"]);
    check_fields(
        &answer["sessions"][0],
        &["key", "pressure", "budget", "leaf_candidates"],
    );
    check_fields(&answer["index"], &["mark", "backlog", "complete"]);
    let doctor = program.json(&["doctor"]);
    assert_eq!(doctor["ok"], true);
    check_fields(&doctor["checks"][0], &["name", "ok", "detail"]);
    let compact = program.json(&["compact", "--session", "long"]);
    check_fields(
        &compact,
        &[
            "leaf",
            "condensed",
            "tokens_before",
            "tokens_after",
            "fits",
            "reason",
        ],
    );
}

#[test]
fn people_get_text_with_a_curve() {
    let program = with_summaries();
    let stats = program.run(&["stats"]);
    assert!(stats.stdout.contains("80 messages"), "{}", stats.stdout);
    assert!(
        stats.stdout.contains('│') && stats.stdout.contains('█'),
        "{}",
        stats.stdout
    );
    let events = program.run(&["events", "--session", "long"]);
    assert!(
        events.stdout.contains("leaf") && events.stdout.contains('│'),
        "{}",
        events.stdout
    );
    for words in [
        &["stats"][..],
        &["sessions"],
        &["doctor"],
        &["grep", "tide2"],
    ] {
        let ended = program.run(words);
        assert!(
            !ended.stdout.contains('\u{1b}'),
            "styles in a pipe: {words:?}"
        );
        assert!(serde_json::from_str::<Value>(&ended.stdout).is_err());
    }
}

#[test]
fn conversations_without_titles_are_known_by_their_first_words() {
    let program = Program::new();
    program.append("plain", &line("user", "mend the net by noon"));
    let text = program.run(&["sessions"]).stdout;
    assert!(
        text.lines()
            .nth(1)
            .unwrap()
            .ends_with("  mend the net by noon"),
        "{text}"
    );
    let found = program.json(&["sessions", "--title", "The Net"])["sessions"].clone();
    assert_eq!(found[0]["first_words"], "mend the net by noon");
    assert_eq!(found[0]["title"], Value::Null);
    assert_eq!(
        program.json(&["sessions", "--title", "oars"])["sessions"],
        serde_json::json!([])
    );
}

#[test]
fn a_tree_without_summaries_says_how_they_are_made() {
    let program = Program::new();
    program.append("short", "{\"role\":\"user\",\"content\":\"hi\"}\n");
    let ended = program.run(&["tree", "--session", "short"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""));
    let command = "`hippocamp compact --session short`";
    assert!(ended.stderr.contains(command), "{ended:?}");
}

#[test]
fn sessions_are_filtered() {
    let program = Program::new();
    program.append(
        "old",
        "{\"role\":\"user\",\"content\":\"x\",\"time\":\"2020-01-01\"}\n",
    );
    program.append("new", &line("user", "y"));
    let keys = |words: &[&str]| {
        let answer = program.json(&[&["sessions"], words].concat());
        let rows = answer["sessions"].as_array().unwrap().clone();
        rows.iter()
            .map(|row| row["key"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(keys(&[]), ["new", "old"]);
    assert_eq!(keys(&["--since", "2021-01-01"]), ["new"]);
    assert_eq!(keys(&["--format", "claude-code"]), Vec::<String>::new());
}
