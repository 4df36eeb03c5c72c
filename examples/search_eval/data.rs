//! The shared retrieval sets: conversations, questions, and what answers them.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use chrono::NaiveDateTime;
use hippocamp::domain::{NewMessage, Part, Role, Timestamp};
use serde_json::Value;

/// One message of a set.
pub(crate) struct Doc {
    /// Its id in the set.
    pub(crate) id: String,
    /// The session it belongs to.
    pub(crate) session: String,
    /// Who speaks.
    pub(crate) speaker: String,
    /// The role.
    pub(crate) role: Role,
    /// When it was said, where the date can be read.
    pub(crate) at: Option<Timestamp>,
    /// What is said.
    pub(crate) text: String,
}

/// One question of a set.
pub(crate) struct Query {
    /// Its id in the set.
    pub(crate) id: String,
    /// The words, as they stand.
    pub(crate) text: String,
    /// The messages that answer it.
    pub(crate) gold: Vec<String>,
}

/// One conversation with the questions asked in it.
pub(crate) struct Talk {
    /// Its name.
    pub(crate) name: String,
    /// Its messages, in order.
    pub(crate) docs: Vec<Doc>,
    /// Its questions.
    pub(crate) queries: Vec<Query>,
}

impl Doc {
    /// Makes the message that is stored.
    pub(crate) fn message(&self) -> NewMessage {
        let text = Part::Text {
            text: self.text.clone(),
        };
        let mut message = NewMessage::new(self.role, vec![text]);
        message.name = Some(self.speaker.clone());
        message.at = self.at;
        message
    }
}

/// Reads a set; the conversations in the order of their first message.
pub(crate) fn read(folder: &Path) -> Result<Vec<Talk>, Box<dyn Error>> {
    let mut talks: Vec<Talk> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for line in std::fs::read_to_string(folder.join("docs.jsonl"))?.lines() {
        let doc: Value = serde_json::from_str(line)?;
        let name = text(&doc, "conv")?;
        let place = *places.entry(name.clone()).or_insert_with(|| {
            talks.push(Talk {
                name,
                docs: Vec::new(),
                queries: Vec::new(),
            });
            talks.len() - 1
        });
        let talk = talks.get_mut(place).ok_or("no such conversation")?;
        talk.docs.push(Doc {
            id: text(&doc, "id")?,
            session: doc.get("session").map(Value::to_string).unwrap_or_default(),
            speaker: text(&doc, "speaker")?,
            role: text(&doc, "role")?.parse()?,
            at: time(&text(&doc, "date")?),
            text: text(&doc, "text")?,
        });
    }
    for line in std::fs::read_to_string(folder.join("queries.jsonl"))?.lines() {
        let query: Value = serde_json::from_str(line)?;
        let gold = query.get("gold").and_then(Value::as_array);
        let gold = gold.ok_or("a question without gold")?;
        let place = places.get(&text(&query, "conv")?);
        let talk = place.and_then(|place| talks.get_mut(*place));
        talk.ok_or("a question without a conversation")?
            .queries
            .push(Query {
                id: text(&query, "qid")?,
                text: text(&query, "query")?,
                gold: gold
                    .iter()
                    .filter_map(|id| Some(id.as_str()?.to_owned()))
                    .collect(),
            });
    }
    Ok(talks)
}

fn text(value: &Value, key: &str) -> Result<String, Box<dyn Error>> {
    let found = value.get(key).and_then(Value::as_str);
    Ok(found.ok_or_else(|| format!("no text `{key}`"))?.to_owned())
}

/// Reads the two forms of dates in the sets; none where there is no date.
fn time(date: &str) -> Option<Timestamp> {
    ["%I:%M %p on %d %B, %Y", "%Y/%m/%d (%a) %H:%M"]
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(date, form).ok())
        .map(|date| Timestamp::from_millis(date.and_utc().timestamp_millis()))
}
