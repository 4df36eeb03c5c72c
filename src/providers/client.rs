//! One model: one attempt. Owns what a prompt becomes as a request, and an answer as a completion.
//! May not try again.

use genai::adapter::AdapterKind;
use genai::chat::{self, ChatMessage, ChatOptions, ChatRequest, ChatResponse};
use genai::resolver::AuthData;
use genai::{Client as Genai, ModelIden, ServiceTarget};
use serde_json::{Value, json};

use super::endpoint::Endpoint;
use super::fault::{Called, Fault};
use super::http;
use super::name::{ModelName, Provider};
use crate::domain::{Tokens, Usage, estimate};
use crate::engine::{CompleteOptions, Completion, FailureKind, StopReason};
use crate::policy::prompt::Prompt;

/// What hidden thinking may take beside the answer, in tokens: hosted models count it as answer, and
/// one that thinks would be cut off before it said a word.
const THINKING: u64 = 2_048;

/// A model that can be asked.
pub(super) struct Client {
    pub name: ModelName,
    pub endpoint: Endpoint,
    genai: Genai,
}

/// How a request is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// With the temperature that is asked for.
    Asked,
    /// As the model pleases: some take no temperature but their own.
    Plain,
}

impl Client {
    pub(super) fn new(name: ModelName, endpoint: Endpoint) -> Result<Self, String> {
        let genai = Genai::builder()
            .with_reqwest(http::client(endpoint.reach)?)
            .build()
            .map_err(|_| "the client cannot be made".to_owned())?;
        Ok(Self {
            name,
            endpoint,
            genai,
        })
    }

