//! What things cost in a view. Owns the one count of a part, a message and a summary.
//! May not decide what is shown.

use std::borrow::Cow;

use super::pins::block_tokens;
use super::shorten::{self, Reasoning};
use super::wrap::{self, Heading};
use crate::domain::{
    Cleared, Depth, Estimator, Frontier, Message, MessageId, NewMessage, Part, Role, Seq,
    SummaryId, Timestamp, TokenCounter, Tokens, arguments_object, cost,
};
use crate::policy::limits::Limits;

/// What a new message costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Costs {
    /// All its tokens, reasoning and uncut results included.
    pub tokens: Tokens,
    /// Its tokens in a view after the cut at source, without reasoning.
    pub view_tokens: Tokens,
    /// The tokens of its reasoning.
    pub reasoning_tokens: Tokens,
    /// Whether it says anything a summary could hold.
    pub has_words: bool,
}

/// Counts a message before it is stored.
///
/// The id of a message that is not stored yet is not known, so that a cut result is counted at its
/// bound.
#[must_use]
pub fn stamp_costs(message: &NewMessage, counter: &dyn TokenCounter, limits: &Limits) -> Costs {
    stamp_costs_of(message, |_| None, counter, limits)
}

/// Counts a message before it is stored; `tool_of` knows the tool that a call id belongs to.
pub fn stamp_costs_of<'a>(
    message: &NewMessage,
    tool_of: impl Fn(&str) -> Option<&'a str>,
    counter: &dyn TokenCounter,
    limits: &Limits,
) -> Costs {
    let mut tokens = Tokens::ZERO;
    let mut view_tokens = Tokens::ZERO;
    let mut reasoning_tokens = Tokens::ZERO;
    let mut has_words = false;
    for part in &message.parts {
        let full = part_tokens(part, counter);
        tokens += full;
        if shorten::is_blank(part) {
            continue;
        }
        if let Part::Reasoning { .. } = part {
            reasoning_tokens += full;
            continue;
        }
        has_words |= says_something(part);
        let tool = match part {
            Part::ToolResult { call_id, .. } => tool_of(call_id),
            _ => None,
        };
        view_tokens += shown_bound(part, full, limits.cap_of(tool), counter);
    }
    let frame = frame_tokens(message.name.as_deref(), counter);
    tokens += frame;
    if view_tokens > Tokens::ZERO {
        view_tokens += frame;
    } else if reasoning_tokens > Tokens::ZERO {
        reasoning_tokens += frame;
    }
    Costs {
        tokens,
        view_tokens,
        reasoning_tokens,
        has_words,
    }
}

/// Returns what a stored row shows at most after the cut at source, before what its clears save is
/// taken off; `tools` are those of its results, in order.
///
/// A cleared result stays at what its clear was counted from, whatever the cap is now: its line knows
/// no cap. So a clear never saves more than its row holds.
pub(in crate::policy) fn row_tokens(
    message: &Message,
    cleared: &[Cleared],
    tools: &[Option<&str>],
    counter: &dyn TokenCounter,
    limits: &Limits,
) -> Tokens {
    let mut view_tokens = Tokens::ZERO;
    let mut nths = 0..;
    let mut tools = tools.iter();
    let mut is_gone = false;
    for part in &message.parts {
        let full = part_tokens(part, counter);
        let mut tool = None;
        if let Part::ToolResult {
            content, is_error, ..
        } = part
        {
            tool = tools.next().copied().flatten();
            let nth = nths.next();
            let known = cleared.iter().find(|cleared| Some(cleared.nth) == nth);
            is_gone = known.is_some();
            if let Some(known) = known {
                let line = shorten::cleared_line(message.id, known, content, *is_error);
                let frame = full.saturating_sub(counter.count(content));
                view_tokens += frame + counter.count(&line) + known.saved;
            }
        } else {
            is_gone &= is_piece(part);
        }
        let is_shown = !shorten::is_blank(part) && !matches!(part, Part::Reasoning { .. });
        if is_shown && !is_gone {
            view_tokens += shown_bound(part, full, limits.cap_of(tool), counter);
        }
    }
    if view_tokens > Tokens::ZERO {
        view_tokens += frame_tokens(message.name.as_deref(), counter);
    }
    view_tokens
}

/// Returns what a part of `full` tokens costs at most after the cut at source.
fn shown_bound(part: &Part, full: Tokens, cap: Tokens, counter: &dyn TokenCounter) -> Tokens {
    match part {
        Part::ToolResult { content, .. } => {
            let own = counter.count(content);
            full.saturating_sub(own) + shorten::cut_bound(own, cap, counter)
        }
        Part::Opaque { .. } => shorten::cut_at_source(part, shorten::LAST_MESSAGE, cap, counter)
            .map_or(full, |line| part_tokens(&line, counter)),
        _ => full,
    }
}

