//! Which rows are left uncut.

use super::super::{Matcher, parse};
use super::{row_of, text_part};
use crate::domain::{Part, SearchRow};

#[test]
fn a_row_that_cannot_match_is_left_uncut_and_no_other_is() {
    let call = |arguments: &str| {
        row_of(vec![Part::ToolUse {
            call_id: "c1".to_owned(),
            name: "Bash".to_owned(),
            arguments: arguments.to_owned(),
        }])
    };
    let text = |text: &str| row_of(vec![text_part(text)]);
    let check = |pattern: &str, row: &SearchRow, is_cut: bool| {
        let matcher = Matcher::new(&parse(pattern).unwrap());
        assert_eq!(matcher.text_of(row).is_some(), is_cut, "{pattern} {row:?}");
    };
    check(
        "%oak tree%",
        &text("an elm 🌳\u{fe0f} — “elm” ÄÖÜ 木"),
        false,
    );
    check("%oak tree%", &text("an OAK TREE"), true);
    check("%oak%", &text("ＯＡＫ"), true);
    check("%oak%", &text("o\u{ad}ak"), true);
    check("%oak%", &text("o\u{fe0f}ak"), true);
    check("%oak%", &call(r#"{"a":"\u006fak"}"#), true);
    check("%oak%", &call(r#"{"a":"\u001felm"}"#), false);
    check("%oak%", &call(r#"{"a":"o\u001b[1mak"}"#), true);
    check("%oak%", &text("o\u{1b}[1mak"), true);
    check("/o.k? larch|fir+s/", &text("a larch"), true);
    check("/o.k? larch|fir+s/", &text("an oak"), false);
    check("/o.k|firs/", &text("an elm"), true);
    check("\"oak tree\"", &text("elm"), false);
    check("2026 january", &text("elm"), true);
    let mut spoken = text("elm");
    spoken.name = Some("Oakley".to_owned());
    check("oakley", &spoken, true);
    check("%oakley%", &spoken, false);
    check("oakley OR larch", &text("elm"), true);
}
