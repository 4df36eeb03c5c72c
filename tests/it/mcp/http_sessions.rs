//! Hostile sessions over HTTP, as `hostile` has them on lines: many bad bodies, requests side by side, an
//! end at any byte, a client that does not read.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};

use serde_json::json;

use super::http::Server;
use super::http_hostile::{begin, head, hear, post, say, with_waiting};
use super::{call, check_clean, with_alpha};

/// A request with a body, as bytes.
fn request(headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "{}{headers}Content-Length: {length}\r\n\r\n{body}",
        head("POST")
    )
}

#[test]
fn ten_thousand_bad_bodies_are_each_answered() {
    let program = with_alpha();
    let server = Server::start(&program, &["--session", "main"], &[]);
    let address: SocketAddr = server.address.parse().unwrap();
    let bodies = [
        "{",
        "null",
        "[1]",
        "{\"jsonrpc\":\"2.0\"}",
        "é",
        "\"\u{0}\"",
    ];
    let mut n_sent = 0;
    for _ in 0..20 {
        // One connection after the other, each with many requests, all sent before an answer is read.
        let mut stream = TcpStream::connect(address).unwrap();
        let mut answers = stream.try_clone().unwrap();
        let reading = std::thread::spawn(move || {
            let mut heard = String::new();
            std::io::Read::read_to_string(&mut answers, &mut heard).unwrap();
            heard.matches("HTTP/1.1 400 Bad Request").count()
        });
        let mut all = String::new();
        for (number, body) in (1..=500).zip(bodies.iter().cycle()) {
            n_sent += 1;
            let last = if number == 500 {
                "Connection: close\r\n"
            } else {
                ""
            };
            all += &request(last, body);
        }
        stream.write_all(all.as_bytes()).unwrap();
        assert_eq!(reading.join().unwrap(), 500);
    }
    assert_eq!(n_sent, 10_000);
    begin(address);
    server.end();
    check_clean(&program);
}

#[test]
fn a_request_may_end_at_any_byte() {
    let program = with_alpha();
    let server = Server::start(&program, &["--session", "main"], &[]);
    let address: SocketAddr = server.address.parse().unwrap();
    let session = begin(address);
    let body = call(1, "short_grep", &json!({"pattern": "alpha"}));
    let whole = request(&format!("Mcp-Session-Id: {session}\r\n"), &body);
    for end in 0..whole.len() {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(&whole.as_bytes()[..end]).unwrap();
    }
    // None of them was taken for the whole: its id is free.
    let mut stream = say(address, &session, &body);
    let heard = hear(&mut stream, "\r\n0\r\n");
    assert!(
        heard.contains("8443") && heard.contains("\"id\":1"),
        "{heard}"
    );
    server.end();
    check_clean(&program);
}

#[test]
fn requests_side_by_side_are_each_answered_once() {
    let program = with_alpha();
    let server = Server::start(&program, &["--session", "main"], &[]);
    let address: SocketAddr = server.address.parse().unwrap();
    let session = begin(address);
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let session = &session;
            scope.spawn(move || {
                for turn in 0..25 {
                    let id = worker * 100 + turn;
                    let body = match turn % 3 {
                        0 => call(id, "short_grep", &json!({"pattern": "alpha"})),
                        1 => call(id, "short_expand", &json!({"message_ids": ["1"]})),
                        _ => call(id, "no_such_tool", &json!({})),
                    };
                    let heard = hear(&mut say(address, session, &body), "\r\n0\r\n");
                    let own = format!("\"jsonrpc\":\"2.0\",\"id\":{id},");
                    assert_eq!(heard.matches(&own).count(), 1, "{heard}");
                    assert_eq!(heard.matches("\"jsonrpc\"").count(), 1, "{heard}");
                    let is_error = heard.contains("\"error\":");
                    assert_eq!(is_error, turn % 3 == 2, "{heard}");
                }
            });
        }
    });
    server.end();
    check_clean(&program);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_not_read_holds_nobody_up() {
    with_waiting(|address, handler| {
        handler.permits.add_permits(8);
        let session = begin(address);
        // More than the system holds for both ends.
        let deaf: Vec<TcpStream> = (0..8)
            .map(|id| say(address, &session, &call(id, "20000000", &json!({}))))
            .collect();
        for id in 100..200 {
            let ping = json!({"jsonrpc": "2.0", "id": id, "method": "ping"}).to_string();
            post(address, Some(&session), &ping, "\"result\"");
        }
        let other = begin(address);
        drop(deaf);
        handler.permits.add_permits(1);
        hear(
            &mut say(address, &other, &call(1, "3", &json!({}))),
            "\"xxx\"",
        );
    })
    .await;
}
