//! The search language against a real index, and the cases of hostile and foreign patterns.
//!
//! Rows are indexed by the project's own tokens in an FTS5 table with the tokenizer `ascii`; a
//! pattern is answered twice, by the matcher over all rows and by the matcher over what the index
//! proposes, and both answers must be the same.

use std::collections::BTreeMap;

use hippocamp::domain::{
    ConversationId, IndexQuery, ItemId, MessageId, Part, PatternError, Role, SearchRow, Seq, Span,
    Timestamp, Visibility,
};
use hippocamp::policy::pattern::{self, Matcher, Pattern, RowText};
use rusqlite::Connection;

pub(crate) fn row(text: &str) -> SearchRow {
    SearchRow {
        id: ItemId::Message(MessageId::new(1)),
        conversation: ConversationId::new(1),
        span: Span::new(Seq::FIRST, Seq::FIRST).unwrap(),
        role: Some(Role::User),
        visibility: Visibility::Talk,
        depth: None,
        from: None,
        to: None,
        name: None,
        model: None,
        answers: Vec::new(),
        parts: vec![Part::Text {
            text: text.to_owned(),
        }],
    }
}

/// Rows with an index over them.
pub(crate) struct Fixture {
    rows: BTreeMap<i64, (String, SearchRow)>,
    index: Connection,
}

impl Fixture {
    pub(crate) fn new<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let index = Connection::open_in_memory().unwrap();
        index
            .execute_batch(
                "CREATE VIRTUAL TABLE search_index USING fts5 \
                 (tokens, content = '', contentless_delete = 1, tokenize = 'ascii')",
            )
            .unwrap();
        let mut rows = BTreeMap::new();
        for ((name, text), id) in texts.into_iter().zip(1_i64..) {
            let row = row(text);
            let day = Timestamp::parse("2026-05-15").ok();
            index
                .execute(
                    "INSERT INTO search_index (rowid, tokens) VALUES (?1, ?2)",
                    (id, pattern::index_tokens(&row.parts, None, day)),
                )
                .unwrap();
            rows.insert(id, (name.to_owned(), row));
        }
        Self { rows, index }
    }

    /// Returns the ids that the index proposes.
    fn proposed(&self, query: &IndexQuery) -> Vec<i64> {
        let Some(text) = fts_text(query) else {
            return self.rows.keys().copied().collect();
        };
        let mut statement = self
            .index
            .prepare("SELECT rowid FROM search_index WHERE search_index MATCH ?1 ORDER BY rowid")
            .unwrap();
        let ids = statement.query_map([&text], |row| row.get(0)).unwrap();
        ids.map(|id| id.unwrap_or_else(|error| panic!("{text}: {error}")))
            .collect()
    }

    /// Answers by scan and by index, which must agree; all words first, then some.
    #[track_caller]
    pub(crate) fn find(&self, pattern: &str) -> Result<Vec<String>, PatternError> {
        let read = pattern::parse(pattern)?;
        let found = self.find_read(pattern, &read);
        match read.relaxed() {
            Some(relaxed) if found.is_empty() => Ok(self.find_read(pattern, &relaxed)),
            _ => Ok(found),
        }
    }

    #[track_caller]
    pub(crate) fn find_read(&self, pattern: &str, read: &Pattern) -> Vec<String> {
        let matcher = Matcher::new(read);
        let is_found = |id: &&i64| matcher.matches(&RowText::of(&self.rows[*id].1)).is_some();
        let scanned: Vec<i64> = self.rows.keys().filter(is_found).copied().collect();
        let proposed = self.proposed(&read.index_query());
        let by_index: Vec<i64> = proposed.iter().filter(is_found).copied().collect();
        assert_eq!(scanned, by_index, "`{pattern}` depends on the path");
        if read.is_told_by_index() {
            assert_eq!(scanned, proposed, "the index does not tell `{pattern}`");
        }
        scanned.iter().map(|id| self.rows[id].0.clone()).collect()
    }

    /// Returns the places of the rows that match, counted from 0 in the order given.
    pub(crate) fn places(&self, read: &Pattern) -> Vec<usize> {
        let matcher = Matcher::new(read);
        let rows = self.rows.values().enumerate();
        rows.filter(|(_, (_, row))| matcher.matches(&RowText::of(row)).is_some())
            .map(|(place, _)| place)
            .collect()
    }

    #[track_caller]
    fn check(&self, pattern: &str, found: &[&str]) {
        assert_eq!(self.find(pattern).unwrap(), found, "`{pattern}`");
    }
}

