//! Asking the model for one unit, at both levels. Owns what goes to it, what is noted of each call
//! and what its answer counts for.
//! May not store a summary, nor let a text leave before the redactor has seen it.

use std::time::Duration;

use tokio::time::Instant;

use super::breaker::{self, Called, Gate};
use super::completer::{CompleteOptions, Completer, Completion, FailureKind};
use super::core::Core;
use super::error::EngineError;
use super::redact::Redaction;
use super::run_step::{Answer, Caller, LEVELS, Order};
use super::source::Source;
use super::tasks::Lost;
use crate::domain::{
    Breaker, BreakerChange, CallRecord, Plan, RedactionCounts, Tokens, Usage, estimate,
};
use crate::policy::carry::exact::{Unfounded, flag, unfounded};
use crate::policy::judge::{Facts, Verdict, judge};
use crate::policy::language::Language;
use crate::policy::prompt::{Ask, Prompt, condense_prompt, language_of, leaf_prompt};
use crate::store::{BreakerOutcome, WriteOp, WriteReply};

/// What came of one call.
struct Outcome {
    called: Called,
    answer: Answer,
    /// The event's word; none if the model was not called at all.
    word: Option<&'static str>,
    /// The model that answered, where it says so.
    model: Option<String>,
    usage: Option<Usage>,
    redactions: RedactionCounts,
    /// How it failed, where the host says so.
    failure: Option<FailureKind>,
}

impl Outcome {
    fn failed_as(kind: FailureKind) -> Self {
        Self {
            failure: Some(kind),
            ..Self::failed(Some(kind.as_str()))
        }
    }

    fn failed(word: Option<&'static str>) -> Self {
        Self {
            called: Called::Failed,
            answer: Answer::Failed,
            word,
            model: None,
            usage: None,
            redactions: RedactionCounts::default(),
            failure: None,
        }
    }
}

/// Whether another level may be asked.
enum Next {
    /// It may.
    Level,
    /// It may, if its prompt fits this window.
    Within(Tokens),
    /// It would fail alike.
    Nothing,
}

/// What a failure means for the next level. A refused key is no reason to ask once more; a prompt that
/// was too long is one to ask for less, by the window the provider tells, or else by half.
fn after(failure: Option<FailureKind>, prompt: &Prompt) -> Next {
    match failure {
        Some(FailureKind::Auth | FailureKind::Quota) => Next::Nothing,
        Some(FailureKind::TooLong { limit }) => {
            let sent = estimate(&prompt.system) + estimate(&prompt.text);
            Next::Within(limit.unwrap_or(sent).min(sent).percent(60))
        }
        _ => Next::Level,
    }
}

/// Summaries before the source that a prompt shows as earlier context.
const EARLIER: usize = 2;

impl Core {
    /// Asks the model at both levels.
    pub(super) async fn ask(
        &self,
        completer: &dyn Completer,
        plan: &Plan,
        source: &Source,
        order: Order<'_>,
    ) -> Result<Answer, EngineError> {
        let mut redaction = Redaction::new(self.redactor.as_ref(), completer);
        let shown = redaction.source(source);
        let earlier = redaction.summaries(&source.earlier(&self.db, plan, EARLIER).await?);
        let instructions = order.instructions.map(|words| redaction.text(words));
        let focus = order.focus.map(|words| redaction.text(words));
        let language = language_of(&shown.children());
        let mut answer = Answer::Refused;
        let mut window = completer.context_window();
        // The better of the answers that state what their source does not.
        let mut doubted: Option<(usize, Completion)> = None;
        let mut doubts: Vec<Unfounded> = Vec::new();
        for (level, temperature) in LEVELS {
            let ask = Ask {
                level,
                window,
                depth: plan.depth(),
                language,
                doubts: &doubts,
                instructions: instructions.as_deref(),
                focus: focus.as_deref(),
                ..Ask::new(plan.target(), &self.limits)
            };
            let prompt = match &shown {
                Source::Messages(messages) => leaf_prompt(messages, &earlier, &ask),
                Source::Shown(_) => condense_prompt(&shown.children(), &ask),
            };
            let mut gate = Redaction::new(self.redactor.as_ref(), completer);
            let prompt = gate.prompt(&prompt);
            let mut outcome = self
                .call(completer, plan, (&prompt, language), temperature, order)
                .await;
            outcome.redactions.add(redaction.counts.clone());
            outcome.redactions.add(gate.counts);
            let state = self.note_call(completer.name(), outcome.called).await?;
            let then = after(outcome.failure, &prompt);
            let next = self.record(completer, plan, outcome).await?;
            match (next, &answer) {
                (Answer::Taken(completion), _) => {
                    let mut texts = shown.texts();
                    texts.extend(earlier.iter().map(|summary| summary.body.as_str()));
                    texts.push(&prompt.text);
                    let found = unfounded(&completion.text, &texts);
                    if found.iter().all(|one| one.was_flagged) {
                        let text = flag(&completion.text, &found);
                        return Ok(Answer::Taken(Completion { text, ..completion }));
                    }
                    tracing::warn!(
                        model = completer.name(),
                        n_doubts = found.len(),
                        "stated what its source does not"
                    );
                    if doubted
                        .as_ref()
                        .is_none_or(|(n_doubts, _)| found.len() < *n_doubts)
                    {
                        let text = flag(&completion.text, &found);
                        doubted = Some((found.len(), Completion { text, ..completion }));
                    }
                    doubts = found;
                    doubts.retain(|doubt| !doubt.was_flagged);
                }
                (Answer::Failed, _) => answer = Answer::Failed,
                (Answer::Refused | Answer::NotAsked, _) => {}
            }
            // Failures may have opened the breaker, or the guard's calls are spent.
            match then {
                _ if self.is_held(&state, order) => break,
                Next::Nothing => break,
                Next::Within(tokens) => window = Some(tokens),
                Next::Level => {}
            }
        }
        Ok(doubted.map_or(answer, |(_, completion)| Answer::Taken(completion)))
    }

