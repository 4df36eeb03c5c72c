//! Languages told apart.

use super::*;

#[track_caller]
fn check(text: &str, want: Option<Language>) {
    assert_eq!(guess(text), want, "{text}");
}

#[test]
fn a_clear_text_names_its_language() {
    check(
        "We moved the tables to the new server and then checked that all of them were there.",
        Some(Language::English),
    );
    check(
        "Movemos as tabelas para o novo servidor e depois vimos que todas elas ainda não estavam lá.",
        Some(Language::Portuguese),
    );
    check(
        "Hemos llevado las tablas al servidor y luego vimos que los datos ya no estaban en el disco.",
        Some(Language::Spanish),
    );
    check(
        "Wir haben die Tabellen auf den neuen Server gebracht und dann gesehen, dass sie nicht da sind.",
        Some(Language::German),
    );
    check(
        "Nous avons mis les tables sur le nouveau serveur et nous avons vu qu'elles ne sont pas dans la base.",
        Some(Language::French),
    );
    check(
        "我们把表移到了新服务器上，然后检查了它们是否都在那里。",
        Some(Language::Chinese),
    );
    check(
        "テーブルを新しいサーバーに移し、すべてあることを確認しました。",
        Some(Language::Japanese),
    );
    check(
        "Мы перенесли таблицы на новый сервер.",
        Some(Language::Russian),
    );
}

#[test]
fn what_is_short_or_mixed_names_none() {
    check("", None);
    check("parser.rs 404", None);
    check("use tabs", None);
    check("cargo test --lib && git push origin HEAD", None);
}

#[test]
fn a_sentence_keeps_every_language_it_may_be_in() {
    assert_eq!(candidates("日付は必ず"), [Language::Japanese]);
    assert_eq!(
        candidates("只回复 JSON，不要别的内容。"),
        [Language::Chinese]
    );
    assert!(candidates("nunca").contains(&Language::Portuguese));
    assert!(candidates("nunca").contains(&Language::Spanish));
    assert_eq!(
        candidates("Please never use the old one."),
        [Language::English]
    );
}

#[test]
fn marks_are_taken_off() {
    assert_eq!(folded("Não É Müßig, cœur"), "nao e mussig, coeur");
    assert_eq!(folded("ドキュメントで"), "ドキュメントで");
}
