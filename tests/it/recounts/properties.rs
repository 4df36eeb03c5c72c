//! Whatever caps follow one another: after a turn, pressure is what a count from scratch finds.

use hippocamp::domain::{NewMessage, Part, Role, Seq, Span, Tokens};
use hippocamp::policy::limits::Limits;
use proptest::prelude::*;

use super::kit::*;
use crate::bench::Setup;
use crate::clears::kit::body;
use crate::support::key;

/// Caps from some turn on, what the turn stores, and whether a branch is made before it.
#[derive(Debug, Clone)]
struct Round {
    cap: u64,
    of_read: Option<u64>,
    /// Tools with the tokens of their results, and whether a picture comes with one.
    results: Vec<(&'static str, usize, bool)>,
    /// Whether the results come in one message.
    in_one: bool,
    forks: bool,
}

fn caps() -> impl Strategy<Value = u64> {
    prop::sample::select(vec![200, 700, 1_500, 6_000])
}

fn round() -> impl Strategy<Value = Round> {
    let result = (
        prop::sample::select(vec!["Read", "Bash"]),
        prop::sample::select(vec![10, 500, 1_200, 2_500]),
        prop::bool::weighted(0.2),
    );
    (
        caps(),
        prop::option::weighted(0.4, caps()),
        prop::collection::vec(result, 0..6),
        any::<bool>(),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(cap, of_read, results, in_one, forks)| Round {
            cap,
            of_read,
            results,
            in_one,
            forks,
        })
}

fn messages(index: usize, round: &Round) -> Vec<NewMessage> {
    let id = |nth: usize| format!("call-{index}-{nth}");
    let numbered = || round.results.iter().enumerate();
    let calls: Vec<Part> = numbered()
        .map(|(nth, (tool, ..))| Part::ToolUse {
            call_id: id(nth),
            name: (*tool).into(),
            arguments: "{}".into(),
        })
        .collect();
    let results = numbered().map(|(nth, (_, tokens, has_picture))| {
        let result = Part::ToolResult {
            call_id: id(nth),
            content: body(index * 8 + nth, *tokens),
            is_error: false,
        };
        let picture = has_picture.then(|| Part::Media {
            uri: "data:image/png;base64,AAAA".into(),
            mime: "image/png".into(),
        });
        [Some(result), picture].into_iter().flatten()
    });
    let mut messages = vec![NewMessage::user(format!("Go on, {index}."))];
    if !calls.is_empty() {
        messages.push(NewMessage::new(Role::Assistant, calls));
        if round.in_one {
            messages.push(NewMessage::new(Role::User, results.flatten().collect()));
        } else {
            messages.extend(results.map(|one| NewMessage::new(Role::Tool, one.collect())));
        }
    }
    messages.push(NewMessage::assistant(format!("So it is, {index}.")));
    messages
}

fn check_rounds(has_leaves: bool, rounds: &[Round]) -> Result<(), TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(async {
        let limits_of = |round: &Round| -> Limits {
            let mut limits = if has_leaves {
                Setup::window(1).limits
            } else {
                capped(1, None)
            };
            set_caps(&mut limits, round.cap, round.of_read);
            // Often, so that rows are cleared in part.
            limits.clear_keep = 2;
            limits.clear_least = Tokens::new(400);
            limits
        };
        let mut bench = bench(10_000, limits_of(&rounds[0]));
        for (index, round) in rounds.iter().enumerate() {
            let limits = limits_of(round);
            bench.restart_with(limits.clone());
            if round.forks && index > 0 {
                let head = bench.stored().len() as u64;
                let at = Seq::new(head).unwrap();
                let name = key(&format!("branch-{index}"));
                let forked = bench.engine.fork(&bench.session, at, Some(name.clone()));
                forked.await.unwrap();
                bench.session = name;
            }
            let before = match index {
                0 => 0,
                _ => recounts(&bench).await.len(),
            };
            bench.turn(messages(index, round)).await;
            bench.engine.settle().await.unwrap();
            prop_assert_eq!(held(&bench), scratch(&bench, &limits).await);
            prop_assert!(recounts(&bench).await.len() <= before + 1);
            let branch = bench.branch();
            let planner = bench.reader().planner_frontier(branch).unwrap();
            let raw: Tokens = planner.raw().map(|row| row.view_tokens).sum();
            let ends = (planner.raw().next(), planner.raw().next_back());
            if let (Some(first), Some(last)) = ends {
                let span = Span::new(first.seq, last.seq).unwrap();
                prop_assert_eq!(raw, bench.reader().view_tokens(branch, span).unwrap());
            }
        }
        bench.check().await;
        Ok(())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn after_changed_caps_and_a_turn_pressure_is_a_count_from_scratch(
        has_leaves in prop::bool::weighted(0.3), rounds in prop::collection::vec(round(), 2..7),
    ) {
        check_rounds(has_leaves, &rounds)?;
    }
}
