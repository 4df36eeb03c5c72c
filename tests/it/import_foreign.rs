//! What other agents and programs write: it is refused with the list of what can be read, said to be
//! a copy, or not looked at; never is it taken for a transcript of another agent.

use hippocamp::import::{Format, Problem};
use rusqlite::Connection;

use crate::import_support::{Home, answer, lines, user};

/// A kind of file that is not read, with a small one of ours: who writes it, its name, and its text.
const FILES: &[(&str, &str, &str)] = &[
    (
        "Cursor's agent",
        "agent-transcripts/a.jsonl",
        r#"{"role":"user","message":{"content":[{"type":"text","text":"count"}]}}
{"role":"assistant","message":{"content":[{"type":"tool_use","name":"Shell","input":{}}]}}
{"type":"turn_ended","status":"success"}"#,
    ),
    (
        "VS Code Copilot, a log of changes",
        "chatSessions/a.jsonl",
        r#"{"kind":0,"v":{"version":3,"sessionId":"a","requests":[]}}
{"kind":2,"k":["requests"],"v":[{"requestId":"r","message":{"text":"count"},"response":[]}]}
{"kind":3,"k":["inputState"]}"#,
    ),
    (
        "VS Code Copilot, one document",
        "chatSessions/a.json",
        r#"{"version":3,"sessionId":"a","creationDate":1767600000000,"requests":[{"message":{"text":"count"},"response":[]}]}"#,
    ),
    (
        "VS Copilot, a trace",
        "trace.jsonl",
        r#"{"resourceSpans":[{"resource":{"attributes":[]},"scopeSpans":[]}]}"#,
    ),
    (
        "Copilot CLI",
        "session-state/a/events.jsonl",
        r#"{"type":"session.start","data":{"sessionId":"a","producer":"x"},"id":"e1","timestamp":"2026-01-05T10:00:00Z","parentId":null}
{"type":"user.message","data":{"content":"count"},"id":"e2","timestamp":"2026-01-05T10:00:01Z","parentId":"e1"}
{"type":"tool.execution_start","data":{"toolCallId":"c","toolName":"bash"},"id":"e3","timestamp":"2026-01-05T10:00:02Z","parentId":"e2"}"#,
    ),
    (
        "Cline, what went to the model",
        "tasks/1/api_conversation_history.json",
        r#"[{"role":"user","content":[{"type":"text","text":"count"}],"ts":1767600000000},{"role":"assistant","content":[{"type":"text","text":"nine"}]}]"#,
    ),
    (
        "Cline, what was shown",
        "tasks/1/ui_messages.json",
        r#"[{"ts":1767600000000,"type":"say","say":"text","text":"count"}]"#,
    ),
    (
        "Continue",
        "sessions/a.json",
        r#"{"sessionId":"a","title":"Gulls","workspaceDirectory":"/proj","history":[{"message":{"role":"user","content":"count"},"contextItems":[]}]}"#,
    ),
    (
        "Hermes, an export",
        "atif.json",
        r#"{"schema_version":"ATIF-v1.7","session_id":"a","agent":{"name":"x"},"steps":[{"step_id":1,"source":"user","message":"count"}]}"#,
    ),
    (
        "Hermes, lines",
        "sessions/a.jsonl",
        r#"{"role":"session_meta","tools":[],"model":"m","timestamp":"2026-01-05T10:00:00"}
{"role":"user","content":"count","timestamp":"2026-01-05T10:00:01"}
{"role":"assistant","content":"","reasoning_content":"hm","tool_calls":[{"id":"c"}],"timestamp":"2026-01-05T10:00:02"}"#,
    ),
    (
        "Antigravity",
        "brain/a/.system_generated/logs/transcript.jsonl",
        r#"{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","status":"DONE","created_at":"2026-01-05T10:00:00Z","content":"count"}
{"step_index":1,"source":"MODEL","type":"PLANNER_RESPONSE","created_at":"2026-01-05T10:00:01Z","tool_calls":[{"name":"view"}]}"#,
    ),
    (
        "Grok, updates",
        "updates.jsonl",
        r#"{"timestamp":1767600000,"params":{"update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"count"}}}}
{"timestamp":1767600001,"method":"session/update","params":{"update":{"sessionUpdate":"tool_call","toolCallId":"c"}}}"#,
    ),
    (
        "Grok, its history",
        "chat_history.jsonl",
        r#"{"type":"system","content":"rules"}
{"type":"user","content":[{"type":"text","text":"count"}]}
{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"hm"}]}
{"type":"assistant","content":"nine","tool_calls":[{"id":"c","name":"bash","arguments":"{}"}]}"#,
    ),
    (
        "Kiro",
        "sessions/cli/a.json",
        r#"{"session_id":"a","cwd":"/proj","created_at":1767600000000000,"session_state":{"conversation":[]}}"#,
    ),
    (
        "Kiro, lines",
        "sessions/cli/a.jsonl",
        r#"{"version":"v1","kind":"Prompt","data":{"message_id":"m","content":[{"kind":"text","data":"count"}]}}
{"version":"v1","kind":"ToolResults","data":{"results":{}}}"#,
    ),
    (
        "Devin",
        "devin.json",
        r#"{"nodes":[{"node_id":1,"parent_node_id":null,"chat_message":{"role":"user","content":"count"}}]}"#,
    ),
    (
        "Windsurf",
        "cascade/a.pb",
        "\u{1}\u{2}\u{7f}enciphered\u{0}\u{3}",
    ),
    (
        "gptme",
        "conversation.jsonl",
        r#"{"role":"system","content":"rules","timestamp":"2026-01-05T10:00:00","pinned":true}
{"role":"user","content":"count","timestamp":"2026-01-05T10:00:01"}"#,
    ),
    (
        "a harness",
        "session.jsonl",
        r#"{"type":"session","version":0,"id":"a","createdAt":1767600000000,"cwd":"/proj"}
{"type":"user/message","seq":1,"time":1767600000000,"data":{"content":"count"}}"#,
    ),
    (
        "Qwen",
        "chats/a.jsonl",
        r#"{"uuid":"a","parentUuid":null,"sessionId":"s","timestamp":"2026-01-05T10:00:00Z","type":"user","message":{"role":"user","parts":[{"text":"count"}]}}"#,
    ),
    (
        "Codex, prompts",
        "history.jsonl",
        r#"{"session_id":"a","ts":1767600000,"text":"count"}"#,
    ),
    (
        "Codex, what it prints",
        "exec.jsonl",
        r#"{"type":"thread.started","thread_id":"t"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"nine"}}
{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}"#,
    ),
    (
        "Claude Code, prompts",
        "history.jsonl",
        r#"{"display":"count","pastedContents":{},"timestamp":1767600000000,"project":"/proj","sessionId":"s"}"#,
    ),
    (
        "Claude Code, an index",
        "sessions-index.json",
        r#"{"version":1,"entries":[{"sessionId":"s","fullPath":"/x","firstPrompt":"count","messageCount":1}]}"#,
    ),
    (
        "Claude Code, a sub-agent's description",
        "s/subagents/agent-a.meta.json",
        r#"{"agentType":"general","description":"count","toolUseId":"c"}"#,
    ),
    (
        "Gemini CLI, prompts",
        "logs.json",
        r#"[{"sessionId":"s","messageId":0,"type":"user","message":"count","timestamp":"2026-01-05T10:00:00Z"}]"#,
    ),
    (
        "Gemini CLI, a checkpoint",
        "checkpoint-a.json",
        r#"[{"role":"user","parts":[{"text":"count"}]},{"role":"model","parts":[{"text":"nine"}]}]"#,
    ),
    (
        "OpenClaw, an index",
        "agents/main/sessions/sessions.json",
        r#"{"agent:main:main":{"sessionId":"s","updatedAt":1767600000000}}"#,
    ),
    (
        "PicoClaw, a description",
        "sessions/a_b.meta.json",
        r#"{"key":"a:b","summary":"Gulls","skip":0,"count":1,"created_at":"2026-01-05T10:00:00Z"}"#,
    ),
    (
        "Kimi, a description",
        "state.json",
        r#"{"createdAt":"2026-01-05T10:00:00Z","title":"Gulls","agents":{"main":{"type":"main"}},"workDir":"/proj"}"#,
    ),
    (
        "ChatGPT, feedback",
        "message_feedback.json",
        r#"[{"id":"f","conversation_id":"c","user_id":"u","rating":"thumbs_up","content":"{}"}]"#,
    ),
    (
        "ChatGPT, what was shared",
        "shared_conversations.json",
        r#"[{"id":"s","conversation_id":"c","title":"Gulls","is_anonymous":true}]"#,
    ),
    (
        "Claude.ai, projects",
        "projects.json",
        r#"[{"uuid":"p","name":"Gulls","docs":[],"created_at":"2026-01-05T10:00:00Z"}]"#,
    ),
    (
        "OpenCode, a list",
        "storage/todo/ses_1.json",
        r#"[{"content":"count","status":"pending","priority":"high"}]"#,
    ),
    (
        "OpenCode, a project",
        "storage/project/p.json",
        r#"{"id":"p","worktree":"/proj","vcs":"git","time":{"created":1767600000000}}"#,
    ),
    (
        "a server's log",
        "server.jsonl",
        r#"{"level":"info","ts":1767600000,"msg":"user message received","role":"user"}"#,
    ),
];

