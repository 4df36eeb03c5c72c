//! The figures as a table in Markdown.

use super::figures::per_mille;
use super::run::Simulated;

const HEAD: &str = "\
| window | leaves are made | by | calls | k tokens in | k tokens out | leaves | merges | clears | depth \
| events | above, nothing to do | cut short | unchanged | cold | mean view | M tokens sent | with a cache |
|---:|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|";

/// Returns a row for each session.
pub(crate) fn table(sessions: &[Simulated]) -> String {
    let rows = sessions.iter().map(row);
    let lines: Vec<String> = std::iter::once(HEAD.to_owned()).chain(rows).collect();
    lines.join("\n") + "\n"
}

/// Returns the row of one session.
pub(crate) fn row(session: &Simulated) -> String {
    let (setup, figures) = (&session.setup, &session.figures);
    let spent = figures.spent;
    let cells = [
        format!("{}k", setup.window / 1_000),
        setup.mode.as_str().to_owned(),
        setup.writer.as_str().to_owned(),
        spent.calls.to_string(),
        (spent.prompt_tokens / 1_000).to_string(),
        (spent.answer_tokens / 1_000).to_string(),
        figures.leaves.to_string(),
        figures.merges.to_string(),
        figures.clears.to_string(),
        figures.depth.to_string(),
        figures.events.to_string(),
        percent(figures.stuck, figures.requests),
        figures.unfit.to_string(),
        percent(figures.same_bytes, figures.bytes),
        percent(figures.cold, figures.requests),
        percent(figures.view_tokens, figures.requests * setup.window),
        tenths(figures.view_tokens / 100_000),
        tenths(figures.cached_tokens / 100_000),
    ];
    format!("| {} |", cells.join(" | "))
}

fn percent(part: u64, whole: u64) -> String {
    format!("{} %", tenths(per_mille(part, whole)))
}

fn tenths(value: u64) -> String {
    format!("{}.{}", value / 10, value % 10)
}
