//! Packed files. Owns how a file becomes the text that was packed into it, so that all places in it
//! are places in the text. May not look at the text.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use zstd::stream::read::Decoder;

/// What every file packed by zstd begins with.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// A file's text, from a place on.
pub(crate) enum Text {
    /// The file is the text.
    Plain(File),
    /// The text is packed into it.
    Packed(Box<Decoder<'static, BufReader<File>>>),
}

impl Read for Text {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.read(buffer),
            Self::Packed(packed) => packed.read(buffer),
        }
    }
}

impl Text {
    /// Passes over so many bytes. Says whether they may be there: the end of a plain file is not
    /// looked for.
    pub(crate) fn skip(&mut self, n_bytes: u64) -> io::Result<bool> {
        match self {
            Self::Plain(file) => {
                let n_bytes = i64::try_from(n_bytes).map_err(io::Error::other)?;
                file.seek_relative(n_bytes)?;
                Ok(true)
            }
            Self::Packed(packed) => {
                let n_passed = io::copy(&mut packed.take(n_bytes), &mut io::sink())?;
                Ok(n_passed == n_bytes)
            }
        }
    }
}

/// Opens a file at the beginning of its text.
pub(crate) fn open_text(path: &Path) -> io::Result<Text> {
    let mut file = File::open(path)?;
    let mut beginning = Vec::new();
    file.by_ref().take(4).read_to_end(&mut beginning)?;
    file.seek(SeekFrom::Start(0))?;
    if beginning != MAGIC {
        return Ok(Text::Plain(file));
    }
    let packed = Decoder::with_buffer(BufReader::new(file))?;
    Ok(Text::Packed(Box::new(packed)))
}

/// Reads a small text that lies beside a transcript. `None` for one that is longer than this, and for
/// what is no file: a pipe would be waited for, a device has no end.
pub(crate) fn text_beside(path: &Path, max_bytes: u64) -> Option<String> {
    let found = fs::metadata(path).ok()?;
    let is_small = found.is_file() && found.len() <= max_bytes;
    is_small.then(|| fs::read_to_string(path).ok()).flatten()
}

/// Unpacks a text of at most so many bytes.
///
/// # Errors
/// A lower-case fragment that says why it cannot be.
pub(super) fn unpack_text(packed: &[u8], max_bytes: usize) -> Result<String, String> {
    let unpacked = zstd::bulk::decompress(packed, max_bytes);
    let bytes = unpacked.map_err(|error| format!("it cannot be unpacked: {error}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
