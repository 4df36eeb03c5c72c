//! Bodies for providers: what their interfaces refuse is never in them, and what the view holds is.

mod anthropic_rules;
mod cases;
mod compactions;
mod contents;
mod gemini_rules;
mod golden;
mod history;
mod misread;
mod openai_rules;
mod owners;
mod pair_cases;
mod properties;
mod read_back;
mod reading;
mod responses_rules;
mod retold;
pub(crate) mod rule;
mod told;

use hippocamp::domain::View;
use hippocamp::render;
use serde_json::Value;

/// Which body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Provider {
    OpenAiChat,
    OpenAiResponses,
    Anthropic,
    Gemini,
}

const PROVIDERS: [Provider; 4] = [
    Provider::OpenAiChat,
    Provider::OpenAiResponses,
    Provider::Anthropic,
    Provider::Gemini,
];

impl Provider {
    fn body(self, view: &View) -> Option<String> {
        let body = match self {
            Self::OpenAiChat => render::openai_chat::render(view),
            Self::OpenAiResponses => render::openai_responses::render(view),
            Self::Anthropic => render::anthropic::render(view),
            Self::Gemini => render::gemini::render(view),
        };
        body.map(|body| body.to_string())
    }

    fn rules(self) -> &'static [rule::Rule] {
        match self {
            Self::OpenAiChat => &openai_rules::RULES,
            Self::OpenAiResponses => &responses_rules::RULES,
            Self::Anthropic => &anthropic_rules::RULES,
            Self::Gemini => &gemini_rules::RULES,
        }
    }
}

/// Names the rules of Chat Completions that a body breaks.
#[cfg(feature = "providers")]
pub(crate) fn broken_openai_chat(body: &Value) -> Vec<&'static str> {
    rule::broken(&openai_rules::RULES, body)
}

fn parsed(body: &str) -> Value {
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"))
}

/// Lists the messages, items or contents of a body.
fn turns(provider: Provider, body: &Value) -> &[Value] {
    rule::list(match provider {
        Provider::OpenAiChat | Provider::Anthropic => &body["messages"],
        Provider::OpenAiResponses => &body["input"],
        Provider::Gemini => &body["contents"],
    })
}

/// Holds all bodies of a view to the rules of their interfaces and to what the view says.
#[track_caller]
fn check_bodies(view: &View) {
    check_rules(view);
    for provider in PROVIDERS {
        contents::check(provider, view, provider.body(view).as_deref());
    }
}

/// Holds all bodies of a view to the rules of their interfaces.
#[track_caller]
fn check_rules(view: &View) {
    for provider in PROVIDERS {
        let body = provider.body(view);
        assert_eq!(provider.body(view), body, "the same view, another body");
        let Some(body) = body else { continue };
        assert!(!body.contains('\n'), "more than one line");
        let broken = rule::broken(provider.rules(), &parsed(&body));
        assert_eq!(broken, Vec::<&str>::new(), "{provider:?}: {body}");
    }
}
