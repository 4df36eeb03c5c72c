//! No planted secret stays, and nothing else goes.

mod forms;
mod pem;
mod plain;
mod planted;

use proptest::prelude::*;
use proptest::sample::select;

use crate::domain::Redactor;

use super::*;
use planted::{card, cpf, planted};

fn all() -> Patterns {
    Patterns::of(Sort::ALL)
}

/// What may stand right before and after a secret.
fn neighbour() -> impl Strategy<Value = String> {
    select(vec![
        " ", "\n", "\t", "\"", "'", "`", "(", ")", "<", ">", "[", "]", "{", "}", ",", ";", "：",
        "密", "é ", "🦀", "\\n", "\\\"", "\u{200b}", " = ", "-> ",
    ])
    .prop_map(str::to_owned)
}

proptest! {
    #[test]
    fn technique_x3_no_planted_secret_of_any_family_survives(
        before in "[a-zà-ú ,.\n]{0,40}",
        left in neighbour(),
        (kind, secret, planted) in planted(),
        right in neighbour(),
        after in "[a-zà-ú ,.\n]{0,40}",
    ) {
        let text = format!("{before}{left}{planted}{right}{after}");
        let clean = all().redact(&text);
        prop_assert!(!clean.text.contains(&secret), "{kind} stays in {:?}", clean.text);
        prop_assert!(clean.counts.total() >= 1);
        prop_assert!(clean.text.contains(OPENING));
        // No long piece of it stays either.
        let letters: Vec<char> = secret.chars().collect();
        for piece in letters.windows(letters.len().min(12)) {
            let piece: String = piece.iter().collect();
            let is_before = format!("{before}{left}").contains(&piece);
            prop_assert!(is_before || !clean.text.contains(&piece), "`{piece}` of a {kind} stays in {:?}", clean.text);
        }
    }

    #[test]
    fn many_secrets_are_each_replaced_and_counted(
        secrets in proptest::collection::vec("glpat-[A-Za-z0-9]{20}", 1..8),
        words in "[a-z ]{1,20}",
    ) {
        let text = secrets.join(&format!(" {words} "));
        let clean = Patterns::default().redact(&text);
        prop_assert_eq!(clean.counts.total(), secrets.len() as u64);
        prop_assert!(secrets.iter().all(|secret| !clean.text.contains(secret.as_str())));
    }

    #[test]
    fn prose_is_unchanged_byte_for_byte(text in "([A-Za-zà-úÀ-Ú]{1,14}[ ,.!?\n:;()'\"-]{1,2}){0,60}") {
        let clean = Patterns::default().redact(&text);
        prop_assert_eq!(clean.text.as_ref(), text.as_str());
        prop_assert!(clean.counts.is_empty());
    }

    #[test]
    fn what_is_clean_stays_as_it_is(
        pieces in proptest::collection::vec(
            prop_oneof![
                3 => planted().prop_map(|(_, _, planted)| planted),
                2 => "\\PC{0,12}".boxed(),
                1 => select(vec![
                    "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "password=", "token: ",
                    "[redacted:", "[redacted:jwt]", "]", "://a:", "@", "sk-", "eyJ", ".", "AKIA", "\\n", "=", ":",
                    "Bearer ", "Authorization: ",
                ]).prop_map(str::to_owned),
            ],
            0..12,
        ),
    ) {
        let text = pieces.concat();
        let once = all().redact(&text);
        let twice = all().redact(&once.text);
        prop_assert_eq!(twice.text.as_ref(), once.text.as_ref());
        prop_assert!(twice.counts.is_empty(), "{:?} again in {:?}", twice.counts, once.text);
    }

    #[test]
    fn a_number_with_one_wrong_digit_is_no_card_and_no_cpf(
        (kind, secret, _) in prop_oneof![card(), cpf()],
        place in 1..10_usize,
        more in 1..10_u8,
    ) {
        let places: Vec<usize> = secret.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
        let at = places[place];
        let digit = (secret.as_bytes()[at] - b'0' + more) % 10;
        let wrong = format!("{}{digit}{}", &secret[..at], &secret[at + 1..]);
        let sort = if kind == "card" { Sort::Card } else { Sort::NationalId };
        let clean = Patterns::of([sort]).redact(&wrong);
        prop_assert_eq!(clean.text.as_ref(), wrong.as_str());
    }

    #[test]
    fn any_text_is_cut_between_letters_only(text in "\\PC{0,200}") {
        let clean = all().redact(&text);
        prop_assert!(clean.text.is_char_boundary(clean.text.len()));
        if clean.counts.is_empty() {
            prop_assert_eq!(clean.text.as_ref(), text.as_str());
        }
    }
}

