//! The state of a file across summaries: wherever a talk is cut, the one told last is the newest.

use proptest::prelude::*;
use serde_json::json;

use super::kept::{ROOM, stored, summary};
use super::*;
use crate::domain::{Estimator, Message, NewMessage, Summary, Tokens};
use crate::policy::carry::files::{Files, is_look, verb};
use crate::policy::extract::{floor_condense, floor_leaf};
use crate::policy::prompt::Child;

/// A call with its result.
fn step() -> impl Strategy<Value = [NewMessage; 2]> {
    let path = || prop::sample::select(vec!["a.rs", "b.rs", "d/a.rs", "d/e.rs"]);
    (0..7_u8, path(), path(), any::<bool>()).prop_map(|(kind, path, other, fails)| {
        let (name, arguments) = match kind {
            0 => ("Write", json!({"file_path": path, "content": "text"})),
            1 => ("Edit", json!({"file_path": path, "new_string": "more"})),
            2 | 3 => ("Read", json!({ "file_path": path })),
            4 => ("bash", json!({"command": format!("rm {path}")})),
            5 => ("bash", json!({"command": format!("git mv {path} {other}")})),
            _ => ("bash", json!({"command": "rm -r d"})),
        };
        let result = NewMessage::tool_result("1", if fails { "error: no" } else { "" });
        [
            NewMessage::tool_use("1", name, arguments.to_string()),
            result,
        ]
    })
}

/// Who writes a body.
#[derive(Debug, Clone, Copy)]
enum Writer {
    Floor,
    Prose,
    /// Tells of the files of the talk what is not so.
    Inventor,
}

fn writer() -> impl Strategy<Value = Writer> {
    prop::sample::select(vec![Writer::Floor, Writer::Prose, Writer::Inventor])
}

const INVENTED: &str = "Files:\n- a.rs -> read\n- d/a.rs -> deleted\n- e.rs -> moved to b.rs";

fn leaf(messages: &[Message], earlier: &[Summary], number: u32, writer: Writer) -> Summary {
    let body = match writer {
        Writer::Floor => floor_leaf(messages, Tokens::new(400), &Estimator),
        Writer::Prose => "Work went on.".to_owned(),
        Writer::Inventor => INVENTED.to_owned(),
    };
    let children: Vec<Child<'_>> = messages.iter().map(Child::Message).collect();
    summary(number, &carry(&body, &children, earlier, ROOM, &Estimator))
}

fn parent(children: &[Summary], number: u32, writer: Writer) -> Summary {
    let body = match writer {
        Writer::Floor => floor_condense(children, Tokens::new(400), &Estimator),
        Writer::Prose => "Work went on.".to_owned(),
        Writer::Inventor => INVENTED.to_owned(),
    };
    let shown: Vec<Child<'_>> = children.iter().map(Child::Summary).collect();
    summary(number, &carry(&body, &shown, &[], ROOM, &Estimator))
}

/// Returns the state that summaries, old to new, tell last of a file.
fn told_last(summaries: &[Summary], path: &str) -> Option<String> {
    let mut told = summaries
        .iter()
        .flat_map(|one| SummaryBody::parse(&one.body).files);
    let last = told.rfind(|(known, _)| known == path);
    last.map(|(_, state)| state)
}

/// Says whether a state tells of more than looks and failures.
fn tells_change(state: &str) -> bool {
    let done = state.split("; later ").next().unwrap_or_default();
    !is_look(done) && !verb(done).ends_with(" failed")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn however_a_talk_is_cut_the_state_told_last_of_a_changed_file_is_its_newest(
        leaves in prop::collection::vec((prop::collection::vec(step(), 1..5), writer()), 1..6),
        merged in prop::collection::vec((0..6_usize, writer()), 0..4),
    ) {
        let mut whole = Files::default();
        let mut summaries: Vec<Summary> = Vec::new();
        for ((steps, writer), number) in leaves.into_iter().zip(1..) {
            let messages = stored(steps.into_iter().flatten().collect());
            for message in &messages {
                whole.read(message);
            }
            let made = leaf(&messages, &summaries, number, writer);
            summaries.push(made);
        }
        let check = |summaries: &[Summary]| {
            for known in whole.states().filter(|known| tells_change(&known.state)) {
                let told = told_last(summaries, &known.path).unwrap_or_default();
                prop_assert_eq!(verb(&told), verb(&known.state), "{}: {}", known.path, told);
                for word in [" failed: ", "deleted", "moved to "] {
                    prop_assert!(!told.contains(word) || known.state.contains(word), "{}", told);
                }
            }
            Ok(())
        };
        check(&summaries)?;
        for (at, writer) in merged {
            if let Some([older, newer]) = summaries.get(at..at + 2) {
                let made = parent(&[older.clone(), newer.clone()], 9, writer);
                summaries.splice(at..at + 2, [made]);
                check(&summaries)?;
            }
        }
    }
}

#[test]
fn a_look_in_a_newer_leaf_does_not_stand_where_an_older_one_tells_a_change() {
    let earlier = [summary(
        1,
        "Files:\n- a.rs -> written: fn a()\n- b.rs -> read",
    )];
    let look =
        |path: &str| NewMessage::tool_use("1", "Read", json!({ "file_path": path }).to_string());
    let messages = stored(vec![look("a.rs"), look("b.rs"), look("c.rs")]);
    let children: Vec<Child<'_>> = messages.iter().map(Child::Message).collect();
    let floor = floor_leaf(&messages, Tokens::new(400), &Estimator);
    let body = SummaryBody::parse(&carry(&floor, &children, &earlier, ROOM, &Estimator));
    let want =
        [("b.rs", "read"), ("c.rs", "read")].map(|(path, state)| (path.into(), state.into()));
    assert_eq!(body.files, want);
    // What a model has seen in it is told beside what was done to it.
    let told = "Files:\n- a.rs -> read, parses dates";
    let body = SummaryBody::parse(&carry(told, &children, &earlier, ROOM, &Estimator));
    assert_eq!(
        body.items(Section::Files).first().map(String::as_str),
        Some("a.rs -> written; read, parses dates")
    );
}
