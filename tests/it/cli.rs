//! What each command prints: one object with every documented field, or text for people.

use serde_json::{Value, json};

use crate::program::{Program, line, talk};

/// Holds an object to documented fields; more may come.
#[track_caller]
fn check_fields(object: &Value, fields: &[&str]) {
    for field in fields {
        assert!(object.get(field).is_some(), "no `{field}` in {object}");
    }
}

fn with_summaries() -> Program {
    let program = Program::new();
    let ended = program.feed(
        &["turn", "--session", "long", "--window", "3000", "--json"],
        talk(40, 40),
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for _ in 0..30 {
        program.json(&["compact", "--session", "long"]);
    }
    program
}

#[test]
fn appended_messages_are_told_by_their_places() {
    let program = Program::new();
    let text = line("user", "one") + "\n" + &line("assistant", "two");
    let want = json!({
        "appended": 2, "duplicate": 0, "first_seq": 1, "last_seq": 2, "refused": [],
        "fork_seq": null,
    });
    assert_eq!(program.append("main", &text), want);
    assert_eq!(
        program.append("main", &line("user", "three"))["first_seq"],
        3
    );
}

#[test]
fn a_key_is_stored_once() {
    let program = Program::new();
    let text = "{\"role\":\"user\",\"content\":\"x\",\"key\":\"k1\"}\n";
    assert_eq!(program.append("main", text)["appended"], 1);
    let again = program.append("main", text);
    assert_eq!(
        (&again["appended"], &again["duplicate"]),
        (&json!(0), &json!(1))
    );
}

#[test]
fn a_bad_line_is_refused_by_number_and_the_others_are_stored() {
    let program = Program::new();
    let text =
        line("user", "one") + "{\"role\":\"assistant\",\"content\":null}\n" + &line("user", "two");
    let ended = program.feed(&["append", "--session", "main", "--json"], text);
    assert_eq!(ended.code, Some(4));
    let answer = ended.object();
    assert_eq!(answer["appended"], 2);
    assert_eq!(answer["refused"][0]["line"], 2);
    assert!(
        answer["refused"][0]["reason"]
            .as_str()
            .unwrap()
            .contains("content")
    );
}

#[test]
fn a_whole_history_is_synchronised() {
    let program = Program::new();
    let sync = |text: String| {
        let ended = program.feed(&["append", "--session", "main", "--sync", "--json"], text);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ended.object()
    };
    let (one, two) = (line("user", "one"), line("assistant", "two"));
    assert_eq!(sync(format!("{one}{two}"))["appended"], 2);
    let again = sync(format!("{one}{two}"));
    assert_eq!(
        (&again["appended"], &again["duplicate"]),
        (&json!(0), &json!(2))
    );
    let other = sync(format!("{one}{}", line("assistant", "another")));
    assert_eq!(
        (&other["appended"], &other["fork_seq"]),
        (&json!(1), &json!(1))
    );
    let hole = program.feed(
        &["append", "--session", "main", "--sync", "--json"],
        format!("{one}bad\n{}", line("user", "three")),
    );
    assert_eq!(hole.code, Some(4));
    assert_eq!(hole.object()["appended"], 0);
}

#[test]
fn a_branch_is_begun_at_a_message() {
    let program = Program::new();
    program.append("main", &(line("user", "one") + &line("assistant", "two")));
    let answer = program.json(&["fork", "--session", "main", "--at", "1"]);
    check_fields(&answer, &["key", "id", "parent", "fork_seq"]);
    assert_eq!(answer["fork_seq"], 1);
    assert_eq!(
        program.append("main", &line("user", "other"))["first_seq"],
        2
    );
    let answer = program.json(&["fork", "--session", "main", "--at", "2", "--as", "side"]);
    assert_eq!(answer["key"], "side");
    let sessions = program.json(&["sessions"])["sessions"].clone();
    let keys: Vec<&str> = sessions
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["key"].as_str().unwrap())
        .collect();
    assert!(keys.contains(&"main") && keys.contains(&"side"), "{keys:?}");
}

