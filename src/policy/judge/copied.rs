//! Whether an answer repeats what it was given.

use std::collections::HashSet;

/// Letters in a row that two texts share by chance only where they quote.
const SHINGLE: usize = 24;
/// An answer with fewer different shingles is a sentence or a filler: it proves nothing.
const LEAST_SHINGLES: usize = 100;
/// The share of its shingles, in percent, from which an answer is a copy. Facts quoted one by one
/// stay well below, since each seam breaks as many shingles as a shingle has letters.
const COPY_PERCENT: usize = 90;

/// Says whether nearly all of `text` stands in one of the sources as it is.
pub(super) fn is_copy(text: &str, sources: [&str; 2]) -> bool {
    let answer = shingles(text);
    if answer.len() < LEAST_SHINGLES {
        return false;
    }
    let mut given = HashSet::new();
    for source in sources {
        given.extend(shingles(source));
    }
    let n_copied = answer.intersection(&given).count();
    n_copied * 100 >= answer.len() * COPY_PERCENT
}

/// Returns hashes of all runs of letters and digits, case and all else aside.
fn shingles(text: &str) -> HashSet<u64> {
    const BASE: u64 = 0x0100_0000_01b3;
    let letters: Vec<u64> = text
        .chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .map(|character| u64::from(u32::from(character)) + 1)
        .collect();
    let highest = (1..SHINGLE).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut found = HashSet::new();
    let mut hash = 0_u64;
    for (letter_idx, letter) in letters.iter().enumerate() {
        // A rolling hash: the oldest letter leaves, the newest enters.
        if let Some(oldest) = letter_idx
            .checked_sub(SHINGLE)
            .and_then(|at| letters.get(at))
        {
            hash = hash.wrapping_sub(oldest.wrapping_mul(highest));
        }
        hash = hash.wrapping_mul(BASE).wrapping_add(*letter);
        if letter_idx + 1 >= SHINGLE {
            found.insert(hash);
        }
    }
    found
}
