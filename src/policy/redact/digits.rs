//! Numbers with check digits or a fixed form: payment cards, CPF, social security numbers.
//! May not take a number whose check digits are wrong.

use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use regex::Regex;

use super::Secret;

/// Digits of a card's number.
const CARD_DIGITS: RangeInclusive<usize> = 13..=19;

/// Digits in groups, one blank or hyphen between them.
static GROUPS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[0-9]+(?:[ -][0-9]+)*").ok());

/// A CPF, with its marks or without. In JSON the letter of `\n` may stand before it.
static CPF: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:^|[^0-9A-Za-z_]|\\[nrt])",
        r"(?<s>[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}|[0-9]{11})(?-u:\b)",
    ))
    .ok()
});

/// A social security number of the United States; it has no check digit.
static SSN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:^|[^0-9A-Za-z_]|\\[nrt])",
        r"(?<s>(?<area>[0-9]{3})-(?<group>[0-9]{2})-(?<serial>[0-9]{4}))(?-u:\b)",
    ))
    .ok()
});

/// Finds the numbers of payment cards.
pub(super) fn cards(text: &str, found: &mut Vec<Secret>) {
    let Some(look) = GROUPS.as_ref() else {
        return;
    };
    for run in look.find_iter(text) {
        let groups = groups_of(run.as_str(), run.start());
        let mut group_idx = 0;
        while group_idx < groups.len() {
            let rest = groups.get(group_idx..).unwrap_or_default();
            match card_at(rest, text) {
                Some((at, n_groups)) => {
                    found.push(Secret::new(at, "card"));
                    group_idx += n_groups;
                }
                None => group_idx += 1,
            }
        }
    }
}

fn groups_of(run: &str, start: usize) -> Vec<Range<usize>> {
    let mut at = start;
    let groups = run.split([' ', '-']).map(|group| {
        let range = at..at + group.len();
        at = range.end + 1;
        range
    });
    groups.collect()
}

/// Finds the longest card's number that begins with the first group, and of how many it is made.
fn card_at(groups: &[Range<usize>], text: &str) -> Option<(Range<usize>, usize)> {
    let start = groups.first()?.start;
    let mut digits = Vec::new();
    let mut best = None;
    for (group_idx, group) in groups.iter().enumerate() {
        if digits.len() + group.len() > *CARD_DIGITS.end() {
            break;
        }
        digits.extend(digits_of(text.get(group.clone())?));
        if CARD_DIGITS.contains(&digits.len()) && is_issued(&digits) && luhn(&digits) {
            best = Some((start..group.end, group_idx + 1));
        }
    }
    best
}

fn digits_of(text: &str) -> impl Iterator<Item = u32> {
    text.chars().filter_map(|letter| letter.to_digit(10))
}

/// Says whether the first digits are those of an issuer of cards.
fn is_issued(digits: &[u32]) -> bool {
    match digits {
        [4 | 6, ..] | [5, 0..=9, ..] | [2, 2..=7, ..] => true,
        [3, second, ..] => [0, 4, 5, 6, 7, 8, 9].contains(second),
        _ => false,
    }
}

/// Says whether the last digit is the check digit of the others.
pub(super) fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match digit * 2 {
            _ if place % 2 == 0 => *digit,
            doubled if doubled > 9 => doubled - 9,
            doubled => doubled,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Finds the numbers of persons.
pub(super) fn national_ids(text: &str, found: &mut Vec<Secret>) {
    if let Some(look) = CPF.as_ref() {
        let numbers = look
            .captures_iter(text)
            .filter_map(|groups| groups.name("s"));
        let valid =
            numbers.filter(|number| is_cpf(&digits_of(number.as_str()).collect::<Vec<_>>()));
        found.extend(valid.map(|number| Secret::new(number.range(), "national_id")));
    }
    if let Some(look) = SSN.as_ref() {
        for groups in look.captures_iter(text) {
            let part = |name| groups.name(name).map_or("", |part| part.as_str());
            let is_given = !matches!(part("area"), "000" | "666")
                && !part("area").starts_with('9')
                && part("group") != "00"
                && part("serial") != "0000";
            if let Some(number) = groups.name("s").filter(|_| is_given) {
                found.push(Secret::new(number.range(), "national_id"));
            }
        }
    }
}

/// Says whether the last two of eleven digits are the check digits of the others.
pub(super) fn is_cpf(digits: &[u32]) -> bool {
    let check_digit = |n: usize| {
        let weights = (2..=n + 1).rev();
        let weighted = digits.iter().zip(weights);
        let sum: u32 = weighted
            .map(|(digit, weight)| digit * u32::try_from(weight).unwrap_or(0))
            .sum();
        sum * 10 % 11 % 10
    };
    let is_one_digit = digits.windows(2).all(|pair| pair.first() == pair.last());
    digits.len() == 11
        && !is_one_digit
        && digits.get(9) == Some(&check_digit(9))
        && digits.get(10) == Some(&check_digit(10))
}
