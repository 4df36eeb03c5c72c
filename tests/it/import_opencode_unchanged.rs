//! A database of `OpenCode` that has changed: what is read of it again.

use crate::import_cases::counts;
use crate::import_opencode::{Code, said};
use crate::import_support::Home;
use crate::support::assert_clean;

const NOW: i64 = 1_767_700_000_000;

/// Makes three sessions of one message each; the last has the newest change.
fn fleet(home: &Home) -> Code {
    let code = Code::new(home);
    for (n, name) in [(1, "one"), (2, "two"), (3, "three")] {
        let session = format!("s{n}");
        if n > 1 {
            code.session(&session, None);
        }
        code.message(&session, &format!("m{n}"), r#"{"role":"user"}"#);
        code.part(&session, &format!("m{n}"), &format!("p{n}"), &said(name));
    }
    touch(&code, "p3", NOW);
    code
}

fn touch(code: &Code, part: &str, at: i64) {
    let sql = "UPDATE part SET time_updated = ?2 WHERE id = ?1";
    assert_eq!(code.raw.execute(sql, (part, at)).unwrap(), 1);
}

#[test]
fn only_sessions_that_were_touched_are_read_again() {
    let home = Home::new();
    let code = fleet(&home);
    assert_eq!(home.import(code.paths()).totals.records, 6);
    // An edit in the second: the first is passed over, the third has the newest change.
    code.edit("p2", &said("two, no, twenty"));
    touch(&code, "p2", NOW - 5);
    let account = home.import(code.paths());
    assert_eq!((account.totals.records, account.totals.edited), (4, 1));
    home.check_found("twenty", 1);
    // A part more, without a word of the session's row.
    code.part("s1", "m1", "p9", &said("eleven"));
    let account = home.import(code.paths());
    assert_eq!(counts(&account), (1, 2, 2, 0, 0));
    // A title alone.
    code.raw
        .execute("UPDATE session SET title = 'Gulls' WHERE id = 's2'", [])
        .unwrap();
    assert_eq!(home.import(code.paths()).totals.records, 4);
    let listed = home.runtime.block_on(home.engine.sessions()).unwrap();
    assert!(
        listed
            .iter()
            .any(|one| one.title.as_deref() == Some("Gulls"))
    );
    assert_eq!(home.import(code.paths()).totals.records, 0);
    assert_clean(&home.runtime.block_on(home.engine.doctor()).unwrap());
}

#[test]
fn an_edit_in_the_millisecond_of_the_import_is_seen() {
    let home = Home::new();
    let code = fleet(&home);
    home.import(code.paths());
    code.edit("p3", &said("three, no, thirty"));
    touch(&code, "p3", NOW);
    assert_eq!(home.import(code.paths()).totals.edited, 1);
    // The same when another session has the newest change by then.
    code.edit("p3", &said("three, no, forty"));
    touch(&code, "p3", NOW);
    touch(&code, "p1", NOW + 5);
    assert_eq!(home.import(code.paths()).totals.edited, 1);
    home.check_found("forty", 1);
}

#[test]
fn a_session_whose_rows_do_not_say_when_they_changed_is_read_again() {
    let home = Home::new();
    let code = fleet(&home);
    code.raw
        .execute("UPDATE part SET time_updated = NULL WHERE id = 'p1'", [])
        .unwrap();
    home.import(code.paths());
    let sql = "UPDATE part SET data = ?1 WHERE id = 'p1'";
    code.raw.execute(sql, [said("one, no, ten")]).unwrap();
    assert_eq!(home.import(code.paths()).totals.edited, 1);
    home.check_found("ten", 1);
}
