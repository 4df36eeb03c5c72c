//! Lines of bounded length. Owns what is kept of a line that is too long: whose request it was.
//! May not know what else a line says.

use std::io;

use rmcp::model::RequestId;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use super::whose::Whose;

/// Bytes of one message at most, on a line or in a body: more than any page or turn takes, and a
/// bound on what a client can make the server hold.
pub const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line, without its break. The last one may lack it.
    Whole(Vec<u8>),
    /// A line beyond the bound, passed over, and the id of the request that it was.
    TooLong(Option<RequestId>),
    /// There is no more.
    End,
}

/// Reads lines. A call that is dropped loses nothing: the next one goes on where it was.
pub(super) struct Lines<R> {
    source: BufReader<R>,
    line: Vec<u8>,
    max_bytes: usize,
    state: State,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    /// The line is being kept.
    Keeping,
    /// The line is too long and is being passed over.
    Skipping(Whose),
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(source: R, max_bytes: usize) -> Self {
        Self {
            source: BufReader::with_capacity(64 * 1024, source),
            line: Vec::new(),
            max_bytes,
            state: State::Keeping,
        }
    }

    /// Returns the next line.
    pub(super) async fn next(&mut self) -> io::Result<Line> {
        loop {
            // Nothing is awaited between the look at the buffer and `consume`.
            let available = self.source.fill_buf().await?;
            let n_available = available.len();
            if n_available == 0 {
                return Ok(self.last());
            }
            let end = memchr::memchr(b'\n', available);
            let piece = available.get(..end.unwrap_or(n_available));
            let piece = piece.unwrap_or_default();
            match &mut self.state {
                State::Skipping(whose) => whose.read(piece),
                State::Keeping if self.line.len() + piece.len() > self.max_bytes => {
                    let mut whose = Whose::default();
                    // The memory goes with it.
                    whose.read(&std::mem::take(&mut self.line));
                    whose.read(piece);
                    self.state = State::Skipping(whose);
                }
                State::Keeping => self.line.extend_from_slice(piece),
            }
            self.source.consume(end.map_or(n_available, |end| end + 1));
            if end.is_some() {
                return Ok(self.take());
            }
        }
    }

    fn take(&mut self) -> Line {
        let line = std::mem::take(&mut self.line);
        match std::mem::replace(&mut self.state, State::Keeping) {
            State::Keeping => Line::Whole(line),
            State::Skipping(whose) => Line::TooLong(whose.id()),
        }
    }

    fn last(&mut self) -> Line {
        if self.line.is_empty() && self.state == State::Keeping {
            return Line::End;
        }
        self.take()
    }
}
