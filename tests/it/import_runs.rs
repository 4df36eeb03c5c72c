//! Runs of SWE-agent and `OpenHands`: one list of two read, calls with their results, what the host
//! adds as notes.

use hippocamp::domain::{Part, Role};

use crate::import_support::{Home, lines};

const TRAJECTORY: &str = r#"{
  "environment": "main",
  "trajectory": [{"action": "ls", "observation": "tides.py", "response": "Look.", "state": "{\"working_dir\": \"/proj\"}"}],
  "history": [
    {"role": "system", "content": "You mend programs.", "agent": "main"},
    {"role": "user", "content": "A demonstration.", "agent": "main", "is_demo": true},
    {"role": "user", "content": "The tide is late.", "agent": "main"},
    {"role": "assistant", "content": "Look.\n```\nls\n```", "thought": "Look.", "action": "ls", "agent": "main"},
    {"role": "user", "content": "tides.py", "agent": "main"},
    {"role": "assistant", "content": "Open it.", "agent": "main",
     "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "open", "arguments": "{\"path\":\"tides.py\"}"}}]},
    {"role": "tool", "content": "zone = 0", "agent": "main", "tool_call_ids": ["c1"]}
  ],
  "info": {"exit_status": "submitted", "submission": "-zone = 0\n+zone = 1"}
}"#;

#[test]
fn a_trajectory_is_its_history_and_what_it_handed_in() {
    let home = Home::new();
    let totals = home.take("tide-7.traj", TRAJECTORY).totals;
    assert_eq!((totals.records, totals.stored, totals.meta), (8, 6, 2));
    let told = home.told();
    let told: Vec<&str> = told
        .iter()
        .map(|line| line.split_once(' ').unwrap().1)
        .collect();
    assert_eq!(
        told,
        [
            "system: You mend programs.",
            "user: [A demonstration.]",
            "user: The tide is late.",
            "assistant: Look.\n```\nls\n```",
            "tool: tides.py",
            "assistant: Open it. open {\"path\":\"tides.py\"}",
            "tool: zone = 0",
            "system: [submitted\n-zone = 0\n+zone = 1]",
        ]
    );
    let sessions = home.runtime.block_on(home.engine.sessions()).unwrap();
    assert!(
        sessions[0]
            .session
            .as_str()
            .starts_with("swe-agent:tide-7-")
    );
    assert_eq!(sessions[0].project.as_deref(), Some("/proj"));
}

#[test]
fn two_runs_of_a_task_are_two_conversations_and_a_copy_is_none() {
    let home = Home::new();
    home.take("one/tide-7.traj", TRAJECTORY);
    assert_eq!(
        home.take("copy/tide-7.traj", TRAJECTORY).totals.duplicate,
        8
    );
    let other = TRAJECTORY.replace("Look.\\n", "Search.\\n");
    assert_eq!(home.take("two/tide-7.traj", &other).totals.duplicate, 0);
    let sessions = home.runtime.block_on(home.engine.sessions()).unwrap();
    assert_eq!(sessions.len(), 2);
}

fn event(n: u32, kind: &str, source: &str, more: &str) -> String {
    format!(
        r#"{{"id":"00000000-0000-4000-8000-{n:012}","timestamp":"2026-01-05T10:00:{n:02}.123456","source":"{source}","kind":"{kind}"{more}}}"#
    )
}

fn call(n: u32, id: &str, thought: &str) -> String {
    let more = format!(
        r#","thought":[{thought}],"reasoning_content":null,"action":{{"kind":"TerminalAction"}},"tool_name":"terminal","tool_call_id":"{id}","tool_call":{{"id":"{id}","name":"terminal","arguments":"{{\"command\":\"ls\"}}"}},"llm_response_id":"r1""#
    );
    event(n, "ActionEvent", "agent", &more)
}

