use proptest::prelude::*;

use super::*;

fn seen(estimated: u64, measured: u64) -> Seen {
    Seen {
        event: None,
        estimated: Tokens::new(estimated),
        measured: Tokens::new(measured),
    }
}

proptest! {
    /// A mutant that compares the plain measurements calls growth ineffective, and one that takes
    /// any promise for kept calls all effective: both fail.
    #[test]
    fn what_a_compaction_really_saved_decides(
        estimated in 2_000_u64..1_000_000,
        thousandths in 500_u64..4_000,
        grown in 0_u64..1_000_000,
        saved in 1_u64..1_000_000,
        kept_percent in 0_u64..=100,
    ) {
        let limits = Limits::default();
        let counted = |tokens: u64| tokens * thousandths / 1_000;
        let before = seen(estimated, counted(estimated));
        // The view grew, and the compaction kept so much of its promise.
        let now_estimated = (estimated + grown).saturating_sub(saved);
        let uncompacted = now_estimated + saved;
        let measured = counted(uncompacted) - counted(saved) * kept_percent / 100;
        let effect = judge(before, seen(now_estimated, measured), Tokens::new(saved), &limits);
        let is_small = saved <= uncompacted * limits.effect_seen_percent / 100;
        if is_small {
            prop_assert_eq!(effect, Effect::NotJudged);
        } else if kept_percent > 30 {
            prop_assert_eq!(effect, Effect::Effective);
        } else if kept_percent < 20 {
            prop_assert_eq!(effect, Effect::Ineffective);
        }
    }
}

#[test]
fn technique_k2_three_in_a_row_begin_a_pause_and_one_that_helped_ends_it() {
    let limits = Limits::default();
    let at = Timestamp::from_millis;
    let mut state = Steering::default();
    for _ in 0..2 {
        note(&mut state, Effect::Ineffective, &limits, at(0));
        note(&mut state, Effect::NotJudged, &limits, at(0));
        assert_eq!(pause_at(&state, at(0)), None);
    }
    note(&mut state, Effect::Ineffective, &limits, at(5));
    let pause = pause_at(&state, at(5)).unwrap();
    assert_eq!(pause.until, at(5 + limits.ineffective_pause_millis));
    assert_eq!(pause_at(&state, pause.until), None, "it ends by itself");
    // The next one that does not help begins it again.
    note(&mut state, Effect::Ineffective, &limits, pause.until);
    assert!(pause_at(&state, pause.until).is_some());
    note(&mut state, Effect::Effective, &limits, pause.until);
    assert_eq!((state.ineffective, state.pause), (0, None));
}