#[track_caller]
fn check_unchanged(text: &str) {
    let clean = Patterns::default().redact(text);
    assert_eq!(clean.text, text);
    assert!(clean.counts.is_empty());
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    for text in [
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 on main",
        "session 123e4567-e89b-12d3-a456-426614174000 was opened",
        "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        "password: ${DB_PASSWORD}",
        "DATABASE_URL=postgres://app:$PASSWORD@db/app",
        "https://user:********@example.org",
        "api_key = os.environ[\"OPENAI_API_KEY_2026\"]",
        "let token = session.get_token(user_1)?;",
        "token: my-app-secret-version-2",
        "api key: releasecandidate2026",
        "secret_name = staging-database-credentials-v12",
        "the tokens: 12,345 of 128,000",
        "max_tokens: 1234567890123456",
        "sk-learn-preprocessing-pipelines-for-everyone",
        "the risk-management-handbook-of-the-harbour",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "the password is forgotten, and the token is expired",
        "ana@example.org, +55 11 91234-5678, 4111 1111 1111 1111, 529.982.247-25",
        "http://localhost:8080/@scope/package",
        "git@github.com:owner/repository.git",
    ] {
        check_unchanged(text);
    }
}

#[track_caller]
fn check_personal(sort: Sort, text: &str, clean: &str) {
    assert_eq!(Patterns::of([sort]).redact(text).text, clean);
}

#[test]
fn personal_numbers_are_replaced_where_configured_and_their_check_digits_hold() {
    check_personal(Sort::Card, "4111 1111 1111 1111.", "[redacted:card].");
    check_personal(
        Sort::Card,
        "2026 4111-1111-1111-1111",
        "2026 [redacted:card]",
    );
    check_personal(Sort::Card, "378282246310005", "[redacted:card]");
    check_personal(Sort::Card, "4111 1111 1111 1112", "4111 1111 1111 1112");
    check_personal(Sort::Card, "1764509442000", "1764509442000");
    check_personal(
        Sort::NationalId,
        "CPF 529.982.247-25",
        "CPF [redacted:national_id]",
    );
    check_personal(Sort::NationalId, "52998224725", "[redacted:national_id]");
    check_personal(Sort::NationalId, "529.982.247-26", "529.982.247-26");
    check_personal(Sort::NationalId, "111.111.111-11", "111.111.111-11");
    check_personal(
        Sort::NationalId,
        "SSN 536-22-1234",
        "SSN [redacted:national_id]",
    );
    check_personal(
        Sort::NationalId,
        "000-22-1234 536-00-1234",
        "000-22-1234 536-00-1234",
    );
    check_personal(Sort::Phone, "call (11) 91234-5678", "call [redacted:phone]");
    check_personal(
        Sort::Phone,
        "call +1 415-555-0132!",
        "call [redacted:phone]!",
    );
    check_personal(
        Sort::Phone,
        "on 2026-11-30 at 13:30, v1.2.3",
        "on 2026-11-30 at 13:30, v1.2.3",
    );
    check_personal(Sort::Email, "ana@example.org", "[redacted:email]");
    check_personal(Sort::Email, "npm i @scope/name", "npm i @scope/name");
}

#[test]
fn a_key_without_its_end_takes_no_prose_with_it() {
    let text = "-----BEGIN PRIVATE KEY----- is the line to look for";
    let clean = Patterns::default().redact(text).text;
    assert_eq!(clean, "[redacted:private_key] is the line to look for");
    let text = "see the line -----END PRIVATE KEY----- there";
    let clean = Patterns::default().redact(text).text;
    assert_eq!(clean, "see the line [redacted:private_key] there");
}

#[test]
fn no_tail_of_a_word_with_a_secret_in_it_stays() {
    let text = "sk_live_4eC39HqLyjWDarjtT1zdp7dc_R9tail, next";
    let clean = Patterns::default().redact(text).text;
    assert_eq!(clean, "[redacted:stripe_key], next");
}

#[test]
fn a_redactor_of_no_sort_changes_nothing() {
    let text = "glpat-x7Kq29vBn4TzLw8RyP3d ana@example.org";
    assert_eq!(Patterns::of([]).redact(text).text, text);
}

#[test]
fn hostile_texts_take_time_in_proportion_to_their_length() {
    // Each repeats what a rule begins with and never what it ends with. A rule that looks at the
    // rest of the text from each beginning takes hours for these, not seconds.
    let n_bytes = 1 << 18;
    for unit in [
        "a@",
        "eyJaaaaaaaa.",
        "x://a:",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----END PRIVATE KEY-----",
        "password=",
        "Bearer ",
        "1 ",
        "4",
        "+1 ",
        "AKIA",
        "token: token: ",
        " \n",
        "\\n",
        "sk-",
        "[redacted:",
        "a.a",
        "0-",
        "\\",
        "\\u002d",
        "\\\"",
        "%25",
        "%2",
        "\u{1b}[",
        "\u{1b}]",
        "\u{200b}",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n",
        "MIIEvQIBADANBgkq\n-----END PRIVATE KEY-----",
        "MIIEvQIBADANBgkq ",
        "a-1-",
        "--token ",
        "curl -u a:",
        " -u a:b",
        "machine a login ",
        "<password>",
        "password: a",
        "\"d\":\"",
        "postgres://a:b<@",
        "api_key, \"",
    ] {
        let text = unit.repeat(n_bytes / unit.len());
        let clean = all().redact(&text);
        assert!(clean.text.len() <= text.len() * 3, "{unit:?}");
    }
}
