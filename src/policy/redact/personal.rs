//! E-mail addresses and telephone numbers. Owns how they are written.
//! May not take a date, a version or a place in a file for one.

use std::sync::LazyLock;

use regex::Regex;

use super::Secret;

static EMAIL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}").ok()
});

/// Numbers with a country's code, with an area in parentheses, or in the groups of a country.
static PHONE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?<a>\+[0-9]{1,3}(?:[ .-]?\(?[0-9]{1,5}\)?){1,6})",
        r"|(?<b>\([0-9]{2,4}\) ?[0-9]{3,5}[ .-]?[0-9]{3,4})(?-u:\b)",
        r"|(?:^|[^0-9A-Za-z_.-]|\\[nrt])",
        r"(?<c>[0-9]{3}[.-][0-9]{3}[.-][0-9]{4}|[0-9]{2} 9?[0-9]{4}-[0-9]{4})(?-u:\b)",
    ))
    .ok()
});

/// Digits of a telephone number, by the plan that all countries share.
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 8..=15;

/// Finds e-mail addresses.
pub(super) fn emails(text: &str, found: &mut Vec<Secret>) {
    if let Some(look) = EMAIL.as_ref() {
        let addresses = look.find_iter(text);
        found.extend(addresses.map(|address| Secret::new(address.range(), "email")));
    }
}

/// Finds telephone numbers.
pub(super) fn phones(text: &str, found: &mut Vec<Secret>) {
    let Some(look) = PHONE.as_ref() else {
        return;
    };
    for groups in look.captures_iter(text) {
        let number = ["a", "b", "c"]
            .into_iter()
            .find_map(|form| groups.name(form));
        let Some(number) = number else {
            continue;
        };
        let n_digits = number.as_str().bytes().filter(u8::is_ascii_digit).count();
        if PHONE_DIGITS.contains(&n_digits) {
            found.push(Secret::new(number.range(), "phone"));
        }
    }
}
