//! The fingerprint of what was read of a file. Owns how it grows, by blocks, and which of them are read
//! again to see that they still stand there. May not judge what they say.

use std::io::{self, Read};

use super::unpack::Text;

/// Bytes of a block: what an event of a host reads again is a few of these, however long its
/// transcript has become.
const BLOCK_BYTES: usize = 512 * 1024;
/// Bytes of a block's hash that are kept.
const HASH_BYTES: usize = 16;

/// How much of what was read before is read again, to see that the file was not written anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Recheck {
    /// All of it.
    #[default]
    Whole,
    /// The beginning, the end, and of a long file one piece between, another one each time.
    Ends,
}

type BlockHash = [u8; HASH_BYTES];

/// The fingerprint of the bytes before a place.
#[derive(Debug, Clone)]
pub(crate) struct Prefix {
    blocks: Vec<BlockHash>,
    /// What stands behind the last whole block.
    open: blake3::Hasher,
    n_open: usize,
}

impl Prefix {
    pub(crate) fn new() -> Self {
        Self {
            blocks: Vec::new(),
            open: blake3::Hasher::new(),
            n_open: 0,
        }
    }

    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let n_taken = bytes.len().min(BLOCK_BYTES - self.n_open);
            let (taken, rest) = bytes.split_at_checked(n_taken).unwrap_or((bytes, &[]));
            self.open.update(taken);
            self.n_open += taken.len();
            bytes = rest;
            if self.n_open == BLOCK_BYTES {
                self.blocks.push(short(&self.open));
                self.open.reset();
                self.n_open = 0;
            }
        }
    }

    /// Returns the hash of all: of the bytes where they fill no block, else of the blocks and the rest.
    pub(crate) fn fingerprint(&self) -> [u8; 32] {
        let open = self.open.finalize();
        if self.blocks.is_empty() {
            return *open.as_bytes();
        }
        let mut all = blake3::Hasher::new();
        for block in &self.blocks {
            all.update(block);
        }
        all.update(open.as_bytes());
        *all.finalize().as_bytes()
    }

    /// Writes the hashes of the blocks.
    pub(crate) fn blocks_text(&self) -> String {
        let mut text = String::with_capacity(2 * HASH_BYTES * self.blocks.len());
        for byte in self.blocks.iter().flatten() {
            for digit in [byte >> 4, byte & 15] {
                text.extend(char::from_digit(digit.into(), 16));
            }
        }
        text
    }

    /// Goes over the first `offset` bytes of a source whose blocks were these, `turn` counting the
    /// readings. `None` if it is shorter, if a block that is read again has changed, or if the
    /// hashes are not those of so many bytes.
    pub(crate) fn again(
        source: &mut Text,
        offset: u64,
        blocks: &str,
        recheck: Recheck,
        turn: u64,
    ) -> io::Result<Option<Self>> {
        let block_bytes = BLOCK_BYTES as u64;
        let (n_blocks, n_open) = (offset / block_bytes, offset % block_bytes);
        let Some(blocks) = read_blocks(blocks, n_blocks) else {
            return Ok(None);
        };
        for (number, known) in (0..).zip(&blocks) {
            let is_read = match recheck {
                Recheck::Whole => true,
                Recheck::Ends => [0, n_blocks - 1, turn % n_blocks].contains(&number),
            };
            let is_there = if is_read {
                short(&hash(source, block_bytes)?) == *known
            } else {
                source.skip(block_bytes)?
            };
            if !is_there {
                return Ok(None);
            }
        }
        let open = hash(source, n_open)?;
        Ok((open.count() == n_open).then(|| Self {
            blocks,
            n_open: usize::try_from(n_open).unwrap_or_default(),
            open,
        }))
    }
}

fn hash(source: &mut Text, n_bytes: u64) -> io::Result<blake3::Hasher> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(source.by_ref().take(n_bytes))?;
    Ok(hasher)
}

fn short(hasher: &blake3::Hasher) -> BlockHash {
    let mut short = BlockHash::default();
    hasher.finalize_xof().fill(&mut short);
    short
}

