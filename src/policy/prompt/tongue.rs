//! The language people speak in a source. Owns whose words count.

use crate::domain::{Part, Role, Visibility};
use crate::policy::language::{self, Language};

use super::Child;

/// Bytes of talk that are looked at.
const LOOKED_AT: usize = 32 * 1024;

/// Returns the language of the talk in a source, where it is clear: the user's own words decide,
/// and summaries where no message is raw.
#[must_use]
pub fn language_of(children: &[Child<'_>]) -> Option<Language> {
    let mut said = String::new();
    let mut told = String::new();
    for child in children {
        match child {
            Child::Summary(summary) if told.len() < LOOKED_AT => {
                told.push_str(&summary.body);
                told.push('\n');
            }
            Child::Message(message)
                if message.role == Role::User && message.visibility == Visibility::Talk =>
            {
                for part in &message.parts {
                    if let Part::Text { text } = part
                        && said.len() < LOOKED_AT
                    {
                        said.push_str(text);
                        said.push('\n');
                    }
                }
            }
            _ => {}
        }
    }
    language::guess(if said.is_empty() { &told } else { &said })
}
