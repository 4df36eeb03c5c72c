//! `OpenCode`'s first versions: a file for each session, message and part.

use std::path::PathBuf;

use hippocamp::domain::Visibility;

use crate::import_cases::counts;
use crate::import_opencode::Code;
use crate::import_support::{Home, words};
use crate::support::assert_clean;

const CALL: &str = r#"{"id":"prt_3","messageID":"msg_2","sessionID":"ses_1","type":"tool","callID":"c1","tool":"bash","state":{"status":"completed","input":{"cmd":"ls"},"output":"rook, wren","metadata":{"exit":0},"time":{"start":1759000002000,"end":1759000003000}}}"#;

fn part(message: &str, id: &str, text: &str) -> String {
    format!(
        r#"{{"id":"{id}","messageID":"{message}","sessionID":"ses_1","type":"text","text":"{text}"}}"#
    )
}

fn files() -> Vec<(&'static str, String)> {
    let user =
        r#"{"id":"msg_1","role":"user","sessionID":"ses_1","time":{"created":1759000000000}}"#;
    let answer = r#"{"id":"msg_2","role":"assistant","sessionID":"ses_1","modelID":"m","providerID":"p","tokens":{"input":9,"output":7},"time":{"created":1759000001000}}"#;
    let session = |more: &str| {
        format!(
            r#"{{{more},"version":"0.9","directory":"/proj","time":{{"created":1759000000000}}}}"#
        )
    };
    vec![
        (
            "session/prj/ses_1.json",
            session(r#""id":"ses_1","title":"Boats""#),
        ),
        (
            "session/prj/ses_2.json",
            session(r#""id":"ses_2","parentID":"ses_1","title":"Gulls""#),
        ),
        ("message/ses_1/msg_1.json", user.to_owned()),
        ("message/ses_1/msg_2.json", answer.to_owned()),
        (
            "message/ses_2/msg_5.json",
            user.replace("msg_1", "msg_5").replace("ses_1", "ses_2"),
        ),
        (
            "part/msg_1/prt_1.json",
            part("msg_1", "prt_1", "count the boats"),
        ),
        ("part/msg_2/prt_2.json", part("msg_2", "prt_2", "Looking.")),
        ("part/msg_2/prt_3.json", CALL.to_owned()),
        (
            "part/msg_5/prt_5.json",
            part("msg_5", "prt_5", "count the gulls").replace("ses_1", "ses_2"),
        ),
        // Neither is talk.
        (
            "todo/ses_1.json",
            r#"[{"content":"paint","status":"pending"}]"#.to_owned(),
        ),
        ("session_diff/ses_1.json", "[]".to_owned()),
    ]
}

fn write(home: &Home, files: &[(&str, String)]) -> PathBuf {
    for (name, text) in files {
        home.write(&format!("storage/{name}"), text);
    }
    home.folder.path().join("in")
}

#[test]
fn a_file_for_each_part_gives_whole_messages() {
    let home = Home::new();
    let folder = write(&home, &files());
    let account = home.import(std::slice::from_ref(&folder));
    assert_eq!(counts(&account), (4, 5, 0, 0, 0));
    assert_eq!(account.totals.output_tokens, 7);
    assert_eq!(
        home.told(),
        [
            "opencode:ses_1 user: count the boats",
            r#"opencode:ses_1 assistant: Looking. bash {"cmd":"ls"}"#,
            "opencode:ses_1 tool: rook, wren",
            "opencode:ses_1/ses_2 user: count the gulls",
        ]
    );
    let rows = home.rows();
    assert_eq!(rows[1].1.model.as_deref(), Some("m"));
    assert_eq!(rows[1].1.at.unwrap().millis(), 1_759_000_001_000);
    let listed = home.runtime.block_on(home.engine.sessions()).unwrap();
    let boats = listed
        .iter()
        .find(|one| one.session.as_str() == "opencode:ses_1")
        .unwrap();
    assert_eq!(boats.title.as_deref(), Some("Boats"));
    assert_eq!(boats.project.as_deref(), Some("/proj"));
    assert_eq!(home.import(std::slice::from_ref(&folder)).totals.records, 0);
    // A part that was edited in place, and one more.
    home.write(
        "storage/part/msg_2/prt_2.json",
        part("msg_2", "prt_2", "Look."),
    );
    home.write(
        "storage/part/msg_2/prt_4.json",
        part("msg_2", "prt_4", "Two boats."),
    );
    let account = home.import(&[folder]);
    assert_eq!((account.totals.stored, account.totals.edited), (2, 1));
    assert_clean(&home.runtime.block_on(home.engine.doctor()).unwrap());
}

#[test]
fn the_older_layout_is_read_too() {
    let home = Home::new();
    let older = files().into_iter().filter_map(|(name, text)| {
        let name = match name.split_once('/')? {
            ("session", rest) => format!("session/info/{}", rest.split_once('/')?.1),
            ("message", rest) => format!("session/message/{rest}"),
            ("part", rest) if rest.starts_with("msg_5") => format!("session/part/ses_2/{rest}"),
            ("part", rest) => format!("session/part/ses_1/{rest}"),
            _ => return None,
        };
        Some((name, text))
    });
    for (name, text) in older {
        home.write(&format!("project/x/storage/{name}"), text);
    }
    let account = home.import(&[home.folder.path().join("in")]);
    assert_eq!(counts(&account), (4, 5, 0, 0, 0));
    home.check_found("\"count the gulls\"", 1);
}

#[test]
fn a_part_waits_for_its_message() {
    let home = Home::new();
    let folder = write(
        &home,
        &[("part/msg_1/prt_1.json", part("msg_1", "prt_1", "hello"))],
    );
    let account = home.import(std::slice::from_ref(&folder));
    assert_eq!((account.totals.stored, account.totals.pending), (0, 1));
    write(&home, &files());
    assert_eq!(home.import(&[folder]).totals.stored, 4);
}

#[test]
fn what_cannot_be_read_is_said() {
    let home = Home::new();
    let folder = write(&home, &files());
    home.write(
        "storage/message/ses_1/msg_9.json",
        r#"{"id":"msg_9","role":"nobody"}"#,
    );
    home.write(
        "storage/part/msg_1/prt_8.json",
        r#"{"id":"prt_8","messageID":"msg_1","#,
    );
    home.write("storage/part/msg_1/prt_9.json", r#"{"unlike":"a part"}"#);
    let account = home.import(&[folder]);
    assert_eq!((account.totals.stored, account.totals.refused), (4, 1));
    let problems = account.files.iter().filter(|file| file.problem.is_some());
    let pending = account.totals.pending;
    assert_eq!((problems.count() as u64) + pending, 2, "{account:?}");
}

/// The host copies these files into its database and leaves them where they are.
#[test]
fn what_the_database_has_as_well_is_one_hit() {
    let home = Home::new();
    let folder = write(&home, &files());
    let code = Code::new(&home);
    code.session("ses_1", None);
    let bare = |text: &str, names: &[&str]| {
        let mut value: serde_json::Value = serde_json::from_str(text).unwrap();
        let object = value.as_object_mut().unwrap();
        object.retain(|name, _| !names.contains(&name.as_str()));
        value.to_string()
    };
    for (name, text) in files() {
        let id = name.rsplit('/').next().unwrap().trim_end_matches(".json");
        let ids = ["id", "messageID", "sessionID"];
        match name.split('/').next() {
            Some("message") if id != "msg_5" => code.message("ses_1", id, &bare(&text, &ids[..])),
            Some("part") if id != "prt_5" => {
                let message = name.split('/').nth(1).unwrap();
                code.part("ses_1", message, id, &bare(&text, &ids[..]));
            }
            _ => {}
        }
    }
    let account = home.import(&[folder]);
    assert_eq!((account.totals.stored, account.totals.edited), (4, 0));
    home.check_found("boats", 1);
    let talk = home.rows();
    assert!(
        talk.iter()
            .all(|(_, row)| row.visibility == Visibility::Talk)
    );
    assert_eq!(words(&talk[0].1), "count the boats");
}

#[test]
fn an_id_that_leads_out_of_its_folder_reads_nothing_there() {
    let home = Home::new();
    let mut files = files();
    let leads = r#""parentID":"../../../elsewhere","#;
    files[1].1 = files[1].1.replace(r#""parentID":"ses_1","#, leads);
    assert!(files[1].1.contains(leads));
    let out = part("msg_9", "prt_9", "a part of what lies elsewhere");
    let out = out.replace("ses_1", "../../out");
    files.push(("part/msg_9/prt_9.json", out));
    let folder = write(&home, &files).join("storage");
    home.write("elsewhere.json", r#"{"id":"x","parentID":"taken"}"#);
    let message = r#"{"id":"msg_9","role":"user","sessionID":"s"}"#;
    home.write("out/msg_9.json", message);
    let account = home.import(&[folder]);
    assert_eq!((account.totals.refused, account.totals.pending), (1, 0));
    let told = home.told();
    assert!(
        told.contains(&"opencode:ses_2 user: count the gulls".to_owned()),
        "{told:?}"
    );
    assert!(
        !told
            .iter()
            .any(|line| line.contains("taken") || line.contains("elsewhere")),
        "{told:?}"
    );
}
