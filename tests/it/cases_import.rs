//! Copies, codings and notes of hosts that other importers lost or doubled. Each test has a small
//! input of its own and takes the shared case beside it where there is one.

use std::process::Command;

use hippocamp::domain::{NewMessage, Part, Role, SessionKey, Visibility};
use hippocamp::engine::ViewBudget;
use serde_json::Value;

use crate::import_cases::{case, counts};
use crate::import_codex::{SESSION, item, session, wrapped};
use crate::import_support::{Home, answer, block, lines, quoted, record, user, words};
use crate::shared::shared;
use crate::support::key;

/// Takes all checkpoints back to the start, as if they had been lost.
fn forget(home: Home) -> Home {
    let raw = rusqlite::Connection::open(home.folder.path().join("hippocamp.db")).unwrap();
    let n_files = raw
        .execute(
            "UPDATE source SET offset = 0, lines = 0, prefix = NULL, state = ''",
            [],
        )
        .unwrap();
    assert!(n_files > 0);
    drop(raw);
    home.reopen()
}

/// B018.
#[test]
fn a_lost_checkpoint_costs_a_reading_and_adds_nothing() {
    let of_claude = lines(&[
        user(1, "continue"),
        answer(2, "done"),
        user(3, "continue"),
        answer(4, "done"),
    ]);
    let round = r#"{"role":"user","content":"continue"}
{"role":"assistant","content":"","tool_calls":[{"id":"c","function":{"name":"run","arguments":"{}"}}]}
{"role":"tool","content":"(no output)","tool_call_id":"c"}
"#;
    let home = Home::new();
    home.take("s1.jsonl", &of_claude);
    home.take("agent_main.jsonl", round.repeat(9));
    let mut inputs = vec!["s1.jsonl", "agent_main.jsonl"];
    if let Some(folder) = shared("a_lost_checkpoint_costs_a_reading_and_adds_nothing") {
        let generator = folder.join("cases/B170_gen_many_rows.py");
        let out = home.folder.path().join("in/agent_many.jsonl");
        let made = Command::new("python3")
            .arg(generator)
            .arg(&out)
            .arg("300")
            .status();
        if made.is_ok_and(|status| status.success()) {
            assert_eq!(home.import(&[out]).totals.stored, 300);
            inputs.push("agent_many.jsonl");
        } else {
            println!("SKIPPED B170_gen_many_rows.py: no python3 to make the case");
        }
    }
    let before = home.picture();
    let home = forget(home);
    for name in inputs {
        let path = home.folder.path().join("in").join(name);
        let account = home.import(std::slice::from_ref(&path));
        let totals = account.totals;
        assert!(totals.records > 0, "{name} was not read again");
        assert_eq!(
            (totals.stored, totals.duplicate),
            (0, totals.records),
            "{name}"
        );
        assert_eq!(home.import(&[path]).totals.records, 0, "{name}");
    }
    assert_eq!(home.picture(), before);
}

