//! `install` and `uninstall` on files of settings: what is written, where, and that nothing else is.

use std::path::PathBuf;

use serde_json::Value;

use crate::program::Program;

const SETTINGS: &str = ".claude/settings.json";
const SERVERS: &str = ".claude.json";
const INSTALL: [&str; 2] = ["install", "claude-code"];
const UNINSTALL: [&str; 2] = ["uninstall", "claude-code"];

fn text(program: &Program, name: &str) -> String {
    std::fs::read_to_string(program.path(name)).unwrap()
}

fn value(program: &Program, name: &str) -> Value {
    serde_json::from_str(&text(program, name)).unwrap()
}

/// What each file came to, in order.
fn changes(answer: &Value) -> Vec<String> {
    let files = answer["files"].as_array().unwrap();
    let changes = files.iter().map(|file| file["change"].as_str().unwrap());
    changes.map(str::to_owned).collect()
}

#[test]
fn both_files_are_edited_and_given_back_byte_for_byte() {
    let program = Program::new();
    let settings = "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\n\t\t]\n\t},\n\t\"odd\": [1,2 ]\n}";
    let servers = "{\"numStartups\":4,\"mcpServers\":{\"other\":{\"command\":\"x\"}},\"z\":{}}\n";
    program.write(SETTINGS, settings);
    program.write(SERVERS, servers);

    let dry = program.json(&[&INSTALL[..], &["--dry-run"]].concat());
    assert_eq!(changes(&dry), ["edited", "edited"]);
    assert_eq!(
        (text(&program, SETTINGS), text(&program, SERVERS)),
        (settings.into(), servers.into())
    );

    let done = program.json(&INSTALL);
    assert_eq!(done["files"], dry["files"]);
    let exe = assert_cmd::cargo::cargo_bin!("hippocamp").to_str().unwrap();
    let hooks = &value(&program, SETTINGS)["hooks"];
    for event in [
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
        "PreCompact",
        "SubagentStop",
        "Stop",
        "SessionEnd",
    ] {
        let groups = hooks[event].as_array().unwrap();
        let hook = &groups.last().unwrap()["hooks"][0];
        assert_eq!(
            hook["command"],
            format!("{exe} hook claude-code"),
            "{event}"
        );
        assert_eq!(
            (&hook["type"], &hook["timeout"]),
            (&"command".into(), &10.into())
        );
    }
    assert_eq!(hooks["Stop"].as_array().unwrap().len(), 2);
    let server = &value(&program, SERVERS)["mcpServers"]["hippocamp"];
    assert_eq!(server["command"], exe);
    assert_eq!(server["args"], serde_json::json!(["mcp"]));

    assert_eq!(changes(&program.json(&INSTALL)), ["unchanged", "unchanged"]);
    assert_eq!(changes(&program.json(&UNINSTALL)), ["edited", "edited"]);
    assert_eq!(
        (text(&program, SETTINGS), text(&program, SERVERS)),
        (settings.into(), servers.into())
    );
    assert_eq!(
        changes(&program.json(&UNINSTALL)),
        ["unchanged", "unchanged"]
    );
}

#[test]
fn files_that_were_not_there_are_made_private_and_go_again() {
    let program = Program::new();
    assert_eq!(changes(&program.json(&INSTALL)), ["made", "made"]);
    #[cfg(unix)]
    for name in [SETTINGS, SERVERS] {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(program.path(name)).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600, "{name}");
    }
    assert_eq!(changes(&program.json(&UNINSTALL)), ["removed", "removed"]);
    assert!(!program.path(SETTINGS).exists() && !program.path(SERVERS).exists());
    assert_eq!(
        changes(&program.json(&UNINSTALL)),
        ["unchanged", "unchanged"]
    );
}

#[test]
fn a_project_and_a_moved_folder_have_files_of_their_own() {
    let program = Program::new();
    let project = [&INSTALL[..], &["--scope", "project"]].concat();
    assert_eq!(changes(&program.json(&project)), ["made", "made"]);
    assert!(program.path(SETTINGS).exists() && program.path(".mcp.json").exists());
    assert!(!program.path(SERVERS).exists());

    let mut command = program.command();
    command.env("CLAUDE_CONFIG_DIR", program.path("moved"));
    assert!(command.args(INSTALL).output().unwrap().status.success());
    for name in ["moved/settings.json", "moved/.claude.json"] {
        assert!(program.path(name).exists(), "{name}");
    }
}

#[test]
fn the_store_that_is_named_is_the_one_that_is_called() {
    let program = Program::new();
    program.json(&["--db", "my notes.db", "install", "claude-code"]);
    let db = program.path("my notes.db");
    let db = db.to_str().unwrap();
    let args = &value(&program, SERVERS)["mcpServers"]["hippocamp"]["args"];
    assert_eq!(*args, serde_json::json!(["--db", db, "mcp"]));
    let hook = &value(&program, SETTINGS)["hooks"]["Stop"][0]["hooks"][0];
    let command = hook["command"].as_str().unwrap();
    assert!(
        command.ends_with(&format!(" --db '{db}' hook claude-code")),
        "{command}"
    );
    if cfg!(unix) {
        let transcript = program.write(
            "t.jsonl",
            "{\"type\":\"user\",\"uuid\":\"a\",\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"hello\"}}\n",
        );
        let event = program.write(
            "event.json",
            &serde_json::json!({"hook_event_name": "Stop", "transcript_path": transcript})
                .to_string(),
        );
        let mut shell = program.process_of("sh");
        shell
            .args(["-c", command])
            .stdin(std::fs::File::open(event).unwrap());
        assert!(shell.status().unwrap().success());
        let stats = program.json(&["stats", "--db", db]);
        assert_eq!(stats["messages"], 1);
    }
}

