//! Who may come in over HTTP. Owns the token, and the names and origins that are let in.
//! May not know what is asked for.

use std::fmt;
use std::net::SocketAddr;

use axum::http::header::{AUTHORIZATION, HOST, HeaderName, ORIGIN};
use axum::http::{HeaderMap, Uri};

/// Bytes of a token at least: shorter ones can be guessed.
const LEAST_TOKEN_BYTES: usize = 16;

/// A secret that clients must know. It is never printed.
#[derive(Clone)]
pub struct Token(blake3::Hash);

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(…)")
    }
}

/// Why a text is no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// It is too short.
    #[error("a token has at least 16 characters; `openssl rand -hex 32` makes one")]
    Short,
    /// It cannot stand in a header.
    #[error("a token is of visible ASCII characters, with no blank among them")]
    Unlawful,
}

impl Token {
    /// Takes a text as a token; blanks and line breaks around it do not count.
    ///
    /// # Errors
    /// [`TokenError`] if it is shorter than 16 characters, or not of visible ASCII.
    pub fn new(text: &str) -> Result<Self, TokenError> {
        let text = text.trim_ascii();
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(TokenError::Unlawful);
        }
        if text.len() < LEAST_TOKEN_BYTES {
            return Err(TokenError::Short);
        }
        Ok(Self(blake3::hash(text.as_bytes())))
    }

    /// Says whether a request's headers show the token.
    pub(super) fn is_shown(&self, headers: &HeaderMap) -> bool {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return false;
        };
        let Some((scheme, shown)) = value.to_str().ok().and_then(|value| value.split_once(' '))
        else {
            return false;
        };
        // Hashes are compared in a time that does not depend on them.
        scheme.eq_ignore_ascii_case("bearer") && blake3::hash(shown.trim().as_bytes()) == self.0
    }
}

/// Which requests an HTTP server takes.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct HttpOptions {
    /// What a client must show.
    pub token: Option<Token>,
    /// Hosts, with or without a port, beside loopback and the address listened on.
    pub allowed_hosts: Vec<String>,
    /// Origins beside those of loopback and the address listened on.
    pub allowed_origins: Vec<String>,
}

/// Why a server may not listen on an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{address} is reached from other machines, and no token is set")]
#[non_exhaustive]
pub struct OpenToAll {
    /// The address.
    pub address: SocketAddr,
}

impl HttpOptions {
    /// Returns the options of a server for this machine alone.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets what a client must show.
    #[must_use]
    pub fn token(mut self, token: Token) -> Self {
        self.token = Some(token);
        self
    }

    /// Lets in requests to another host.
    #[must_use]
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.allowed_hosts.push(host.into());
        self
    }

    /// Lets in requests from pages of another origin.
    #[must_use]
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.allowed_origins.push(origin.into());
        self
    }

    /// Checks that a server with these options may listen on an address.
    ///
    /// # Errors
    /// [`OpenToAll`] if other machines reach it and need no token.
    pub const fn check(&self, address: SocketAddr) -> Result<(), OpenToAll> {
        if address.ip().is_loopback() || self.token.is_some() {
            Ok(())
        } else {
            Err(OpenToAll { address })
        }
    }

    /// Returns every host that requests may be to.
    pub(super) fn hosts(&self, address: SocketAddr) -> Vec<String> {
        let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into();
        if !address.ip().is_unspecified() {
            hosts.push(address.ip().to_string());
        }
        hosts.extend(self.allowed_hosts.iter().cloned());
        hosts
    }

    /// Returns every origin that requests may be from.
    pub(super) fn origins(&self, address: SocketAddr) -> Vec<String> {
        let local = ["localhost", "127.0.0.1", "[::1]"];
        let mut origins: Vec<String> = ["http", "https"]
            .iter()
            .flat_map(|scheme| local.map(|host| format!("{scheme}://{host}:*")))
            .collect();
        if !address.ip().is_unspecified() {
            origins.push(format!("http://{address}"));
        }
        origins.extend(self.allowed_origins.iter().cloned());
        origins
    }
}

/// Says whether a request says once and plainly whom it is to and from where it comes: of two
/// headers, or of a host with something around it, another reader may believe the other half.
pub(super) fn names_one_place(uri: &Uri, headers: &HeaderMap) -> bool {
    let host = one(headers, &HOST);
    let origin = one(headers, &ORIGIN);
    let (Ok(host), Ok(origin)) = (host, origin) else {
        return false;
    };
    let is_same = match (uri.authority(), host) {
        (Some(authority), Some(host)) => authority.as_str().eq_ignore_ascii_case(host),
        _ => true,
    };
    is_same
        && host.is_none_or(is_host)
        && origin.is_none_or(|origin| match origin.split_once("://") {
            Some((_, host)) => is_host(host),
            // It names no host, and is on the list or not.
            None => true,
        })
}

/// Returns a header that may be there once.
fn one<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => Ok(Some(value.to_str().map_err(drop)?.trim())),
        (Some(_), Some(_)) => Err(()),
    }
}

