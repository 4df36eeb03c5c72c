//! Keys that look like nothing else. Owns one line for each family.
//! May not guess: what needs a name beside it is found by `assigned`.

use std::sync::LazyLock;

use regex::Regex;

use super::assigned::is_by_chance;
use super::{Secret, is_redacted};

/// A family: its kind and how it looks. The secret is the group `s`, or else the whole match.
///
/// Repeats have no upper bound where the secret may be of any length, so that no tail of one stays,
/// and nothing follows them, so that a search never looks far beyond what it finds. Most begin
/// without a boundary: in the JSON of a call's arguments the letter of `\n` stands before them.
///
/// The forms are those that providers document for scanners of secrets, as the rules of gitleaks
/// (`config/gitleaks.toml`) and GitHub's list of supported patterns give them; where a provider says
/// how long a key is, a few letters less are asked for. Those of Langfuse, NVIDIA, Supabase and Tavily
/// are read off keys and patterns in public code; a JSON Web Key's members are RFC 7518's, section 6.
const FAMILIES: [(&str, &str); 61] = [
    ("aws_key", r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16,}"),
    ("google_key", r"AIza[0-9A-Za-z_-]{35,}"),
    ("google_key", r"ya29\.[0-9A-Za-z_-]{20,}"),
    ("google_key", r"GOCSPX-[0-9A-Za-z_-]{24,}"),
    ("google_key", r"1//0[0-9A-Za-z_-]{30,}"),
    (
        "azure_key",
        r"(?i:AccountKey|SharedAccessKey)=(?<s>[A-Za-z0-9+/]{40,}={0,2})",
    ),
    ("azure_key", r"[?&]sig=(?<s>[A-Za-z0-9%+/_-]{40,}={0,2})"),
    ("azure_key", r"[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,}"),
    ("anthropic_key", r"sk-ant-[A-Za-z0-9_-]{20,}"),
    (
        "openai_key",
        r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}",
    ),
    (
        "openai_key",
        r"(?:^|[^A-Za-z0-9_-]|\\[nrt])(?<s>sk-[A-Za-z0-9]{32,})",
    ),
    ("openrouter_key", r"sk-or-(?:v1-)?[0-9A-Za-z]{30,}"),
    ("langfuse_key", r"sk-lf-[0-9a-f-]{30,}"),
    ("groq_key", r"gsk_[A-Za-z0-9]{40,}"),
    ("xai_key", r"xai-[A-Za-z0-9]{60,}"),
    ("perplexity_key", r"pplx-[A-Za-z0-9]{40,}"),
    ("replicate_key", r"r8_[A-Za-z0-9]{37,}"),
    ("huggingface_token", r"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    ("github_token", r"gh[pousr]_[A-Za-z0-9]{36,}"),
    ("github_token", r"github_pat_[A-Za-z0-9_]{50,}"),
    (
        "gitlab_token",
        r"gl(?:pat|ptt|dt|rt|soat|ft|cbt|imt|agent|oas)-[A-Za-z0-9_.-]{20,}",
    ),
    ("npm_token", r"npm_[A-Za-z0-9]{36,}"),
    ("pypi_token", r"pypi-[A-Za-z0-9_-]{50,}"),
    ("docker_token", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{24,}"),
    (
        "slack_token",
        r"xox[abeoprs](?:\.[a-z]+)?-[A-Za-z0-9-]{10,}",
    ),
    ("slack_token", r"xapp-[0-9]-[A-Za-z0-9-]{20,}"),
    (
        "slack_webhook",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?<s>[A-Za-z0-9/_-]{20,})",
    ),
    (
        "discord_token",
        r"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
    ),
    (
        "discord_webhook",
        r"discord(?:app)?\.com/api/webhooks/(?<s>[0-9]{15,20}/[A-Za-z0-9_-]{40,})",
    ),
    ("telegram_token", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33,}"),
    ("stripe_key", r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("stripe_key", r"whsec_[A-Za-z0-9+/=]{24,}"),
    ("square_token", r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}"),
    ("square_token", r"EAAA[A-Za-z0-9_-]{60,}"),
    (
        "paypal_token",
        r"access_token\$(?:production|sandbox)\$(?<s>[a-z0-9]{13,}\$[a-f0-9]{32,})",
    ),
    ("paypal_token", r"A21AA[A-Za-z0-9_-]{70,}"),
    (
        "sendgrid_key",
        r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,}",
    ),
    ("twilio_key", r"SK[0-9a-f]{32,}"),
    (
        "mailgun_key",
        r"(?:^|[^A-Za-z0-9_-]|\\[nrt])(?<s>key-[0-9a-f]{32,})",
    ),
    ("linear_key", r"lin_(?:api|oauth)_[A-Za-z0-9]{36,}"),
    ("notion_token", r"ntn_[0-9]{8,}[A-Za-z0-9]{30,}"),
    ("atlassian_token", r"ATATT3[A-Za-z0-9_=-]{40,}"),
    ("databricks_token", r"dapi[0-9a-f]{32,}(?:-[0-9])?"),
    ("sentry_token", r"sntrys_eyJ[A-Za-z0-9+/=_-]{20,}"),
    ("sentry_token", r"sntryu_[0-9a-f]{60,}"),
    ("nvidia_key", r"nvapi-[A-Za-z0-9_-]{40,}"),
    ("tavily_key", r"tvly-(?:(?:dev|prod)-)?[A-Za-z0-9-]{28,}"),
    ("supabase_key", r"sbp_(?:[a-z0-9]{2}_)?[0-9a-f]{36,}"),
    ("supabase_key", r"sb_secret_[A-Za-z0-9_-]{20,}"),
    (
        "jwk",
        r#""(?:d|p|q|dp|dq|qi|k)"\s{0,4}:\s{0,4}"(?<s>[A-Za-z0-9_-]{40,})"#,
    ),
    ("shopify_token", r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32,}"),
    ("digitalocean_token", r"do[opr]_v1_[0-9a-f]{64,}"),
    ("vault_token", r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    ("age_key", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    (
        "jwt",
        r"eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{4,}){1,4}\.?",
    ),
    (
        "authorization",
        r#"(?i:authorization)\\?["']?\s*[:=]\s*\\?["']?(?i:bearer|basic|token|apikey|digest)\s+(?<s>[A-Za-z0-9._~+/=:-]{8,})"#,
    ),
    (
        "authorization",
        r"(?i:bearer)\s+(?<s>[A-Za-z0-9._~+/=-]{24,})",
    ),
    (
        "url_password",
        r#"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@'"<>\[]{0,100}:(?<s>[^\s/'"`]+)@"#,
    ),
    (
        "url_token",
        r#"[A-Za-z][A-Za-z0-9+.-]{1,20}://(?<s>[^\s/:@'"<>]{16,})(?::x-oauth-basic)?@"#,
    ),
    (
        "cookie",
        r#"(?i:cookie)2?\\?["']?\s{0,4}:\s{0,4}\\?["']?(?<s>[A-Za-z0-9_.%-]{1,100}=[^\r\n"'\\]{8,})"#,
    ),
    (
        "api_key",
        r"(?i:(?:api|access|secret|auth)[_-]?(?:key|token)[_-])(?<s>[0-9a-f]{32,}|[0-9A-F]{32,})",
    ),
];

static FOUND_BY: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    FAMILIES
        .into_iter()
        .filter_map(|(kind, look)| Some((kind, Regex::new(look).ok()?)))
        .collect()
});

