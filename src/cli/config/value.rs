//! Values of settings. Owns what each may be and how a refusal says so.

use super::Sourced;
use super::file::refused;
use crate::cli::failure::Failure;
use crate::engine::LeafMode;
use crate::policy::redact::{Patterns, Sort};
use crate::providers::ModelName;

pub(super) fn number(
    value: Option<Sourced>,
    key: &str,
    least: u64,
    most: u64,
) -> Result<Option<u64>, Failure> {
    let Some((text, origin)) = value else {
        return Ok(None);
    };
    let is_whole = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse::<u64>()
        .ok()
        .filter(|number| is_whole && (least..=most).contains(number))
        .map(Some)
        .ok_or_else(|| {
            let range = if most == u64::MAX {
                format!("of at least {least}")
            } else {
                format!("from {least} to {most}")
            };
            refused(format!(
                "{origin}: `{key}` must be a whole number {range}, not `{text}`"
            ))
        })
}

pub(super) fn flag(value: Option<Sourced>, key: &str) -> Result<Option<bool>, Failure> {
    match value {
        None => Ok(None),
        Some((text, _)) if text == "true" => Ok(Some(true)),
        Some((text, _)) if text == "false" => Ok(Some(false)),
        Some((text, origin)) => Err(refused(format!(
            "{origin}: `{key}` must be true or false, not `{text}`"
        ))),
    }
}

pub(super) fn leaf_mode(value: Option<Sourced>) -> Result<Option<LeafMode>, Failure> {
    match value {
        None => Ok(None),
        Some((text, _)) if text == "every_turn" => Ok(Some(LeafMode::EveryTurn)),
        Some((text, _)) if text == "deferred" => Ok(Some(LeafMode::Deferred)),
        Some((text, origin)) => Err(refused(format!(
            "{origin}: `leaf` must be every_turn or deferred, not `{text}`"
        ))),
    }
}

/// What is replaced in texts for a model: words with commas between them, or `none`.
pub(super) fn redact(value: Option<Sourced>) -> Result<Option<Patterns>, Failure> {
    let Some((text, origin)) = value else {
        return Ok(None);
    };
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    if matches!(words.as_slice(), ["" | "none"]) {
        return Ok(Some(Patterns::of([])));
    }
    let mut sorts = Vec::with_capacity(words.len());
    for word in words {
        match Sort::from_word(word) {
            Some(sort) if sorts.contains(&sort) => {}
            Some(sort) => sorts.push(sort),
            None => {
                let known = Sort::ALL.map(Sort::as_str).join(", ");
                return Err(refused(format!(
                    "{origin}: `redact` lists some of {known}, or is none, not `{text}`"
                )));
            }
        }
    }
    Ok(Some(Patterns::of(sorts)))
}

/// One model: `provider/name`.
pub(super) fn model(value: Option<Sourced>) -> Result<Option<ModelName>, Failure> {
    let named = |(text, origin): Sourced| {
        let name: Result<ModelName, _> = text.parse();
        name.map_err(|error| refused(format!("{origin}: `model`: {error}")))
    };
    value.map(named).transpose()
}

/// Models with commas between them.
pub(super) fn models(value: Option<Sourced>) -> Result<Vec<ModelName>, Failure> {
    let Some((text, origin)) = value else {
        return Ok(Vec::new());
    };
    let names = text
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    names
        .map(|name| {
            let error = match name.parse() {
                Ok(name) => return Ok(name),
                Err(error) => error,
            };
            let form = "several have commas between them, in a file as [\"a/b\", \"c/d\"]";
            Err(refused(format!(
                "{origin}: `fallback_models`: {error}; {form}"
            )))
        })
        .collect()
}