#[test]
fn a_file_of_another_kind_is_refused_with_the_list_of_what_can_be_read() {
    for (whose, name, text) in FILES {
        let home = Home::new();
        let account = home.take(name, text);
        assert_eq!(account.files.len(), 1, "{whose}");
        let file = &account.files[0];
        assert_eq!(file.format, None, "{whose}");
        let Some(Problem::Foreign { reason }) = &file.problem else {
            panic!("{whose}: {account:?}");
        };
        assert!(reason.contains(&Format::known()), "{whose}: {reason}");
        assert!(account.is_partial(), "{whose}");
        assert!(home.rows().is_empty(), "{whose}");
    }
}

/// Databases that are not read: who writes them, their names and their tables.
const DATABASES: &[(&str, &str, &str)] = &[
    (
        "Cursor",
        "state.vscdb",
        "CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB);
         CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB);
         INSERT INTO cursorDiskKV VALUES ('bubbleId:a:b', '{\"type\":1,\"text\":\"count\"}');",
    ),
    (
        "Cursor's CLI",
        "store.db",
        "CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB);
         CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);",
    ),
    (
        "Hermes",
        "state.db",
        "CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, model TEXT, title TEXT,
           started_at REAL);
         CREATE TABLE messages (session_id TEXT, role TEXT, content TEXT, tool_calls TEXT,
           timestamp REAL);
         INSERT INTO messages VALUES ('h', 'user', 'count', NULL, 1767600000.5);",
    ),
    (
        "Crush",
        "crush.db",
        "CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT,
           created_at INTEGER);
         CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT,
           model TEXT, created_at INTEGER);
         INSERT INTO messages VALUES ('m', 's', 'user', '[]', NULL, 1767600000);",
    ),
    (
        "IronClaw",
        "ironclaw.db",
        "CREATE TABLE conversations (id TEXT PRIMARY KEY, channel TEXT, user_id TEXT,
           thread_id TEXT, started_at TEXT, metadata TEXT);
         CREATE TABLE conversation_messages (id TEXT PRIMARY KEY, conversation_id TEXT, role TEXT,
           content TEXT, created_at TEXT);",
    ),
    (
        "Codex, its index",
        "state_5.sqlite",
        "CREATE TABLE threads (id TEXT PRIMARY KEY, rollout_path TEXT, created_at INTEGER,
           title TEXT, cwd TEXT);",
    ),
    (
        "Claude Code, an old store",
        "__store.db",
        "CREATE TABLE base_messages (uuid TEXT PRIMARY KEY, parent_uuid TEXT, session_id TEXT,
           timestamp INTEGER, message_type TEXT, cwd TEXT);
         CREATE TABLE user_messages (uuid TEXT PRIMARY KEY, message TEXT, timestamp INTEGER);",
    ),
    (
        "Antigravity",
        "conversations.db",
        "CREATE TABLE steps (idx INTEGER PRIMARY KEY, step_type INTEGER, step_payload BLOB);",
    ),
];

