//! Values. Owns the words of the library: ids, spans, messages, plans, events, queries.
//! May not read a clock, speak SQL, wait, or log.

mod append;
mod arguments;
mod clear;
mod event;
mod field;
mod frontier;
mod gauge;
mod handle;
mod ids;
mod import;
mod last;
mod message;
mod outcome;
mod pin;
mod pinning;
mod plan;
mod query;
mod record;
mod recount;
mod redact;
mod search;
mod session;
mod span;
mod steering;
mod summary;
mod time;
mod tokens;
mod usage;
mod view;
mod window;

pub use append::{
    AppendRequest, Appended, AppendedRow, ForkRequest, Forked, PinScan, Stamped, SyncAction,
    SyncRequest,
};
pub use arguments::arguments_object;
pub use clear::{ClearCommit, ClearOutcome, ClearPlan, Cleared};
pub use event::{Event, EventKind, WindowChange};
pub use field::{Bounds, Field};
pub use frontier::{Frontier, FrontierItem, Health, MessageMeta, Node, PromptMeta};
pub use gauge::{Factor, Gauge, Learned, Measurement, ViewVersion};
pub use handle::{HandleError, ItemId};
pub use ids::{ConversationId, Depth, EventId, Generation, MessageId, Seq, SourceId, SummaryId};
pub use import::{
    Checkpoint, CopyOf, ImportBatch, ImportConversation, ImportCopy, ImportReply, ImportRow,
    KnownKey, Provenance, RecordCopy, RecordSource, Rewind, RowFate, SourceFile,
};
pub use last::{Last, LastError};
pub use message::{
    CallKey, Message, NewMessage, Part, Replay, Role, RoleError, TooManyParts, Visibility,
};
pub use outcome::{CommitOutcome, Committed};
pub use pin::{
    Pin, PinBy, PinFilter, PinId, PinIdError, PinKind, PinMeta, PinRequest, PinSource, PinState,
};
pub use pinning::{
    NewPin, PinBoard, PinChange, PinCommit, PinMove, PinOutcome, PinRef, Said, SaidPage,
};
pub use plan::{Children, CondensePlan, Draft, LeafPlan, LiveMove, Plan, PlanCommit, RepairPlan};
pub use query::{
    Answers, Expr, IndexQuery, MatchKind, Operand, PatternError, RoleFilter, RowFilter, Scope,
    SearchScope, Sort, SortError, TimeRange, Words,
};
pub use record::{
    BranchName, Breaker, BreakerChange, Candidate, Check, Conversation, CurveStep, HistoryRow,
    IndexRow, IndexState, LeaseRequest, Mark, SearchRow, SessionRow, StoreStats, TreeNode,
};
pub use recount::{RecountCommit, RecountOutcome, RecountPlan, Recounted};
pub use redact::{Redacted, RedactionCounts, Redactor};
pub use search::{
    ExpandReply, ExpandRequest, ExpandedMessage, ExpandedSummary, GrepReply, GrepRequest, Hit,
    HitKind, Neighbour, Piece, Reach, Snippet, Sources, Standing, Surroundings, ToolResults,
};
pub use session::{SessionKey, SessionKeyError};
pub use span::Span;
pub use steering::{
    Attempts, CompactRequest, CurrentModel, KnownBy, Pause, Seen, Steering, SteeringChange,
};
pub use summary::{Origin, Summary, SummaryBody};
pub use time::{Clock, TimeError, Timestamp};
pub use tokens::{Estimator, MONOTONE_TOLERANCE, TokenCounter, Tokens, cost, estimate};
pub use usage::{CallRecord, Usage};
pub use view::{LeftOut, View, ViewItem, ViewItemKind};
pub use window::{Window, WindowError};
