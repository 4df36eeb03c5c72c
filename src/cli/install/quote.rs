//! Words of a shell. Owns how a path stands in a command, and how the first word is read from one.

/// Writes a word so that a shell reads it as it is.
pub(super) fn quote(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_./-+=:@%,".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Reads the first word of a command.
pub(super) fn first_word(command: &str) -> String {
    let mut word = String::new();
    let mut quoted: Option<char> = None;
    let mut letters = command.trim_start().chars();
    while let Some(letter) = letters.next() {
        match (letter, quoted) {
            (_, Some(mark)) if letter == mark => quoted = None,
            ('\'' | '"', None) => quoted = Some(letter),
            ('\\', None | Some('"')) => word.extend(letters.next()),
            (_, None) if letter.is_whitespace() => break,
            _ => word.push(letter),
        }
    }
    word
}

/// Says whether a command line calls one program and does nothing else.
pub(super) fn is_one_command(command: &str) -> bool {
    let mut quoted: Option<char> = None;
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match (letter, quoted) {
            (_, Some(mark)) if letter == mark => quoted = None,
            ('\'' | '"', None) => quoted = Some(letter),
            ('\\', None | Some('"')) => {
                letters.next();
            }
            ('`' | '$', None | Some('"')) | (';' | '|' | '&' | '<' | '>' | '\n', None) => {
                return false;
            }
            _ => {}
        }
    }
    true
}