/// Finds the keys of every family.
pub(super) fn find(text: &str, found: &mut Vec<Secret>) {
    for (kind, look) in FOUND_BY.iter() {
        for groups in look.captures_iter(text) {
            let Some(secret) = groups.name("s").or_else(|| groups.get(0)) else {
                continue;
            };
            if !is_told(kind, secret.as_str()) {
                found.push(Secret::new(secret.range(), kind));
            }
        }
    }
}

/// Says whether a match names a secret instead of being one: a variable, a mask, our own mark; or,
/// where any word fits the look, a word.
fn is_told(kind: &str, secret: &str) -> bool {
    match kind {
        "url_password" => is_stand_in(secret) || is_port(secret),
        "authorization" => is_stand_in(secret) || !secret.bytes().any(|byte| byte.is_ascii_digit()),
        "jwk" | "url_token" | "api_key" => !is_by_chance(secret),
        "cookie" => !secret.split(['=', ';', ' ', '%', '.']).any(is_key),
        "tavily_key" => !secret.bytes().any(|byte| byte.is_ascii_digit()),
        "openai_key" => !secret.bytes().any(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

/// Says whether a piece of a cookie is too long and too mixed for a word.
fn is_key(piece: &str) -> bool {
    piece.len() >= 16 && is_by_chance(piece)
}

/// Says whether an address ends here, at its port, and what follows is none of it.
fn is_port(value: &str) -> bool {
    let after = value.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let n_digits = value.len() - after.len();
    (1..=5).contains(&n_digits) && after.starts_with([',', ';', ')', ']', '>', '<', '|'])
}

/// Says whether a value is written in a secret's place.
pub(super) fn is_stand_in(value: &str) -> bool {
    let is_mask = |letter: char| "*.xX•…-_".contains(letter);
    is_redacted(value)
        || value.chars().all(is_mask)
        || (value.starts_with(['$', '%']) && !value.contains(['+', '/']) && is_variable(value))
        || (value.starts_with("{{") && value.ends_with("}}"))
}

/// Says whether a value is `$NAME`, `${NAME}`, `$(…)` or `%NAME%`.
fn is_variable(value: &str) -> bool {
    let name = value.trim_start_matches(['$', '%', '{', '(']);
    let name = name.trim_end_matches(['}', ')', '%']);
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit())
        && name.starts_with(|first: char| first.is_ascii_uppercase() || first == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_a_look_that_compiles() {
        assert_eq!(FOUND_BY.len(), FAMILIES.len());
    }
}
