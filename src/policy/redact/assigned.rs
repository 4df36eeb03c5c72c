//! Values that stand beside the name of a secret. Owns the names, and when a value is no word.
//! May not take a value for what it is called alone: it must look made by chance.

use std::sync::LazyLock;

use regex::Regex;

use super::Secret;
use super::families::is_stand_in;

/// Names whose values a machine makes.
const KEY_NAMES: &str = r"api[_ -]?keys?|apikey|(?:secret|access|private|encryption|signing|master|auth|account|client|session|webhook|service|deploy|license|storage|shared|bearer)[_ -]?(?:key|token|secret)|secret|token|credentials?|auth|clave secreta|chave|schlüssel|密钥|令牌|シークレット|トークン";

/// Names whose values a person makes.
const PASSWORD_NAMES: &str = r"passw(?:or)?d|passphrase|passwd|(?:^|[^\p{L}]|[a-z])pass|pwd|senha|contraseña|mot de passe|passwort|kennwort|密码|口令|パスワード";

/// What may follow a name within its word, as in `SECRET_KEY_BASE` and `API_KEY_PROD`.
const ENDING: &str = "(?:[_-](?:base|prod|production|dev|development|staging|test|live|default|value|b64|base64|v?[0-9]{1,2}))?";

/// A value behind a name: an equals sign, a colon, an arrow, a table's line, a tag's end, or a word
/// that says so. Markdown may set the name or the mark in bold.
const BETWEEN: &str = r#"(?:\\?["'`\])*~_]){0,4}\s{0,4}(?::=|:-|[=-]>|→|={1,3}|\|{1,2}|\?\?|:|>|\b(?:is|es|ist|est|é)\b\s{0,2}:?|是|は|为)[\s*~_>]{0,6}"#;

/// A value behind a name and its type: it is in quotes.
const TYPED: &str =
    r#"\s{0,2}:?\s{0,2}&?[A-Za-z][A-Za-z0-9_:.<>?&]{0,40}\s{0,2}:?=\s{0,4}(?:\\?["'`])"#;

/// A value in quotes behind a name in quotes, as in a list of arguments; or behind the name alone.
const QUOTED: &str = r#"(?:\\?["'`]\s{0,2},)?\s{0,2}\\?["'`]"#;

/// A name that is the option of a command; its value follows.
const OPTION: &str = r"--?(?:[A-Za-z0-9]{1,20}-){0,4}";

/// What may be a value, with or without quotes around it.
const VALUE: &str = r#"(?:\\?["'`])?(?<s>[^\s"'`\\<>]{8,})"#;

/// A name and a password that `curl` is given.
static USER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:^|\s)(?:-u|-U|--user|--proxy-user)[\s=]{0,2}",
        r#"["']?[^\s:"'/]{1,100}:(?<s>[^\s"']+)"#,
    ))
    .ok()
});

/// Programs that are given a name and a password so.
static CALLER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?-u:\b)(?:curl|wget|http)(?-u:\b)").ok());

/// Letters of a command before its option that are looked at for its program.
const CALL_BYTES: usize = 400;

/// A password in `.netrc`.
static NETRC: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:\bmachine\s{1,8}\S{1,100}|\bdefault)\s{1,8}login\s{1,8}\S{1,100}",
        r"\s{1,8}password\s{1,8}(?<s>\S+)",
    ))
    .ok()
});

/// A shorter value of a machine's could be a word with a number.
const LEAST_KEY: usize = 16;

/// Bits of surprise a letter that a machine's value has at least. Sixteen letters of hexadecimal
/// have more than 3 nearly always, words with numbers rarely do and are told by their pieces.
const LEAST_BITS: f64 = 2.9;

static KEYS: LazyLock<Option<Regex>> = LazyLock::new(|| looks_for(KEY_NAMES));
static PASSWORDS: LazyLock<Option<Regex>> = LazyLock::new(|| looks_for(PASSWORD_NAMES));

