//! A private key goes whole, whatever a tool puts around its lines.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// What stands before each line, by its number, and what behind it.
type Around = (fn(usize) -> String, &'static str);

fn around() -> impl Strategy<Value = Around> {
    let all: Vec<Around> = vec![
        (|_| String::new(), "\n"),
        (|_| String::new(), "\r\n"),
        (|_| String::new(), "\\n"),
        (|_| String::new(), "\\\\n"),
        (|_| String::new(), "\\u000a"),
        (|n| format!("{n:>6}\t"), "\n"),
        (|n| format!("{n:>6}→"), "\n"),
        (|n| format!("{n}|"), "\n"),
        (|n| format!("{n}: "), "\n"),
        (|n| format!("     {n}\\t"), "\\n"),
        (|_| "# ".to_owned(), "\n"),
        (|_| "    // ".to_owned(), "\n"),
        (|_| "+".to_owned(), "\n"),
        (|_| "-".to_owned(), "\n"),
        (|_| "> ".to_owned(), "\n"),
        (|n| format!("id_rsa:{n}:"), "\n"),
        (|n| format!("config/certificates/server.pem-{n}-"), "\n"),
        (|_| "keys/id_rsa:".to_owned(), "\n"),
        (|_| "  \"".to_owned(), "\\n\" +\n"),
        (|_| "'".to_owned(), "',\n"),
        (
            |n| format!("^9fceb02d (Ana Lima 2026-01-02 03:04:05 +0000 {n}) "),
            "\n",
        ),
        (|n| format!("2026-01-02T03:04:{n:02}Z web-1  | "), "\n"),
    ];
    select(all)
}

proptest! {
    #[test]
    fn no_line_of_a_key_stays_whatever_stands_around_it(
        (before, behind) in around(),
        lines in proptest::collection::vec("[A-Za-z0-9+/]{64}", 1..5),
        last in "[A-Za-z0-9+/]{6,60}",
        name in select(vec!["", "RSA ", "EC ", "OPENSSH "]),
        part in 0..3,
    ) {
        let begin = format!("-----BEGIN {name}PRIVATE KEY-----");
        let end = format!("-----END {name}PRIVATE KEY-----");
        let mut all: Vec<&str> = lines.iter().map(String::as_str).collect();
        if part != 1 {
            all.push(&last);
            all.push(&end);
        }
        if part != 2 {
            all.insert(0, &begin);
        }
        let shown: Vec<String> = all.iter().enumerate().map(|(idx, line)| before(idx + 1) + line + behind).collect();
        let text = format!("The pier is open.\n{}\nThe harbour is closed.", shown.concat());
        let clean = Patterns::default().redact(&text).text.into_owned();
        for line in &lines {
            for piece in [&line[..16], &line[24..40], &line[48..]] {
                prop_assert!(!clean.contains(piece), "`{piece}` of a key in {clean}");
            }
        }
        prop_assert!(part == 1 || !clean.contains(&last), "{clean}");
        prop_assert!(clean.starts_with("The pier is open.\n"), "{clean}");
        prop_assert!(clean.ends_with("\nThe harbour is closed."), "{clean}");
    }
}

#[track_caller]
fn check(text: &str, clean: &str) {
    assert_eq!(Patterns::default().redact(text).text, clean);
}

#[test]
fn a_file_as_a_tool_reads_it_shows_that_a_key_was_there() {
    check(
        "     1\t-----BEGIN PRIVATE KEY-----\n     2\tMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n     3\tq1==\n     4\t-----END PRIVATE KEY-----\n     5\tport = 8080",
        "     1\t[redacted:private_key]\n     5\tport = 8080",
    );
    check(
        "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\nAAAAIDP2y5lLZqkTtyFqtnBb2Dq1Jx0\nPrivate-MAC: 12",
        "PuTTY-User-Key-File-3: ssh-ed25519\n[redacted:private_key]\nPrivate-MAC: 12",
    );
}

#[test]
fn what_follows_a_key_without_its_end_stays() {
    for after in [
        "name: harbour",
        "sha256: 9f8e7d6c5b4a39281706f5e4d3c2b1a0",
        "and then the pier was closed.",
        "\n\nState: done.",
    ] {
        let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
        check(
            &format!("{key}\n{after}"),
            &format!("[redacted:private_key]\n{after}"),
        );
    }
    check(
        "port = 8080\nq1==\n-----END PRIVATE KEY-----",
        "port = 8080\nq1==\n[redacted:private_key]",
    );
}