#[test]
fn a_store_that_the_environment_names_is_called_by_its_whole_path() {
    let program = Program::new();
    let mut command = program.command();
    command.args(INSTALL).env("HIPPOCAMP_DB", "trial.db");
    command.env("HIPPOCAMP_CONFIG", program.write("own.toml", ""));
    assert!(command.output().unwrap().status.success());
    let (db, config) = (program.path("trial.db"), program.path("own.toml"));
    let args = &value(&program, SERVERS)["mcpServers"]["hippocamp"]["args"];
    assert_eq!(
        *args,
        serde_json::json!(["--db", db, "--config", config, "mcp"])
    );
    let ended = program.run(&UNINSTALL);
    assert!(ended.stderr.contains("until it ends"), "{ended:?}");
    assert!(!program.path(SETTINGS).exists() && !program.path(SERVERS).exists());
}

#[test]
fn a_file_that_is_no_json_stops_all_and_nothing_is_changed() {
    let program = Program::new();
    let commented = "{\n  // mine\n  \"a\": 1\n}\n";
    program.write(SETTINGS, "{}\n");
    program.write(SERVERS, commented);
    for words in [INSTALL, UNINSTALL] {
        let ended = program.run(&words);
        assert_eq!(ended.code, Some(2));
        let path = program.path(SERVERS);
        let wanted = format!("{}: line 2: a comment is no JSON", path.display());
        assert!(ended.stderr.contains(&wanted), "{}", ended.stderr);
        assert_eq!(text(&program, SETTINGS), "{}\n");
        assert_eq!(text(&program, SERVERS), commented);
    }
}

#[cfg(unix)]
#[test]
fn links_and_rights_stay_and_no_other_file_is_left() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let program = Program::new();
    let real: PathBuf = program.write("dotfiles/claude.json", "{\n}\n").into();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::create_dir(program.path(".claude")).unwrap();
    symlink("../dotfiles/claude.json", program.path(SETTINGS)).unwrap();
    symlink("nowhere", program.path(SERVERS)).unwrap();
    let ended = program.run(&INSTALL);
    assert!(
        ended.stderr.contains("a link that leads nowhere"),
        "{}",
        ended.stderr
    );
    std::fs::remove_file(program.path(SERVERS)).unwrap();

    assert_eq!(changes(&program.json(&INSTALL)), ["edited", "made"]);
    let link = std::fs::symlink_metadata(program.path(SETTINGS)).unwrap();
    assert!(link.is_symlink());
    let mode = std::fs::metadata(&real).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(
        std::fs::read_dir(program.path("dotfiles")).unwrap().count(),
        1
    );
    assert_eq!(changes(&program.json(&UNINSTALL)), ["edited", "removed"]);
    assert_eq!(std::fs::read_to_string(&real).unwrap(), "{\n}\n");
}

#[test]
fn a_file_that_is_read_only_stays_as_it_is_and_so_does_the_other() {
    let program = Program::new();
    program.write(SETTINGS, "{}");
    program.write(SERVERS, "{}");
    let path = program.path(SERVERS);
    let mut rights = std::fs::metadata(&path).unwrap().permissions();
    rights.set_readonly(true);
    std::fs::set_permissions(&path, rights.clone()).unwrap();
    let ended = program.run(&INSTALL);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("it is read-only"), "{ended:?}");
    assert_eq!(text(&program, SETTINGS), "{}");
    assert_eq!(text(&program, SERVERS), "{}");
    // Where nothing is to be changed, nothing has to be writable.
    let ended = program.run(&UNINSTALL);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

/// A process that is killed between writing the new file and giving it its name leaves it there.
#[test]
fn what_a_killed_call_left_is_taken_away_by_the_next_one() {
    let program = Program::new();
    program.write(SETTINGS, "{\"model\": \"opus\"}\n");
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_hours(490_896);
    let left = |name: &str| {
        let path = program.write(name, "{\"model\": \"opus\", \"hooks\": {}}");
        std::fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(old)
            .unwrap();
        PathBuf::from(path)
    };
    let stale = [
        ".claude/.settings.json.hippocamp-123",
        "..claude.json.hippocamp-4",
    ];
    let others = [
        ".claude/.settings.json.hippocamp-",
        ".claude/.settings.json.hippocamp-12a",
        ".claude/.settings.local.json.hippocamp-12",
        ".claude/settings.json.hippocamp-12",
    ]
    .map(left);
    for words in [INSTALL, INSTALL, UNINSTALL] {
        let stale = stale.map(left);
        program.json(&[&words[..], &["--dry-run"]].concat());
        assert!(
            stale.iter().all(|path| path.exists()),
            "a rehearsal changes nothing"
        );
        program.json(&words);
        assert!(!stale.iter().any(|path| path.exists()), "{words:?}");
    }
    assert!(others.iter().all(|path| path.exists()));
    // One that another process is writing now.
    let fresh = program.write(stale[0], "{");
    program.json(&INSTALL);
    assert!(PathBuf::from(fresh).exists());
}
