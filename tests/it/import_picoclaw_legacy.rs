//! The documents of `PicoClaw`'s first versions, beside the lines that the host made of them.

use hippocamp::domain::Role;

use crate::import_cases::counts;
use crate::import_support::{Home, words};
use crate::support::assert_clean;

const KEY: &str = "agent:main:direct:anna";
const NAME: &str = "sessions/agent_main_direct_anna";

const MESSAGES: [&str; 5] = [
    r#"{"role":"user","content":"count the cranes"}"#,
    r#"{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"shell","arguments":"{\"cmd\":\"ls\"}"}}]}"#,
    r#"{"role":"tool","content":"four, five","tool_call_id":"c1"}"#,
    r#"{"role":"assistant","content":"Nine cranes."}"#,
    r#"{"role":"user","content":"count the cranes"}"#,
];

fn document(key: &str) -> String {
    format!(
        r#"{{"key":"{key}","messages":[{}],"summary":"Cranes were counted.","created":"2025-11-02T08:00:00Z","updated":"2025-11-02T09:00:00Z"}}"#,
        MESSAGES.join(",")
    )
}

fn lines() -> String {
    let stamp = r#","created_at":"2026-01-05T10:00:00Z"}"#;
    let lines = MESSAGES.map(|message| format!("{}{stamp}\n", &message[..message.len() - 1]));
    lines.concat()
}

#[test]
fn a_document_of_the_first_versions_is_its_session() {
    let home = Home::new();
    let name = format!("{NAME}.json");
    let account = home.take(&name, document(KEY));
    assert_eq!(counts(&account), (5, 0, 0, 0, 0));
    assert_eq!(account.files[0].format.unwrap().as_str(), "picoclaw");
    let rows = home.rows();
    assert!(rows.iter().all(|(session, _)| session.as_str() == KEY));
    assert_eq!(words(&rows[1].1), r#"shell {"cmd":"ls"}"#);
    assert_eq!(rows[2].1.role, Role::Tool);
    let begun = rows[0].1.at.unwrap().to_string();
    assert_eq!(begun, "2025-11-02T08:00:00.000Z");
    // The host's summary is no talk, and the same words said twice are said twice.
    home.check_found("\"were counted\"", 0);
    home.check_found("\"count the cranes\"", 2);
    assert_eq!(home.take(&name, document(KEY)).totals.records, 0);
    let more = r#"},{"role":"assistant","content":"Still nine."}],"summary""#;
    let grown = document(KEY).replace(r#"}],"summary""#, more);
    assert_eq!(counts(&home.take(&name, grown)), (1, 0, 5, 0, 0));
    let cut = home.take("sessions/agent_b.json", &document("agent:b")[..90]);
    assert_eq!(cut.totals.pending, 1);
    assert_clean(&home.runtime.block_on(home.engine.doctor()).unwrap());
}

#[test]
fn a_migrated_document_and_its_lines_are_one_hit_each() {
    let home = Home::new();
    home.write(&format!("{NAME}.json.migrated"), document(KEY));
    home.write(
        &format!("{NAME}.meta.json"),
        format!(r#"{{"key":"{KEY}","skip":2}}"#),
    );
    home.write(&format!("{NAME}.jsonl"), lines());
    let folder = home.folder.path().join("in");
    let account = home.import(std::slice::from_ref(&folder));
    assert_eq!(counts(&account), (5, 0, 5, 0, 0));
    home.check_found("nine", 1);
    assert_eq!(home.import(&[folder]).totals.records, 0);
    assert_clean(&home.runtime.block_on(home.engine.doctor()).unwrap());
}

#[test]
fn a_document_whose_key_is_an_alias_now_belongs_to_the_session_that_took_its_place() {
    let home = Home::new();
    home.write(&format!("{NAME}.json.migrated"), document(KEY));
    home.write(
        "sessions/sk_v1_abc.meta.json",
        format!(r#"{{"key":"sk_v1_abc","aliases":["other","{KEY}"]}}"#),
    );
    home.write("sessions/sk_v1_abc.jsonl", lines());
    let account = home.import(&[home.folder.path().join("in")]);
    assert_eq!(counts(&account), (5, 0, 5, 0, 0));
    let rows = home.rows();
    assert!(
        rows.iter()
            .all(|(session, _)| session.as_str() == "sk_v1_abc")
    );
}
