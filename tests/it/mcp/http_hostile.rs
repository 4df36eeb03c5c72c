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
pub(super) fn head(method: &str) -> String {
    format!(
        "{method} /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n"
    )
}

/// Opens a connection and sends bytes.
pub(super) fn send(address: SocketAddr, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(AT_ONCE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// Reads until some words have come.
#[track_caller]
pub(super) fn hear(stream: &mut TcpStream, until: &str) -> String {
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
pub(super) fn ask(address: SocketAddr, request: &str, until: &str) -> String {
    hear(&mut send(address, request), until)
}

/// Sends a message.
#[track_caller]
pub(super) fn post(address: SocketAddr, session: Option<&str>, body: &str, until: &str) -> String {
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
pub(super) fn begin(address: SocketAddr) -> String {
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

/// Serves a handler whose calls wait for permits, and talks to it on a thread of its own.
pub(super) async fn with_waiting(talk: impl FnOnce(SocketAddr, &Waiting) + Send + 'static) {
    let handler = Waiting::new(0);
    let served = handler.clone();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let make = move || served.clone();
    let serving = tokio::spawn(serve_http(listener, HttpOptions::new(), make, async {
        ended.await.unwrap();
    }));
    let talking = tokio::task::spawn_blocking(move || talk(address, &handler));
    talking.await.unwrap();
    end.send(()).unwrap();
    serving.await.unwrap().unwrap();
}

/// Reads the id of the first event.
#[track_caller]
fn first_event(heard: &str) -> String {
    let id = heard.lines().find_map(|line| line.strip_prefix("id: "));
    id.unwrap_or_else(|| panic!("{heard}")).to_owned()
}

/// Asks for what followed an event.
fn resume(address: SocketAddr, session: &str, event: &str) -> TcpStream {
    let headers = format!("Mcp-Session-Id: {session}\r\nLast-Event-ID: {event}\r\n\r\n");
    send(address, &(head("GET") + &headers))
}

/// Opens a connection and sends a message of a session.
pub(super) fn say(address: SocketAddr, session: &str, body: &str) -> TcpStream {
    let headers = format!(
        "Mcp-Session-Id: {session}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    send(address, &(head("POST") + &headers + body))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_broke_off_goes_on_by_the_last_events_id() {
    with_waiting(|address, handler| {
        let session = begin(address);
        // The client goes before there is an answer, with the first event in its hands.
        let begun = post(address, Some(&session), &call(7, "3", &json!({})), "retry:");
        let mut stream = resume(address, &session, &first_event(&begun));
        hear(&mut stream, "200 OK");
        handler.permits.add_permits(1);
        let heard = hear(&mut stream, "\"xxx\"");
        assert!(heard.contains("\"id\":7"), "{heard}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_nobody_heard_is_kept_for_who_comes_back() {
    with_waiting(|address, handler| {
        let session = begin(address);
        let begun = post(address, Some(&session), &call(7, "3", &json!({})), "retry:");
        handler.permits.add_permits(1);
        // Its id is free once the answer is out.
        let ping = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"}).to_string();
        while post(address, Some(&session), &ping, "\"id\":7").contains("-32600") {
            std::thread::yield_now();
        }
        for _ in 0..2 {
            let mut stream = resume(address, &session, &first_event(&begun));
            let heard = hear(&mut stream, "\r\n0\r\n");
            assert!(
                heard.contains("\"xxx\"") && heard.contains("\"id\":7"),
                "{heard}"
            );
        }
        let mut stream = resume(address, &session, "0-no-such-stream");
        let heard = hear(&mut stream, "\r\n0\r\n");
        assert!(!heard.contains("jsonrpc"), "{heard}");
        // The stream of a session begins anew by the id that it began with.
        hear(&mut resume(address, &session, "0"), "200 OK");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_requests_with_one_id_both_are_answered() {
    with_waiting(|address, handler| {
        let session = begin(address);
        let other = begin(address);
        let wait = call(7, "3", &json!({}));
        let mut first = say(address, &session, &wait);
        hear(&mut first, "retry:");
        let mut second = say(address, &session, &wait);
        let refused = hear(&mut second, "\r\n0\r\n");
        assert!(
            refused.contains("\"id\":7") && refused.contains("-32600"),
            "{refused}"
        );
        // Another session has ids of its own.
        let mut third = say(address, &other, &wait);
        handler.permits.add_permits(2);
        for stream in [&mut first, &mut third] {
            hear(stream, "\"xxx\"");
        }
        // What was called off may still be at work, and is not taken for another of its id.
        let eighth = call(8, "3", &json!({}));
        hear(&mut say(address, &session, &eighth), "retry:");
        let params = json!({"requestId": 8});
        let off = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        post(address, Some(&session), &off.to_string(), "202 Accepted");
        hear(&mut say(address, &session, &eighth), "-32600");
    })
    .await;
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
