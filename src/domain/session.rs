//! Session keys. Owns what a key may be.
//! May not change a key: it is kept byte for byte.

use std::fmt;

use thiserror::Error;

/// The most bytes a session key may have.
const MAX_KEY_BYTES: usize = 1024;

/// The address of a conversation: non-empty UTF-8 without NUL, at most 1,024 bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey(String);

/// Why a text is no session key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SessionKeyError {
    /// The text has no bytes.
    #[error("a session key may not be empty; give a name such as `main`")]
    Empty,
    /// The text holds U+0000.
    #[error("a session key may not hold a NUL character (byte {at})")]
    Nul {
        /// The byte offset of the first one.
        at: usize,
    },
    /// The text is too long.
    #[error("a session key may have at most 1024 bytes, this one has {bytes}")]
    TooLong {
        /// How many bytes it has.
        bytes: usize,
    },
}

impl SessionKey {
    /// Checks a text and takes it as a key.
    ///
    /// # Errors
    /// [`SessionKeyError`] says which rule the text breaks.
    pub fn new(text: impl Into<String>) -> Result<Self, SessionKeyError> {
        let text = text.into();
        if text.is_empty() {
            return Err(SessionKeyError::Empty);
        }
        if let Some(at) = text.find('\0') {
            return Err(SessionKeyError::Nul { at });
        }
        if text.len() > MAX_KEY_BYTES {
            return Err(SessionKeyError::TooLong { bytes: text.len() });
        }
        Ok(Self(text))
    }

    /// Returns the key.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
