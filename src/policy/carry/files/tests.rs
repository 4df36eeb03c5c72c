//! Files and what became of them.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn after(calls: &[(&str, serde_json::Value, Option<&str>)]) -> Files {
    let mut files = Files::default();
    for (at, (name, arguments, failure)) in calls.iter().enumerate() {
        let id = format!("t{at}");
        files.call(&id, name, &arguments.to_string());
        files.result(&id, failure.unwrap_or("ok"), failure.is_some());
    }
    files
}

#[track_caller]
fn check(calls: &[(&str, serde_json::Value, Option<&str>)], want: &[(&str, &str)]) {
    let files = after(calls);
    let got: Vec<(&str, &str)> = files
        .states()
        .map(|known| (known.path.as_str(), known.state.as_str()))
        .collect();
    assert_eq!(got, want, "{calls:?}");
}

#[track_caller]
fn check_shell(script: &str, want: &[(&str, &str)]) {
    check(&[("bash", json!({ "command": script }), None)], want);
    check(
        &[("shell", json!({ "command": ["bash", "-lc", script] }), None)],
        want,
    );
}

#[test]
fn a_call_that_names_thousands_of_files_is_read_whole() {
    let names: Vec<String> = (0..20_000).map(|n| format!("f{n}.o")).collect();
    let script = format!("rm {}", names.join(" "));
    let files = after(&[("Bash", serde_json::json!({ "command": script }), None)]);
    let got: Vec<&str> = files.states().map(|known| known.path.as_str()).collect();
    assert_eq!(got, names);
    assert!(files.states().all(|known| known.state == "deleted"));
}

#[test]
fn technique_s2_each_tool_that_writes_gives_a_path_its_state() {
    check(
        &[
            (
                "Write",
                json!({"file_path": "a.rs", "content": "\n// reads\nfn a() {}"}),
                None,
            ),
            (
                "Edit",
                json!({"file_path": "b.rs", "old_string": "x", "new_string": "let y = 1;"}),
                None,
            ),
            (
                "MultiEdit",
                json!({"file_path": "c.rs", "edits": [{"old_string": "x", "new_string": "three"}]}),
                None,
            ),
            (
                "NotebookEdit",
                json!({"notebook_path": "d.ipynb", "new_source": "plot()"}),
                None,
            ),
            (
                "str_replace_based_edit_tool",
                json!({"command": "create", "path": "e.py", "file_text": "print()"}),
                None,
            ),
            (
                "str_replace_based_edit_tool",
                json!({"command": "view", "path": "f.py"}),
                None,
            ),
            (
                "str_replace_based_edit_tool",
                json!({"command": "insert", "path": "g.py", "insert_text": "import os"}),
                None,
            ),
            (
                "apply_patch",
                json!({"input": "*** Begin Patch\n*** Update File: h.rs\n*** Move to: i.rs\n@@\n*** Delete File: j.rs\n*** End Patch"}),
                None,
            ),
            (
                "apply_patch",
                json!({"patch": "--- a/k.rs\n+++ b/k.rs\n@@\n--- /dev/null\n+++ b/l.rs\n"}),
                None,
            ),
            ("delete_file", json!({"path": "m.rs"}), None),
            (
                "move_file",
                json!({"source": "n.rs", "destination": "o.rs"}),
                None,
            ),
        ],
        &[
            ("a.rs", "written: // reads"),
            ("b.rs", "edited: let y = 1;"),
            ("c.rs", "edited: three"),
            ("d.ipynb", "edited: plot()"),
            ("e.py", "written: print()"),
            ("f.py", "read"),
            ("g.py", "edited: import os"),
            ("h.rs", "moved to i.rs"),
            ("i.rs", "edited by a patch (moved from h.rs)"),
            ("j.rs", "deleted"),
            ("k.rs", "edited by a patch"),
            ("l.rs", "added"),
            ("m.rs", "deleted"),
            ("n.rs", "moved to o.rs"),
            ("o.rs", "moved from n.rs"),
        ],
    );
}