fn events() -> [String; 8] {
    let text = |words: &str| format!(r#"{{"type":"text","text":"{words}"}}"#);
    let message = format!(
        r#","llm_message":{{"role":"user","content":[{}]}},"extended_content":[{}]"#,
        text("The tide is late."),
        text("A skill.")
    );
    let result = |id: &str, words: &str, is_error: bool| {
        format!(
            r#","tool_name":"terminal","tool_call_id":"{id}","observation":{{"content":[{}],"is_error":{is_error}}}"#,
            text(words)
        )
    };
    [
        event(
            1,
            "ConversationStateUpdateEvent",
            "environment",
            r#","key":"stats","value":{"words":"no talk"}"#,
        ),
        event(
            2,
            "SystemPromptEvent",
            "agent",
            &format!(r#","system_prompt":{}"#, text("You mend programs.")),
        ),
        event(3, "MessageEvent", "user", &message),
        call(4, "c1", &text("Look.")),
        call(5, "c2", ""),
        event(
            6,
            "ObservationEvent",
            "environment",
            &result("c1", "tides.py", false),
        ),
        event(
            7,
            "ObservationEvent",
            "environment",
            &result("c2", "no such file", true),
        ),
        event(
            8,
            "Condensation",
            "environment",
            r#","forgotten_event_ids":["x"],"summary":"They looked.""#,
        ),
    ]
}

const TOLD: [&str; 7] = [
    "openhands:s1 system: You mend programs.",
    "openhands:s1 user: The tide is late.",
    "openhands:s1 system: [A skill.]",
    "openhands:s1 assistant: Look. terminal {\"command\":\"ls\"} terminal {\"command\":\"ls\"}",
    "openhands:s1 tool: tides.py",
    "openhands:s1 tool: no such file",
    "openhands:s1 assistant: [They looked.]",
];

#[test]
fn events_of_openhands_in_lines_or_a_file_each_are_the_same_conversation() {
    let home = Home::new();
    let totals = home.take("s1.jsonl", lines(&events())).totals;
    assert_eq!((totals.records, totals.messages), (8, 5));
    assert_eq!(home.told(), TOLD);
    let other = Home::new();
    for (n, event) in events().iter().enumerate() {
        other.write(&format!("s1/events/event-{n:05}-x.json"), event);
    }
    other.write(
        "s1/base_state.json",
        r#"{"id":"s1","agent":{"llm":{"model":"model-x"}}}"#,
    );
    let folder = other.folder.path().join("in");
    assert_eq!(other.import(&[folder]).totals.records, 8);
    assert_eq!(other.told(), TOLD);
    let state = other.folder.path().join("in/s1/base_state.json");
    assert_eq!(other.import(&[state]).totals.meta, 1);
    let errors = home
        .rows()
        .iter()
        .filter(|(_, row)| {
            let failed = |part: &Part| matches!(part, Part::ToolResult { is_error: true, .. });
            row.parts.iter().any(failed)
        })
        .count();
    assert_eq!(errors, 1);
}

fn run(began: &str) -> String {
    let metadata = r#""tool_call_metadata":{"function_name":"bash","tool_call_id":"c1","model_response":{"id":"r-BEGAN","model":"model-x","usage":{"completion_tokens":7},"choices":[{"message":{"content":"Look.","tool_calls":[{"id":"c1","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}]}}]}}"#;
    let metadata = metadata.replace("BEGAN", began);
    let history = [
        format!(r#"{{"id":0,"timestamp":"{began}","source":"agent","action":"system","args":{{"content":"You mend programs."}}}}"#),
        r#"{"id":1,"timestamp":"t","source":"user","message":"The tide is late.","action":"message","args":{"content":"The tide is late."}}"#.to_owned(),
        r#"{"id":2,"source":"user","action":"recall","args":{"query":"The tide is late."}}"#.to_owned(),
        r#"{"id":3,"source":"environment","observation":"recall","content":"Added","extras":{"recall_type":"x","microagent_knowledge":[{"name":"n","trigger":"t","content":"Knowledge."}]}}"#.to_owned(),
        format!(r#"{{"id":4,"source":"agent","action":"run",{metadata},"args":{{"command":"ls","thought":"Look."}}}}"#),
        format!(r#"{{"id":5,"source":"agent","cause":4,"observation":"run",{metadata},"content":"tides.py","success":true}}"#),
        r#"{"id":6,"source":"agent","action":"edit","args":{"path":"tides.py","thought":"Mend."}}"#.to_owned(),
        r#"{"id":7,"source":"agent","cause":6,"observation":"error","content":"no such file"}"#.to_owned(),
    ];
    format!(
        r#"{{"instance_id":"pony__tide-7","test_result":{{"git_patch":"+zone = 1"}},"instruction":"x","history":[{}]}}"#,
        history.join(",")
    )
}

#[test]
fn a_line_of_a_benchmark_is_a_run_of_openhands() {
    let home = Home::new();
    let records = [run("2026-01-05T10:00:00"), run("2026-01-05T11:00:00")];
    let totals = home.take("output.jsonl", lines(&records)).totals;
    assert_eq!(
        (totals.records, totals.stored, totals.output_tokens),
        (2, 2, 14)
    );
    let told = home.told();
    assert_eq!(told.len(), 16);
    let told: Vec<&str> = told
        .iter()
        .take(8)
        .map(|line| line.split_once(' ').unwrap().1)
        .collect();
    assert_eq!(
        told,
        [
            "system: You mend programs.",
            "user: The tide is late.",
            "system: [Knowledge.]",
            "assistant: Look. bash {\"command\":\"ls\"}",
            "tool: tides.py",
            "assistant: Mend. edit {\"path\":\"tides.py\"}",
            "tool: no such file",
            "system: [+zone = 1]",
        ]
    );
    let sessions = home.runtime.block_on(home.engine.sessions()).unwrap();
    assert_eq!(sessions.len(), 2);
    let rows = home.rows();
    assert_eq!(rows[3].1.model.as_deref(), Some("model-x"));
    assert_eq!(rows[4].1.role, Role::Tool);
}