/// B026: the id decides. A host that says a row again under its key has the row it has; a
/// transcript that holds another wording under one id has both, and says so.
#[test]
fn a_redacted_twin_is_no_second_delivery_and_another_wording_in_a_file_is_told() {
    let home = Home::new();
    let deliver = |text: &str| {
        let row = NewMessage::tool_result("c1", text).with_key("result-c1");
        let session = key("live");
        let stored = home.engine.append(&session, vec![row]);
        home.runtime.block_on(stored).unwrap().rows[0]
    };
    let first = deliver("token=abc123xyz");
    let twin = deliver("token=[REDACTED]");
    assert_eq!((twin.id, twin.is_duplicate), (first.id, true));
    assert_eq!(home.talk(), ["token=abc123xyz"]);

    let home = Home::new();
    let result = |text: &str| {
        let block = format!(
            r#"[{{"type":"tool_result","tool_use_id":"c1","content":{}}}]"#,
            quoted(text)
        );
        record(3, "user", &block)
    };
    let call = block(
        2,
        "m",
        r#"{"type":"tool_use","id":"c1","name":"Env","input":{}}"#,
    );
    home.take(
        "s1.jsonl",
        lines(&[user(1, "show"), call, result("token=abc123xyz")]),
    );
    let account = home.take("copy.jsonl", lines(&[result("token=[REDACTED]")]));
    assert_eq!((account.totals.records, account.totals.edited), (1, 1));
    home.check_found("abc123xyz", 1);
    // Once more it is no news.
    let account = home.take("copy2.jsonl", lines(&[result("token=[REDACTED]")]));
    assert_eq!(counts(&account), (0, 0, 1, 0, 0));
    // One call, and one result in its place: no body of a provider has two.
    let session = key("claude-code:s1");
    let view = home.engine.view(&session, ViewBudget::Configured);
    let view = home.runtime.block_on(view).unwrap();
    let body = hippocamp::render::openai_chat::render(&view).unwrap();
    let n_results = body.as_str().matches(r#""role":"tool""#).count();
    assert_eq!(n_results, 1, "{body}");
}

/// Returns role and visibility of each row with its words.
fn roles(home: &Home) -> Vec<(Role, Visibility, String)> {
    let rows = home.rows().into_iter();
    rows.map(|(_, row)| (row.role, row.visibility, words(&row)))
        .collect()
}

/// B036, and B058 for `developer`.
#[test]
fn what_a_host_puts_in_is_no_ones_request() {
    let context = "<environment_context>\n<cwd>/proj</cwd>\n</environment_context>";
    let home = Home::new();
    home.take(
        "rollout.jsonl",
        lines(&[
            session(0, SESSION, ""),
            item(1, "developer", "mind the quay"),
            item(2, "user", context),
            item(3, "user", "where is the boat?"),
            item(4, "developer", "mind the tide"),
            item(5, "assistant", "at the quay"),
        ]),
    );
    check_injected(&home, "where is the boat?");
    let meta = |text: &str| (Role::System, Visibility::Meta, text.to_owned());
    assert!(roles(&home).contains(&meta("mind the tide")));
    let Some((home, account)) = case("B036_injected_context.codex.jsonl") else {
        return;
    };
    assert_eq!(account.totals.refused, 0);
    check_injected(&home, "real request maple");
}

#[track_caller]
fn check_injected(home: &Home, request: &str) {
    let rows = roles(home);
    assert_eq!(rows[0].0, Role::System);
    assert_eq!(rows[0].1, Visibility::Prompt, "{rows:?}");
    assert_eq!((rows[1].0, rows[1].1), (Role::User, Visibility::Meta));
    let asked: Vec<&str> = rows
        .iter()
        .filter(|row| (row.0, row.1) == (Role::User, Visibility::Talk))
        .map(|row| row.2.as_str())
        .collect();
    assert_eq!(asked, [request]);
    let sessions = home.runtime.block_on(home.engine.sessions()).unwrap();
    let first = home.engine.first_words(vec![sessions[0].id]);
    let first = home.runtime.block_on(first).unwrap();
    assert!(format!("{first:?}").contains(request), "{first:?}");
}

/// B038.
#[test]
fn a_history_that_codex_wrote_again_adds_nothing() {
    let again =
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"old tide"}]}"#;
    let compacted = format!(
        r#"{{"message":"Summary: the tide was looked up.","replacement_history":[{again}]}}"#
    );
    let home = Home::new();
    let rollout = lines(&[
        session(0, SESSION, ""),
        item(1, "user", "old tide"),
        item(2, "assistant", "at six"),
        wrapped(3, "compacted", &compacted),
        item(4, "user", "new tide"),
    ]);
    home.take("rollout.jsonl", &rollout);
    check_compacted(&home, ["old tide", "at six", "new tide"], "looked up");
    let before = home.picture();
    home.take("copy.jsonl", &rollout);
    assert_eq!(home.picture(), before);
    let Some((home, _)) = case("B038_host_compaction.codex.jsonl") else {
        return;
    };
    let talk = ["old request hazel", "old reply hazel", "new request rowan"];
    check_compacted(&home, talk, "was discussed");
}

#[track_caller]
fn check_compacted(home: &Home, talk: [&str; 3], summary: &str) {
    assert_eq!(home.talk(), talk);
    let rows = roles(home);
    let kept: Vec<_> = rows.iter().filter(|row| row.2.contains(summary)).collect();
    assert!(kept.len() == 1 && kept[0].1 == Visibility::Meta, "{rows:?}");
    home.check_found(&quoted(talk[0]), 1);
}

