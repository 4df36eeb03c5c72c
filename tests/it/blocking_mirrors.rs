//! Programs without a runtime can do what the others can: each call that waits has a mirror that
//! blocks, of the same signature, and each mirror blocks on the call of its own name.

use std::collections::BTreeMap;
use std::path::Path;

/// What a type's public methods are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Waits,
    Blocks,
}

impl Kind {
    const fn opening(self) -> &'static str {
        match self {
            Self::Waits => "pub async fn ",
            Self::Blocks => "pub fn ",
        }
    }
}

/// A public method: its signature in one line, and what it does.
#[derive(Debug, PartialEq, Eq)]
struct Method {
    signature: String,
    body: String,
}

/// Adds the public methods of one kind that a source has for `owner`, by name.
fn add_methods(source: &str, owner: &str, kind: Kind, found: &mut BTreeMap<String, Method>) {
    let opening = format!("impl {owner} {{");
    let mut is_inside = false;
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        match line {
            "}" => is_inside = false,
            line if line == opening => is_inside = true,
            _ => {}
        }
        let indented = line.strip_prefix("    ").filter(|_| is_inside);
        let Some(rest) = indented.and_then(|line| line.strip_prefix(kind.opening())) else {
            continue;
        };
        let mut text = rest.to_owned();
        for line in lines.by_ref().take_while(|line| *line != "    }") {
            text.push('\n');
            text.push_str(line);
        }
        let (signature, body) = text.split_once(" {").unwrap();
        let signature = signature.split_whitespace().collect::<Vec<_>>().join(" ");
        let signature = signature
            .replace("( ", "(")
            .replace(", )", ")")
            .replace(", mut ", ", ");
        let name = signature.split(['(', '<']).next().unwrap().to_owned();
        let body = body.split_whitespace().collect();
        found.insert(name, Method { signature, body });
    }
}

fn methods(files: &[&Path], owner: &str, kind: Kind) -> BTreeMap<String, Method> {
    let mut found = BTreeMap::new();
    for file in files {
        let source = std::fs::read_to_string(file).unwrap();
        add_methods(&source, owner, kind, &mut found);
    }
    found
}

/// Fails where a call that waits has no mirror, another signature, or a mirror of something else.
#[track_caller]
fn check_mirrored(
    waiting: &BTreeMap<String, Method>,
    blocking: &BTreeMap<String, Method>,
    through: &str,
) {
    for (name, method) in waiting {
        let Some(mirror) = blocking.get(name) else {
            panic!("`{name}` has no mirror in engine::blocking");
        };
        assert_eq!(mirror.signature, method.signature);
        let call = format!("{through}.{name}(");
        assert!(mirror.body.contains(&call), "{name}: {}", mirror.body);
    }
}

#[test]
fn every_call_that_waits_has_a_mirror_that_blocks() {
    let room = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/engine");
    let mut files = Vec::new();
    let mut open = vec![room.clone()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                files.push(path);
            }
        }
    }
    let is_mirror =
        |path: &&Path| path.starts_with(room.join("blocking")) || path.ends_with("blocking.rs");
    let (mirrors, calls): (Vec<&Path>, Vec<&Path>) = files
        .iter()
        .map(std::path::PathBuf::as_path)
        .partition(is_mirror);
    assert!(mirrors.len() >= 5 && calls.len() >= 40, "{mirrors:?}");
    for (owner, through, least) in [
        ("Engine", "self.engine", 45),
        ("History", "self.history", 1),
    ] {
        let waiting = methods(&calls, owner, Kind::Waits);
        assert!(waiting.len() >= least, "looked at too little: {waiting:?}");
        check_mirrored(&waiting, &methods(&mirrors, owner, Kind::Blocks), through);
    }
}

#[test]
fn a_method_is_read_where_it_is_one() {
    let source = "impl Core {\n    pub async fn no(&self) {\n    }\n}\nimpl Engine {\n    /// pub async fn no\n    \
        pub async fn one(\n        &self,\n        told: impl FnMut(u8),\n    ) -> Result<(), E> {\n        \
        self.go()\n    }\n    pub(super) async fn no(&self) {\n    }\n    pub fn two(&self) {\n    }\n}\n";
    let mut waiting = BTreeMap::new();
    add_methods(source, "Engine", Kind::Waits, &mut waiting);
    let one = Method {
        signature: "one(&self, told: impl FnMut(u8)) -> Result<(), E>".to_owned(),
        body: "self.go()".to_owned(),
    };
    assert_eq!(waiting, BTreeMap::from([("one".to_owned(), one)]));
    let mut blocking = BTreeMap::new();
    add_methods(source, "Engine", Kind::Blocks, &mut blocking);
    assert_eq!(blocking.keys().collect::<Vec<_>>(), ["two"]);
}

#[test]
fn what_hosts_say_is_taken_without_a_runtime() {
    use hippocamp::domain::{NewMessage, Tokens, Usage};
    use hippocamp::engine::{
        Calibration, CompactReason, Compactor, Observed, RequestOutcome, ViewBudget, blocking,
    };

    let dir = tempfile::tempdir().unwrap();
    let builder = blocking::Engine::builder(dir.path().join("t.db"));
    let engine = blocking::Engine::build(builder).unwrap();
    let session = crate::support::key("main");
    assert!(!engine.has_session(&session).unwrap());
    let said = engine
        .append(&session, vec![NewMessage::user("The ferry sails at 7.")])
        .unwrap();
    assert!(engine.has_session(&session).unwrap());
    let branch = engine.sessions().unwrap()[0].id;
    assert_eq!(engine.session_of(branch).unwrap(), session);
    assert_eq!(said.rows.len(), 1);

    let view = engine.view(&session, ViewBudget::Configured).unwrap();
    let usage = Usage::new(view.tokens, Tokens::new(5));
    let report = engine
        .observe_usage(&session, &Observed::new(view.version.unwrap(), usage))
        .unwrap();
    assert_eq!(report.calibration, Calibration::TooSmall);
    let asked = engine.request_compaction(&session, Some("the ferry"));
    assert!(matches!(asked.unwrap(), RequestOutcome::Refused { .. }));
    let reason = engine.compact_with(&session, "the ferry").unwrap().reason;
    assert_eq!(reason, CompactReason::BelowThreshold);

    let managed = Compactor::Provider("anthropic".to_owned());
    engine.set_compactor(&session, &managed).unwrap();
    let asked = engine.request_compaction(&session, None).unwrap();
    assert_eq!(asked, RequestOutcome::Managed);
    let reason = engine.compact_with(&session, "the ferry").unwrap().reason;
    assert_eq!(reason, CompactReason::Managed);

    assert_eq!(engine.checkpoint("/nowhere.jsonl").unwrap(), None);
    assert!(engine.find_keys(&["none".to_owned()]).unwrap().is_empty());
    assert!(engine.keys_of_session(&session).unwrap().is_empty());
    engine.shutdown().unwrap();
}
