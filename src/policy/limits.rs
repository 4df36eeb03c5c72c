//! Defaults. Owns every tuned number, once, with its unit and its reason.
//! May not be read from a configuration file but for the four knobs that design names.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::Tokens;

/// What `compact --stdin` leaves of a talk where no budget is given, in percent of its size: the
/// facts of a talk fit a third of it with some of what was said around them.
pub const SQUEEZE_PERCENT: usize = 30;

/// Bytes of the head, and of the tail, of one text that are read for what its writer demands. Each
/// holds some 40 pages, more than anybody writes to an agent: what stands between was pasted.
pub const DEMANDED_BYTES: usize = 128 * 1024;

/// Sentences of one text that set or lift a constraint at most: the first half of them and the
/// last. A text that demands more is a document, and each is held against every pin.
pub const DEMANDED_SENTENCES: usize = 128;

/// Sentences of a summary's sources that its negations are held against at most: a chunk of the
/// largest size, whose prompt they are taken from first, holds fewer.
pub const COMPARED_SENTENCES: usize = 8_000;

/// The numbers that planners go by.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Messages of the fresh tail at most. 32 is about eight exchanges with their tool calls: what
    /// a model refers back to by position.
    pub tail_messages: u64,
    /// The fresh tail's share of the budget in percent at most: a tail of a few huge results must
    /// not keep the rest of the view out.
    pub tail_percent: u64,
    /// Messages that make a stretch worth a leaf: fewer, and the wrapper costs what is gained.
    pub leaf_messages: u64,
    /// Tokens of one chunk at most, so that a prompt is answered in one go by small models.
    pub chunk_tokens: Tokens,
    /// A chunk's share of the budget in percent at most: with a small window, small chunks.
    pub chunk_percent: u64,
    /// What a leaf should hold at most: about a page.
    pub leaf_target: Tokens,
    /// A leaf's share of its source in percent at most, or little is gained.
    pub leaf_target_source_percent: u64,
    /// A leaf's share of the budget in percent at most, so that a row of leaves fits.
    pub leaf_target_budget_percent: u64,
    /// Tokens of the shortest body worth storing: a summary as rendered costs this and its wrapper
    /// at least, so what is not larger cannot shrink.
    pub least_summary: Tokens,
    /// Children of a routine merge: fewer makes chains, more loses too much at once.
    pub fanout: usize,
    /// Tokens of a merge's input at most; above it bodies enter as marked cuts.
    pub condense_input: Tokens,
    /// What a condensed node should hold at most.
    pub condense_target: Tokens,
    /// A condensed node's share of the budget in percent at most.
    pub condense_target_budget_percent: u64,
    /// Pressure, in percent of the budget, from which merging begins (`summarize_token_percent`).
    pub summarize_token_percent: u64,
    /// Visible messages a conversation must hold before merging (`summarize_message_threshold`).
    pub summarize_message_threshold: u64,
    /// Pressure, in percent of the budget, from which leaves are made (`leaf_from_percent`).
    pub leaf_from_percent: u64,
    /// Passes of a recovery at most: a bound on work, not a target.
    pub recovery_passes: u32,
    /// Pressure, in percent of the budget, that a promotion in deferred mode goes on to.
    pub promote_percent: u64,
    /// Tokens of a tool result that views show at most (`tool_result_cap`).
    pub tool_result_cap: Tokens,
    /// The same for single tools, by name: a tool whose long results are worth more, or less.
    pub tool_result_caps: BTreeMap<String, Tokens>,
    /// The soft limit: pressure, in percent of the budget, past which old tool results are cleared and
    /// leaves wait for no turn to end. It lies under the threshold of merging, since a line costs no
    /// call and loses no body.
    pub soft_percent: u64,
    /// Results before the model's newest message that are never cleared: what it works on now.
    pub clear_keep: usize,
    /// Tokens that a clear must save, or nothing is done: a cleared result changes the beginning of
    /// the prompt, and what follows it must be paid for again.
    pub clear_least: Tokens,
    /// Tools whose results are never cleared, by name.
    pub clear_exempt: BTreeSet<String>,
    /// Answers up to this many percent of the target are taken: models count tokens their own way.
    pub answer_percent: u64,
    /// Failures in a row that open the breaker.
    pub breaker_failures: u32,
    /// How long the breaker's first opening lasts, in milliseconds; it doubles.
    pub breaker_open_millis: i64,
    /// How long an opening may last at most, in milliseconds.
    pub breaker_open_max_millis: i64,
    /// Calls of a model in one window of the spend guard at most.
    pub spend_calls: u32,
    /// The spend guard's window, in milliseconds.
    pub spend_window_millis: i64,
    /// How long all levels of a turn's leaf may take together, in milliseconds.
    pub turn_leaf_millis: u64,
    /// How long one call may take where no turn waits for it, in milliseconds: slow local models
    /// answer within two minutes.
    pub call_millis: u64,
    /// Views made smaller after a provider's error in one turn of a user at most.
    pub overflow_retries: u32,
    /// What a view is made smaller to, in percent of the one that was too long, where the error
    /// does not say enough.
    pub overflow_percent: u64,
    /// The smallest window that a provider's words are believed of: no model that keeps a talk has
    /// less, and a number misread must not take a window away.
    pub least_named_window: Tokens,
    /// What compactions save, in percent of the view without them, from which a measurement shows
    /// whether they did: less drowns in the estimate's own error.
    pub effect_seen_percent: u64,
    /// What a compaction must really save, in percent of what it says, to count as effective.
    pub effect_percent: u64,
    /// Compactions in a row that did not help, from which nothing is compacted unasked.
    pub ineffective_limit: u32,
    /// How long that lasts, in milliseconds.
    pub ineffective_pause_millis: i64,
    /// Pressure, in percent of the trigger, from which an agent may ask for a compaction.
    pub request_percent: u64,
    /// The smallest view whose measurement says something: below it the frame outweighs the text.
    pub least_measured: Tokens,
    /// Tokens of the prompt, in percent of the model's window, at most.
    pub prompt_window_percent: u64,
    /// Bodies of the newest batch are cut to no less than this.
    pub least_body: Tokens,
    /// The share of what is free, in percent, that summaries may hold while raw groups are dropped.
    pub summaries_percent: u64,
    /// What live pins may take of the budget, as printed, in percent: they stand in every view.
    pub pins_percent: u64,
}

