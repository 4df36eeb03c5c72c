//! The model's window. Owns how a budget follows from it.
//! May not know what fills it.

use thiserror::Error;

use super::tokens::Tokens;

/// How much room a model gives and how much of it is spoken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    context: Tokens,
    overhead: Tokens,
    reserve: Tokens,
}

/// A window that leaves no room for a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "a window of {context} tokens less overhead {overhead} and reserve {reserve} leaves no budget; it must leave at least 1"
)]
pub struct WindowError {
    context: Tokens,
    overhead: Tokens,
    reserve: Tokens,
}

impl Window {
    /// Makes a window of `context` tokens: `overhead` is what the host sends beside the view
    /// (tool schemas, say), `reserve` what it keeps for the answer.
    ///
    /// # Errors
    /// [`WindowError`] if nothing is left for a view.
    pub fn new(context: Tokens, overhead: Tokens, reserve: Tokens) -> Result<Self, WindowError> {
        if context <= overhead + reserve {
            return Err(WindowError {
                context,
                overhead,
                reserve,
            });
        }
        Ok(Self {
            context,
            overhead,
            reserve,
        })
    }

    /// Makes a window with no overhead and no reserve.
    ///
    /// # Errors
    /// [`WindowError`] for 0.
    pub fn of(context: Tokens) -> Result<Self, WindowError> {
        Self::new(context, Tokens::ZERO, Tokens::ZERO)
    }

    /// Returns the window with no more room than `limit`: what a model takes is a fact that a
    /// setting may only go below.
    ///
    /// # Errors
    /// [`WindowError`] if nothing is left for a view then.
    pub fn capped(self, limit: Option<Tokens>) -> Result<Self, WindowError> {
        let context = limit.map_or(self.context, |limit| limit.min(self.context));
        Self::new(context, self.overhead, self.reserve)
    }

    /// Returns all the model's room.
    #[must_use]
    pub const fn context(self) -> Tokens {
        self.context
    }

    /// Returns what the host sends beside the view.
    #[must_use]
    pub const fn overhead(self) -> Tokens {
        self.overhead
    }

    /// Returns what is kept for the answer.
    #[must_use]
    pub const fn reserve(self) -> Tokens {
        self.reserve
    }

    /// Returns what a view may hold; at least 1.
    #[must_use]
    pub const fn budget(self) -> Tokens {
        self.context.saturating_sub(Tokens::new(
            self.overhead.get().saturating_add(self.reserve.get()),
        ))
    }
}
