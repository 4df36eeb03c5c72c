//! A file cut anywhere and completed is the whole.

use proptest::prelude::*;

use super::{Bench, answer, text_block, user};

/// Lines of every kind that a file can hold, some damaged.
fn sample_lines() -> Vec<Vec<u8>> {
    let bare = r#"{"type":"user","sessionId":"s1","message":{"role":"user","content":"again"}}"#;
    vec![
        user(1, "one").into_bytes(),
        user(2, "two é 中文").into_bytes(),
        user(1, "one").into_bytes(),
        answer(3, "m1", &text_block("x"), 3).into_bytes(),
        answer(4, "m1", &text_block("y"), 5).into_bytes(),
        bare.into(),
        r#"{"type":"summary","summary":"S","leafUuid":"z"}"#.into(),
        r#"{"type":"ai-title","sessionId":"s1","aiTitle":"T"}"#.into(),
        r#"{"type":"system","uuid":"sys","sessionId":"s1","content":"note"}"#.into(),
        user(5, "other session")
            .replace("\"s1\"", "\"s2\"")
            .into_bytes(),
        format!("{}{}", user(6, "glued"), user(7, "twins")).into_bytes(),
        format!("{}{}", &user(8, "lost")[..60], user(9, "saved")).into_bytes(),
        [user(10, "padded").as_bytes(), &[0; 40]].concat(),
        vec![0; 30],
        user(11, "bad \u{7f}byte")
            .replace('\u{7f}', "#")
            .into_bytes(),
        [b"\xFF\xFE".as_slice(), user(12, "after bad").as_bytes()].concat(),
        b"42".to_vec(),
        b"".to_vec(),
        b"  \r".to_vec(),
        b"{\"type\":\"user\", oops}".to_vec(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// A file cut at any byte, imported, completed and imported again gives the rows of the whole.
    #[test]
    fn two_halves_equal_the_whole(
        picks in prop::collection::vec(0..sample_lines().len(), 1..10),
        fraction in 0.0..1.0f64,
        ends_in_newline: bool,
    ) {
        let lines = sample_lines();
        let mut bytes = picks.iter().map(|pick| lines[*pick].clone()).collect::<Vec<_>>().join(&b'\n');
        if ends_in_newline {
            bytes.push(b'\n');
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a share of a few hundred bytes")]
        let cut = (bytes.len() as f64 * fraction) as usize;
        let mut whole = Bench::new();
        let path = whole.write("x.jsonl", &bytes);
        whole.import(&path);
        let mut halves = Bench::new();
        let path = halves.write("x.jsonl", &bytes[..cut]);
        halves.import(&path);
        halves.write("x.jsonl", &bytes);
        halves.import(&path);
        prop_assert_eq!(halves.sorted_rows(), whole.sorted_rows());
    }
}
