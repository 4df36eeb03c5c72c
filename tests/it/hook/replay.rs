//! Transcripts that grow: each event takes in what is new, once, whoever else writes.

use std::process::{Child, Stdio};

use serde_json::json;

use super::{Host, SESSION, record, said};
use crate::children::number;
use crate::program::Program;

/// Records of a talk with calls and their results.
fn talk(n_records: usize) -> Vec<String> {
    (0..n_records)
        .map(|n| match n % 4 {
            0 => said(n, "user", &format!("please look at berth {n}")),
            1 => record(
                n,
                "assistant",
                &json!([{"type": "tool_use", "id": format!("c{n}"), "name": "Bash", "input": {"command": format!("ls {n}")}}]),
            ),
            2 => record(
                n,
                "user",
                &json!([{"type": "tool_result", "tool_use_id": format!("c{}", n - 1), "content": format!("quay{n}")}]),
            ),
            _ => said(n, "assistant", &format!("berth {n} is free")),
        })
        .collect()
}

/// Starts an import of a path that is not waited for.
fn import(program: &Program, path: &str) -> Child {
    let mut command = program.process();
    command.args(["import", path]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

#[track_caller]
fn assert_whole(host: &Host, n_records: usize) {
    let doctor = host.program.run(&["doctor"]);
    assert_eq!(doctor.code, Some(0), "{}", doctor.stdout);
    let key = format!("claude-code:{SESSION}");
    let exported = host
        .program
        .run(&["export", "--session", &key, "--format", "ndjson"]);
    let stored: Vec<&str> = exported.stdout.lines().collect();
    assert_eq!(stored.len(), n_records, "rows of the session");
    for n in 0..n_records {
        let uuid = format!("\"r{n}\"");
        let n_rows = stored.iter().filter(|row| row.contains(&uuid)).count();
        assert_eq!(n_rows, 1, "rows of record {n}");
    }
}

#[test]
fn a_transcript_that_grows_record_by_record_is_stored_once_while_others_import_it() {
    let n_records = usize::try_from(number("HIPPOCAMP_RECORDS", 48)).unwrap();
    let host = Host::new();
    let other: Vec<String> = talk(400);
    host.write("elsewhere/other.jsonl", &other);
    let mut importer = import(&host.program, "elsewhere");
    for (n, line) in talk(n_records).into_iter().enumerate() {
        host.write(&Host::transcript(), &[line]);
        host.hook_silently(
            ["UserPromptSubmit", "PostToolUse", "TeaTime"][n % 3],
            &json!({}),
        );
        if importer.try_wait().unwrap().is_some() {
            importer = import(&host.program, "projects");
        }
    }
    importer.wait().unwrap();
    host.hook_silently("Stop", &json!({}));
    assert_eq!(host.log(), "");
    // The other file is of the same session, record by record.
    assert_whole(&host, n_records.max(400));
}

#[test]
fn events_that_come_at_once_store_a_record_once() {
    let host = Host::new();
    host.write(&Host::transcript(), &talk(12));
    let event = host.event("PostToolUse", &json!({})).to_string();
    let file = host.program.write("event.json", &event);
    let children: Vec<Child> = (0..6)
        .map(|_| {
            let mut command = host.program.process();
            command.args(["hook", "claude-code"]);
            command.stdin(std::fs::File::open(&file).unwrap());
            command.stdout(Stdio::null()).stderr(Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    host.hook_silently("Stop", &json!({}));
    assert_whole(&host, 12);
}

#[test]
fn a_last_line_without_its_end_is_stored_when_it_has_one() {
    let host = Host::new();
    let lines = talk(4);
    let (begun, rest) = lines[3].split_at(60);
    host.write(&Host::transcript(), &lines[..3]);
    host.write(&Host::transcript(), &[begun.to_owned()]);
    host.hook_silently("PostToolUse", &json!({}));
    host.write(&Host::transcript(), &[rest.to_owned()]);
    host.hook_silently("SessionEnd", &json!({"reason": "other"}));
    assert_whole(&host, 4);
    assert_eq!(host.log(), "");
}

#[test]
fn sub_agents_are_stored_where_an_event_names_one_and_where_the_session_rests() {
    let host = Host::new();
    host.write(&Host::transcript(), &talk(4));
    let folder = format!("projects/-work/{SESSION}/subagents");
    let of_agent = |id: &str, words: &str| {
        let mut record: serde_json::Value =
            serde_json::from_str(&said(0, "assistant", words)).unwrap();
        record["uuid"] = format!("{id}-0").into();
        record["isSidechain"] = true.into();
        record["agentId"] = id.into();
        format!("{record}\n")
    };
    let n_found = |word: &str| {
        let found = host.program.run(&["grep", word, "--json"]);
        found.object()["total"].as_u64().unwrap()
    };
    for id in ["named", "known", "late"] {
        let words = format!("the {id} one counted seven cranes");
        host.write(
            &format!("{folder}/agent-{id}.jsonl"),
            &[of_agent(id, &words)],
        );
    }
    let path = host.program.path(&format!("{folder}/agent-named.jsonl"));
    host.hook_silently(
        "SubagentStop",
        &json!({"agent_id": "named", "agent_transcript_path": path}),
    );
    assert_eq!(
        (n_found("named"), n_found("known"), n_found("late")),
        (1, 0, 0)
    );
    host.hook_silently("PostToolUse", &json!({"agent_id": "known"}));
    assert_eq!(
        (n_found("named"), n_found("known"), n_found("late")),
        (1, 1, 0)
    );
    host.hook_silently("Stop", &json!({}));
    assert_eq!(
        (n_found("named"), n_found("known"), n_found("late")),
        (1, 1, 1)
    );
    assert_eq!(host.log(), "");
}

/// Within a turn only pieces of a long transcript are read again.
#[test]
fn a_transcript_that_is_written_anew_between_its_ends_is_noticed_when_the_session_ends() {
    let host = Host::new();
    let filler = "the tide table hangs in the harbour office ".repeat(1_400);
    let records: Vec<String> = (0..60)
        .map(|n| said(n, "user", &format!("{n} maroon {filler}")))
        .collect();
    let name = Host::transcript();
    host.write(&name, &records);
    host.hook_silently("Stop", &json!({}));
    let found = |word: &str| {
        let words = ["grep", word, "--limit", "1"];
        let found = host.program.run(&[&["--json"][..], &words].concat());
        serde_json::from_str::<serde_json::Value>(&found.stdout).unwrap()["total"].clone()
    };
    assert_eq!((found("maroon"), found("violet")), (json!(60), json!(0)));

    let whole = records.concat();
    let changed = whole
        .replace("\"r30\"", "\"q30\"")
        .replace("30 maroon", "30 violet");
    assert_eq!(changed.len(), whole.len());
    host.program.write(&name, &changed);
    host.write(&name, &[said(60, "assistant", "indigo")]);
    host.hook_silently("PostToolUse", &json!({}));
    assert_eq!(found("indigo"), 1, "what is new is taken in at once");
    host.hook_silently("SessionEnd", &json!({}));
    assert_eq!((found("violet"), found("indigo")), (json!(1), json!(1)));
    assert_eq!(host.log(), "");
}