/// Returns what a part shows of its own after the cut at source: the body of a result without its
/// frame, all of any other.
pub(in crate::policy) fn shown_tokens(
    part: &Part,
    cap: Tokens,
    counter: &dyn TokenCounter,
) -> Tokens {
    let full = part_tokens(part, counter);
    match part {
        Part::ToolResult { content, .. } => {
            let frame = full.saturating_sub(counter.count(content));
            shown_bound(part, full, cap, counter).saturating_sub(frame)
        }
        _ => shown_bound(part, full, cap, counter),
    }
}

/// Says whether a part that follows a result is a piece of it that is no text.
pub(in crate::policy) fn is_piece(part: &Part) -> bool {
    matches!(part, Part::Media { .. } | Part::Opaque { .. })
}

/// Says whether a summary could hold anything of the part.
fn says_something(part: &Part) -> bool {
    match part {
        Part::Text { text } | Part::ToolResult { content: text, .. } => {
            text.chars().any(char::is_alphanumeric)
        }
        Part::ToolUse { .. } | Part::Media { .. } => true,
        Part::Reasoning { .. } | Part::Opaque { .. } => false,
    }
}

/// Counts one part with its frame, the arguments of a call as they are sent: an object.
pub(super) fn part_tokens(part: &Part, counter: &dyn TokenCounter) -> Tokens {
    match part {
        Part::Text { text } | Part::Reasoning { text, .. } => cost::PART + counter.count(text),
        Part::ToolUse {
            call_id,
            name,
            arguments,
        } => {
            call_frame_tokens(call_id, name, counter)
                + counter.count(name)
                + counter.count(&arguments_object(arguments))
        }
        Part::ToolResult {
            call_id, content, ..
        } => frame_with_id(cost::RESULT, call_id, counter) + counter.count(content),
        Part::Media { uri, .. } if uri.starts_with("data:") => cost::MEDIA,
        Part::Media { uri, mime } => {
            cost::MEDIA.max(cost::PART + counter.count(uri) + counter.count(mime))
        }
        Part::Opaque { json } => cost::PART + counter.count(json),
    }
}

/// Returns a call's or result's frame; an id longer than the frame allows for costs what it is.
fn frame_with_id(frame: Tokens, call_id: &str, counter: &dyn TokenCounter) -> Tokens {
    /// What of a frame is no id.
    const BESIDE_ID: Tokens = Tokens::new(4);
    frame.max(counter.count(call_id) + BESIDE_ID)
}

/// Counts the frame of a call. Some interfaces name the tool again beside the result, which knows
/// no name here: what the frames of both have no room for is counted with the call.
fn call_frame_tokens(call_id: &str, name: &str, counter: &dyn TokenCounter) -> Tokens {
    let id = counter.count(call_id);
    let frame = frame_with_id(cost::CALL, call_id, counter);
    let both = frame + frame_with_id(cost::RESULT, call_id, counter);
    frame + (id + id + counter.count(name)).saturating_sub(both)
}

/// Counts the frame of a message.
pub(super) fn frame_tokens(name: Option<&str>, counter: &dyn TokenCounter) -> Tokens {
    cost::MESSAGE + name.map_or(Tokens::ZERO, |name| counter.count(name))
}

/// Counts a message of these parts, frame included.
pub(super) fn parts_tokens(
    parts: &[Part],
    name: Option<&str>,
    counter: &dyn TokenCounter,
) -> Tokens {
    frame_tokens(name, counter) + bodies_tokens(parts, counter)
}

/// Counts parts without the frame of their message.
pub(super) fn bodies_tokens(parts: &[Part], counter: &dyn TokenCounter) -> Tokens {
    parts.iter().map(|part| part_tokens(part, counter)).sum()
}

/// Counts an item that is one line.
pub(super) fn line_tokens(line: &str, counter: &dyn TokenCounter) -> Tokens {
    cost::MESSAGE + cost::PART + counter.count(line)
}

/// Counts a rendered summary. It has no message of its own: summaries merge with what follows, and
/// the frame of that message goes with the note before the first.
pub(super) fn wrapped_tokens(text: &str, counter: &dyn TokenCounter) -> Tokens {
    cost::PART + counter.count(text)
}

/// Counts the line before the first summary.
pub(super) fn note_tokens(deepest: Depth, counter: &dyn TokenCounter) -> Tokens {
    line_tokens(note_for(deepest), counter)
}

/// Returns what the line before the first summary grows by when a summary of `depth` joins those
/// of which `deepest` is the deepest: all of it where there was none.
pub(in crate::policy) fn note_growth(deepest: Option<Depth>, depth: Depth) -> Tokens {
    let before = deepest.map_or(Tokens::ZERO, |deepest| note_tokens(deepest, &Estimator));
    note_tokens(depth.max(deepest.unwrap_or(depth)), &Estimator).saturating_sub(before)
}

