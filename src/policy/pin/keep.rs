//! Constraints and summaries: those that have no room as pins are written into bodies, and what
//! pins say is left to them.

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

/// Takes out of a body what pins say: a live one stands in every view, and what a retired one says
/// holds no more. A body without such words comes back as it is.
#[must_use]
pub fn leave_to_pins(body: String, pinned: &[String]) -> String {
    let texts: Vec<String> = pinned
        .iter()
        .map(|text| one_line(text))
        .filter(|text| !text.is_empty())
        .collect();
    let held = one_line(&body);
    if !texts.iter().any(|text| held.contains(text.as_str())) {
        return body;
    }
    let read = SummaryBody::parse(&body);
    let mut left = SummaryBody::default();
    for section in Section::ALL {
        for item in read.items(section) {
            let bare = texts
                .iter()
                .filter(|text| item.contains(text.as_str()))
                .fold(item.clone(), |bare, text| bare.replace(text.as_str(), " "));
            // A label of nothing, as in `user requires:`, says nothing.
            let says = bare.trim_end();
            let is_empty =
                bare != item && (says.ends_with(':') || !says.contains(char::is_alphanumeric));
            if !is_empty {
                left.push(section, &bare);
            }
        }
    }
    // A body must say something.
    if left.is_empty() { body } else { left.render() }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
