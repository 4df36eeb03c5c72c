//! One record read. Owns what every format says of a record in the same words: ids, session, chain,
//! title, and the rows it gives. May not know a format or what is stored.

use serde::{Deserialize, Serialize};

use crate::domain::{NewMessage, Part, Role, Timestamp};

/// The most bytes an id may have; a longer one is no id.
const MAX_ID_BYTES: usize = 256;

/// The row that a record without one repeats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Mirrored {
    /// That of this id, or key.
    Row(String),
    /// That of the last record so far with this hash, which has no id.
    Record(String),
}

/// One row that a record gives, or what a record without a row says of its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its own id, stored as its key. Rows of one record may share it: those after the first get
    /// `#1`, `#2` behind it. An entry without an id is known by the text of its record and how
    /// often that has come.
    pub(crate) id: Option<String>,
    /// Whether its id is made of its words: the same id then is the same record, and what else
    /// differs is how two sources tell of it, no edit.
    pub(crate) is_known_by_words: bool,
    /// When its host gives a copy of it another id.
    pub(crate) renamed: Renamed,
    /// The row of its file whose words it only repeats, having none of its own.
    pub(crate) mirrors: Option<Mirrored>,
    /// The record before it in its chain.
    pub(crate) parent: Option<String>,
    /// What it goes on from, where its file is a tree.
    pub(crate) follows: Follows,
    /// The session it names; without one, the session named last in the file.
    pub(crate) session: Option<String>,
    /// Whether it belongs to the main chain.
    pub(crate) side: Side,
    /// Whether the same id in another session is this record: it says itself, or its id is made
    /// so, that it is a copy. An id that is a UUID needs no such word.
    pub(crate) is_copy: bool,
    /// Whether it begins a branch: its session, if it has no rows yet, goes on after its parent
    /// in another conversation. Without this word only a parent whose id is a UUID is looked for.
    pub(crate) is_branch: bool,
    /// The working directory.
    pub(crate) cwd: Option<String>,
    /// A title that it gives to its session.
    pub(crate) title: Option<Title>,
    /// Tokens that it says were spent since the last word of that.
    pub(crate) spent: Spent,
    /// What it says.
    pub(crate) body: Body,
}

/// Tokens, as a host counts them beside its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Spent {
    /// All of them.
    pub(crate) total: u64,
    /// Those of answers.
    pub(crate) output: u64,
}

/// When the copy of a record gets an id of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Renamed {
    /// Never.
    Never,
    /// When its host writes the file anew.
    WhenRewritten,
    /// When its host writes another session's file that begins with it. Its time, which stays, is
    /// told to the millisecond.
    WhenReplayed,
}

/// Which chain a record belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Side {
    /// The session's own.
    Main,
    /// A sub-agent's, named or not.
    Agent(Option<String>),
}

/// What a row goes on from. One that does not go on from its session's newest row begins a branch
/// of the session, and the rows after it are that branch's; the rows left behind stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Follows {
    /// The newest row.
    Newest,
    /// The row with this key, or the newest where that key is unknown.
    Row(String),
    /// Nothing: the talk begins anew.
    Nothing,
}

/// A title, and what it is the title of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Title {
    /// Of the session the record names.
    OfSession(String),
    /// Of whichever conversation holds this record.
    OfRecord {
        /// The record's id.
        leaf: String,
        /// The title.
        text: String,
    },
}

/// What a record says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    /// A message of the talk, or the host's note as a meta row; its visibility says which.
    Row(Box<NewMessage>),
    /// No words worth a row.
    Silent,
}

/// Where a record lies in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Location {
    /// Its first byte; a row's id in a database.
    pub(crate) offset: u64,
    /// How many bytes it has; 0 in a database.
    pub(crate) length: u64,
    /// Its line, from 1; 0 in a database.
    pub(crate) line: u64,
}

impl Entry {
    /// Makes the entry of a row, in the main chain of the session named last.
    pub(crate) fn row(message: NewMessage) -> Self {
        Self::of(Body::Row(Box::new(message)))
    }

    /// Makes an entry without a row.
    pub(crate) fn silent() -> Self {
        Self::of(Body::Silent)
    }

    fn of(body: Body) -> Self {
        Self {
            id: None,
            is_known_by_words: false,
            renamed: Renamed::Never,
            mirrors: None,
            parent: None,
            follows: Follows::Newest,
            session: None,
            side: Side::Main,
            is_copy: false,
            is_branch: false,
            cwd: None,
            title: None,
            spent: Spent::default(),
            body,
        }
    }
}

/// Takes a text as an id if it can be one.
pub(crate) fn clean_id(id: Option<String>) -> Option<String> {
    id.filter(|id| !id.trim().is_empty() && id.len() <= MAX_ID_BYTES && !id.contains('\0'))
}

/// Makes a meta row of words, if there are any.
pub(crate) fn meta_row(words: &[String], role: Role) -> Body {
    if words.is_empty() {
        return Body::Silent;
    }
    let text = words.join("\n");
    Body::Row(Box::new(
        NewMessage::new(role, vec![Part::Text { text }]).meta(),
    ))
}

/// Reads a time: ISO 8601, or a number of seconds, milliseconds or microseconds since 1970.
/// Anything else is no time, and the record keeps its place in the file.
pub(crate) fn time(raw: &str) -> Option<Timestamp> {
    if let Some(text) = super::json::text(raw) {
        return Timestamp::parse(&text).ok();
    }
    let (whole, fraction) = raw.split_once('.').unwrap_or((raw, "0"));
    let number: i64 = whole.parse().ok()?;
    let thousandths = thousandths(fraction)?;
    let millis = match number {
        100_000_000..100_000_000_000 => number * 1_000 + thousandths,
        100_000_000_000..100_000_000_000_000 => number,
        100_000_000_000_000..100_000_000_000_000_000 => number / 1_000,
        _ => return None,
    };
    Some(Timestamp::from_millis(millis))
}

/// Reads the first three digits behind a point. An exponent would move the point: it makes no time.
fn thousandths(digits: &str) -> Option<i64> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let first = digits.bytes().chain(*b"000").take(3);
    Some(first.fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
}
