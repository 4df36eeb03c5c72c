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
    letters(command.trim_start())
        .take_while(|letter| !matches!(letter, Letter::Bare(letter) if letter.is_whitespace()))
        .map(|letter| match letter {
            Letter::Bare(letter) | Letter::Expanded(letter) | Letter::Literal(letter) => letter,
        })
        .collect()
}

/// Says whether a command line calls one program and does nothing else.
pub(super) fn is_one_command(command: &str) -> bool {
    !letters(command).any(|letter| {
        matches!(
            letter,
            Letter::Bare(';' | '|' | '&' | '<' | '>' | '\n' | '`' | '$')
                | Letter::Expanded('`' | '$')
        )
    })
}

/// A letter of a command line, without the quotes and backslashes that say how it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Letter {
    /// It stands in no quotes, and may be more than a letter.
    Bare(char),
    /// It stands in double quotes, where variables and commands are still expanded.
    Expanded(char),
    /// It is itself.
    Literal(char),
}

/// Reads a command line as a shell does.
fn letters(command: &str) -> impl Iterator<Item = Letter> {
    let mut quoted: Option<char> = None;
    let mut rest = command.chars();
    std::iter::from_fn(move || {
        loop {
            let letter = rest.next()?;
            match (letter, quoted) {
                (_, Some(mark)) if letter == mark => quoted = None,
                ('\'' | '"', None) => quoted = Some(letter),
                ('\\', None | Some('"')) => return rest.next().map(Letter::Literal),
                (_, None) => return Some(Letter::Bare(letter)),
                (_, Some('"')) => return Some(Letter::Expanded(letter)),
                _ => return Some(Letter::Literal(letter)),
            }
        }
    })
}
