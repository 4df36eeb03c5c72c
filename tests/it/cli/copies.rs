//! Other files that hold a message, named beside it.

use serde_json::{Value, json};

use crate::program::Program;

fn record(session: &str, uuid: &str, text: &str) -> String {
    let record = json!({
        "type": "user", "uuid": uuid, "parentUuid": null, "sessionId": session,
        "cwd": "/w", "version": "2.0.0", "timestamp": "2026-01-05T10:00:00.000Z",
        "message": {"role": "user", "content": text},
    });
    format!("{record}\n")
}

#[test]
fn a_message_names_the_files_that_repeat_it() {
    let program = Program::new();
    let id = "00000000-0000-4000-8000-000000000001";
    let files: Vec<String> = (0..5)
        .map(|n| {
            let session = format!("s{n}");
            let text = record(&session, &format!("own{n}"), "only here")
                + &record(&session, id, "count the buoys");
            let path = program.write(&format!("t/{n}.jsonl"), &text);
            let whole = std::fs::canonicalize(path).unwrap();
            whole.to_str().unwrap().to_owned()
        })
        .collect();
    for (file, n_copies) in files.iter().zip([0, 1, 1, 1, 1]) {
        let answer = program.json(&["import", file]);
        assert_eq!(answer["files"][0]["copies"], n_copies);
    }
    let found = program.json(&["grep", "buoys"]);
    assert_eq!(found["total"], 1);
    let place = |file: &String| json!({"file": file, "line": 2});
    let places: Vec<Value> = files[1..].iter().map(place).collect();
    assert_eq!(found["results"][0]["copies"], json!(places));
    let hit = found["results"][0]["id"].as_str().unwrap();
    let shown = program.json(&["expand", hit]);
    let message = &shown["messages"][0];
    assert_eq!(message["sources"][0]["file"], json!(files[0]));
    let first = &message["copies"][0];
    assert_eq!(
        (&first["file"], &first["line"]),
        (&json!(files[1]), &json!(2))
    );
    assert_eq!(first["format"], "claude-code");
    assert_eq!(message["copies"].as_array().unwrap().len(), 4);
    // The session's name differs, so the bytes do, and their hash.
    assert_ne!(first["sha256"], message["sources"][0]["sha256"]);
    let line = |file: &String| format!("also in {file} line 2\n");
    let two = format!(
        "    {}    {}    and 2 more\n",
        line(&files[1]),
        line(&files[2])
    );
    let text = program.run(&["grep", "buoys"]).stdout;
    assert!(text.contains(&format!("count the buoys\n{two}")), "{text}");
    let text = program.run(&["expand", hit]).stdout;
    let three: String = files[1..4].iter().map(line).collect();
    let wanted = format!("  count the buoys\n{three}and 1 more\n\n");
    assert!(text.ends_with(&wanted), "{text}");
    let alone = program.json(&["grep", "only here", "--limit", "1"]);
    assert_eq!(alone["results"][0]["copies"], json!([]));
    assert!(
        !program
            .run(&["grep", "\"only here\""])
            .stdout
            .contains("also in")
    );
}
