//! Rules of providers' interfaces: each with a name, where it is published, and how it is checked.

use serde_json::Value;

pub(crate) struct Rule {
    pub(crate) name: &'static str,
    /// The document, or the words in which the interface refuses a body.
    pub(crate) source: &'static str,
    pub(crate) holds: fn(&Value) -> bool,
}

/// Names the rules that a body breaks.
pub(crate) fn broken(rules: &[Rule], body: &Value) -> Vec<&'static str> {
    let broken = rules.iter().filter(|rule| !(rule.holds)(body));
    broken.map(|rule| rule.name).collect()
}

/// Every rule has a source, and is broken by one of the bad bodies: none is there for show.
#[track_caller]
pub(crate) fn check_rules(rules: &[Rule], good: &Value, bad: &[(&str, &str, Value)]) {
    assert_eq!(broken(rules, good), Vec::<&str>::new());
    for (name, pointer, value) in bad {
        let mut body = good.clone();
        *body.pointer_mut(pointer).unwrap() = value.clone();
        let found = broken(rules, &body);
        assert!(found.contains(name), "`{name}` holds in {body}: {found:?}");
    }
    for rule in rules {
        assert!(!rule.source.is_empty());
        assert!(
            bad.iter().any(|(name, ..)| *name == rule.name),
            "no body breaks `{}`",
            rule.name
        );
    }
}

/// Lists the messages of a body.
pub(crate) fn messages(body: &Value) -> &[Value] {
    body["messages"].as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Says whether a value is a string that is more than white space, control characters counted in.
pub(crate) fn speaks(value: &Value) -> bool {
    let is_blank = |letter: char| letter.is_whitespace() || letter.is_control();
    value
        .as_str()
        .is_some_and(|text| !text.chars().all(is_blank))
}

pub(crate) fn is_name(name: &str, longest: usize) -> bool {
    let may = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    (1..=longest).contains(&name.len()) && name.bytes().all(may)
}

pub(crate) fn is_base64(data: &str) -> bool {
    let digits = data.trim_end_matches('=');
    let may = |byte: u8| byte.is_ascii_alphanumeric() || b"+/".contains(&byte);
    !digits.is_empty() && data.len().is_multiple_of(4) && digits.bytes().all(may)
}

pub(crate) fn all_different<'a>(ids: impl Iterator<Item = &'a str>) -> bool {
    let mut seen = std::collections::HashSet::new();
    ids.into_iter().all(|id| seen.insert(id))
}
