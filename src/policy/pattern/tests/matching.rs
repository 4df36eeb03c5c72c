//! What patterns find.

use super::super::{DateHit, Matcher, RowText};
use super::{check_finds, dated, find, kind_of, read, row, row_of};
use crate::domain::{Depth, HitKind, Part, Visibility};

#[test]
fn operators_mean_what_they_say() {
    let texts = ["pine", "moss", "pine moss", "moss, then pine", "fern"];
    for (pattern, found) in [
        ("pine moss", vec![2, 3]),
        ("pine AND moss", vec![2, 3]),
        ("pine OR moss", vec![0, 1, 2, 3]),
        ("pine NOT moss", vec![0]),
        ("pine AND NOT moss", vec![0]),
        ("\"pine moss\"", vec![2]),
        ("(pine OR moss) NOT then", vec![0, 1, 2]),
        ("(pine OR fern) AND (moss OR fern)", vec![2, 3, 4]),
        ("pine NOT moss OR fern", vec![0, 4]),
        ("pine OR moss then", vec![0, 2, 3]),
        ("pine NOT (moss OR fern)", vec![0]),
    ] {
        let is_found = |text: &&str| find(pattern, &row(text)).is_some();
        let expected: Vec<&str> = found.iter().map(|idx| texts[*idx]).collect();
        let actual: Vec<&str> = texts.into_iter().filter(|text| is_found(text)).collect();
        assert_eq!(actual, expected, "`{pattern}`");
    }
}

#[test]
fn words_match_by_stem_and_phrases_do_not() {
    check_finds(
        "running",
        &["she runs", "run!", "a running joke"],
        &["a ruin"],
    );
    check_finds(
        "decisions",
        &["we decided... no, a decision"],
        &["indecision"],
    );
    check_finds(
        "\"running shoes\"",
        &["Running, shoes"],
        &["run shoes", "running the shoes"],
    );
    check_finds(
        "multi-agents",
        &["a multi-agent set-up"],
        &["agents, multi"],
    );
    check_finds("dying", &["to die", "it dies"], &["dye"]);
    check_finds("skies", &["the sky"], &["ski"]);
    check_finds("happy", &["happiness"], &["happen"]);
}

#[test]
fn phrases_cross_punctuation_and_lines_but_not_parts() {
    check_finds(
        "\"cedar gate\"",
        &["Cedar\n\n* gate", "cedar-gate", "the cedar (gate)"],
        &["cedar the gate", "gate cedar"],
    );
    let parts = row_of(vec![
        Part::Text {
            text: "cedar".to_owned(),
        },
        Part::Text {
            text: "gate".to_owned(),
        },
    ]);
    assert!(find("\"cedar gate\"", &parts).is_none());
    assert!(find("cedar gate", &parts).is_some());
    check_finds(
        "\"tick tick tock\"",
        &["tick tick tick tock"],
        &["tick tock tick tock"],
    );
}

#[test]
fn a_word_is_found_whatever_a_terminal_makes_of_it() {
    for pattern in ["kiln", "\"kiln is\"", "%kiln%", "/ki?ln/"] {
        let texts = [
            "the \u{1b}[31;1mkiln\u{1b}[0m is hot",
            "ki\u{1b}[1mln\u{1b}[0m is",
        ];
        check_finds(pattern, &texts, &["\u{1b}]0;kiln is\u{7}"]);
        let arguments = r#"{"text":"a ki\u001B[1mln is"}"#.to_owned();
        let call = row_of(vec![Part::ToolUse {
            call_id: "c".to_owned(),
            name: "Write".to_owned(),
            arguments,
        }]);
        assert!(find(pattern, &call).is_some(), "`{pattern}`");
    }
}

#[test]
fn prefixes_are_beginnings_of_words_as_written() {
    check_finds("runn*", &["running water"], &["run", "a drunnel"]);
    check_finds(
        "foo-ba*",
        &["foo bar", "foo_basket"],
        &["foo the bar", "bar foo"],
    );
    check_finds("用*", &["请用它"], &["请它"]);
    check_finds("getU*", &["getUserName", "getups"], &["get"]);
}

#[test]
fn substrings_are_literal_and_case_folded() {
    check_finds("%verag%", &["full COVERAGE"], &["cover age"]);
    check_finds(
        "%snake_case%",
        &["a Snake_Case_name"],
        &["snakeXcaseX", "snake case"],
    );
    check_finds("%C:\\t%", &["in c:\\temp"], &["in c:/temp"]);
    check_finds("%a%b%", &["rated A%B today"], &["rated ab"]);
    check_finds("%->%", &["a->b"], &["a > b"]);
    check_finds(
        "%foo bar%",
        &["afoo barn", "foo\nbar", "foo\tbar"],
        &["foo  bar"],
    );
    check_finds("100%", &["at 100 %", "100% done"], &["1000 runs"]);
    check_finds("%50%", &["150 left"], &["5 and 0"]);
    check_finds("pine NOT %mos%", &["pine"], &["pine, mossy"]);
}

