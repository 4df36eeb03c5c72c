use proptest::prelude::*;
use serde_json::Value;

use super::diff::diff;
use super::entry::Caller;
use super::file::{Draft, Fate};
use super::quote::{first_word, is_one_command, quote};
use super::scan::read;
use super::{hooks, servers};

fn caller() -> Caller {
    Caller {
        program: "/opt/my tools/it's/hippocamp".to_owned(),
        flags: Vec::new(),
    }
}

type Step = fn(&Draft, &Caller) -> Result<Draft, String>;
const FILES: [(Step, Step); 2] = [
    (hooks::install, hooks::uninstall),
    (servers::install, servers::uninstall),
];

/// Installs into a text, expects that twice is once and that uninstalling gives the text back, and
/// returns the text in between.
#[track_caller]
fn check_round(text: &str, (install, uninstall): (Step, Step)) -> String {
    let installed = install(&Draft::of(Some(text)), &caller()).unwrap().text;
    serde_json::from_str::<Value>(&installed).unwrap();
    assert_ne!(installed, text);
    let found = Draft::of(Some(&installed));
    assert_eq!(install(&found, &caller()).unwrap().text, installed, "twice");
    let back = uninstall(&found, &caller()).unwrap();
    assert_eq!((back.text.as_str(), back.fate), (text, Fate::Stays));
    installed
}

#[test]
fn a_text_of_any_manner_is_edited_in_that_manner() {
    for text in [
        "{}",
        "{}\n",
        "{ }",
        "{\n}\n",
        "{\r\n}\r\n",
        "{\"a\":1}",
        "{ \"a\": 1, \"b\": {} }\n",
        "{\n\t\"a\": 1\n}",
        "{\r\n    \"hooks\": {},\r\n    \"mcpServers\": {\r\n    }\r\n}\r\n",
        "{\"hooks\":{\"Stop\":[]},\"mcpServers\":{}}",
        "{\n  \"hooks\": { \"Stop\": [ ], \"SessionStart\": [\n  ] },\n  \"mcpServers\": { }\n}\n",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\n    ]\n  },\n  \"z\": 1\n}\n",
        "{\"a\":1 , \"b\" : [1,2] \n,\"c\":\"}\\\"{\"}",
        "{\n  \"hooks\": {\"a\": 1},\n  \"hooks\": {\"Stop\": []}\n}\n",
    ] {
        for file in FILES {
            check_round(text, file);
        }
    }
}

#[test]
fn lines_are_added_and_none_is_touched_but_for_a_comma() {
    let text = "{\n    \"model\": \"opus\",\n    \"hooks\": {\n        \"Stop\": []\n    }\n}\n";
    let installed = check_round(text, FILES[0]);
    let old: Vec<&str> = text.lines().collect();
    let kept = installed.lines().filter(|line| old.contains(line));
    assert!(kept.count() >= old.len() - 2, "{installed}");
    assert!(
        installed.contains("\n        \"SessionStart\": [\n            {\n"),
        "{installed}"
    );
    let servers = check_round("{\n  \"numStartups\": 4\n}\n", FILES[1]);
    let shown = diff("x", "{\n  \"numStartups\": 4\n}\n", &servers);
    assert_eq!(
        shown,
        "--- x\n+++ x\n@@ -2,1 +2,10 @@\n-  \"numStartups\": 4\n+  \"numStartups\": 4,\n\
         +  \"mcpServers\": {\n+    \"hippocamp\": {\n+      \"type\": \"stdio\",\n\
         +      \"args\": [\"mcp\"],\n+      \"command\": \"/opt/my tools/it's/hippocamp\"\n\
         +    }\n+  }\n"
            .replace("2,10", "2,8")
    );
}

#[test]
fn a_file_that_was_made_goes_and_one_that_others_wrote_into_stays() {
    for (install, uninstall) in FILES {
        let made = install(&Draft::of(None), &caller()).unwrap();
        let back = uninstall(&Draft::of(Some(&made.text)), &caller()).unwrap();
        assert_eq!(back.fate, Fate::Goes);
        let edited = made.text.replacen('{', "{\n  \"theme\": \"dark\",", 1);
        let back = uninstall(&Draft::of(Some(&edited)), &caller()).unwrap();
        assert_eq!(back.fate, Fate::Stays);
        let left: Value = serde_json::from_str(&back.text).unwrap();
        assert_eq!(left, serde_json::json!({"theme": "dark"}));
    }
}

