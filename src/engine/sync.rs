//! A host's whole list against what is stored: where it goes on, turns back, or slides.
//! The comparison is pure; the store checks again that nothing has moved since.

use super::core::{Engine, scanned};
use super::error::EngineError;
use super::report::{SyncKind, SyncReport};
use super::tools::Tools;
use crate::domain::{
    Appended, ConversationId, Mark, NewMessage, Role, Seq, SessionKey, Stamped, SyncAction,
    SyncRequest, Visibility, Window,
};
use crate::store::{Reader, StoreError, SyncOutcome, WriteOp, WriteReply};

/// Decisions made on a list that another writer outran are made again this often at most.
const ATTEMPTS: u32 = 16;

/// One fingerprint, as `sync` compares messages.
type Print = [u8; 32];

/// What is stored under a key.
#[derive(Debug, Clone, Default)]
struct Stored {
    /// The branch the key points at.
    current: Option<Branch>,
    /// Other branches it has pointed at, newest first.
    others: Vec<Branch>,
    /// Where the host's last list began, for a key that has slid.
    list_first: Option<Seq>,
}

/// One branch's talk and prompts.
#[derive(Debug, Clone)]
struct Branch {
    id: ConversationId,
    head: Option<Seq>,
    /// Places and prints of its talk; rows that are meta or prompts are left out.
    talk: Vec<(Seq, Option<Print>)>,
    /// The print of its newest system prompt's rows, in order.
    prompt: Vec<Option<Print>>,
}

/// What to do with a list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Decision {
    kind: SyncKind,
    action: SyncAction,
    /// How many messages of the list's talk are stored already.
    known: usize,
    /// Where the list begins now, if it slides.
    list_first: Option<Seq>,
}

impl Engine {
    /// Takes the host's whole list of finished messages and makes the stored branch equal to it:
    /// nothing for a list that is stored, an append for an extension, a switch to another branch,
    /// or a fork where it diverges. Nothing stored is ever lost.
    ///
    /// # Errors
    /// `Usage` for an empty list; `Busy` if other writers outran every attempt; `Store`.
    pub async fn sync(
        &self,
        session: &SessionKey,
        history: Vec<NewMessage>,
        window: Window,
    ) -> Result<SyncReport, EngineError> {
        let listed: Vec<NewMessage> = history
            .into_iter()
            .filter(|row| row.visibility != Visibility::Meta)
            .collect();
        if listed.is_empty() {
            return Err(EngineError::wrong_use(
                "an empty list says nothing about the conversation",
                "give the whole list of finished messages",
            ));
        }
        let (prompt, talk) = split_prompt(listed);
        let mut tools = Tools::default();
        let prompt = self.core.stamp_all(prompt, &mut tools);
        let talk = self.core.stamp_all(talk, &mut tools);
        for _ in 0..ATTEMPTS {
            let wanted = session.clone();
            let prints: Vec<Print> = talk.iter().map(|row| row.fingerprint).collect();
            let (stored, decision) = self
                .core
                .db
                .read(move |reader| {
                    let stored = read_stored(reader, &wanted, &prints)?;
                    let decision = decide(&prints, &stored);
                    Ok((stored, decision))
                })
                .await?;
            let messages = self.to_store(&prompt, &talk, &stored, &decision);
            let target = target_of(&stored, &decision.action);
            let written_to = match decision.action {
                SyncAction::Switch(_) => target,
                SyncAction::Extend | SyncAction::Fork(_) => stored.current.as_ref(),
            };
            let is_idle = messages.is_empty() && decision.action == SyncAction::Extend;
            let request = SyncRequest {
                session: session.clone(),
                expected: stored.current.as_ref().map(|branch| branch.id),
                expected_head: written_to.and_then(|branch| branch.head),
                action: decision.action,
                messages: messages.into_iter().map(scanned).collect(),
                list_first: decision.list_first,
                now: self.core.clock.now(),
            };
            if is_idle && let Some(branch) = target {
                let rows = Appended {
                    conversation: branch.id,
                    rows: Vec::new(),
                };
                return self
                    .report(rows, None, SyncKind::Unchanged, decision.known, window)
                    .await;
            }
            match self.core.db.write(WriteOp::Sync(request)).await? {
                WriteReply::Synced(SyncOutcome::Applied {
                    appended, fork_seq, ..
                }) => {
                    self.core.tasks.rows_stored();
                    return self
                        .report(appended, fork_seq, decision.kind, decision.known, window)
                        .await;
                }
                WriteReply::Synced(SyncOutcome::Stale) => {}
                _ => return Err(EngineError::unexpected_reply()),
            }
        }
        Err(StoreError::Busy.into())
    }

