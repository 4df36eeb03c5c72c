//! Searches, expansions and endings that broke other people's programs, at the command line.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use hippocamp::domain::{GrepRequest, HitKind, NewMessage, Reach};
use hippocamp::engine::Engine;
use hippocamp::tools::{ToolScope, dispatch};
use serde_json::{Value, json};

use crate::program::{Ended, Program, line, talk};
use crate::store_search::kit::bench;
use crate::support::key;

/// Returns the rows of an answer.
fn results(answer: &Value) -> Vec<Value> {
    answer["results"].as_array().unwrap().clone()
}

fn lines(role: &str, texts: impl Iterator<Item = String>) -> String {
    texts.map(|text| line(role, &text)).collect()
}

#[test]
fn b113_a_search_that_fails_does_not_read_as_nothing_found() {
    let program = Program::new();
    program.append("main", &line("user", "the poplar by the gate"));
    program.json(&["reindex"]);
    let raw = rusqlite::Connection::open(program.db()).unwrap();
    raw.execute_batch("DROP TABLE search_index_data").unwrap();
    drop(raw);
    for words in [
        &["grep", "poplar"][..],
        &["grep", "oak"],
        &["grep", "%pop%"],
    ] {
        let ended = program.run(&[words, &["--json"]].concat());
        match ended.code {
            Some(6) => assert_eq!(ended.error()["kind"], "store_damaged", "{words:?}"),
            // Small stores are scanned: then the answer is the whole one.
            Some(0) => assert_eq!(results(&ended.object()).len(), 1, "{words:?}"),
            _ => panic!("{words:?}: {ended:?}"),
        }
    }
    assert_eq!(program.run(&["doctor"]).code, Some(5));
    assert_eq!(program.run(&["doctor", "--repair", "--yes"]).code, Some(0));
    assert_eq!(results(&program.json(&["grep", "poplar"])).len(), 1);
}

/// One old row in `here`, 500 newer ones elsewhere.
fn poplars() -> Program {
    let program = Program::new();
    program.append("here", &line("assistant", "poplar needle"));
    program.append(
        "elsewhere",
        &lines("user", (0..500).map(|n| format!("poplar {n}"))),
    );
    program
}

#[test]
fn b126_filters_act_before_the_limit() {
    let program = poplars();
    for words in [
        &["grep", "poplar", "--session", "here", "--limit", "5"][..],
        &["grep", "%oplar%", "--session", "here", "--limit", "5"],
        &["grep", "poplar", "--role", "assistant", "--limit", "5"],
        &["grep", "%oplar%", "--role", "assistant", "--limit", "1"],
    ] {
        let answer = program.json(words);
        let found = results(&answer);
        assert_eq!(found.len(), 1, "{words:?}: {answer}");
        assert_eq!(found[0]["conversation"], "here", "{words:?}");
        assert_eq!(answer["total"], 1, "{words:?}");
    }
}

#[test]
fn b127_each_row_names_its_conversation() {
    let answer = poplars().json(&["grep", "poplar", "--limit", "200"]);
    let found = results(&answer);
    assert!(found.iter().any(|row| row["conversation"] == "elsewhere"));
    assert!(found.iter().all(|row| row["conversation"].is_string()));
}

#[test]
fn b129_no_limit_gives_all_rows() {
    let program = poplars();
    for limit in ["0", "-1", "2.5", "", "7x", "true"] {
        let ended = program.run(&["grep", "poplar", "--limit", limit]);
        assert_eq!(
            (ended.code, ended.stdout.as_str()),
            (Some(2), ""),
            "{limit}"
        );
    }
    for (limit, rows) in [("1", 1), ("200", 200), ("1000000000", 200)] {
        let answer = program.json(&["grep", "poplar", "--limit", limit]);
        assert_eq!(results(&answer).len(), rows, "{limit}");
    }
}

#[test]
fn b130_totals_count_all_that_passes_and_the_cursor_leads_to_it() {
    let program = poplars();
    let answer = program.json(&["grep", "poplar", "--limit", "5"]);
    assert_eq!((&answer["total"], results(&answer).len()), (&json!(501), 5));
    let ended = program.run(&["grep", "walrus", "--json"]);
    assert_eq!((ended.code, &ended.object()["total"]), (Some(1), &json!(0)));
    let mut seen = std::collections::BTreeSet::new();
    let mut cursor = Value::Null;
    loop {
        let mut words = vec!["grep", "poplar", "--limit", "200"];
        if let Some(cursor) = cursor.as_str() {
            words.extend(["--cursor", cursor]);
        }
        let page = program.json(&words);
        for row in results(&page) {
            assert!(
                seen.insert(row["id"].as_str().unwrap().to_owned()),
                "{row} twice"
            );
        }
        if page["cursor"].is_null() {
            break;
        }
        cursor = page["cursor"].clone();
    }
    assert_eq!(seen.len(), 501);
}