#[test]
fn a_program_that_was_moved_is_written_over_and_still_found() {
    let old = Caller {
        program: "/old place/hippocamp".to_owned(),
        flags: vec!["--db".to_owned(), "/a b.db".to_owned()],
    };
    for (install, uninstall) in FILES {
        let text = "{\n  \"a\": 1\n}\n";
        let before = install(&Draft::of(Some(text)), &old).unwrap();
        let after = install(&Draft::of(Some(&before.text)), &caller()).unwrap();
        assert!(!after.text.contains("/old place"), "{}", after.text);
        let fresh = install(&Draft::of(Some(text)), &caller()).unwrap();
        assert_eq!(after.text, fresh.text);
        let back = uninstall(&Draft::of(Some(&before.text)), &caller()).unwrap();
        assert_eq!(back.text, text);
    }
}

#[test]
fn what_others_wrote_beside_ours_stays() {
    let text = r#"{"hooks": {"Stop": [{"matcher": "", "hooks": [{"type": "command", "command": "/x/hippocamp hook claude-code"}, {"type": "command", "command": "say hippocamp hook claude-code"}]}]}, "mcpServers": {"hippocamp": {"url": "http://other"}}}"#;
    let left = hooks::uninstall(&Draft::of(Some(text)), &caller()).unwrap();
    assert_eq!(
        left.text,
        text.replace(
            r#"{"type": "command", "command": "/x/hippocamp hook claude-code"}, "#,
            ""
        )
    );
    let draft = Draft::of(Some(text));
    assert_eq!(servers::install(&draft, &caller()).unwrap(), draft);
    assert_eq!(servers::uninstall(&draft, &caller()).unwrap(), draft);
}

#[track_caller]
fn check_refused(text: &str, why: &str) {
    for (install, _) in FILES {
        let error = install(&Draft::of(Some(text)), &caller()).unwrap_err();
        assert!(error.contains(why), "{text}: {error}");
    }
}

#[test]
fn what_is_no_json_is_refused_by_its_line() {
    check_refused("", "line 1: it is empty");
    check_refused("[]", "line 1: it holds no JSON object");
    check_refused("\u{feff}{}", "line 1: it begins with a byte order mark");
    check_refused("{\n  // models\n}", "line 2: a comment is no JSON");
    check_refused(
        "{\n  \"a\": 1,\n}",
        "line 3: a comma before a bracket is no JSON",
    );
    check_refused("{\n  \"a\": 1\n", "line 3: column");
    check_refused("{\"hooks\": [], \"mcpServers\": 1}", "line 1: `");
    check_refused(&"{\"a\":".repeat(10_000), "line 1: column");
    let odd = Draft::of(Some("{\"hooks\":\n{\"Stop\": {}}}"));
    let error = hooks::install(&odd, &caller()).unwrap_err();
    assert_eq!(error, "line 2: `hooks.Stop` is no list");
}

#[test]
fn a_command_that_does_more_is_not_ours() {
    for more in [
        "hippocamp x; hook claude-code",
        "hippocamp --db \"$(rm x)\" hook claude-code",
        "hippocamp x && echo hook claude-code",
        "hippocamp x\nhook claude-code",
        "hippocamp \"`x`\" hook claude-code",
    ] {
        assert!(!is_one_command(more), "{more}");
    }
}

#[test]
fn a_shell_reads_a_word_as_it_was() {
    for word in [
        "/usr/bin/hippocamp",
        "a b",
        "it's",
        "$(x)",
        "",
        "\\",
        "\"'`",
        "é",
    ] {
        assert_eq!(first_word(&format!("{} hook", quote(word))), word);
        assert!(is_one_command(&format!("{} hook", quote(word))), "{word}");
        let command = format!("printf %s {}", quote(word));
        if cfg!(unix) {
            let mut shell = std::process::Command::new("sh");
            let output = shell.args(["-c", &command]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word);
        }
    }
}

/// The manner of a text: between what stands in it, before and behind it.
#[derive(Debug, Clone)]
struct Manner {
    line: String,
    step: String,
    colon: String,
    empty: String,
    end: String,
}

fn manner() -> impl Strategy<Value = Manner> {
    let lines = prop_oneof![Just("\n"), Just("\r\n"), Just(""), Just(" "), Just("\n\n")];
    let steps = prop_oneof![Just("  "), Just("    "), Just("\t"), Just("")];
    let colons = prop_oneof![Just(":"), Just(": "), Just(" : ")];
    let ends = prop_oneof![Just(""), Just("\n"), Just("\r\n"), Just("  \n\n")];
    (lines, steps, colons, "[ \\n\\t]{0,3}", ends).prop_map(|(line, step, colon, empty, end)| {
        Manner {
            line: line.to_owned(),
            step: step.to_owned(),
            colon: colon.to_owned(),
            empty,
            end: end.to_owned(),
        }
    })
}

