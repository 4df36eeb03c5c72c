//! Renderings of a view. One file each; knows only the domain.
//!
//! [`text`] is for people, and so is [`markdown`], of a whole conversation. [`openai_chat`],
//! [`openai_responses`], [`anthropic`] and [`gemini`] give the [`Body`] of a request; none sends it,
//! nor knows a model's name. All say the same in the same order:
//!
//! - The system prompt has its own place. Everything that is not the model's, from the summaries to
//!   the gaps, is the user's; neighbours of one role are one message, and where the view begins with
//!   the model a user's line `[earlier messages left out]` stands first.
//! - Each call has exactly one result, right behind it; where none was recorded it says so in
//!   brackets. Words beside results come after them, words beside calls before them.
//! - What says nothing is left out; a result that says nothing is `[empty]`.
//! - A user's name stands before the words, as `NAME says:`; the names of others are not sent.
//! - The same view gives the same bytes, and what is appended to a view leaves the bytes before it
//!   as they are, unless it answers an earlier call.
//!
//! The four read what they write, and what their providers answer: `read` gives back the messages.

pub mod anthropic;
mod body;
pub mod gemini;
pub mod markdown;
mod media;
pub mod openai_chat;
pub mod openai_responses;
mod piece;
mod read;
mod talk;
pub mod text;

pub use body::Body;
pub use read::ReadError;