#[test]
fn b132_the_command_line_the_library_and_the_tools_mean_the_same_branch() {
    let program = Program::new();
    program.append("main", &talk(2, 3));
    program.json(&["fork", "--session", "main", "--at", "2"]);
    let appended = program.append("main", &line("user", "a walrus on the new branch"));
    assert_eq!(appended["first_seq"], 3);
    let told = results(&program.json(&["grep", "walrus", "--session", "main"]));
    assert_eq!(told.len(), 1);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let engine = Engine::builder(program.db()).build().unwrap();
        let request = GrepRequest::new("walrus", Reach::Session(key("main")));
        let hits = engine.grep(&request).await.unwrap().hits;
        assert_eq!(hits.len(), 1);
        assert_eq!(hits[0].id.to_string(), told[0]["id"].as_str().unwrap());
        let scope = ToolScope::Session(key("main"));
        let arguments = json!({"pattern": "walrus"});
        let answer = dispatch(&engine, &scope, "short_grep", arguments)
            .await
            .unwrap();
        assert_eq!(answer["results"][0]["id"], told[0]["id"]);
        engine.shutdown().await.unwrap();
    });
}

#[test]
fn b133_summaries_do_not_crowd_out_messages() {
    let mut bench = bench();
    bench.append(
        "main",
        (0..80)
            .map(|n| NewMessage::user(format!("row {n}")))
            .collect(),
    );
    let main = bench.conversation("main");
    for leaf in 0..40 {
        bench.leaf(
            main,
            leaf * 2 + 1,
            leaf * 2 + 2,
            "all about the larch and the moss",
        );
    }
    let id = bench.say("main", "one larch");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let engine = Engine::builder(bench.path()).build().unwrap();
        let mut request = GrepRequest::new("larch", Reach::All);
        request.limit = 10;
        let hits = engine.grep(&request).await.unwrap().hits;
        assert_eq!(hits.len(), 10);
        let messages: Vec<_> = hits
            .iter()
            .filter(|hit| !matches!(hit.kind, HitKind::Summary))
            .map(|hit| hit.id.to_string())
            .collect();
        assert_eq!(messages, [id.to_string()]);
        engine.shutdown().await.unwrap();
    });
}

/// P46.
#[test]
fn b135_b136_ids_are_read_whole_and_missing_ones_are_named() {
    let program = Program::new();
    program.append("main", &talk(3, 3));
    for (words, rows, missing) in [
        (&["2", "3"][..], 2, json!([])),
        (&["2", "2", "2"], 1, json!([])),
        (&["3", "1"], 2, json!([])),
        (&["2", "999999"], 1, json!(["999999"])),
        (
            &["0", "9223372036854775808"],
            0,
            json!(["0", "9223372036854775808"]),
        ),
    ] {
        let ended = program.run(&[&["expand", "--json"], words].concat());
        let answer = ended.object();
        let code = if missing == json!([]) { 0 } else { 4 };
        assert_eq!(ended.code, Some(code), "{words:?}");
        assert_eq!(
            answer["messages"].as_array().unwrap().len(),
            rows,
            "{words:?}"
        );
        assert_eq!(answer["missing"], missing, "{words:?}");
    }
    for bad in ["2abc", "abc", "2.5", "", "s", "0x2", "+2", "[2]"] {
        let ended = program.run(&["expand", "1", bad]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{bad}");
        assert!(
            ended.stderr.contains(&format!("`{bad}`")),
            "{bad}: {ended:?}"
        );
    }
    let many: Vec<String> = (1..=40_000).map(|id| id.to_string()).collect();
    let words: Vec<&str> = many.iter().map(String::as_str).collect();
    let ended = program.run(&[&["expand", "--json"], words.as_slice()].concat());
    assert_eq!(ended.code, Some(4));
    assert_eq!(ended.object()["messages"].as_array().unwrap().len(), 6);
}

#[test]
fn b137_ids_of_another_conversation_are_out_of_a_bound_agents_reach() {
    let program = Program::new();
    program.append("ours", &line("user", "ours"));
    program.append("theirs", &line("user", "theirs"));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let engine = Engine::builder(program.db()).build().unwrap();
        let scope = ToolScope::Session(key("ours"));
        let ask = async |arguments| {
            dispatch(&engine, &scope, "short_expand", arguments)
                .await
                .unwrap()
        };
        let refused = ask(json!({"message_ids": [1, 2]})).await;
        assert_eq!(refused["missing"], json!(["2"]), "{refused}");
        assert!(!refused.to_string().contains("theirs"), "{refused}");
        let allowed = ask(json!({"message_ids": [2], "all_conversations": true})).await;
        assert_eq!(
            allowed["messages"][0]["conversation"], "theirs",
            "{allowed}"
        );
        engine.shutdown().await.unwrap();
    });
}

