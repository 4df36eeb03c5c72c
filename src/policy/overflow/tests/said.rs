//! Our own instances of what providers say.

use super::super::ProviderError;
use ProviderError::{
    CacheMinimum, Configuration, MalformedHistory, Other, OutputLimit, Quota, RateLimit,
    Unavailable,
};

/// Words with the counts that they name: used, limit.
pub(super) const COUNTED: &[(&str, Option<u64>, Option<u64>)] = &[
    (
        "prompt is too long: 208310 tokens > 200000 maximum",
        Some(208_310),
        Some(200_000),
    ),
    (
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length",
        Some(188_240),
        Some(200_000),
    ),
    (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.",
        Some(9_001),
        Some(8_192),
    ),
    (
        "This model's maximum context length is 128,000 tokens. However, you requested 130,500 tokens (120500 in the messages, 10000 in the completion).",
        Some(130_500),
        Some(128_000),
    ),
    (
        "This endpoint's maximum context length is 32768 tokens. However, you requested about 40100 tokens (38000 of text input).",
        Some(40_100),
        Some(32_768),
    ),
    (
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 280001 tokens.",
        Some(280_001),
        Some(272_000),
    ),
    (
        "The input token count (1200500) exceeds the maximum number of tokens allowed (1048576).",
        Some(1_200_500),
        Some(1_048_576),
    ),
    (
        "The input token count (40000) exceeds the maximum number of tokens allowed 32768.",
        Some(40_000),
        Some(32_768),
    ),
    (
        "This model's maximum prompt length is 131072 but the request contains 140020 tokens.",
        Some(140_020),
        Some(131_072),
    ),
    (
        "request (5210 tokens) exceeds the available context size (4096 tokens), try increasing it",
        Some(5_210),
        Some(4_096),
    ),
    (
        r#"{"error":{"code":400,"message":"too big","type":"exceed_context_size_error","n_prompt_tokens":5210,"n_ctx":4096}}"#,
        Some(5_210),
        Some(4_096),
    ),
    (
        "Your request exceeded model token limit: 262144 (requested: 300111)",
        Some(300_111),
        Some(262_144),
    ),
    (
        "Prompt contains 40100 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
        Some(40_100),
        Some(32_768),
    ),
    (
        "prompt token count of 70100 exceeds the limit of 64000",
        Some(70_100),
        Some(64_000),
    ),
    (
        "The input (9100 tokens) is longer than the model's context length (8192 tokens).",
        Some(9_100),
        Some(8_192),
    ),
    (
        "The decoder prompt (length 5100) is longer than the maximum model length of 4096.",
        Some(5_100),
        Some(4_096),
    ),
    (
        "Requested tokens (2100) exceed context window of 2048",
        Some(2_100),
        Some(2_048),
    ),
    (
        "Trying to keep the first 5100 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
        Some(5_100),
        Some(4_096),
    ),
    (
        "'max_tokens' is too large: 900. This model's maximum context length is 4096 tokens and your request has 3500 input tokens (900 > 4096 - 3500).",
        Some(3_500),
        Some(4_096),
    ),
    (
        "This model's context length is only 4096 tokens",
        None,
        Some(4_096),
    ),
    (
        r#"{"message":"prompt is too long: 208310 tokens \u003e 200000 maximum"}"#,
        Some(208_310),
        Some(200_000),
    ),
];

