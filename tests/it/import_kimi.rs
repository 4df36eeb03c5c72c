//! Kimi's wire logs: prompts told twice, steps, and what the file beside a log says.

use hippocamp::domain::{Part, Role, Visibility};

use crate::import_support::{Home, lines};

const LOG: [&str; 11] = [
    r#"{"type":"metadata","protocol_version":"1.4","created_at":1782295200000}"#,
    r#"{"type":"config.update","systemPrompt":"You read tides.","time":1782295200000}"#,
    r#"{"type":"turn.prompt","input":[{"type":"text","text":"when?"}],"time":1782295201000}"#,
    r#"{"type":"context.append_message","message":{"role":"user","content":[{"type":"text","text":"when?"}]},"time":1782295201000}"#,
    r#"{"type":"context.append_message","message":{"role":"user","content":[{"type":"text","text":"<system-reminder>be brief</system-reminder>"}]},"time":1782295201000}"#,
    r#"{"type":"llm.request","provider":"p","model":"model-x","time":1782295201500}"#,
    r#"{"type":"context.append_loop_event","event":{"type":"content.part","uuid":"p1","stepUuid":"s1","part":{"type":"think","text":"look"}},"time":1782295202000}"#,
    r#"{"type":"context.append_loop_event","event":{"type":"tool.call","uuid":"c1","stepUuid":"s1","toolCallId":"c1","name":"Read","args":{"path":"tides.txt"}},"time":1782295203000}"#,
    r#"{"type":"context.append_loop_event","event":{"type":"tool.result","parentUuid":"c1","toolCallId":"c1","result":{"output":"high at six"}},"time":1782295204000}"#,
    r#"{"type":"context.append_loop_event","event":{"type":"step.end","uuid":"s1","usage":{"inputOther":10,"output":5,"inputCacheRead":2}},"time":1782295205000}"#,
    r#"{"type":"usage.record","usage":{"inputOther":10,"output":5},"time":1782295205000}"#,
];

#[test]
fn a_log_is_one_conversation_with_each_prompt_once() {
    let home = Home::new();
    home.write(
        "session_a/state.json",
        r#"{"title":"Of tides","workDir":"/proj"}"#,
    );
    let text = lines(&LOG.map(str::to_owned));
    let totals = home.take("session_a/agents/main/wire.jsonl", text).totals;
    assert_eq!((totals.records, totals.stored, totals.messages), (11, 4, 3));
    assert_eq!((totals.output_tokens, totals.total_tokens), (5, 17));
    let rows = home.rows();
    let talk: Vec<_> = rows
        .iter()
        .filter(|(_, row)| row.visibility == Visibility::Talk)
        .map(|(_, row)| row.role)
        .collect();
    assert_eq!(talk, [Role::User, Role::Assistant, Role::Tool]);
    let thought = rows
        .iter()
        .find(|(_, row)| row.role == Role::Assistant)
        .unwrap();
    assert_eq!(thought.1.model.as_deref(), Some("model-x"));
    assert!(matches!(
        &thought.1.parts[..],
        [Part::Reasoning { .. }, Part::ToolUse { .. }]
    ));
    let sessions = home.runtime.block_on(home.engine.sessions()).unwrap();
    assert_eq!(sessions[0].session.as_str(), "kimi:session_a");
    assert_eq!(sessions[0].title.as_deref(), Some("Of tides"));
    assert_eq!(sessions[0].project.as_deref(), Some("/proj"));
}

#[test]
fn another_agents_log_is_a_sub_agents() {
    let home = Home::new();
    let text = lines(&LOG.map(str::to_owned));
    home.take("session_a/agents/reader/wire.jsonl", text);
    let rows = home.rows();
    assert!(
        rows.iter()
            .all(|(key, _)| key.as_str() == "kimi:session_a/reader")
    );
}