    pub(super) fn called(&self) -> Called<'_> {
        Called {
            name: &self.name,
            endpoint: &self.endpoint,
        }
    }

    /// Asks once.
    pub(super) async fn ask(
        &self,
        prompt: &Prompt,
        options: &CompleteOptions,
        manner: Manner,
    ) -> Result<Completion, Fault> {
        let request = ChatRequest::default()
            .with_system(prompt.system.as_str())
            .append_message(ChatMessage::user(prompt.text.as_str()));
        let asked = self.options(options, manner);
        match self
            .genai
            .exec_chat(self.target(), request, Some(&asked))
            .await
        {
            Ok(response) => self.completion(&response, prompt),
            Err(error) => Err(self.called().fault(&error)),
        }
    }

    fn target(&self) -> ServiceTarget {
        let kind = match self.name.provider() {
            Provider::Anthropic => AdapterKind::Anthropic,
            Provider::Gemini => AdapterKind::Gemini,
            Provider::Ollama => AdapterKind::Ollama,
            Provider::OpenAi | Provider::LlamaCpp | Provider::OpenAiCompatible => {
                AdapterKind::OpenAI
            }
        };
        // Servers without keys are sent one that says so: the form asks for some.
        let key = self
            .endpoint
            .key
            .as_ref()
            .map_or("none", |key| key.reveal());
        ServiceTarget {
            endpoint: genai::resolver::Endpoint::from_owned(self.endpoint.base.as_str()),
            auth: AuthData::from_single(key),
            model: ModelIden::new(kind, self.name.model()),
        }
    }

    fn options(&self, options: &CompleteOptions, manner: Manner) -> ChatOptions {
        let room = match self.name.provider() {
            Provider::OpenAi | Provider::Anthropic | Provider::Gemini => THINKING,
            Provider::Ollama | Provider::LlamaCpp | Provider::OpenAiCompatible => 0,
        };
        let most = options.max_tokens.get().saturating_add(room);
        let mut asked = ChatOptions::default()
            .with_max_tokens(u32::try_from(most).unwrap_or(u32::MAX))
            .with_capture_raw_body(true);
        if manner == Manner::Asked {
            // Through its text, or 0.2 would be sent as 0.20000000298.
            let temperature = options.temperature.to_string().parse().unwrap_or(0.0);
            asked = asked.with_temperature(temperature);
        }
        match self.name.provider() {
            // The crate beneath takes the end of some names for settings of its own.
            Provider::OpenAi | Provider::LlamaCpp | Provider::OpenAiCompatible => {
                asked.with_extra_body(json!({"model": self.name.model()}))
            }
            Provider::Anthropic | Provider::Gemini => asked,
            Provider::Ollama => match &self.endpoint.key {
                Some(key) => {
                    let bearer = format!("Bearer {}", key.reveal());
                    asked.with_extra_headers(vec![("Authorization".to_owned(), bearer)])
                }
                None => asked,
            },
        }
    }

    fn completion(&self, response: &ChatResponse, prompt: &Prompt) -> Result<Completion, Fault> {
        let raw = response.captured_raw_body.as_ref();
        // Some gateways send errors with status 200.
        if let Some(error) = raw
            .and_then(|body| body.get("error"))
            .filter(|e| !e.is_null())
        {
            let status = error.get("code").and_then(Value::as_u64);
            let status = status
                .and_then(|code| u16::try_from(code).ok())
                .unwrap_or(400);
            let body = json!({ "error": error }).to_string();
            return Err(self.called().answered(status, &body, None));
        }
        let usage = usage(&response.usage);
        self.check_whole(prompt, usage)?;
        let stop = match &response.stop_reason {
            Some(chat::StopReason::Completed(_) | chat::StopReason::StopSequence(_)) | None => {
                StopReason::End
            }
            Some(chat::StopReason::MaxTokens(_)) => StopReason::MaxTokens,
            Some(chat::StopReason::ContentFilter(_)) => StopReason::Refusal,
            Some(_) => StopReason::Other,
        };
        let text = response.content.joined_texts().unwrap_or_default();
        if text.trim().is_empty() && response.stop_reason.is_none() {
            return Err(self.called().malformed("an answer without a choice"));
        }
        let completion = Completion::new(text)
            .model(self.answering(&response.provider_model_iden.model_name))
            .stop(stop);
        Ok(match usage {
            Some(usage) => completion.usage(usage),
            None => completion,
        })
    }

    /// Ollama cuts a prompt that is longer than its window and does not say so: what it counted does.
    fn check_whole(&self, prompt: &Prompt, usage: Option<Usage>) -> Result<(), Fault> {
        let Some(counted) = usage.map(|usage| usage.input) else {
            return Ok(());
        };
        let sent = estimate(&prompt.system) + estimate(&prompt.text);
        let is_cut = self.name.provider() == Provider::Ollama
            && counted > Tokens::ZERO
            && counted.get().saturating_mul(2) < sent.get();
        if !is_cut {
            return Ok(());
        }
        let words = format!(
            "{} read {counted} tokens of some {sent}: its window is smaller (OLLAMA_CONTEXT_LENGTH)",
            self.name
        );
        let kind = FailureKind::TooLong {
            limit: Some(counted),
        };
        Err(Fault::new(kind, words))
    }

    /// Names the model that answered: a dated version of the one asked for, or else that one.
    fn answering(&self, told: &str) -> String {
        let is_version = told.starts_with(self.name.model())
            && told.len() <= 200
            && !told.contains(char::is_control);
        if is_version {
            format!("{}/{told}", self.name.provider())
        } else {
            self.name.to_string()
        }
    }
}

fn usage(told: &chat::Usage) -> Option<Usage> {
    let tokens = |count: Option<i32>| {
        let count = count.and_then(|count| u64::try_from(count).ok());
        count.map(Tokens::new)
    };
    let (input, output) = (tokens(told.prompt_tokens), tokens(told.completion_tokens));
    if input.is_none() && output.is_none() {
        return None;
    }
    let details = told.prompt_tokens_details.as_ref();
    let cached = details.and_then(|details| tokens(details.cached_tokens));
    let usage = Usage::new(input.unwrap_or_default(), output.unwrap_or_default());
    Some(usage.cached(cached.unwrap_or_default()))
}
