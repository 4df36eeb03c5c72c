//! The Gemini CLI's chats: messages written again, rewinds, echoes, and the first versions' document.

use hippocamp::domain::{Part, Role};

use crate::import_support::{Home, lines, quoted};

const HEAD: &str = r#"{"sessionId":"g1","projectHash":"h","startTime":"2026-01-05T10:00:00Z","lastUpdated":"2026-01-05T10:00:00Z","directories":["/proj"],"summary":"Of tides"}"#;

fn user(id: &str, text: &str) -> String {
    let text = quoted(text);
    format!(r#"{{"id":"{id}","timestamp":"2026-01-05T10:00:01Z","type":"user","content":{text}}}"#)
}

fn answer(id: &str, text: &str, more: &str) -> String {
    let text = quoted(text);
    format!(
        r#"{{"id":"{id}","timestamp":"2026-01-05T10:00:02Z","type":"gemini","content":{text},"model":"model-x"{more}}}"#
    )
}

const CALL: &str = r#","toolCalls":[{"id":"read-1","name":"read","args":{"path":"tides.txt"},"status":"success","result":[{"functionResponse":{"id":"read-1","name":"read","response":{"output":"high at six"}}}]}]"#;
const ECHO: &str = r#"{"id":"u2","timestamp":"2026-01-05T10:00:03Z","type":"user","content":[{"functionResponse":{"id":"read-1","name":"read","response":{"output":"high at six"}}}]}"#;

#[test]
fn a_message_written_again_adds_what_is_new_in_it() {
    let home = Home::new();
    let text = lines(&[
        HEAD.to_owned(),
        user("u1", "when?"),
        answer("a1", "looking", ""),
        answer("a1", "looking", CALL),
        ECHO.to_owned(),
        answer(
            "a2",
            "at six",
            r#","thoughts":[{"subject":"Sum","description":"six it is"}],"tokens":{"output":7}"#,
        ),
        answer("a2", "at seven", ""),
    ]);
    let account = home.take("chats/session-1.jsonl", &text);
    let totals = account.totals;
    assert_eq!(
        (totals.records, totals.edited, totals.output_tokens),
        (7, 1, 7)
    );
    let rows = home.rows();
    let roles: Vec<Role> = rows.iter().map(|(_, row)| row.role).collect();
    assert_eq!(
        roles,
        [Role::User, Role::Assistant, Role::Tool, Role::Assistant]
    );
    assert!(matches!(
        &rows[1].1.parts[..],
        [Part::Text { .. }, Part::ToolUse { .. }]
    ));
    home.check_found("six", 2);
    let sessions = home.runtime.block_on(home.engine.sessions()).unwrap();
    assert_eq!(sessions[0].session.as_str(), "gemini-cli:g1");
    assert_eq!(sessions[0].project.as_deref(), Some("/proj"));
    assert_eq!(sessions[0].title.as_deref(), Some("Of tides"));
    // In one document, with its messages as they ended, nothing is new.
    let last = [
        user("u1", "when?"),
        answer("a1", "looking", CALL),
        answer("a2", "at seven", ""),
    ]
    .join(",\n");
    let head = HEAD.trim_end_matches('}');
    let document = format!("{head},\n\"messages\":[\n{last}\n]}}");
    let whole = home.take("chats/session-1.json", document).totals;
    assert_eq!((whole.records, whole.stored, whole.duplicate), (3, 0, 3));
}

#[test]
fn what_follows_a_rewind_is_a_branch_and_what_was_withdrawn_stays() {
    let begun = [
        HEAD.to_owned(),
        user("u1", "one"),
        answer("a1", "two", ""),
        user("u2", "wrong way"),
        answer("a2", "lost", ""),
        r#"{"$rewindTo":"u2"}"#.to_owned(),
        user("u3", "right way"),
        answer("a3", "found", ""),
    ];
    for n_first in 0..=begun.len() {
        let home = Home::new();
        home.take("chats/session-1.jsonl", lines(&begun[..n_first]));
        home.take("chats/session-1.jsonl", lines(&begun));
        assert_eq!(home.talk().len(), 6, "{n_first}");
        let sessions = home.runtime.block_on(home.engine.sessions()).unwrap();
        let branch = sessions
            .iter()
            .find(|one| one.session.as_str() == "gemini-cli:g1.1")
            .unwrap();
        assert_eq!(branch.messages, 4, "{n_first}");
        home.check_found("lost", 1);
        home.check_found("found", 1);
    }
}

#[test]
fn a_chat_below_another_is_a_sub_agents() {
    let home = Home::new();
    let text = lines(&[HEAD.replace("g1", "inner"), user("u1", "look there")]);
    home.take("chats/g1/inner.jsonl", text);
    assert_eq!(home.rows()[0].0.as_str(), "gemini-cli:g1/inner");
}

#[test]
fn a_call_that_failed_says_so() {
    let home = Home::new();
    let failed = r#","toolCalls":[{"id":"c","name":"run","args":{},"status":"error","result":[{"functionResponse":{"id":"c","name":"run","response":{"error":"no such tide"}}}]}]"#;
    home.take(
        "s.jsonl",
        lines(&[HEAD.to_owned(), answer("a1", "", failed)]),
    );
    let rows = home.rows();
    assert!(matches!(
        &rows[1].1.parts[..],
        [Part::ToolResult { content, is_error: true, .. }] if content == "no such tide"
    ));
}