fn write(value: &Value, manner: &Manner, depth: usize) -> String {
    let (open, close, children): (_, _, Vec<String>) = match value {
        Value::Object(members) => {
            let one = |(name, value): (&String, &Value)| {
                let name = Value::from(name.as_str());
                format!("{name}{}{}", manner.colon, write(value, manner, depth + 1))
            };
            ('{', '}', members.iter().map(one).collect())
        }
        Value::Array(items) => {
            let one = |item| write(item, manner, depth + 1);
            ('[', ']', items.iter().map(one).collect())
        }
        _ => return value.to_string(),
    };
    if children.is_empty() {
        return format!("{open}{}{close}", manner.empty);
    }
    let indent = |depth| {
        if manner.line.contains('\n') {
            format!("{}{}", manner.line, manner.step.repeat(depth))
        } else {
            manner.line.clone()
        }
    };
    let children = children.join(&format!(",{}", indent(depth + 1)));
    format!(
        "{open}{}{children}{}{close}",
        indent(depth + 1),
        indent(depth)
    )
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z{}\\[\\],:\"\\\\é\\n]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec(("[a-z]{0,4}", inner), 0..3)
                .prop_map(|members| members.into_iter().collect::<Value>()),
        ]
    })
}

const OF_SETTINGS: [&str; 4] = ["Stop", "SessionStart", "PreToolUse", "SessionEnd"];

fn settings() -> impl Strategy<Value = Value> {
    let group = prop_oneof![
        Just(
            serde_json::json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]})
        ),
        Just(serde_json::json!({"hooks": []})),
    ];
    let groups = prop::collection::vec(group, 0..3).prop_map(Value::from);
    let hooks = prop::collection::vec((prop::sample::select(&OF_SETTINGS[..]), groups), 0..4)
        .prop_map(|lists| lists.into_iter().collect::<Value>());
    let servers = prop::collection::vec(("[a-g]{1,3}", anything()), 0..3)
        .prop_map(|servers| servers.into_iter().collect::<Value>());
    let others = prop::collection::vec(("[A-Z]{1,4}", anything()), 0..4);
    (
        others,
        prop::option::of(hooks),
        prop::option::of(servers),
        any::<prop::sample::Index>(),
    )
        .prop_map(|(others, hooks, servers, at)| {
            let mut members: Vec<(String, Value)> = others;
            let hooks = hooks.map(|hooks| ("hooks".to_owned(), hooks));
            let servers = servers.map(|servers| ("mcpServers".to_owned(), servers));
            for member in hooks.into_iter().chain(servers) {
                members.insert(at.index(members.len() + 1), member);
            }
            members.into_iter().collect()
        })
}

proptest! {
    /// What is put in comes out, and nothing else moves.
    #[test]
    fn uninstall_gives_back_the_bytes(settings in settings(), manner in manner()) {
        let text = write(&settings, &manner, 0) + &manner.end;
        for file in FILES {
            let installed = check_round(&text, file);
            let mut kept = read(&text).unwrap().members().iter().map(|one| one.name.clone()).collect::<Vec<_>>();
            let now = read(&installed).unwrap().members().iter().map(|one| one.name.clone()).collect::<Vec<_>>();
            kept.extend(now.get(kept.len()..).unwrap_or_default().to_vec());
            prop_assert_eq!(kept, now, "the order of members");
        }
    }

    /// What is edited in between stays edited.
    #[test]
    fn uninstall_keeps_what_was_edited_meanwhile(settings in settings(), manner in manner()) {
        let mut settings = settings;
        let Some(members) = settings.as_object_mut() else { unreachable!() };
        members.insert("EDITED".to_owned(), "before".into());
        let text = write(&settings, &manner, 0) + &manner.end;
        let edit = |text: &str| text.replacen("\"before\"", "[\"behind\", {}]", 1);
        for (install, uninstall) in FILES {
            let installed = install(&Draft::of(Some(&text)), &caller()).unwrap().text;
            let edited = edit(&installed);
            let back = uninstall(&Draft::of(Some(&edited)), &caller()).unwrap().text;
            prop_assert_eq!(back, edit(&text));
        }
    }
}
