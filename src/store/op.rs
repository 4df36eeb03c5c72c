//! What can be written, and what came of it. Owns the two enums of the writer's queue.
//! May not hold SQL.

use crate::domain::{
    AppendRequest, Appended, BreakerChange, CallRecord, ClearCommit, ClearOutcome, CommitOutcome,
    ConversationId, EventId, ForkRequest, Forked, LeaseRequest, Measurement, PinCommit, PinOutcome,
    PlanCommit, RecountCommit, RecountOutcome, Seq, SteeringChange, SyncRequest, Timestamp, Tokens,
    Window,
};

/// One caller's write.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteOp {
    /// Appends messages.
    Append(AppendRequest),
    /// Writes a host's whole history, as decided before.
    Sync(SyncRequest),
    /// Stores a plan's summary.
    Commit(PlanCommit),
    /// Shows old tool results as a line each.
    Clear(ClearCommit),
    /// Counts raw messages by other caps.
    Recount(RecountCommit),
    /// Lets views use all rows there are.
    Promote {
        /// The branch.
        conversation: ConversationId,
        /// One `snake_case` word for the event.
        reason: String,
        /// Pressure before, for the event.
        tokens_before: Tokens,
        /// Pressure after.
        tokens_after: Tokens,
        /// When.
        now: Timestamp,
    },
    /// Records the configured window.
    Window {
        /// The branch.
        conversation: ConversationId,
        /// The window from now on.
        window: Window,
        /// When.
        now: Timestamp,
    },
    /// Makes a branch by name.
    Fork(ForkRequest),
    /// Changes pins.
    Pins(PinCommit),
    /// Asks for a lease.
    Lease(LeaseRequest),
    /// Gives a lease back.
    ReleaseLease {
        /// What was leased.
        unit: String,
        /// Who held it.
        holder: String,
    },
    /// Changes a breaker's state.
    ChangeBreaker(BreakerChange),
    /// Records a call of a model.
    Call(CallRecord),
    /// Changes what is said of a conversation beside the record.
    Steer(SteeringChange),
    /// Records what was learned of a model.
    Measure(Measurement),
}

impl WriteOp {
    /// Says whether the write may be lost in a power cut: at worst a summary is paid for twice, or
    /// a call that no summary came of is not told.
    pub(super) const fn needs_no_durability(&self) -> bool {
        matches!(
            self,
            Self::Lease(_) | Self::ReleaseLease { .. } | Self::ChangeBreaker(_) | Self::Call(_)
        )
    }
}

/// What came of one caller's write.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteReply {
    /// Of an append.
    Appended(Appended),
    /// Of a sync.
    Synced(SyncOutcome),
    /// Of a commit.
    Committed(CommitOutcome),
    /// Of a clear.
    Cleared(ClearOutcome),
    /// Of a recount.
    Recounted(RecountOutcome),
    /// Of a promotion: its event, if any row was waiting.
    Promoted(Option<EventId>),
    /// Of a window: its event, if it differs from the one recorded.
    WindowSet(Option<EventId>),
    /// Of a fork.
    Forked(Forked),
    /// Of changes of pins.
    Pinned(PinOutcome),
    /// Of a lease.
    Lease(LeaseOutcome),
    /// Of a release.
    Done,
    /// Of a change of a breaker.
    Breaker(BreakerOutcome),
    /// Of a call.
    CallRecorded(EventId),
    /// Of a change of what is said beside the record.
    Steered(SteeringOutcome),
    /// Of a measurement: its event.
    Measured(EventId),
}

/// What came of a sync.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyncOutcome {
    /// It is written.
    Applied {
        /// The rows appended; may be none.
        appended: Appended,
        /// The branch the key points at now.
        conversation: ConversationId,
        /// Where the branch began, if one was made that inherits anything.
        fork_seq: Option<Seq>,
    },
    /// The branch or its head are not those of the decision; nothing was written.
    Stale,
}

/// What came of asking for a lease.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseOutcome {
    /// The unit is the holder's.
    Granted,
    /// Another one holds it until then.
    Held(Timestamp),
    /// The plan no longer holds; there is nothing to pay for.
    Stale,
}

/// What came of changing a breaker.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerOutcome {
    /// The state is the new one.
    Applied,
    /// Another one changed it since it was read; nothing was written.
    Stale,
}

/// What came of changing what is said of a conversation.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SteeringOutcome {
    /// The state is the new one.
    Applied,
    /// Another one changed it since it was read; nothing was written.
    Stale,
}