#[test]
fn shell_lines_say_what_they_do_to_files() {
    check_shell(
        "echo hi > a.txt 2>&1; ls >> b.log 2>/dev/null",
        &[
            ("a.txt", "written by a command"),
            ("b.log", "appended to by a command"),
        ],
    );
    check_shell(
        "cat > 'my notes.md' <<'EOF'\n# Plan\nrm old.rs\nEOF\nrm new.rs",
        &[("my notes.md", "written: # Plan"), ("new.rs", "deleted")],
    );
    check_shell(
        "cd src && sed -i 's/a/b/' x.rs && sudo mv x.rs ./y.rs",
        &[
            ("src/x.rs", "moved to src/y.rs"),
            ("src/y.rs", "edited by a command (moved from src/x.rs)"),
        ],
    );
    check_shell(
        "make | tee build.log | tee -a all.log",
        &[
            ("build.log", "written by a command"),
            ("all.log", "appended to by a command"),
        ],
    );
    check_shell(
        "mv a.rs b.rs lib/",
        &[
            ("a.rs", "moved to lib/a.rs"),
            ("lib/a.rs", "moved from a.rs"),
            ("b.rs", "moved to lib/b.rs"),
            ("lib/b.rs", "moved from b.rs"),
        ],
    );
    check_shell(
        "git mv a.rs b.rs\ngit rm c.rs\ngit checkout -- d.rs\ngit checkout main",
        &[
            ("a.rs", "moved to b.rs"),
            ("b.rs", "moved from a.rs"),
            ("c.rs", "deleted"),
            ("d.rs", "restored from git"),
        ],
    );
    check_shell(
        "mkdir -p out/x && cp a.rs out/x/ && touch z",
        &[
            ("out/x", "created"),
            ("out/x/a.rs", "copied from a.rs"),
            ("z", "created"),
        ],
    );
    // Patterns, variables, streams and words in quotes are no paths.
    check_shell(
        "rm *.o $TMP; echo 'a > b' > /dev/null; sed s/a/b/ x.rs; grep '>' y # rm z",
        &[],
    );
}

#[test]
fn what_failed_changed_nothing_and_says_why() {
    check(
        &[
            (
                "Write",
                json!({"file_path": "a.rs", "content": "fn a() {}"}),
                None,
            ),
            (
                "Edit",
                json!({"file_path": "a.rs", "new_string": "b"}),
                Some("\nold_string not found\n"),
            ),
            (
                "Edit",
                json!({"file_path": "c.rs", "new_string": "b"}),
                Some("no such file"),
            ),
            (
                "bash",
                json!({"command": "mv a.rs z.rs"}),
                Some("Permission denied"),
            ),
        ],
        &[
            ("c.rs", "edited failed: no such file"),
            (
                "a.rs",
                "written: fn a() {}; later moved to z.rs failed: Permission denied",
            ),
            ("z.rs", "moved to z.rs failed: Permission denied"),
        ],
    );
    let mut files = Files::default();
    files.call("1", "bash", "{\"command\":\"rm a.rs\"}");
    files.result("1", "Exit code 1\nrm: cannot remove 'a.rs'", false);
    assert_eq!(files.state("a.rs"), Some("deleted failed: Exit code 1"));
}

#[test]
fn a_folder_takes_its_files_along() {
    check(
        &[
            (
                "Write",
                json!({"file_path": "old/a.rs", "content": "fn a() {}"}),
                None,
            ),
            (
                "Write",
                json!({"file_path": "old/b.rs", "content": "fn b() {}"}),
                None,
            ),
            (
                "bash",
                json!({"command": "git mv old new && rm -rf new/b.rs"}),
                None,
            ),
            ("bash", json!({"command": "rm -rf new"}), None),
        ],
        &[
            ("old/a.rs", "moved to new/a.rs"),
            ("old/b.rs", "moved to new/b.rs"),
            ("old", "moved to new"),
            ("new/a.rs", "deleted with new"),
            ("new/b.rs", "deleted with new"),
            ("new", "deleted"),
        ],
    );
}

#[test]
fn a_newer_summary_replaces_states_and_a_move_keeps_them() {
    let mut files = Files::default();
    let told = |states: &[(&str, &str)]| -> Vec<(String, String)> {
        let states = states.iter();
        states
            .map(|(path, state)| ((*path).into(), (*state).into()))
            .collect()
    };
    files.inherit(&told(&[
        ("a.rs", "edited; parses dates"),
        ("b.rs", "written"),
    ]));
    files.inherit(&told(&[
        ("b.rs", "read"),
        ("a.rs", "moved to c.rs"),
        ("c.rs", "moved from a.rs"),
    ]));
    assert_eq!(files.state("b.rs"), Some("written"));
    assert_eq!(files.state("a.rs"), Some("moved to c.rs"));
    assert_eq!(
        files.state("c.rs"),
        Some("edited; parses dates (moved from a.rs)")
    );
    // What failed later is told beside, not in place of, what was done.
    files.inherit(&told(&[
        ("b.rs", "read; later edited failed: locked"),
        ("d.rs", "read, a list of names"),
    ]));
    files.inherit(&told(&[("d.rs", "edited failed: gone")]));
    assert_eq!(
        files.state("b.rs"),
        Some("written; later edited failed: locked")
    );
    assert_eq!(
        files.state("d.rs"),
        Some("read, a list of names; later edited failed: gone")
    );
    files.inherit(&told(&[("b.rs", "deleted failed: locked")]));
    assert_eq!(
        files.state("b.rs"),
        Some("written; later deleted failed: locked")
    );
}

