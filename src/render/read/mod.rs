//! Bodies of providers back into messages. One file a provider; knows only the domain.
//! May not drop words: a block of an unknown kind is kept as it came.
//!
//! A whole request, a provider's answer, one message of either and a bare list of messages are all
//! read. What is no content (usage, ids, options such as `cache_control`, citations) is passed over;
//! any other field beside a block's content is kept as an opaque part behind it.

pub(super) mod anthropic;
mod error;
pub(super) mod gemini;
mod node;
pub(super) mod openai_chat;
pub(super) mod openai_responses;
mod said;

pub use error::ReadError;