/// P34.
#[test]
fn b139_an_answer_too_large_is_paged_and_says_how_to_go_on() {
    let program = Program::new();
    let text = "naïve 用户 👩‍👩‍👧 ".repeat(6_000);
    program.append("main", &line("user", &text));
    let mut shown = String::new();
    let mut cursor = Value::Null;
    let mut n_pages = 0;
    loop {
        let mut words = vec!["expand", "1", "--max-tokens", "20000"];
        if let Some(cursor) = cursor.as_str() {
            words.extend(["--cursor", cursor]);
        }
        let page = program.json(&words);
        assert!(page["tokens"].as_u64().unwrap() <= 20_000);
        for part in page["messages"][0]["parts"].as_array().unwrap() {
            shown.push_str(part["text"].as_str().unwrap());
        }
        n_pages += 1;
        if page["cursor"].is_null() {
            break;
        }
        cursor = page["cursor"].clone();
    }
    assert!(n_pages > 2, "{n_pages} pages");
    assert!(shown == text, "pages are not the whole, byte for byte");
}

#[test]
fn b140_what_comes_back_is_what_was_stored() {
    let program = Program::new();
    let text = "<a> & \"b\" 'c'\r\n\ttrailing  \u{0}\u{1b}[2J 👩‍👩‍👧 \u{2028}";
    let arguments = r#"{"z": 1,  "a":12345678901234567890123, "u":"\u00e9"}"#;
    let call = format!(
        "{{\"role\":\"assistant\",\"content\":[{{\"type\":\"tool_use\",\"call_id\":\"c\",\"name\":\"n\",\"arguments\":{arguments}}}]}}\n"
    );
    program.append("main", &(line("user", text) + &call));
    let answer = program.json(&["expand", "1", "2"]);
    let part = |idx: usize| answer["messages"][idx]["parts"][0].clone();
    assert_eq!(part(0)["text"], text);
    assert_eq!(part(1)["arguments"], arguments);
}

/// Starts a command and stops reading after its first line.
fn first_line_of(program: &Program, words: &[&str]) -> Ended {
    let mut child = program
        .process()
        .args(words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    let output = child.wait_with_output().unwrap();
    Ended {
        code: output.status.code(),
        stdout: first,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn b149_a_reader_that_has_enough_is_no_failure() {
    let program = Program::new();
    program.append("main", &talk(3_000, 20));
    for words in [
        &["grep", "harbour0 OR please", "--limit", "200"][..],
        &["export", "--session", "main"],
        &["export", "--session", "main", "--format", "ndjson"],
        &["export", "--session", "main", "--json"],
        &["expand", "1", "2", "3"],
        &["sessions"],
        &["man"],
        &["completions", "zsh"],
    ] {
        let ended = first_line_of(&program, words);
        assert_eq!(
            (ended.code, ended.stderr.as_str()),
            (Some(0), ""),
            "{words:?}"
        );
        assert!(!ended.stdout.is_empty(), "{words:?}");
    }
}

#[test]
fn b150_each_ending_has_its_code_and_counts_what_was_left() {
    let program = Program::new();
    let good = r#"{"parentUuid":null,"sessionId":"5ea","uuid":"u1","type":"user","cwd":"/w","version":"2.0.0","timestamp":"2026-01-05T10:00:00.000Z","message":{"role":"user","content":"count the buoys"}}"#;
    let path = program.write(
        "t/a.jsonl",
        &format!("{good}\n{{\"broken\n{}\n", good.replace("u1", "u2")),
    );
    let ended = program.run(&["import", &path, "--json"]);
    assert_eq!(ended.code, Some(4));
    let totals = &ended.object()["totals"];
    assert_eq!(
        (&totals["stored"], &totals["refused"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(ended.stderr.lines().count(), 1, "{ended:?}");
    for (words, code) in [
        (&["import", "nowhere.jsonl"][..], 2),
        (&["grep", "walrus"], 1),
        (&["grep", "buoys"], 0),
        (&["grep"], 2),
        (&["sessions", "--db", "nowhere.db"], 3),
    ] {
        assert_eq!(program.run(words).code, Some(code), "{words:?}");
    }
}