fn looks_for(names: &str) -> Option<Regex> {
    let name = format!("(?i:{names})(?i:{ENDING})");
    let option = format!(r#"{OPTION}{name}(?:["'],?)?\s{{1,4}}"#);
    let in_words = format!("{name}(?:(?i:{TYPED})|(?i:{BETWEEN})|{QUOTED})");
    Regex::new(&format!("(?:{option}|{in_words}){VALUE}")).ok()
}

/// Finds the values.
pub(super) fn find(text: &str, found: &mut Vec<Secret>) {
    find_by(&KEYS, text, "secret", random_length, found);
    find_by(&PASSWORDS, text, "password", password_length, found);
    find_given(text, found);
}

/// Finds passwords by where they stand alone.
fn find_given(text: &str, found: &mut Vec<Secret>) {
    let callers = CALLER.iter().flat_map(|look| look.find_iter(text));
    let callers: Vec<usize> = callers.map(|caller| caller.end()).collect();
    let users = USER.iter().flat_map(|look| look.captures_iter(text));
    let users = users.filter_map(|groups| groups.name("s"));
    let users = users.filter(|value| {
        let word = value.as_str();
        let is_password = !word.contains('/') && password_length(word).is_some();
        is_password || is_call_of_one(&callers, text, value.start())
    });
    let machines = NETRC.iter().flat_map(|look| look.captures_iter(text));
    let machines = machines.filter_map(|groups| groups.name("s"));
    let values = users.chain(machines);
    let values = values.filter(|value| !is_stand_in(value.as_str()));
    found.extend(values.map(|value| Secret::new(value.range(), "password")));
}

/// Says whether what ends at `end` is a call of a program that is given passwords: `callers` are the
/// ends of such programs' names, first to last.
fn is_call_of_one(callers: &[usize], text: &str, end: usize) -> bool {
    let n_before = callers.partition_point(|caller| *caller <= end);
    let caller = n_before.checked_sub(1).and_then(|last| callers.get(last));
    caller.is_some_and(|caller| {
        let between = text.as_bytes().get(*caller..end).unwrap_or_default();
        between.len() <= CALL_BYTES && !between.iter().any(|byte| b"|;&".contains(byte))
    })
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
        if is_stand_in(word) || is_code(word) || is_place(word) {
            continue;
        }
        if let Some(length) = secret_length(word) {
            found.push(Secret::new(value.start()..value.start() + length, kind));
        }
    }
}

/// Says whether a value is a call or a place in code: a name without digits, or a path of names,
/// before a bracket; or such a name behind a sign of code's.
fn is_code(value: &str) -> bool {
    let name = value.trim_start_matches(['(', '[', '{', '$', '&', '!', '*']);
    let is_signed = name.len() < value.len();
    let name_length = name
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_.:$->".contains(byte))
        .count();
    let (name, after) = name.split_at_checked(name_length).unwrap_or((name, ""));
    let is_name = name.contains(['.', ':']) || !name.bytes().any(|byte| byte.is_ascii_digit());
    let is_alone = after
        .trim_matches([')', ']', '}', '?', ';', ','])
        .is_empty();
    (after.starts_with(['(', '[', '{']) && is_name)
        || (is_signed && (is_alone || after.starts_with(['(', '[', '{'])) && n_changes(name) < 3)
}

/// Says whether a value is the place of a file or a page. One that holds a name, a question or a piece
/// made by chance may be a secret too.
fn is_place(value: &str) -> bool {
    if let Some((_, page)) = value.split_once("://") {
        return !page.contains(['@', '?', '#', '=']) && !has_key(page);
    }
    let is_path = value
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"/._-~@+".contains(&byte));
    let is_rooted = ["/", "./", "../", "~/"]
        .into_iter()
        .any(|root| value.starts_with(root));
    let has_ending = value.rsplit_once('/').is_some_and(|(_, file)| {
        file.rsplit_once('.').is_some_and(|(name, ending)| {
            !name.is_empty()
                && ending.len() <= 5
                && ending.starts_with(|c: char| c.is_ascii_lowercase())
        })
    });
    is_path && (is_rooted || has_ending) && !has_key(value)
}

/// Says whether a piece of a path is too long and too mixed for a name.
fn has_key(path: &str) -> bool {
    path.split(['/', '.', '_', '-', ':'])
        .any(|piece| piece.len() >= LEAST_KEY && is_by_chance(piece))
}

/// Says whether a value looks made by chance.
pub(super) fn is_by_chance(value: &str) -> bool {
    is_mixed(value) && bits_per_letter(value) >= LEAST_BITS
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
    n_changes(piece) >= 2
}

/// Counts how often letters and digits change places.
fn n_changes(piece: &str) -> usize {
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
    n_changes
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
