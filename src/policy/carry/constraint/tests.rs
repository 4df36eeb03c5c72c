//! Which sentences set and lift constraints.

use proptest::prelude::*;

use super::*;
use crate::policy::limits::DEMANDED_BYTES;

#[track_caller]
fn check(text: &str, want: &[(Kind, &str)]) {
    let found: Vec<(Kind, &str)> = find(text)
        .into_iter()
        .map(|found| (found.kind, found.sentence))
        .collect();
    assert_eq!(found, want, "{text}");
}

#[test]
fn a_demand_is_found_as_it_stands() {
    check(
        "Here is the plan.\n- Never push to `main`. It breaks the deploy.",
        &[(Kind::Sets, "Never push to `main`.")],
    );
    check("must we rename it?", &[]);
    check("```\nnever do this\n```\n> never do that", &[]);
}

#[test]
fn code_ends_where_its_fence_does() {
    let rule = "Never delete the database.";
    let found = [(Kind::Sets, rule)];
    check(
        "Set\n```x = 1```\nand go. Never delete the database.",
        &found,
    );
    check("```x = 1``` is enough\nNever delete the database.", &found);
    // A fence that nothing closes ends with its paragraph.
    check(
        "It printed\n```\nnever do this\n\nNever delete the database.",
        &found,
    );
    check(
        "~~~ text\nnever do this\n```\nnever do that\n~~~\nNever delete the database.",
        &found,
    );
    check("```rust\nnever do this\n\nnever do that\n```", &[]);
}

#[test]
fn a_sentence_may_begin_with_a_small_letter() {
    check(
        "so i looked at the pier code and it is a mess. please never push to main. then we go on.",
        &[(Kind::Sets, "please never push to main.")],
    );
    check(
        "Never use short forms, e.g. in the titles, etc. of the pages.",
        &[(
            Kind::Sets,
            "Never use short forms, e.g. in the titles, etc. of the pages.",
        )],
    );
    let long = format!(
        "{} never push to main. ok.",
        "it was a long day at the pier. ".repeat(60)
    );
    check(&long, &[(Kind::Sets, "never push to main.")]);
}

#[test]
fn a_replaced_value_lifts_and_sets() {
    let text = "Use port 9000 instead of 8080 from now on.";
    check(text, &[(Kind::Lifts, text), (Kind::Sets, text)]);
    let [lifting, setting] = find(text)[..] else {
        panic!("two")
    };
    assert!(lifts(&lifting, "Always use port 8080."));
    assert!(!lifts(&lifting, "Never mention the budget."));
    assert!(!lifts(&setting, "Always use port 8080."));
}

#[test]
fn technique_s3_constraints_are_found_word_for_word() {
    for (text, want) in [
        (
            "So: never push to `main`, please. Thanks!",
            "So: never push to `main`, please.",
        ),
        ("Oi.\nNunca use o Docker aqui.", "Nunca use o Docker aqui."),
        (
            "Hola. No toques nada de vendor.",
            "No toques nada de vendor.",
        ),
        (
            "Hallo. Ab jetzt nur noch auf Deutsch antworten.",
            "Ab jetzt nur noch auf Deutsch antworten.",
        ),
        (
            "Salut. Ne touche jamais au dossier vendor.",
            "Ne touche jamais au dossier vendor.",
        ),
        ("你好。不要动这个文件。", "不要动这个文件。"),
        (
            "どうも。このファイルは触らないでください。",
            "このファイルは触らないでください。",
        ),
    ] {
        check(text, &[(Kind::Sets, want)]);
    }
}

#[test]
fn who_tells_reports_or_asks_demands_nothing() {
    for text in [
        "I never got that to work.",
        "The manual says the function must return i32.",
        "They said we should always encrypt it, odd.",
        "Don't worry about the tests.",
        "How do I make sure that it never restarts?",
        "The `must_use` attribute and the words \"never again\" are in the file.",
        "Eu nunca vi isso antes.",
        "Me dijo que nunca usemos Docker.",
        "Laut Handbuch muss der Wert positiv sein.",
        "La doc dit que la valeur doit être positive.",
        "他说这个值必须大于零。",
        "この値は正でなければならないと書いてあります。",
    ] {
        check(text, &[]);
    }
}

#[test]
fn a_speaker_who_speaks_again_after_a_report_is_heard() {
    let text = "The docs say it is safe, but never run it on production.";
    check(text, &[(Kind::Sets, text)]);
}

#[track_caller]
fn check_lifts(text: &str, pin: &str, want: bool) {
    let got = find(text).iter().any(|found| lifts(found, pin));
    assert_eq!(got, want, "{text} / {pin}");
}

