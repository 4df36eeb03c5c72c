//! Requests as no honest client sends them, and connections that break: bytes on a socket.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use hippocamp::mcp::{HttpOptions, serve_http};
use serde_json::{Value, json};

use super::http::{Server, hello};
use super::transport::Waiting;
use super::{call, check_clean, with_alpha};
use crate::program::Program;

/// How long an answer is waited for that has to come at once.
const AT_ONCE: Duration = Duration::from_secs(10);

/// A request's head, up to the headers of its own.
fn head(method: &str) -> String {
    format!(
        "{method} /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n"
    )
}

/// Opens a connection and sends bytes.
fn send(address: SocketAddr, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(AT_ONCE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// Reads until some words have come.
#[track_caller]
fn hear(stream: &mut TcpStream, until: &str) -> String {
    let mut heard = Vec::new();
    let mut piece = [0; 4_096];
    loop {
        let text = String::from_utf8_lossy(&heard).into_owned();
        if text.contains(until) {
            return text;
        }
        let n_read = stream
            .read(&mut piece)
            .unwrap_or_else(|error| panic!("{error} after {text}"));
        assert_ne!(n_read, 0, "no `{until}` in {text}");
        heard.extend_from_slice(&piece[..n_read]);
    }
}

/// Sends bytes, reads until some words have come, and goes.
#[track_caller]
fn ask(address: SocketAddr, request: &str, until: &str) -> String {
    hear(&mut send(address, request), until)
}

/// Sends a message.
#[track_caller]
fn post(address: SocketAddr, session: Option<&str>, body: &str, until: &str) -> String {
    let session = session.map(|session| format!("Mcp-Session-Id: {session}\r\n"));
    let request = format!(
        "{}{}Content-Length: {}\r\n\r\n{body}",
        head("POST"),
        session.unwrap_or_default(),
        body.len()
    );
    ask(address, &request, until)
}

/// Begins a session and returns its id.
#[track_caller]
fn begin(address: SocketAddr) -> String {
    let hello = String::from_utf8(hello()).unwrap();
    let heard = post(address, None, &hello, "serverInfo");
    let line = heard
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "))
        .unwrap_or_else(|| panic!("{heard}"));
    let session = line.trim().to_owned();
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    post(address, Some(&session), &ready, "202 Accepted");
    session
}

#[test]
fn who_says_twice_or_oddly_whom_a_request_is_to_is_refused() {
    let program = Program::new();
    let server = Server::start(&program, &[], &[]);
    let status = |headers: &[(&str, &str)]| server.ask("POST", headers, &hello()).0;
    for headers in [
        &[("Host", "localhost"), ("Host", "evil.example")][..],
        &[("Host", "evil.example@localhost")],
        &[("Host", "localhost:80.evil.example")],
        &[("Origin", "http://localhost:1.evil.example")],
        &[
            ("Origin", "http://localhost"),
            ("Origin", "http://evil.example"),
        ],
    ] {
        assert_eq!(status(headers), 400, "{headers:?}");
    }
    let whole = format!("POST http://evil.example{}", &head("POST")[5..]);
    ask(
        server.address.parse().unwrap(),
        &format!("{whole}Content-Length: 0\r\n\r\n"),
        "400 Bad Request",
    );
    assert_eq!(status(&[("Origin", "http://localhost")]), 200);
    server.end();
}

#[test]
fn a_body_that_is_announced_too_long_is_refused_before_it_comes() {
    let program = with_alpha();
    let server = Server::start(&program, &["--session", "main"], &[]);
    let request = head("POST") + "Content-Length: 16777217\r\n\r\n";
    ask(server.address.parse().unwrap(), &request, "16777216 bytes");
    server.end();
    check_clean(&program);
}

#[test]
fn a_session_that_a_client_ends_is_gone() {
    let program = with_alpha();
    let server = Server::start(&program, &["--session", "main"], &[]);
    let address = server.address.parse().unwrap();
    let session = begin(address);
    let end = format!("{}Mcp-Session-Id: {session}\r\n\r\n", head("DELETE"));
    ask(address, &end, "HTTP/1.1 204 No Content");
    let late = call(1, "short_grep", &json!({"pattern": "alpha"}));
    post(address, Some(&session), &late, "404 Not Found");
    server.end();
    check_clean(&program);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_broke_off_goes_on_by_the_last_events_id() {
    let handler = Waiting::new(0);
    let permits = handler.permits.clone();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let make = move || handler.clone();
    let serving = tokio::spawn(serve_http(listener, HttpOptions::new(), make, async {
        ended.await.unwrap();
    }));
    let talking = tokio::task::spawn_blocking(move || {
        let session = begin(address);
        // The client goes before there is an answer, with the first event in its hands.
        let begun = post(address, Some(&session), &call(7, "3", &json!({})), "retry:");
        let event = begun
            .lines()
            .find_map(|line| line.strip_prefix("id: "))
            .unwrap_or_else(|| panic!("{begun}"))
            .to_owned();
        let again = format!(
            "{}Mcp-Session-Id: {session}\r\nLast-Event-ID: {event}\r\n\r\n",
            head("GET")
        );
        let mut stream = send(address, &again);
        hear(&mut stream, "200 OK");
        permits.add_permits(1);
        let heard = hear(&mut stream, "\"xxx\"");
        assert!(heard.contains("\"id\":7"), "{heard}");
    });
    talking.await.unwrap();
    end.send(()).unwrap();
    serving.await.unwrap().unwrap();
}

/// Reads the code of an answer that is an error of JSON-RPC without an id.
#[track_caller]
fn code(body: &str) -> i64 {
    let answer: Value =
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"));
    assert!(
        answer.as_object().unwrap().contains_key("id") && answer["id"].is_null(),
        "{body}"
    );
    answer["error"]["code"].as_i64().unwrap()
}

#[test]
fn b145_a_bad_body_is_answered_over_http_too() {
    let program = with_alpha();
    let server = Server::start(&program, &["--session", "main"], &[]);
    let bodies: [(&[u8], i64); 7] = [
        (b"no json", -32700),
        (b"", -32700),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xff\"}",
            -32700,
        ),
        (b"{\"id\":1,\"method\":\"ping\"}", -32600),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
            -32600,
        ),
        (b"[]", -32600),
        (b"7", -32600),
    ];
    for (body, want) in bodies {
        let (status, answer) = server.ask("POST", &[], body);
        assert_eq!((status, code(&answer)), (400, want), "{answer}");
    }
    // Its client waits for this one.
    let unread = br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#;
    let (_, answer) = server.ask("POST", &[], unread);
    assert!(answer.contains("\"id\":1,"), "{answer}");
    for _ in 0..300 {
        assert_eq!(server.ask("POST", &[], b"{").0, 400);
    }
    // A message that is too long, and half a request.
    let long = vec![b'a'; 100_000_000];
    let (status, _) = server.ask("POST", &[], &long);
    assert_eq!(status, 413);
    let mut half = TcpStream::connect(&server.address).unwrap();
    half.write_all(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{")
        .unwrap();
    drop(half);
    assert_eq!(server.ask("POST", &[], &hello()).0, 200);
    let unknown = [("Mcp-Session-Id", "no such session")];
    assert_eq!(
        server
            .ask(
                "POST",
                &unknown,
                b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"
            )
            .0,
        404
    );
    assert_eq!(server.ask("PUT", &[], b"").0, 405);
    server.end();
    check_clean(&program);
}

#[test]
fn a_server_that_is_told_to_end_ends_well() {
    let program = with_alpha();
    let server = Server::start(&program, &["--session", "main"], &[]);
    begin(server.address.parse().unwrap());
    server.end_by("-TERM");
    check_clean(&program);
}
