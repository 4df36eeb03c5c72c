//! Views: what the model does see. Owns their shape; may not choose what goes in.

use super::gauge::ViewVersion;
use super::handle::ItemId;
use super::ids::Depth;
use super::message::{CallKey, Part, Role};
use super::pin::PinMeta;
use super::span::Span;
use super::time::Timestamp;
use super::tokens::Tokens;

/// What an item of a view is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ViewItemKind {
    /// The newest system prompt.
    System,
    /// The block of pins.
    Pins,
    /// A summary in its wrapper.
    Summary,
    /// The newest request, quoted because a summary covers it.
    Request,
    /// A raw message, possibly shortened by the ladder.
    Message,
    /// A line that says what is missing here.
    Gap,
}

impl ViewItemKind {
    /// Returns the word printed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Pins => "pins",
            Self::Summary => "summary",
            Self::Request => "request",
            Self::Message => "message",
            Self::Gap => "gap",
        }
    }
}

/// One item of a view, ready to be rendered for any provider.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ViewItem {
    /// What it is.
    pub kind: ViewItemKind,
    /// The row it shows; none for pins and gaps.
    pub id: Option<ItemId>,
    /// A summary's depth.
    pub depth: Option<Depth>,
    /// The messages it stands for.
    pub span: Option<Span>,
    /// Who speaks.
    pub role: Role,
    /// What it says, wrappers and shortenings included.
    pub parts: Vec<Part>,
    /// When it was said.
    pub at: Option<Timestamp>,
    /// The speaker's name.
    pub name: Option<String>,
    /// The model that said it.
    pub model: Option<String>,
    /// The provider of that model.
    pub provider: Option<String>,
    /// Which stretch without a user's message or a summary between it lies in: results find their
    /// calls within one.
    pub stretch: usize,
    /// For each call and result among the parts, in order, which call it is or answers.
    pub keys: Vec<CallKey>,
    /// Its tokens, frame included.
    pub tokens: Tokens,
}

impl ViewItem {
    /// Makes an item of a kind: no row, no tokens, nothing known of who said it.
    #[must_use]
    pub const fn new(kind: ViewItemKind, role: Role, parts: Vec<Part>) -> Self {
        Self {
            kind,
            id: None,
            depth: None,
            span: None,
            role,
            parts,
            at: None,
            name: None,
            model: None,
            provider: None,
            stretch: 0,
            keys: Vec::new(),
            tokens: Tokens::ZERO,
        }
    }
}

/// Something of the frontier that the view does not show.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// What it is.
    pub kind: ViewItemKind,
    /// The row; none for a run of messages.
    pub id: Option<ItemId>,
    /// The messages it stands for.
    pub span: Span,
    /// The tokens it would have taken.
    pub tokens: Tokens,
}

/// What the model sees.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct View {
    /// All its tokens.
    pub tokens: Tokens,
    /// What it may hold.
    pub budget: Tokens,
    /// Whether what must be shown fits.
    pub fits: bool,
    /// How much the uncut view was over, if it does not fit.
    pub excess: Option<Tokens>,
    /// The items, in order.
    pub items: Vec<ViewItem>,
    /// What is not shown.
    pub left_out: Vec<LeftOut>,
    /// Live pins that a budget below the configured one has no room for.
    pub pins_left_out: Vec<PinMeta>,
    /// Broken rows that were passed over, in words.
    pub warnings: Vec<String>,
    /// Which state it shows, for what a provider says of it; none where no engine assembled it.
    pub version: Option<ViewVersion>,
    /// The provider that compacts the conversation: its own summaries go back to it untouched.
    pub managed_by: Option<String>,
}
