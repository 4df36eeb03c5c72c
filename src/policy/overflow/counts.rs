//! The counts that an overflow's words name. Owns the sentence forms, and which number is which.
//! May not take a number for a limit that no form says is one: codes and bytes stand beside them.

use super::Overflow;
use super::plain::Plain;
use crate::domain::Tokens;

/// Forms that name what was used and then the limit.
const USED_LIMIT: [&str; 15] = [
    "# tokens > #",
    "input (# tokens) is longer than the models context length (# tokens)",
    "input token count (#) exceeds the maximum number of tokens allowed (#)",
    "input token count (#) exceeds the maximum number of tokens allowed #",
    "input token count exceeds the maximum number of tokens allowed (#)…(#)",
    "request (# tokens) exceeds the available context size (# tokens)",
    "token count of # exceeds the limit of #",
    "contains # tokens…too large for model with # maximum context length",
    "(length #) is longer than the maximum model length of #",
    "length # exceeds the max model len #",
    "requested tokens (#) exceed context window of #",
    "input length (#) exceeds…context length (#)",
    "input length # exceeds…context length #",
    "input length of # tokens exceeds…context length of #",
    "first # tokens…context length of only # tokens",
];

/// Forms that name the limit and then what was used.
const LIMIT_USED: [&str; 13] = [
    "maximum context length is # tokens…resulted in # tokens",
    "maximum context length is # tokens…resulted in about # tokens",
    "maximum context length is # tokens…request has # input tokens",
    "maximum context length is # tokens…at least # input tokens",
    "maximum context length is # tokens…requested # tokens",
    "maximum context length is # tokens…requested about # tokens",
    "context length is only # tokens…# input tokens",
    "context length is only # tokens…length of # tokens",
    "maximum prompt length is # but the request contains # tokens",
    "token limit: # (requested: #",
    "configured limit of # tokens…resulted in # tokens",
    "n ctx slot = #…n prompt tokens = #",
    "context limit of # tokens…has # tokens",
];

/// Forms that name the limit alone.
const LIMIT: [&str; 14] = [
    "maximum context length is # tokens",
    "maximum context length of # tokens",
    "context length is only # tokens",
    "context length of only # tokens",
    "context window of # tokens",
    "maximum prompt length is #",
    "token limit: #",
    "configured limit of # tokens",
    "too large for model with # maximum context length",
    "available context size (# tokens)",
    "exceeds the max model len of #",
    "n ctx:#",
    "n ctx: #",
    "n ctx slot = #",
];

/// Forms that name what was used alone.
const USED: [&str; 4] = [
    "n prompt tokens:#",
    "n prompt tokens: #",
    "prompt is too long: # tokens",
    "messages resulted in # tokens",
];

/// Forms of a prompt and an answer that are too long together: input, output, limit.
const SUM: [&str; 2] = [
    "# + # > #",
    "# input tokens and # output tokens…context limit of #",
];

/// As `SUM`, in another order.
const SUM_LESS: &str = "(# > # - #)";

/// An answer that alone is too long: output, limit.
const OUTPUT_OF: &str = "max tokens: # >= #";

/// The counts of a message, each in the provider's tokens.
pub(super) struct Counts {
    limit: Option<u64>,
    used: Option<u64>,
    output: Option<u64>,
}

impl Counts {
    /// Reads the counts of a message.
    pub(super) fn of(said: &Plain) -> Self {
        let counts = |limit, used, output| Self {
            limit,
            used,
            output,
        };
        for form in SUM {
            if let Some([input, output, limit]) = said.numbers(form).as_deref() {
                return counts(Some(*limit), Some(*input), Some(*output));
            }
        }
        if let Some([output, limit, input]) = said.numbers(SUM_LESS).as_deref() {
            return counts(Some(*limit), Some(*input), Some(*output));
        }
        if let Some([output, limit]) = said.numbers(OUTPUT_OF).as_deref() {
            return counts(Some(*limit), None, Some(*output));
        }
        for form in USED_LIMIT {
            if let Some([used, limit]) = said.numbers(form).as_deref() {
                return counts(Some(*limit), Some(*used), None);
            }
        }
        for form in LIMIT_USED {
            if let Some([limit, used]) = said.numbers(form).as_deref() {
                return counts(Some(*limit), Some(*used), None);
            }
        }
        counts(one(said, &LIMIT), one(said, &USED), None)
    }

    /// Says whether the answer asked for would not fit an empty prompt either.
    pub(super) fn is_output_alone(&self) -> bool {
        matches!((self.output, self.limit), (Some(output), Some(limit)) if output >= limit)
    }

    /// Returns the counts as the engine takes them; a count of 0 is none.
    pub(super) fn overflow(&self) -> Overflow {
        let tokens = |count: Option<u64>| count.filter(|&count| count > 0).map(Tokens::new);
        Overflow {
            limit: tokens(self.limit),
            used: tokens(self.used),
        }
    }
}

fn one(said: &Plain, forms: &[&str]) -> Option<u64> {
    forms
        .iter()
        .find_map(|form| said.numbers(form)?.first().copied())
}
