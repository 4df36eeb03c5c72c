//! The words that providers use, as the folding leaves them: `_` is a space, quotes are gone.
//! Owns the lists; the order in which they are asked is the caller's.

/// Begin a message of a provider that is down.
pub(super) const UNAVAILABLE: [&str; 1] = ["service unavailable:"];

/// Too much in a stretch of time. Some of them come with 413 and speak of tokens.
pub(super) const RATE_LIMIT: [&str; 20] = [
    "rate limit",
    "ratelimit",
    "rate exceeded",
    "too many requests",
    "toomanyrequests",
    "throttl",
    "requestlimitexceeded",
    "request limit exceeded",
    "throughput limit exceeded",
    "please wait before trying again",
    "tokens per minute",
    "requests per minute",
    "per minute",
    "tokens per day",
    "requests per day",
    "requests per second",
    "(tpm)",
    "(rpm)",
    "(tpd)",
    "(rpd)",
];

/// Out of money or of a share.
pub(super) const QUOTA: [&str; 6] = [
    "quota",
    "billing",
    "credit balance",
    "insufficient credits",
    "insufficient balance",
    "payment required",
];

/// A prompt below what a cache takes.
pub(super) const CACHE_MINIMUM: [&str; 1] = ["minimum token count to start caching"];

/// A history whose calls, results or arguments are not in order.
pub(super) const MALFORMED: [&str; 18] = [
    "tool use ids…without tool result",
    "tool use ids without tool result",
    "each tool use…must have a corresponding tool result",
    "each tool use must have a single result",
    "multiple tool result blocks with id",
    "unexpected tool use id",
    "tool result without matching tool use",
    "tool result block must have a corresponding tool use",
    "must be followed by tool messages responding to",
    "must be a response to a preceding message with tool calls",
    "failed to parse tool call arguments as json",
    "no tool call found for function call output",
    "no tool output found for function call",
    "no user query found in messages",
    "function call arguments…json",
    "invalid function arguments json",
    "function call turn comes immediately after",
    "function response parts is equal to the number of function call parts",
];

/// Settings that are wrong, among them those of reasoning and windows that are too small to serve.
pub(super) const CONFIGURATION: [&str; 13] = [
    "context window too small",
    "context window is too small",
    "context window…minimum is",
    "minimum context window",
    "thinking.budget tokens",
    "thinking budget",
    "budget tokens",
    "reasoning effort",
    "reasoning is mandatory",
    "unsupported parameter",
    "unsupported value",
    "unknown parameter",
    "extra inputs are not permitted",
];

/// The answer's length alone, whatever else is said.
pub(super) const OUTPUT_ALWAYS: [&str; 4] = [
    "maximum allowed number of output tokens",
    "cannot be greater than max model len",
    "maxoutputtokens",
    "max output tokens must be",
];

/// The answer's length, unless the context's is spoken of too.
pub(super) const OUTPUT: [&str; 9] = [
    "maximum number of output tokens",
    "at most # completion tokens",
    "max tokens is too large",
    "max completion tokens is too large",
    "max tokens must be",
    "max tokens should be",
    "max tokens value",
    "range of max tokens",
    "output token limit",
];

/// Words that only an overflow uses.
pub(super) const STRONG: [&str; 70] = [
    // Codes and types.
    "context length exceeded",
    "context window exceeded",
    "contextwindowexceeded",
    "contextlengthexceeded",
    "contextoverflow",
    "context overflow",
    "exceed context",
    "request too large",
    "payload too large",
    "request entity too large",
    // What is too long.
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "expected maxlength",
    "request exceeds the maximum size",
    "prompt exceeds max length",
    "prompt length",
    "prompt contains…too large",
    "too large for model with",
    "too large for the model",
    "expected a string with maximum length",
    "truncating input",
    "too many tokens",
    "total tokens exceeds",
    "exceeded model token limit",
    "model token limit",
    "exceeds token limit",
    "token limit exceeded",
    "max input token",
    "input tokens exceed",
    "input token count…exceeds the maximum",
    "token…exceeds the limit of #",
    "prompt…exceeds the limit of #",
    "messages resulted in",
    "configured limit",
    "reduce the length of",
    "invalid argument…maximum number of tokens",
    "maximum number of tokens…invalid argument",
    // What it is too long for.
    "exceed context limit",
    "exceeds context limit",
    "exceeds the context window",
    "exceed the context window",
    "exceed context window",
    "exceeds model context window",
    "exceeds the models context window",
    "exceeds the models maximum context",
    "context window exceeds limit",
    "context window full",
    "context window is full",
    "maximum context",
    "maximum prompt length",
    "maximum model length",
    "max model len",
    "context length",
    "longer than the models context",
    "greater than the context length",
    "input length…exceeds…context",
    "available context size",
    "slot context",
    "n ctx slot",
    "exceeded max context",
    "exceeded context length",
    "context size has been exceeded",
    "context the overflows",
    // Chinese.
    "上下文过长",
    "上下文超出",
    "上下文长度",
    "超出最大上下文",
    "请压缩上下文",
    "超过最大长度",
];

/// Short words that other errors use too: they count with a status of 400 or 413.
pub(super) const RISKY: [&str; 6] = [
    "max tokens",
    "invalidparameter",
    "context window",
    "token limit",
    "input token",
    "exceeds the limit",
];

/// What the short words are about when they are not about text.
pub(super) const NOT_TEXT: [&str; 8] = [
    "number of tools",
    "tool definitions",
    "image",
    "audio",
    "attachment",
    "megabytes",
    "mb limit",
    "requests",
];
