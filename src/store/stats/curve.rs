//! How the tokens of a view rose and fell. Owns the replay of a branch from its rows and events.
//! May not assemble a view: this is the frontier's sum, before a budget acts.

use std::collections::{BTreeMap, HashMap};

use rusqlite::Connection;

use crate::domain::{ConversationId, CurveStep, EventId, Tokens};
use crate::store::error::StoreError;
use crate::store::lineage::Lineage;
use crate::store::reader::Reader;
use crate::store::row::{to_count, to_seq};
use crate::store::spans::{self, SpanRow};
use crate::store::{clear, recount};

const MESSAGES: &str = "SELECT id, seq, visibility, sum_view, prompt_tokens, prompt_first \
     FROM message WHERE conversation_id = ?1 AND seq BETWEEN ?2 AND ?3 ORDER BY seq";
const LIVE_EVENTS: &str =
    "SELECT id, live_id FROM event WHERE conversation_id = ?1 AND id <= ?2 ORDER BY id";

impl Reader {
    /// Returns what the frontier of a branch held after each visible message and after each event
    /// that changed it, old to new: system prompt, live summaries, raw messages.
    ///
    /// # Errors
    /// `Corrupt` if a row cannot be read; what the database says otherwise.
    pub fn curve(&self, conversation: ConversationId) -> Result<Vec<CurveStep>, StoreError> {
        self.one_state(|| curve(self.conn(), conversation))
    }
}

fn curve(conn: &Connection, conversation: ConversationId) -> Result<Vec<CurveStep>, StoreError> {
    let lineage = Lineage::load(conn, conversation.get())?;
    let mut moments = messages(conn, &lineage)?;
    moments.extend(events(conn, &lineage, &moments)?);
    moments.extend(changes(clear::moments(conn, &lineage)?));
    moments.extend(changes(recount::moments(conn, &lineage)?));
    moments.sort_unstable_by_key(|moment| moment.id);
    let nodes = spans::load(conn, &lineage)?;
    let mut replay = Replay::new(&nodes);
    let mut steps = Vec::new();
    for moment in &moments {
        steps.extend(replay.take(moment)?);
    }
    Ok(steps)
}

/// Something that happened to the branch.
struct Moment {
    id: i64,
    what: What,
}

enum What {
    Message {
        seq: i64,
        sum_view: i64,
        /// The version it belongs to, and its tokens, for a row of the system prompt.
        prompt: Option<(i64, i64)>,
        is_counted: bool,
    },
    Event {
        live_id: i64,
    },
    /// Rows that cost less from now on, or more: their places and what each saves.
    Change(Vec<(i64, i64)>),
}

fn messages(conn: &Connection, lineage: &Lineage) -> Result<Vec<Moment>, StoreError> {
    let mut statement = conn.prepare_cached(MESSAGES)?;
    let mut moments = Vec::new();
    for stretch in lineage.stretches(1, i64::MAX) {
        let bounds = [stretch.conversation, stretch.first, stretch.last];
        let rows = statement.query_map(bounds, |row| {
            let is_talk = row.get_ref(2)?.as_str()? == "talk";
            let prompt_tokens: i64 = row.get(4)?;
            let prompt_first: Option<i64> = row.get(5)?;
            Ok(Moment {
                id: row.get(0)?,
                what: What::Message {
                    seq: row.get(1)?,
                    sum_view: row.get(3)?,
                    prompt: prompt_first.map(|first| (first, prompt_tokens)),
                    is_counted: is_talk,
                },
            })
        })?;
        for row in rows {
            moments.push(row?);
        }
    }
    Ok(moments)
}

/// Reads the events of the branch and, up to where it began, of those it comes from.
fn events(
    conn: &Connection,
    lineage: &Lineage,
    messages: &[Moment],
) -> Result<Vec<Moment>, StoreError> {
    let mut statement = conn.prepare_cached(LIVE_EVENTS)?;
    let mut moments = Vec::new();
    let seq_to_id: HashMap<i64, i64> = messages
        .iter()
        .filter_map(|moment| match moment.what {
            What::Message { seq, .. } => Some((seq, moment.id)),
            What::Event { .. } | What::Change(_) => None,
        })
        .collect();
    let own = lineage.own_id();
    for ancestor in lineage.ancestors() {
        let next = seq_to_id.get(&ancestor.max_seq.saturating_add(1));
        let until = if ancestor.id == own {
            i64::MAX
        } else {
            // What it did before the branch's own first message, as far as its rows are inherited.
            next.map_or(ancestor.max_id, |next| next - 1)
        };
        let rows = statement.query_map([ancestor.id, until], |row| {
            Ok(Moment {
                id: row.get(0)?,
                what: What::Event {
                    live_id: row.get(1)?,
                },
            })
        })?;
        for row in rows {
            moments.push(row?);
        }
    }
    Ok(moments)
}

