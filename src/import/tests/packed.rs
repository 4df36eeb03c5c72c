//! What would take more room or time than the files on the disk are worth.

use super::Bench;
use crate::import::account::Problem;
#[cfg(unix)]
use crate::import::unpack::text_beside;

#[test]
fn a_packed_document_that_would_fill_the_memory_is_not_unpacked() {
    let mut bench = Bench::new();
    let mut text = br#"[{"uuid":"a","name":"gulls","chat_messages":[]}"#.to_vec();
    text.resize(64 * 1024 * 1024, b' ');
    text.push(b']');
    let packed = zstd::encode_all(&text[..], 1).unwrap();
    assert!(packed.len() < 16 * 1024);
    let path = bench.write("conversations.json", packed);
    let account = bench.import(&path);
    let problem = account.files.first().and_then(|file| file.problem.clone());
    let Some(Problem::Unreadable { reason }) = problem else {
        panic!("{problem:?}");
    };
    assert!(reason.contains("longer than"), "{reason}");
}

#[cfg(unix)]
#[test]
fn what_lies_beside_a_transcript_is_read_only_if_it_is_a_small_file() {
    let bench = Bench::new();
    let small = bench.write("state.json", "{}");
    assert_eq!(text_beside(&small, 2).as_deref(), Some("{}"));
    assert_eq!(text_beside(&small, 1), None);
    let endless = bench.folder.path().join("endless.json");
    std::os::unix::fs::symlink("/dev/zero", &endless).unwrap();
    assert_eq!(text_beside(&endless, 2), None);
}
