//! Events that were sent over HTTP, kept for clients whose connection broke off. Owns how many are
//! kept and for how long. May not know what an event says, beyond that it answers.
//!
//! An event's id is its number and the random name of its stream: who knows it has been sent it.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Write};
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use rmcp::model::JsonRpcMessage;
use rmcp::transport::common::server_side_http::ServerSseMessage;
use rmcp::transport::streamable_http_server::session::{
    EventId, EventStore, EventStoreError, EventStream,
};
use thiserror::Error;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;

/// Bytes of all that is kept: the answers of a few minutes. The oldest go first.
const BYTES: usize = 16 * 1024 * 1024;
/// Streams at most, those of requests at work with them.
const STREAMS: usize = 4_096;
/// How long a stream is kept after its newest event: a client comes back within seconds, to a turn that
/// may wait for a model.
const TIME: Duration = Duration::from_mins(10);
/// What an event costs beside its text.
const EVENT_BYTES: usize = 256;

/// An event's id that leads to nothing.
#[derive(Debug, Error)]
#[error("what followed that event is not kept any more")]
struct Gone;

/// What is kept.
pub(super) struct Kept {
    logs: Mutex<Logs>,
    bounds: Bounds,
}

struct Bounds {
    bytes: usize,
    streams: usize,
    time: Duration,
}

#[derive(Default)]
struct Logs {
    by_name: HashMap<String, Log>,
    /// Their names, in the order of their newest events.
    order: VecDeque<String>,
    n_bytes: usize,
    /// The number of the next event of all: a stream that was let go and goes on has none twice.
    next: u64,
}

/// The events of one stream.
struct Log {
    /// When its newest event came.
    told: Instant,
    events: Vec<(u64, ServerSseMessage)>,
    n_bytes: usize,
    is_answered: bool,
    /// Those who came back before there was an answer.
    followers: Vec<UnboundedSender<ServerSseMessage>>,
}

impl Kept {
    pub(super) fn new() -> Self {
        Self::with(Bounds {
            bytes: BYTES,
            streams: STREAMS,
            time: TIME,
        })
    }