/// Gathers by event what clears or recounts save on rows that the branch sees.
fn changes(found: Vec<(i64, i64, i64)>) -> impl Iterator<Item = Moment> {
    let mut of_event: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
    for (event, seq, saved) in found {
        of_event.entry(event).or_default().push((seq, saved));
    }
    of_event.into_iter().map(|(id, rows)| Moment {
        id,
        what: What::Change(rows),
    })
}

/// The frontier at one moment.
struct Replay<'a> {
    /// Summaries by id, to come.
    waiting: BTreeMap<i64, &'a SpanRow>,
    /// Those on the frontier, by first place.
    frontier: BTreeMap<i64, &'a SpanRow>,
    live_id: i64,
    seq: i64,
    sum_view: i64,
    /// Running sums by place, to take off what is covered.
    sums: HashMap<i64, i64>,
    /// What clears and recounts save, by place, and what of it is on the frontier.
    saved: BTreeMap<i64, i64>,
    saved_now: i64,
    prompt_first: i64,
    prompt_tokens: i64,
}

impl<'a> Replay<'a> {
    fn new(nodes: &'a [SpanRow]) -> Self {
        Self {
            waiting: nodes.iter().map(|node| (node.id, node)).collect(),
            frontier: BTreeMap::new(),
            live_id: 0,
            seq: 0,
            sum_view: 0,
            sums: HashMap::new(),
            saved: BTreeMap::new(),
            saved_now: 0,
            prompt_first: 0,
            prompt_tokens: 0,
        }
    }

    fn take(&mut self, moment: &Moment) -> Result<Option<CurveStep>, StoreError> {
        match moment.what {
            What::Message {
                seq,
                sum_view,
                prompt,
                is_counted,
            } => {
                self.seq = seq;
                self.sum_view = sum_view;
                self.sums.insert(seq, sum_view);
                if let Some((first, tokens)) = prompt {
                    if first != self.prompt_first {
                        self.prompt_first = first;
                        self.prompt_tokens = 0;
                    }
                    self.prompt_tokens += tokens;
                }
                if is_counted {
                    return self.step(None).map(Some);
                }
                Ok(None)
            }
            What::Change(ref rows) => {
                for (seq, saved) in rows {
                    *self.saved.entry(*seq).or_default() += saved;
                }
                self.saved_now = self.saved_of_raw();
                self.step(Some(moment.id)).map(Some)
            }
            What::Event { live_id } => {
                if live_id <= self.live_id || self.seq == 0 {
                    return Ok(None);
                }
                self.live_id = live_id;
                let waiting = self.waiting.split_off(&(live_id + 1));
                for (_, node) in std::mem::replace(&mut self.waiting, waiting) {
                    self.place(node);
                }
                self.saved_now = self.saved_of_raw();
                self.step(Some(moment.id)).map(Some)
            }
        }
    }

    /// Puts a node that has become live where it belongs; under a deeper one it changes nothing.
    fn place(&mut self, node: &'a SpanRow) {
        let before = self.frontier.range(..=node.first).next_back();
        if before.is_some_and(|(_, other)| other.last >= node.last && other.depth > node.depth) {
            return;
        }
        let covered: Vec<i64> = self
            .frontier
            .range(node.first..=node.last)
            .map(|(first, _)| *first)
            .collect();
        for first in covered {
            self.frontier.remove(&first);
        }
        self.frontier.insert(node.first, node);
    }

    fn step(&self, event: Option<i64>) -> Result<CurveStep, StoreError> {
        let covered: i64 = self
            .frontier
            .values()
            .map(|node| self.sum_at(node.last) - self.sum_at(node.first - 1))
            .sum();

        let nodes: i64 = self.frontier.values().map(|node| node.tokens).sum();
        Ok(CurveStep {
            seq: to_seq(self.seq)?,
            tokens: Tokens::new(to_count(
                self.prompt_tokens + nodes + self.sum_view - covered - self.saved_now,
            )),
            event: event.map(EventId::new),
        })
    }

    /// Adds up what clears and recounts save on rows that no summary covers.
    fn saved_of_raw(&self) -> i64 {
        let is_raw = |seq: i64| {
            let before = self.frontier.range(..=seq).next_back();
            before.is_none_or(|(_, node)| node.last < seq)
        };
        let raw = self.saved.iter().filter(|(seq, _)| is_raw(**seq));
        raw.map(|(_, saved)| saved).sum()
    }

    fn sum_at(&self, seq: i64) -> i64 {
        self.sums.get(&seq).copied().unwrap_or(0)
    }
}
