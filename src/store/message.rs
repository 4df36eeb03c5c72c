//! Writing messages. Owns what a row is given besides its words: place, sums, turn, hashes, marks.
//! May not change or remove a row.

use rusqlite::{Connection, OptionalExtension, params};

use super::error::StoreError;
use super::hash::{Content, Salt, content, link};
use super::lineage::Lineage;
use super::part::store_part;
use super::provenance::store_provenance;
use super::row::{to_seq, to_sql, visibility_word};
use super::sequence::Sequence;
use super::tail::{LastTalk, OpenPrompt, Tail};
use crate::domain::{
    AppendedRow, MessageId, NewMessage, Part, Replay, Role, Seq, Stamped, Visibility,
};

/// What became of one message, as columns hold it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stored {
    /// A new row.
    New { id: i64, seq: i64 },
    /// Its key was there before.
    Known { id: i64, seq: i64 },
}

impl Stored {
    /// Makes the domain's value.
    pub(super) fn row(self) -> Result<AppendedRow, StoreError> {
        let (id, seq, is_duplicate) = match self {
            Self::New { id, seq } => (id, seq, false),
            Self::Known { id, seq } => (id, seq, true),
        };
        Ok(AppendedRow {
            id: MessageId::new(id),
            seq: to_seq(seq)?,
            is_duplicate,
        })
    }
}

/// Stores a message at the end of a branch, unless its key is there already. `source` is the file
/// an imported message came from.
pub(super) fn store_message(
    conn: &Connection,
    ids: &mut Sequence,
    tail: &mut Tail,
    stamped: &Stamped,
    source: Option<i64>,
) -> Result<Stored, StoreError> {
    let message = &stamped.message;
    message.check_parts().map_err(|error| StoreError::Refused {
        detail: error.to_string(),
    })?;
    if let Some(key) = &message.key
        && let Some(known) = find_key(conn, &tail.lineage, key)?
    {
        return Ok(known);
    }
    let id = ids.take();
    let seq = tail.head + 1;
    let place = advance(conn, tail, stamped, id, seq)?;
    let mut salt: Salt = [0; 16];
    getrandom::fill(&mut salt).map_err(|error| StoreError::Database {
        source: Box::new(error),
    })?;
    let hash = content(
        &salt,
        &Content {
            role: message.role,
            visibility: place.visibility,
            at: message.at,
            name: message.name.as_deref(),
            model: message.model.as_deref(),
            provider: message.provider.as_deref(),
            parts: &message.parts,
        },
    );
    tail.chain = link(&tail.chain, &hash);
    let own = tail.lineage.own_id();
    conn.prepare_cached(
        "INSERT INTO message (
           id, conversation_id, seq, role, visibility, continues, tokens, view_tokens,
           reasoning_tokens, prompt_tokens, has_words, n_parts, at, sum_tokens, sum_view,
           n_visible, turn_first, prompt_first, name, model, provider, content_hash, chain_hash)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
                 ?19, ?20, ?21, ?22, ?23)",
    )?
    .execute(params![
        id,
        own,
        seq,
        message.role.as_str(),
        visibility_word(place.visibility),
        place.continues,
        to_sql(stamped.tokens.get()),
        place.view_tokens,
        place.reasoning_tokens,
        place.prompt_tokens,
        stamped.has_words,
        to_sql(message.parts.len() as u64),
        message.at.map(crate::domain::Timestamp::millis),
        tail.sum_tokens,
        tail.sum_view,
        tail.n_visible,
        tail.turn_first,
        place.prompt_first,
        message.name,
        message.model,
        message.provider,
        hash,
        tail.chain
    ])?;
    for (ordinal, part) in (0_i64..).zip(&message.parts) {
        store_part(conn, tail, id, ordinal, part)?;
    }
    tail.head = seq;
    store_beside(conn, id, stamped, salt)?;
    if let Some(key) = &message.key {
        conn.prepare_cached(
            "INSERT INTO message_key (conversation_id, key, message_id) VALUES (?1, ?2, ?3)",
        )?
        .execute(params![own, key, id])?;
    }
    if let (Some(source), Some(provenance)) = (source, &message.provenance) {
        store_provenance(conn, id, source, provenance)?;
    }
    Ok(Stored::New { id, seq })
}

/// Where a row comes to stand.
struct Place {
    visibility: Visibility,
    continues: Option<i64>,
    prompt_first: Option<i64>,
    view_tokens: i64,
    reasoning_tokens: i64,
    prompt_tokens: i64,
}