/// Says whether a text is a host, with a port or without, and nothing else.
fn is_host(text: &str) -> bool {
    let port_at = match text.rfind(']') {
        Some(end) => end + 1,
        None => text.find(':').unwrap_or(text.len()),
    };
    let (host, port) = text.split_at_checked(port_at).unwrap_or((text, ""));
    let is_port = match port.strip_prefix(':') {
        Some(port) => port.is_empty() || port.parse::<u16>().is_ok(),
        None => port.is_empty(),
    };
    is_port && !host.contains(['@', '/', '?', '#'])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "0123456789abcdef0123456789abcdef";

    #[track_caller]
    fn check_shown(values: &[&str], want: bool) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse().unwrap());
        }
        let token = Token::new(SECRET).unwrap();
        assert_eq!(token.is_shown(&headers), want, "{values:?}");
    }

    #[test]
    fn only_the_whole_token_lets_in() {
        check_shown(&[&format!("Bearer {SECRET}")], true);
        check_shown(&[&format!("bearer  {SECRET}")], true);
        check_shown(&[], false);
        check_shown(&[SECRET], false);
        check_shown(&[&format!("Basic {SECRET}")], false);
        check_shown(&[&format!("Bearer {}", &SECRET[1..])], false);
        check_shown(&[&format!("Bearer {SECRET}0")], false);
        check_shown(&["Bearer "], false);
        let twice = format!("Bearer {SECRET}");
        check_shown(&[&twice, &twice], false);
    }

    #[test]
    fn a_token_is_long_visible_and_never_printed() {
        assert_eq!(Token::new("").unwrap_err(), TokenError::Short);
        assert_eq!(Token::new("short").unwrap_err(), TokenError::Short);
        let blank = "0123456789 abcdef 0123";
        assert_eq!(Token::new(blank).unwrap_err(), TokenError::Unlawful);
        let token = Token::new(&format!("{SECRET}\r\n")).unwrap();
        assert!(!format!("{token:?}").contains("0123"));
    }

    #[test]
    fn other_machines_need_a_token() {
        let check =
            |address: &str, options: &HttpOptions| options.check(address.parse().unwrap()).is_ok();
        let open = HttpOptions::new();
        for address in ["127.0.0.1:0", "127.8.8.8:80", "[::1]:80"] {
            assert!(check(address, &open), "{address}");
        }
        let closed = HttpOptions::new().token(Token::new(SECRET).unwrap());
        for address in ["0.0.0.0:80", "[::]:80", "192.168.1.2:80"] {
            assert!(
                !check(address, &open) && check(address, &closed),
                "{address}"
            );
        }
    }

    #[test]
    fn hosts_and_origins_are_those_of_loopback_the_address_and_the_lists() {
        let options = HttpOptions::new()
            .allow_host("memory.example:8443")
            .allow_origin("https://app.example:*");
        let address: SocketAddr = "192.168.1.2:80".parse().unwrap();
        let hosts = options.hosts(address);
        assert!(
            ["localhost", "::1", "192.168.1.2", "memory.example:8443"]
                .iter()
                .all(|host| hosts.iter().any(|known| known == host))
        );
        let origins = options.origins(address);
        assert!(
            [
                "http://localhost:*",
                "http://192.168.1.2:80",
                "https://app.example:*"
            ]
            .iter()
            .all(|origin| origins.iter().any(|known| known == origin))
        );
        let everywhere = options.hosts("0.0.0.0:80".parse().unwrap());
        assert!(!everywhere.iter().any(|host| host == "0.0.0.0"));
    }

    #[track_caller]
    fn check_place(target: &str, named: &[(&HeaderName, &str)], want: bool) {
        let mut headers = HeaderMap::new();
        for (name, value) in named {
            headers.append(*name, value.parse().unwrap());
        }
        let uri: Uri = target.parse().unwrap();
        assert_eq!(names_one_place(&uri, &headers), want, "{target} {named:?}");
    }

    #[test]
    fn whom_a_request_is_to_and_from_stands_there_once_and_plainly() {
        for host in [
            "localhost",
            "localhost:80",
            "[::1]:8000",
            "[::1]",
            "a.example:",
        ] {
            check_place("/mcp", &[(&HOST, host)], true);
        }
        for host in [
            "evil@localhost",
            "u:p@localhost",
            "localhost:evil",
            "localhost:99999",
        ] {
            check_place("/mcp", &[(&HOST, host)], false);
        }
        check_place("/mcp", &[(&HOST, "localhost"), (&HOST, "evil")], false);
        check_place("http://evil/mcp", &[(&HOST, "localhost")], false);
        check_place("http://LOCALHOST/mcp", &[(&HOST, "localhost")], true);
        check_place("/mcp", &[], true);
        for origin in ["null", "http://localhost", "https://[::1]:5", "file://"] {
            check_place("/mcp", &[(&ORIGIN, origin)], true);
        }
        for origin in [
            "http://localhost:1.evil",
            "http://localhost:80@evil",
            "http://localhost:5/evil",
            "http://localhost:*",
        ] {
            check_place("/mcp", &[(&ORIGIN, origin)], false);
        }
        let twice = [(&ORIGIN, "http://localhost"), (&ORIGIN, "http://evil")];
        check_place("/mcp", &twice, false);
    }
}
