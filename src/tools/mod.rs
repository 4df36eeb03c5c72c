//! What an agent sees. Owns the tools: their arguments, schemas and answers.
//! May not open a store, decide a match or call a provider; it is no MCP server.
//!
//! [`schema`] describes them, [`declare`] writes that in the form of a provider's interface.
//! [`dispatch`] runs a tool by name on JSON arguments; [`short_grep`] and [`short_expand`] are the
//! same for typed ones. Arguments that arrive as text (`"5"`, `"true"`, `"[\"1\"]"`) are converted
//! where that is exact, and refused by name where it is not.

mod answer;
mod arguments;
mod declare;
mod dispatch;
mod error;
mod ids;
#[cfg(any(feature = "cli", feature = "mcp"))]
mod message;
#[cfg(feature = "mcp")]
mod nothing;
pub(crate) mod output;
mod pin;
mod schema;
mod short_compact;
mod short_expand;
mod short_grep;
mod view_answer;
mod when;

pub use answer::{expand_answer, grep_answer, standing_word};
#[cfg(feature = "mcp")]
pub(crate) use arguments::{beginning, read_arguments};
pub use declare::{Strictness, ToolFormat, ToolFormatError, declare};
pub use dispatch::{Conversations, ToolScope, dispatch, dispatch_with};
pub use error::ToolError;
pub use ids::{AskedId, asked_ids};
#[cfg(any(feature = "cli", feature = "mcp"))]
pub(crate) use message::read_message;
#[cfg(feature = "cli")]
pub(crate) use message::{REPLAYS, read_block};
#[cfg(feature = "mcp")]
pub(crate) use nothing::answer_of_nothing;
pub use output::output_schema;
pub use pin::{PinArgs, pin};
pub use schema::{OptionalTool, OptionalToolError, ToolSchema, schema, schema_with};
pub use short_compact::{CompactArgs, short_compact};
pub use short_expand::{ExpandArgs, PAGE_TOKENS, short_expand};
pub use short_grep::{GREP_LIMIT, GREP_LIMIT_MAX, GrepArgs, short_grep};
pub use view_answer::view_answer;
pub use when::{Last, LastError, When, WhenError};

#[cfg(test)]
mod tests;
