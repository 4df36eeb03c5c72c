//! The floor: what is left of a talk without a model, on talks with planted facts.

mod kits;
#[path = "../../../examples/squeeze_eval/plant.rs"]
mod plant;
#[path = "../../../examples/squeeze_eval/squeezed.rs"]
mod squeezed;
mod stdin;
#[path = "../../../examples/squeeze_eval/words/mod.rs"]
mod words;

use self::plant::{Random, plant};
use self::squeezed::{Squeezer, Survival, survive};
use self::words::TONGUES;

/// Squeezes a few talks of a language to 20 % five times over.
fn squeezed(tongue_idx: usize, seeds: std::ops::Range<u64>, squeezer: &Squeezer) -> Survival {
    let mut sum = Survival::default();
    for seed in seeds {
        let talk = plant(tongue_idx, &mut Random::new(seed));
        sum.add(survive(&talk, 5, 20, squeezer).unwrap());
    }
    sum
}

/// Checks the share of facts kept, of updates resolved and of stale values, each in percent.
#[track_caller]
fn check_survival(language: &str, kept: f64, resolved: u32, stale: u32) {
    let tongue_idx = TONGUES.iter().position(|tongue| tongue.name == language);
    let found = squeezed(tongue_idx.unwrap(), 0..6, &Squeezer::Function);
    assert!(found.percent() >= kept, "{found:?}");
    assert!(
        100 * found.resolved >= resolved * found.updates,
        "{found:?}"
    );
    assert!(100 * found.stale <= stale * found.updates, "{found:?}");
}

#[test]
fn facts_in_english_survive_five_rounds_at_a_fifth_of_the_size() {
    check_survival("English", 90.0, 95, 10);
}

#[test]
fn facts_in_portuguese_survive_five_rounds_at_a_fifth_of_the_size() {
    check_survival("Portuguese", 92.0, 95, 15);
}

/// German capitals do not tell names from nouns, so that more old values stay beside the new.
#[test]
fn facts_in_german_survive_five_rounds_at_a_fifth_of_the_size() {
    check_survival("German", 87.0, 90, 40);
}

/// Talks with more beside their facts would be easier to squeeze than those of others.
#[test]
fn facts_are_as_dense_as_in_a_kit_of_others() {
    for tongue_idx in 0..TONGUES.len() {
        let densities = (0..20).map(|seed| plant(tongue_idx, &mut Random::new(seed)).density());
        let mean = densities.sum::<f64>() / 20.0;
        assert!((22.0..25.0).contains(&mean), "{tongue_idx}: {mean:.1} %");
    }
}

#[test]
fn the_same_seed_plants_the_same_talk() {
    let text = |seed| -> Vec<String> {
        let talk = plant(0, &mut Random::new(seed));
        talk.said.into_iter().map(|said| said.text).collect()
    };
    assert_eq!(text(7), text(7));
    assert_ne!(text(7), text(8));
}
