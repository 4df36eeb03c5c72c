//! Codex's rollouts: two streams told once, forks, packed files, the first versions.

use hippocamp::domain::{Message, Part, Role, Visibility};

use crate::import_cases::case;
use crate::import_cuts::{Transcript, check_cuts, random};
use crate::import_pi::view;
use crate::import_support::{Home, lines, quoted, words};
use crate::shared::shared;
use crate::support::assert_clean;

pub(crate) const SESSION: &str = "01997e76-d124-7592-9cac-2ec05abbca08";
const FORK: &str = "0199aaaa-d124-7592-9cac-2ec05abbca08";

pub(crate) fn wrapped(n: u32, kind: &str, payload: &str) -> String {
    format!(r#"{{"timestamp":"2026-01-05T10:00:{n:02}.000Z","type":"{kind}","payload":{payload}}}"#)
}

pub(crate) fn session(n: u32, id: &str, more: &str) -> String {
    let payload = format!(r#"{{"id":"{id}","cwd":"/proj","model_provider":"openai"{more}}}"#);
    wrapped(n, "session_meta", &payload)
}

pub(crate) fn turn(n: u32, id: &str) -> String {
    let payload = format!(r#"{{"turn_id":"{id}","cwd":"/proj","model":"model-x"}}"#);
    wrapped(n, "turn_context", &payload)
}

pub(crate) fn item(n: u32, role: &str, text: &str) -> String {
    let kind = if role == "assistant" {
        "output_text"
    } else {
        "input_text"
    };
    let payload = format!(
        r#"{{"type":"message","role":"{role}","content":[{{"type":"{kind}","text":{}}}]}}"#,
        quoted(text)
    );
    wrapped(n, "response_item", &payload)
}

fn event(n: u32, kind: &str, field: &str, text: &str) -> String {
    let payload = format!(r#"{{"type":"{kind}","{field}":{}}}"#, quoted(text));
    wrapped(n, "event_msg", &payload)
}

fn call(n: u32, id: &str) -> [String; 2] {
    let call = format!(
        r#"{{"type":"function_call","name":"shell","arguments":"{{\"cmd\":\"ls\"}}","call_id":"{id}"}}"#
    );
    let output = format!(
        r#"{{"type":"function_call_output","call_id":"{id}","output":"{{\"output\":\"tides.txt\",\"metadata\":{{\"exit_code\":1}}}}"}}"#
    );
    [
        wrapped(n, "response_item", &call),
        wrapped(n, "response_item", &output),
    ]
}

fn is_talk(message: &Message, role: Role) -> bool {
    message.visibility == Visibility::Talk && message.role == role
}

/// Answers in words: the model's messages that are not only thoughts and calls.
fn n_answers(home: &Home) -> usize {
    let rows = home.rows();
    let texts = rows
        .iter()
        .filter(|(_, row)| is_talk(row, Role::Assistant))
        .flat_map(|(_, row)| &row.parts);
    texts
        .filter(|part| matches!(part, Part::Text { .. }))
        .count()
}

fn n_prompts(home: &Home) -> usize {
    let rows = home.rows();
    rows.iter()
        .filter(|(_, row)| is_talk(row, Role::User))
        .count()
}

fn n_calls(home: &Home) -> usize {
    let rows = home.rows();
    let parts = rows.iter().flat_map(|(_, row)| &row.parts);
    parts
        .filter(|part| matches!(part, Part::ToolUse { .. }))
        .count()
}

#[test]
fn b027_each_message_of_two_streams_is_one_row_whichever_comes_first() {
    let completed = wrapped(
        2,
        "event_msg",
        r#"{"type":"item_completed","item":{"type":"AgentMessage","id":"i1","text":"at six"}}"#,
    );
    let rollout = lines(&[
        session(0, SESSION, ""),
        event(1, "user_message", "message", "when is high tide?"),
        item(1, "user", "when is high tide?"),
        completed,
        item(2, "assistant", "at six"),
        item(3, "user", "when is high tide?"),
        event(3, "user_message", "message", "when is high tide?"),
        item(4, "assistant", "still at six"),
        event(4, "agent_message", "message", "still at six"),
    ]);
    let home = Home::new();
    home.take("rollout.jsonl", rollout);
    assert_eq!((n_prompts(&home), n_answers(&home)), (2, 2));
    let Some((home, _)) = case("B027_codex_twin_streams.codex.jsonl") else {
        return;
    };
    assert_eq!((n_prompts(&home), n_answers(&home)), (2, 2));
}

#[test]
fn what_both_streams_say_is_one_message() {
    let [called, gave] = call(5, "c1");
    let rollout = lines(&[
        session(1, SESSION, ""),
        item(
            2,
            "user",
            "<environment_context>\n<cwd>/proj</cwd>\n</environment_context>",
        ),
        item(2, "user", "when is high tide?"),
        event(2, "user_message", "message", "when is high tide?"),
        turn(3, "t1"),
        event(4, "agent_reasoning", "text", "**Looking**"),
        wrapped(
            4,
            "response_item",
            r#"{"type":"reasoning","summary":[{"type":"summary_text","text":"**Looking**"}],"encrypted_content":"x"}"#,
        ),
        called,
        gave,
        event(6, "agent_message", "message", "at six"),
        item(6, "assistant", "at six"),
        // A person who says the same again says it twice.
        item(7, "user", "when is high tide?"),
        event(7, "user_message", "message", "when is high tide?"),
    ]);
    let home = Home::new();
    let account = home.take("rollout.jsonl", rollout);
    assert_eq!(
        (
            account.totals.records,
            account.totals.stored,
            account.totals.messages
        ),
        (13, 6, 5)
    );
    assert_eq!(
        (n_prompts(&home), n_answers(&home), n_calls(&home)),
        (2, 1, 1)
    );
    let rows = home.rows();
    let key = format!("codex:{SESSION}");
    assert!(rows.iter().all(|(session, _)| session.as_str() == key));
    let result = rows.iter().find(|(_, row)| row.role == Role::Tool).unwrap();
    assert!(matches!(
        &result.1.parts[..],
        [Part::ToolResult { content, is_error: true, .. }] if content == "tides.txt"
    ));
    let asked = rows
        .iter()
        .find(|(_, row)| words(row).contains("Looking"))
        .unwrap();
    assert_eq!(asked.1.model.as_deref(), Some("model-x"));
    let sessions = home.runtime.block_on(home.engine.sessions()).unwrap();
    assert_eq!(sessions[0].project.as_deref(), Some("/proj"));
    // The thought and the call are one message.
    assert_eq!(asked.1.parts.len(), 2);
}

/// Turns of which the last two were taken back, one after the other.
fn rolled_back(id: &str) -> Vec<String> {
    let back = |n| {
        wrapped(
            n,
            "event_msg",
            r#"{"type":"thread_rolled_back","num_turns":1}"#,
        )
    };
    vec![
        session(1, id, r#","instructions":"be brief""#),
        turn(2, "t1"),
        item(3, "user", "<environment_context>here</environment_context>"),
        item(4, "user", "one"),
        item(5, "assistant", "first"),
        turn(6, "t2"),
        item(7, "user", "two"),
        item(8, "assistant", "second"),
        back(9),
        turn(10, "t3"),
        item(11, "user", "three"),
        item(12, "assistant", "third"),
        turn(13, "t4"),
        item(14, "user", "four"),
        item(15, "assistant", "fourth"),
        back(16),
    ]
}

#[test]
fn turns_taken_back_stay_on_a_branch_of_their_own() {
    let home = Home::new();
    let mut records = rolled_back("s");
    home.take("rollout-s.jsonl", lines(&records));
    assert_eq!(view(&home, "codex:s"), ["one", "first", "three", "third"]);
    for left in ["two", "second", "fourth"] {
        home.check_found(left, 1);
    }
    home.check_found("rolled", 2);
    records.extend([turn(17, "t5"), item(18, "user", "five")]);
    let account = home.take("rollout-s.jsonl", lines(&records));
    assert_eq!((account.totals.stored, account.totals.duplicate), (1, 0));
    assert_eq!(
        view(&home, "codex:s"),
        ["one", "first", "three", "third", "five"]
    );
    // All of it, and more than there is.
    let back = r#"{"type":"thread_rolled_back","num_turns":9}"#;
    records.extend([
        wrapped(19, "event_msg", back),
        turn(20, "t6"),
        item(21, "user", "six"),
    ]);
    home.take("rollout-s.jsonl", lines(&records));
    assert_eq!(view(&home, "codex:s"), ["six"]);
    let again = Home::new();
    again.take("rollout-s.jsonl", lines(&records));
    assert_eq!(view(&again, "codex:s"), ["six"]);
    assert_clean(&again.runtime.block_on(again.engine.doctor()).unwrap());
    let bytes = lines(&rolled_back("s")).into();
    check_cuts(&[Transcript::new("rollout-s.jsonl", bytes, 50, &mut random())]);
}

#[test]
fn a_fork_of_turns_taken_back_repeats_none_of_them() {
    let home = Home::new();
    home.take("rollout-s.jsonl", lines(&rolled_back("s")));
    let mut records = vec![session(30, "f", r#","forked_from_id":"s""#)];
    records.extend(rolled_back("s"));
    records.extend([turn(31, "t5"), item(32, "user", "five")]);
    let account = home.take("rollout-f.jsonl", lines(&records));
    assert_eq!(account.totals.stored, 1, "{account:?}");
    assert_eq!(
        view(&home, "codex:f"),
        ["one", "first", "three", "third", "five"]
    );
    assert_eq!(view(&home, "codex:s"), ["one", "first", "three", "third"]);
    home.check_found("second", 1);
}

#[test]
fn a_fork_is_a_branch_that_repeats_nothing() {
    let turns = |n: u32| {
        vec![
            turn(n, "turn-1"),
            item(n + 1, "user", "one"),
            event(n + 1, "user_message", "message", "one"),
            item(n + 2, "assistant", "two"),
        ]
    };
    let mut parent = vec![session(1, SESSION, "")];
    parent.extend(turns(2));
    let mut fork = vec![
        session(20, FORK, &format!(r#","forked_from_id":"{SESSION}""#)),
        session(20, SESSION, ""),
    ];
    fork.extend(turns(21));
    fork.extend([
        turn(30, "turn-2"),
        item(31, "user", "one"),
        item(32, "assistant", "three"),
    ]);
    for order in [[0, 1], [1, 0]] {
        let home = Home::new();
        let files = [("a.jsonl", lines(&parent)), ("b.jsonl", lines(&fork))];
        let mut stored = 0;
        for at in order {
            let (name, text) = &files[at];
            stored += home.take(name, text).totals.stored;
        }
        assert_eq!(stored, 4, "{order:?}");
        assert_eq!(home.talk(), ["one", "two", "one", "three"], "{order:?}");
        home.check_found("two", 1);
        let sessions = home.runtime.block_on(home.engine.sessions()).unwrap();
        let messages: Vec<_> = sessions.iter().map(|one| one.messages).collect();
        assert!(messages.contains(&4), "{order:?}: {messages:?}");
    }
}

#[test]
fn a_packed_rollout_is_the_rollout() {
    let text = lines(&[
        session(1, SESSION, ""),
        item(2, "user", "packed words"),
        item(3, "assistant", "found again"),
    ]);
    let home = Home::new();
    let packed = zstd::encode_all(text.as_bytes(), 0).unwrap();
    let folder = home.write("s/rollout.jsonl.zst", packed);
    let account = home.import(&[folder.parent().unwrap().to_owned()]);
    assert_eq!((account.totals.records, account.totals.stored), (3, 2));
    let again = home.import(&[folder]);
    assert_eq!(again.totals.records, 0);
    // Unpacked, it is the same conversation.
    let plain = home.take("rollout.jsonl", &text).totals;
    assert_eq!((plain.stored, plain.duplicate), (0, 2));
}

#[test]
fn a_sub_agents_rollout_belongs_to_its_session() {
    let source = format!(
        r#","source":{{"subagent":{{"thread_spawn":{{"parent_thread_id":"{SESSION}","depth":1}}}}}}"#
    );
    let home = Home::new();
    home.take(
        "a.jsonl",
        lines(&[
            session(1, FORK, &source),
            item(2, "user", "look at the quay"),
        ]),
    );
    let rows = home.rows();
    assert_eq!(rows[0].0.as_str(), format!("codex:{SESSION}/{FORK}"));
}

#[test]
fn the_first_versions_are_read_as_lines_and_as_one_document() {
    let head = r#"{"id":"old-1","timestamp":"2025-05-01T10:00:00Z","instructions":null,"git":{}}"#;
    let records = [
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"old words"}]}"#,
        r#"{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}"#,
        r#"{"type":"function_call_output","call_id":"c","output":"done"}"#,
    ];
    let home = Home::new();
    let mut flat = vec![head.to_owned(), r#"{"record_type":"state"}"#.to_owned()];
    flat.extend(records.map(str::to_owned));
    let account = home.take("rollout-old.jsonl", lines(&flat));
    assert_eq!((account.totals.records, account.totals.stored), (5, 3));
    let document = format!(
        "{{\n \"session\": {head},\n \"items\": [\n{}\n]}}",
        records.join(",\n")
    );
    let home = Home::new();
    let account = home.take("rollout-old.json", &document);
    assert_eq!((account.totals.records, account.totals.stored), (4, 3));
    assert_eq!(home.rows()[0].0.as_str(), "codex:old-1");
    // Read again only when it has changed, and then it adds what is new.
    assert_eq!(home.take("rollout-old.json", &document).totals.records, 0);
    let longer = document.replace("\n]}", ",\n{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"new\"}]}]}");
    let grown = home.take("rollout-old.json", longer).totals;
    assert_eq!((grown.stored, grown.duplicate), (1, 3));
    let cut = home
        .take("other.json", &document[..document.len() - 9])
        .totals;
    assert_eq!((cut.records, cut.pending), (1, 1));
}

#[test]
fn the_large_sample_has_each_word_once_and_its_tokens_are_the_last_count() {
    let test = "the_large_sample_has_each_word_once_and_its_tokens_are_the_last_count";
    let Some(shared) = shared(test) else { return };
    let name = "samples/codex/agentcmd-rollout-2025-09-24T19-22-20-01997e76-d124-7592-9cac-2ec05abbca08.jsonl";
    let home = Home::new();
    let account = home.import(&[shared.join(name)]);
    assert_eq!(account.totals.records, 823);
    assert_eq!(account.totals.total_tokens, 7_594_021);
    assert_eq!(
        (n_prompts(&home), n_answers(&home), n_calls(&home)),
        (13, 9, 123)
    );
}
