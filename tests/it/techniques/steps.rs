//! How a step escalates, and how long an answer may be.

use hippocamp::domain::{Estimator, Origin, TokenCounter, Tokens};
use hippocamp::policy::limits::Limits;

use crate::bench::{Behaviour, Bench, Model, Reply, Setup, good, talk};

/// Ways to answer that are no summary.
const USELESS: [Behaviour; 5] = [
    Behaviour::Fails,
    Behaviour::Empty,
    Behaviour::Grows,
    Behaviour::Echoes,
    Behaviour::Refuses,
];

/// Compacts by hand a talk that is larger than its window, so that nothing can wait.
async fn compacted(model: Option<&std::sync::Arc<Model>>) -> Bench {
    let mut setup = Setup::window(4_000).patient();
    if let Some(model) = model {
        setup = setup.model(model);
    }
    let bench = setup.bench();
    bench.append(talk(0, 40, 150)).await;
    bench.engine.compact(&bench.session).await.unwrap();
    bench.check().await;
    bench
}

#[tokio::test]
async fn technique_s17_what_is_no_summary_is_asked_again_in_stronger_words() {
    for useless in USELESS {
        let model = Model::new(move |call, prompt| match call {
            0 => useless.reply(call, prompt),
            _ => Reply::Says(good(call)),
        });
        let bench = compacted(Some(&model)).await;
        let asked = model.prompts();
        assert_ne!(asked[0].system, asked[1].system, "{useless:?}");
        let first = &bench.summaries().await[0];
        assert_eq!(first.node.origin, Origin::Model, "{useless:?}");
        assert_eq!(first.body, good(1), "{useless:?}");
    }
}

#[tokio::test]
async fn technique_s17_twice_no_summary_ends_at_the_floor_the_same_for_all() {
    let floor = compacted(None).await.summaries().await[0].clone();
    assert_eq!(floor.node.origin, Origin::Floor);
    for useless in USELESS {
        let model = Model::behaving(useless);
        let bench = compacted(Some(&model)).await;
        let summaries = bench.summaries().await;
        let first = &summaries[0];
        // Where the model failed it is asked again one day; where it answered it is not.
        let want = match useless {
            Behaviour::Fails => Origin::Fallback,
            _ => Origin::Floor,
        };
        assert_eq!(first.node.origin, want, "{useless:?}");
        assert_eq!(first.node.span, floor.node.span, "{useless:?}");
        assert_eq!(first.body, floor.body, "{useless:?}");
        assert!(model.calls() >= 2, "{useless:?}");
    }
}

/// Returns the first summary where a model answers with so many words, and how often it was asked.
async fn answered(n_words: usize) -> (Origin, Tokens, Tokens) {
    let words: Vec<String> = (0..n_words).map(|_| "harbour".to_owned()).collect();
    let answer = words.join(" ");
    let long = Estimator.count(&answer);
    let model = Model::new(move |_, _| Reply::Says(answer.clone()));
    let bench = compacted(Some(&model)).await;
    let first = bench.summaries().await[0].clone();
    (first.node.origin, long, Estimator.count(&first.body))
}

#[tokio::test]
async fn technique_s18_an_answer_is_taken_up_to_its_cap_and_never_stored_beyond() {
    let limits = Limits::default();
    // A leaf of this window may hold 5 % of it.
    let target = Tokens::new(4_000).percent(limits.leaf_target_budget_percent);
    let cap = target.percent(limits.answer_percent);
    let mut seen = Vec::new();
    for n_words in [20, 60, 90, 120, 150, 180, 240, 400, 2_000] {
        let (origin, long, stored) = answered(n_words).await;
        let want = if long <= cap {
            Origin::Model
        } else {
            Origin::Floor
        };
        assert_eq!(origin, want, "{n_words} words, {long} of {cap} tokens");
        assert!(stored <= cap, "{n_words} words, stored {stored} of {cap}");
        if origin == Origin::Floor {
            assert!(stored <= target, "{stored} of {target}");
        }
        seen.push(origin);
    }
    assert!(seen.contains(&Origin::Model) && seen.contains(&Origin::Floor));
}
