//! Taking away what is not the answer: thinking and an outer code fence.

use super::Rejection;

const OPENINGS: [&str; 3] = ["<think>", "<thinking>", "<reasoning>"];
const CLOSINGS: [&str; 3] = ["</think>", "</thinking>", "</reasoning>"];

/// Takes leading blocks of thinking away, and what does not show at either end. A tag inside a line is talk about tags and stays.
pub(super) fn without_thinking(answer: &str) -> Result<&str, Rejection> {
    let mut text = trim(answer);
    let mut has_thought = false;
    loop {
        let opening = OPENINGS.iter().position(|tag| starts_with(text, tag));
        let after = match opening.and_then(|tag_idx| CLOSINGS.get(tag_idx)) {
            Some(closing) => after_tag(text, closing).ok_or(Rejection::UnclosedThinking)?,
            // Some servers swallow the opening tag and leave the closing one on its own line.
            None => match CLOSINGS.iter().find_map(|tag| after_lone_tag(text, tag)) {
                Some(after) => after,
                None if has_thought && is_blank(text) => return Err(Rejection::OnlyThinking),
                None => return Ok(text),
            },
        };
        has_thought = true;
        text = trim(after);
    }
}

/// Takes one code fence around the whole text away.
pub(super) fn without_fence(text: &str) -> Result<&str, Rejection> {
    let Some(opened) = text.strip_prefix("```") else {
        return Ok(text);
    };
    let Some(inner) = opened.trim_end().strip_suffix("```") else {
        let says_nothing = opened.lines().skip(1).all(is_blank);
        return if says_nothing {
            Err(Rejection::LoneFence)
        } else {
            Ok(text)
        };
    };
    let body = inner.split_once('\n').map_or(inner, |(_, body)| body);
    if body.contains("```") {
        // Two blocks with words between them: the fence is not around the whole.
        return Ok(text);
    }
    if is_blank(body) {
        Err(Rejection::LoneFence)
    } else {
        Ok(trim(body))
    }
}

/// Says whether nothing of a text shows.
fn is_blank(text: &str) -> bool {
    text.chars().all(is_invisible)
}

fn trim(text: &str) -> &str {
    text.trim_matches(is_invisible)
}

fn is_invisible(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{17b4}'
                | '\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
        )
}

fn starts_with(text: &str, tag: &str) -> bool {
    let start = text.get(..tag.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(tag))
}

fn after_tag<'text>(text: &'text str, tag: &str) -> Option<&'text str> {
    tags(text, tag).next().map(|(_, after)| after)
}

fn after_lone_tag<'text>(text: &'text str, tag: &str) -> Option<&'text str> {
    let mut found = tags(text, tag);
    found
        .find(|(before, after)| {
            let begins = before.is_empty() || before.ends_with('\n');
            begins && (after.is_empty() || after.starts_with(['\n', '\r']))
        })
        .map(|(_, after)| after)
}

/// Returns what is before and after each place where a tag stands, whatever its case.
fn tags<'text>(text: &'text str, tag: &str) -> impl Iterator<Item = (&'text str, &'text str)> {
    text.match_indices('<').filter_map(move |(start, _)| {
        let (before, rest) = text.split_at_checked(start)?;
        starts_with(rest, tag).then(|| (before, rest.get(tag.len()..).unwrap_or_default()))
    })
}