#[test]
fn a_turn_tells_what_was_stored_and_what_was_summarised() {
    let program = Program::new();
    let ended = program.feed(
        &["turn", "--session", "main", "--window", "3000", "--json"],
        talk(40, 40),
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let answer = ended.object();
    check_fields(
        &answer,
        &[
            "appended",
            "duplicate",
            "first_seq",
            "last_seq",
            "refused",
            "fork_seq",
            "leaf",
            "condensed",
            "tokens_before",
            "tokens_after",
            "fits",
            "reason",
        ],
    );
    assert_eq!(answer["appended"], 80);
    assert!(!answer["leaf"].as_array().unwrap().is_empty(), "{answer}");
    let ended = program.feed(
        &["turn", "--session", "main", "--window", "3000", "--no-wait"],
        line("user", "short"),
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("stored message 81"), "{ended:?}");
}

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
    let state = program.json(&["status"]);
    check_fields(&state, &["sessions", "index", "breakers", "wal_bytes"]);
    check_fields(
        &state["sessions"][0],
        &["key", "pressure", "budget", "leaf_candidates"],
    );
    check_fields(&state["index"], &["mark", "backlog", "complete"]);
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

#[test]
fn settings_come_from_flag_variable_and_file_in_this_order() {
    let program = Program::new();
    program.append("main", &line("user", "x"));
    let budget = |flag: Option<&str>, variable: Option<&str>| {
        let mut command = program.command();
        command.args(["status", "--json"]);
        if let Some(flag) = flag {
            command.args(["--window", flag]);
        }
        if let Some(variable) = variable {
            command.env("HIPPOCAMP_CONTEXT_WINDOW", variable);
        }
        let answer: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        answer["sessions"][0]["budget"].clone()
    };
    assert_eq!(budget(None, None), 128_000);
    program.write("config/hippocamp/config.toml", "context_window = 64000\n");
    assert_eq!(budget(None, None), 64_000);
    assert_eq!(budget(None, Some("32000")), 32_000);
    assert_eq!(budget(Some("16000"), Some("32000")), 16_000);
}

#[test]
fn a_store_may_be_named_in_three_ways() {
    let program = Program::new();
    let path = program.path("elsewhere.db");
    let path = path.to_str().unwrap();
    let ended = program.feed(
        &["append", "--session", "a", "--db", path],
        line("user", "x"),
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!program.db().exists());
    let mut command = program.command();
    let output = command
        .args(["sessions", "--json"])
        .env("HIPPOCAMP_DB", path)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    program.write("my.toml", &format!("db = {path:?}\n"));
    let answer = program.json(&["sessions", "--config", "my.toml"]);
    assert_eq!(answer["sessions"][0]["key"], "a");
}

#[test]
fn logs_and_remarks_stay_off_stdout() {
    let program = with_summaries();
    let ended = program.run(&["sessions", "--json", "-vv"]);
    ended.object();
    let ended = program.feed(&["append", "--session", "a", "-q"], "bad\n");
    assert_eq!(ended.code, Some(4));
    assert_eq!(ended.stderr, "");
    let ended = program.run(&["grep", "walrus"]);
    assert_eq!(ended.stdout, "");
    assert!(ended.stderr.contains("nothing found"), "{ended:?}");
}

#[test]
fn an_import_accounts_for_each_record() {
    let program = Program::new();
    let record = |uuid: &str, text: &str| {
        let record = json!({
            "type": "user", "uuid": uuid, "parentUuid": null, "sessionId": "5ea",
            "cwd": "/w", "version": "2.0.0", "timestamp": "2026-01-05T10:00:00.000Z",
            "message": {"role": "user", "content": text},
        });
        format!("{record}\n")
    };
    let text = record("u1", "count the buoys") + "{\"broken\n" + &record("u2", "paint them red");
    let path = program.write("t/a.jsonl", &text);
    let ended = program.run(&["import", &path, "--json"]);
    assert_eq!(ended.code, Some(4), "{ended:?}");
    let answer = ended.object();
    let file = &answer["files"][0];
    check_fields(
        file,
        &[
            "path",
            "format",
            "conversation",
            "records",
            "stored",
            "meta",
            "duplicate",
            "refused",
            "pending",
            "messages",
            "refusals",
        ],
    );
    assert_eq!(file["format"], "claude-code");
    assert_eq!(file["conversation"], "claude-code:5ea");
    check_fields(&file["refusals"][0], &["line", "offset", "reason"]);
    assert_eq!(file["refusals"][0]["line"], 2);
    let totals = &answer["totals"];
    let number = |name: &str| totals[name].as_u64().unwrap();
    assert_eq!(number("records"), 3);
    assert_eq!(
        number("records"),
        ["stored", "meta", "duplicate", "refused", "pending"]
            .map(number)
            .iter()
            .sum::<u64>()
    );
    assert_eq!(program.json(&["grep", "buoys"])["total"], 1);
    let again = program.run(&["import", &path]);
    assert!(again.stdout.contains("all 1 files"), "{again:?}");
}

#[test]
fn the_demo_tells_the_whole_story() {
    let program = Program::new();
    let answer = program.json(&["demo"]);
    assert!(answer["tokens"].as_u64().unwrap() >= 100_000);
    assert!(
        answer["tree"]["depth"].as_u64().unwrap() >= 2,
        "{}",
        answer["tree"]
    );
    assert_eq!(answer["window"], 8000);
    assert!(answer["largest_view"].as_u64().unwrap() <= 8000);
    assert_eq!(answer["view"]["fits"], true);
    assert_eq!(answer["doctor"]["ok"], true);
    let shown = answer["expand"]["messages"][0]["parts"][0]["text"]
        .as_str()
        .unwrap();
    assert!(shown.contains("amber-otter-42"), "{shown}");
    let found = &answer["grep"]["results"][0];
    assert_ne!(found["standing"], "in_view");
    let left: Vec<_> = std::fs::read_dir(program.path("")).unwrap().collect();
    assert!(left.is_empty(), "the demo left {left:?}");
}

#[test]
fn every_command_shows_help_with_an_example() {
    let program = Program::new();
    for command in [
        "demo", "import", "fork", "append", "turn", "context", "compact", "grep", "expand", "tree",
        "sessions", "stats", "status", "events", "doctor",
    ] {
        let ended = program.run(&[command, "--help"]);
        assert_eq!(ended.code, Some(0));
        assert!(
            ended.stdout.contains(&format!("hippocamp {command}")),
            "{}",
            ended.stdout
        );
        assert!(ended.stdout.contains("Example"), "{}", ended.stdout);
    }
}

#[test]
fn errors_of_the_parser_obey_json_too() {
    let program = Program::new();
    for words in [
        &["--json", "bogus"][..],
        &["grep", "--json"],
        &["--json"],
        &["context", "--json", "--session", "a", "--format", "bogus"],
        &["sessions", "--json", "--window", "x"],
    ] {
        let ended = program.run(words);
        assert_eq!(ended.code, Some(2), "{words:?}: {ended:?}");
        assert_eq!(ended.stdout, "");
        ended.error();
    }
}
