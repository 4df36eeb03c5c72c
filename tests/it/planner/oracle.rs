//! The rules of cuts and tails said again, slowly, straight from their definitions.

use hippocamp::domain::{MessageMeta, Role, Seq, Tokens};
use hippocamp::policy::limits::Limits;

/// One message: head and continuations, visible ones only.
#[derive(Debug, Clone)]
pub(super) struct Said<'a> {
    pub(super) first: Seq,
    pub(super) rows: Vec<&'a MessageMeta>,
}

impl Said<'_> {
    pub(super) fn role(&self) -> Role {
        if self.rows.iter().any(|row| !row.results.is_empty()) {
            Role::Tool
        } else {
            self.rows[0].role
        }
    }

    pub(super) fn has_words(&self) -> bool {
        self.rows.iter().any(|row| row.has_words)
    }

    pub(super) fn tokens(&self) -> Tokens {
        self.rows.iter().map(|row| row.view_tokens).sum()
    }
}

pub(super) fn said<'a>(rows: impl IntoIterator<Item = &'a MessageMeta>) -> Vec<Said<'a>> {
    let mut messages: Vec<Said<'a>> = Vec::new();
    for row in rows.into_iter().filter(|row| row.is_visible()) {
        match messages.last_mut() {
            Some(message) if row.continues.is_some() => message.rows.push(row),
            _ => messages.push(Said {
                first: row.seq,
                rows: vec![row],
            }),
        }
    }
    messages
}

/// Says whether a message begins a turn.
pub(super) fn begins_turn(messages: &[Said<'_>], at: usize) -> bool {
    let is_user = |at: usize| messages[at].role() == Role::User;
    is_user(at) && (at == 0 || !is_user(at - 1))
}

fn turn_of(messages: &[Said<'_>], at: usize) -> usize {
    (0..=at).filter(|&at| begins_turn(messages, at)).count()
}

fn closes_all(messages: &[Said<'_>], at: usize) -> bool {
    match messages[at].role() {
        Role::User => true,
        Role::Assistant => at > 0 && messages[at - 1].role() != Role::Assistant,
        Role::Tool | Role::System => false,
    }
}

/// Says whether no call is open before message `cut`: each call before it has its result before
/// it, in the same turn, or something after the call and up to the cut closes all.
pub(super) fn is_legal(messages: &[Said<'_>], cut: usize) -> bool {
    (0..cut).all(|caller| {
        let is_closed =
            (caller + 1..=cut.min(messages.len() - 1)).any(|at| closes_all(messages, at));
        let calls = messages[caller].rows.iter().flat_map(|row| &row.calls);
        is_closed
            || calls.into_iter().all(|call| {
                (0..cut).any(|at| {
                    turn_of(messages, at) == turn_of(messages, caller)
                        && messages[at]
                            .rows
                            .iter()
                            .any(|row| row.results.contains(call))
                })
            })
    })
}

/// Returns all legal cuts, the end not counted.
pub(super) fn legal(messages: &[Said<'_>]) -> Vec<usize> {
    let places = 0..messages.len();
    places.filter(|&cut| is_legal(messages, cut)).collect()
}

/// Returns the start of the fresh tail. `opens` says that the first message opens a turn.
pub(super) fn fresh_tail(
    messages: &[Said<'_>],
    limits: &Limits,
    budget: Tokens,
    opens: bool,
) -> usize {
    let n = messages.len();
    let room = budget.percent(limits.tail_percent);
    let mut turns = (0..n).filter(|&at| begins_turn(messages, at));
    let turn = turns.next_back().or(opens.then_some(0));
    let shown = |at: usize| {
        let message = &messages[at];
        let thinks = message.rows.iter().map(|row| row.reasoning_tokens).sum();
        let is_newest = turn.is_none_or(|turn| at >= turn);
        message.tokens() + if is_newest { thinks } else { Tokens::ZERO }
    };
    let size = |from: usize| (from..n).map(shown).sum::<Tokens>();
    let legal = legal(messages);
    let fits = |from: usize| (n - from) as u64 <= limits.tail_messages && size(from) <= room;
    let by_size = (0..=n).find(|&from| fits(from)).unwrap();
    let on_cut = legal
        .iter()
        .copied()
        .find(|&cut| cut >= by_size)
        .unwrap_or(n);
    let is_open = !is_legal(messages, n);
    let n_least = if is_open { 2 } else { 1 };
    let least = legal[legal.len().saturating_sub(n_least)];
    let whole_turn = turn.filter(|&turn| size(turn) <= room).unwrap_or(n);
    on_cut.min(least).min(whole_turn)
}
