//! Signs that an answer is no summary: a refusal, an error's text.
//! Both are short and say so at once; a summary that speaks of errors and refusals is neither.

/// A refusal or an error is no longer than this; a summary may begin like one and go on.
const SHORT_CHARS: usize = 600;

const REFUSALS: [&str; 26] = [
    "i can't help",
    "i can't assist",
    "i can't summari",
    "i can't provide",
    "i can't comply",
    "i can't fulfil",
    "i can't do that",
    "i can't continue",
    "i cannot",
    "i am unable to",
    "i'm unable to",
    "i am not able to",
    "i'm not able to",
    "i won't be able",
    "i will not be able",
    "i'm sorry",
    "i am sorry",
    "i apologize",
    "i apologise",
    "sorry, but i",
    "sorry, i",
    "as an ai",
    "as a language model",
    "please share the",
    "please provide the",
    "there is no conversation",
];

/// Refusals in other languages, as they begin.
const FOREIGN_REFUSALS: [&str; 47] = [
    "desculpe",
    "me desculpe",
    "sinto muito, mas",
    "lamento, mas",
    "infelizmente, não posso",
    "não posso ajudar",
    "não posso resumir",
    "não consigo resumir",
    "como uma ia",
    "como um modelo de linguagem",
    "por favor, forneça",
    "lo siento",
    "lamento, pero",
    "lamentablemente, no puedo",
    "no puedo ayudar",
    "no puedo resumir",
    "como una ia",
    "como modelo de lenguaje",
    "por favor, proporcion",
    "es tut mir leid",
    "tut mir leid",
    "leider kann ich",
    "ich kann dabei nicht helfen",
    "ich kann dir dabei nicht",
    "ich kann diese",
    "als ki",
    "als sprachmodell",
    "bitte gib mir den text",
    "je suis désolé",
    "désolé, ",
    "je regrette, mais",
    "malheureusement, je ne peux pas",
    "je ne peux pas",
    "en tant qu'ia",
    "en tant que modèle de langage",
    "veuillez fournir",
    "抱歉",
    "很抱歉",
    "非常抱歉",
    "对不起",
    "我无法",
    "作为一个人工智能",
    "请提供",
    "申し訳ありません",
    "申し訳ございません",
    "すみませんが",
    "aiとして",
];

const OPENERS: [&str; 5] = [
    "unfortunately, ",
    "sure, but ",
    "sure! ",
    "sure. ",
    "hello! ",
];

const ERRORS: [&str; 20] = [
    "error:",
    "error generating",
    "error code:",
    "error communicating",
    "error calling",
    "an error occurred",
    "api error",
    "apierror",
    "apiconnectionerror",
    "fatal error:",
    "internal server error",
    "bad gateway",
    "service unavailable",
    "gateway timeout",
    "rate limit exceeded",
    "rate limit reached",
    "too many requests",
    "connection reset",
    "request timed out",
    "traceback (most recent call last)",
];

/// Says whether a text declines, or asks for what it was given.
pub(super) fn is_refusal(text: &str) -> bool {
    let Some(opening) = opening(text) else {
        return false;
    };
    let mut rest = opening.as_str();
    for opener in OPENERS {
        rest = rest.strip_prefix(opener).unwrap_or(rest);
    }
    let mut signs = REFUSALS.iter().chain(&FOREIGN_REFUSALS);
    signs.any(|sign| rest.starts_with(sign))
}

/// Says whether a text is an error's.
pub(super) fn is_error(text: &str) -> bool {
    let Some(opening) = opening(text) else {
        return false;
    };
    ERRORS.iter().any(|sign| opening.starts_with(sign))
        || opening.starts_with("{\"error\"")
        || opening.starts_with("{ \"error\"")
        || is_status(&opening)
}

/// Says whether a text begins as `HTTP 503` or `429 too many requests` does.
fn is_status(opening: &str) -> bool {
    let after_http = opening
        .strip_prefix("http ")
        .or_else(|| opening.strip_prefix("http/1.1 "))
        .or_else(|| opening.strip_prefix("status "));
    let code = after_http.unwrap_or(opening);
    let digits: String = code.chars().take_while(char::is_ascii_digit).collect();
    let is_code = digits.len() == 3 && (digits.starts_with('4') || digits.starts_with('5'));
    let words = code
        .get(digits.len()..)
        .unwrap_or_default()
        .trim_start_matches([' ', ':']);
    let is_named = ERRORS.iter().any(|sign| words.starts_with(sign)) || words.starts_with('{');
    is_code && (is_named || after_http.is_some())
}

/// Returns a short text in one case, with plain apostrophes and single blanks; `None` for a text
/// too long to be a refusal or an error.
fn opening(text: &str) -> Option<String> {
    if text.chars().nth(SHORT_CHARS).is_some() {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain = words.join(" ").replace(['\u{2019}', '\u{2018}'], "'");
    Some(
        plain
            .trim_start_matches(['*', '#', '[', '_', ' '])
            .to_lowercase(),
    )
}