#[test]
fn identifiers_are_found_whole_and_in_pieces() {
    let text = "call getUserName in src/lib_core.rs with HTTPServer, then push to GitHub";
    check_finds(
        "getUserName",
        &[text, "the get user name call"],
        &["get the user name"],
    );
    for pattern in [
        "getusername",
        "user",
        "name",
        "lib_core",
        "core.rs",
        "src/lib_core.rs",
        "http",
        "server",
        "httpserver",
        "github",
        "\"to github\"",
        "Github",
        "hub",
        "%username%",
    ] {
        check_finds(pattern, &[text], &["nothing of the kind"]);
    }
    check_finds("GitHub", &["on github", "GITHUB"], &["git the hub"]);
    check_finds("\"github actions\"", &["GitHub Actions"], &["git actions"]);
    check_finds("URLs", &["two urls", "a url", "the URL"], &[]);
    check_finds("sha256Sum", &["a sha256 sum"], &["sha 256 sum"]);
}

#[test]
fn scripts_without_spaces_are_found_by_character() {
    check_finds("密码", &["忘记密码了"], &["密林 代码"]);
    check_finds("码", &["忘记密码了"], &[]);
    check_finds("\"忘记密码\"", &["我忘记密码"], &["密码忘记"]);
    check_finds("京都 寺", &["京都の古い寺"], &["東京の寺"]);
    check_finds(
        "build后30",
        &["build后30个", "build-x后30"],
        &["build 30后"],
    );
    check_finds("날씨", &["서울 날씨 맑음"], &["날개"]);
    check_finds("api", &["API를 호출"], &[]);
    check_finds("ขอบคุณ", &["ขอบคุณมาก"], &["คุณ"]);
    check_finds("धन्यवाद", &["बहुत धन्यवाद"], &["धन"]);
}

#[test]
fn emoji_are_words() {
    check_finds("🔥", &["so 🔥!", "hot🔥"], &["fire"]);
    check_finds(
        "👩\u{200d}👩\u{200d}👧",
        &["the 👩\u{200d}👩\u{200d}👧 came"],
        &["👩 only"],
    );
    check_finds("%👩\u{200d}👧%", &["👩\u{200d}👧"], &[]);
    check_finds("❤", &["with ❤\u{fe0f}"], &[]);
    check_finds("👍", &["👍🏽"], &[]);
}

#[test]
fn hidden_marks_do_not_stop_a_word() {
    check_finds(
        "width",
        &[
            "zero\u{200b}width",
            "wi\u{200d}dth",
            "\u{202e}width\u{202c}",
        ],
        &[],
    );
    check_finds("zero", &["zero\u{200b}width"], &["zerowidth"]);
    check_finds("hyphenated", &["hyphen\u{ad}ated"], &[]);
    check_finds("سلام", &["قال سلام لهم", "ســلام"], &[]);
}

/// The answers that module documentation promises.
#[test]
fn folding_is_the_same_for_words_and_substrings() {
    for (pattern, text, is_found) in [
        ("café", "cafe\u{301} noir", true),
        ("cafe\u{301}", "CAFÉ", true),
        ("cafe", "café", false),
        ("resume", "résumé", false),
        ("okland", "Økland", false),
        ("strasse", "Straße", true),
        ("STRASSE", "Straße", true),
        ("istanbul", "İstanbul", true),
        ("İstanbul", "istanbul", true),
        ("irmak", "ırmak", false),
        ("full", "Ｆｕｌｌ", true),
        ("ОТВЕТ", "ответ", true),
        ("ärger", "ÄRGER", true),
        ("οδος", "ΟΔΟΣ", true),
        ("ｶﾞｽ", "ガス", true),
        ("가", "\u{1100}\u{1161}", true),
    ] {
        for pattern in [pattern.to_owned(), format!("%{pattern}%")] {
            let found = find(&pattern, &row(text)).is_some();
            assert_eq!(found, is_found, "`{pattern}` in `{text}`");
        }
    }
}

#[test]
fn stop_words_are_optional_but_count_under_operators() {
    check_finds(
        "what did we decide",
        &["decide!", "we decide"],
        &["what did we do"],
    );
    check_finds("decide NOT we", &["decide!"], &["we decide"]);
    check_finds("decide AND we", &["we decide"], &["decide!"]);
    check_finds("the we", &["we the people"], &["the people"]);
    check_finds("\"we decide\"", &["so we decide"], &["decide we"]);
}

#[test]
fn relaxed_patterns_keep_what_is_not_a_word() {
    let relaxed = |pattern: &str| Matcher::new(&read(pattern).relaxed().unwrap());
    let some = relaxed("oak elm ash");
    let row_text = row("elm and ash");
    let found = some.matches(&RowText::of(&row_text)).unwrap();
    assert_eq!((found.coverage.found, found.coverage.wanted), (2, 3));
    assert!(some.matches(&RowText::of(&row("beech"))).is_none());
    let strict = relaxed("\"red oak\" elm");
    assert!(strict.matches(&RowText::of(&row("red oak"))).is_some());
    assert!(strict.matches(&RowText::of(&row("elm"))).is_none());
    let found = strict.matches(&RowText::of(&row("red oak"))).unwrap();
    assert!(!found.coverage.is_whole());
}

