//! Where a provider is reached, and with which key. Owns the variables that say so.
//! May not show a key, nor send one where others could read it.

use std::fmt;

use thiserror::Error;

use super::name::Provider;

/// A key. It has no text of its own: only a request may hold it.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Takes a key as the environment gives it.
    #[must_use]
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// Returns the key, for a request.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(…)")
    }
}

/// Whether a provider asks for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asks {
    /// It does.
    Always,
    /// It may.
    Perhaps,
}

/// What is known of a provider.
struct Known {
    /// Variables that may hold its key, the first one first.
    keys: &'static [&'static str],
    asks: Asks,
    /// The variable that holds its address, and the address without it.
    base: &'static str,
    default_base: Option<&'static str>,
    /// What the path of its address ends with.
    path: &'static str,
}

const fn known(provider: Provider) -> Known {
    match provider {
        Provider::OpenAi => Known {
            keys: &["OPENAI_API_KEY"],
            asks: Asks::Always,
            base: "OPENAI_BASE_URL",
            default_base: Some("https://api.openai.com/v1"),
            path: "",
        },
        Provider::Anthropic => Known {
            keys: &["ANTHROPIC_API_KEY"],
            asks: Asks::Always,
            base: "ANTHROPIC_BASE_URL",
            default_base: Some("https://api.anthropic.com"),
            path: "/v1",
        },
        Provider::Gemini => Known {
            keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
            asks: Asks::Always,
            base: "GEMINI_BASE_URL",
            default_base: Some("https://generativelanguage.googleapis.com/v1beta"),
            path: "",
        },
        Provider::Ollama => Known {
            keys: &["OLLAMA_API_KEY"],
            asks: Asks::Perhaps,
            base: "OLLAMA_HOST",
            default_base: Some("http://127.0.0.1:11434"),
            path: "",
        },
        Provider::LlamaCpp => Known {
            keys: &["LLAMA_API_KEY"],
            asks: Asks::Perhaps,
            base: "LLAMACPP_BASE_URL",
            default_base: Some("http://127.0.0.1:8080/v1"),
            path: "",
        },
        Provider::OpenAiCompatible => Known {
            keys: &["HIPPOCAMP_API_KEY"],
            asks: Asks::Perhaps,
            base: "HIPPOCAMP_BASE_URL",
            default_base: None,
            path: "",
        },
    }
}

/// Every variable that is looked up, for programs that read their environment in one place.
pub const VARIABLES: [&str; 13] = [
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GEMINI_BASE_URL",
    "OLLAMA_API_KEY",
    "OLLAMA_HOST",
    "LLAMA_API_KEY",
    "LLAMACPP_BASE_URL",
    "HIPPOCAMP_API_KEY",
    "HIPPOCAMP_BASE_URL",
];

/// Why a provider cannot be reached.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// It asks for a key and there is none.
    #[error("{provider} asks for a key: set {variable}")]
    NoKey {
        /// Which.
        provider: Provider,
        /// The variable that holds it.
        variable: &'static str,
    },
    /// It has no address of its own.
    #[error("{provider} has no address of its own: set {variable}, as in http://127.0.0.1:8080/v1")]
    NoBase {
        /// Which.
        provider: Provider,
        /// The variable that holds it.
        variable: &'static str,
    },
    /// The address is none.
    #[error(
        "{variable} is no address: write https://host/path, without a name, a password or a query"
    )]
    BadBase {
        /// The variable that holds it.
        variable: &'static str,
    },
    /// The key would travel where others can read it.
    #[error(
        "{variable} is read as {base}, which is neither https nor this machine, and {key_variable} \
         would be sent over it: write https://host/path"
    )]
    OpenKey {
        /// The variable that holds the address.
        variable: &'static str,
        /// The address as it is read.
        base: String,
        /// The variable that holds the key.
        key_variable: &'static str,
    },
}

/// An address and a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// With a stroke at its end.
    pub base: String,
    pub key: Option<ApiKey>,
    /// The variable that holds the key, for what is said of a refused one.
    pub key_variable: &'static str,
    pub reach: Reach,
}

/// How far away an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// On this machine, in the clear.
    Machine,
    /// Elsewhere, in the clear.
    Open,
    /// Behind TLS.
    Secure,
}

impl Endpoint {
    /// Looks up where `provider` is.
    pub(super) fn look_up(
        provider: Provider,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, EndpointError> {
        let known = known(provider);
        let get = |name: &&'static str| {
            let value = environment(name)?.trim().to_owned();
            (!value.is_empty()).then_some((*name, value))
        };
        let key = known.keys.iter().find_map(get);
        let first_key = known.keys.first().copied().unwrap_or_default();
        if key.is_none() && known.asks == Asks::Always {
            return Err(EndpointError::NoKey {
                provider,
                variable: first_key,
            });
        }
        let variable = known.base;
        let base = get(&variable)
            .map(|(_, value)| value)
            .or_else(|| known.default_base.map(str::to_owned))
            .ok_or(EndpointError::NoBase { provider, variable })?;
        let (base, reach) =
            address(&base, known.path).ok_or(EndpointError::BadBase { variable })?;
        let key_variable = key.as_ref().map_or(first_key, |(name, _)| name);
        if key.is_some() && reach == Reach::Open {
            return Err(EndpointError::OpenKey {
                variable,
                base,
                key_variable,
            });
        }
        Ok(Self {
            base,
            key: key.map(|(_, value)| ApiKey::new(value)),
            key_variable,
            reach,
        })
    }
}

/// Brings an address into one form: with its scheme, its path's end and one stroke behind it.
fn address(text: &str, path: &str) -> Option<(String, Reach)> {
    let text = if text.contains("://") {
        text.to_owned()
    } else {
        // Ollama's variable holds a host and a port.
        format!("http://{text}")
    };
    let url = reqwest::Url::parse(&text).ok()?;
    let is_plain = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    let host = url.host_str().filter(|_| is_plain)?;
    let reach = match url.scheme() {
        "https" => Reach::Secure,
        "http" if is_this_machine(host) => Reach::Machine,
        "http" => Reach::Open,
        _ => return None,
    };
    let base = url.as_str().trim_end_matches('/');
    let base = base.strip_suffix(path).unwrap_or(base);
    Some((format!("{base}{path}/"), reach))
}

fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || address
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