/// Reads the first so many hashes; there may be more, of what lies behind.
fn read_blocks(text: &str, n_blocks: u64) -> Option<Vec<BlockHash>> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|digit| u8::try_from(digit.to_digit(16)?).ok())
        .collect();
    let digits = digits?;
    let n_blocks = usize::try_from(n_blocks).ok()?;
    let blocks: Vec<BlockHash> = digits
        .chunks_exact(2 * HASH_BYTES)
        .take(n_blocks)
        .map(|digits| {
            let mut block = BlockHash::default();
            for (byte, pair) in block.iter_mut().zip(digits.chunks_exact(2)) {
                *byte = pair.iter().fold(0, |byte, digit| byte << 4 | digit);
            }
            block
        })
        .collect();
    (blocks.len() == n_blocks).then_some(blocks)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;
    use crate::import::unpack::open_text;

    const BLOCK: usize = BLOCK_BYTES;

    fn prefix_of(bytes: &[u8], piece: usize) -> Prefix {
        let mut prefix = Prefix::new();
        for piece in bytes.chunks(piece) {
            prefix.update(piece);
        }
        prefix
    }

    fn text(n_bytes: usize) -> Vec<u8> {
        let byte = |at: usize| u8::try_from((at / 7 + at / BLOCK) % 251).unwrap();
        (0..n_bytes).map(byte).collect()
    }

    /// Says whether a file with these bytes is what `read` was read from.
    fn holds(read: &[u8], now: &[u8], recheck: Recheck, turn: u64) -> bool {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("x.jsonl");
        fs::write(&path, now).unwrap();
        let known = prefix_of(read, 1_000_003);
        let offset = read.len() as u64;
        let mut source = open_text(&path).unwrap();
        let blocks = known.blocks_text();
        let again = Prefix::again(&mut source, offset, &blocks, recheck, turn).unwrap();
        let holds = again.is_some_and(|again| again.fingerprint() == known.fingerprint());
        if holds {
            let mut rest = Vec::new();
            source.read_to_end(&mut rest).unwrap();
            assert_eq!(rest, now[read.len()..], "reading goes on where it was");
        }
        holds
    }

    #[test]
    fn what_has_grown_holds_and_what_is_shorter_does_not() {
        for n_bytes in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 4 * BLOCK + 5] {
            let read = text(n_bytes);
            let longer = [&read[..], b"more"].concat();
            for recheck in [Recheck::Whole, Recheck::Ends] {
                assert!(holds(&read, &read, recheck, 0), "{n_bytes}");
                assert!(holds(&read, &longer, recheck, 1), "{n_bytes}");
                for fewer in [1, BLOCK, n_bytes] {
                    if (1..=n_bytes).contains(&fewer) {
                        let shorter = &read[..n_bytes - fewer];
                        assert!(!holds(&read, shorter, recheck, 2), "{n_bytes} - {fewer}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_short_text_has_the_hash_that_others_compute() {
        let read = text(1_000);
        let known = *blake3::hash(&read).as_bytes();
        assert_eq!(prefix_of(&read, 7).fingerprint(), known);
    }

    #[test]
    fn a_change_between_the_ends_is_seen_at_its_turn() {
        let read = text(6 * BLOCK + 9);
        for at in (0..7).map(|number| number * BLOCK + 3) {
            let mut now = read.clone();
            now[at] ^= 1;
            assert!(!holds(&read, &now, Recheck::Whole, 0), "{at}");
            let seen: Vec<u64> = (0..6)
                .filter(|turn| !holds(&read, &now, Recheck::Ends, *turn))
                .collect();
            match at / BLOCK {
                0 | 5 | 6 => assert_eq!(seen, [0, 1, 2, 3, 4, 5], "{at}"),
                number => assert_eq!(seen, [number as u64], "{at}"),
            }
        }
    }

    #[test]
    fn hashes_that_are_not_of_so_many_bytes_do_not_hold() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("x.jsonl");
        let read = text(2 * BLOCK + 1);
        fs::write(&path, &read).unwrap();
        let blocks = prefix_of(&read, BLOCK).blocks_text();
        for bad in ["", "x", &blocks[..63], &blocks.replace(|_: char| true, "é")] {
            let mut source = open_text(&path).unwrap();
            let offset = read.len() as u64;
            let again = Prefix::again(&mut source, offset, bad, Recheck::Ends, 0).unwrap();
            assert!(again.is_none(), "{bad}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// However it was read, the fingerprint is that of the bytes.
        #[test]
        fn pieces_do_not_matter(n_bytes in 0..(3 * BLOCK), piece in 1..(2 * BLOCK), at: prop::sample::Index) {
            let read = text(n_bytes);
            let whole = prefix_of(&read, 3 * BLOCK).fingerprint();
            prop_assert_eq!(prefix_of(&read, piece.max(997)).fingerprint(), whole);
            if n_bytes > 0 {
                let mut other = read;
                other[at.index(n_bytes)] ^= 1;
                prop_assert_ne!(prefix_of(&other, 3 * BLOCK).fingerprint(), whole);
            }
        }
    }
}
