//! `config`: each setting and where it came from.

use serde_json::{Value, json};

use crate::cli::config::{FilePlace, Settings, Told};
use crate::cli::paint::{Align, Column, push, safe_line, table};
use crate::cli::reply::Reply;

const COLUMNS: [Column; 3] = [
    ("key", Align::Left),
    ("value", Align::Left),
    ("from", Align::Left),
];

pub(super) fn run(settings: &Settings) -> Reply {
    let (path, is_read) = match &settings.file {
        FilePlace::Nowhere => (None, false),
        FilePlace::Missing(path) => (Some(path), false),
        FilePlace::Read(path) => (Some(path), true),
    };
    let mut text = table(
        &COLUMNS,
        &settings.told.iter().map(cells).collect::<Vec<_>>(),
    );
    if let Some(path) = path {
        let what = if is_read { "" } else { " (not there)" };
        let path = safe_line(&path.to_string_lossy());
        push!(text, "\nfile: {path}{what}\n");
    }
    let answer = json!({
        "file": path.map(|path| path.to_string_lossy()),
        "file_read": is_read,
        "settings": settings.told.iter().map(to_json).collect::<Vec<_>>(),
    });
    Reply::new(answer, text)
}

fn cells(told: &Told) -> Vec<String> {
    let from = match &told.origin {
        Some(origin) => origin.to_string(),
        None => "default".to_owned(),
    };
    let value = told.value.as_deref().unwrap_or("-");
    vec![told.key.to_owned(), safe_line(value), safe_line(&from)]
}

fn to_json(told: &Told) -> Value {
    let value = match &told.value {
        None => Value::Null,
        Some(text) => match text.parse::<u64>() {
            Ok(number) if told.key != "db" => number.into(),
            _ => text.as_str().into(),
        },
    };
    json!({
        "key": told.key,
        "value": value,
        "from": told.origin.as_ref().map_or("default", |origin| origin.kind()),
        "place": told.origin.as_ref().map(ToString::to_string),
    })
}
