//! Steps are short and hold every word once.

use proptest::prelude::*;

use super::mark::{IndexMark, varint};
use super::step::{IndexWork, STEP_BYTES, STEP_ROWS, plan_steps};
use crate::domain::IndexRow;

#[track_caller]
fn check_varint(bytes: &[u8], want: Option<u64>) {
    assert_eq!(varint(bytes).map(|(value, _)| value), want);
}

#[test]
fn variable_length_integers_are_read_as_sqlite_writes_them() {
    check_varint(&[0x00], Some(0));
    check_varint(&[0x7f], Some(127));
    check_varint(&[0x81, 0x00], Some(128));
    check_varint(&[0x82, 0x80, 0x01], Some(32_769));
    check_varint(&[], None);
    check_varint(&[0x80], None);
    check_varint(&[0x80; 9], None);
}

/// Rows of which some are longer than a step, made of words or of one unbroken word.
fn rows() -> impl Strategy<Value = Vec<IndexRow>> {
    let length = prop_oneof![20 => 0..40_usize, 1 => 10_000..30_000_usize];
    let word = prop_oneof![Just("word"), Just("é"), Just("longer-word-of-some-size")];
    proptest::collection::vec((length, word), 0..90).prop_map(|rows| {
        (1..)
            .zip(rows)
            .map(|(id, (length, word))| IndexRow {
                id: id * 3,
                tokens: vec![word; length].join(" "),
            })
            .collect()
    })
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    // W23: a step is short, and the steps together hold every word once, in order; a damaged row
    // has a step of its own in its place.
    #[test]
    fn steps_are_short_and_hold_every_word_once(all in rows(), every in 2..9_i64, stop in 0..40_usize) {
        let is_damaged = |id: i64| id % every == 0;
        let words_of = |row: &IndexRow| if is_damaged(row.id) { Vec::new() } else { words(&row.tokens) };
        let want: Vec<_> = all.iter().map(|row| (row.id, words_of(row))).collect();
        let damaged: Vec<i64> = all.iter().map(|row| row.id).filter(|id| is_damaged(*id)).collect();
        let rows: Vec<IndexRow> = all.into_iter().filter(|row| !is_damaged(row.id)).collect();
        let mut mark = IndexMark { id: 1, pieces: 0 };
        let start = mark;
        let steps = plan_steps(start, 1, rows.clone(), &damaged);
        let mut held: Vec<(i64, Vec<String>)> = Vec::new();
        for step in &steps {
            prop_assert_eq!(step.expected, mark, "each follows the one before");
            prop_assert!(step.next > mark);
            mark = step.next;
            match &step.work {
                IndexWork::Rows(rows) => {
                    let bytes: usize = rows.iter().map(|row| row.tokens.len()).sum();
                    prop_assert!(rows.len() <= STEP_ROWS && bytes <= STEP_BYTES);
                    held.extend(rows.iter().map(|row| (row.id, words(&row.tokens))));
                }
                IndexWork::Damaged { id } => held.push((*id, Vec::new())),
                IndexWork::Piece { id, ordinal, n_pieces, tokens } => {
                    prop_assert!(tokens.len() <= STEP_BYTES && *n_pieces > 1);
                    if *ordinal == 0 {
                        held.push((*id, Vec::new()));
                    }
                    held.last_mut().unwrap().1.extend(words(tokens));
                    prop_assert_eq!(step.next.pieces == 0, ordinal + 1 == *n_pieces);
                }
            }
        }
        prop_assert_eq!(held, want);

        // Stopped anywhere, the rest is the same steps.
        let done = stop.min(steps.len());
        let mark = steps[..done].last().map_or(start, |step| step.next);
        let left = rows.into_iter().filter(|row| row.id > mark.id).collect();
        let damaged_left: Vec<i64> = damaged.into_iter().filter(|id| *id > mark.id).collect();
        let rest = plan_steps(mark, 1, left, &damaged_left);
        let words_left = |steps: &[super::step::IndexStep]| -> Vec<String> {
            steps.iter().flat_map(|step| match &step.work {
                IndexWork::Rows(rows) => rows.iter().flat_map(|row| words(&row.tokens)).collect(),
                IndexWork::Piece { tokens, .. } => words(tokens),
                IndexWork::Damaged { id } => vec![format!("damaged {id}")],
            }).collect()
        };
        prop_assert_eq!(words_left(&rest), words_left(&steps[done..]));
    }
}

#[test]
fn a_word_longer_than_a_step_stays_whole() {
    let word = "x".repeat(STEP_BYTES + 10);
    let tokens = format!("before {word} after");
    let steps = plan_steps(
        IndexMark::default(),
        1,
        vec![IndexRow { id: 4, tokens }],
        &[],
    );
    let pieces: Vec<&str> = steps
        .iter()
        .map(|step| match &step.work {
            IndexWork::Piece { tokens, .. } => tokens.as_str(),
            IndexWork::Rows(_) | IndexWork::Damaged { .. } => panic!("a large row"),
        })
        .collect();
    assert_eq!(pieces, ["before", word.as_str(), "after"]);
}
