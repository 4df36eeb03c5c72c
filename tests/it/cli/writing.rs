//! Commands that store.

use serde_json::json;

use super::check_fields;
use crate::program::{Program, line, talk};

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

/// A history of one exchange or two as each interface has it.
fn bodies(format: &str, answer: &str) -> [String; 2] {
    let chat = |user: &str, text: &str| json!({"role": user, "content": text});
    let words = |role: &str, text: &str| json!({"role": role, "parts": [{"text": text}]});
    let (prompt, list, model, make): (_, _, _, &dyn Fn(&str, &str) -> _) = match format {
        "openai-chat" => (json!(null), "messages", "assistant", &chat),
        "openai-responses" => (
            json!(["instructions", "Be brief."]),
            "input",
            "assistant",
            &chat,
        ),
        "anthropic" => (
            json!(["system", "Be brief."]),
            "messages",
            "assistant",
            &chat,
        ),
        _ => {
            let system = json!(["systemInstruction", {"parts": [{"text": "Be brief."}]}]);
            (system, "contents", "model", &words)
        }
    };
    let mut said = vec![make("user", "one"), make(model, answer)];
    if prompt.is_null() {
        said.insert(0, chat("system", "Be brief."));
    }
    let body = |said: &[serde_json::Value]| {
        let mut body = json!({ list: said });
        if let Some(name) = prompt[0].as_str() {
            body[name] = prompt[1].clone();
        }
        body.to_string()
    };
    let first = body(&said);
    said.push(make("user", "three"));
    [first, body(&said)]
}

#[test]
fn a_history_comes_as_the_bodies_of_each_interface() {
    for format in ["openai-chat", "openai-responses", "anthropic", "gemini"] {
        let program = Program::new();
        let words = [
            "append",
            "--session",
            "main",
            "--sync",
            "--json",
            "--from",
            format,
        ];
        let sync = |body: &str| {
            let ended = program.feed(&words, body);
            assert_eq!(ended.code, Some(0), "{ended:?}");
            let told = ended.object();
            let number = |name: &str| told[name].as_u64();
            (number("appended"), number("duplicate"), number("fork_seq"))
        };
        let [first, longer] = bodies(format, "two");
        assert_eq!(sync(&first), (Some(3), Some(0), None), "{format}");
        assert_eq!(sync(&longer).0, Some(1), "{format}");
        assert_eq!(sync(&longer).0, Some(0), "{format}");
        let [other, _] = bodies(format, "another answer");
        // The prompt is compared apart, and counts as nothing known.
        assert_eq!(sync(&other), (Some(1), Some(1), Some(2)), "{format}");
        let body = program.json(&["context", "--session", "main", "--format", format]);
        let text = body["request"].to_string();
        assert!(
            text.contains("another answer") && text.contains("Be brief."),
            "{text}"
        );
    }
}

#[test]
fn an_answer_is_appended_as_it_came_and_goes_back_so() {
    let program = Program::new();
    let words_of = |command, format| [command, "--session", "main", "--from", format];
    let words = |format| words_of("append", format);
    let request = r#"{"messages":[{"role":"user","content":"Look."}]}"#;
    assert_eq!(program.feed(&words("anthropic"), request).code, Some(0));
    let answer = r#"{"type":"message","role":"assistant","model":"claude-x","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"tool_use","id":"t1","name":"Read","input":{"n":12345678901234567890}}],"usage":{}}"#;
    let turn = words_of("turn", "anthropic");
    assert_eq!(program.feed(&turn, answer).code, Some(0));
    let result =
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}"#;
    assert_eq!(program.feed(&words("anthropic"), result).code, Some(0));
    let printed = program.run(&["context", "--session", "main", "--format", "anthropic"]);
    let blocks = &answer[answer.find("\"content\"").unwrap()..answer.find(",\"usage\"").unwrap()];
    assert!(printed.stdout.contains(blocks), "{printed:?}");

    let ended = program.feed(&words("gemini"), "{\"contents\":[{\"role\":\"bot\"}]}");
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
    assert!(
        ended
            .stderr
            .contains("`contents[0].role` must be user or model")
    );
    let stats = program.json(&["stats", "--session", "main"]);
    assert_eq!(stats["messages"], 3);
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
            "copies",
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
    let found = program.json(&["grep", "buoys"]);
    assert_eq!(found["total"], 1);
    let id = found["results"][0]["id"].as_str().unwrap();
    let sources = &program.json(&["expand", id])["messages"][0]["sources"];
    let hash = sources[0]["sha256"].as_str().unwrap();
    let length = record("u1", "count the buoys").len() - 1;
    let source = json!([{
        "file": std::fs::canonicalize(&path).unwrap(), "format": "claude-code", "line": 1,
        "offset": 0, "length": length, "record": "u1", "sha256": hash,
    }]);
    assert_eq!(*sources, source);
    assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let again = program.run(&["import", &path]);
    assert!(
        again.stdout.contains("1 file, 1 with nothing new"),
        "{again:?}"
    );
    assert!(!again.stdout.contains(&path), "{again:?}");
    let other = program.write("two/b.jsonl", "");
    let two = program.run(&["import", &path, &other]);
    assert!(
        two.stdout.contains("2 files, 2 with nothing new"),
        "{two:?}"
    );
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
    assert!(
        found["standing"].as_str().unwrap().starts_with("under s"),
        "{found}"
    );
    assert_eq!(answer["fact"]["in_view"], false);
    let curve = answer["curve"].as_array().unwrap();
    let tokens: Vec<u64> = curve
        .iter()
        .map(|point| point["tokens"].as_u64().unwrap())
        .collect();
    let falls = tokens.windows(2).filter(|pair| pair[1] < pair[0]).count();
    assert!(
        falls >= 20,
        "no saw: {falls} falls in {} points",
        tokens.len()
    );
    let left: Vec<_> = std::fs::read_dir(program.path("")).unwrap().collect();
    assert!(left.is_empty(), "the demo left {left:?}");
}