#[test]
fn a_failure_or_a_look_does_not_go_along_when_a_file_is_moved() {
    let mut files = Files::default();
    files.call("1", "Edit", "{\"file_path\":\"a.rs\",\"new_string\":\"x\"}");
    files.result("1", "not found", true);
    files.call("2", "Read", "{\"file_path\":\"b.rs\"}");
    files.call("3", "bash", "{\"command\":\"mv a.rs c.rs; mv b.rs d.rs\"}");
    assert_eq!(files.state("c.rs"), Some("moved from a.rs"));
    assert_eq!(files.state("d.rs"), Some("moved from b.rs"));
}

fn step() -> impl Strategy<Value = (String, serde_json::Value, bool)> {
    let path = prop::sample::select(vec!["a", "b", "d/a", "d/b", "d", "e"]);
    (0..6_u8, path.clone(), path, any::<bool>()).prop_map(|(kind, path, other, fails)| match kind {
        0 => (
            "Write".into(),
            json!({"file_path": path, "content": "text"}),
            fails,
        ),
        1 => (
            "Edit".into(),
            json!({"file_path": path, "new_string": "more"}),
            fails,
        ),
        2 => ("Read".into(), json!({"file_path": path}), fails),
        3 => (
            "bash".into(),
            json!({"command": format!("rm -r {path}")}),
            fails,
        ),
        4 => (
            "bash".into(),
            json!({"command": format!("mv {path} {other}")}),
            fails,
        ),
        _ => (
            "bash".into(),
            json!({"command": format!("echo x > {path}")}),
            fails,
        ),
    })
}

proptest! {
    #[test]
    fn technique_s26_no_path_is_ever_lost(steps in prop::collection::vec(step(), 0..20)) {
        let mut files = Files::default();
        for (at, (name, arguments, fails)) in steps.iter().enumerate() {
            let known: Vec<String> = files.states().map(|one| one.path.clone()).collect();
            let id = format!("t{at}");
            files.call(&id, name, &arguments.to_string());
            let touched: Vec<String> = files.states().map(|one| one.path.clone()).collect();
            files.result(&id, "no", *fails);
            for path in known.iter().chain(&touched) {
                prop_assert!(files.state(path).is_some(), "{} after {}", path, arguments);
            }
            let mut paths: Vec<&String> = files.states().map(|one| &one.path).collect();
            paths.sort();
            paths.dedup();
            prop_assert_eq!(paths.len(), files.states().len(), "each path once");
        }
    }

    #[test]
    fn the_newest_state_wins_whatever_was_before(steps in prop::collection::vec(step(), 0..12)) {
        let mut files = Files::default();
        for (at, (name, arguments, fails)) in steps.iter().enumerate() {
            let id = format!("t{at}");
            files.call(&id, name, &arguments.to_string());
            files.result(&id, "no", *fails);
        }
        files.call("last", "Write", "{\"file_path\":\"a\",\"content\":\"final\"}");
        files.result("last", "ok", false);
        prop_assert_eq!(files.state("a"), Some("written: final"));
        files.call("gone", "delete_file", "{\"path\":\"a\"}");
        prop_assert_eq!(files.state("a"), Some("deleted"));
        files.result("gone", "locked", true);
        prop_assert_eq!(files.state("a"), Some("written: final; later deleted failed: locked"));
    }

    #[test]
    fn a_look_changes_nothing_that_was_done(steps in prop::collection::vec(step(), 0..12), path in "[abe]") {
        let mut files = Files::default();
        for (at, (name, arguments, fails)) in steps.iter().enumerate() {
            let id = format!("t{at}");
            files.call(&id, name, &arguments.to_string());
            files.result(&id, "no", *fails);
        }
        let before = files.state(&path).map_or(READ.to_owned(), str::to_owned);
        files.call("look", "Read", &json!({ "file_path": path }).to_string());
        files.result("look", "ok", false);
        prop_assert_eq!(files.state(&path), Some(before.as_str()));
    }

    #[test]
    fn any_script_is_read(script in "(?s)[a-z ./'\"\\\\>|&;<\n#$-]{0,60}") {
        let mut files = Files::default();
        files.call("1", "bash", &json!({ "command": script }).to_string());
    }
}
