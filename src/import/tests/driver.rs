//! What a walk over paths finds and says.

use super::{Bench, user};
use crate::import::account::Problem;

#[test]
fn each_file_of_a_folder_is_accounted_for() {
    let mut bench = Bench::new();
    bench.write("a.jsonl", user(1, "a"));
    bench.write("b.JSONL", user(2, "b"));
    bench.write("deep/er/c.jsonl", user(3, "c"));
    bench.write("foreign.jsonl", "{\"role\":\"user\",\"text\":\"x\"}\n");
    bench.write("notes.txt", "not looked at");
    bench.write("empty.jsonl", "");
    let folder = bench.folder.path().to_owned();
    let account = bench.import(&folder);
    assert_eq!((account.files.len(), account.totals.stored), (5, 3));
    assert!(account.is_partial());
    let foreign = account
        .files
        .iter()
        .filter(|file| matches!(file.problem, Some(Problem::Foreign { .. })));
    assert_eq!(foreign.count(), 1);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_and_what_leads_outside_is_reported_and_not_read() {
    let mut bench = Bench::new();
    bench.write("in/a.jsonl", user(1, "inside"));
    bench.write("out/b.jsonl", user(2, "outside"));
    let folder = bench.folder.path().join("in");
    std::os::unix::fs::symlink(bench.folder.path().join("out"), folder.join("link")).unwrap();
    std::os::unix::fs::symlink("../out/b.jsonl", folder.join("b.jsonl")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(folder.join("s.jsonl")).unwrap();
    let account = bench.import(&folder);
    assert_eq!((account.totals.stored, account.links.len()), (1, 2));
    let unreadable = account
        .files
        .iter()
        .filter(|file| matches!(file.problem, Some(Problem::Unreadable { .. })));
    assert_eq!(unreadable.count(), 1);
    // A link that is named is followed.
    assert_eq!(bench.import(&folder.join("b.jsonl")).totals.stored, 1);
}

#[test]
fn a_path_that_is_not_there_does_not_stop_the_others() {
    let mut bench = Bench::new();
    let good = bench.write("a.jsonl", user(1, "a"));
    let account = bench.import_all(&[bench.folder.path().join("none"), good.clone(), good]);
    assert_eq!((account.files.len(), account.totals.stored), (2, 1));
    assert_eq!(account.files[0].problem, Some(Problem::NotFound));
}

#[test]
fn an_empty_folder_and_an_empty_file_are_no_fault() {
    let mut bench = Bench::new();
    let folder = bench.folder.path().to_owned();
    let account = bench.import(&folder);
    assert!(account.files.is_empty() && !account.is_partial());
    let path = bench.write("e.jsonl", "\n\n");
    let account = bench.import(&path);
    assert!(!account.is_partial());
    assert_eq!(account.files[0].format, None);
    assert!(bench.rehearsal().conversations.is_empty());
}

#[test]
fn a_pending_tail_is_told_and_retried() {
    let mut bench = Bench::new();
    let (first, second) = (user(1, "a"), user(2, "b"));
    let path = bench.write(
        "a.jsonl",
        format!("{first}\n{}", &second[..second.len() - 40]),
    );
    let account = bench.import(&path);
    let pending = account.files[0].pending.clone().unwrap();
    assert_eq!((account.totals.stored, account.totals.pending), (1, 1));
    assert_eq!((pending.line, pending.offset), (2, first.len() as u64 + 1));
    assert!(!account.is_partial());
    bench.write("a.jsonl", format!("{first}\n{second}\n"));
    let account = bench.import(&path);
    assert_eq!((account.totals.records, account.totals.stored), (1, 1));
    assert_eq!(bench.talk(), ["a", "b"]);
}

#[test]
fn a_large_file_is_read_in_batches_with_a_checkpoint_each() {
    let mut bench = Bench::new();
    let text: String = (1..=2_500).map(|n| user(n, "row") + "\n").collect();
    let path = bench.write("a.jsonl", &text);
    let counts = bench.import(&path).totals;
    assert_eq!((counts.stored, counts.messages), (2_500, 2_500));
    let checkpoint = bench.rehearsal().checkpoints.values().next().unwrap();
    assert_eq!(
        (checkpoint.offset, checkpoint.lines),
        (text.len() as u64, 2_500)
    );
    assert_eq!(checkpoint.prefix, *blake3::hash(text.as_bytes()).as_bytes());
    assert!(checkpoint.state.len() < 1_000, "{}", checkpoint.state);
}

#[test]
fn a_file_that_shrank_is_read_again_and_adds_nothing() {
    let mut bench = Bench::new();
    let path = bench.write("a.jsonl", format!("{}\n{}\n", user(1, "a"), user(2, "b")));
    bench.import(&path);
    bench.write("a.jsonl", format!("{}\n", user(1, "a")));
    let counts = bench.import(&path).totals;
    assert_eq!((counts.records, counts.duplicate), (1, 1));
}
