//! Bodies over HTTP: who has one read, how many at a time, and what is said of those that are bad.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;

use super::http::{Server, TOKEN};
use super::http_hostile::{ask, begin, head, hear, post, say, send, with_waiting};
use super::{call, check_clean, with_alpha};

#[test]
fn a_body_that_is_announced_too_long_is_refused_before_it_comes() {
    let program = with_alpha();
    let server = Server::start(&program, &["--session", "main"], &[]);
    let request = head("POST") + "Content-Length: 16777217\r\n\r\n";
    ask(server.address.parse().unwrap(), &request, "16777216 bytes");
    server.end();
    check_clean(&program);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_bodies_wait_for_room_and_small_ones_do_not() {
    with_waiting(|address, _| {
        let session = begin(address);
        let announced = format!("Mcp-Session-Id: {session}\r\nContent-Length: 16777216\r\n\r\n{{");
        let large: Vec<TcpStream> = (0..5)
            .map(|_| send(address, &(head("POST") + &announced)))
            .collect();
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
        post(address, Some(&session), &ping, "\"result\"");
        // There is room for four of them; the fifth is read when one is done.
        let rest = vec![b' '; 16_777_215];
        std::thread::scope(|scope| {
            for mut stream in large {
                scope.spawn({
                    let rest = &rest;
                    move || {
                        stream.write_all(rest).unwrap();
                        let heard = hear(&mut stream, "error");
                        assert!(heard.contains("-32700"), "{heard}");
                    }
                });
            }
        });
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_takes_room_until_its_request_is_done_whoever_waits_for_it() {
    with_waiting(|address, handler| {
        let session = begin(address);
        let large = |id: u64| {
            let body = call(id, "3", &json!({}));
            body.trim_end().to_owned() + &" ".repeat(16_700_000)
        };
        // Their clients go at once.
        for id in 1..=4 {
            hear(&mut say(address, &session, &large(id)), "retry:");
        }
        // Nobody reads the fifth: it is more than the system holds for both ends.
        let announced = format!("Mcp-Session-Id: {session}\r\nContent-Length: 16700000\r\n\r\n");
        let mut fifth = send(address, &(head("POST") + &announced));
        fifth
            .set_write_timeout(Some(Duration::from_secs(1)))
            .unwrap();
        assert!(fifth.write_all(&vec![b' '; 16_700_000]).is_err());
        drop(fifth);
        let ping = json!({"jsonrpc": "2.0", "id": 5, "method": "ping"}).to_string();
        post(address, Some(&session), &ping, "\"result\"");
        handler.permits.add_permits(5);
        hear(&mut say(address, &session, &large(6)), "\"xxx\"");
    })
    .await;
}

#[test]
fn a_body_that_breaks_its_own_form_is_told_so() {
    let program = with_alpha();
    let server = Server::start(&program, &["--session", "main"], &[]);
    let request = head("POST") + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"jso\r\nzz\r\n";
    let heard = ask(server.address.parse().unwrap(), &request, "error");
    assert!(
        heard.starts_with("HTTP/1.1 400") && heard.contains("broke off"),
        "{heard}"
    );
    server.end();
    check_clean(&program);
}

#[test]
fn who_is_not_let_in_has_no_body_read() {
    let program = with_alpha();
    let variables = [("HIPPOCAMP_MCP_TOKEN", TOKEN)];
    let open = Server::start(&program, &["--session", "main"], &[]);
    let closed = Server::start(&program, &["--session", "main"], &variables);
    // Neither sends the body that it announces.
    let body = "Content-Length: 1000000\r\n\r\n{";
    let evil = head("POST").replace("Host: localhost", "Host: evil.example");
    ask(
        open.address.parse().unwrap(),
        &(evil + body),
        "403 Forbidden",
    );
    let evil = head("POST") + "Origin: http://evil.example\r\n" + body;
    ask(open.address.parse().unwrap(), &evil, "403 Forbidden");
    ask(
        closed.address.parse().unwrap(),
        &(head("POST") + body),
        "401 Unauthorized",
    );
    let elsewhere = head("POST").replace("/mcp", "/other") + body;
    ask(open.address.parse().unwrap(), &elsewhere, "404 Not Found");
    // And what it says is not judged.
    let bad = [("Host", "evil.example")];
    assert_eq!(open.ask("POST", &bad, b"no json").0, 403);
    open.end();
    closed.end();
    check_clean(&program);
}
