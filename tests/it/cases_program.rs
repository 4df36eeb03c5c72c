//! What the program's commands say of the same rows, and what they leave alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::import_support::{answer, lines, user};
use crate::program::{Program, line, talk};

/// B002: import, search, expansion and export agree on the rows around a broken line.
#[test]
fn all_commands_agree_on_the_rows_around_a_broken_line() {
    let program = Program::new();
    let text = lines(&[
        user(1, "the first quokka"),
        user(2, "broken")[..60].to_owned(),
        answer(3, "the second quokka"),
        user(4, "the third quokka"),
    ]);
    let path = program.write("s1.jsonl", &text);
    let ended = program.run(&["import", &path, "--json"]);
    assert_eq!(ended.code, Some(4));
    let totals = &ended.object()["totals"];
    assert_eq!(
        (&totals["stored"], &totals["refused"]),
        (&3.into(), &1.into())
    );
    let found = program.json(&["grep", "quokka", "--sort", "time"]);
    let found = found["results"].as_array().unwrap().clone();
    assert_eq!(found.len(), 3);
    let ids: Vec<&str> = found
        .iter()
        .map(|hit| hit["id"].as_str().unwrap())
        .collect();
    let shown = program.json(&[&["expand"], ids.as_slice()].concat());
    assert_eq!(shown["messages"].as_array().unwrap().len(), 3);
    let words = [
        "export",
        "--session",
        "claude-code:s1",
        "--format",
        "ndjson",
    ];
    let exported = program.run(&words).stdout;
    let texts: Vec<&str> = exported.lines().collect();
    assert_eq!(texts.len(), 3, "{exported}");
    for (text, which) in texts.iter().zip(["first", "second", "third"]) {
        assert!(text.contains(&format!("the {which} quokka")), "{text}");
    }
}

/// B014: a file that only says whose it is ends well and begins nothing.
#[test]
fn a_header_alone_is_no_failure() {
    let program = Program::new();
    let header = r#"{"type":"session_meta","payload":{"id":"c1","cwd":"/proj"}}"#;
    let path = program.write("rollout.jsonl", &format!("{header}\n"));
    assert_eq!(program.json(&["import", &path])["totals"]["stored"], 0);
    let sessions = program.json(&["sessions"]);
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 0);
}

/// P27: a hit says its depth, a page its total, a snippet is short.
#[test]
fn a_hit_in_a_summary_says_how_deep_and_an_answer_of_how_many() {
    let program = Program::new();
    let words = ["turn", "--session", "long", "--window", "3000", "--json"];
    assert_eq!(program.feed(&words, talk(40, 40)).code, Some(0));
    for _ in 0..30 {
        program.json(&["compact", "--session", "long"]);
    }
    let tree = program.json(&["tree", "--session", "long"])["nodes"].clone();
    let depths: BTreeMap<String, Value> = tree
        .as_array()
        .unwrap()
        .iter()
        .map(|node| {
            (
                node["id"].as_str().unwrap().to_owned(),
                node["depth"].clone(),
            )
        })
        .collect();
    assert!(depths.values().any(|depth| *depth != 0), "{tree}");
    let words = [
        "grep",
        "harbour* OR please",
        "--scope",
        "summary",
        "--limit",
        "1",
    ];
    let answer = program.json(&words);
    let hit = &answer["results"][0];
    assert_eq!(hit["depth"], depths[hit["id"].as_str().unwrap()]);
    assert!(answer["total"].as_u64().unwrap() >= 1);
    assert!(hit["snippet"].as_str().unwrap().chars().count() < 400);
}

/// All files under a folder with what they hold.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap();
                all.insert(path, bytes);
            }
        }
    }
    all
}

/// W21: nothing outside our own folder is written, the hosts' files and settings least of all.
#[test]
fn the_homes_of_the_hosts_are_read_and_left_as_they_are() {
    let program = Program::new();
    program.write(".claude/projects/p/s1.jsonl", &lines(&[user(1, "hello")]));
    program.write(".claude/settings.json", "{\"hooks\":{}}");
    program.write(".codex/config.toml", "model = \"m\"\n");
    let home = program.path("");
    let before = files(&home);
    for words in [
        &["import"][..],
        &["grep", "hello"],
        &["sessions"],
        &["status"],
        &["doctor"],
        &["config"],
        &["context", "--session", "claude-code:s1"],
        &["compact", "--session", "claude-code:s1"],
        &["reindex"],
    ] {
        assert_eq!(program.run(words).code, Some(0), "{words:?}");
    }
    program.append("main", &line("user", "said"));
    let ours = program.path("data");
    let mut after = files(&home);
    after.retain(|path, _| !path.starts_with(&ours));
    assert_eq!(after, before);
}

/// B010: a long line costs at most eight times its length, beside what an import needs anyway.
#[cfg(target_os = "linux")]
#[test]
fn a_long_line_costs_a_few_times_its_length() {
    let test = "a_long_line_costs_a_few_times_its_length";
    let program = Program::new();
    let megabyte = 1 << 20;
    let long = "lorem filler ".repeat(20 * megabyte / 13);
    let transcript = lines(&[
        user(1, "first birchwood"),
        answer(2, &long),
        user(3, "last birchwood"),
    ]);
    let path = program.write("s1.jsonl", &transcript);
    let binary = assert_cmd::cargo::cargo_bin!("hippocamp").to_str().unwrap();
    let most = format!("--data={}", (8 * 20 + 64) * megabyte);
    let limited = |words: &[&str]| {
        let mut command = program.process_of("prlimit");
        command.args([most.as_str(), binary]).args(words).output()
    };
    if !limited(&["--version"]).is_ok_and(|output| output.status.success()) {
        println!("SKIPPED {test}: there is no prlimit here");
        return;
    }
    let output = limited(&["import", &path, "--json"]).unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let account: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(account["totals"]["stored"], 3);
    assert_eq!(program.json(&["grep", "birchwood"])["total"], 2);
}
