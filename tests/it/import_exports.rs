//! Exports of `ChatGPT`, Claude.ai and Claude Code on the web: trees of messages, words told once.

use hippocamp::domain::{Part, Role, SessionKey, Visibility};

use crate::import_support::{Home, quoted, words};

/// One node of `ChatGPT`'s tree: `id`, what is above it, who speaks, and its content.
fn node(id: &str, parent: &str, role: &str, content: &str, more: &str) -> String {
    let parent = match parent {
        "" => "null".to_owned(),
        parent => quoted(parent),
    };
    format!(
        r#""{id}":{{"id":"{id}","parent":{parent},"children":[],"message":{{"id":"m-{id}","author":{{"role":"{role}","name":null}},"create_time":1767607200.5,"content":{content},"metadata":{{"model_slug":"model-x"}}{more}}}}}"#
    )
}

fn text(words: &str) -> String {
    format!(r#"{{"content_type":"text","parts":[{}]}}"#, quoted(words))
}

fn conversation(id: &str, current: &str, nodes: &[String]) -> String {
    format!(
        r#"{{"title":"Tides","create_time":1767607200.0,"current_node":"{current}","conversation_id":"{id}","id":"{id}","mapping":{{"top":{{"id":"top","parent":null,"children":["ask"],"message":null}},{}}}}}"#,
        nodes.join(",")
    )
}

fn said(id: &str, parent: &str, role: &str, words: &str) -> String {
    node(id, parent, role, &text(words), "")
}

fn edited() -> Vec<String> {
    vec![
        said("hidden", "top", "system", ""),
        said("ask", "hidden", "user", "When is high tide?"),
        said("old", "ask", "assistant", "At noon."),
        said("thanks", "old", "user", "Thanks, and tomorrow?"),
        said("new", "ask", "assistant", "At one o'clock."),
    ]
}

/// Returns the talk as the session goes on now.
fn live(home: &Home, key: &str) -> Vec<String> {
    let key = SessionKey::new(key).unwrap();
    home.runtime.block_on(async {
        let mut history = home.engine.history(&key, None).await.unwrap();
        let mut live = Vec::new();
        loop {
            let page = history.next_page().await.unwrap();
            if page.is_empty() {
                return live;
            }
            let talk = page.iter().map(|row| &row.message);
            let talk = talk.filter(|message| message.visibility == Visibility::Talk);
            live.extend(talk.map(words));
        }
    })
}

fn n_conversations(home: &Home) -> u64 {
    let stats = home.runtime.block_on(home.engine.stats()).unwrap();
    stats.conversations
}

#[test]
fn chatgpt_goes_on_to_the_current_node_and_keeps_what_was_edited_away() {
    let home = Home::new();
    let export = format!("[{}]", conversation("c1", "new", &edited()));
    let totals = home.take("conversations.json", &export).totals;
    assert_eq!((totals.records, totals.stored, totals.meta), (6, 4, 2));
    let told = home.told();
    assert_eq!(
        told,
        [
            "chatgpt:c1 user: When is high tide?",
            "chatgpt:c1 assistant: At noon.",
            "chatgpt:c1 user: Thanks, and tomorrow?",
            "chatgpt:c1 assistant: At one o'clock.",
        ]
    );
    assert_eq!(
        live(&home, "chatgpt:c1"),
        ["When is high tide?", "At one o'clock."]
    );
    let sessions = home.runtime.block_on(home.engine.sessions()).unwrap();
    assert_eq!(sessions[0].title.as_deref(), Some("Tides"));
    let rows = home.rows();
    assert_eq!(rows[3].1.model.as_deref(), Some("model-x"));
    assert!(rows.iter().all(|(_, row)| row.at.is_some()));
}

#[test]
fn a_later_chatgpt_export_adds_what_is_new_where_it_belongs() {
    let home = Home::new();
    let take = |name: &str, current: &str, nodes: &[String]| {
        let totals = home.take(name, conversation("c1", current, nodes)).totals;
        (totals.stored, totals.duplicate)
    };
    let mut nodes = edited();
    assert_eq!(take("conversations.json", "new", &nodes), (4, 0));
    let begun = n_conversations(&home);
    nodes.push(said("more", "new", "user", "And the day after?"));
    assert_eq!(take("conversations.json", "more", &nodes), (1, 4));
    let grown = [
        "When is high tide?",
        "At one o'clock.",
        "And the day after?",
    ];
    assert_eq!(live(&home, "chatgpt:c1"), grown);
    assert_eq!(n_conversations(&home), begun);
    // The user went back to what had been left.
    nodes.push(said("back", "thanks", "assistant", "At half past twelve."));
    assert_eq!(take("conversations.json", "back", &nodes), (1, 5));
    let back = [
        "When is high tide?",
        "At noon.",
        "Thanks, and tomorrow?",
        "At half past twelve.",
    ];
    assert_eq!(live(&home, "chatgpt:c1"), back);
    assert_eq!(take("copy/conversations.json", "back", &nodes), (0, 6));
    assert_eq!(live(&home, "chatgpt:c1"), back);
}

#[test]
fn chatgpt_tools_pictures_and_hidden_messages_are_told_apart() {
    let home = Home::new();
    let code = r#"{"content_type":"code","language":"python","text":"print(tide())"}"#;
    let output = r#"{"content_type":"execution_output","text":"3.2 m"}"#;
    let picture = r#"{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"file-service://file-1"},"What is this?"]}"#;
    let thought = r#"{"content_type":"thoughts","thoughts":[{"summary":"Looking","content":"It is a quay."}]}"#;
    let standing = r#"{"content_type":"user_editable_context","user_profile":"A sailor"}"#;
    let quote = r#"{"content_type":"tether_quote","url":"https://tides.example","title":"Tides","text":"High water"}"#;
    let hidden = r#"{"content_type":"text","parts":["The file is a table."]}"#;
    let nodes = [
        node("n1", "top", "user", standing, ""),
        node("n2", "n1", "user", picture, ""),
        node("n3", "n2", "assistant", thought, ""),
        node("n4", "n3", "assistant", code, r#","recipient":"python""#),
        node("n5", "n4", "tool", output, ""),
        node("n6", "n5", "tool", quote, ""),
        node("n7", "n6", "system", hidden, "").replace(
            r#""model_slug""#,
            r#""is_visually_hidden_from_conversation":true,"model_slug""#,
        ),
        node(
            "n8",
            "n7",
            "assistant",
            &text("A tide of 3.2 m \u{2014} high."),
            r#","recipient":"all""#,
        ),
    ];
    home.take("conversations.json", conversation("c1", "n8", &nodes));
    let told = home.told();
    let told: Vec<&str> = told
        .iter()
        .map(|line| &line["chatgpt:c1 ".len()..])
        .collect();
    assert_eq!(
        told,
        [
            "user: [A sailor]",
            "user: [image/*] What is this?",
            "assistant: Looking\nIt is a quay.",
            "assistant: python print(tide())",
            "tool: 3.2 m",
            "tool: https://tides.example\nTides\nHigh water",
            "system: [The file is a table.]",
            "assistant: A tide of 3.2 m \u{2014} high.",
        ]
    );
    let rows = home.rows();
    let answers = rows[4].1.parts.iter().chain(&rows[5].1.parts);
    let answers = answers.filter_map(|part| match part {
        Part::ToolResult { call_id, .. } => Some(call_id.as_str()),
        _ => None,
    });
    assert_eq!(answers.collect::<Vec<_>>(), ["n4", "n4"]);
}

#[test]
fn an_unfinished_export_waits_and_what_is_no_conversation_is_refused() {
    let home = Home::new();
    let whole = format!("[{},7]", conversation("c1", "new", &edited()));
    let half = &whole[..whole.len() / 2];
    assert_eq!(home.take("conversations.json", half).totals.pending, 1);
    let totals = home.take("conversations.json", &whole).totals;
    assert_eq!((totals.stored, totals.refused, totals.pending), (4, 1, 0));
}

/// One message of Claude.ai.
fn message(id: u32, sender: &str, text: &str, content: &str, more: &str) -> String {
    format!(
        r#"{{"uuid":"00000000-0000-4000-8000-{id:012}","text":{},"content":[{content}],"sender":"{sender}","created_at":"2026-01-05T10:00:00.000000Z"{more}}}"#,
        quoted(text)
    )
}

fn claude(messages: &[String]) -> String {
    format!(
        r#"[{{"uuid":"c1","name":"Tides","summary":"About tides.","created_at":"2026-01-05T10:00:00Z","chat_messages":[{}]}}]"#,
        messages.join(",")
    )
}

fn block(words: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, quoted(words))
}

#[test]
fn claude_ai_words_that_stand_twice_are_told_once() {
    let home = Home::new();
    let attached = r#","attachments":[{"file_name":"tides.csv","file_type":"text/csv","extracted_content":"noon;3.2"}],"files":[{"file_name":"quay.png"}]"#;
    let calls = [
        r#"{"type":"thinking","thinking":"A table."}"#.to_owned(),
        block("Let me look."),
        r#"{"type":"tool_use","name":"look","input":{"at":1}}"#.to_owned(),
        r#"{"type":"tool_result","name":"look","content":[{"type":"text","text":"3.2"}],"is_error":false}"#.to_owned(),
        block("It is 3.2 m."),
    ];
    let shown = "Let me look.\n```\nThis block is not supported on your current device yet.\n```\nIt is 3.2 m.";
    let export = claude(&[
        message(1, "human", "How high?", &block("How high?"), attached),
        message(2, "assistant", shown, &calls.join(","), ""),
        message(3, "human", "Only here", "", ""),
    ]);
    let totals = home.take("conversations.json", &export).totals;
    assert_eq!((totals.records, totals.stored, totals.meta), (4, 3, 1));
    let told = home.told();
    assert_eq!(
        told,
        [
            "claude-ai:c1 user: How high? [text/csv] noon;3.2 [application/octet-stream]",
            "claude-ai:c1 assistant: A table. Let me look. look {\"at\":1}",
            "claude-ai:c1 tool: 3.2",
            "claude-ai:c1 assistant: It is 3.2 m.",
            "claude-ai:c1 user: Only here",
            "claude-ai:c1 assistant: [About tides.]",
        ]
    );
    home.check_found("noon", 1);
    let calls: Vec<String> = home
        .rows()
        .iter()
        .flat_map(|(_, row)| &row.parts)
        .filter_map(|part| match part {
            Part::ToolUse { call_id, .. } | Part::ToolResult { call_id, .. } => {
                Some(call_id.clone())
            }
            _ => None,
        })
        .collect();
    assert_eq!(calls[0], calls[1]);
    assert_eq!(
        home.take("conversations-1.json", &export).totals.duplicate,
        4
    );
}

#[test]
fn claude_ai_messages_that_name_their_parents_are_a_tree() {
    let home = Home::new();
    let above = |id: u32| format!(r#","parent_message_uuid":"00000000-0000-4000-8000-{id:012}""#);
    let export = claude(&[
        message(1, "human", "", &block("How high?"), &above(0)),
        message(2, "assistant", "", &block("Very."), &above(1)),
        message(3, "assistant", "", &block("3.2 m."), &above(1)),
    ]);
    home.take("conversations.json", &export);
    assert_eq!(live(&home, "claude-ai:c1"), ["How high?", "3.2 m."]);
    home.check_found("Very", 1);
}

#[test]
fn the_web_export_of_claude_code_holds_the_records_of_its_lines() {
    let home = Home::new();
    let export = r#"{"loglines":[
        {"type":"user","timestamp":"2026-01-05T10:00:00.000Z","message":{"role":"user","content":"How high?"}},
        {"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"3.2 m."}]}},
        "no record"
    ]}"#;
    let totals = home.take("export.json", export).totals;
    assert_eq!((totals.stored, totals.refused), (2, 1));
    assert_eq!(
        home.told(),
        [
            "claude-code:export user: How high?",
            "claude-code:export assistant: 3.2 m."
        ]
    );
    let roles: Vec<Role> = home.rows().iter().map(|(_, row)| row.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant]);
}
