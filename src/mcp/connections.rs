//! Connections of an HTTP server. Owns how many there may be, and how long one is kept on which
//! nothing is answered: whoever asks for nothing whole takes no place from others for long.
//! May not know HTTP.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};

/// Connections at a time at most: fewer than the files that a process may have open where that is
/// fewest (256), so that the store can still be opened. More wait to be let in.
const CONNECTIONS: usize = 200;
/// How long a connection is kept on which nothing is written. A stream of events is written to every
/// 15 seconds.
const QUIET: Duration = Duration::from_mins(1);

/// How a client begins HTTP/2, which no client of this protocol speaks without TLS.
const PREFACE: &[u8] = b"PRI * HTTP/2";

/// A listener that lets in a bounded number, and for a bounded time.
pub(super) struct Bounded {
    listener: TcpListener,
    room: Arc<Semaphore>,
    quiet: Duration,
}

impl Bounded {
    pub(super) fn new(listener: TcpListener) -> Self {
        Self::with(listener, CONNECTIONS, QUIET)
    }

    fn with(listener: TcpListener, n_connections: usize, quiet: Duration) -> Self {
        Self {
            listener,
            room: Arc::new(Semaphore::new(n_connections)),
            quiet,
        }
    }
}

impl Listener for Bounded {
    type Io = Watched<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        // The semaphore is never closed, so room comes in the end.
        let room = Arc::clone(&self.room).acquire_owned().await.ok();
        let (stream, address) = Listener::accept(&mut self.listener).await;
        (Watched::new(stream, self.quiet, room), address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// How many requests of a connection are being answered.
#[derive(Debug, Clone, Default)]
pub(super) struct Pulse(Arc<AtomicUsize>);

/// A request that is being answered.
pub(super) struct AtWork(Pulse);

impl Pulse {
    /// Keeps the connection until what is returned is dropped.
    pub(super) fn at_work(&self) -> AtWork {
        self.0.fetch_add(1, Ordering::Relaxed);
        AtWork(self.clone())
    }

    fn is_at_work(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Connected<IncomingStream<'_, Bounded>> for Pulse {
    fn connect_info(stream: IncomingStream<'_, Bounded>) -> Self {
        stream.io().pulse.clone()
    }
}

/// A connection that ends when nothing has been written to it for a while.
pub(super) struct Watched<S> {
    stream: S,
    pulse: Pulse,
    quiet: Duration,
    end: Pin<Box<Sleep>>,
    /// How many bytes have come of those with which HTTP/2 begins; none once another has come.
    preface: Option<usize>,
    _room: Option<OwnedSemaphorePermit>,
}

impl<S> Watched<S> {
    fn new(stream: S, quiet: Duration, room: Option<OwnedSemaphorePermit>) -> Self {
        Self {
            stream,
            pulse: Pulse::default(),
            quiet,
            end: Box::pin(sleep(quiet)),
            preface: Some(0),
            _room: room,
        }
    }

    /// Begins to wait anew.
    fn written(&mut self) {
        let end = Instant::now() + self.quiet;
        self.end.as_mut().reset(end);
    }

    /// Says whether the client begins HTTP/2: there many requests share a connection, and its signs of
    /// life are answered, so that neither bound would hold.
    fn begins_http2(&mut self, bytes: &[u8]) -> bool {
        let Some(n_before) = self.preface else {
            return false;
        };
        let expected = PREFACE.get(n_before..).unwrap_or_default();
        if bytes.len() >= expected.len() {
            self.preface = None;
            return bytes.starts_with(expected);
        }
        self.preface = expected
            .starts_with(bytes)
            .then_some(n_before + bytes.len());
        false
    }

    /// Says whether it has been quiet for too long.
    fn is_over(&mut self, context: &mut Context<'_>) -> bool {
        while self.end.as_mut().poll(context).is_ready() {
            if !self.pulse.is_at_work() {
                return true;
            }
            self.written();
        }
        false
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // First: who sends a byte now and then is quiet too.
        if self.is_over(context) {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let n_before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        let read = buffer.filled().get(n_before..).unwrap_or_default();
        if self.begins_http2(read) {
            buffer.set_filled(n_before);
            return Poll::Ready(Err(io::ErrorKind::Unsupported.into()));
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Pending if self.is_over(context) => {
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            Poll::Pending => Poll::Pending,
            Poll::Ready(written) => {
                self.written();
                Poll::Ready(written)
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::time::{advance, timeout};

    use super::*;

    const QUIET_HERE: Duration = Duration::from_secs(10);

    fn watched() -> (Watched<DuplexStream>, DuplexStream) {
        let (near, far) = duplex(16);
        (Watched::new(near, QUIET_HERE, None), far)
    }

    /// Reads for a long time while a byte comes every second; returns for how many seconds.
    async fn seconds_of_dribble(near: &mut Watched<DuplexStream>, far: &mut DuplexStream) -> u64 {
        for second in 0..100 {
            far.write_all(b"x").await.unwrap();
            if near.read_u8().await.is_err() {
                return second;
            }
            advance(Duration::from_secs(1)).await;
        }
        100
    }

    #[tokio::test(start_paused = true)]
    async fn who_never_asks_for_anything_whole_is_let_go() {
        let (mut near, mut far) = watched();
        assert_eq!(seconds_of_dribble(&mut near, &mut far).await, 10);
        let (mut near, _far) = watched();
        let error = near.read_u8().await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_answered_or_waits_for_an_answer_stays() {
        let (mut near, mut far) = watched();
        for _ in 0..5 {
            advance(Duration::from_secs(9)).await;
            near.write_all(b"y").await.unwrap();
            far.read_u8().await.unwrap();
        }
        let work = near.pulse.at_work();
        assert_eq!(seconds_of_dribble(&mut near, &mut far).await, 100);
        drop(work);
        assert!(seconds_of_dribble(&mut near, &mut far).await <= 10);
    }

    #[tokio::test(start_paused = true)]
    async fn who_does_not_read_its_answer_is_let_go() {
        let (mut near, _far) = watched();
        let error = near.write_all(&[0; 17]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn who_begins_the_second_version_is_let_go_and_others_are_not() {
        for (said, is_taken) in [
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", false),
            ("PRI * HTTP/2", false),
            ("PRI * HTTP/1.1\r\n", true),
            ("POST /mcp HTTP/1.1\r\nPRI * HTTP/2.0", true),
            ("P", true),
        ] {
            for piece in [1, 5, 100] {
                let (mut near, mut far) = watched();
                let talking = async {
                    for piece in said.as_bytes().chunks(piece) {
                        if far.write_all(piece).await.is_err() {
                            break;
                        }
                    }
                    drop(far);
                };
                let mut heard = Vec::new();
                let reading = async {
                    let read = near.read_to_end(&mut heard).await;
                    drop(near);
                    read
                };
                let (read, ()) = tokio::join!(reading, talking);
                assert_eq!(read.is_ok(), is_taken, "{said} by {piece}");
            }
        }
    }

    #[tokio::test]
    async fn one_more_waits_until_another_has_gone() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut bounded = Bounded::with(listener, 1, QUIET_HERE);
        let address = bounded.local_addr().unwrap();
        let _one = TcpStream::connect(address).await.unwrap();
        let _other = TcpStream::connect(address).await.unwrap();
        let (first, _) = bounded.accept().await;
        assert!(timeout(Duration::ZERO, bounded.accept()).await.is_err());
        drop(first);
        bounded.accept().await;
    }
}
