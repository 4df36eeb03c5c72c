//! A message as words are looked for in it: lower case, without quotes and escapes, one space
//! between words. Owns the folding and the patterns; time is linear in the text for each pattern.

/// More of a text than this is not looked at: a message says early what it is about, and bodies
/// that echo a prompt do not.
const MOST_BYTES: usize = 64 << 10;
/// How far `…` of a pattern with numbers reaches: numbers of another sentence are not taken.
const NEAR_BYTES: usize = 160;
/// Digits of a number at most: more are an id, not a count.
const MOST_DIGITS: usize = 12;

/// A folded message.
pub(super) struct Plain(String);

/// Folds a message.
pub(super) fn plain(text: &str) -> Plain {
    let mut end = text.len().min(MOST_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let unescaped = unescape(text.get(..end).unwrap_or_default());
    let mut folded = String::with_capacity(unescaped.len());
    for letter in unescaped.chars().flat_map(char::to_lowercase) {
        match letter {
            '"' | '\'' | '`' | '\\' | '’' | '‘' | '“' | '”' => {}
            '_' => push_space(&mut folded),
            letter if letter.is_whitespace() || letter.is_control() => push_space(&mut folded),
            letter => folded.push(letter),
        }
    }
    Plain(without_thousands(folded.trim()))
}

fn push_space(folded: &mut String) {
    if !folded.ends_with(' ') {
        folded.push(' ');
    }
}

/// Reads JSON's escapes, which bodies bring along.
fn unescape(text: &str) -> String {
    let mut unescaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, from) = rest.split_at(at);
        unescaped.push_str(before);
        let (letter, length) = escaped(from);
        unescaped.push(letter);
        rest = from.get(length..).unwrap_or_default();
    }
    unescaped.push_str(rest);
    unescaped
}

/// Returns the letter that an escape stands for and the escape's length.
fn escaped(from: &str) -> (char, usize) {
    let digits = from.strip_prefix("\\u").and_then(|rest| rest.get(..4));
    if let Some(code) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
        // Half of a pair is no letter, and no words that are looked for have one.
        return (char::from_u32(code).unwrap_or(' '), 6);
    }
    match from.as_bytes().get(1) {
        Some(b'n' | b'r' | b't') => (' ', 2),
        _ => ('\\', 1),
    }
}

/// Takes the commas out of `1,048,576`.
fn without_thousands(text: &str) -> String {
    let bytes = text.as_bytes();
    let is_digit = |idx: usize| bytes.get(idx).is_some_and(u8::is_ascii_digit);
    let is_separator = |idx: usize| {
        idx > 0
            && is_digit(idx - 1)
            && (1..=3).all(|ahead| is_digit(idx + ahead))
            && !is_digit(idx + 4)
    };
    text.char_indices()
        .filter(|&(idx, letter)| letter != ',' || !is_separator(idx))
        .map(|(_, letter)| letter)
        .collect()
}

impl Plain {
    /// Says whether one of the patterns occurs. In a pattern `#` is a number and `…` anything.
    pub(super) fn has_any(&self, patterns: &[&str]) -> bool {
        patterns.iter().any(|pattern| self.has(pattern))
    }

    fn has(&self, pattern: &str) -> bool {
        let mut rest = self.0.as_str();
        pattern.split('…').all(|piece| {
            let found = find(rest, piece, &mut Vec::new());
            rest = found.and_then(|end| rest.get(end..)).unwrap_or_default();
            found.is_some()
        })
    }

    /// Says whether the text begins so.
    pub(super) fn starts_with(&self, words: &str) -> bool {
        self.0.starts_with(words)
    }

    /// Says whether there is no body: no text at all, or only the words for that.
    pub(super) fn is_bodiless(&self) -> bool {
        let said = self.0.as_str();
        let rest = said
            .strip_prefix("400")
            .or_else(|| said.strip_prefix("413"))
            .map_or(said, str::trim_start);
        let rest = rest.strip_prefix("status code").map_or(rest, str::trim);
        rest.is_empty() || rest == "(no body)"
    }

    /// Returns the status that the text begins with.
    pub(super) fn stated_status(&self) -> Option<u16> {
        let said = self.0.as_str();
        let said = ["error code: ", "http error ", "http ", "status "]
            .iter()
            .find_map(|words| said.strip_prefix(words))
            .unwrap_or(said);
        let is_alone = !said
            .as_bytes()
            .get(3)
            .is_some_and(u8::is_ascii_alphanumeric);
        let status: u16 = said.get(..3)?.parse().ok()?;
        (is_alone && (400..600).contains(&status)).then_some(status)
    }

    /// Returns the numbers of the first place where a pattern occurs, each `…` reaching no
    /// further than a sentence or two.
    pub(super) fn numbers(&self, pattern: &str) -> Option<Vec<u64>> {
        let mut pieces = pattern.split('…');
        let first = pieces.next()?;
        let others: Vec<&str> = pieces.collect();
        let mut rest = self.0.as_str();
        loop {
            let mut numbers = Vec::new();
            let end = find(rest, first, &mut numbers)?;
            rest = rest.get(end..)?;
            let mut near = near(rest);
            let are_found = others.iter().all(|piece| {
                let found = find(near, piece, &mut numbers);
                near = found.and_then(|end| near.get(end..)).unwrap_or_default();
                found.is_some()
            });
            if are_found {
                return Some(numbers);
            }
        }
    }
}

/// The stretch that one sentence may go on in.
fn near(rest: &str) -> &str {
    let mut end = rest.len().min(NEAR_BYTES);
    while !rest.is_char_boundary(end) {
        end -= 1;
    }
    rest.get(..end).unwrap_or_default()
}

/// Finds a piece of a pattern, adds its numbers and returns where it ends.
fn find(text: &str, piece: &str, numbers: &mut Vec<u64>) -> Option<usize> {
    let (before, after) = piece.split_once('#').unwrap_or((piece, ""));
    if before.len() == piece.len() {
        return text.find(piece).map(|at| at + piece.len());
    }
    let mut from = 0;
    loop {
        // A number without words before it begins where its digits do.
        let at = match before {
            "" => {
                from + text
                    .get(from..)?
                    .find(|letter: char| letter.is_ascii_digit())?
            }
            words => from + text.get(from..)?.find(words)? + words.len(),
        };
        let digits = text
            .get(at..)?
            .bytes()
            .take_while(u8::is_ascii_digit)
            .count();
        let end = at + digits;
        if (1..=MOST_DIGITS).contains(&digits) {
            let n_before = numbers.len();
            numbers.push(text.get(at..end)?.parse().ok()?);
            if let Some(length) = follows(text.get(end..)?, after, numbers) {
                return Some(end + length);
            }
            numbers.truncate(n_before);
        }
        from = end;
    }
}

/// Matches the rest of a piece right here and returns its length.
fn follows(text: &str, piece: &str, numbers: &mut Vec<u64>) -> Option<usize> {
    let (mut rest, mut length) = (text, 0);
    for (idx, words) in piece.split('#').enumerate() {
        if idx > 0 {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if !(1..=MOST_DIGITS).contains(&digits) {
                return None;
            }
            numbers.push(rest.get(..digits)?.parse().ok()?);
            rest = rest.get(digits..)?;
            length += digits;
        }
        rest = rest.strip_prefix(words)?;
        length += words.len();
    }
    Some(length)
}