/// Counts a summary as rendered, wrapper and all: an upper bound for every id that a file can hold
/// rows for (below a million million), every place below a thousand million and every depth below
/// a thousand.
#[must_use]
pub fn summary_tokens(body: &str, counter: &dyn TokenCounter) -> Tokens {
    let longest = Heading {
        id: SummaryId::new(999_999_999_999),
        depth: Depth::new(999),
        first: LAST_PLACE,
        last: LAST_PLACE,
        from: Some(LAST_TIME),
        to: Some(LAST_TIME),
    };
    wrapped_tokens(&wrap::wrap_summary(&longest, body), counter)
}

/// The place with the most digits that is counted with.
const LAST_PLACE: Seq = match Seq::new(999_999_999) {
    Some(seq) => seq,
    None => Seq::FIRST,
};

/// A time written with as many digits as any up to the year 9999.
const LAST_TIME: Timestamp = Timestamp::from_millis(1_798_761_599_000);

/// Returns what the view would hold with no limit: the system prompt, every live pin as printed, the summaries and the line
/// before them, the raw messages, and the reasoning of the newest turn.
#[must_use]
pub fn pressure(frontier: &Frontier) -> Tokens {
    let prompt = frontier
        .prompt
        .as_ref()
        .map_or(Tokens::ZERO, |prompt| prompt.tokens);
    let nodes: Tokens = frontier.nodes().map(|node| node.tokens).sum();
    let note = frontier.nodes().map(|node| node.depth).max();
    let raw: Tokens = frontier.raw().map(|row| row.view_tokens).sum();
    // With the request covered, all that is raw belongs to the newest turn.
    let reasoning: Tokens = frontier
        .raw()
        .rev()
        .filter(|row| row.is_visible())
        .scan(false, |in_request, row| {
            let is_user = row.cut_role() == Role::User;
            let is_over = *in_request && !is_user;
            *in_request |= is_user;
            (!is_over).then_some(row.reasoning_tokens)
        })
        .sum();
    let note = note.map_or(Tokens::ZERO, |deepest| note_tokens(deepest, &Estimator));
    prompt + block_tokens(&frontier.pins) + nodes + note + raw + reasoning
}

/// Returns what is said before the first summary when the deepest is this deep.
pub(super) fn note_for(deepest: Depth) -> &'static str {
    if deepest >= wrap::DEEP {
        wrap::DEEP_NOTE
    } else {
        wrap::NOTE
    }
}

/// How the parts of one row are shown.
pub(super) struct Form<'a> {
    pub(super) id: MessageId,
    pub(super) reasoning: Reasoning,
    pub(super) cleared: &'a [Cleared],
    /// The tool of each of its results, where that is known.
    pub(super) tools: Vec<Option<&'a str>>,
}

/// Says which parts of a message are shown and how: the cut at source, cleared results as lines
/// without their pieces, blank parts gone.
pub(super) fn shown_parts(
    parts: &[Part],
    form: &Form<'_>,
    limits: &Limits,
    counter: &dyn TokenCounter,
) -> Vec<Part> {
    let mut tools = form.tools.iter();
    clear(parts, form.id, form.cleared)
        .iter()
        .filter(|part| !shorten::is_blank(part))
        .filter(|part| {
            form.reasoning == Reasoning::Shown || !matches!(part, Part::Reasoning { .. })
        })
        .map(|part| {
            let tool = match part {
                Part::ToolResult { .. } => tools.next().copied().flatten(),
                _ => None,
            };
            shorten::cut_at_source(part, form.id, limits.cap_of(tool), counter)
                .unwrap_or_else(|| part.clone())
        })
        .collect()
}

/// Puts the lines of cleared results in place of their bodies and pieces.
fn clear<'a>(parts: &'a [Part], id: MessageId, cleared: &[Cleared]) -> Cow<'a, [Part]> {
    if cleared.is_empty() {
        return Cow::Borrowed(parts);
    }
    let mut shown = Vec::with_capacity(parts.len());
    let mut nths = 0..;
    let mut is_gone = false;
    for part in parts {
        let Part::ToolResult {
            call_id,
            content,
            is_error,
        } = part
        else {
            is_gone &= is_piece(part);
            if !is_gone {
                shown.push(part.clone());
            }
            continue;
        };
        let nth = nths.next();
        let known = cleared.iter().find(|cleared| Some(cleared.nth) == nth);
        is_gone = known.is_some();
        shown.push(Part::ToolResult {
            call_id: call_id.clone(),
            content: match known {
                Some(cleared) => shorten::cleared_line(id, cleared, content, *is_error),
                None => content.clone(),
            },
            is_error: *is_error,
        });
    }
    Cow::Owned(shown)
}
