//! What a list becomes, case by case.

use super::*;

fn print(letter: char) -> Print {
    let mut print = [0; 32];
    print[0] = letter as u8;
    print
}

fn prints(list: &str) -> Vec<Print> {
    list.chars().map(print).collect()
}

fn branch(id: i64, talk: &str) -> Branch {
    let rows = talk
        .chars()
        .zip(1..)
        .map(|(letter, seq)| (Seq::new(seq).unwrap(), Some(print(letter))));
    let talk: Vec<_> = rows.collect();
    let head = talk.last().map(|row| row.0);
    Branch {
        id: ConversationId::new(id),
        head,
        talk,
        prompt: Vec::new(),
    }
}

/// `current | other other` against a list, to `kind action known`.
#[track_caller]
fn check_decide(stored: &str, list: &str, want: &str) {
    let mut branches = stored
        .split('|')
        .zip(1..)
        .map(|(talk, id)| branch(id, talk.trim()));
    let current = branches.next();
    let stored = Stored {
        current,
        others: branches.collect(),
        list_first: None,
    };
    let got = decide(&prints(list), &stored);
    let action = match got.action {
        SyncAction::Extend => "extend".to_owned(),
        SyncAction::Switch(id) => format!("switch {id}"),
        SyncAction::Fork(at) => format!("fork {}", at.map_or(0, Seq::get)),
    };
    assert_eq!(format!("{action} known {}", got.known), want, "{got:?}");
}

/// P9.
#[test]
fn the_stored_list_and_its_prefixes_change_nothing() {
    check_decide("abcd", "abcd", "extend known 4");
    check_decide("abcd", "ab", "extend known 2");
}

#[test]
fn an_extension_is_appended() {
    check_decide("abcd", "abcdef", "extend known 4");
}

#[test]
fn a_list_that_fits_another_branch_better_moves_the_key() {
    check_decide("abxy | abcd", "abcd", "switch 2 known 4");
    check_decide("abxy | abcd", "abcde", "switch 2 known 4");
    check_decide("abxy | abc | abcd", "abcde", "switch 3 known 4");
    // What both share is no reason to move.
    check_decide("abxy | abcd", "ab", "extend known 2");
}

#[test]
fn a_window_that_slides_is_an_extension() {
    check_decide("abcdef", "defg", "extend known 3");
    // The longest overlap counts.
    check_decide("xaaa", "aaab", "extend known 3");
}

#[test]
fn anything_else_forks_where_it_diverges() {
    check_decide("abcd", "abX", "fork 2 known 2");
    check_decide("abcd", "X", "fork 0 known 0");
}

#[test]
fn a_key_that_has_slid_is_compared_from_where_its_last_list_began() {
    let mut stored = Stored {
        current: Some(branch(1, "abcabc")),
        ..Stored::default()
    };
    stored.list_first = Seq::new(4);
    let got = decide(&prints("abcd"), &stored);
    assert_eq!((got.action, got.known), (SyncAction::Extend, 3));
}
