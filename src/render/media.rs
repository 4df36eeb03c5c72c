//! Pictures, documents and sounds: which of them a provider takes, and the line for the rest.
//! May not fetch or decode anything.

use crate::domain::ItemId;

/// A medium as far as it can be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source<'view> {
    /// In the request itself.
    Base64 { mime: String, data: &'view str },
    /// Somewhere the provider can fetch it.
    Link { mime: String, url: &'view str },
}

impl Source<'_> {
    pub(super) fn mime(&self) -> &str {
        match self {
            Self::Base64 { mime, .. } | Self::Link { mime, .. } => mime,
        }
    }
}

/// The pictures that providers read.
pub(super) const PICTURES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// Reads where a medium is; `None` if it is somewhere no provider can reach, or no sound base64.
pub(super) fn source<'view>(uri: &'view str, mime: &str) -> Option<Source<'view>> {
    let named = essence(mime);
    let Some(inline) = uri.strip_prefix("data:") else {
        return is_link(uri).then_some(Source::Link {
            mime: named,
            url: uri,
        });
    };
    let (head, data) = inline.split_once(',')?;
    let head = head.strip_suffix(";base64")?;
    if !is_base64(data) {
        return None;
    }
    let own = essence(head);
    let mime = if own.is_empty() { named } else { own };
    Some(Source::Base64 { mime, data })
}

/// Says whether a text is a link that a provider would try: one that names a host.
fn is_link(uri: &str) -> bool {
    let host = uri.strip_prefix("https://");
    let has_host =
        host.is_some_and(|host| host.starts_with(|c: char| c.is_alphanumeric() || c == '['));
    has_host && !uri.contains(|c: char| c.is_whitespace() || c.is_control())
}

/// Returns a media type without its parameters, in small letters.
fn essence(mime: &str) -> String {
    let bare = mime.split(';').next().unwrap_or_default().trim();
    match bare.to_ascii_lowercase().as_str() {
        "image/jpg" => "image/jpeg".to_owned(),
        other => other.to_owned(),
    }
}

/// Says whether a text is base64 as providers decode it: whole groups, padded, and not empty.
fn is_base64(data: &str) -> bool {
    let bare = data.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    !bare.is_empty()
        && data.len().is_multiple_of(4)
        && data.len() - bare.len() <= 2
        && bare.bytes().all(is_digit)
}

/// Returns the line that stands for a medium that cannot be sent.
pub(super) fn line(uri: &str, mime: &str, of: Option<ItemId>) -> String {
    let mime: String = mime
        .chars()
        .filter(char::is_ascii_graphic)
        .take(40)
        .collect();
    match of {
        _ if !uri.starts_with("data:") => format!("[{mime} at {uri}]"),
        Some(of) => format!("[{mime} left out; message {of} holds it]"),
        None => format!("[{mime} left out]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_link_with_a_host_is_one() {
        for link in [
            "https://example.org/a.png",
            "https://[::1]/",
            "https://é.example",
        ] {
            assert!(is_link(link), "{link}");
        }
        for other in [
            "https://",
            "https:///a.png",
            "https://?a",
            "https://e.org/a b",
            "https://e.org/\u{1}",
            "http://e.org/",
            "file:///a.png",
        ] {
            assert!(!is_link(other), "{other}");
        }
    }
}
