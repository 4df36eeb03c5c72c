//! How each provider is spoken to: its names, its paths, its answers.

use serde_json::{Value, json};

use super::server::Server;
use hippocamp::providers::{Models, RetryPolicy};

pub(crate) const KEY: &str = "k3y-that-nobody-may-see-5f2a9c";

/// One interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    OpenAi,
    Anthropic,
    Gemini,
    Ollama,
}

pub(crate) const SHAPES: [Shape; 4] = [
    Shape::OpenAi,
    Shape::Anthropic,
    Shape::Gemini,
    Shape::Ollama,
];

impl Shape {
    pub(crate) const fn model(self) -> &'static str {
        match self {
            Self::OpenAi => "openai_compat/small",
            Self::Anthropic => "anthropic/small",
            Self::Gemini => "gemini/small",
            Self::Ollama => "ollama/small",
        }
    }

    pub(crate) const fn key_variable(self) -> &'static str {
        match self {
            Self::OpenAi => "HIPPOCAMP_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::Gemini => "GEMINI_API_KEY",
            Self::Ollama => "OLLAMA_API_KEY",
        }
    }

    pub(crate) const fn base_variable(self) -> &'static str {
        match self {
            Self::OpenAi => "HIPPOCAMP_BASE_URL",
            Self::Anthropic => "ANTHROPIC_BASE_URL",
            Self::Gemini => "GEMINI_BASE_URL",
            Self::Ollama => "OLLAMA_HOST",
        }
    }

    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "/chat/completions",
            Self::Anthropic => "/v1/messages",
            Self::Gemini => "/models/small:generateContent",
            Self::Ollama => "/api/chat",
        }
    }

    pub(crate) fn key_line(self) -> String {
        match self {
            Self::OpenAi | Self::Ollama => format!("authorization: Bearer {KEY}"),
            Self::Anthropic => format!("x-api-key: {KEY}"),
            Self::Gemini => format!("x-goog-api-key: {KEY}"),
        }
    }

    /// The body of an answer; `stop` in the provider's own word.
    pub(crate) fn answer(self, text: &str, stop: &str) -> String {
        let body: Value = match self {
            Self::OpenAi => json!({
                "id": "c1", "object": "chat.completion", "model": "small-2026-01-02",
                "choices": [{"index": 0, "finish_reason": stop,
                             "message": {"role": "assistant", "content": text}}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 9, "total_tokens": 109,
                          "prompt_tokens_details": {"cached_tokens": 40}},
            }),
            Self::Anthropic => json!({
                "id": "m1", "type": "message", "role": "assistant", "model": "small-2026-01-02",
                "content": [{"type": "text", "text": text}], "stop_reason": stop,
                "usage": {"input_tokens": 60, "output_tokens": 9, "cache_read_input_tokens": 40},
            }),
            Self::Gemini => json!({
                "candidates": [{"content": {"role": "model", "parts": [{"text": text}]},
                                "finishReason": stop}],
                "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 9,
                                  "cachedContentTokenCount": 40, "totalTokenCount": 109},
                "modelVersion": "small-2026-01-02",
            }),
            Self::Ollama => json!({
                "model": "small", "created_at": "2026-01-02T03:04:05Z",
                "message": {"role": "assistant", "content": text},
                "done": true, "done_reason": stop, "prompt_eval_count": 100,
                "prompt_eval_cached_count": 40, "eval_count": 9,
            }),
        };
        body.to_string()
    }

    /// Its word for having said all.
    pub(crate) const fn end(self) -> &'static str {
        match self {
            Self::OpenAi | Self::Ollama => "stop",
            Self::Anthropic => "end_turn",
            Self::Gemini => "STOP",
        }
    }

    /// A good answer.
    pub(crate) fn good(self) -> String {
        self.answer("State: the pier is closed.", self.end())
    }

    /// The body of an error.
    pub(crate) fn error(self, message: &str) -> String {
        let body = match self {
            Self::OpenAi => json!({"error": {"message": message, "type": "invalid_request_error"}}),
            Self::Anthropic => {
                json!({"type": "error", "error": {"type": "some_error", "message": message}})
            }
            Self::Gemini => json!({"error": {"code": 400, "message": message, "status": "SOME"}}),
            Self::Ollama => json!({ "error": message }),
        };
        body.to_string()
    }

    /// A client of a server that speaks so, which waits next to nothing between attempts.
    pub(crate) fn client(self, server: &Server) -> Models {
        clients(&[(self, server)])
    }
}

/// Clients of several servers, in order.
pub(crate) fn clients(servers: &[(Shape, &Server)]) -> Models {
    let names = servers.iter().map(|(shape, _)| shape.model());
    let environment = |name: &str| {
        servers.iter().find_map(|(shape, server)| match name {
            _ if name == shape.key_variable() => Some(KEY.to_owned()),
            _ if name == shape.base_variable() => Some(server.base()),
            _ => None,
        })
    };
    let moment = std::time::Duration::from_millis(2);
    Models::named(names, &environment)
        .unwrap()
        .retry(RetryPolicy::new(3, moment, moment))
}
