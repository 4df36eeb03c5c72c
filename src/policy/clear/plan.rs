//! Which of the candidates become lines, now that their bodies are known.
//! May not clear less than is worth it.

use std::collections::HashMap;

use crate::domain::{
    ClearPlan, Cleared, Frontier, FrontierItem, MessageId, Part, TokenCounter, Tokens,
};
use crate::policy::assemble::{Bodies, cleared_line, is_piece, shown_tokens};
use crate::policy::limits::Limits;

use super::find::{Candidates, Found};

/// One candidate with what it holds.
struct Body<'a> {
    found: &'a Found,
    tool: Option<&'a str>,
    content: &'a str,
    is_error: bool,
    /// What it holds, and what views show of that after the cut at source.
    whole: Tokens,
    shown: Tokens,
}

/// Decides which results become lines; `None` where that would save too little.
///
/// Results of exempt tools stay, and those no longer than their line. Of several results that say
/// the same, an older one names the newest that stays whole.
#[must_use]
pub fn plan_clear(
    candidates: &Candidates,
    bodies: &Bodies,
    limits: &Limits,
    counter: &dyn TokenCounter,
) -> Option<ClearPlan> {
    let read = |found| read(found, bodies, limits, counter);
    let (exempt, old): (Vec<Body<'_>>, Vec<Body<'_>>) = candidates
        .old
        .iter()
        .filter_map(read)
        .partition(|body| body.tool.is_some_and(|tool| limits.is_exempt(tool)));
    let kept: Vec<Body<'_>> = candidates.kept.iter().filter_map(read).collect();
    // The newest of each comes last, and stays in the map.
    let whole: HashMap<(&str, bool), MessageId> = exempt
        .iter()
        .chain(&kept)
        .map(|body| ((body.content, body.is_error), body.found.row))
        .collect();
    let mut results = Vec::new();
    for body in &old {
        let twin = whole.get(&(body.content, body.is_error)).copied();
        results.extend(line_of(body, twin, counter).map(|cleared| (body.found.row, cleared)));
    }
    let plan = ClearPlan {
        conversation: candidates.conversation,
        tokens_before: candidates.pressure,
        results,
    };
    (!plan.results.is_empty() && plan.saved() >= limits.clear_least).then_some(plan)
}

/// Reads what a result holds; `None` where its row was not read.
fn read<'a>(
    found: &'a Found,
    bodies: &'a Bodies,
    limits: &Limits,
    counter: &dyn TokenCounter,
) -> Option<Body<'a>> {
    let parts = &bodies.messages.get(&found.row)?.parts;
    let is_result = |part: &Part| matches!(part, Part::ToolResult { .. });
    let at = (0..parts.len())
        .filter(|&at| parts.get(at).is_some_and(is_result))
        .nth(found.nth)?;
    let (part, after) = parts.get(at..)?.split_first()?;
    let Part::ToolResult {
        content, is_error, ..
    } = part
    else {
        return None;
    };
    let tool = tool_of(found, bodies);
    let mut whole = counter.count(content);
    let mut shown = shown_tokens(part, limits.cap_of(tool), counter);
    for piece in after.iter().take_while(|part| is_piece(part)) {
        let tokens = shown_tokens(piece, limits.tool_result_cap, counter);
        whole += tokens;
        shown += tokens;
    }
    Some(Body {
        found,
        tool,
        content,
        is_error: *is_error,
        whole,
        shown,
    })
}

/// Returns the tool of a result; `None` where its call is not known or was not read.
pub(in crate::policy) fn tool_of<'a>(found: &Found, bodies: &'a Bodies) -> Option<&'a str> {
    let (row, nth) = found.call?;
    let parts = &bodies.messages.get(&row)?.parts;
    let mut calls = parts.iter().filter_map(|part| match part {
        Part::ToolUse { name, .. } => Some(name.as_str()),
        _ => None,
    });
    calls.nth(nth)
}

/// Makes the line of a result; `None` where it would be no shorter.
fn line_of(
    body: &Body<'_>,
    twin: Option<MessageId>,
    counter: &dyn TokenCounter,
) -> Option<Cleared> {
    let mut cleared = Cleared {
        nth: u32::try_from(body.found.nth).ok()?,
        tool: body.tool.map(str::to_owned),
        tokens: body.whole,
        saved: Tokens::ZERO,
        same_as: twin.filter(|twin| *twin > body.found.row),
    };
    let line = cleared_line(body.found.row, &cleared, body.content, body.is_error);
    cleared.saved = body.shown.saturating_sub(counter.count(&line));
    (cleared.saved > Tokens::ZERO).then_some(cleared)
}

/// Shows a frontier as it is once a plan is recorded.
pub fn apply(plan: &ClearPlan, frontier: &mut Frontier) {
    let mut of_row: HashMap<MessageId, Vec<&Cleared>> = HashMap::new();
    for (row, cleared) in &plan.results {
        of_row.entry(*row).or_default().push(cleared);
    }
    for item in &mut frontier.items {
        let FrontierItem::Raw(row) = item else {
            continue;
        };
        for cleared in of_row.remove(&row.id).unwrap_or_default() {
            row.view_tokens = row.view_tokens.saturating_sub(cleared.saved);
            row.cleared.push(cleared.clone());
        }
        row.cleared.sort_by_key(|cleared| cleared.nth);
    }
}