    async fn report(
        &self,
        appended: Appended,
        fork_seq: Option<Seq>,
        kind: SyncKind,
        known: usize,
        window: Window,
    ) -> Result<SyncReport, EngineError> {
        let (compacted, view) = self.after_rows(appended.conversation, window).await?;
        let known = u64::try_from(known).unwrap_or(u64::MAX);
        let fork_seq = fork_seq.map(Seq::get);
        Ok(SyncReport {
            kind,
            appended,
            fork_seq,
            known,
            compacted,
            view,
        })
    }

    /// The rows to append: a changed prompt first, then the talk that is not stored.
    fn to_store(
        &self,
        prompt: &[Stamped],
        talk: &[Stamped],
        stored: &Stored,
        decision: &Decision,
    ) -> Vec<Stamped> {
        let now = self.core.clock.now();
        let prints: Vec<Option<Print>> = prompt.iter().map(|row| Some(row.fingerprint)).collect();
        let is_stored = match target_of(stored, &decision.action) {
            // The landing branch's own prompt, or the fork's inherited one.
            Some(branch) => branch.prompt == prints,
            None => false,
        };
        let versions = if prompt.is_empty() || is_stored {
            &[]
        } else {
            prompt
        };
        let versions = versions.iter().cloned().map(|mut row| {
            row.message.visibility = Visibility::Prompt;
            row
        });
        let rest = talk.iter().skip(decision.known).cloned();
        versions
            .chain(rest)
            .map(|mut row| {
                row.message.at = row.message.at.or(Some(now));
                row
            })
            .collect()
    }
}

/// The system messages before the first other message are the prompt.
fn split_prompt(listed: Vec<NewMessage>) -> (Vec<NewMessage>, Vec<NewMessage>) {
    let n_prompt = listed
        .iter()
        .take_while(|row| row.role == Role::System)
        .count();
    let mut prompt = listed;
    let talk = prompt.split_off(n_prompt);
    (prompt, talk)
}

/// The branch that an action writes to or inherits its prompt from.
fn target_of<'a>(stored: &'a Stored, action: &SyncAction) -> Option<&'a Branch> {
    match action {
        SyncAction::Extend | SyncAction::Fork(Some(_)) => stored.current.as_ref(),
        SyncAction::Switch(id) => stored.others.iter().find(|branch| branch.id == *id),
        SyncAction::Fork(None) => None,
    }
}

/// Reads what is stored; the other branches only where the list does not fit the current one,
/// since a host that sends its whole list each turn mostly goes on where it was.
fn read_stored(
    reader: &Reader,
    session: &SessionKey,
    list: &[Print],
) -> Result<Stored, StoreError> {
    let Some(current) = reader.conversation(session)? else {
        return Ok(Stored::default());
    };
    let mut stored = Stored {
        current: Some(read_branch(reader, current.id)?),
        others: Vec::new(),
        list_first: reader.list_first(session)?,
    };
    if fit_current(list, &stored).is_none() {
        for id in reader.branches(session)? {
            if id != current.id {
                stored.others.push(read_branch(reader, id)?);
            }
        }
    }
    Ok(stored)
}

fn read_branch(reader: &Reader, id: ConversationId) -> Result<Branch, StoreError> {
    let head = reader.branch(id)?.head;
    let marks: Vec<Mark> = reader.marks(id)?;
    let talk = marks
        .iter()
        .filter(|mark| !mark.is_prompt)
        .map(|mark| (mark.seq, mark.fingerprint))
        .collect();
    Ok(Branch {
        id,
        head,
        talk,
        prompt: newest_prompt(&marks),
    })
}

/// The last unbroken run of prompt rows is the newest version.
fn newest_prompt(marks: &[Mark]) -> Vec<Option<Print>> {
    let mut run: Vec<Option<Print>> = marks
        .iter()
        .rev()
        .skip_while(|mark| !mark.is_prompt)
        .take_while(|mark| mark.is_prompt)
        .map(|mark| mark.fingerprint)
        .collect();
    run.reverse();
    run
}

