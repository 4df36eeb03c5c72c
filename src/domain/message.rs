//! Messages and their parts. Owns what one row of the record says.
//! May not judge a message: planners do.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::ids::{ConversationId, MessageId, Seq};
use super::import::Provenance;
use super::time::Timestamp;
use super::tokens::Tokens;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A person, or the program in its place.
    User,
    /// The model.
    Assistant,
    /// What a tool gave back.
    Tool,
    /// Standing instructions.
    System,
}

/// A text that names no role.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is no role; the roles are user, assistant, tool and system")]
pub struct RoleError {
    text: String,
}

impl Role {
    /// Returns the role's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::System => "system",
        }
    }
}

impl FromStr for Role {
    type Err = RoleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "user" => Ok(Self::User),
            "assistant" => Ok(Self::Assistant),
            "tool" => Ok(Self::Tool),
            "system" => Ok(Self::System),
            _ => Err(RoleError {
                text: text.to_owned(),
            }),
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// How a message shows in views.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// Part of the talk: seen, counted, summarised.
    Talk,
    /// Injected context, command noise, a host's own summary: inside spans, 0 view tokens.
    Meta,
    /// A version of the system prompt.
    Prompt,
}

/// One piece of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// Words.
    Text {
        /// The words, byte for byte.
        text: String,
    },
    /// What the model thought before it spoke.
    Reasoning {
        /// The words, possibly empty where a provider hides them.
        text: String,
        /// The provider's signature over it.
        signature: Option<String>,
    },
    /// A call of a tool.
    ToolUse {
        /// The id that its result will carry.
        call_id: String,
        /// The tool.
        name: String,
        /// The arguments, byte for byte; usually a JSON object.
        arguments: String,
    },
    /// What a call gave back. Pieces of a result that are no text follow it as parts of their own.
    ToolResult {
        /// The id of the call.
        call_id: String,
        /// The body.
        content: String,
        /// Whether the tool said it failed.
        is_error: bool,
    },
    /// A picture, a document, a sound.
    Media {
        /// Where it is, or a `data:` URI that holds it.
        uri: String,
        /// Its media type.
        mime: String,
    },
    /// A block of a kind unknown here, kept as it came.
    Opaque {
        /// The block as JSON text.
        json: String,
    },
}

impl Part {
    /// Returns the text that is the part's bulk: words, arguments, a result, a URI, a block.
    #[must_use]
    pub fn body(&self) -> &str {
        match self {
            Self::Text { text } | Self::Reasoning { text, .. } => text,
            Self::ToolUse { arguments, .. } => arguments,
            Self::ToolResult { content, .. } => content,
            Self::Media { uri, .. } => uri,
            Self::Opaque { json } => json,
        }
    }

    /// Says whether the part is a summary that a provider made on its side.
    #[must_use]
    pub fn is_compaction(&self) -> bool {
        const KIND: &str = "compaction";
        let Self::Opaque { json } = self else {
            return false;
        };
        let block = || serde_json::from_str::<serde_json::Value>(json).ok();
        json.contains(KIND)
            && block().is_some_and(|block| block.get("type").is_some_and(|kind| kind == KIND))
    }
}

/// A message with more parts than can be kept.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "a message may have at most {} parts, this one has {found}",
    NewMessage::MAX_PARTS
)]
pub struct TooManyParts {
    /// How many it has.
    pub found: usize,
}

/// How a row that was stored before comes to stand again, from an export. One without a time gets
/// none from the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Replay {
    /// A message of its own.
    Message,
    /// It goes on with the message of the visible row before it.
    Continuation,
    /// The first row of a version of the system prompt.
    Prompt,
    /// It goes on with the version that the row before it belongs to.
    PromptContinuation,
}

/// A message that is not stored yet.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewMessage {
    /// Who speaks.
    pub role: Role,
    /// How it shows. A `system` message before any other talk becomes [`Visibility::Prompt`] in
    /// the store, whatever is asked here.
    pub visibility: Visibility,
    /// What it says, in order.
    pub parts: Vec<Part>,
    /// When it was said. `None` lets the engine's clock decide, but for imports, where it stays
    /// unknown.
    pub at: Option<Timestamp>,
    /// The speaker's name.
    pub name: Option<String>,
    /// The model that said it.
    pub model: Option<String>,
    /// The provider of that model.
    pub provider: Option<String>,
    /// A key under which it is stored once per conversation.
    pub key: Option<String>,
    /// Where it was imported from.
    pub provenance: Option<Provenance>,
    /// How it stood before, where it comes from an export and the usual rules would place it
    /// otherwise.
    pub replay: Option<Replay>,
}