impl Limits {
    /// Returns how much views show of a result of `tool`; of an unknown one as of any other.
    #[must_use]
    pub fn cap_of(&self, tool: Option<&str>) -> Tokens {
        let own = tool.and_then(|tool| self.tool_result_caps.get(tool));
        own.copied().unwrap_or(self.tool_result_cap)
    }

    /// Says whether the results of a tool are never cleared.
    #[must_use]
    pub fn is_exempt(&self, tool: &str) -> bool {
        self.clear_exempt.contains(tool)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            tail_messages: 32,
            tail_percent: 25,
            leaf_messages: 8,
            chunk_tokens: Tokens::new(20_000),
            chunk_percent: 25,
            leaf_target: Tokens::new(1_200),
            leaf_target_source_percent: 35,
            leaf_target_budget_percent: 5,
            least_summary: Tokens::new(8),
            fanout: 4,
            condense_input: Tokens::new(20_000),
            condense_target: Tokens::new(2_000),
            condense_target_budget_percent: 8,
            summarize_token_percent: 75,
            summarize_message_threshold: 20,
            leaf_from_percent: 0,
            recovery_passes: 20,
            promote_percent: 50,
            tool_result_cap: Tokens::new(6_000),
            tool_result_caps: BTreeMap::new(),
            soft_percent: 60,
            clear_keep: 3,
            clear_least: Tokens::new(4_096),
            clear_exempt: BTreeSet::new(),
            answer_percent: 150,
            breaker_failures: 3,
            breaker_open_millis: 60_000,
            breaker_open_max_millis: 30 * 60_000,
            spend_calls: 24,
            spend_window_millis: 10 * 60_000,
            turn_leaf_millis: 30_000,
            call_millis: 120_000,
            overflow_retries: 2,
            overflow_percent: 75,
            least_named_window: Tokens::new(1_024),
            least_measured: Tokens::new(512),
            effect_seen_percent: 5,
            effect_percent: 25,
            ineffective_limit: 3,
            ineffective_pause_millis: 30 * 60_000,
            request_percent: 50,
            prompt_window_percent: 80,
            least_body: Tokens::new(50),
            summaries_percent: 50,
            pins_percent: 10,
        }
    }
}