/// Words that name no count, or numbers that are none.
pub(super) const UNCOUNTED: &[&str] = &[
    r#"{"error":{"code":"context_length_exceeded","message":"no"}}"#,
    r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
    "litellm.ContextWindowExceededError: no",
    "ContextLengthExceeded(\"no\")",
    "ContextOverflowError: no",
    "finish_reason: model_context_window_exceeded",
    "Your input exceeds the context window of this model.",
    "Input is too long for requested model.",
    "Please reduce the length of the messages or completion.",
    "the prompt exceeds the max_model_len",
    "the request exceeds the available context size. try increasing it",
    "slot context shift is disabled",
    "n_ctx_slot reached",
    "The number of tokens to keep from the initial prompt is greater than the context length",
    "prompt too long; exceeded max context length by 96 tokens",
    "prompt too long; exceeded context length by 4 tokens",
    "level=warn msg=\"truncating input\"",
    "invalid params, context window exceeds limit (2013)",
    "too many tokens: total tokens exceeds what the model takes",
    "INVALID_ARGUMENT: the prompt is over the maximum number of tokens",
    "上下文过长，请缩短",
    "上下文超出限制",
    "上下文长度超过限制",
    "输入超出最大上下文",
    "请压缩上下文后重试",
    "输入超过最大长度",
    r"\u4e0a\u4e0b\u6587\u8fc7\u957f",
    "context window full",
    "token limit exceeded",
    "This exceeds token limit",
    "The prompt exceeds model context window",
    "Context overflow: prompt too large for the model",
    "prompt exceeds max length",
    "413 Payload Too Large",
    "413 Request Entity Too Large",
    "expected a string with maximum length 10485760, but got a string with length 12000000 instead.",
    "max input tokens reached",
    "400 status code (no body)",
    "413 (no body)",
];

/// What is no overflow.
pub(super) const OTHERS: &[(&str, u16, ProviderError)] = &[
    (
        "Throttling error: Too many tokens, please wait before trying again.",
        400,
        RateLimit,
    ),
    ("Service unavailable: too many tokens", 400, Unavailable),
    ("ThrottlingException: Rate exceeded", 400, RateLimit),
    ("RequestLimitExceeded", 400, RateLimit),
    (
        "TooManyRequestsException: input is too long a queue",
        400,
        RateLimit,
    ),
    (
        "Throughput limit exceeded for prompt tokens",
        400,
        RateLimit,
    ),
    (
        "Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 7100, please reduce the length of your message",
        413,
        RateLimit,
    ),
    ("Rate limit reached: context window", 400, RateLimit),
    ("anything", 429, RateLimit),
    (
        "You exceeded your current quota, please check your plan and billing details",
        429,
        Quota,
    ),
    (
        "Your credit balance is too low to send a prompt of this length",
        400,
        Quota,
    ),
    ("no", 402, Quota),
    (
        "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for m",
        400,
        OutputLimit,
    ),
    (
        "max_tokens is too large: 9000. This model supports at most 4096 completion tokens, whereas you provided 9000.",
        400,
        OutputLimit,
    ),
    (
        "max_tokens=5000 cannot be greater than max_model_len=4096. Please request fewer output tokens.",
        400,
        OutputLimit,
    ),
    (
        "'max_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 12 input tokens (5000 > 4096 - 12).",
        400,
        OutputLimit,
    ),
    (
        "input length and `max_tokens` exceed context limit: 100 + 200000 > 200000",
        400,
        OutputLimit,
    ),
    (
        "`max_tokens` must be greater than `thinking.budget_tokens`",
        400,
        Configuration,
    ),
    (
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        400,
        Configuration,
    ),
    (
        "Model context window too small (8192 tokens). Minimum is 16000.",
        400,
        Configuration,
    ),
    (
        "The context window of 4096 does not do: the minimum is 16384",
        400,
        Configuration,
    ),
    (
        "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1",
        400,
        MalformedHistory,
    ),
    (
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        400,
        MalformedHistory,
    ),
    (
        "each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_1",
        400,
        MalformedHistory,
    ),
    (
        "messages.0.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1",
        400,
        MalformedHistory,
    ),
    (
        "tool_result without matching tool_use in the previous message",
        400,
        MalformedHistory,
    ),
    (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
        400,
        MalformedHistory,
    ),
    (
        "Failed to parse tool call arguments as JSON",
        500,
        MalformedHistory,
    ),
    (
        "No tool call found for function call output with call_id call_1.",
        400,
        MalformedHistory,
    ),
    ("No user query found in messages.", 400, MalformedHistory),
    (
        "function call arguments are not valid JSON",
        400,
        MalformedHistory,
    ),
    (
        "The cached content is of 1024 tokens. The minimum token count to start caching is 4096.",
        400,
        CacheMinimum,
    ),
    ("overloaded_error", 529, Unavailable),
    ("bad gateway", 502, Unavailable),
    ("no such model", 404, Other),
    ("the number of tools exceeds the limit of 128", 400, Other),
    ("the image exceeds the limit of 5242880 bytes", 400, Other),
];
