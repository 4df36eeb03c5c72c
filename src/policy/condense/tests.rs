//! Placeholder.
/// A prompt for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Standing instructions.
    pub system: String,
    /// The request with its fenced source.
    pub text: String,
}
