//! Secrets made by chance, one generator a family.

use proptest::prelude::*;
use proptest::sample::select;

use crate::policy::redact::digits;

/// Its kind, what must be gone, and the text it is planted as.
type Planted = (&'static str, String, String);

/// A secret of each family.
pub(super) fn planted() -> impl Strategy<Value = Planted> {
    let mut families = vec![
        of("aws_key", "AKIA[A-Z2-7]{16}"),
        of("google_key", "AIza[0-9A-Za-z_-]{35}"),
        of("google_key", "ya29\\.[0-9A-Za-z_-]{40}"),
        of("google_key", "GOCSPX-[0-9A-Za-z_-]{28}"),
        beside("azure_key", "AccountKey=", "[A-Za-z0-9+/]{86}==", ";"),
        of("azure_key", "[a-zA-Z0-9]{3}8Q~[A-Za-z0-9_~.-]{33}[a-z]"),
        of("anthropic_key", "sk-ant-api03-[A-Za-z0-9_-]{93}AA"),
        of("openai_key", "sk-proj-[A-Za-z0-9_-]{48}"),
        of("openai_key", "sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}"),
        of("groq_key", "gsk_[A-Za-z0-9]{52}"),
        of("huggingface_token", "hf_[A-Za-z0-9]{34}"),
        of("github_token", "gh[pousr]_[A-Za-z0-9]{36}"),
        of("github_token", "github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
        of("gitlab_token", "glpat-[A-Za-z0-9_-]{20}"),
        of("npm_token", "npm_[A-Za-z0-9]{36}"),
        of("pypi_token", "pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{60}"),
        of("slack_token", "xox[bp]-[0-9]{11}-[0-9]{12}-[A-Za-z0-9]{24}"),
        of(
            "discord_token",
            "M[A-Za-z0-9_-]{23}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{38}",
        ),
        of("telegram_token", "[1-9][0-9]{9}:AA[A-Za-z0-9_-]{33}"),
        of("stripe_key", "[sr]k_live_[A-Za-z0-9]{24}"),
        of("square_token", "sq0atp-[A-Za-z0-9_-]{22}"),
        of("paypal_token", "A21AA[A-Za-z0-9_-]{80}"),
        of(
            "jwt",
            "eyJ[A-Za-z0-9_-]{20}\\.eyJ[A-Za-z0-9_-]{40}\\.[A-Za-z0-9_-]{43}",
        ),
        beside(
            "authorization",
            "Authorization: Bearer ",
            "[A-Za-z0-9._~+/-]{20}[0-9]",
            "",
        ),
        beside(
            "authorization",
            "\"authorization\": \"Basic ",
            "[A-Za-z0-9+/]{24}[0-9]=",
            "\"",
        ),
        beside(
            "url_password",
            "postgres://app:",
            "[A-Za-z0-9!$%&*+,;=~-]{6,20}[0-9]",
            "@db.example.org:5432/x",
        ),
        made_by_chance("api_key = \"", "0123456789abcdef", "\"").boxed(),
        made_by_chance(
            "CLIENT_SECRET=",
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
            "",
        )
        .boxed(),
        made_by_chance("x-api-key: ", "abcdefghijklmnopqrstuvwxyz0123456789-_", "").boxed(),
        beside(
            "password",
            "password: ",
            "[A-Z][a-z]{4}[0-9]{3}[!?#^][a-z]{2}",
            "",
        ),
        beside(
            "password",
            "a senha é ",
            "[A-Z][a-z]{4}[0-9]{3}[!?#^][a-z]{2}",
            "",
        ),
        pem().boxed(),
        beside(
            "email",
            "",
            "[a-z]{3,8}\\.[a-z]{3,8}@[a-z]{3,9}\\.(org|com\\.br)",
            "",
        ),
        of("phone", "\\+55 [1-9]{2} 9[0-9]{4}-[0-9]{4}"),
        of("phone", "\\([1-9]{2}\\) 9[0-9]{4}-[0-9]{4}"),
        card().boxed(),
        cpf().boxed(),
        of("national_id", "[1-5][0-9]{2}-[1-9][1-9]-[1-9]{4}"),
    ];
    families.extend(services());
    proptest::strategy::Union::new(families)
}

/// Keys of further services.
fn services() -> Vec<BoxedStrategy<Planted>> {
    vec![
        of("linear_key", "lin_api_[A-Za-z0-9]{40}"),
        of("notion_token", "ntn_[0-9]{11}[A-Za-z0-9]{35}"),
        of("atlassian_token", "ATATT3[A-Za-z0-9_=-]{180}[A-F0-9]{8}"),
        of("databricks_token", "dapi[0-9a-f]{32}"),
        of(
            "sentry_token",
            "sntrys_eyJ[A-Za-z0-9+/]{40}=_[A-Za-z0-9+/]{43}",
        ),
        of("nvidia_key", "nvapi-[A-Za-z0-9_-]{64}"),
        of("tavily_key", "tvly-dev-[A-Za-z0-9]{31}[0-9]"),
        of("supabase_key", "sbp_[0-9a-f]{40}"),
        of(
            "langfuse_key",
            "sk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        ),
        of("openrouter_key", "sk-or-v1-[0-9a-f]{64}"),
        of("openrouter_key", "sk-or-[A-Za-z0-9]{40}"),
        beside(
            "api_key",
            "curl -d api-key-",
            "[0-9][a-f][0-9][a-f0-9]{29}[0-9][a-f]",
            " here",
        ),
        beside(
            "url_token",
            "git clone https://",
            "[0-9][a-f][0-9][a-f0-9]{35}[0-9][a-f]",
            "@git.example.org/x",
        ),
        beside(
            "cookie",
            "Cookie: theme=dark; sid=",
            "[0-9][A-Z][0-9][A-Za-z0-9]{30}[0-9][a-z]",
            "",
        ),
    ]
}

fn of(kind: &'static str, look: &str) -> BoxedStrategy<Planted> {
    let look = proptest::string::string_regex(look).unwrap();
    look.prop_map(move |secret| (kind, secret.clone(), secret))
        .boxed()
}

fn beside(
    kind: &'static str,
    before: &'static str,
    look: &str,
    after: &'static str,
) -> BoxedStrategy<Planted> {
    let look = proptest::string::string_regex(look).unwrap();
    look.prop_map(move |secret| {
        let planted = format!("{before}{secret}{after}");
        (kind, secret, planted)
    })
    .boxed()
}

/// A value in which digits and letters of `alphabet` alternate as chance has it.
fn made_by_chance(
    before: &'static str,
    alphabet: &'static str,
    after: &'static str,
) -> impl Strategy<Value = Planted> {
    let letters: Vec<char> = alphabet.chars().collect();
    Just([letters.clone(), letters].concat())
        .prop_shuffle()
        .prop_map(move |letters| {
            let secret: String = letters.into_iter().take(32).chain("4x7".chars()).collect();
            let planted = format!("{before}{secret}{after}");
            ("secret", secret, planted)
        })
}

fn pem() -> impl Strategy<Value = Planted> {
    let lines = proptest::collection::vec("[A-Za-z0-9+/]{64}", 1..6);
    let breaks = select(vec!["\n", "\r\n", "\\n"]);
    let names = select(vec!["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "]);
    // Whole, without its end, without its beginning.
    (lines, "[A-Za-z0-9+/]{5,40}==", breaks, names, 0..3).prop_map(
        |(lines, last, cut, name, part)| {
            let body = format!("{}{cut}{last}", lines.join(cut));
            let (begin, end) = (
                format!("-----BEGIN {name}PRIVATE KEY-----{cut}"),
                format!("{cut}-----END {name}PRIVATE KEY-----"),
            );
            let planted = match part {
                0 => format!("{begin}{body}{end}"),
                1 => format!("{begin}{body}"),
                _ => format!("{body}{end}"),
            };
            ("private_key", lines.join(cut), planted)
        },
    )
}

pub(super) fn card() -> impl Strategy<Value = Planted> {
    ("4[0-9]{14}", select(vec!["", " ", "-"])).prop_map(|(first, between)| {
        let digit = (0..10)
            .find(|digit| {
                let number = format!("{first}{digit}");
                digits::luhn(
                    &number
                        .bytes()
                        .map(|byte| u32::from(byte - b'0'))
                        .collect::<Vec<_>>(),
                )
            })
            .unwrap();
        let number = format!("{first}{digit}");
        let groups: Vec<&str> = (0..4).map(|idx| &number[idx * 4..idx * 4 + 4]).collect();
        let number = groups.join(between);
        ("card", number.clone(), number)
    })
}

pub(super) fn cpf() -> impl Strategy<Value = Planted> {
    ("[0-8][0-9]{7}9", prop::bool::ANY).prop_map(|(first, is_bare)| {
        let found = (0..100)
            .map(|last| format!("{first}{last:02}"))
            .find(|number| {
                digits::is_cpf(
                    &number
                        .bytes()
                        .map(|byte| u32::from(byte - b'0'))
                        .collect::<Vec<_>>(),
                )
            })
            .unwrap();
        let number = if is_bare {
            found
        } else {
            let (a, b, c, d) = (&found[..3], &found[3..6], &found[6..9], &found[9..]);
            format!("{a}.{b}.{c}-{d}")
        };
        ("national_id", number.clone(), number)
    })
}
