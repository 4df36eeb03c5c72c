//! Shapes: what kind of exact thing a word is, by its form alone.
//! May not know what a word means.

/// What an exact word looks like. Two words of one shape can stand in each other's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Shape {
    /// Digits with a currency's sign.
    Money,
    /// A day, as digits.
    Date,
    /// A time of day.
    Clock,
    /// `1.2.3`, `v2.1`.
    Version,
    /// Any other digits, with a short unit or none.
    Number,
    /// Letters of a hash.
    Hash,
    /// A scheme and a host.
    Address,
    /// Words between slashes.
    Path,
    /// Letters with digits, underscores, or capitals inside.
    Code,
    /// A word in capitals, or with one where none is due.
    Name,
}

/// Letters that a unit right after digits may have: `30s`, `512MiB`.
const UNIT_LETTERS: usize = 3;

/// Letters of the shortest hash that people write.
const HASH_LETTERS: usize = 7;

/// Reads the shape of a word without the punctuation around it; none for plain words. Capitals at
/// the beginning are not looked at: only the sentence tells whether they are due.
pub(super) fn read(word: &str) -> Option<Shape> {
    let has_digit = word.contains(|c: char| c.is_ascii_digit());
    let has_letter = word.contains(char::is_alphabetic);
    if word.contains("://") || (word.contains('@') && word.contains('.')) {
        return Some(Shape::Address);
    }
    if has_letter && is_path(word) {
        return Some(Shape::Path);
    }
    if has_digit {
        return Some(of_digits(word, has_letter));
    }
    if is_camel(word)
        && word.starts_with(char::is_uppercase)
        && word.chars().all(char::is_alphabetic)
    {
        return Some(Shape::Name);
    }
    let is_joined = word.contains(['_', '=']) || word.contains("::") || is_camel(word);
    if is_joined || has_extension(word) {
        return Some(Shape::Code);
    }
    let is_shouted = word.chars().count() > 1 && !word.contains(char::is_lowercase);
    (is_shouted && word.contains(char::is_uppercase)).then_some(Shape::Name)
}

fn of_digits(word: &str, has_letter: bool) -> Shape {
    if word.contains(['$', '€', '£', '¥', '₹', '₽', '₩']) {
        return Shape::Money;
    }
    let runs: Vec<&str> = word
        .split(|c: char| !c.is_ascii_digit())
        .filter(|run| !run.is_empty())
        .collect();
    if !has_letter {
        let has = |separator: char| word.contains(separator);
        return match runs.as_slice() {
            [_, _] | [_, _, _] if has(':') => Shape::Clock,
            [_, _, _] if has('-') || has('/') => Shape::Date,
            [_, _, year] if has('.') && year.len() == 4 => Shape::Date,
            [_, _, _, ..] if has('.') => Shape::Version,
            _ => Shape::Number,
        };
    }
    let bare = word.trim_start_matches(['v', 'V']);
    if bare.len() < word.len() && bare.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return Shape::Version;
    }
    let is_hash = word.len() >= HASH_LETTERS
        && word
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'));
    if is_hash {
        return Shape::Hash;
    }
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ',');
    let has_unit = unit.len() < word.len()
        && unit.chars().count() <= UNIT_LETTERS
        && unit.chars().all(char::is_alphabetic);
    if has_unit { Shape::Number } else { Shape::Code }
}

/// Returns what an exact word has in common with those that can be what it has become. Codes of one
/// kind are built alike: `AB-12` and `CD-34`, but not `AB-12` and `ABC-1234`.
pub(super) fn kind(word: &str, shape: Shape) -> String {
    match shape {
        Shape::Code => build(word),
        // A hash may hold digits alone.
        Shape::Hash => format!("hash of {}", word.len()),
        Shape::Number if word.len() >= HASH_LETTERS => format!("hash of {}", word.len()),
        other => format!("{other:?}"),
    }
}

/// Writes digits as 0, capitals as A, and runs of small letters as one a.
fn build(word: &str) -> String {
    let mut built = String::with_capacity(word.len());
    for c in word.chars() {
        match c {
            _ if c.is_ascii_digit() => built.push('0'),
            _ if c.is_uppercase() => built.push('A'),
            _ if c.is_alphabetic() && built.ends_with('a') => {}
            _ if c.is_alphabetic() => built.push('a'),
            _ => built.push(c),
        }
    }
    built
}

/// Says whether slashes part names, as in `src/main.rs`; `and/or` is a path too, and does no harm.
fn is_path(word: &str) -> bool {
    let mut names = word.split(['/', '\\']);
    word.contains(['/', '\\'])
        && names.any(|name| name.contains(char::is_alphanumeric))
        && !word.ends_with("//")
}

/// Says whether a capital follows a small letter: `getUser`.
fn is_camel(word: &str) -> bool {
    let mut before_is_small = false;
    word.chars().any(|c| {
        let is_inner = before_is_small && c.is_uppercase();
        before_is_small = c.is_lowercase();
        is_inner
    })
}

/// Says whether a word looks like a file's or a host's name: `main.rs`.
fn has_extension(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(stem, extension)| {
        stem.chars().count() > 1
            && (1..=8).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
