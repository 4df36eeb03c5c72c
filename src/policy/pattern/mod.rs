//! The search language. Owns how text becomes tokens, how a pattern is read, and what matches.
//! May not reach a store or decide an order: `policy/rank` scores, the engine fetches.
//!
//! One set of rules serves rows, patterns, index and scan, so that they cannot disagree:
//!
//! - *Folding.* Text is brought to NFKC and its case is folded, so composed and decomposed accents
//!   agree, `ПРИВЕТ` finds `привет`, and full-width `Ｆｕｌｌ` is `full`. `ß` folds to `ss` (its
//!   capital form is `SS`), `ς` to `σ`, `İ` to `i`. Accents and strokes are letters of their own:
//!   `resume` does not find `résumé` and `okland` does not find `Økland`, but `strasse` finds
//!   `Straße` and `istanbul` finds `İstanbul`; dotless `ı` stays apart from `i`. Substrings
//!   (`%…%`) are looked for in the same folded text, in which every blank, control and U+200B is
//!   one blank.
//! - *Cutting.* A word is a run of letters, digits and their marks. Controls, blanks, U+200B and
//!   punctuation separate; joiners, direction marks and variation selectors vanish. Each character
//!   of a script without spaces and each emoji is a word of its own. Hangul and ASCII part. A word
//!   in `camelCase` is kept whole, and its pieces are words beside it.
//! - *Stems.* Words of ASCII letters match by one English stem, within joined words too. Phrases,
//!   prefixes and all else match unstemmed.
//! - *Searchable text* is the stored text without runs of 512 and more base64 characters and
//!   without the bodies of `data:` URIs. Thoughts are not part of it. Calls are: their name, the
//!   keys and the scalars of their arguments.
//! - *Speaker and date.* A row's speaker counts as words of it. The words of its date (`2026`, `2`,
//!   `january`, `friday`, UTC) count only beside a term that the text or the speaker has, or as a
//!   whole date (`2026-01-02`), so that a year alone does not find all of it. Dates take nothing
//!   away under `NOT`. Summaries have neither.
//!
//! - *Fields.* `name:value` asks what a row is, whatever its words: role, kind, tool, path, model,
//!   session, project, is, depth, before, after, last. A pattern of fields alone has no rank. With
//!   `kind:` of a part only parts of that kind are searched; `kind:reasoning` alone searches
//!   thoughts.
//! - *Regular expressions.* `/…/` is looked for in the text as stored, in either case, in time
//!   linear in the text.
//!
//! It is no query language of the database: no text of it is ever passed on.

mod about;
mod advice;
mod certain;
mod compile;
mod cut;
mod escapes;
mod field;
mod fold;
mod forms;
mod found;
mod index;
mod lex;
mod literal;
mod matcher;
mod narrow;
mod needle;
mod operand;
mod parse;
mod part_text;
mod probe;
mod query;
mod regular;
mod row_text;
mod searchable;
mod sieve;
mod snippet;
mod stem;
mod stop_words;
mod when;

#[cfg(test)]
pub(super) mod tests;

pub use found::{Coverage, DateHit, Ending, Match, Position, TermHit};
pub use index::{RULES_VERSION, index_tokens};
pub use matcher::Matcher;
pub use narrow::Narrowing;
pub use parse::{MAX_BYTES, MAX_GROUPS, MAX_OPERANDS, parse};
pub use query::{Pattern, Relaxation, Term, TermUse};
pub use row_text::RowText;
pub use searchable::searchable;
pub use snippet::{SNIPPET_CHARS, beginning, snippet};
pub use when::Mention;
