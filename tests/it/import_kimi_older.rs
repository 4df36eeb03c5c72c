//! Kimi's older logs: events in a `message`, sub-agents told by their parent, and sessions from
//! before there was a wire log.

use hippocamp::domain::{Part, Role};

use crate::import_cases::counts;
use crate::import_cuts::{Transcript, check_cuts, random};
use crate::import_support::{Home, lines, words};
use crate::support::assert_clean;

fn event(n: u32, kind: &str, payload: &str) -> String {
    format!(r#"{{"timestamp":1767600{n:03}.25,"message":{{"type":"{kind}","payload":{payload}}}}}"#)
}

fn wrapped(n: u32, call: &str, agent: &str, kind: &str, payload: &str) -> String {
    let inner = format!(r#"{{"type":"{kind}","payload":{payload}}}"#);
    let agent = format!(r#""parent_tool_call_id":"{call}","agent_id":{agent}"#);
    event(
        n,
        "SubagentEvent",
        &format!(r#"{{{agent},"event":{inner}}}"#),
    )
}

fn log() -> Vec<String> {
    vec![
        r#"{"type":"metadata","protocol_version":"1.1"}"#.to_owned(),
        event(1, "TurnBegin", r#"{"user_input":"when is high tide?"}"#),
        event(2, "StepBegin", r#"{"n":1}"#),
        event(
            3,
            "ContentPart",
            r#"{"type":"think","think":"look it up","encrypted":"sig"}"#,
        ),
        event(4, "ContentPart", r#"{"type":"text","text":"Looking."}"#),
        event(
            5,
            "ToolCall",
            r#"{"type":"function","id":"c1","function":{"name":"ReadFile","arguments":"{\"path\":\"tides.txt\"}"},"extras":null}"#,
        ),
        event(
            6,
            "ToolResult",
            r#"{"tool_call_id":"c1","return_value":{"is_error":false,"output":"high at six","message":"read","display":[]}}"#,
        ),
        event(
            7,
            "StatusUpdate",
            r#"{"context_usage":0.1,"token_usage":{"input_other":10,"output":5,"input_cache_read":2,"input_cache_creation":0}}"#,
        ),
        event(8, "StepBegin", r#"{"n":2}"#),
        event(9, "ContentPart", r#"{"type":"text","text":"At six."}"#),
        event(
            10,
            "SteerInput",
            r#"{"user_input":[{"type":"text","text":"and low?"}]}"#,
        ),
        event(11, "StepBegin", r#"{"n":3}"#),
        event(
            12,
            "ToolCall",
            r#"{"type":"function","id":"c2","function":{"name":"Task","arguments":null}}"#,
        ),
        wrapped(
            13,
            "c2",
            "null",
            "ContentPart",
            r#"{"type":"text","text":"low at noon"}"#,
        ),
        event(
            14,
            "ToolResult",
            r#"{"task":1,"tool_call_id":"c2","result":{"is_error":true,"output":"","message":"stopped"}}"#,
        ),
        event(
            15,
            "Notification",
            r#"{"id":"n","title":"Update","body":"a newer version"}"#,
        ),
        event(16, "TurnEnd", "{}"),
    ]
}

#[test]
fn an_older_log_is_read_event_by_event() {
    let home = Home::new();
    home.write(
        "hash/session-a/state.json",
        r#"{"custom_title":"Of tides"}"#,
    );
    let account = home.take("hash/session-a/wire.jsonl", lines(&log()));
    assert_eq!(account.files[0].format.unwrap().as_str(), "kimi");
    assert_eq!(counts(&account), (10, 7, 0, 0, 0));
    assert_eq!(
        (account.totals.output_tokens, account.totals.total_tokens),
        (5, 17)
    );
    assert_eq!(
        home.told(),
        [
            "kimi:session-a user: when is high tide?",
            r#"kimi:session-a assistant: look it up Looking. ReadFile {"path":"tides.txt"}"#,
            "kimi:session-a tool: high at six",
            "kimi:session-a assistant: At six.",
            "kimi:session-a user: and low?",
            "kimi:session-a assistant: Task {}",
            "kimi:session-a/c2 assistant: low at noon",
            "kimi:session-a tool: stopped",
            "kimi:session-a system: [Update\na newer version]",
        ]
    );
    let rows = home.rows();
    assert_eq!(rows[0].1.at.unwrap().millis(), 1_767_600_001_250);
    let failed = |part: &Part| matches!(part, Part::ToolResult { is_error: true, .. });
    let stopped = rows.iter().find(|(_, row)| row.parts.iter().any(failed));
    assert_eq!(words(&stopped.unwrap().1), "stopped");
    let listed = home.runtime.block_on(home.engine.sessions()).unwrap();
    assert!(
        listed
            .iter()
            .any(|one| one.title.as_deref() == Some("Of tides"))
    );
    assert_eq!(
        home.take("hash/session-a/wire.jsonl", lines(&log()))
            .totals
            .records,
        0
    );
    assert_clean(&home.runtime.block_on(home.engine.doctor()).unwrap());
}

#[test]
fn an_older_log_cut_anywhere_and_completed_is_the_whole() {
    let text = lines(&log()).into_bytes();
    let log = Transcript::new("s/wire.jsonl", text, 16, &mut random());
    check_cuts(&[log]);
}

#[test]
fn a_sub_agent_with_a_log_of_its_own_is_told_once() {
    let home = Home::new();
    let said = r#"{"type":"text","text":"low at noon"}"#;
    let parent = [
        event(1, "TurnBegin", r#"{"user_input":"when is low tide?"}"#),
        wrapped(2, "c2", r#""a1""#, "ContentPart", said),
        wrapped(
            3,
            "c3",
            r#""a2""#,
            "ContentPart",
            r#"{"type":"text","text":"no boats"}"#,
        ),
    ];
    home.write("s/wire.jsonl", lines(&parent));
    home.write(
        "s/subagents/a1/wire.jsonl",
        lines(&[event(2, "ContentPart", said)]),
    );
    home.import(&[home.folder.path().join("in")]);
    assert_eq!(
        home.told(),
        [
            "kimi:s user: when is low tide?",
            "kimi:s/a2 assistant: no boats",
            "kimi:s/a1 assistant: low at noon",
        ]
    );
}

const CONTEXT: [&str; 6] = [
    r#"{"role":"_system_prompt","content":"You read tides."}"#,
    r#"{"role":"_checkpoint","id":0}"#,
    r#"{"role":"user","content":"when is high tide?"}"#,
    r#"{"role":"assistant","content":[{"type":"text","text":"Looking."}],"tool_calls":[{"type":"function","id":"c1","function":{"name":"ReadFile","arguments":"{}"}}]}"#,
    r#"{"role":"tool","content":"high at six","tool_call_id":"c1"}"#,
    r#"{"role":"_usage","token_count":12}"#,
];

#[test]
fn what_went_to_the_model_is_read_where_there_is_no_wire_log() {
    let home = Home::new();
    let text = lines(&CONTEXT.map(str::to_owned));
    home.write("hash/session-b/context.jsonl", &text);
    home.write("hash/session-a/context.jsonl", &text);
    home.write("hash/session-a/context_1.jsonl", &text);
    home.write("hash/session-a/wire.jsonl", lines(&log()));
    let account = home.import(&[home.folder.path().join("in")]);
    assert_eq!((account.files.len(), account.siblings.len()), (2, 2));
    home.check_found("looking", 2);
    let rows = home.rows();
    let of_b = rows
        .iter()
        .filter(|(key, _)| key.as_str() == "kimi:session-b");
    let roles: Vec<Role> = of_b.map(|(_, row)| row.role).collect();
    assert_eq!(
        roles,
        [Role::System, Role::User, Role::Assistant, Role::Tool]
    );
}
