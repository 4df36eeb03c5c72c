//! The talk around a message: whole turns, each message by its beginning.
//! May not show a row that the caller's session cannot see.

use super::core::{Engine, resolve};
use super::error::EngineError;
use super::expand::whole_messages;
use super::standing::home_of;
use crate::domain::{
    ConversationId, ItemId, Message, MessageId, Neighbour, Reach, Scope, Seq, Span, Surroundings,
    Visibility,
};
use crate::policy::cut::{Before, Cuts};
use crate::policy::pattern::{SNIPPET_CHARS, beginning};
use crate::store::{ItemHome, Reader, StoreError};

/// Messages shown at most on each side of one, unless its own batch of calls is larger: a turn of
/// an agent may be hundreds of them long.
const MESSAGES_A_SIDE: usize = 40;
/// Rows read on each side of a message at first; more are read where they hold too few turns.
const ROWS_AT_FIRST: u64 = 64;

impl Engine {
    /// Shows what was said around messages, one answer for each in the order asked for: its turn
    /// with `n_turns` before and after it, meta rows left out. A turn that is too long for that is
    /// shown as far as 40 messages reach, and never ends between a call and its result. With
    /// [`Reach::All`] a message's branch is the one its session key points at, if that sees it.
    ///
    /// # Errors
    /// `Usage` for 0 turns; `UnknownSession`; `Store`.
    pub async fn around(
        &self,
        ids: &[MessageId],
        reach: &Reach,
        n_turns: u64,
    ) -> Result<Vec<Surroundings>, EngineError> {
        if n_turns == 0 {
            return Err(EngineError::wrong_use(
                "0 turns around a message show nothing",
                "give at least 1",
            ));
        }
        let n_turns = usize::try_from(n_turns).unwrap_or(usize::MAX);
        let (ids, reach) = (ids.to_vec(), reach.clone());
        self.core
            .db
            .read(move |reader| {
                let scope = match &reach {
                    Reach::All => Scope::All,
                    Reach::Session(session) => match resolve(reader, session)? {
                        Ok(conversation) => Scope::Branch(conversation.id),
                        Err(unknown) => return Ok(Err(unknown)),
                    },
                };
                let items: Vec<ItemId> = ids.iter().copied().map(ItemId::Message).collect();
                let homes = reader.items_within(scope, &items)?;
                let mut answer = Vec::with_capacity(ids.len());
                for (id, home) in ids.into_iter().zip(homes) {
                    let messages = match home {
                        Some(home) => neighbours(reader, scope, home, n_turns)?,
                        None => Vec::new(),
                    };
                    answer.push(Surroundings { id, messages });
                }
                Ok(Ok(answer))
            })
            .await?
    }
}

fn neighbours(
    reader: &Reader,
    scope: Scope,
    home: ItemHome,
    n_turns: usize,
) -> Result<Vec<Neighbour>, StoreError> {
    let branch = match scope {
        Scope::Branch(branch) => branch,
        Scope::All => branch_of(reader, home)?,
    };
    let Some(span) = span_around(reader, branch, home.span.first(), n_turns)? else {
        return Ok(Vec::new());
    };
    let mut rows = reader.messages(branch, span)?;
    rows.retain(|row| row.visibility == Visibility::Talk);
    let neighbour = |message: Message| Neighbour {
        id: message.id,
        seq: message.seq,
        role: message.role,
        at: message.at,
        text: beginning(&message.parts, SNIPPET_CHARS),
    };
    Ok(whole_messages(rows).into_iter().map(neighbour).collect())
}

/// The branch that a row's key points at if that sees the row, else the row's own.
fn branch_of(reader: &Reader, home: ItemHome) -> Result<ConversationId, StoreError> {
    let current = home_of(reader, home.conversation)?;
    let sees = reader.sees(current, home.conversation, home.span)?;
    Ok(if sees { current } else { home.conversation })
}

/// Reads more and more rows around a place until the turns asked for lie among them, or as many
/// messages as are shown.
fn span_around(
    reader: &Reader,
    branch: ConversationId,
    seq: Seq,
    n_turns: usize,
) -> Result<Option<Span>, StoreError> {
    let head = reader.branch(branch)?.head.unwrap_or(seq);
    let (mut n_before, mut n_after) = (ROWS_AT_FIRST, ROWS_AT_FIRST);
    loop {
        let first = seq.get().saturating_sub(n_before);
        let first = Seq::new(first).unwrap_or(Seq::FIRST);
        let last = Seq::new(seq.get().saturating_add(n_after)).unwrap_or(head);
        let last = last.min(head);
        let Some(read) = Span::new(first, last) else {
            return Ok(None);
        };
        let cuts = Cuts::new(&reader.metas(branch, read)?, Before::Nothing);
        let units = cuts.units();
        let unit_idx = units.iter().position(|unit| unit.span.contains(seq));
        let has_before =
            first == Seq::FIRST || unit_idx.is_some_and(|idx| begins(&cuts, idx, n_turns));
        let has_after = last == head || unit_idx.is_some_and(|idx| ends(&cuts, idx, n_turns));
        if has_before && has_after {
            let around = |idx| cuts.around(idx, n_turns, MESSAGES_A_SIDE);
            return Ok(unit_idx.map(around).and_then(|units| cuts.span(units)));
        }
        if !has_before {
            n_before = n_before.saturating_mul(2);
        }
        if !has_after {
            n_after = n_after.saturating_mul(2);
        }
    }
}

/// Says whether rows that begin in the middle of things begin early enough. Behind the first turn
/// that opens among them their cuts are those of the whole conversation.
fn begins(cuts: &Cuts, unit_idx: usize, n_turns: usize) -> bool {
    let opens: Vec<usize> = cuts
        .preferred()
        .iter()
        .copied()
        .filter(|&place| place > 0 && place <= unit_idx)
        .collect();
    let least = unit_idx.saturating_sub(MESSAGES_A_SIDE);
    opens.len() > n_turns || opens.first().is_some_and(|&place| place <= least)
}

/// Says whether rows that end in the middle of things end late enough.
fn ends(cuts: &Cuts, unit_idx: usize, n_turns: usize) -> bool {
    let opens = cuts.preferred().iter().filter(|&&place| place > unit_idx);
    let n_behind = cuts.units().len().saturating_sub(unit_idx + 1);
    let is_closed = cuts.legal().last().is_some_and(|&place| place > unit_idx);
    opens.count() > n_turns || (n_behind > MESSAGES_A_SIDE && is_closed)
}
