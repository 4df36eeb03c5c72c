//! Literals of a regular expression. Owns what every match of it holds word for word.
//! May not understand all of one: what it does not know promises nothing.

/// Returns, for each alternative, texts that every match of it holds; empty where nothing is
/// certain.
pub(super) fn certain(expression: &str) -> Vec<Vec<String>> {
    read(expression).unwrap_or_default()
}

/// Returns the longest certain text of each alternative; empty where one has none.
pub(super) fn pieces(expression: &str) -> Vec<String> {
    let longest = |texts: Vec<String>| texts.into_iter().max_by_key(|text| longest_run(text));
    let pieces: Option<Vec<String>> = certain(expression).into_iter().map(longest).collect();
    pieces.unwrap_or_default()
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|c: char| !c.is_alphanumeric());
    runs.map(str::len).max().unwrap_or_default()
}

/// Texts of one alternative; the last one is still being read.
#[derive(Default)]
struct Alternative {
    whole: Vec<String>,
    open: String,
}

impl Alternative {
    fn close(&mut self) {
        if !self.open.is_empty() {
            self.whole.push(std::mem::take(&mut self.open));
        }
    }

    fn end(mut self) -> Vec<String> {
        self.close();
        self.whole
    }
}

/// Reads an expression from left to right; none where it holds a sign that is not known here.
fn read(expression: &str) -> Option<Vec<Vec<String>>> {
    let mut alternatives = Vec::new();
    let mut now = Alternative::default();
    let mut rest = expression.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next()? {
                // A letter by its number.
                'x' | 'u' | 'U' => return None,
                class @ ('p' | 'P' | 'b') => {
                    now.close();
                    let after = rest.as_str();
                    if after.starts_with('{') {
                        rest = after.split_once('}')?.1.chars();
                    } else if class != 'b' {
                        rest.next()?;
                    }
                }
                class if class.is_alphanumeric() => now.close(),
                sign => now.open.push(sign),
            },
            '[' => {
                now.close();
                skip_class(&mut rest)?;
            }
            '(' => {
                now.close();
                skip_group(&mut rest)?;
            }
            ')' => return None,
            '|' => alternatives.push(std::mem::take(&mut now).end()),
            '?' | '*' | '{' => {
                // The character before it may be absent.
                now.open.pop();
                now.close();
                if c == '{' {
                    rest = rest.as_str().split_once('}')?.1.chars();
                }
            }
            '+' | '.' | '^' | '$' => now.close(),
            _ => now.open.push(c),
        }
    }
    alternatives.push(now.end());
    Some(alternatives)
}

/// Skips a class behind its bracket.
fn skip_class(rest: &mut std::str::Chars<'_>) -> Option<()> {
    let mut depth = 1;
    // A closing bracket that comes first is a character of the class.
    if rest.as_str().starts_with('^') {
        rest.next();
    }
    if rest.as_str().starts_with(']') {
        rest.next();
    }
    while depth > 0 {
        match rest.next()? {
            '\\' => {
                rest.next()?;
            }
            '[' => {
                depth += 1;
                if rest.as_str().starts_with('^') {
                    rest.next();
                }
                if rest.as_str().starts_with(']') {
                    rest.next();
                }
            }
            ']' => depth -= 1,
            _ => {}
        }
    }
    Some(())
}

/// Skips a group behind its bracket; none if it sets flags, which change how all is read.
fn skip_group(rest: &mut std::str::Chars<'_>) -> Option<()> {
    let mut depth = 1;
    refuse_flags(rest)?;
    while depth > 0 {
        match rest.next()? {
            '\\' => {
                rest.next()?;
            }
            '[' => skip_class(rest)?,
            '(' => {
                refuse_flags(rest)?;
                depth += 1;
            }
            ')' => depth -= 1,
            _ => {}
        }
    }
    Some(())
}

fn refuse_flags(rest: &std::str::Chars<'_>) -> Option<()> {
    let inside = rest.as_str();
    let is_plain = !inside.starts_with('?')
        || ["?:", "?P<", "?<"]
            .iter()
            .any(|head| inside.starts_with(head));
    is_plain.then_some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{certain, pieces};
    use crate::policy::pattern::regular::compile;

    #[track_caller]
    fn check_certain(expression: &str, want: &[&[&str]]) {
        assert_eq!(certain(expression), want, "{expression}");
    }

    #[test]
    fn what_every_match_holds_is_certain() {
        check_certain("connection refused", &[&["connection refused"]]);
        check_certain("err(or)?\\d+ in ma?in", &[&["err", " in m", "in"]]);
        check_certain("foo.*bar|baz", &[&["foo", "bar"], &["baz"]]);
        check_certain("a[b]c|]d", &[&["a", "c"], &["]d"]]);
        check_certain("x[]a]y[^]b]z[[:alpha:]c]w", &[&["x", "y", "z", "w"]]);
        check_certain("\\w+\\.rs:\\d{2}", &[&[".rs:"]]);
        check_certain("oak{0,2}e+lm", &[&["oa", "e", "lm"]]);
        check_certain("\\bx\\b{start}y\\p{Greek}z\\pLw", &[&["x", "y", "z", "w"]]);
        check_certain("(a|(b)\\))c", &[&["c"]]);
        check_certain("(?:a)b(?P<n>c)d", &[&["b", "d"]]);
        check_certain("a|", &[&["a"], &[]]);
        for unknown in [
            "\\x41bc",
            "\\u0041bc",
            "(?x)a b # c",
            "a(?i)bc",
            "((?x) a)bc",
            "a)b",
        ] {
            check_certain(unknown, &[]);
        }
    }

    #[test]
    fn one_alternative_without_a_text_leaves_nothing_certain() {
        assert_eq!(pieces("oak.elm, larch|\\d+x"), ["elm, larch", "x"]);
        assert_eq!(pieces("oak|\\d+"), Vec::<String>::new());
        assert_eq!(pieces("(?i)oak"), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn every_match_holds_the_certain_texts_of_an_alternative(
            expression in "([ab1 .]|[ab][?*+]|\\(a|b\\)|\\(a\\|b\\)[?*]?|\\[ab\\]|\\\\[.dwb]|\\||a\\{0,2\\}){1,8}",
            text in "[abAB1 .]{0,24}",
        ) {
            let Ok(regex) = compile(&expression) else {
                return Ok(());
            };
            let found = certain(&expression);
            for place in regex.find_iter(&text) {
                let place = place.as_str().to_lowercase();
                let holds = |texts: &Vec<String>| texts.iter().all(|text| place.contains(text.as_str()));
                prop_assert!(found.is_empty() || found.iter().any(holds), "{expression} in {place:?}");
            }
        }
    }
}
