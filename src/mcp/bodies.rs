//! Bodies of requests over HTTP. Owns how much of them is held at a time, of all clients together,
//! and why one is not read. May not know what a body says.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::reader::MAX_MESSAGE_BYTES;

/// Bytes up to which a body is small. Nearly all are, and none of them waits for large ones.
const SMALL: usize = 64 * 1024;
/// Bytes of small bodies at a time.
const SMALL_ROOM: usize = 16 * 1024 * 1024;
/// Bytes of the others at a time: four of the largest.
const LARGE_ROOM: usize = 4 * MAX_MESSAGE_BYTES;
/// What a request costs at least, however short its body is.
const LEAST: usize = 4 * 1024;
/// How long a body may take to find room and to arrive.
const TIME: Duration = Duration::from_secs(30);

/// Room for the bodies that are held.
pub(super) struct Bodies {
    small: Arc<Semaphore>,
    large: Arc<Semaphore>,
    time: Duration,
}

/// Room that a body takes, until the last copy of this is dropped.
#[derive(Debug, Clone)]
pub(super) struct Held {
    _room: Arc<OwnedSemaphorePermit>,
}

/// Why a body is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    /// It is longer than any message may be.
    TooLong,
    /// It did not arrive in time.
    TooLate,
    /// Others took all the room in that time.
    NoRoom,
    /// It broke off, or is not in the form that its headers announce.
    Broken,
}

impl Bodies {
    pub(super) fn new() -> Self {
        Self::with(SMALL_ROOM, LARGE_ROOM, TIME)
    }

    fn with(small: usize, large: usize, time: Duration) -> Self {
        Self {
            small: Arc::new(Semaphore::new(small)),
            large: Arc::new(Semaphore::new(large)),
            time,
        }
    }

    /// Reads a body whole once there is room for all that it may become.
    pub(super) async fn read(&self, mut body: Body) -> Result<(Bytes, Held), Unread> {
        let announced = body.size_hint().exact();
        let announced = announced.map(|n_bytes| usize::try_from(n_bytes).unwrap_or(usize::MAX));
        if announced.is_some_and(|n_bytes| n_bytes > MAX_MESSAGE_BYTES) {
            return Err(Unread::TooLong);
        }
        let n_bytes = announced.unwrap_or(MAX_MESSAGE_BYTES);
        let room = if n_bytes <= SMALL {
            &self.small
        } else {
            &self.large
        };
        let begun = tokio::time::Instant::now();
        let units = u32::try_from(n_bytes.max(LEAST)).map_err(|_| Unread::TooLong)?;
        let waiting = timeout(self.time, Arc::clone(room).acquire_many_owned(units));
        // The semaphores are never closed.
        let Ok(Ok(mut permit)) = waiting.await else {
            return Err(Unread::NoRoom);
        };
        let left = self.time.saturating_sub(begun.elapsed());
        let read = timeout(left, collect(&mut body)).await;
        let bytes = read.map_err(|_| Unread::TooLate)??;
        // What was not announced takes no more than it turned out to be.
        drop(permit.split((units as usize).saturating_sub(bytes.len().max(LEAST))));
        let held = Held {
            _room: Arc::new(permit),
        };
        Ok((bytes.into(), held))
    }
}

/// Reads to the end, or to the bound.
async fn collect(body: &mut Body) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await {
        let frame = frame.map_err(|_| Unread::Broken)?;
        let Ok(piece) = frame.into_data() else {
            // Trailers say nothing that matters here.
            continue;
        };
        if bytes.len() + piece.len() > MAX_MESSAGE_BYTES {
            return Err(Unread::TooLong);
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll};

    use futures_core::Stream;
    use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(5);

    type Piece = Result<Bytes, &'static str>;

    struct Pieces(UnboundedReceiver<Piece>);

    impl Stream for Pieces {
        type Item = Piece;

        fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Piece>> {
            self.0.poll_recv(context)
        }
    }

    /// A body that does not say how long it is.
    fn unannounced() -> (UnboundedSender<Piece>, Body) {
        let (sender, pieces) = unbounded_channel();
        (sender, Body::from_stream(Pieces(pieces)))
    }

    fn whole(n_bytes: usize) -> Body {
        Body::from(vec![b'x'; n_bytes])
    }

    /// Room for one body of each kind.
    fn bodies() -> Bodies {
        Bodies::with(SMALL, MAX_MESSAGE_BYTES, PATIENCE)
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_is_read_whole_or_refused_by_its_fault() {
        let bodies = bodies();
        for n_bytes in [0, 1, SMALL, SMALL + 1, MAX_MESSAGE_BYTES] {
            let (bytes, _) = bodies.read(whole(n_bytes)).await.unwrap();
            assert_eq!(bytes.len(), n_bytes);
        }
        let refused = bodies.read(whole(MAX_MESSAGE_BYTES + 1)).await;
        assert_eq!(refused.unwrap_err(), Unread::TooLong);
        let (sender, body) = unannounced();
        for _ in 0..2 {
            sender
                .send(Ok(vec![b'x'; MAX_MESSAGE_BYTES].into()))
                .unwrap();
        }
        assert_eq!(bodies.read(body).await.unwrap_err(), Unread::TooLong);
        let (sender, body) = unannounced();
        sender.send(Ok("{".into())).unwrap();
        assert_eq!(bodies.read(body).await.unwrap_err(), Unread::TooLate);
        sender.send(Ok("{".into())).unwrap_err();
        let (sender, body) = unannounced();
        sender.send(Err("broken")).unwrap();
        assert_eq!(bodies.read(body).await.unwrap_err(), Unread::Broken);
        assert_eq!(bodies.large.available_permits(), MAX_MESSAGE_BYTES);
        assert_eq!(bodies.small.available_permits(), SMALL);
    }

    #[tokio::test(start_paused = true)]
    async fn room_is_taken_until_the_request_is_done_and_others_wait_for_it() {
        let bodies = bodies();
        let (sender, body) = unannounced();
        sender.send(Ok(vec![b'x'; 10_000].into())).unwrap();
        drop(sender);
        let (_, held) = bodies.read(body).await.unwrap();
        let left = bodies.large.available_permits();
        assert_eq!(left, MAX_MESSAGE_BYTES - 10_000, "what it does not need");
        let copy = held.clone();
        drop(held);
        let refused = bodies.read(whole(left + 1)).await;
        assert_eq!(refused.unwrap_err(), Unread::NoRoom);
        bodies.read(whole(10)).await.unwrap();
        let waiting = bodies.read(whole(left + 1));
        let freeing = async {
            tokio::time::sleep(PATIENCE / 2).await;
            drop(copy);
        };
        let (read, ()) = tokio::join!(waiting, freeing);
        read.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn many_short_requests_are_bounded_too() {
        let bodies = bodies();
        let mut all = Vec::new();
        for _ in 0..2 * SMALL / LEAST {
            all.extend(bodies.read(whole(2)).await);
        }
        assert_eq!(all.len(), SMALL / LEAST);
    }
}
