//! Pins by hand: made, accepted, retired. Owns what is refused, and what to retire instead.

use std::cmp::Reverse;

use thiserror::Error;

use crate::domain::{
    EventId, NewPin, Pin, PinBoard, PinBy, PinChange, PinId, PinKind, PinMove, PinRef, PinSource,
    PinState, TokenCounter, Tokens,
};
use crate::policy::assemble::pin_tokens;

use super::found::block_of;

/// A pin wanted by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted<'text> {
    /// What it holds.
    pub kind: PinKind,
    /// The words, verbatim.
    pub text: &'text str,
    /// The message they come from.
    pub source: Option<PinSource>,
}

/// Why a pin by hand is not made live.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HandRefusal {
    /// It has no words.
    #[error("a pin without words holds nothing")]
    Blank,
    /// Alone it would take more than all pins may.
    #[error("the pin takes {needs} tokens as printed, and all pins may take {room}")]
    TooLarge {
        /// What it takes.
        needs: Tokens,
        /// What all may take.
        room: Tokens,
    },
    /// There is no room beside the others.
    #[error(
        "with the pin, pins would take {needs} tokens as printed, and they may take {room} (10 % of \
         the budget)"
    )]
    NoRoom {
        /// What all would take.
        needs: Tokens,
        /// What all may take.
        room: Tokens,
        /// What makes room if retired, and not one too many: those by hand before what users
        /// demand, the largest first.
        retire: Vec<EventId>,
    },
    /// No pin of this id stands on the branch.
    #[error("pin {} does not stand here: it was retired, or is another conversation's", PinId(*.0))]
    Unknown(EventId),
}

/// Plans a pin by hand. The same words of the same kind are one pin: a proposed one comes to be
/// live, one that a user's words made is by hand from then on. No change if all is so already.
///
/// # Errors
/// [`HandRefusal`] for no words or no room.
pub fn plan_pin(
    board: &PinBoard,
    wanted: Wanted<'_>,
    room: Tokens,
    counter: &dyn TokenCounter,
) -> Result<(PinRef, Vec<PinChange>), HandRefusal> {
    if wanted.text.trim().is_empty() {
        return Err(HandRefusal::Blank);
    }
    let known = board
        .standing
        .iter()
        .find(|pin| pin.kind == wanted.kind && pin.text == wanted.text);
    if let Some(pin) = known {
        return Ok((PinRef::Stored(pin.id), accept(board, pin, room)?));
    }
    let tokens = pin_tokens(wanted.kind, wanted.text, counter);
    check_room(board, tokens, room)?;
    let pin = NewPin {
        kind: wanted.kind,
        state: PinState::Live,
        by: PinBy::Hand,
        text: wanted.text.to_owned(),
        tokens,
        source: wanted.source,
        reason: "pinned",
    };
    Ok((PinRef::Made(0), vec![PinChange::Make(pin)]))
}

/// Plans that a proposed pin comes to be live by hand.
///
/// # Errors
/// [`HandRefusal`] if it does not stand, or for no room.
pub fn plan_accept(
    board: &PinBoard,
    id: EventId,
    room: Tokens,
) -> Result<Vec<PinChange>, HandRefusal> {
    let pin = board.standing.iter().find(|pin| pin.id == id);
    accept(board, pin.ok_or(HandRefusal::Unknown(id))?, room)
}

fn accept(board: &PinBoard, pin: &Pin, room: Tokens) -> Result<Vec<PinChange>, HandRefusal> {
    match (pin.state, pin.by) {
        (PinState::Live, PinBy::Hand) => return Ok(Vec::new()),
        (PinState::Live, PinBy::Auto) => {}
        (PinState::Proposed | PinState::Retired, _) => check_room(board, pin.tokens, room)?,
    }
    Ok(vec![moved(pin.id, PinState::Live, "accepted")])
}

/// Plans that a pin is retired by hand; no change for one that does not stand.
#[must_use]
pub fn plan_unpin(board: &PinBoard, id: EventId) -> Vec<PinChange> {
    let stands = board.standing.iter().any(|pin| pin.id == id);
    if stands {
        vec![moved(id, PinState::Retired, "unpinned")]
    } else {
        Vec::new()
    }
}

fn moved(id: EventId, state: PinState, reason: &'static str) -> PinChange {
    PinChange::Move(PinMove {
        pin: PinRef::Stored(id),
        state,
        by: PinBy::Hand,
        cause: None,
        reason,
    })
}

fn check_room(board: &PinBoard, tokens: Tokens, room: Tokens) -> Result<(), HandRefusal> {
    let alone = block_of([tokens].into_iter());
    if alone > room {
        return Err(HandRefusal::TooLarge { needs: alone, room });
    }
    let mut live: Vec<&Pin> = board
        .standing
        .iter()
        .filter(|pin| pin.state == PinState::Live)
        .collect();
    live.sort_by_key(|pin| (pin.by == PinBy::Auto, Reverse(pin.tokens), pin.id));
    let sum: Tokens = live.iter().map(|pin| pin.tokens).sum();
    let needs = block_of([sum + tokens].into_iter());
    let fits = |freed: Tokens| block_of([(sum + tokens).saturating_sub(freed)].into_iter()) <= room;
    let mut freed = Tokens::ZERO;
    let mut retire = Vec::new();
    for pin in live {
        if fits(freed) {
            break;
        }
        freed += pin.tokens;
        retire.push(pin);
    }
    // The last one taken may be so large that others need not go.
    retire.reverse();
    retire.retain(|pin| {
        let is_spare = fits(freed.saturating_sub(pin.tokens));
        if is_spare {
            freed = freed.saturating_sub(pin.tokens);
        }
        !is_spare
    });
    if retire.is_empty() {
        return Ok(());
    }
    Err(HandRefusal::NoRoom {
        needs,
        room,
        retire: retire.into_iter().map(|pin| pin.id).collect(),
    })
}
