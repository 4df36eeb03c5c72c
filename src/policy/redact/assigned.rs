//! Values that stand beside the name of a secret. Owns the names, and when a value is no word.
//! May not take a value for what it is called alone: it must look made by chance.

use std::sync::LazyLock;

use regex::Regex;

use super::Secret;
use super::families::is_stand_in;

/// Names whose values a machine makes.
const KEY_NAMES: &str = r"api[_ -]?keys?|apikey|(?:secret|access|private|encryption|signing|master|auth|account|client|session|webhook|service|deploy|license|storage|shared|bearer)[_ -]?(?:key|token|secret)|secret|token|credentials?|auth|clave secreta|chave|schlüssel|密钥|令牌|シークレット|トークン";

/// Names whose values a person makes.
const PASSWORD_NAMES: &str = r"passw(?:or)?d|passphrase|passwd|pwd|senha|contraseña|mot de passe|passwort|kennwort|密码|口令|パスワード";

/// A value behind a name: an equals sign, a colon, an arrow, or a word that says so.
const BETWEEN: &str = r#"(?:\\?["'`\])]){0,2}\s{0,4}(?::=|=>|={1,3}|:|\bis\b|\bé\b|\bes\b|\bist\b|\best\b|是|は|为)\s{0,4}"#;

/// What may be a value, with or without quotes around it.
const VALUE: &str = r#"(?:\\?["'`])?(?<s>[^\s"'`\\<>]{8,})"#;

/// A shorter value of a machine's could be a word with a number.
const LEAST_KEY: usize = 16;

/// Bits of surprise a letter that a machine's value has at least. Sixteen letters of hexadecimal
/// have more than 3 nearly always, words with numbers rarely do and are told by their pieces.
const LEAST_BITS: f64 = 2.9;

static KEYS: LazyLock<Option<Regex>> = LazyLock::new(|| looks_for(KEY_NAMES));
static PASSWORDS: LazyLock<Option<Regex>> = LazyLock::new(|| looks_for(PASSWORD_NAMES));

fn looks_for(names: &str) -> Option<Regex> {
    Regex::new(&format!("(?i:{names})(?i:{BETWEEN}){VALUE}")).ok()
}

/// Finds the values.
pub(super) fn find(text: &str, found: &mut Vec<Secret>) {
    find_by(&KEYS, text, "secret", random_length, found);
    find_by(&PASSWORDS, text, "password", password_length, found);
}

fn find_by(
    look: &LazyLock<Option<Regex>>,
    text: &str,
    kind: &'static str,
    secret_length: fn(&str) -> Option<usize>,
    found: &mut Vec<Secret>,
) {
    let Some(look) = look.as_ref() else {
        return;
    };
    for groups in look.captures_iter(text) {
        let Some(value) = groups.name("s") else {
            continue;
        };
        let word = value
            .as_str()
            .trim_end_matches([',', ';', ')', ']', '}', '.']);
        if is_stand_in(word) || is_code(word) {
            continue;
        }
        if let Some(length) = secret_length(word) {
            found.push(Secret::new(value.start()..value.start() + length, kind));
        }
    }
}

/// Says whether a value is a call or a place in code: a name without digits, or a path of names,
/// before a bracket.
fn is_code(value: &str) -> bool {
    let name_length = value
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_.:$->".contains(byte))
        .count();
    let (name, after) = value.split_at_checked(name_length).unwrap_or((value, ""));
    let is_name = name.contains(['.', ':']) || !name.bytes().any(|byte| byte.is_ascii_digit());
    (after.starts_with(['(', '[', '{']) && is_name) || value.starts_with(['(', '[', '{', '$', '&'])
}

/// Returns the length of a value that looks made by a machine: letters and digits mixed within a
/// piece. Other letters than those of keys end it.
fn random_length(value: &str) -> Option<usize> {
    let is_keys = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=_.:~@#$%^&*!?,-".contains(byte);
    let length = value.bytes().take_while(is_keys).count();
    let value = value.get(..length)?;
    let is_random = value.len() >= LEAST_KEY
        && value
            .split(['-', '_', '.', '/', ':', '=', '&', ',', '@', '#', '%'])
            .any(is_mixed)
        && bits_per_letter(value) >= LEAST_BITS;
    is_random.then_some(length)
}

/// Says whether letters and digits change places more than once, as in no word with a number.
fn is_mixed(piece: &str) -> bool {
    let letters = piece.bytes().filter(u8::is_ascii_alphanumeric);
    let mut before = None;
    let mut n_changes = 0;
    for letter in letters {
        let is_digit = letter.is_ascii_digit();
        if before.is_some_and(|before| before != is_digit) {
            n_changes += 1;
        }
        before = Some(is_digit);
    }
    n_changes >= 2
}

/// Returns the length of a value that looks like a password: a digit, and two of small letters,
/// capitals and marks.
fn password_length(value: &str) -> Option<usize> {
    let has = |is: fn(char) -> bool| usize::from(value.chars().any(is));
    let n_sorts = has(char::is_lowercase)
        + has(char::is_uppercase)
        + has(char::is_numeric)
        + has(|letter| !letter.is_alphanumeric() && !"._-/:,=".contains(letter));
    let is_password = value.chars().nth(7).is_some() && has(char::is_numeric) == 1 && n_sorts >= 3;
    is_password.then_some(value.len())
}

/// Returns the surprise of a letter of `value`, by how often each occurs in it.
fn bits_per_letter(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    let mut n_bytes = 0_u32;
    for byte in value.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
            n_bytes += 1;
        }
    }
    let shares = counts.iter().filter(|count| **count > 0);
    shares
        .map(|count| f64::from(*count) / f64::from(n_bytes))
        .map(|share| -share * share.log2())
        .sum()
}
