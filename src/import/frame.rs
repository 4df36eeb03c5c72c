//! Bytes to lines. Owns where a line begins and ends, its number, and the fingerprint of what was
//! read. May not look inside a line.

use std::io::{self, Read};

use super::prefix::{Prefix, Recheck};
use super::unpack::Text;

/// Bytes asked of the source at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// The longest line that is read whole. A longer one is passed over and reported with its number
/// and size: the largest ones known, pictures and compaction copies, are about a quarter of this.
pub(crate) const MAX_LINE_BYTES: usize = 256 * 1024 * 1024;

/// A buffer that a long line has stretched past this is given back.
const KEPT_BUFFER_BYTES: usize = 8 * 1024 * 1024;

/// What comes next in a source.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame<'a> {
    /// A line that ended with LF, without it.
    Line(Line<'a>),
    /// The rest of the source, without LF. It is not consumed: [`Framer::consume_tail`] does that.
    Tail(Line<'a>),
    /// A line too long to be held.
    Oversized {
        /// Its number, from 1.
        number: u64,
        /// Its first byte.
        offset: u64,
        /// Its size in bytes, LF not counted.
        length: u64,
    },
    /// The source ends inside a line too long to be held; nothing of it is consumed.
    OversizedTail {
        /// Its number, from 1.
        number: u64,
        /// Its first byte.
        offset: u64,
    },
}

/// One line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// Its first byte.
    pub(crate) offset: u64,
    /// Its bytes.
    pub(crate) bytes: &'a [u8],
}

/// How far a source has been consumed.
#[derive(Debug, Clone)]
pub(crate) struct Position {
    /// The first byte not consumed.
    pub(crate) offset: u64,
    /// The LFs before it.
    pub(crate) lines: u64,
    prefix: Prefix,
}

impl Position {
    /// The beginning of a source.
    pub(crate) fn start() -> Self {
        Self {
            offset: 0,
            lines: 0,
            prefix: Prefix::new(),
        }
    }

    /// Goes over the first `offset` bytes of a source, which hold `lines` LFs as an earlier reading
    /// counted, and are of these blocks. `None` if they are seen not to be.
    pub(crate) fn after(
        source: &mut Text,
        (offset, lines): (u64, u64),
        blocks: &str,
        recheck: Recheck,
    ) -> io::Result<Option<Self>> {
        // Each reading ends at another line.
        let prefix = Prefix::again(source, offset, blocks, recheck, lines)?;
        Ok(prefix.map(|prefix| Self {
            offset,
            lines,
            prefix,
        }))
    }

    /// Returns the fingerprint of all bytes before this position.
    pub(crate) fn fingerprint(&self) -> [u8; 32] {
        self.prefix.fingerprint()
    }

    /// Writes the hashes of the blocks before this position.
    pub(crate) fn blocks_text(&self) -> String {
        self.prefix.blocks_text()
    }

    fn advance(&mut self, bytes: &[u8], n_lines: u64) {
        self.prefix.update(bytes);
        self.offset += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.lines += n_lines;
    }
}

/// Cuts a source into lines, holding one line at a time.
#[derive(Debug)]
pub(crate) struct Framer<R> {
    source: R,
    position: Position,
    buffer: Vec<u8>,
    /// The first byte of the buffer that is not consumed.
    start: usize,
    /// The bytes of the buffer in which no LF is left to be found, from `start` on.
    scanned: usize,
    max_line: usize,
    is_at_end: bool,
}

impl<R: Read> Framer<R> {
    /// Goes on reading a source that stands at `position`.
    pub(crate) fn new(source: R, position: Position) -> Self {
        Self::with_max_line(source, position, MAX_LINE_BYTES)
    }

    /// As [`Framer::new`], with another longest line.
    pub(crate) fn with_max_line(source: R, position: Position, max_line: usize) -> Self {
        Self {
            source,
            position,
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            max_line,
            is_at_end: false,
        }
    }

    /// Returns how far the source has been consumed.
    pub(crate) fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the next line, or `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Frame<'_>>> {
        self.release();
        loop {
            if let Some(end) = self.find_end() {
                return Ok(Some(self.take_line(end)));
            }
            if self.pending() > self.max_line {
                return self.pass_over().map(Some);
            }
            if self.is_at_end {
                return Ok((self.pending() > 0).then(|| Frame::Tail(self.tail())));
            }
            self.fill()?;
        }
    }

    /// Consumes the first `n_bytes` of the tail that [`Framer::next`] returned.
    pub(crate) fn consume_tail(&mut self, n_bytes: usize) {
        let end = self.buffer.len().min(self.start + n_bytes);
        self.position
            .advance(self.buffer.get(self.start..end).unwrap_or_default(), 0);
        self.start = end;
        self.scanned = 0;
    }

    fn pending(&self) -> usize {
        self.buffer.len() - self.start
    }

    fn find_end(&mut self) -> Option<usize> {
        let unread = self.buffer.get(self.start + self.scanned..)?;
        let Some(at) = memchr::memchr(b'\n', unread) else {
            self.scanned = self.pending();
            return None;
        };
        Some(self.start + self.scanned + at)
    }

    fn take_line(&mut self, end: usize) -> Frame<'_> {
        let (number, offset) = (self.position.lines + 1, self.position.offset);
        let start = self.start;
        self.position
            .advance(self.buffer.get(start..=end).unwrap_or_default(), 1);
        self.start = end + 1;
        self.scanned = 0;
        Frame::Line(Line {
            number,
            offset,
            bytes: self.buffer.get(start..end).unwrap_or_default(),
        })
    }

    fn tail(&self) -> Line<'_> {
        Line {
            number: self.position.lines + 1,
            offset: self.position.offset,
            bytes: self.buffer.get(self.start..).unwrap_or_default(),
        }
    }

    /// Reads on to the end of a line that is too long, keeping nothing of it.
    fn pass_over(&mut self) -> io::Result<Frame<'_>> {
        let before = self.position.clone();
        let (number, offset) = (before.lines + 1, before.offset);
        loop {
            let found = self.find_end();
            let end = found.map_or(self.buffer.len(), |end| end + 1);
            let n_lines = u64::from(found.is_some());
            self.position.advance(
                self.buffer.get(self.start..end).unwrap_or_default(),
                n_lines,
            );
            self.start = end;
            self.scanned = 0;
            if found.is_some() {
                let length = self.position.offset - offset - 1;
                return Ok(Frame::Oversized {
                    number,
                    offset,
                    length,
                });
            }
            if self.is_at_end {
                self.position = before;
                return Ok(Frame::OversizedTail { number, offset });
            }
            self.release();
            self.fill()?;
        }
    }

    /// Forgets consumed bytes, and the room that a long line took.
    fn release(&mut self) {
        if self.start >= CHUNK_BYTES || self.start == self.buffer.len() {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        if self.buffer.capacity() > KEPT_BUFFER_BYTES && self.buffer.len() < CHUNK_BYTES {
            self.buffer.shrink_to(CHUNK_BYTES);
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        let limit = u64::try_from(CHUNK_BYTES).unwrap_or(u64::MAX);
        let n_bytes = self
            .source
            .by_ref()
            .take(limit)
            .read_to_end(&mut self.buffer)?;
        self.is_at_end = n_bytes == 0;
        Ok(())
    }
}
