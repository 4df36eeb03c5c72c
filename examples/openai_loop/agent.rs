//! A whole agent against any server that speaks as OpenAI's Chat Completions, with no framework.
//!
//! Each request is a view that fits the window; what the model says and what its tools answer is a
//! turn, stored before the next request.

use std::error::Error;

use hippocamp::domain::{NewMessage, Part, Role, SessionKey, Window};
use hippocamp::engine::Engine;
use hippocamp::render::openai_chat;
use hippocamp::tools::{Strictness, ToolFormat, ToolScope, declare, dispatch, schema};
use serde_json::{Value, json};

/// Requests for one prompt at most: a model that calls tools for ever is stopped.
const REQUESTS: usize = 12;

/// An agent with a conversation.
pub(crate) struct Agent {
    pub(crate) engine: Engine,
    pub(crate) session: SessionKey,
    /// The model's window; its overhead is for the tools, its reserve for the answer.
    pub(crate) window: Window,
    pub(crate) http: reqwest::Client,
    /// Where the interface is: `http://127.0.0.1:8080/v1`.
    pub(crate) base_url: String,
    pub(crate) key: Option<String>,
    pub(crate) model: String,
}

impl Agent {
    /// Says `words` to the model, runs what it calls, and returns its answer.
    pub(crate) async fn ask(&self, words: &str) -> Result<String, Box<dyn Error>> {
        let mut new = vec![NewMessage::user(words)];
        for _ in 0..REQUESTS {
            let view = self
                .engine
                .turn(&self.session, new, self.window)
                .await?
                .view;
            let body = openai_chat::render(&view).ok_or("there is nothing to say")?;
            let said = self.complete(body.as_str()).await?;
            let calls = calls_of(&said);
            let answer = said["content"].as_str().unwrap_or_default().to_owned();
            new = vec![message_of(&answer, &calls)];
            if calls.is_empty() {
                self.engine.append(&self.session, new).await?;
                return Ok(answer);
            }
            for call in calls {
                new.push(self.run(call).await);
            }
        }
        self.engine.append(&self.session, new).await?;
        Err(format!("no answer in {REQUESTS} requests").into())
    }

    /// Sends a body with the model and the tools, and returns the message that comes back.
    async fn complete(&self, body: &str) -> Result<Value, Box<dyn Error>> {
        let mut body: Value = serde_json::from_str(body)?;
        body["model"] = self.model.as_str().into();
        body["tools"] = declare(&schema(), ToolFormat::OpenAiChat(Strictness::Loose));
        let url = format!("{}/chat/completions", self.base_url.trim_end_matches('/'));
        let mut request = self
            .http
            .post(url)
            .header("content-type", "application/json");
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        let answer = request.body(body.to_string()).send().await?;
        let (status, text) = (answer.status(), answer.text().await?);
        if !status.is_success() {
            return Err(format!("the server refused: {status}: {text}").into());
        }
        let answer: Value = serde_json::from_str(&text)?;
        let message = answer.pointer("/choices/0/message");
        Ok(message.ok_or("the answer has no message")?.clone())
    }

    /// Runs a call. What is wrong with it is told to the model, which can mend it.
    async fn run(&self, call: Call) -> NewMessage {
        let scope = ToolScope::Session(self.session.clone());
        let arguments = serde_json::from_str(&call.arguments);
        let arguments = arguments.unwrap_or_else(|_| json!(call.arguments));
        let (content, is_error) = match dispatch(&self.engine, &scope, &call.name, arguments).await
        {
            Ok(answer) => (answer.to_string(), false),
            Err(error) => (error.to_string(), true),
        };
        let result = Part::ToolResult {
            call_id: call.id,
            content,
            is_error,
        };
        NewMessage::new(Role::Tool, vec![result])
    }
}

/// A call as the model wrote it.
struct Call {
    id: String,
    name: String,
    arguments: String,
}

fn calls_of(said: &Value) -> Vec<Call> {
    let calls = said["tool_calls"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let calls = calls.iter().map(|call| Call {
        id: text(&call["id"]),
        name: text(&call["function"]["name"]),
        arguments: text(&call["function"]["arguments"]),
    });
    calls.collect()
}

fn message_of(words: &str, calls: &[Call]) -> NewMessage {
    let words = (!words.is_empty()).then(|| Part::Text {
        text: words.to_owned(),
    });
    let calls = calls.iter().map(|call| Part::ToolUse {
        call_id: call.id.clone(),
        name: call.name.clone(),
        arguments: call.arguments.clone(),
    });
    NewMessage::new(Role::Assistant, words.into_iter().chain(calls).collect())
}
