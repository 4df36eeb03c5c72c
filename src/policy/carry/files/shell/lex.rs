//! The words of a shell line: quotes, redirections and here-documents.

/// A file that a command writes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Output {
    pub(super) path: String,
    pub(super) is_appended: bool,
}

/// One command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) words: Vec<String>,
    pub(super) outputs: Vec<Output>,
    /// The text of its here-document.
    pub(super) here: Option<String>,
}

/// What the next word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Word,
    Written,
    Appended,
    /// The word that ends a here-document.
    Here,
    /// The name of a file that is read.
    Input,
}

struct Lexer {
    steps: Vec<Step>,
    step: Step,
    word: String,
    has_word: bool,
    next: Next,
    /// The words that end here-documents of the line, with the step each belongs to.
    heres: Vec<String>,
}

/// Parts a script into commands.
pub(super) fn steps(script: &str) -> Vec<Step> {
    let mut lexer = Lexer {
        steps: Vec::new(),
        step: Step::default(),
        word: String::new(),
        has_word: false,
        next: Next::Word,
        heres: Vec::new(),
    };
    let mut rest = script;
    while let Some(letter) = rest.chars().next() {
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        rest = lexer.read(letter, rest);
    }
    lexer.end_step();
    lexer.steps
}

impl Lexer {
    /// Reads one character and returns what is left behind it.
    fn read<'s>(&mut self, letter: char, rest: &'s str) -> &'s str {
        match letter {
            '\'' => return self.quote(rest, '\''),
            '"' => return self.quote(rest, '"'),
            '\\' => {
                let mut letters = rest.chars();
                if let Some(escaped) = letters.next().filter(|escaped| *escaped != '\n') {
                    self.word.push(escaped);
                    self.has_word = true;
                }
                return letters.as_str();
            }
            '\n' => {
                self.end_step();
                return self.here_documents(rest);
            }
            ';' | '|' => self.end_step(),
            '&' if self.word.is_empty() && rest.starts_with('>') => {}
            '&' if self.next == Next::Word => self.end_step(),
            '>' => return self.output(rest),
            '<' => return self.input(rest),
            '#' if self.word.is_empty() => {
                let end = rest.find('\n').unwrap_or(rest.len());
                return rest.get(end..).unwrap_or_default();
            }
            _ if letter.is_whitespace() => self.end_word(),
            _ => {
                self.word.push(letter);
                self.has_word = true;
            }
        }
        rest
    }

    fn quote<'s>(&mut self, rest: &'s str, close: char) -> &'s str {
        self.has_word = true;
        let mut letters = rest.chars();
        while let Some(letter) = letters.next() {
            match letter {
                _ if letter == close => break,
                '\\' if close == '"' => self.word.extend(letters.next()),
                _ => self.word.push(letter),
            }
        }
        letters.as_str()
    }

    fn output<'s>(&mut self, rest: &'s str) -> &'s str {
        // A number before it names a stream: `2>`.
        if self.word.chars().all(|digit| digit.is_ascii_digit()) {
            self.word.clear();
            self.has_word = false;
        }
        self.end_word();
        if self.compares() {
            return rest;
        }
        let (is_appended, rest) = match rest.strip_prefix('>') {
            Some(rest) => (true, rest),
            None => (false, rest.strip_prefix('|').unwrap_or(rest)),
        };
        self.next = if is_appended {
            Next::Appended
        } else {
            Next::Written
        };
        // Another stream, no file.
        if let Some(stream) = rest.strip_prefix('&') {
            self.next = Next::Input;
            return stream;
        }
        rest
    }

    /// Says whether the command is a condition, in which `>` compares.
    fn compares(&self) -> bool {
        let opens = |word: &String| word == "[[" || word.starts_with("((");
        let closes = |word: &String| word == "]]" || word.ends_with("))");
        self.step.words.iter().any(opens) && !self.step.words.iter().any(closes)
    }

    fn input<'s>(&mut self, rest: &'s str) -> &'s str {
        self.end_word();
        if let Some(rest) = rest.strip_prefix("<<") {
            self.next = Next::Input;
            return rest;
        }
        if let Some(rest) = rest.strip_prefix('<') {
            self.next = Next::Here;
            return rest.strip_prefix('-').unwrap_or(rest);
        }
        self.next = Next::Input;
        rest
    }

    fn end_word(&mut self) {
        if !self.has_word {
            return;
        }
        let word = std::mem::take(&mut self.word);
        self.has_word = false;
        match std::mem::replace(&mut self.next, Next::Word) {
            Next::Word => self.step.words.push(word),
            Next::Written | Next::Appended if word.is_empty() => {}
            Next::Written => self.step.outputs.push(Output {
                path: word,
                is_appended: false,
            }),
            Next::Appended => self.step.outputs.push(Output {
                path: word,
                is_appended: true,
            }),
            Next::Here => self.heres.push(word),
            Next::Input => {}
        }
    }

    fn end_step(&mut self) {
        self.end_word();
        self.next = Next::Word;
        let step = std::mem::take(&mut self.step);
        if !step.words.is_empty() || !step.outputs.is_empty() {
            self.steps.push(step);
        }
    }

    /// Takes the here-documents that begin on the next line: their text is no command.
    fn here_documents<'s>(&mut self, mut rest: &'s str) -> &'s str {
        for end in std::mem::take(&mut self.heres) {
            let mut text = String::new();
            loop {
                let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
                let is_last = rest.is_empty();
                rest = after;
                if is_last || line.trim() == end {
                    break;
                }
                text.push_str(line);
                text.push('\n');
            }
            if let Some(step) = self.steps.last_mut() {
                step.here = Some(text);
            }
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_compares_writes_nothing() {
        for script in [
            "if [[ $a > b ]]; then",
            "[[ a > b ]]",
            "(( a > b ))",
            "while ((a > b)); do",
        ] {
            let outputs: Vec<Output> = steps(script)
                .into_iter()
                .flat_map(|step| step.outputs)
                .collect();
            assert_eq!(outputs, [], "{script}");
        }
        let written = steps("[[ a > b ]] && x > c; (x) > d");
        let outputs = written.iter().flat_map(|step| &step.outputs);
        assert_eq!(
            outputs
                .map(|output| output.path.as_str())
                .collect::<Vec<_>>(),
            ["c", "d"]
        );
    }
}
