//! What the demo shows, for people and for programs.

use serde_json::{Value, json};

use super::story::{PLANTED, QUESTION};
use super::{SESSION, WINDOW};
use crate::cli::commands::{Beside, curve_text, expand_text, grep_text};
use crate::cli::paint::{BAD, DIM, GOOD, PathForm, STRONG, count, painted, push, tree, tree_size};
use crate::domain::{Check, CurveStep, ExpandReply, GrepReply, Timestamp, Tokens, TreeNode, View};
use crate::render::text::render;
use crate::tools::{expand_answer, grep_answer};

/// What came of the story.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) n_turns: usize,
    pub(super) n_messages: usize,
    pub(super) story_tokens: u64,
    pub(super) largest_view: Tokens,
    pub(super) tree: Vec<TreeNode>,
    pub(super) curve: Vec<CurveStep>,
    pub(super) found: GrepReply,
    pub(super) expanded: Option<ExpandReply>,
    pub(super) view: View,
    pub(super) checks: Vec<Check>,
    pub(super) now: Timestamp,
}

pub(super) fn to_json(shown: &Shown) -> Value {
    let size = tree_size(&shown.tree);
    let checks: Vec<Value> = shown
        .checks
        .iter()
        .map(|check| json!({"name": check.name, "ok": check.is_ok, "detail": check.detail}))
        .collect();
    let curve: Vec<Value> = shown
        .curve
        .iter()
        .map(|point| json!({"seq": point.seq.get(), "tokens": point.tokens.get()}))
        .collect();
    json!({
        "turns": shown.n_turns,
        "messages": shown.n_messages,
        "tokens": shown.story_tokens,
        "window": WINDOW.get(),
        "largest_view": shown.largest_view.get(),
        "tree": {"nodes": size.nodes, "depth": size.depth},
        "curve": curve,
        "fact": {"text": PLANTED, "in_view": is_in_view(shown)},
        "grep": grep_answer(&shown.found),
        "expand": shown.expanded.as_ref().map(|reply| expand_answer(reply, &[])),
        "view": {
            "tokens": shown.view.tokens.get(),
            "budget": shown.view.budget.get(),
            "fits": shown.view.fits,
        },
        "doctor": {"ok": shown.checks.iter().all(|check| check.is_ok), "checks": checks},
    })
}

pub(super) fn text(shown: &Shown) -> String {
    let mut text = format!(
        "A coding session of {} turns, {} messages and {} tokens went through a window of {} tokens.\n\
         No model was called: a local rule, the floor, wrote the summaries.\n",
        count(shown.n_turns as u64),
        count(shown.n_messages as u64),
        count(shown.story_tokens),
        count(WINDOW.get()),
    );
    heading(
        &mut text,
        "The tree: each summary above those it was made from",
    );
    push_tree(&mut text, &shown.tree);
    heading(
        &mut text,
        "Tokens a view without a limit would hold, message by message",
    );
    text.push_str(&curve_text(&shown.curve, Some(WINDOW.get())));
    heading(
        &mut text,
        &format!("hippocamp grep '{QUESTION}' --session {SESSION}"),
    );
    text.push_str(&grep_text(&shown.found, Beside::NOTHING, shown.now));
    if let (Some(hit), Some(expanded)) = (shown.found.hits.first(), &shown.expanded) {
        heading(&mut text, &format!("hippocamp expand {}", hit.id));
        text.push_str(expand_text(expanded, &[], PathForm::Whole).trim_end());
        text.push('\n');
        if !is_in_view(shown) {
            let words = format!("{PLANTED} was said in the second turn and is out of view by now.");
            text.push_str(&painted(DIM, words));
            text.push('\n');
        }
    }
    heading(&mut text, "What the model sees now");
    push!(
        text,
        "{} of {} tokens in {} items; the largest view on the way held {}\n",
        count(shown.view.tokens.get()),
        count(shown.view.budget.get()),
        count(shown.view.items.len() as u64),
        count(shown.largest_view.get()),
    );
    heading(&mut text, "hippocamp doctor");
    push_checks(&mut text, &shown.checks);
    text
}

/// Says whether the view still holds the fact that was looked for.
fn is_in_view(shown: &Shown) -> bool {
    render(&shown.view).contains(PLANTED)
}

fn heading(text: &mut String, words: &str) {
    text.push('\n');
    text.push_str(&painted(STRONG, words));
    text.push('\n');
}

/// Draws all but the leaves, which would fill the screen, and counts those.
fn push_tree(text: &mut String, nodes: &[TreeNode]) {
    let above: Vec<TreeNode> = nodes
        .iter()
        .filter(|node| node.depth.get() > 0)
        .cloned()
        .collect();
    text.push_str(&tree(&above));
    let n_leaves = tree_size(nodes).nodes - tree_size(&above).nodes;
    let words = format!(
        "and {} leaves, each of a stretch of messages",
        count(n_leaves as u64)
    );
    text.push_str(&painted(DIM, words));
    text.push('\n');
}

fn push_checks(text: &mut String, checks: &[Check]) {
    let failing: Vec<&Check> = checks.iter().filter(|check| !check.is_ok).collect();
    if failing.is_empty() {
        let words = format!("all {} checks hold", count(checks.len() as u64));
        text.push_str(&painted(GOOD, words));
        text.push('\n');
    }
    for check in failing {
        text.push_str(&painted(BAD, format!("{}: {}", check.name, check.detail)));
        text.push('\n');
    }
}
