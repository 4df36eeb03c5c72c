//! Bodies of models' interfaces on the command line: which one is meant.

use clap::ValueEnum;

/// How a view is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ViewFormat {
    /// For people.
    Text,
    /// The messages of `OpenAI`'s Chat Completions.
    OpenaiChat,
    /// Instructions and input of `OpenAI`'s Responses interface.
    OpenaiResponses,
    /// System prompt and messages of Anthropic's Messages interface.
    Anthropic,
    /// System instruction and contents of Gemini's `generateContent`.
    Gemini,
}

/// Whose body stdin holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BodyFormat {
    /// `OpenAI`'s Chat Completions.
    OpenaiChat,
    /// `OpenAI`'s Responses interface.
    OpenaiResponses,
    /// Anthropic's Messages interface.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
}
