//! What `grep` says of filters that no row can meet.

use crate::program::{Program, line};

#[test]
fn filters_that_nothing_can_meet_find_nothing_and_say_why() {
    let program = Program::new();
    program.append("main", &line("user", "an otter"));
    let check = |words: &[&str], want: &str| {
        let ended = program.run(&[&["grep"], words].concat());
        assert_eq!(ended.code, Some(1), "{words:?}");
        assert!(ended.stderr.contains(want), "{words:?}: {}", ended.stderr);
    };
    let times = "nothing is both from 2027-01-01T00:00:00.000Z on and before 2026-01-01";
    check(
        &["otter", "--since", "2027-01-01", "--before", "2026-01-01"],
        times,
    );
    check(&["otter after:2027-01-01 before:2026-01-01"], times);
    check(&["otter after:2027-01-01", "--before", "2026-01-01"], times);
    check(&["otter role:user depth:0"], "no row is both a summary");
    check(
        &["otter depth:0", "--role", "user"],
        "no row is both a summary",
    );
    check(
        &["otter depth:0", "--scope", "message"],
        "no row is both a summary",
    );
    check(&["otter role:user role:tool"], "no message has two roles");
    // Either of them may be met.
    let ended = program.run(&["grep", "otter (role:user OR depth:0)"]);
    assert!(!ended.stderr.contains("no row is both"), "{}", ended.stderr);
    let ended = program.run(&["grep", "heron", "--since", "2026-01-01"]);
    assert!(
        !ended.stderr.contains("nothing is both"),
        "{}",
        ended.stderr
    );
}
