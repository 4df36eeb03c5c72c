//! The rule of rung 2 on random talks.

use std::collections::BTreeSet;

use hippocamp::domain::{NewMessage, Part, Role, Tokens};
use hippocamp::policy::assemble::pressure;
use hippocamp::policy::limits::Limits;
use proptest::prelude::*;

use super::kit::*;
use crate::view::world::{Row, World, covers, world};

const TOOLS: [&str; 3] = ["Read", "Bash", "Skill"];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z]{1,8}( [a-z]{1,8}){0,9}",
        3 => (0..7_usize, 50..2_500_usize).prop_map(|(index, tokens)| body(index, tokens)),
        1 => Just(String::new()),
        1 => (0..2_usize).prop_map(|index| body(index, 1_200)),
    ]
}

fn result() -> impl Strategy<Value = (usize, String, bool, bool)> {
    (
        0..TOOLS.len(),
        text(),
        any::<bool>(),
        prop::bool::weighted(0.1),
    )
}

/// A batch of calls with their results: a message each, or all in one.
fn batch() -> impl Strategy<Value = Vec<Row>> {
    let results = prop::collection::vec(result(), 1..5);
    (
        results,
        0..4_usize,
        any::<bool>(),
        prop::bool::weighted(0.8),
    )
        .prop_map(|(results, salt, in_one, is_called)| {
            let id = |at: usize| format!("call-{}", at * 4 + salt);
            let calls = results
                .iter()
                .enumerate()
                .map(|(at, (tool, ..))| Part::ToolUse {
                    call_id: id(at),
                    name: TOOLS[*tool].into(),
                    arguments: "{\"path\":\"a\"}".into(),
                });
            let mut rows = Vec::new();
            if is_called {
                rows.push(NewMessage::new(Role::Assistant, calls.collect()));
            }
            let parts =
                results
                    .iter()
                    .enumerate()
                    .map(|(at, (_, content, is_error, has_picture))| {
                        let result = Part::ToolResult {
                            call_id: id(at),
                            content: content.clone(),
                            is_error: *is_error,
                        };
                        let picture = has_picture.then(|| Part::Media {
                            uri: "data:image/png;base64,AAAA".into(),
                            mime: "image/png".into(),
                        });
                        [Some(result), picture]
                            .into_iter()
                            .flatten()
                            .collect::<Vec<Part>>()
                    });
            if in_one {
                rows.push(NewMessage::new(Role::User, parts.flatten().collect()));
            } else {
                rows.extend(parts.map(|parts| NewMessage::new(Role::Tool, parts)));
            }
            rows.into_iter().map(Row::from).collect()
        })
}

fn worlds() -> impl Strategy<Value = World> {
    let said = text().prop_map(|text| vec![Row::from(NewMessage::assistant(text))]);
    let asked = text().prop_map(|text| vec![Row::from(NewMessage::user(text))]);
    let meta = text().prop_map(|text| vec![Row::from(NewMessage::user(text).meta())]);
    let rows = prop_oneof![6 => batch(), 2 => said, 2 => asked, 1 => meta];
    (prop::collection::vec(rows, 1..16), covers("[a-z ]{1,60}"))
        .prop_map(|(rows, covers)| world(None, &rows.concat(), &covers))
}

fn some_limits() -> impl Strategy<Value = Limits> {
    let least = prop_oneof![Just(1), Just(400), Just(4_096)];
    (0..5_usize, least, any::<bool>()).prop_map(|(keep, least, is_exempt)| {
        let mut limits = Limits::default();
        limits.clear_keep = keep;
        limits.clear_least = Tokens::new(least);
        if is_exempt {
            limits.clear_exempt.insert("Skill".to_owned());
        }
        limits
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn only_old_results_go_that_the_model_has_read(
        world in worlds(), limits in some_limits(), percent in 20..180_u64,
    ) {
        let budget = (pressure(&world.frontier).get() * percent / 100).max(1);
        let Some(plan) = plan(&world, &limits, budget) else { return Ok(()) };
        let gone = which(&world, Some(&plan));
        prop_assert_eq!(gone.len(), plan.results.len(), "each once");
        let results = raw_results(&world);
        let newest = newest_said(&world).unwrap();
        let read: Vec<_> = results.iter().filter(|((seq, _), _)| *seq < newest).collect();
        let old = &read[..read.len().saturating_sub(limits.clear_keep)];
        let may_go: BTreeSet<Which> = old
            .iter()
            .filter(|(_, tool)| tool.as_deref().is_none_or(|tool| !limits.is_exempt(tool)))
            .map(|(which, _)| *which)
            .collect();
        prop_assert!(gone.is_subset(&may_go), "{gone:?} of {may_go:?}");
        prop_assert!(plan.saved() >= limits.clear_least);
        prop_assert!(pressure(&world.frontier).get() * 100 > budget / 100 * 60 * 100);
        prop_assert_eq!(plan.tokens_before, pressure(&world.frontier));
        prop_assert_eq!(plan.tokens_after(), pressure(&cleared(&world, &plan).frontier));
        // Exempt or not is all that tells these from the others: each that would shrink is gone.
        for (id, _) in &plan.results {
            let row = world.metas.iter().find(|row| row.id == *id).unwrap();
            prop_assert!(row.is_visible());
        }
    }

    #[test]
    fn the_least_to_be_saved_is_the_only_reason_to_do_nothing_past_the_limit(
        world in worlds(), limits in some_limits(), percent in 20..160_u64,
    ) {
        let held = pressure(&world.frontier);
        let budget = (held.get() * percent / 100).max(1);
        let mut eager = limits.clone();
        eager.clear_least = Tokens::new(1);
        let all = plan(&world, &eager, budget);
        let is_past = held > Tokens::new(budget).percent(60);
        prop_assert!(is_past || all.is_none());
        let saved = all.as_ref().map_or(Tokens::ZERO, hippocamp::domain::ClearPlan::saved);
        let want = (saved >= limits.clear_least).then_some(all).flatten();
        prop_assert_eq!(plan(&world, &limits, budget), want);
    }

    #[test]
    fn technique_z14_a_clear_done_leaves_nothing_to_clear(
        world in worlds(), limits in some_limits(), percent in 20..160_u64,
    ) {
        let budget = (pressure(&world.frontier).get() * percent / 100).max(1);
        if let Some(first) = plan(&world, &limits, budget) {
            let after = cleared(&world, &first);
            prop_assert_eq!(plan(&after, &limits, budget).map(|plan| plan.results.len()), None);
        }
    }

    #[test]
    fn a_view_of_cleared_rows_holds_no_more_than_pressure_says(
        world in worlds(), limits in some_limits(), percent in 20..120_u64,
    ) {
        let budget = (pressure(&world.frontier).get() * percent / 100).max(1);
        if let Some(plan) = plan(&world, &limits, budget) {
            let (before, after) = (world.view(10_000_000), cleared(&world, &plan).view(10_000_000));
            prop_assert!(after.tokens < before.tokens);
            let pairs = before.items.iter().zip(&after.items);
            prop_assert!(pairs.clone().all(|(old, new)| new.tokens <= old.tokens));
            prop_assert_eq!(before.items.len(), after.items.len());
            let request: Tokens = world.request.iter().map(|row| row.view_tokens).sum();
            // What a summary covers of the request is quoted, in a wrapper of its own.
            let quoted = request + request + Tokens::new(64 * world.request.len() as u64);
            prop_assert!(after.tokens <= plan.tokens_after() + quoted);
        }
    }
}
