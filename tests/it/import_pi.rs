//! Pi's entries: trees, copies, the host's own summaries.

use hippocamp::domain::{Part, Role, SessionKey, ViewItemKind, Visibility};
use hippocamp::engine::ViewBudget;

use crate::import_cases::{case, counts};
use crate::import_cuts::{Transcript, check_cuts, random};
use crate::import_support::{Home, lines, quoted, words};
use crate::shared::shared;
use crate::support::assert_clean;

pub(crate) fn header(id: &str, more: &str) -> String {
    let fields = format!(r#""version":3,"id":"{id}","timestamp":"2026-01-05T10:00:30.000Z""#);
    format!(r#"{{"type":"session",{fields},"cwd":"/proj"{more}}}"#)
}

fn entry(id: &str, parent: &str, kind: &str, more: &str) -> String {
    let second = id.len() + usize::from(id.as_bytes()[0]) % 20;
    let parent = match parent {
        "" => "null".to_owned(),
        id => quoted(id),
    };
    let time = format!("2026-01-05T10:00:{second:02}.000Z");
    format!(r#"{{"type":"{kind}","id":"{id}","parentId":{parent},"timestamp":"{time}",{more}}}"#)
}

pub(crate) fn said(id: &str, parent: &str, role: &str, content: &str) -> String {
    let message = format!(r#""message":{{"role":"{role}","content":{content}}}"#);
    entry(id, parent, "message", &message)
}

pub(crate) fn user(id: &str, parent: &str, text: &str) -> String {
    said(id, parent, "user", &quoted(text))
}

pub(crate) fn answer(id: &str, parent: &str, text: &str) -> String {
    let content = format!(r#"[{{"type":"text","text":{}}}]"#, quoted(text));
    said(id, parent, "assistant", &content)
}

/// Returns the messages that the model would see now.
pub(crate) fn view(home: &Home, session: &str) -> Vec<String> {
    let session = SessionKey::new(session).unwrap();
    let view = home.engine.view(&session, ViewBudget::Configured);
    let view = home.runtime.block_on(view).unwrap();
    let messages = view
        .items
        .iter()
        .filter(|item| item.kind == ViewItemKind::Message);
    let text = |part: &Part| part.body().to_owned();
    messages
        .map(|item| item.parts.iter().map(text).collect())
        .collect()
}

#[test]
fn a_project_field_finds_what_was_said_in_its_folder() {
    let home = Home::new();
    let elsewhere = header("s2", "").replace("/proj", "/Quay");
    home.take(
        "a.jsonl",
        lines(&[header("s1", ""), user("u1", "", "read the tides")]),
    );
    home.take(
        "b.jsonl",
        lines(&[elsewhere, user("u1", "", "read the tides again")]),
    );
    for (pattern, sessions) in [
        ("project:proj tides", &["pi:s1"][..]),
        ("project:quay", &["pi:s2"]),
        ("tides NOT project:quay", &["pi:s1"]),
        ("project:harbour tides", &[]),
    ] {
        let hits = home.grep(pattern).hits;
        let found: Vec<&str> = hits.iter().map(|hit| hit.session.as_str()).collect();
        assert_eq!(found, sessions, "`{pattern}`");
    }
    for (pattern, told) in [
        ("project:harbour tides", Some("`harbour`")),
        ("session:nosuch tides", Some("`nosuch`")),
        ("project:quay tides", None),
        ("session:pi: tides", None),
    ] {
        let hint = home.grep(pattern).hint;
        let is_told = |told| hint.as_deref().is_some_and(|hint| hint.contains(told));
        assert!(
            told.map_or(hint.is_none(), is_told),
            "`{pattern}`: {hint:?}"
        );
    }
}

#[test]
fn entries_of_all_kinds_become_what_they_are() {
    let home = Home::new();
    let call = r#"[{"type":"thinking","thinking":"look first","thinkingSignature":"sig"},
        {"type":"toolCall","id":"c1","name":"read","arguments":{"path":"tides.txt","n":1e400}}]"#
        .replace('\n', " ");
    let result = r#""message":{"role":"toolResult","toolCallId":"c1","toolName":"read","isError":true,
        "content":[{"type":"text","text":"no such file"},{"type":"image","data":"AAAA","mimeType":"image/png"}]}"#
        .replace('\n', " ");
    let command =
        r#""message":{"role":"bashExecution","command":"ls quay","output":"boats","exitCode":0}"#;
    let secret = r#""message":{"role":"bashExecution","command":"ls lock","output":"","excludeFromContext":true}"#;
    let failed =
        r#""message":{"role":"assistant","content":[],"errorMessage":"overloaded","model":"m"}"#;
    let account = home.take(
        "a.jsonl",
        lines(&[
            header("s1", ""),
            entry("m1", "", "model_change", r#""provider":"p","modelId":"m""#),
            user("u1", "m1", "read the tides"),
            said("a1", "u1", "assistant", &call),
            entry("t1", "a1", "message", &result),
            entry("b1", "t1", "message", command),
            entry("b2", "b1", "message", secret),
            entry("e1", "b2", "message", failed),
            entry(
                "k1",
                "e1",
                "compaction",
                r#""summary":"Tides were read.","firstKeptEntryId":"a1","tokensBefore":9"#,
            ),
            entry(
                "x1",
                "k1",
                "custom_message",
                r#""customType":"ext","content":"house rules","display":false"#,
            ),
            entry(
                "x2",
                "x1",
                "custom",
                r#""customType":"ext","data":{"n":"state"}"#,
            ),
            entry("i1", "x2", "session_info", r#""name":"Tide tables""#),
            entry(
                "l1",
                "i1",
                "label",
                r#""targetId":"u1","label":"start here""#,
            ),
        ]),
    );
    assert_eq!(counts(&account), (4, 9, 0, 0, 0));
    assert_eq!(account.totals.messages, 4);
    let rows = home.rows();
    let meta: Vec<String> = rows
        .iter()
        .filter(|(_, row)| row.visibility == Visibility::Meta)
        .map(|(_, row)| words(row))
        .collect();
    assert_eq!(
        meta,
        [
            "ls lock",
            "overloaded",
            "Tides were read.",
            "house rules",
            "start here"
        ]
    );
    assert_eq!(
        home.talk(),
        [
            "read the tides",
            r#"look first read {"path":"tides.txt","n":1e400}"#,
            "no such file [image/png]",
            "ls quay boats"
        ]
    );
    let result = &rows[2].1;
    assert!(
        matches!(&result.parts[0], Part::ToolResult { call_id, is_error: true, .. } if call_id == "c1")
    );
    assert_eq!((result.role, rows[3].1.role), (Role::Tool, Role::User));
    let sessions = home.runtime.block_on(home.engine.sessions()).unwrap();
    assert_eq!(sessions[0].session.as_str(), "pi:s1");
    assert_eq!(sessions[0].title.as_deref(), Some("Tide tables"));
    assert_eq!(sessions[0].project.as_deref(), Some("/proj"));
}

/// A tree with two branches left behind, and a return to the first of them.
pub(crate) fn tree() -> String {
    lines(&[
        header("s1", ""),
        user("r1", "", "root"),
        said(
            "x1",
            "r1",
            "assistant",
            r#"[{"type":"toolCall","id":"dead","name":"run","arguments":{}}]"#,
        ),
        entry("m1", "r1", "model_change", r#""modelId":"m""#),
        user("y1", "m1", "retry"),
        answer("y2", "y1", "live reply"),
        user("x2", "x1", "back again"),
        user("z1", "", "a new beginning"),
        answer("z2", "z1", "of everything"),
    ])
}

#[test]
fn b042_a_view_follows_the_newest_branch_and_the_others_stay() {
    let home = Home::new();
    let text = tree();
    let bytes: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    let wanted: [(usize, &[&str]); 4] = [
        (3, &["root"]),
        (6, &["root", "retry", "live reply"]),
        (7, &["root", "{}", "back again"]),
        (9, &["a new beginning", "of everything"]),
    ];
    for (n_lines, seen) in wanted {
        home.take("a.jsonl", &text[..bytes[n_lines - 1]]);
        assert_eq!(view(&home, "pi:s1"), seen, "{n_lines}");
    }
    assert_eq!(home.rows().len(), 7);
    for phrase in [
        "\"live reply\"",
        "retry",
        "\"back again\"",
        "\"new beginning\"",
    ] {
        home.check_found(phrase, 1);
    }
    // Read again from the start, nothing is stored and no branch begins.
    let before = home.picture();
    let account = home.take("copy.jsonl", &text);
    assert_eq!((account.totals.stored, account.totals.duplicate), (0, 7));
    assert_eq!(home.picture(), before);
    assert_eq!(view(&home, "pi:s1"), ["a new beginning", "of everything"]);
    assert_clean(&home.runtime.block_on(home.engine.doctor()).unwrap());
    let Some((home, account)) = case("B042_abandoned_branch.openclaw.jsonl") else {
        return;
    };
    assert_eq!(counts(&account), (4, 1, 0, 0, 0));
    let seen = view(&home, "openclaw:33333333-0000-4000-8000-000000000003");
    assert_eq!(seen, ["root sorrel", "retry sorrel", "live reply sorrel"]);
}

#[test]
fn a_tree_cut_anywhere_and_completed_is_the_whole() {
    check_cuts(&[Transcript::new("a.jsonl", tree().into(), 50, &mut random())]);
}

#[test]
fn a_session_copied_from_another_is_a_branch_of_it() {
    let parent = [
        user("r1", "", "olive root"),
        answer("r2", "r1", "olive reply"),
    ];
    let more = r#","parentSession":"/x/2026_s1.jsonl""#;
    for has_ids in [true, false] {
        let plain = |lines: String| {
            let line = |line: &str| match line.find(r#","parentId""#) {
                Some(end) if !has_ids => {
                    let begin = line.find(r#","id""#).unwrap();
                    let end = end + line[end..].find(r#","timestamp""#).unwrap();
                    format!("{}{}\n", &line[..begin], &line[end..])
                }
                _ => format!("{line}\n"),
            };
            lines.lines().map(line).collect::<String>()
        };
        let home = Home::new();
        let own = [
            &[header("s1", "")],
            parent.as_slice(),
            &[user("p", "r2", "parent only")],
        ];
        home.take("a.jsonl", plain(lines(&own.concat())));
        let late = user("q", "r2", "child only").replace("10:00:", "10:01:");
        let copy = [&[header("s2", more)], parent.as_slice(), &[late]];
        let account = home.take("b.jsonl", plain(lines(&copy.concat())));
        assert_eq!((account.totals.stored, account.totals.duplicate), (1, 2));
        home.check_found("olive", 2);
        assert_eq!(
            view(&home, "pi:s2"),
            ["olive root", "olive reply", "child only"]
        );
        assert_eq!(
            view(&home, "pi:s1"),
            ["olive root", "olive reply", "parent only"]
        );
    }
}

#[test]
fn without_its_header_a_file_has_the_session_of_its_name() {
    let home = Home::new();
    let text = lines(&[
        user("u7", "lost", "in the middle"),
        answer("u8", "u7", "yes"),
    ]);
    let account = home.take("2026-01-05T10-00-00_s9.jsonl", text);
    let session = account.files[0].conversation.as_ref().unwrap();
    assert_eq!((session.as_str(), account.totals.stored), ("pi:s9", 2));
}

#[test]
fn pi_mono_has_its_records_and_calls_and_its_summaries_add_no_message() {
    let test = "pi_mono_has_its_records_and_calls_and_its_summaries_add_no_message";
    let Some(shared) = shared(test) else { return };
    let home = Home::new();
    let path = shared.join("samples/pi/pi-mono-before-compaction.jsonl");
    let account = home.import(&[path]);
    assert_eq!(account.totals.records, 1_003);
    let rows = home.rows();
    let calls = rows.iter().flat_map(|(_, row)| &row.parts);
    let is_call = |part: &&Part| matches!(part, Part::ToolUse { .. });
    assert_eq!(calls.filter(is_call).count(), 454);
    let summaries: Vec<_> = rows
        .iter()
        .filter(|(_, row)| words(row).starts_with("# Context Checkpoint"))
        .collect();
    assert_eq!(summaries.len(), 2);
    assert!(
        summaries
            .iter()
            .all(|(_, row)| row.visibility == Visibility::Meta)
    );
    assert_eq!(account.totals.messages, account.totals.stored);
}

#[test]
fn a_session_copied_from_a_branch_left_behind_shows_that_branch() {
    let home = Home::new();
    home.take("a.jsonl", tree());
    let more = r#","parentSession":"/x/2026_s1.jsonl""#;
    let copied = lines(&[
        header("s2", more),
        user("r1", "", "root"),
        user("y1", "r1", "retry"),
        user("q", "y1", "child only").replace("10:00:", "10:01:"),
    ]);
    let account = home.take("b.jsonl", copied);
    assert_eq!((account.totals.stored, account.totals.duplicate), (1, 2));
    assert_eq!(view(&home, "pi:s2"), ["root", "retry", "child only"]);
    assert_eq!(view(&home, "pi:s1"), ["a new beginning", "of everything"]);
    assert_clean(&home.runtime.block_on(home.engine.doctor()).unwrap());
}