/// Moves the end of the branch on by one row.
fn advance(
    conn: &Connection,
    tail: &mut Tail,
    stamped: &Stamped,
    id: i64,
    seq: i64,
) -> Result<Place, StoreError> {
    let message = &stamped.message;
    let visibility = settle_visibility(tail, message.role, message.visibility);
    let view = to_sql(stamped.view_tokens.get());
    let mut place = Place {
        visibility,
        continues: None,
        prompt_first: None,
        view_tokens: 0,
        reasoning_tokens: 0,
        prompt_tokens: 0,
    };
    match visibility {
        Visibility::Meta => {}
        Visibility::Prompt => {
            place.prompt_tokens = view;
            place.prompt_first = Some(prompt_version(tail, message, seq));
            if tail.n_visible == 0 {
                tail.prompt_last = seq;
            }
        }
        Visibility::Talk => {
            place.view_tokens = view;
            place.reasoning_tokens = to_sql(stamped.reasoning_tokens.get());
            tail.prompt = OpenPrompt::None;
            let joins = message
                .provenance
                .as_ref()
                .and_then(|provenance| provenance.joins.clone());
            let is_user = message.role == Role::User
                && !message
                    .parts
                    .iter()
                    .any(|part| matches!(part, Part::ToolResult { .. }));
            let before = tail.talk(conn)?;
            let is_joined = joins.is_some() && before.joins == joins;
            let is_told = message.replay == Some(Replay::Continuation) && before.head > 0;
            let continues = (is_joined || is_told).then_some(before.head);
            let begins_turn = is_user && !before.is_user;
            if begins_turn {
                tail.begin_turn(seq, id);
            }
            if continues.is_none() {
                tail.n_visible += 1;
            }
            tail.set_talk(LastTalk {
                seq,
                head: continues.unwrap_or(seq),
                is_user,
                joins,
            });
            place.continues = continues;
        }
    }
    tail.sum_tokens = tail.sum_tokens.saturating_add(to_sql(stamped.tokens.get()));
    tail.sum_view = tail.sum_view.saturating_add(place.view_tokens);
    if let Some(at) = message.at.map(crate::domain::Timestamp::millis) {
        tail.first_at = Some(tail.first_at.map_or(at, |first| first.min(at)));
        tail.last_at = Some(tail.last_at.map_or(at, |last| last.max(at)));
    }
    Ok(place)
}

/// System messages before the talk are the prompt, whatever was asked; later ones are talk unless
/// asked for as a new version.
fn settle_visibility(tail: &Tail, role: Role, asked: Visibility) -> Visibility {
    match (role, asked) {
        (Role::System, Visibility::Talk) if tail.n_visible == 0 => Visibility::Prompt,
        (_, asked) => asked,
    }
}

/// Returns where the version of a prompt row begins. Rows before the talk are one version until
/// another is asked for by name; later each request's rows are one.
fn prompt_version(tail: &mut Tail, message: &NewMessage, seq: i64) -> i64 {
    let (first, open) = match (tail.prompt, message.visibility) {
        _ if message.replay == Some(Replay::Prompt) => (seq, OpenPrompt::Asked(seq)),
        (OpenPrompt::Leading(first), _) if message.replay == Some(Replay::PromptContinuation) => {
            (first, OpenPrompt::Leading(first))
        }
        (OpenPrompt::Asked(first), _) => (first, OpenPrompt::Asked(first)),
        (OpenPrompt::Leading(first), Visibility::Talk) => (first, OpenPrompt::Leading(first)),
        (_, Visibility::Talk) => (seq, OpenPrompt::Leading(seq)),
        _ => (seq, OpenPrompt::Asked(seq)),
    };
    tail.prompt = open;
    first
}

/// Stores what lies apart from the row so that it can be erased.
fn store_beside(
    conn: &Connection,
    id: i64,
    stamped: &Stamped,
    salt: Salt,
) -> Result<(), StoreError> {
    conn.prepare_cached("INSERT INTO salt (message_id, salt) VALUES (?1, ?2)")?
        .execute(params![id, salt])?;
    conn.prepare_cached("INSERT INTO mark (message_id, fingerprint) VALUES (?1, ?2)")?
        .execute(params![id, stamped.fingerprint])?;
    Ok(())
}

/// Finds the row that has a key on a branch or what it inherits.
fn find_key(conn: &Connection, lineage: &Lineage, key: &str) -> Result<Option<Stored>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT m.id, m.seq FROM message_key AS k CROSS JOIN message AS m ON m.id = k.message_id
         WHERE k.conversation_id = ?1 AND k.key = ?2 AND m.seq <= ?3",
    )?;
    for ancestor in lineage.ancestors().iter().rev() {
        let found = statement
            .query_row(params![ancestor.id, key, ancestor.max_seq], |row| {
                Ok(Stored::Known {
                    id: row.get(0)?,
                    seq: row.get(1)?,
                })
            })
            .optional()?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Reads the running sums at a place, for a branch that begins there.
pub(super) fn place_sums(
    conn: &Connection,
    lineage: &Lineage,
    seq: Seq,
) -> Result<Option<Sums>, StoreError> {
    let seq = to_sql(seq.get());
    let Some(owner) = lineage.owner(seq) else {
        return Ok(None);
    };
    Ok(conn
        .prepare_cached(
            "SELECT sum_tokens, sum_view, n_visible, turn_first FROM message
             WHERE conversation_id = ?1 AND seq = ?2",
        )?
        .query_row(params![owner, seq], |row| {
            Ok(Sums {
                tokens: row.get(0)?,
                view: row.get(1)?,
                n_visible: row.get(2)?,
                turn_first: row.get(3)?,
            })
        })
        .optional()?)
}

/// Running sums over a branch up to a place.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    pub tokens: i64,
    pub view: i64,
    pub n_visible: i64,
    pub turn_first: i64,
}
