//! What the readers share: messages as they come in, results, pictures. Owns how pieces join.
//! May not know a provider's JSON beyond its data URIs.

use super::error::ReadError;
use super::node::{Fields, Kind, Node};
use crate::domain::{NewMessage, Part, Role};
use crate::render::piece::FAILED;

/// The media type of a picture whose kind is not told.
pub(super) const ANY_IMAGE: &str = "image/*";

/// The media type of a document.
pub(super) const PDF: &str = "application/pdf";

/// The messages read so far.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) messages: Vec<NewMessage>,
    /// Who answers, where this is known.
    pub(super) provider: Option<&'static str>,
    /// The model that gave the answer, where the body tells.
    pub(super) model: Option<String>,
}

/// Reads one message of a list.
type PushMessage = fn(&mut Said, &Node<'_>) -> Result<(), ReadError>;

impl Said {
    /// Nothing yet, of a body whose answers are this provider's.
    pub(super) fn by(provider: Option<&'static str>) -> Self {
        Self {
            provider,
            ..Self::default()
        }
    }

    /// Reads a body that is a list of messages and gives back the fields of one that is an object.
    /// `wanted` says what an object may be, for what is neither.
    pub(super) fn begin<'b>(
        &mut self,
        body: &Node<'b>,
        wanted: &'static str,
        push: PushMessage,
    ) -> Result<Option<Fields<'b>>, ReadError> {
        match body.kind() {
            Kind::List => self.push_each(body, push).map(|()| None),
            Kind::Object => body.object().map(Some),
            Kind::Text | Kind::Other => Err(body.wrong(wanted)),
        }
    }

    /// Reads each message of a list.
    pub(super) fn push_each(
        &mut self,
        messages: &Node<'_>,
        push: PushMessage,
    ) -> Result<(), ReadError> {
        let messages = messages.list()?;
        messages.iter().try_for_each(|message| push(self, message))
    }

    /// Adds a message, unless it says nothing.
    pub(super) fn push(&mut self, at: &Node<'_>, mut message: NewMessage) -> Result<(), ReadError> {
        if message.parts.is_empty() {
            return Ok(());
        }
        message
            .check_parts()
            .map_err(|source| ReadError::TooManyParts {
                place: at.place(),
                source,
            })?;
        if message.role == Role::Assistant {
            let provider = self.provider.map(str::to_owned);
            message.provider = message.provider.or(provider);
            message.model.clone_from(&self.model);
        }
        self.messages.push(message);
        Ok(())
    }

    /// Adds a message of these parts. Each result is a message of the tool's, with the pieces that
    /// follow it inside its own block; what stands between results is the speaker's.
    pub(super) fn push_split(
        &mut self,
        at: &Node<'_>,
        role: Role,
        blocks: Vec<Block>,
    ) -> Result<(), ReadError> {
        let mut parts = Vec::new();
        for block in blocks {
            match block {
                Block::Said(said) => parts.extend(said),
                Block::Result(result) => {
                    self.push(at, NewMessage::new(role, std::mem::take(&mut parts)))?;
                    self.push(at, NewMessage::new(Role::Tool, result))?;
                }
            }
        }
        self.push(at, NewMessage::new(role, parts))
    }
}

/// What one block of a message gives.
#[derive(Debug)]
pub(super) enum Block {
    /// What the speaker says.
    Said(Vec<Part>),
    /// A result and the pieces of it that are no text.
    Result(Vec<Part>),
}

/// Makes a text part, if there is a text.
pub(super) fn text_part(text: String) -> Option<Part> {
    (!text.is_empty()).then_some(Part::Text { text })
}

/// Makes a result of its pieces: texts, joined by line breaks, are its body, the others follow it.
pub(super) fn result_of(call_id: String, is_error: bool, pieces: Vec<Part>) -> Vec<Part> {
    let mut texts = Vec::new();
    let mut others = Vec::new();
    for piece in pieces {
        match piece {
            Part::Text { text } => texts.push(text),
            other => others.push(other),
        }
    }
    let result = Part::ToolResult {
        call_id,
        content: texts.join("\n"),
        is_error,
    };
    std::iter::once(result).chain(others).collect()
}

/// Makes a result where the interface has no mark for a failure but the line that a body of ours
/// begins with then.
pub(super) fn marked_result_of(call_id: String, pieces: Vec<Part>) -> Vec<Part> {
    let mut parts = result_of(call_id, false, pieces);
    if let Some(Part::ToolResult {
        content, is_error, ..
    }) = parts.first_mut()
        && let Some(bare) = content.strip_prefix(FAILED)
    {
        *content = bare.to_owned();
        *is_error = true;
    }
    parts
}

/// Makes a medium of bytes in base64.
pub(super) fn inline(mime: String, data: &str) -> Part {
    Part::Media {
        uri: format!("data:{mime};base64,{data}"),
        mime,
    }
}

/// Makes a medium of a URI, whose own type counts before `mime`.
pub(super) fn medium(uri: String, mime: &str) -> Part {
    let own = uri.strip_prefix("data:").and_then(|rest| {
        let (head, _) = rest.split_once(',')?;
        let own = head.split(';').next().unwrap_or_default();
        (!own.is_empty()).then(|| own.to_owned())
    });
    Part::Media {
        mime: own.unwrap_or_else(|| mime.to_owned()),
        uri,
    }
}

/// Returns the arguments of a call: a text byte for byte, an object as it is written.
pub(super) fn arguments(node: Option<Node<'_>>) -> Result<String, ReadError> {
    let Some(node) = node else {
        return Ok("{}".to_owned());
    };
    match node.kind() {
        Kind::Text => node.text(),
        Kind::Object => Ok(node.raw().to_owned()),
        Kind::List | Kind::Other => Err(node.wrong("a text or an object")),
    }
}
