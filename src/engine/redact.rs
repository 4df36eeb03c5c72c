//! What a model sees: the source without its secrets. Owns which texts go through the redactor.
//! May not change what is stored: it works on copies.
//!
//! A source is redacted part by part before it is cut to fit, so that no cut leaves half a secret, and
//! each body of the finished prompt once more: two parts of a message may make a secret together. The
//! fence, the lines over the bodies and the instructions hold nothing that was not redacted before, and
//! are left alone: a mark beside the word `password:` looks like one.

use super::completer::Completer;
use super::source::{Shown, Source};
use crate::domain::{Message, Part, RedactionCounts, Redactor, Summary};
use crate::policy::prompt::Prompt;

/// A redactor, behind the model's own, with the counts of what they replaced so far.
pub(super) struct Redaction<'a> {
    by: &'a dyn Redactor,
    completer: &'a dyn Completer,
    pub(super) counts: RedactionCounts,
}

impl<'a> Redaction<'a> {
    pub(super) fn new(by: &'a dyn Redactor, completer: &'a dyn Completer) -> Self {
        Self {
            by,
            completer,
            counts: RedactionCounts::default(),
        }
    }

    pub(super) fn text(&mut self, text: &str) -> String {
        let without_own = self.completer.redact(text);
        let clean = self.by.redact(&without_own.text);
        self.counts.add(without_own.counts);
        self.counts.add(clean.counts);
        clean.text.into_owned()
    }

    pub(super) fn prompt(&mut self, prompt: &Prompt) -> Prompt {
        prompt.with_bodies(|body| self.text(body))
    }

    pub(super) fn source(&mut self, source: &Source) -> Source {
        match source {
            Source::Messages(messages) => Source::Messages(self.messages(messages)),
            Source::Shown(shown) => {
                let shown = shown.iter().map(|child| match child {
                    Shown::Summary(summary) => Shown::Summary(self.summary(summary)),
                    Shown::Messages(child, messages) => {
                        Shown::Messages(self.summary(child), self.messages(messages))
                    }
                });
                Source::Shown(shown.collect())
            }
        }
    }

    pub(super) fn summaries(&mut self, summaries: &[Summary]) -> Vec<Summary> {
        let clean = summaries.iter().map(|summary| self.summary(summary));
        clean.collect()
    }

    fn summary(&mut self, summary: &Summary) -> Summary {
        Summary {
            node: summary.node.clone(),
            body: self.text(&summary.body),
            model: summary.model.clone(),
        }
    }

    fn messages(&mut self, messages: &[Message]) -> Vec<Message> {
        let clean = messages.iter().map(|message| {
            let mut clean = message.clone();
            clean.name = message.name.as_deref().map(|name| self.text(name));
            clean.parts = message.parts.iter().map(|part| self.part(part)).collect();
            clean
        });
        clean.collect()
    }

    fn part(&mut self, part: &Part) -> Part {
        let mut clean = part.clone();
        match &mut clean {
            Part::Text { text } | Part::Reasoning { text, .. } => self.replace([text]),
            Part::ToolUse {
                call_id,
                name,
                arguments,
            } => self.replace([call_id, name, arguments]),
            Part::ToolResult {
                call_id, content, ..
            } => self.replace([call_id, content]),
            Part::Media { uri, mime } => self.replace([uri, mime]),
            Part::Opaque { json } => self.replace([json]),
        }
        clean
    }

    fn replace<const N: usize>(&mut self, texts: [&mut String; N]) {
        for text in texts {
            *text = self.text(text);
        }
    }
}

#[cfg(test)]
mod tests;