    fn with(bounds: Bounds) -> Self {
        Self {
            logs: Mutex::default(),
            bounds,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Logs> {
        self.logs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an event, and hands it to those who have come back for it.
    fn keep(&self, name: &str, event: &ServerSseMessage) -> EventId {
        let n_bytes = EVENT_BYTES + length(event);
        let now = Instant::now();
        let mut logs = self.lock();
        if logs.by_name.contains_key(name) {
            logs.order.retain(|known| known != name);
        } else {
            logs.by_name.insert(name.to_owned(), Log::new(now));
        }
        logs.order.push_back(name.to_owned());
        let number = logs.next;
        logs.next += 1;
        let id = format!("{number}-{name}");
        let mut event = event.clone();
        event.event_id = Some(id.clone());
        if let Some(log) = logs.by_name.get_mut(name) {
            log.add(number, event);
            log.told = now;
            log.n_bytes += n_bytes;
        }
        logs.n_bytes += n_bytes;
        logs.forget(&self.bounds, now);
        id
    }

    /// Returns what followed an event and, until the answer, what follows yet.
    fn after(&self, last: &str) -> Result<Events, Gone> {
        let (number, name) = last.split_once('-').ok_or(Gone)?;
        let number: u64 = number.parse().map_err(|_| Gone)?;
        let mut logs = self.lock();
        if number >= logs.next {
            return Err(Gone);
        }
        let log = logs.by_name.get_mut(name).ok_or(Gone)?;
        let (sender, events) = Events::channel();
        for (_, event) in log.events.iter().filter(|(at, _)| *at > number) {
            // The other end is held just below.
            let _ = sender.send(event.clone());
        }
        if !log.is_answered {
            log.followers.retain(|follower| !follower.is_closed());
            log.followers.push(sender);
        }
        Ok(events)
    }
}

impl Logs {
    /// Lets the oldest streams go that are beyond the bounds. Who follows one hears no more of it.
    fn forget(&mut self, bounds: &Bounds, now: Instant) {
        while let Some(name) = self.order.front() {
            let Some(log) = self.by_name.get(name) else {
                self.order.pop_front();
                continue;
            };
            let is_within = self.n_bytes <= bounds.bytes && self.order.len() <= bounds.streams;
            if is_within && now.duration_since(log.told) < bounds.time {
                return;
            }
            self.n_bytes = self.n_bytes.saturating_sub(log.n_bytes);
            if let Some(name) = self.order.pop_front() {
                self.by_name.remove(&name);
            }
        }
    }
}

impl Log {
    fn new(told: Instant) -> Self {
        Self {
            told,
            events: Vec::new(),
            n_bytes: 0,
            is_answered: false,
            followers: Vec::new(),
        }
    }

    fn add(&mut self, number: u64, event: ServerSseMessage) {
        self.is_answered |= matches!(
            event.message.as_deref(),
            Some(JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))
        );
        self.followers
            .retain(|follower| follower.send(event.clone()).is_ok());
        if self.is_answered {
            // Their streams end.
            self.followers.clear();
        }
        self.events.push((number, event));
    }
}

#[async_trait::async_trait]
impl EventStore for Kept {
    async fn store_event(
        &self,
        stream_id: &str,
        event: &ServerSseMessage,
    ) -> Result<EventId, EventStoreError> {
        Ok(self.keep(stream_id, event))
    }

    async fn replay_events_after(&self, last: &str) -> Result<EventStream, EventStoreError> {
        Ok(Box::pin(self.after(last)?))
    }
}

/// Events that come one after the other.
pub(super) struct Events(UnboundedReceiver<ServerSseMessage>);

impl Events {
    fn channel() -> (UnboundedSender<ServerSseMessage>, Self) {
        let (sender, receiver) = unbounded_channel();
        (sender, Self(receiver))
    }

    /// Returns a stream of one event.
    pub(super) fn one(event: ServerSseMessage) -> Self {
        let (sender, events) = Self::channel();
        // The other end is held.
        let _ = sender.send(event);
        events
    }
}

impl Stream for Events {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}

/// Returns how long an event is as text.
fn length(event: &ServerSseMessage) -> usize {
    struct Count(usize);
    impl Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    if let Some(message) = &event.message {
        // What cannot be written is not sent either.
        let _ = serde_json::to_writer(&mut count, message.as_ref());
    }
    count.0
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use proptest::prelude::*;
    use rmcp::ErrorData;
    use rmcp::model::{RequestId, ServerJsonRpcMessage};

    use super::*;

    fn answer(words: &str) -> ServerSseMessage {
        let error = ErrorData::internal_error(words.to_owned(), None);
        let id = RequestId::Number(1);
        ServerSseMessage::from_message(ServerJsonRpcMessage::error(error, Some(id)))
    }

    fn sign() -> ServerSseMessage {
        ServerSseMessage::retry(Duration::from_secs(3))
    }

    /// Reads what has come, and says whether there is an end.
    fn read(events: &mut Events) -> (Vec<String>, bool) {
        let mut context = Context::from_waker(Waker::noop());
        let mut ids = Vec::new();
        loop {
            match Pin::new(&mut *events).poll_next(&mut context) {
                Poll::Ready(Some(event)) => ids.push(event.event_id.unwrap()),
                Poll::Ready(None) => return (ids, true),
                Poll::Pending => return (ids, false),
            }
        }
    }

    fn bounds(bytes: usize, streams: usize) -> Bounds {
        Bounds {
            bytes,
            streams,
            time: Duration::from_mins(1),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_comes_back_is_told_what_it_missed_and_what_follows_up_to_the_answer() {
        let kept = Kept::new();
        let first = kept.keep("a", &sign());
        kept.keep("b", &sign());
        let second = kept.keep("a", &sign());
        let mut early = kept.after(&first).unwrap();
        assert_eq!(read(&mut early), (vec![second.clone()], false));
        let last = kept.keep("a", &answer("x"));
        assert_eq!(read(&mut early), (vec![last.clone()], true));
        let mut late = kept.after(&first).unwrap();
        assert_eq!(read(&mut late), (vec![second, last.clone()], true));
        assert_eq!(read(&mut kept.after(&last).unwrap()), (Vec::new(), true));
        let last_of_all = format!("{}-a", u64::MAX);
        for unknown in ["", "0", "0-c", "9-a", "x-a", "-1-a", &last_of_all] {
            assert!(kept.after(unknown).is_err(), "{unknown}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_old_or_too_much_goes_and_its_followers_hear_the_end() {
        let kept = Kept::with(bounds(10 * EVENT_BYTES, 3));
        let ids: Vec<_> = ["a", "b", "c"].map(|name| kept.keep(name, &sign())).into();
        let mut follower = kept.after(&ids[0]).unwrap();
        kept.keep("d", &sign());
        assert!(kept.after(&ids[0]).is_err());
        assert_eq!(read(&mut follower), (Vec::new(), true));
        assert!(kept.after(&ids[1]).is_ok());
        let huge = kept.keep("e", &answer(&"x".repeat(10 * EVENT_BYTES)));
        assert!(kept.after(&huge).is_err() && kept.after(&ids[1]).is_err());
        assert_eq!(kept.lock().n_bytes, 0);
        let old = kept.keep("f", &answer("x"));
        tokio::time::advance(Duration::from_mins(1)).await;
        let slow = kept.keep("g", &sign());
        assert!(kept.after(&old).is_err());
        // One that was let go at work is taken up again by its answer.
        tokio::time::advance(Duration::from_mins(1)).await;
        kept.keep("h", &sign());
        assert!(kept.after(&slow).is_err());
        let late = kept.keep("g", &answer("x"));
        assert_eq!(read(&mut kept.after(&slow).unwrap()), (vec![late], true));
    }

    proptest! {
        /// Whatever is kept, no more is held than the bounds say, and the count is right.
        #[test]
        fn no_more_is_held_than_may_be(steps in prop::collection::vec((0..9_u8, 0..3_000_usize), 0..60)) {
            let kept = Kept::with(bounds(8_000, 5));
            for (name, size) in steps {
                let event = if size < 300 { sign() } else { answer(&"x".repeat(size)) };
                kept.keep(&name.to_string(), &event);
                let logs = kept.lock();
                let n_bytes: usize = logs.by_name.values().map(|log| log.n_bytes).sum();
                prop_assert_eq!(logs.n_bytes, n_bytes);
                prop_assert!(n_bytes <= 8_000 && logs.by_name.len() <= 5);
                prop_assert_eq!(logs.order.len(), logs.by_name.len());
            }
        }
    }
}
