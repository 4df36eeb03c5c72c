//! Constraints that have no room as pins: they are written into summaries instead.

use crate::domain::SummaryBody;
use crate::policy::carry::Section;

/// Writes the texts that a body does not hold into its decisions, each while `fits` takes the body
/// with it; the newest ones are tried first, and their order stays. A body that holds all comes
/// back as it is.
#[must_use]
pub fn keep_in_body(body: String, texts: &[String], fits: impl Fn(&str) -> bool) -> String {
    let held = one_line(&body);
    let missing: Vec<String> = texts
        .iter()
        .map(|text| one_line(text))
        .filter(|text| !text.is_empty() && !held.contains(text.as_str()))
        .collect();
    let mut kept = body;
    let mut added: Vec<&String> = Vec::new();
    let read = SummaryBody::parse(&kept);
    for text in missing.iter().rev() {
        added.insert(0, text);
        let mut with = read.clone();
        for text in &added {
            with.push(Section::Decisions, text);
        }
        let with = with.render();
        if fits(&with) {
            kept = with;
        } else {
            added.remove(0);
        }
    }
    kept
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