#[test]
fn calls_results_and_unknown_blocks_are_searched_and_thoughts_are_not() {
    let call = row_of(vec![
        Part::Reasoning {
            text: "hidden birch".to_owned(),
            signature: None,
        },
        Part::ToolUse {
            call_id: "c1".to_owned(),
            name: "readFile".to_owned(),
            arguments: r#"{"file_path":"/srv/caf\u00e9.txt","port":8080,"deep":[{"on":true}]}"#
                .to_owned(),
        },
    ]);
    for pattern in [
        "readFile",
        "read",
        "file_path",
        "café",
        "\"port 8080\"",
        "true",
        "deep",
    ] {
        assert_eq!(
            kind_of(pattern, &call),
            Some(HitKind::ToolUse),
            "`{pattern}`"
        );
    }
    assert!(find("birch", &call).is_none());
    assert!(find("u00e9", &call).is_none());
    let broken = row_of(vec![Part::ToolUse {
        call_id: "c1".to_owned(),
        name: "run".to_owned(),
        arguments: r#"{"cmd":"cargo \ud800 test","x":"unended \"#.to_owned(),
    }]);
    assert!(find("cargo unended", &broken).is_some());
    let result = row_of(vec![Part::ToolResult {
        call_id: "c1".to_owned(),
        content: "exit code 3".to_owned(),
        is_error: true,
    }]);
    assert_eq!(kind_of("\"exit code\"", &result), Some(HitKind::ToolResult));
    let other = row_of(vec![
        Part::Opaque {
            json: r#"{"type":"search","query":"larch"}"#.to_owned(),
        },
        Part::Media {
            uri: "https://ex.org/p.png".to_owned(),
            mime: "image/png".to_owned(),
        },
    ]);
    assert_eq!(kind_of("larch", &other), Some(HitKind::Other));
    assert!(find("p.png image/png", &other).is_some());
}

#[test]
fn data_is_not_searched() {
    let run = |n: usize| "QUJD".repeat(n / 4);
    check_finds("after", &[&format!("before {} after", run(512))], &[]);
    check_finds(
        "%QUJDQUJD%",
        &[&run(508)],
        &[&run(512), &format!("x {} y", run(4_096))],
    );
    check_finds(
        "%QUJD%",
        &[],
        &["<img src=\"data:image/png;base64,QUJDQUJD\">"],
    );
    check_finds("%QUJD%", &["not a uri;base64,QUJD"], &[]);
    let media = row_of(vec![Part::Media {
        uri: "data:text/plain,secret".to_owned(),
        mime: "text/plain".to_owned(),
    }]);
    assert!(find("secret", &media).is_none());
}

#[test]
fn the_speaker_is_words_of_a_row_and_its_date_counts_beside_others() {
    let said = dated("the kiln is hot", "2026-01-02T03:04:05Z", "Ada Lovelace");
    for pattern in [
        "ada",
        "ada kiln",
        "kiln january",
        "kiln 2026",
        "2026-01-02",
        "\"2 january 2026\"",
        "kiln friday",
        "\"ada lovelace\"",
        "love*",
    ] {
        assert!(find(pattern, &said).is_some(), "`{pattern}`");
    }
    for pattern in [
        "2026",
        "january",
        "january 2026",
        "202*",
        "kiln NOT ada",
        "%lovelace%",
    ] {
        assert!(find(pattern, &said).is_none(), "`{pattern}`");
    }
    assert!(find("kiln NOT 2026", &said).is_some());
    let found = find("kiln january", &said).unwrap();
    assert_eq!(found.terms[1].date, DateHit::Word);
    let mut summary = said.clone();
    summary.depth = Some(Depth::LEAF);
    assert!(find("ada", &summary).is_none());
    assert_eq!(kind_of("kiln", &summary), Some(HitKind::Summary));
}

#[test]
fn a_match_says_where_and_how_much() {
    let mut said = row("Straße: foo_bar, then foo bar and C++ code");
    let found = find("foo_bar strasse C++", &said).unwrap();
    assert_eq!(
        found.terms.iter().map(|hit| hit.count).collect::<Vec<_>>(),
        [2, 1, 1]
    );
    assert_eq!((found.whole_forms.found, found.whole_forms.wanted), (2, 2));
    assert_eq!(found.length, 9);
    let text = RowText::of(&said);
    let shown: Vec<&str> = found
        .positions
        .iter()
        .map(|place| &text.part(place.part_idx).unwrap()[place.bytes.clone()])
        .collect();
    assert_eq!(shown, ["Straße", "foo_bar", "foo bar", "C"]);
    said.visibility = Visibility::Meta;
    assert_eq!(kind_of("strasse", &said), Some(HitKind::Meta));
}