/// How many rows two lists share at their beginning.
fn common_prefix(list: &[Print], talk: &[(Seq, Option<Print>)]) -> usize {
    list.iter()
        .zip(talk)
        .take_while(|(print, row)| row.1 == Some(**print))
        .count()
}

/// Compares a list with the branch the key points at: the same, a beginning or an extension of it.
fn fit_current(list: &[Print], stored: &Stored) -> Option<Decision> {
    let Some(current) = &stored.current else {
        return Some(extend(SyncKind::Extended, 0, None));
    };
    if let Some(first) = stored.list_first {
        let from = current.talk.partition_point(|row| row.0 < first);
        let slid = current.talk.get(from..).unwrap_or_default();
        let shared = common_prefix(list, slid);
        if shared == list.len() || (shared == slid.len() && shared > 0) {
            return Some(extend(kind_of(list.len(), shared), shared, Some(first)));
        }
    }
    let shared = common_prefix(list, &current.talk);
    let fits = shared == list.len() || shared == current.talk.len();
    fits.then(|| {
        let list_first = stored.list_first.and(Some(Seq::FIRST));
        extend(kind_of(list.len(), shared), shared, list_first)
    })
}

/// Compares a list with what is stored, in the order that design gives.
fn decide(list: &[Print], stored: &Stored) -> Decision {
    if let Some(decision) = fit_current(list, stored) {
        return decision;
    }
    let talk = stored
        .current
        .as_ref()
        .map_or(&[][..], |current| &current.talk);
    let shared = common_prefix(list, talk);
    if let Some((branch, known)) = best_other(list, stored, shared) {
        let action = SyncAction::Switch(branch);
        return Decision {
            kind: SyncKind::Switched,
            action,
            known,
            list_first: None,
        };
    }
    if shared == 0
        && let Some(overlap) = longest_overlap(list, talk)
    {
        let first = talk.get(talk.len() - overlap).map(|row| row.0);
        return extend(kind_of(list.len(), overlap), overlap, first);
    }
    let at = shared
        .checked_sub(1)
        .and_then(|last| talk.get(last))
        .map(|row| row.0);
    Decision {
        kind: SyncKind::Forked,
        action: SyncAction::Fork(at),
        known: shared,
        list_first: None,
    }
}

fn extend(kind: SyncKind, known: usize, list_first: Option<Seq>) -> Decision {
    Decision {
        kind,
        action: SyncAction::Extend,
        known,
        list_first,
    }
}

fn kind_of(listed: usize, known: usize) -> SyncKind {
    if listed == known {
        SyncKind::Unchanged
    } else {
        SyncKind::Extended
    }
}

/// The other branch that the list equals, extends or is a prefix of, for more than it shares with
/// the current one; the longest first.
fn best_other(list: &[Print], stored: &Stored, shared: usize) -> Option<(ConversationId, usize)> {
    stored
        .others
        .iter()
        .map(|branch| {
            (
                branch.id,
                common_prefix(list, &branch.talk),
                branch.talk.len(),
            )
        })
        .filter(|(_, known, n_talk)| *known > shared && (*known == list.len() || known == n_talk))
        .max_by_key(|(_, known, _)| *known)
        .map(|(id, known, _)| (id, known))
}

/// The longest beginning of the list that is the end of the stored rows.
fn longest_overlap(list: &[Print], talk: &[(Seq, Option<Print>)]) -> Option<usize> {
    // Border table of the list, then one walk over the stored rows: linear, however repetitive.
    let border = borders(list);
    let mut matched = 0;
    for (_, print) in talk {
        while matched > 0 && (matched == list.len() || list.get(matched) != print.as_ref()) {
            matched = border.get(matched - 1).copied().unwrap_or(0);
        }
        if list.get(matched) == print.as_ref() && print.is_some() {
            matched += 1;
        }
    }
    (matched > 0).then_some(matched)
}

/// For each prefix, the length of its longest proper prefix that is also its end.
fn borders(list: &[Print]) -> Vec<usize> {
    let mut table = vec![0; list.len()];
    let mut length = 0;
    for index in 1..list.len() {
        while length > 0 && list.get(index) != list.get(length) {
            length = table.get(length - 1).copied().unwrap_or(0);
        }
        if list.get(index) == list.get(length) {
            length += 1;
        }
        if let Some(slot) = table.get_mut(index) {
            *slot = length;
        }
    }
    table
}

#[cfg(test)]
mod tests;
