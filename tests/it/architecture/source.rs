//! A source file cut into code, strings and comments, so that a rule looks only where it means to.
//! No parser: it knows comments, strings and characters, and keeps line ends.

/// A Rust file, whole and by kind of text. All four have the same lines.
pub(crate) struct Source {
    /// The path from the project's root, with `/`.
    pub(crate) path: String,
    /// All of it.
    pub(crate) text: String,
    /// Without comments and with empty strings.
    pub(crate) code: String,
    /// Without comments.
    pub(crate) code_and_strings: String,
    /// Comments alone.
    pub(crate) comments: String,
}

/// What the cutter is inside of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Code,
    LineComment,
    BlockComment(u32),
    Text,
    RawText(usize),
}

impl Source {
    /// Cuts `text` into its kinds.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let mut source = Self {
            path: path.to_owned(),
            text: text.to_owned(),
            code: String::new(),
            code_and_strings: String::new(),
            comments: String::new(),
        };
        let mut state = State::Code;
        let mut rest = text;
        while !rest.is_empty() {
            let (length, next) = step(state, rest, source.code.chars().next_back());
            let (piece, tail) = rest.split_at(length);
            source.put(state, next, piece);
            state = next;
            rest = tail;
        }
        source
    }

    /// Files `piece` under its kind; the others get its line ends.
    fn put(&mut self, before: State, after: State, piece: &str) {
        let is_comment = |state| matches!(state, State::LineComment | State::BlockComment(_));
        let line_ends: String = piece.chars().filter(|c| *c == '\n').collect();
        if is_comment(before) || is_comment(after) {
            self.comments.push_str(piece);
            self.code.push_str(&line_ends);
            self.code_and_strings.push_str(&line_ends);
            return;
        }
        self.comments.push_str(&line_ends);
        self.code_and_strings.push_str(piece);
        let is_code = before == State::Code && after == State::Code;
        let is_quote = before == State::Code || after == State::Code;
        self.code.push_str(match (is_code, is_quote) {
            (true, _) => piece,
            (false, true) => "\"",
            (false, false) => &line_ends,
        });
    }
}

/// Returns how many bytes to take from `rest` and the state behind them.
fn step(state: State, rest: &str, before: Option<char>) -> (usize, State) {
    let first = rest.chars().next().map_or(1, char::len_utf8);
    match state {
        State::Code => step_in_code(rest, first, before),
        State::LineComment if rest.starts_with('\n') => (1, State::Code),
        State::BlockComment(depth) if rest.starts_with("*/") => match depth {
            1 => (2, State::Code),
            _ => (2, State::BlockComment(depth - 1)),
        },
        State::BlockComment(depth) if rest.starts_with("/*") => (2, State::BlockComment(depth + 1)),
        State::Text if rest.starts_with('\\') => {
            let escaped = rest.chars().nth(1).map_or(0, char::len_utf8);
            (1 + escaped, State::Text)
        }
        State::Text if rest.starts_with('"') => (1, State::Code),
        State::RawText(hashes) if rest.starts_with(&format!("\"{}", "#".repeat(hashes))) => {
            (1 + hashes, State::Code)
        }
        _ => (first, state),
    }
}

/// The same, where `rest` starts in code.
fn step_in_code(rest: &str, first: usize, before: Option<char>) -> (usize, State) {
    if rest.starts_with("//") {
        return (2, State::LineComment);
    }
    if rest.starts_with("/*") {
        return (2, State::BlockComment(1));
    }
    if rest.starts_with('"') {
        return (1, State::Text);
    }
    let in_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if rest.starts_with('r') && (!in_word || before == Some('b')) {
        let hashes = rest[1..].bytes().take_while(|byte| *byte == b'#').count();
        if rest[1 + hashes..].starts_with('"') {
            return (2 + hashes, State::RawText(hashes));
        }
    }
    if rest.starts_with('\'') {
        return (character_length(rest).unwrap_or(1), State::Code);
    }
    (first, State::Code)
}

/// Returns the length of the character literal that `rest` starts with; `None` for a lifetime.
fn character_length(rest: &str) -> Option<usize> {
    let body = &rest[1..];
    if body.starts_with('\\') {
        return body[2..].find('\'').map(|at| at + 4);
    }
    let length = body.chars().next()?.len_utf8();
    body[length..].starts_with('\'').then_some(length + 2)
}

#[track_caller]
fn check_cut(text: &str, code: &str, comments: &str) {
    let source = Source::new("src/x.rs", text);
    assert_eq!(source.code, code, "code of {text:?}");
    assert_eq!(source.comments, comments, "comments of {text:?}");
    for kind in [&source.code, &source.code_and_strings, &source.comments] {
        assert_eq!(
            kind.matches('\n').count(),
            text.matches('\n').count(),
            "{text:?}"
        );
    }
}

#[test]
fn code_strings_and_comments_are_told_apart() {
    check_cut("a // b\nc", "a \nc", "// b\n");
    check_cut("a /* b /* c */ d */ e", "a  e", "/* b /* c */ d */");
    check_cut("f(\"a // \\\" b\"); c", "f(\"\"); c", "");
    check_cut("f(r#\"a \" // b\"#); c // d", "f(\"\"); c ", "// d");
    check_cut("f(br\"a // \\\"); c", "f(b\"\"); c", "");
    check_cut("'\"' // a", "'\"' ", "// a");
    check_cut("'\\'' // a", "'\\'' ", "// a");
    check_cut("fn f<'a>() {} // '\"", "fn f<'a>() {} ", "// '\"");
    check_cut("\"two\nlines\" // a", "\"\n\" ", "\n// a");
}

#[test]
fn strings_stay_where_a_rule_asks_for_them() {
    let source = Source::new("src/x.rs", "f(\"SELECT 1\"); // SELECT 2");
    assert_eq!(source.code_and_strings, "f(\"SELECT 1\"); ");
}
