//! What a summary states exactly: identifiers, numbers, negations. Owns whether its sources say so.
//! May not mend an item: it names what stands nowhere.

mod names;
mod negation;

use std::borrow::Cow;
use std::collections::HashSet;

use crate::domain::SummaryBody;

use super::Section;
use super::UNVERIFIED;

/// Something exact that a summary states and its sources do not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unfounded {
    /// The item that states it, as it is written.
    pub item: String,
    /// The words, or what became of a negation.
    pub words: String,
    /// Whether a source says it where it is flagged itself: asking again would not help.
    pub was_flagged: bool,
}

impl Unfounded {
    /// Says whether the item differs from its source by a negation.
    #[must_use]
    pub fn is_negation(&self) -> bool {
        [negation::LEFT_OUT, negation::PUT_IN].contains(&self.words.as_str())
    }
}

/// Finds what a body states exactly and none of its sources says.
///
/// A path is found by its last parts too, a number by its digits, and an item that denies what a
/// sentence of the source affirms, or the other way round, is named by its negation. What a source
/// flags as unverified founds nothing, or a doubt would be certain one summary later.
#[must_use]
pub fn unfounded(body: &str, sources: &[&str]) -> Vec<Unfounded> {
    let parted: Vec<(Cow<'_, str>, String)> =
        sources.iter().copied().map(without_flagged).collect();
    let certain: Vec<&str> = parted.iter().map(|(certain, _)| certain.as_ref()).collect();
    let flagged: Vec<&str> = parted.iter().map(|(_, flagged)| flagged.as_str()).collect();
    let (known, doubted) = (Known::read(&certain), Known::read(&flagged));
    let mut found = Vec::new();
    for (section, item) in items(&SummaryBody::parse(body)) {
        if section == Section::Dropped || item.ends_with(UNVERIFIED) {
            // What was left out is told in the model's own words, and a flag says all there is.
            continue;
        }
        found.extend(known.unfounded(&item, &doubted));
    }
    found
}

/// Parts a source into what it says and the lines that it flags.
fn without_flagged(source: &str) -> (Cow<'_, str>, String) {
    if !source.contains(UNVERIFIED) {
        return (Cow::Borrowed(source), String::new());
    }
    let lines = source.split_inclusive('\n');
    let (flagged, certain): (Vec<&str>, Vec<&str>) =
        lines.partition(|line| line.trim_end().ends_with(UNVERIFIED));
    (Cow::Owned(certain.concat()), flagged.concat())
}

/// Flags the items that state what was not found, so that no reader takes them for certain.
#[must_use]
pub fn flag(body: &str, unfounded: &[Unfounded]) -> String {
    if unfounded.is_empty() {
        return body.to_owned();
    }
    let doubted: HashSet<&str> = unfounded.iter().map(|one| one.item.as_str()).collect();
    let mut flagged = SummaryBody::default();
    for (section, item) in items(&SummaryBody::parse(body)) {
        if doubted.contains(item.as_str()) {
            flagged.push(section, &format!("{item} {UNVERIFIED}"));
        } else {
            flagged.push(section, &item);
        }
    }
    flagged.render()
}

fn items(body: &SummaryBody) -> Vec<(Section, String)> {
    let each = Section::ALL.into_iter();
    each.flat_map(|section| {
        body.items(section)
            .into_iter()
            .map(move |item| (section, item))
    })
    .collect()
}

/// The exact words and the sentences of the sources.
struct Known {
    names: HashSet<String>,
    digits: HashSet<String>,
    said: negation::Said,
}

impl Known {
    fn read(sources: &[&str]) -> Self {
        let mut known = Self {
            names: HashSet::new(),
            digits: HashSet::new(),
            said: negation::Said::read(sources),
        };
        for source in sources {
            known.names.extend(names::all_forms(source));
            known.digits.extend(names::digits(source));
        }
        known
    }

    fn unfounded(&self, item: &str, doubted: &Self) -> Vec<Unfounded> {
        let missing = |words: String| Unfounded {
            item: item.to_owned(),
            was_flagged: doubted.has(&words),
            words,
        };
        let names = names::exact(item)
            .into_iter()
            .filter(|name| !self.has(name))
            .map(missing);
        let negation = self.said.contradicts(item).map(missing);
        names.chain(negation).collect()
    }

    fn has(&self, name: &str) -> bool {
        if names::is_number(name) {
            return self.digits.contains(&names::plain_digits(name));
        }
        self.names.contains(name) || names::parts(name).any(|part| self.names.contains(part))
    }
}