impl NewMessage {
    /// The most parts a message may have.
    pub const MAX_PARTS: usize = 65_535;

    /// Makes a message of the talk from parts.
    #[must_use]
    pub fn new(role: Role, parts: Vec<Part>) -> Self {
        Self {
            role,
            visibility: Visibility::Talk,
            parts,
            at: None,
            name: None,
            model: None,
            provider: None,
            key: None,
            provenance: None,
            replay: None,
        }
    }

    /// Makes a message of the talk from words.
    #[must_use]
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self::new(role, vec![Part::Text { text: text.into() }])
    }

    /// Makes a user's message.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::text(Role::User, text)
    }

    /// Makes the model's message.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::text(Role::Assistant, text)
    }

    /// Makes a system message.
    #[must_use]
    pub fn system(text: impl Into<String>) -> Self {
        Self::text(Role::System, text)
    }

    /// Makes the model's message that calls one tool.
    #[must_use]
    pub fn tool_use(
        call_id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        let part = Part::ToolUse {
            call_id: call_id.into(),
            name: name.into(),
            arguments: arguments.into(),
        };
        Self::new(Role::Assistant, vec![part])
    }

    /// Makes the message that answers one call.
    #[must_use]
    pub fn tool_result(call_id: impl Into<String>, content: impl Into<String>) -> Self {
        let part = Part::ToolResult {
            call_id: call_id.into(),
            content: content.into(),
            is_error: false,
        };
        Self::new(Role::Tool, vec![part])
    }

    /// Sets when it was said.
    #[must_use]
    pub fn at(mut self, at: Timestamp) -> Self {
        self.at = Some(at);
        self
    }

    /// Sets the key under which it is stored once.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Says whether it can be stored.
    ///
    /// # Errors
    /// [`TooManyParts`] if it has more than [`NewMessage::MAX_PARTS`].
    pub const fn check_parts(&self) -> Result<(), TooManyParts> {
        let found = self.parts.len();
        if found > Self::MAX_PARTS {
            return Err(TooManyParts { found });
        }
        Ok(())
    }

    /// Says how it stood before.
    #[must_use]
    pub fn replayed(mut self, replay: Replay) -> Self {
        self.replay = Some(replay);
        if matches!(replay, Replay::Prompt | Replay::PromptContinuation) {
            self.visibility = Visibility::Prompt;
        }
        self
    }

    /// Marks it as meta.
    #[must_use]
    pub fn meta(mut self) -> Self {
        self.visibility = Visibility::Meta;
        self
    }
}

/// A stored message, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// The conversation whose row it is; an ancestor's for an inherited one.
    pub conversation: ConversationId,
    /// Its place.
    pub seq: Seq,
    /// Who speaks.
    pub role: Role,
    /// How it shows.
    pub visibility: Visibility,
    /// What it says.
    pub parts: Vec<Part>,
    /// When it was said, where known.
    pub at: Option<Timestamp>,
    /// The speaker's name.
    pub name: Option<String>,
    /// The model that said it.
    pub model: Option<String>,
    /// The provider of that model.
    pub provider: Option<String>,
    /// The first row of the message that this row continues.
    pub continues: Option<Seq>,
    /// All its tokens.
    pub tokens: Tokens,
    /// Its tokens in a view after the cut at source, 0 unless it is talk; without reasoning.
    pub view_tokens: Tokens,
}

impl Message {
    /// Makes a stored message; only rows and tests do.
    #[must_use]
    pub fn from_new(
        new: NewMessage,
        id: MessageId,
        conversation: ConversationId,
        seq: Seq,
    ) -> Self {
        Self {
            id,
            conversation,
            seq,
            role: new.role,
            visibility: new.visibility,
            parts: new.parts,
            at: new.at,
            name: new.name,
            model: new.model,
            provider: new.provider,
            continues: None,
            tokens: Tokens::ZERO,
            view_tokens: Tokens::ZERO,
        }
    }
}

/// A call or a result, by id and occurrence: the k-th call of an id within a turn goes with its
/// k-th result, since hosts reuse ids.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallKey {
    /// The id as the host wrote it.
    pub call_id: String,
    /// Which one within the turn, from 0.
    pub occurrence: u32,
}