/// Writes a condition in the language of the index; none where it cannot narrow.
fn fts_text(query: &IndexQuery) -> Option<String> {
    let joined = |queries: &[IndexQuery], between: &str| {
        let parts: Option<Vec<String>> = queries.iter().map(fts_text).collect();
        parts.map(|parts| format!("({})", parts.join(between)))
    };
    match query {
        IndexQuery::Token(word) => Some(format!("\"{word}\"")),
        IndexQuery::Phrase(words) => Some(format!("\"{}\"", words.join(" "))),
        IndexQuery::Prefix(words) => Some(format!("\"{}\" *", words.join(" "))),
        IndexQuery::And(queries) => joined(queries, " AND "),
        IndexQuery::Or(queries) => joined(queries, " OR "),
        IndexQuery::Everything => None,
    }
}

fn garden() -> Fixture {
    Fixture::new([
        ("g01", "we can't prune in frost"),
        ("g02", "the drip-line valve sits in bed_no-7.old"),
        ("g03", "state: watered"),
        ("g04", "D++ seeds and soil::loam"),
        ("g05", "flow is 4 L/min with pump 12.30"),
        ("g06", "salt and pepper"),
        ("g07", "larch only"),
        ("g08", "spruce only"),
        ("g09", "larch spruce both"),
        ("g10", "spruce larch turned"),
        ("g11", "Do not cut hedge / before May"),
        ("g12", "70% shade"),
        ("g13", "700 shades"),
        ("g14", "raised_bed_two here"),
        ("g15", "raisedXbedXtwo here"),
        ("g16", "AND OR NOT NEAR stand here"),
        ("g17", "D:\\plans\\y and /srv/garden/map"),
        ("g18", "write to gardener@example.org; thanks"),
        ("g19", "'); DELETE FROM beds;-- was typed"),
        ("g20", "ph ok ok"),
        ("g21", "what did they plant?"),
    ])
}

#[test]
fn b105_everyday_punctuation_is_no_syntax() {
    let garden = garden();
    for (pattern, found) in [
        ("can't", "g01"),
        ("drip-line", "g02"),
        ("bed_no-7.old", "g02"),
        ("state:", "g03"),
        ("state:watered", "g03"),
        ("D++", "g04"),
        ("soil::loam", "g04"),
        ("L/min", "g05"),
        ("12.30", "g05"),
        ("pump 12.30", "g05"),
        ("valve,", "g02"),
        ("plant?", "g21"),
        ("{watered}", "g03"),
        ("^watered", "g03"),
        ("water*", "g03"),
        ("+watered", "g03"),
        ("-watered", "g03"),
        ("D:\\plans", "g17"),
        ("/srv/garden", "g17"),
        ("gardener@example.org", "g18"),
        ("'); DELETE FROM beds;--", "g19"),
    ] {
        garden.check(
            pattern,
            if pattern == "D++" {
                &["g04", "g17"]
            } else {
                std::slice::from_ref(&found)
            },
        );
    }
}

#[test]
fn b106_and_b115_operators_keep_their_meaning_on_every_path() {
    let garden = garden();
    garden.check("larch AND spruce", &["g09", "g10"]);
    garden.check("larch OR spruce", &["g07", "g08", "g09", "g10"]);
    garden.check("larch NOT spruce", &["g07"]);
    garden.check("(larch OR spruce) AND both", &["g09"]);
    garden.check("%arc% NOT %pruc%", &["g07"]);
    garden.check("%arc% AND %pruc%", &["g09", "g10"]);
    garden.check("ph AND ok", &["g20"]);
    garden.check("plant NOT did", &[]);
}

#[test]
fn b107_dangling_operators_are_errors_that_show_the_form() {
    let garden = garden();
    for pattern in [
        "NOT larch",
        "larch NOT",
        "larch AND",
        "AND larch",
        "larch OR OR spruce",
        "larch AND AND spruce",
        "larch OR NOT spruce",
    ] {
        let error = garden.find(pattern).unwrap_err();
        assert!(error.hint.unwrap().starts_with("write x "), "`{pattern}`");
    }
    for pattern in ["AND", "OR", "NOT", "NEAR"] {
        assert!(
            garden.find(pattern).unwrap().contains(&"g16".to_owned()),
            "`{pattern}`"
        );
    }
    garden.check("DO NOT CUT HEDGE /", &[]);
    assert!(
        pattern::parse("DO NOT CUT HEDGE /")
            .unwrap()
            .hint()
            .is_some()
    );
}

#[test]
fn b108_small_operators_are_words() {
    garden().check("salt and pepper", &["g06"]);
    garden().check("\"salt and pepper\"", &["g06"]);
    garden().check("\"AND OR NOT\"", &["g16"]);
}

#[test]
fn b110_phrases_keep_their_order() {
    garden().check("\"larch spruce\"", &["g09"]);
    garden().check("\"spruce larch\"", &["g10"]);
    garden().check("line-drip", &[]);
}

#[test]
fn b111_and_b114_nothing_to_search_is_an_error() {
    for pattern in [
        "", " ", "\n", "%", "%%", "%%%", "---", "...", "*", "_", "\0", "\u{200b}", "%\0%", "\"\"",
        "'", "`", "\\", "->", "/",
    ] {
        let error = garden().find(pattern).unwrap_err();
        assert!(error.hint.is_some(), "{pattern:?}");
    }
    garden().check("larch\0both", &["g09"]);
    garden().check("larch\u{200b}both", &["g09"]);
}