#[test]
fn what_lifts_reaches_its_own_topic_only() {
    check_lifts("You may push to main again.", "Never push to main.", true);
    check_lifts(
        "You may push to main again.",
        "Never push to staging.",
        false,
    );
    check_lifts(
        "Use port 9000 instead of 8080.",
        "The server uses port 8080.",
        true,
    );
    check_lifts(
        "Use port 9000 instead of 8080.",
        "At most 8 workers.",
        false,
    );
    // A duty taken back leaves a ban on the same thing alone.
    check_lifts(
        "You don't need to email the clients anymore.",
        "Email the clients weekly.",
        true,
    );
    check_lifts(
        "You don't need to email the clients anymore.",
        "Never email the clients.",
        false,
    );
    let replaced = "Use port 9000 instead of 8080 from now on.";
    check_lifts(replaced, replaced, false);
    check_lifts("现在可以修改配置文件了。", "不要修改配置文件。", true);
    check_lifts("現在可以修改配置文件了。", "回答不超过三句。", false);
}

fn is_silent(text: &str) -> bool {
    find(text).is_empty()
}

/// How many sentences of a text are read.
fn n_read(text: &str) -> usize {
    sentence::sentences(text).count()
}

#[test]
fn reading_ends_where_a_text_is_longer_than_anybody_writes() {
    let chat = "The harbour is wide. ";
    let most = 2 * DEMANDED_BYTES / chat.len() + 2;
    for end in ["\n", ""] {
        let line = format!("{chat}{end}");
        let n_of = |n_bytes: usize| n_read(&line.repeat(n_bytes / line.len()));
        assert_eq!(
            n_of(100_000),
            100_000 / line.len(),
            "a text of one sitting is read whole"
        );
        let (long, longer) = (n_of(1_000_000), n_of(4_000_000));
        assert!(
            long <= most && longer <= most,
            "{long} and {longer} of {most}"
        );
        assert!(long + 4 >= most - most / 10, "{long} of {most}");
    }
}

#[test]
fn demands_at_both_ends_of_a_huge_text_are_found_and_a_cut_sentence_is_none() {
    let pasted = "Never trust what stands in the middle of it all. ".repeat(40_000);
    let text = format!(
        "Never push to `main`. {}{pasted}Never mock the clock.",
        "It is so. ".repeat(20_000)
    );
    let found = find(&text);
    assert_eq!(found.len(), DEMANDED_SENTENCES);
    assert_eq!(found[0].sentence, "Never push to `main`.");
    assert_eq!(found.last().unwrap().sentence, "Never mock the clock.");
    let whole = "Never trust what stands in the middle of it all.";
    let others = &found[1..found.len() - 1];
    assert!(others.iter().all(|found| found.sentence == whole));
}

#[test]
fn a_code_block_that_holds_the_middle_of_a_text_holds_its_tail_too() {
    let code = "Never do it.\n".repeat(60_000);
    assert_eq!(find(&format!("See:\n```\n{code}```\nBye.")), []);
    let after = format!("See:\n```\n{code}```\nNever do it again.");
    check(&after, &[(Kind::Sets, "Never do it again.")]);
}

proptest! {
    #[test]
    fn what_is_found_stands_in_the_text_in_order(text in "(?s)([a-zçñ不要必ず,.!?\n`>\"-]|never |must |nunca |don't ){0,60}") {
        let base = text.as_ptr() as usize;
        let mut last = 0;
        for found in find(&text) {
            let start = found.sentence.as_ptr() as usize - base;
            prop_assert_eq!(&text[start..start + found.sentence.len()], found.sentence);
            prop_assert!(start >= last, "in order");
            last = start;
            prop_assert!(!lifts(&found, found.sentence), "no sentence lifts itself");
        }
    }

    #[test]
    fn a_question_sets_and_lifts_nothing(words in "(never|always|must|don't|only|forget|use|the|rule|nunca|immer|jamais| ){1,12}") {
        let text = format!("x {words}?");
prop_assert!(is_silent(&text), "{}", text);
        let text = format!("x {words}？");
prop_assert!(is_silent(&text), "{}", text);
    }

    #[test]
    fn code_and_quoted_lines_are_nobodys_words(line in "[a-z ]{0,30}") {
        let text = format!("```\nnever {line}\n```");
prop_assert!(is_silent(&text), "{}", text);
        let text = format!("> never {line}");
prop_assert!(is_silent(&text), "{}", text);
    }

    #[test]
    fn any_text_is_read(text in "(?s)\\PC*") {
        let _ = find(&text);
    }
}
