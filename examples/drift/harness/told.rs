//! What a view still tells of the ledger, read as a model would read it: letter for letter.

use hippocamp::domain::{Part, SummaryBody, View, ViewItem, ViewItemKind};
use hippocamp::policy::assemble::unescape;

use super::files::FileTruth;
use super::ledger::{Constraint, Ledger, Sort, Words};
use super::score::{Score, Share};

/// Checks a view against what is true now. Returns the shares told, and in words what is not.
pub(crate) fn check(view: &View, ledger: &Ledger) -> (Score, Vec<String>) {
    let reading = Reading::of(view);
    let mut score = Score::default();
    let mut untold = Vec::new();
    for constraint in &ledger.constraints {
        let fault = reading.fault_of(constraint);
        score.constraints.note(fault.is_none());
        untold.extend(fault.map(|fault| format!("{fault}: {constraint:?}")));
    }
    for file in &ledger.files {
        let told = reading.file_state(&file.path);
        let is_told = file.is_told_by(told) || reading.shows_call(file, ledger);
        score.files.note(is_told);
        if !is_told {
            untold.push(format!("file: {file:?} is told as {told:?}"));
        }
    }
    for words in &ledger.words {
        let is_told = reading.tells_words(words);
        share_of(&mut score, words.sort).note(is_told);
    }
    (score, untold)
}

fn share_of(score: &mut Score, sort: Sort) -> &mut Share {
    match sort {
        Sort::Decision => &mut score.decisions,
        Sort::Identifier => &mut score.identifiers,
        Sort::Number => &mut score.numbers,
        Sort::Open => &mut score.open,
        Sort::Done => &mut score.done,
    }
}

/// A view's words, item by item, without the escapes of its wrappers.
struct Reading<'v> {
    view: &'v View,
    texts: Vec<String>,
    /// The files that summaries tell of, old to new.
    files: Vec<(String, String)>,
}

impl<'v> Reading<'v> {
    fn of(view: &'v View) -> Self {
        let texts: Vec<String> = view.items.iter().map(text_of).collect();
        let files = view
            .items
            .iter()
            .zip(&texts)
            .filter(|(item, _)| item.kind == ViewItemKind::Summary)
            .flat_map(|(_, text)| SummaryBody::parse(inside(text)).files)
            .collect();
        Self { view, texts, files }
    }

    /// Returns what is wrong with how a constraint is told. A standing one is told verbatim. One that
    /// was taken back is not among the pins, and where it stands elsewhere, what took it back
    /// stands after it.
    fn fault_of(&self, constraint: &Constraint) -> Option<&'static str> {
        let Constraint { sentence, ended_by } = constraint;
        let Some(ended_by) = ended_by else {
            let is_told = self.texts.iter().any(|text| text.contains(sentence));
            return (!is_told).then_some("a constraint that holds is not told");
        };
        let mut is_live = false;
        for (item, text) in self.view.items.iter().zip(&self.texts) {
            let last = text.rfind(sentence.as_str());
            if item.kind == ViewItemKind::Pins && last.is_some() {
                return Some("a constraint that ended is pinned");
            }
            let last_end = text.rfind(ended_by.as_str());
            if last.is_some() || last_end.is_some() {
                is_live = last > last_end;
            }
        }
        is_live.then_some("a constraint that ended is told, and not that it did")
    }

    /// Returns the state that is told last of a file.
    fn file_state(&self, path: &str) -> Option<&str> {
        let told = self.files.iter().rfind(|(known, _)| known == path);
        told.map(|(_, state)| state.as_str())
    }

    /// Says whether the call that brought a file where it is stands raw in the view.
    fn shows_call(&self, file: &FileTruth, ledger: &Ledger) -> bool {
        let Some(seq) = ledger.seq_of(file.said) else {
            return false;
        };
        self.view.items.iter().any(|item| {
            let is_row = item.kind == ViewItemKind::Message
                && item
                    .span
                    .is_some_and(|span| span.first() <= seq && seq <= span.last());
            let is_shown = |part: &Part| {
                matches!(part, Part::ToolUse { arguments, .. } if arguments.contains(&file.path))
            };
            is_row && item.parts.iter().any(is_shown)
        })
    }

    fn tells_words(&self, words: &Words) -> bool {
        words
            .keys
            .iter()
            .all(|key| self.texts.iter().any(|text| text.contains(key)))
    }
}

fn text_of(item: &ViewItem) -> String {
    let bodies: Vec<&str> = item.parts.iter().map(Part::body).collect();
    let text = bodies.join("\n");
    match item.kind {
        ViewItemKind::Summary | ViewItemKind::Pins | ViewItemKind::Request => unescape(&text),
        _ => text,
    }
}

/// Returns what stands inside a summary's wrapper.
fn inside(text: &str) -> &str {
    let from = text.find("<summary ").unwrap_or(0);
    let body = text.get(from..).unwrap_or(text);
    let body = body.split_once(">\n").map_or(body, |(_, body)| body);
    body.strip_suffix("\n</summary>").unwrap_or(body)
}