fn numbered(n_words: usize) -> Vec<String> {
    (0..n_words).map(|n| format!("w{n}")).collect()
}

#[test]
fn b112_and_b134_long_patterns_are_answered() {
    let garden = garden();
    let word = "larch";
    for pattern in [
        format!("{}{word}{}", "(".repeat(50), ")".repeat(50)),
        vec![word; 20_000].join(" AND "),
        vec![word; 20_000].join(" OR "),
        vec![word; 5_000].join(" NOT "),
        "\"".repeat(9_999),
        format!("%{}%", "a".repeat(60_000)),
        "a".repeat(200_000),
        "%".repeat(50_000),
        numbered(300).join(" "),
    ] {
        let error = garden.find(&pattern).unwrap_err();
        assert!(
            error.message.contains("8192")
                || error.message.contains("32")
                || error.message.contains("256")
        );
    }
    // The largest that are read, and the index takes them too.
    garden.check(&[word; 256].join(" AND "), &["g07", "g09", "g10"]);
    let mut many = numbered(255);
    many.push(word.to_owned());
    garden.check(&many.join(" OR "), &["g07", "g09", "g10"]);
    garden.check(&many.join(" AND "), &[]);
    garden.check(
        &format!("{}{word}{}", "(".repeat(32), ")".repeat(32)),
        &["g07", "g09", "g10"],
    );
    garden.check(&format!("%{}%", "a%".repeat(2_000)), &[]);
    garden.check(&"用".repeat(2_700), &[]);
    garden.check(&format!("\"{}\"", "ok ".repeat(2_700)), &[]);
}

#[test]
fn b116_to_b122_words_of_every_script_are_found() {
    let rows = [
        ("l01", "服务器重启失败，请检查日志"),
        ("l02", "先跑cfg-sync再看30条"),
        ("l03", "大阪城の桜が咲いた"),
        ("l04", "부산 바다는 푸르다"),
        ("l05", "un crème brûlée, señor"),
        ("l06", "cre\u{300}me de\u{301}compose\u{301}e"),
        ("l07", "Ærø og Gdańsk"),
        ("l08", "Добрый вечер"),
        ("l09", "ÜBUNG macht den Großmeister"),
        ("l10", "İzmir ve ılık"),
        ("l11", "صباح الخير"),
        ("l12", "בוקר טוב"),
        ("l13", "a 🎈 and family 👨\u{200d}👩\u{200d}👦"),
        ("l14", "half\u{200b}way and \u{202e}drawkcab\u{202c} text"),
        ("l15", "Ｗｉｄｅ halfway"),
        ("l16", "शुभ प्रभात"),
        ("l17", "อรุณสวัสดิ์"),
        ("l18", "ok go"),
    ];
    let fixture = Fixture::new(rows);
    for (pattern, found) in [
        ("服务器", &["l01"][..]),
        ("日志", &["l01"]),
        ("志", &["l01"]),
        ("cfg", &["l02"]),
        ("sync再", &["l02"]),
        ("cfg再看30", &["l02"]),
        ("大阪", &["l03"]),
        ("부산", &["l04"]),
        ("crème", &["l05", "l06"]),
        ("cre\u{300}me", &["l05", "l06"]),
        ("creme", &[]),
        ("Ærø", &["l07"]),
        ("gdańsk", &["l07"]),
        ("ВЕЧЕР", &["l08"]),
        ("übung", &["l09"]),
        ("grossmeister", &["l09"]),
        ("izmir", &["l10"]),
        ("الخير", &["l11"]),
        ("טוב", &["l12"]),
        ("🎈", &["l13"]),
        ("👨\u{200d}👩\u{200d}👦", &["l13"]),
        ("halfway", &["l15"]),
        ("half", &["l14"]),
        ("wide", &["l15"]),
        ("drawkcab", &["l14"]),
        ("प्रभात", &["l16"]),
        ("สวัสดิ์", &["l17"]),
        ("ok", &["l18"]),
        ("go", &["l18"]),
    ] {
        fixture.check(pattern, found);
        // Plain and fuzzy agree; a mixed word is apart in plain form only.
        if pattern != "cfg再看30" {
            let fuzzy = fixture.find(&format!("%{pattern}%")).unwrap();
            assert!(
                found.iter().all(|name| fuzzy.contains(&(*name).to_owned())),
                "%{pattern}%"
            );
        }
    }
}

#[test]
fn b128_percent_and_underscore_are_literal() {
    garden().check("70%", &["g12"]);
    garden().check("%raised_bed%", &["g14"]);
    garden().check("%HAD%", &["g12", "g13"]);
    garden().check("%shade", &["g12", "g13"]);
}