#[test]
fn a_database_of_another_kind_is_refused_with_the_list_of_what_can_be_read() {
    for (whose, name, tables) in DATABASES {
        let home = Home::new();
        let path = home.write(name, "");
        let raw = Connection::open(&path).unwrap();
        raw.execute_batch(tables).unwrap();
        drop(raw);
        let account = home.import(&[path]);
        let Some(Problem::Foreign { reason }) = &account.files[0].problem else {
            panic!("{whose}: {account:?}");
        };
        assert!(reason.contains(&Format::known()), "{whose}: {reason}");
        assert!(home.rows().is_empty(), "{whose}");
    }
}

#[test]
fn a_folder_of_such_files_stores_nothing() {
    let home = Home::new();
    for (n, (_, name, text)) in FILES.iter().enumerate() {
        home.write(&format!("{n}/{name}"), text);
    }
    let account = home.import(&[home.folder.path().join("in")]);
    for file in &account.files {
        assert_eq!(file.format, None, "{file:?}");
        assert!(file.problem.is_some(), "{file:?}");
    }
    assert!(home.rows().is_empty());
}

/// What lies beside the sessions of Claude Code.
#[test]
fn a_home_of_claude_code_is_read_and_what_is_not_is_said() {
    let home = Home::new();
    let talk = lines(&[user(1, "count the gulls"), answer(2, "Nine gulls.")]);
    home.write("projects/-proj/s1.jsonl", &talk);
    home.write("projects/-proj/sessions-index.json", "{}");
    home.write("projects/-proj/s1/tool-results/r.txt", "much");
    home.write("projects/-proj/s1/subagents/agent-a.meta.json", "{}");
    let side = talk.replace(r#""cwd""#, r#""isSidechain":true,"agentId":"a","cwd""#);
    home.write("projects/-proj/s1/subagents/agent-a.jsonl", side);
    home.write("file-history/s1/0a1b@v1", "an old file");
    home.write("todos/s1.json", "[]");
    home.write(
        "history.jsonl",
        r#"{"display":"count","timestamp":1767600000000}"#,
    );
    let folder = home.folder.path().join("in");
    let account = home.import(std::slice::from_ref(&folder));
    assert_eq!(account.totals.stored, 4);
    let keys: Vec<String> = home.rows().iter().map(|(key, _)| key.to_string()).collect();
    let side = "claude-code:s1/a";
    assert_eq!(keys, ["claude-code:s1", "claude-code:s1", side, side]);
    // The prompts of all sessions are no transcript: named, with the reason.
    let refused = account.files.iter().filter(|file| file.problem.is_some());
    let refused: Vec<_> = refused
        .map(|file| file.path.strip_prefix(&folder))
        .collect();
    assert_eq!(refused, [Ok("history.jsonl".as_ref())]);
    let skipped = account.skipped.iter();
    let skipped: Vec<_> = skipped
        .map(|(path, files)| {
            (
                path.strip_prefix(&folder).unwrap().to_str().unwrap(),
                *files,
            )
        })
        .collect();
    assert_eq!(
        skipped,
        [
            ("file-history/s1", 1),
            ("projects/-proj", 1),
            ("projects/-proj/s1/subagents", 1),
            ("projects/-proj/s1/tool-results", 1),
            ("todos", 1),
        ]
    );
    assert_eq!(home.import(&[folder]).totals.records, 0);
}
