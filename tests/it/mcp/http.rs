//! The server on a port: who is let in, whose conversation a request is about, and that clients who
//! mean no good change nothing for the others.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use hippocamp::mcp::{HttpOptions, serve_http};
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, ClientRequest, Request};
use rmcp::service::PeerRequestOptions;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::json;

use super::client::{Client, call, check_session};
use super::transport::Waiting;
use super::{check_clean, with_alpha};
use crate::program::{Ended, Program, line, signal};
use crate::support::install_cryptography;

pub(super) const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A server on a port of this machine.
pub(super) struct Server {
    child: Child,
    pub(super) address: String,
}

impl Server {
    /// Starts it and reads from stderr where it listens.
    pub(super) fn start(program: &Program, words: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = program.process();
        command.args(["mcp", "--http", "127.0.0.1:0"]).args(words);
        command.envs(variables.iter().copied());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut told = String::new();
        while !told.contains("http://") {
            told.clear();
            assert!(said.read_line(&mut told).unwrap() > 0, "it said no address");
        }
        let address = told.split("http://").nth(1).unwrap();
        let address = address.split('/').next().unwrap().to_owned();
        std::thread::spawn(move || said.read_to_end(&mut Vec::new()));
        Self { child, address }
    }

    /// Sends a request and reads the whole answer: its status and its body.
    #[track_caller]
    pub(super) fn ask(&self, method: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let mut head = format!("{method} /mcp HTTP/1.1\r\nConnection: close\r\n");
        let usual = [
            ("Host", self.address.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        for (name, value) in usual {
            if !headers
                .iter()
                .any(|(given, _)| given.eq_ignore_ascii_case(name))
            {
                write!(head, "{name}: {value}\r\n").unwrap();
            }
        }
        for (name, value) in headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        write!(head, "Content-Length: {}\r\n\r\n", body.len()).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        // A server that has refused already may close before it has read all.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer
            .split(' ')
            .nth(1)
            .unwrap_or_else(|| panic!("no answer: {answer}"));
        let body = answer
            .split_once("\r\n\r\n")
            .map_or("", |(_, body)| body)
            .to_owned();
        (status.parse().unwrap(), body)
    }

    fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Asks the process to end, and expects it to end well.
    #[track_caller]
    pub(super) fn end(self) {
        self.end_by("-INT");
    }

    /// Asks the process to end by a signal, and expects it to end well.
    #[track_caller]
    pub(super) fn end_by(mut self, name: &str) {
        signal(&self.child, name);
        let mut stdout = String::new();
        self.child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut stdout)
            .unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        assert_eq!(stdout, "", "stdout is not for words");
    }
}

pub(crate) fn hello() -> Vec<u8> {
    super::greeting()
        .lines()
        .next()
        .unwrap()
        .as_bytes()
        .to_vec()
}

/// A client of the official SDK, with headers of its own.
async fn client(server: &Server, token: Option<&str>, headers: &[(&'static str, &str)]) -> Client {
    client_at(server.url(), token, headers).await
}

/// The same at an address.
async fn client_at(url: String, token: Option<&str>, headers: &[(&'static str, &str)]) -> Client {
    install_cryptography();
    let mut config = StreamableHttpClientTransportConfig::with_uri(url);
    if let Some(token) = token {
        config = config.auth_header(token);
    }
    let headers: HashMap<_, _> = headers
        .iter()
        .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
        .collect();
    let transport = StreamableHttpClientTransport::from_config(config.custom_headers(headers));
    ().serve(transport).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rust_client_lists_calls_and_pages_over_http() {
    let program = with_alpha();
    let server = Server::start(&program, &["--session", "main"], &[]);
    let mut client = client(&server, None, &[]).await;
    check_session(&client).await;
    client.close().await.unwrap();
    server.end();
    check_clean(&program);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_header_binds_a_request_and_two_clients_do_not_meet() {
    let program = with_alpha();
    program.append("café", &line("user", "alpha is a harbour"));
    let server = Server::start(&program, &["--with", "pin"], &[]);
    let one = client(&server, None, &[("Hippocamp-Session", "main")]);
    let other = client(&server, None, &[("Hippocamp-Session", "caf%C3%A9")]);
    let unbound = client(&server, None, &[]);
    let (mut one, mut other, mut unbound) = tokio::join!(one, other, unbound);
    let pattern = json!({"pattern": "alpha"});
    for _ in 0..10 {
        let (found, other_found) = tokio::join!(
            call(&one, "short_grep", pattern.clone()),
            call(&other, "short_grep", pattern.clone()),
        );
        assert_eq!(found.unwrap().structured_content.unwrap()["total"], 2);
        assert_eq!(other_found.unwrap().structured_content.unwrap()["total"], 1);
    }
    let named = json!({"pattern": "alpha", "session": "other"});
    let refused = call(&one, "short_grep", named.clone()).await.unwrap();
    assert_eq!(refused.is_error, Some(true));
    let found = call(&unbound, "short_grep", named).await.unwrap();
    assert_eq!(found.structured_content.unwrap()["total"], 1);
    let has_session = |tools: Vec<rmcp::model::Tool>| {
        tools[0].input_schema["properties"].get("session").is_some()
    };
    assert!(!has_session(one.list_all_tools().await.unwrap()));
    assert!(has_session(unbound.list_all_tools().await.unwrap()));
    for client in [&mut one, &mut other, &mut unbound] {
        client.close().await.unwrap();
    }
    server.end();
    // A server that is bound by its flag takes no other from a header.
    let server = Server::start(&program, &["--session", "main"], &[]);
    let mut same = client(&server, None, &[("Hippocamp-Session", "main")]).await;
    call(&same, "short_grep", pattern.clone()).await.unwrap();
    let mut other = client(&server, None, &[("Hippocamp-Session", "other")]).await;
    assert!(call(&other, "short_grep", pattern).await.is_err());
    same.close().await.unwrap();
    other.close().await.unwrap();
    server.end();
    check_clean(&program);
}

#[test]
fn only_hosts_and_origins_of_this_machine_or_the_list_are_let_in() {
    let program = Program::new();
    let words = [
        "--allow-host",
        "memory.example",
        "--allow-origin",
        "https://app.example:*",
    ];
    let server = Server::start(&program, &words, &[]);
    let port = server.address.rsplit(':').next().unwrap().to_owned();
    let status = |headers: &[(&str, &str)]| server.ask("POST", headers, &hello()).0;
    for host in ["localhost", "127.0.0.1", "[::1]"] {
        assert_eq!(
            status(&[("Host", &format!("{host}:{port}"))]),
            200,
            "{host}"
        );
    }
    assert_eq!(status(&[("Host", "memory.example")]), 200);
    for host in [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.2",
        "evil.example:80",
    ] {
        assert_eq!(status(&[("Host", host)]), 403, "{host}");
    }
    for origin in [
        "http://localhost:3000",
        "https://127.0.0.1",
        "https://app.example",
    ] {
        assert_eq!(status(&[("Origin", origin)]), 200, "{origin}");
    }
    for origin in [
        "https://evil.example",
        "null",
        "http://localhost.evil.example",
        "http://app.example",
    ] {
        assert_eq!(status(&[("Origin", origin)]), 403, "{origin}");
    }
    server.end();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_asked_of_every_request() {
    let program = with_alpha();
    let file = program.write("token", &format!("{TOKEN}\n"));
    let by_variable = Server::start(
        &program,
        &["--session", "main"],
        &[("HIPPOCAMP_MCP_TOKEN", TOKEN)],
    );
    let by_file = Server::start(&program, &["--session", "main", "--token-file", &file], &[]);
    for server in [by_variable, by_file] {
        for method in ["POST", "GET", "DELETE", "PUT"] {
            assert_eq!(server.ask(method, &[], &hello()).0, 401, "{method}");
        }
        let wrong = format!("Bearer {}", TOKEN.replace('f', "e"));
        assert_eq!(
            server.ask("POST", &[("Authorization", &wrong)], &hello()).0,
            401
        );
        let right = format!("Bearer {TOKEN}");
        assert_eq!(
            server.ask("POST", &[("Authorization", &right)], &hello()).0,
            200
        );
        let mut client = client(&server, Some(TOKEN), &[]).await;
        check_session(&client).await;
        client.close().await.unwrap();
        server.end();
    }
}

#[test]
fn an_address_that_others_reach_needs_a_token() {
    let program = Program::new();
    for address in ["0.0.0.0:0", "[::]:0"] {
        let ended = program.run(&["mcp", "--http", address]);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains("no token is set"), "{ended:?}");
        assert!(ended.stderr.contains("HIPPOCAMP_MCP_TOKEN"), "{ended:?}");
        assert!(!program.db().exists(), "a store was made for nobody");
    }
    let mut short = program.command();
    short
        .args(["mcp", "--http", "0.0.0.0:0"])
        .env("HIPPOCAMP_MCP_TOKEN", "secret");
    let ended = Ended::of(short.output().unwrap());
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(!ended.stderr.contains("secret"), "{ended:?}");
}

/// A server with other tools than ours, in this process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_handler_is_served_and_its_calls_are_called_off() {
    let handler = Waiting::new(1);
    let (begun, called_off) = (handler.begun.clone(), handler.called_off.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let make = move || handler.clone();
    let serving = serve_http(listener, HttpOptions::new(), make, async {
        ended.await.unwrap();
    });
    let talking = async {
        let mut client = client_at(url, None, &[]).await;
        let answer = call(&client, "3", json!({})).await.unwrap();
        assert_eq!(answer.content[0].as_text().unwrap().text, "xxx");
        let params = CallToolRequestParams::new("3");
        let asked = ClientRequest::CallToolRequest(Request::new(params));
        let options = PeerRequestOptions::no_options();
        let handle = client
            .send_cancellable_request(asked, options)
            .await
            .unwrap();
        while begun.load(std::sync::atomic::Ordering::SeqCst) < 2 {
            tokio::task::yield_now().await;
        }
        handle.cancel(None).await.unwrap();
        called_off.notified().await;
        client.close().await.unwrap();
        end.send(()).unwrap();
    };
    let (done, ()) = tokio::join!(serving, talking);
    done.unwrap();
}
