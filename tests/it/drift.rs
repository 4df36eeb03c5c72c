//! What a view still tells after rounds of compaction. The conversation and the checks are those of
//! `examples/drift/`, which measures more of the same.

#[path = "../../examples/drift/harness/mod.rs"]
mod harness;

use std::sync::Arc;

use hippocamp::domain::NewMessage;
use hippocamp::engine::Completer;
use hippocamp::policy::carry::constraint;

use self::harness::files::{FileState, FileTruth};
use self::harness::ledger::{Constraint, Ledger};
use self::harness::rounds::{Pace, Played, Setting, play};
use self::harness::score::{Score, table};
use self::harness::speech::{Language, fill};
use self::harness::told;
use self::harness::wild::WildModel;
use crate::bench::Setup;

/// The seed that is the same on every run.
const FIXED: u64 = 7;

/// The fixed seed, and one that is drawn.
fn seeds() -> [u64; 2] {
    let drawn = std::time::UNIX_EPOCH
        .elapsed()
        .map_or(0, |since| u64::from(since.subsec_nanos()));
    [FIXED, drawn]
}

async fn played(seed: u64, rounds: usize, pace: Pace, model: Option<Arc<dyn Completer>>) -> Played {
    println!("seed {seed}, {rounds} rounds, {pace:?}");
    let setting = Setting {
        seed,
        rounds,
        pace,
        model,
    };
    let played = play(&setting).await.unwrap();
    println!("{}", table(std::slice::from_ref(&played.scores)));
    assert_eq!(played.scores.len(), rounds);
    for score in &played.scores {
        assert!(score.is_certain(), "{:#?}", played.missing);
    }
    played
}

fn last(played: &Played) -> &Score {
    played.scores.last().unwrap()
}

#[tokio::test]
async fn under_summaries_of_depth_four_constraints_and_file_states_stand_and_all_is_found_again() {
    for seed in seeds() {
        let played = played(seed, 8, Pace::Steep, None).await;
        assert!(last(&played).depth >= 4, "depth {}", last(&played).depth);
    }
}

#[tokio::test]
async fn whatever_a_model_makes_of_it_constraints_and_file_states_stand_and_all_is_found_again() {
    for seed in seeds() {
        let model: Arc<dyn Completer> = Arc::new(WildModel::default());
        let played = played(seed, 8, Pace::Steep, Some(model)).await;
        // How deep the tree of a drawn seed grows by then depends on how long its summaries are.
        let least = if seed == FIXED { 4 } else { 3 };
        assert!(
            last(&played).depth >= least,
            "depth {}",
            last(&played).depth
        );
        // What it writes is refused where that is longer than what it is made of: here never, in the
        // talk of a drawn seed now and then.
        let is_its_own = if seed == FIXED {
            last(&played).by_model.is_whole()
        } else {
            played.scores.iter().any(|score| score.by_model.is_whole())
        };
        assert!(is_its_own, "the wild model was refused");
    }
}

#[tokio::test]
async fn long_rounds_by_the_shipped_limits_keep_constraints_and_file_states_and_all_findable() {
    let played = played(FIXED, 2, Pace::Shipped, None).await;
    assert!(last(&played).depth >= 2, "depth {}", last(&played).depth);
}

/// Returns whether a view of `said` tells of a constraint that `ended_by` took back.
async fn tells(said: &[&str], sentence: &str, ended_by: Option<&str>) -> bool {
    let bench = Setup::window(8_000).bench();
    let said = said.iter().map(|text| NewMessage::user(*text)).collect();
    bench.append(said).await;
    let mut ledger = Ledger::default();
    ledger.constraints.push(Constraint {
        sentence: sentence.to_owned(),
        ended_by: ended_by.map(str::to_owned),
    });
    let (score, untold) = told::check(&bench.view(8_000).await, &ledger);
    assert_eq!(score.constraints.is_whole(), untold.is_empty());
    score.constraints.is_whole()
}

#[tokio::test]
async fn a_constraint_counts_as_told_letter_for_letter_and_only_while_it_holds() {
    let sets = "Never push to the <main> branch.";
    let ends = "You may push to the <main> branch again.";
    assert!(tells(&[sets], sets, None).await);
    assert!(!tells(&["Never push to the main branch."], sets, None).await);
    assert!(tells(&[sets, ends], sets, Some(ends)).await);
    assert!(tells(&["Go on."], sets, Some(ends)).await);
    assert!(!tells(&[sets], sets, Some(ends)).await);
    assert!(!tells(&[sets, ends, sets], sets, Some(ends)).await);
}

#[track_caller]
fn check_told(state: FileState, has_failed_since: bool, told: Option<&str>, want: bool) {
    let file = FileTruth {
        path: "src/pier.rs".to_owned(),
        state,
        has_failed_since,
        said: 0,
    };
    assert_eq!(file.is_told_by(told), want, "{file:?} told as {told:?}");
}

#[test]
fn a_file_counts_as_told_only_in_its_newest_state() {
    use FileState::{Deleted, Edited, MovedFrom, MovedTo, Untouched, Written};
    let moved = || MovedTo("attic/pier.rs".to_owned());
    check_told(Written, false, Some("written: fn removed() {"), true);
    check_told(Written, false, Some("edited: fn pier() {"), false);
    check_told(Written, false, None, false);
    check_told(Edited, false, Some("created, then edited"), true);
    check_told(Edited, false, Some("edited, then deleted"), false);
    check_told(Edited, false, Some("read"), false);
    check_told(Edited, true, Some("edited failed: not found"), true);
    check_told(Edited, false, Some("edited failed: not found"), false);
    check_told(Edited, true, Some("edited by a patch"), true);
    check_told(Deleted, false, Some("deleted"), true);
    check_told(Deleted, false, Some("edited"), false);
    check_told(moved(), false, Some("moved to attic/pier.rs"), true);
    check_told(moved(), false, Some("moved to attic/quay.rs"), false);
    let came = || MovedFrom("src/quay.rs".to_owned());
    check_told(came(), false, Some("moved from src/quay.rs"), true);
    check_told(
        came(),
        false,
        Some("edited: fn a() (moved from src/quay.rs)"),
        true,
    );
    check_told(came(), false, Some("edited: fn a()"), false);
    check_told(Untouched, true, None, true);
    check_told(Untouched, false, Some("written"), false);
}

/// Says whether `sentence` takes back a constraint of these words.
fn ends(sentence: &str, constraint: &str) -> bool {
    constraint::find(sentence)
        .iter()
        .any(|found| constraint::lifts(found, constraint))
}

#[test]
fn every_rule_of_the_talk_is_found_and_ended_by_its_own_end_only() {
    let mut faults = Vec::new();
    for language in Language::ALL {
        let lifted = language.lifted_rules();
        let rules = lifted
            .iter()
            .chain(&language.replaced_rules())
            .copied()
            .collect::<Vec<_>>();
        for rule in rules {
            let slots = [("{a}", "barenobex"), ("{n}", "20417"), ("{m}", "53186")];
            let others = [("{a}", "corifumint"), ("{n}", "71940"), ("{m}", "88215")];
            let [sets, end] = [rule.sets, rule.ends].map(|text| fill(text, &slots));
            let other = fill(rule.sets, &others);
            let found = constraint::find(&sets);
            if !found
                .iter()
                .any(|found| found.kind == constraint::Kind::Sets && found.sentence == sets)
            {
                faults.push(format!("not found: {sets}"));
            }
            if !ends(&end, &sets) {
                faults.push(format!("not ended: {sets} by {end}"));
            }
            if ends(&end, &other) {
                faults.push(format!("ended: {other} by {end}"));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
