//! What a session cost. Adds up; may not judge.

use hippocamp::domain::Tokens;

use super::model::Spent;

/// The sums over a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    /// Requests that the agent's model was sent.
    pub(crate) requests: u64,
    /// Tokens of all their views.
    pub(crate) view_tokens: u64,
    /// Of these, tokens at the price of a prompt cache: a tenth for what did not change.
    pub(crate) cached_tokens: u64,
    /// Bytes of all their bodies but the first's.
    pub(crate) bytes: u64,
    /// Of these, bytes at a body's beginning that the body before had there too.
    pub(crate) same_bytes: u64,
    /// Requests that kept less than half of the one before.
    pub(crate) cold: u64,
    /// Requests with pressure above the threshold and nothing left to summarise.
    pub(crate) stuck: u64,
    /// Views that could not hold what they must.
    pub(crate) unfit: u64,
    /// What the summarising model was paid for.
    pub(crate) spent: Spent,
    /// Leaves.
    pub(crate) leaves: u64,
    /// Merges.
    pub(crate) merges: u64,
    /// Times that old results of tools were cleared.
    pub(crate) clears: u64,
    /// All that the engine did.
    pub(crate) events: u64,
    /// The depth of the deepest summary at the end.
    pub(crate) depth: u64,
}

impl Figures {
    /// Adds a request whose body has so many bytes, of which so many are those of the body before.
    pub(super) fn add_request(&mut self, view: Tokens, body: &Compared) {
        self.requests += 1;
        self.view_tokens += view.get();
        let same = per_mille(body.same, body.bytes);
        self.cached_tokens += view.get() * (1_000 - same * 9 / 10) / 1_000;
        if body.before > 0 {
            self.bytes += body.bytes;
            self.same_bytes += body.same;
            self.cold += u64::from(body.same * 2 < body.before);
        }
    }
}

/// A body beside the one before it, in bytes.
pub(super) struct Compared {
    before: u64,
    pub(super) bytes: u64,
    pub(super) same: u64,
}

impl Compared {
    pub(super) fn of(before: &str, body: &str) -> Self {
        Self {
            before: before.len() as u64,
            bytes: body.len() as u64,
            same: common_prefix(before.as_bytes(), body.as_bytes()),
        }
    }
}

fn common_prefix(one: &[u8], other: &[u8]) -> u64 {
    const STEP: usize = 4_096;
    let same_steps = one
        .chunks_exact(STEP)
        .zip(other.chunks_exact(STEP))
        .take_while(|(one, other)| one == other)
        .count();
    let rest = one.iter().zip(other).skip(same_steps * STEP);
    let n_rest = rest.take_while(|(one, other)| one == other).count();
    (same_steps * STEP + n_rest) as u64
}

/// Returns a share in thousandths.
pub(super) fn per_mille(part: u64, whole: u64) -> u64 {
    (part * 1_000).checked_div(whole).unwrap_or_default()
}
