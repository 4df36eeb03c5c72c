//! Exact words: identifiers, paths, numbers.

/// Digits of a bare number that a summary may have counted itself.
const COUNTED_DIGITS: usize = 1;

/// Bytes of the longest path that systems open; each of its ends is a name, so that a longer run
/// with slashes would grow by its square.
const PATH_BYTES: usize = 4_096;

/// Returns the exact words of an item: what has the form of an identifier, a path or a number.
pub(super) fn exact(text: &str) -> Vec<String> {
    let mut found: Vec<String> = words(text)
        .flat_map(|word| {
            // A comma parts names and not the digits of a number.
            let parts = if is_number(word) {
                None
            } else {
                Some(word.split(','))
            };
            parts.map_or_else(|| vec![word], Iterator::collect)
        })
        .filter(|word| is_identifier(word) || is_telling_number(word))
        .map(str::to_lowercase)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns every form under which a source's words may be named: whole, and each of their parts.
pub(super) fn all_forms(text: &str) -> impl Iterator<Item = String> {
    words(text).flat_map(|word| {
        let lower = word.to_lowercase();
        let parts: Vec<String> = lower
            .split([
                '/', '\\', ':', '=', '@', '#', '.', ',', '(', '[', '<', '"', '\'',
            ])
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        // Every end of a path names it, as `b/c.rs` does `a/b/c.rs`, and so it does where a place in
        // the file follows it, as in `a/b/c.rs:12:let`.
        let whole = lower.contains(':').then_some(lower.as_str());
        let ends: Vec<String> = lower
            .split(':')
            .chain(whole)
            .filter(|path| path.len() <= PATH_BYTES)
            .flat_map(|path| {
                let ends = path.match_indices('/');
                let inner = ends.filter_map(|(at, _)| path.get(at + 1..));
                std::iter::once(path).chain(inner)
            })
            .filter(|end| !end.is_empty())
            .map(str::to_owned)
            .collect();
        [lower].into_iter().chain(parts).chain(ends)
    })
}

/// Returns the numbers of a source as digits alone, so that `2,400` is `2400`.
pub(super) fn digits(text: &str) -> impl Iterator<Item = String> {
    let runs = text.split(|letter: char| {
        !letter.is_ascii_digit() && !matches!(letter, '.' | ',' | ':' | '-' | '\'' | '_')
    });
    runs.flat_map(|run| {
        let whole = plain_digits(run);
        let parts = run.split(|letter: char| !letter.is_ascii_digit());
        parts.map(str::to_owned).chain([whole]).collect::<Vec<_>>()
    })
    .filter(|digits| !digits.is_empty())
}

/// Takes all but the digits away.
pub(super) fn plain_digits(number: &str) -> String {
    number.chars().filter(char::is_ascii_digit).collect()
}

/// Says whether a word is a number, with a unit or without.
pub(super) fn is_number(word: &str) -> bool {
    let bare = word.trim_start_matches(['$', '€', '£', '¥', '~', '+', '-', '<', '>', '=']);
    let digits = bare.trim_end_matches(|letter: char| letter.is_alphabetic() || letter == '%');
    let unit_letters = bare.chars().count() - digits.chars().count();
    digits.starts_with(|first: char| first.is_ascii_digit())
        && unit_letters <= 3
        && digits
            .chars()
            .all(|letter| letter.is_ascii_digit() || matches!(letter, '.' | ',' | ':' | '-' | '\''))
}

/// Returns other names of an identifier: the ends of a path, a call without its brackets.
pub(super) fn parts(name: &str) -> impl Iterator<Item = &str> {
    let bare = name.trim_end_matches("()").trim_start_matches("./");
    let last = bare.rsplit(['/', '\\']).next();
    let after_colons = bare.rsplit("::").next();
    [Some(bare), last, after_colons]
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
}

fn is_telling_number(word: &str) -> bool {
    let is_bare = word.bytes().all(|byte| byte.is_ascii_digit());
    is_number(word) && (!is_bare || word.len() > COUNTED_DIGITS)
}

fn is_identifier(word: &str) -> bool {
    if is_number(word) {
        return false;
    }
    let bytes = word.as_bytes();
    let has_digit = bytes.iter().any(u8::is_ascii_digit);
    let has_letter = bytes.iter().any(u8::is_ascii_alphabetic);
    let is_camel = bytes
        .windows(2)
        .any(|pair| matches!(pair, [left, right] if left.is_ascii_lowercase() && right.is_ascii_uppercase()));
    let has_mark = word.contains(['_', '/', '\\']) || word.contains("::") || has_extension(word);
    word.is_ascii()
        && has_letter
        && ((has_digit && bytes.len() > 3) || is_camel || (has_mark && bytes.len() > 3))
        // `and/or` and `/help` are words.
        && !(word.matches('/').count() == 1 && !has_digit && !word.contains(['_', '.', '\\']))
}

fn has_extension(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(stem, extension)| {
        stem.len() > 1
            && (1..=5).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && extension.bytes().any(|byte| byte.is_ascii_lowercase())
    })
}

/// Parts a text at blanks, brackets and quotes, without marks at either end.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| {
        letter.is_whitespace()
            || matches!(
                letter,
                '(' | ')'
                    | '['
                    | ']'
                    | '{'
                    | '}'
                    | '<'
                    | '>'
                    | '"'
                    | '\''
                    | '`'
                    | ';'
                    | '“'
                    | '”'
                    | '«'
                    | '»'
                    | '、'
                    | '，'
                    | '。'
                    | '；'
                    | '：'
                    | '「'
                    | '」'
                    | '（'
                    | '）'
                    | '|'
                    | '='
            )
            || (!letter.is_ascii()
                && letter.is_alphabetic()
                && crate::policy::language::is_unspaced(letter))
    })
    .map(|word| {
        word.trim_matches(|end: char| end.is_ascii_punctuation() && !matches!(end, '/' | '_'))
    })
    .map(|word| word.trim_end_matches('/'))
    .filter(|word| !word.is_empty())
}
