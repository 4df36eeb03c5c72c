//! The forms in which people and programs write a secret down, and what only looks like one.

use super::*;

#[track_caller]
fn check(text: &str, clean: &str) {
    assert_eq!(Patterns::default().redact(text).text, clean);
}

const KEY: &str = "a8F3kQ92mZx7Lp4Tn6Vb1Cw5";
const PASSWORD: &str = "Tr0ub4dor&3x";

#[test]
fn a_value_beside_its_name_is_found_in_each_way_to_write_it() {
    for before in [
        "curl --api-key ",
        "gh --token ",
        "[\"--token\", \"",
        "deploy --service-account-key '",
        "const apiKey: string = \"",
        "let api_key: &str = \"",
        "api_key: Option<String> = \"",
        "var apiKey string = \"",
        "os.getenv('API_KEY', '",
        "process.env.API_KEY || \"",
        "${API_KEY:-",
        "<apiKey>",
        "<ns:token>",
        "| secret key | ",
        "**API key:** ",
        "SECRET_KEY_BASE=",
        "API_KEY_PROD=",
        "the token is: ",
        "令牌：",
    ] {
        check(
            &format!("{before}{KEY}"),
            &format!("{before}[redacted:secret]"),
        );
    }
    for before in [
        "mysql --password ",
        "<password>",
        "**password:** ",
        "| password | ",
        "my password is: ",
        "DB_PASS=",
        "pass: ",
        "password `",
        "\"password\",\"",
        "curl -u admin:",
        "curl -s --user 'admin:",
        "machine h login ana password ",
        "password = $",
        "密码：",
    ] {
        let kept = before.trim_end_matches('$');
        check(
            &format!("{before}{PASSWORD}"),
            &format!("{kept}[redacted:password]"),
        );
    }
    check(
        "DB_PASSWORD=&Tr0ub4dor3x",
        "DB_PASSWORD=[redacted:password]",
    );
    check("password=(Tr0ub4dor3x!", "password=[redacted:password]");
    check("curl -u ana:harbour x", "curl -u ana:[redacted:password] x");
}

#[test]
fn the_password_of_an_address_is_found_whole() {
    let long = "a8F3kQ92mZ".repeat(40);
    check(
        &format!("https://u:{long}@h"),
        "https://u:[redacted:url_password]@h",
    );
    for password in ["Tr0<ub4>dorX9", "Tr0u@b4dorX9", "h&m(x)"] {
        check(
            &format!("postgres://app:{password}@db/x"),
            "postgres://app:[redacted:url_password]@db/x",
        );
    }
    check(
        r#"{"dsn":"postgres:\/\/app:harbour7@db\/x"}"#,
        r#"{"dsn":"postgres:\/\/app:[redacted:url_password]@db\/x"}"#,
    );
    check(
        "postgres%3A%2F%2Fapp%3Aharbour7%40db",
        "postgres%3A%2F%2Fapp%3A[redacted:url_password]%40db",
    );
}

#[test]
fn a_cookie_goes_whole_where_a_piece_of_it_is_a_key() {
    check(
        &format!("> Cookie: theme=dark; sid={KEY}\n> Accept: */*"),
        "> Cookie: [redacted:cookie]\n> Accept: */*",
    );
    check(
        &format!("{{\"set-cookie\": \"id={KEY}; Path=/; HttpOnly\"}}"),
        "{\"set-cookie\": \"[redacted:cookie]\"}",
    );
    for text in [
        "Set-Cookie: theme=dark; Path=/; HttpOnly",
        "a cookie: the recipe=flour, butter and 200 g of sugar",
    ] {
        check_unchanged(text);
    }
}

#[test]
fn the_user_of_an_address_that_is_a_token_is_found() {
    check(
        &format!("git clone https://{KEY}@git.example.org/harbour"),
        "git clone https://[redacted:url_token]@git.example.org/harbour",
    );
    check(
        &format!("https://{KEY}:x-oauth-basic@git.example.org"),
        "https://[redacted:url_token]:[redacted:url_password]@git.example.org",
    );
    check_unchanged("ssh://a-user-with-a-long-name@git.example.org:2222/x");
}

#[test]
fn the_member_of_a_web_key_that_is_secret_is_found() {
    let secret = "X4cTteJY_gn4FYPsXB8rdXix5vwsg1FLN5E3EaG6RJoVH-HLLKD9";
    check(
        &format!(
            r#"{{"kty":"EC","d":"{secret}","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"}}"#
        ),
        r#"{"kty":"EC","d":"[redacted:jwk]","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"}"#,
    );
    check_unchanged(r#"{"q":"which_harbour_has_the_most_ships_and_the_longest_pier"}"#);
}

#[test]
fn places_names_and_sums_beside_a_name_stay() {
    for text in [
        "PWD=/Users/Ana/app2\nOLDPWD=/home/U1/Work",
        "$ pwd: /home/Ana/Proj2",
        "auth: https://example.com/a1b2c3/docs/v2x3",
        "auth: src/auth2fa/v1x2/mod.rs",
        "token: packages/core-js3/x2y3z/token.ts",
        "primarykey-550e8400e29b41d4a716446655440000",
        "at 9fceb02d0ae598e95dc970b74767f19372d61af8 (HEAD), id 123e4567-e89b-12d3-a456-426614174000",
        "![](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4)",
        "docker run -u 1000:1000 image",
        "rsync -u host:Dir2/file! .",
        "http://localhost:8080, or ask ana@example.org",
        "fn check(password: &Sha256Hash, token: &Token2)",
        "let password = $config->password2;",
        "login with password authentication, see the machine's page",
        "a password > 8 letters, a token | a key",
        "password: string = prompt(\"again\")",
        "100%25 of it, and C:\\new\\table",
    ] {
        check_unchanged(text);
    }
    // A page that holds a key is no place.
    check(
        "webhook_secret: https://example.com/hooks/a8F3kQ92mZx7Lp4Tn6Vb1Cw5",
        "webhook_secret: [redacted:secret]",
    );
}

#[test]
fn literals_are_found_however_they_are_written_and_words_are_none() {
    let own = Literals::of(["q7-Vbn3xKtM", "not-needed", "short1", "", "q7-Vbn3xKtM"]);
    let clean = own.redact(r"q7-Vbn3xKtM, q7%2DVbn3xKtM, q7\u002dVbn3xKtM; not-needed short1");
    let mark = "[redacted:api_key]";
    assert_eq!(
        clean.text,
        format!("{mark}, {mark}, {mark}; not-needed short1")
    );
    assert_eq!(clean.counts.total(), 3);
    assert!(!format!("{own:?}").contains("Vbn3"));
}