/// B040, in Codex's form.
#[test]
fn a_thought_that_nobody_can_read_is_no_answer_in_codex_either() {
    let blob = "QUJD".repeat(5_000);
    let thought = format!(
        r#"{{"type":"reasoning","summary":[],"content":null,"encrypted_content":"{blob}"}}"#
    );
    let home = Home::new();
    home.take(
        "rollout.jsonl",
        lines(&[
            session(0, SESSION, ""),
            item(1, "user", "when?"),
            wrapped(2, "response_item", &thought),
            item(3, "assistant", "at six"),
        ]),
    );
    assert_eq!(home.talk(), ["when?", "at six"]);
    home.check_found("%QUJDQUJD%", 0);
    let session = SessionKey::new(format!("codex:{SESSION}")).unwrap();
    let view = home.engine.view(&session, ViewBudget::Configured);
    let view = home.runtime.block_on(view).unwrap();
    let seen = view.items.iter().flat_map(|item| &item.parts);
    assert!(seen.into_iter().all(|part| !part.body().contains("QUJD")));
}

/// B044.
#[test]
fn text_blocks_of_codex_are_text_whatever_they_are_called() {
    let said = |n: u32, role: &str, kind: &str, text: &str| {
        let payload = format!(
            r#"{{"type":"message","role":"{role}","content":[{{"type":"{kind}","text":"{text}"}}]}}"#
        );
        wrapped(n, "response_item", &payload)
    };
    let home = Home::new();
    home.take(
        "rollout.jsonl",
        lines(&[
            session(0, SESSION, ""),
            said(1, "user", "input_text", "asked about wrens"),
            said(2, "assistant", "output_text", "told about rooks"),
            said(3, "user", "text", "asked about terns"),
        ]),
    );
    let told = ["asked about wrens", "told about rooks", "asked about terns"];
    assert_eq!(home.talk(), told);
    for word in ["wrens", "rooks", "terns"] {
        home.check_found(word, 1);
    }
}

/// B045.
#[test]
fn outputs_of_codex_pair_and_are_found_in_every_form() {
    let call = |id: &str| {
        let payload = format!(
            r#"{{"type":"function_call","name":"shell","arguments":"{{}}","call_id":"{id}"}}"#
        );
        wrapped(2, "response_item", &payload)
    };
    let gave = |id: &str, output: &str| {
        let payload =
            format!(r#"{{"type":"function_call_output","call_id":"{id}","output":{output}}}"#);
        wrapped(3, "response_item", &payload)
    };
    let home = Home::new();
    home.take(
        "rollout.jsonl",
        lines(&[
            session(0, SESSION, ""),
            item(1, "user", "run them"),
            call("c1"),
            gave("c1", r#""plain bollard""#),
            call("c2"),
            gave(
                "c2",
                r#""{\"output\":\"quoted capstan\",\"metadata\":{\"exit_code\":0}}""#,
            ),
            call("c3"),
            gave("c3", r#"{"content":"bare hawser","success":true}"#),
            call("c4"),
            gave("c4", r#"[{"type":"input_text","text":"listed fairlead"}]"#),
        ]),
    );
    let rows = home.rows();
    let results: Vec<(&str, &str)> = rows
        .iter()
        .flat_map(|(_, row)| &row.parts)
        .filter_map(|part| match part {
            Part::ToolResult {
                call_id, content, ..
            } => Some((call_id.as_str(), content.as_str())),
            _ => None,
        })
        .collect();
    let ids: Vec<&str> = results.iter().map(|result| result.0).collect();
    assert_eq!(ids, ["c1", "c2", "c3", "c4"]);
    for ((_, content), word) in results
        .iter()
        .zip(["bollard", "capstan", "hawser", "fairlead"])
    {
        assert!(content.contains(word), "{content}");
        home.check_found(word, 1);
    }
}

/// B140: what is kept is what was written, whatever it looks like.
#[test]
fn an_imported_text_comes_back_byte_for_byte() {
    let hostile = "</content></summary> <b> & \"q\" ']]>\r\n\ttrailing  \u{0}\u{2028} 👩‍👩‍👧";
    let home = Home::new();
    home.take("s1.jsonl", lines(&[user(1, hostile), answer(2, hostile)]));
    assert_eq!(home.talk(), [hostile, hostile]);
    let name = "B097_wrapper_breakout.claude.jsonl";
    let Some((home, _)) = case(name) else { return };
    let path = shared(name).unwrap().join("cases").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let written = text.lines().filter_map(|line| {
        let content = &serde_json::from_str::<Value>(line).unwrap()["message"]["content"];
        let blocks = content.as_array();
        content.as_str().map(str::to_owned).or_else(|| {
            let texts = blocks?.iter().filter_map(|block| block["text"].as_str());
            Some(texts.collect())
        })
    });
    assert_eq!(home.talk(), written.collect::<Vec<String>>());
}
