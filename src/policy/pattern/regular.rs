//! Regular expressions. Owns how one is compiled, and its limits.
//! May not backtrack: the engine runs in time linear in the text, whatever the expression.

use regex::{Regex, RegexBuilder};

use crate::domain::PatternError;

/// The most bytes that a compiled expression may take: large counts (`a{1000}{1000}`) take more.
const SIZE: usize = 1 << 20;

/// The deepest nesting of an expression.
const NESTING: u32 = 64;

/// Compiles an expression; letters match in either case, `^` and `$` at each line.
///
/// # Errors
/// [`PatternError`] says what is wrong with it.
pub(super) fn compile(expression: &str) -> Result<Regex, PatternError> {
    RegexBuilder::new(expression)
        .case_insensitive(true)
        .multi_line(true)
        .size_limit(SIZE)
        .dfa_size_limit(SIZE)
        .nest_limit(NESTING)
        .build()
        .map_err(|error| {
            PatternError {
            message: format!(
                "/{expression}/ is no regular expression: {}",
                reason(&error)
            ),
            hint: Some(
                "write /err(or)?\\d+/ with every bracket closed, or a %substring% to find the text \
                 as it stands"
                    .to_owned(),
            ),
        }
        })
}

/// The last line of the compiler's report, which says what is wrong; the others draw where.
fn reason(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(limit) => {
            format!("compiled it is larger than {limit} bytes")
        }
        other => {
            let report = other.to_string();
            let last = report.lines().last().unwrap_or_default();
            last.trim_start_matches("error: ").to_owned()
        }
    }
}
