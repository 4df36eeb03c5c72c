//! Names of models: `provider/name`. Owns which providers there are.
//! May not know where one is reached.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Whose interface a model is reached by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Provider {
    /// OpenAI's own.
    OpenAi,
    /// Anthropic's own.
    Anthropic,
    /// Google's Gemini.
    Gemini,
    /// Ollama, on this machine unless told otherwise.
    Ollama,
    /// llama.cpp's server, on this machine unless told otherwise.
    LlamaCpp,
    /// Any server that speaks as OpenAI's does.
    OpenAiCompatible,
}

impl Provider {
    /// Every provider, in the order they are documented.
    pub const ALL: [Self; 6] = [
        Self::OpenAi,
        Self::Anthropic,
        Self::Gemini,
        Self::Ollama,
        Self::LlamaCpp,
        Self::OpenAiCompatible,
    ];

    /// Returns the word before the slash.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
            Self::LlamaCpp => "llamacpp",
            Self::OpenAiCompatible => "openai_compat",
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A model of a provider.
///
/// ```
/// use hippocamp::providers::{ModelName, Provider};
///
/// let name: ModelName = "ollama/hf.co/org/model:Q4".parse()?;
/// assert_eq!((name.provider(), name.model()), (Provider::Ollama, "hf.co/org/model:Q4"));
/// assert!("gpt-5".parse::<ModelName>().is_err());
/// # Ok::<(), hippocamp::providers::ModelNameError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelName {
    provider: Provider,
    model: String,
}

impl ModelName {
    /// Returns the provider.
    #[must_use]
    pub const fn provider(&self) -> Provider {
        self.provider
    }

    /// Returns the model as its provider calls it.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.provider, self.model)
    }
}

/// A text that names no model.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{text}` names no model: write provider/name, with openai, anthropic, gemini, ollama, llamacpp or openai_compat before the slash"
)]
pub struct ModelNameError {
    text: String,
}

impl FromStr for ModelName {
    type Err = ModelNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || ModelNameError {
            text: text.to_owned(),
        };
        let (provider, model) = text.split_once('/').ok_or_else(refused)?;
        let provider = Provider::ALL
            .into_iter()
            .find(|known| known.as_str() == provider)
            .ok_or_else(refused)?;
        let is_name = !model.is_empty()
            && model.len() <= 200
            && !model.contains(|letter: char| letter.is_whitespace() || letter.is_control())
            && !model.contains([',', ';', '"', '[', ']']);
        if !is_name {
            return Err(refused());
        }
        Ok(Self {
            provider,
            model: model.to_owned(),
        })
    }
}