    /// Says whether the breaker or the spend guard keeps this caller from calling.
    pub(super) fn is_held(&self, state: &Breaker, order: Order<'_>) -> bool {
        order.caller == Caller::Automatic
            && breaker::gate(state, &self.limits, self.clock.now()) != Gate::Closed
    }

    /// Notes what came of a call and returns the state after it. Units run at once: a change of a
    /// state that another one has changed meanwhile is decided anew, so that each call counts.
    async fn note_call(&self, name: &str, called: Called) -> Result<Breaker, EngineError> {
        loop {
            let wanted = name.to_owned();
            let before = self.db.read(move |reader| reader.breaker(&wanted)).await?;
            let state = before
                .clone()
                .unwrap_or_else(|| breaker::fresh(name, &self.limits));
            let after = breaker::after(state, called, 1, &self.limits, self.clock.now());
            let change = BreakerChange {
                before,
                after: after.clone(),
            };
            match self.db.write(WriteOp::ChangeBreaker(change)).await? {
                WriteReply::Breaker(BreakerOutcome::Applied) => return Ok(after),
                WriteReply::Breaker(BreakerOutcome::Stale) => {}
                _ => return Err(EngineError::unexpected_reply()),
            }
        }
    }

    /// Writes the event of a call, if one was made, and hands its answer on.
    async fn record(
        &self,
        completer: &dyn Completer,
        plan: &Plan,
        outcome: Outcome,
    ) -> Result<Answer, EngineError> {
        let Some(word) = outcome.word else {
            return Ok(outcome.answer);
        };
        let model = outcome.model.unwrap_or_else(|| completer.name().to_owned());
        let usage = outcome.usage;
        tracing::info!(
            conversation = plan.conversation().get(),
            span = %plan.span(),
            model,
            input_tokens = usage.map(|usage| usage.input.get()),
            output_tokens = usage.map(|usage| usage.output.get()),
            cached_tokens = usage.map(|usage| usage.cached.get()),
            redacted = outcome.redactions.total(),
            outcome = word,
            "called a model"
        );
        let call = CallRecord {
            conversation: plan.conversation(),
            span: plan.span(),
            model,
            usage,
            redactions: outcome.redactions,
            outcome: word.to_owned(),
            now: self.clock.now(),
        };
        match self.db.write(WriteOp::Call(call)).await? {
            WriteReply::CallRecorded(_) => Ok(outcome.answer),
            _ => Err(EngineError::unexpected_reply()),
        }
    }

    async fn call(
        &self,
        completer: &dyn Completer,
        plan: &Plan,
        (prompt, language): (&Prompt, Option<Language>),
        temperature: f32,
        order: Order<'_>,
    ) -> Outcome {
        let left = match order.deadline {
            Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            None => Duration::from_millis(self.limits.call_millis),
        };
        if left.is_zero() {
            return Outcome::failed(None);
        }
        let most = plan.target().percent(self.limits.answer_percent);
        let options = CompleteOptions::new(most, temperature, left);
        let Some(shared) = self.completer.clone() else {
            return Outcome::failed(None);
        };
        let asked = prompt.clone();
        let call = async move { shared.complete(&asked, &options).await };
        match self.tasks.isolate(left, call).await {
            Ok(Ok(completion)) => self.judged(completer, plan, (prompt, language), completion),
            Ok(Err(error)) => {
                // A provider may quote the request, and a host its key.
                let kind = error.kind;
                let error =
                    Redaction::new(self.redactor.as_ref(), completer).text(&error.to_string());
                tracing::warn!(model = completer.name(), kind = kind.as_str(), %error, "no answer");
                Outcome::failed_as(kind)
            }
            Err(lost) => {
                tracing::warn!(model = completer.name(), ?lost, "no answer");
                Outcome::failed(Some(match lost {
                    Lost::Panicked => "panicked",
                    Lost::TimedOut => "timed_out",
                    Lost::Stopped => "stopped",
                }))
            }
        }
    }

    /// Judges an answer without its secrets: a model may know one that it was never shown.
    fn judged(
        &self,
        completer: &dyn Completer,
        plan: &Plan,
        (prompt, language): (&Prompt, Option<Language>),
        completion: Completion,
    ) -> Outcome {
        let mut redaction = Redaction::new(self.redactor.as_ref(), completer);
        let text = redaction.text(&completion.text);
        let facts = Facts {
            prompt,
            stop: completion.stop,
            target: plan.target(),
            source_tokens: plan.source_tokens(),
            language,
        };
        let model = completion.model.as_deref();
        let model = model.map(|name| redaction.text(name));
        let usage = completion.usage;
        let completion = Completion {
            model: model.clone(),
            ..completion
        };
        let (answer, word) = match judge(&text, &facts, &self.limits) {
            Verdict::Accept(text) => (Answer::Taken(Completion { text, ..completion }), "answered"),
            Verdict::Reject(rejection) => {
                tracing::warn!(model = completer.name(), ?rejection, "answer refused");
                (Answer::Refused, "refused")
            }
        };
        Outcome {
            called: Called::Answered,
            answer,
            word: Some(word),
            model,
            usage,
            redactions: redaction.counts,
            failure: None,
        }
    }
}
