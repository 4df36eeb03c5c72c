//! A server of ours that answers as it is scripted, faults and all.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

/// One request as it came in.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) path: String,
    /// The lines of the head, names in small letters.
    pub(crate) head: String,
    pub(crate) body: String,
}

/// What the server does with a request.
pub(crate) enum Answer {
    /// A status, further lines of the head, a body of JSON.
    Says(u16, &'static str, String),
    /// With another kind of body.
    Calls(&'static str, String),
    /// Nothing, until the other side is gone; then it tells of it.
    Silent(Sender<()>),
    /// A head, half of its body, and the end.
    HalfClosed,
    /// The end.
    HangsUp,
    /// An answer once it is told to go on.
    Waits(Receiver<()>, String),
}

impl Answer {
    pub(crate) fn ok(body: impl Into<String>) -> Self {
        Self::Says(200, "", body.into())
    }

    pub(crate) fn fails(status: u16, body: impl Into<String>) -> Self {
        Self::Says(status, "", body.into())
    }

    /// Says nothing, and nobody waits to hear that the other side is gone.
    pub(crate) fn silent() -> Self {
        Self::Silent(channel().0)
    }
}

/// The server, and what it was asked.
pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Starts a server; `script` says what it does with the n-th request.
    pub(crate) fn start(script: impl FnMut(usize, &Request) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let kept = Arc::clone(&requests);
        let script = Arc::new(Mutex::new(script));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (Ok(stream), kept, script) = (stream, Arc::clone(&kept), Arc::clone(&script))
                else {
                    continue;
                };
                thread::spawn(move || {
                    let mut stream = stream;
                    let Some(request) = read(&mut stream) else {
                        return;
                    };
                    let answer = {
                        let mut kept = kept.lock().unwrap();
                        kept.push(request.clone());
                        let n_before = kept.len() - 1;
                        drop(kept);
                        (script.lock().unwrap())(n_before, &request)
                    };
                    perform(&mut stream, answer);
                });
            }
        });
        Self { address, requests }
    }

    /// One that gives the same answer for ever.
    pub(crate) fn saying(body: impl Into<String>) -> Self {
        let body = body.into();
        Self::start(move |_, _| Answer::ok(body.clone()))
    }

    /// One that fails alike for ever.
    pub(crate) fn failing(status: u16, body: &str) -> Self {
        let body = body.to_owned();
        Self::start(move |_, _| Answer::fails(status, body.clone()))
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn calls(&self) -> usize {
        self.requests().len()
    }
}

fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 * 1_024];
    loop {
        let n_read = stream.read(&mut buffer).ok()?;
        if n_read == 0 {
            return None;
        }
        bytes.extend_from_slice(&buffer[..n_read]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let head = head.to_owned();
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.trim().parse::<usize>().unwrap())
        });
        if body.len() >= length.unwrap_or(0) {
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            let lines = head.lines().map(|line| match line.split_once(':') {
                Some((name, value)) => format!("{}:{value}\n", name.to_lowercase()),
                None => format!("{line}\n"),
            });
            return Some(Request {
                path,
                head: lines.collect(),
                body: body.to_owned(),
            });
        }
    }
}

fn perform(stream: &mut TcpStream, answer: Answer) {
    match answer {
        Answer::Says(status, more, body) => send(stream, status, "application/json", more, &body),
        Answer::Calls(kind, body) => send(stream, 200, kind, "", &body),
        Answer::Silent(gone) => {
            let mut buffer = [0; 1];
            // Returns when the other side closes.
            let _ = stream.read(&mut buffer);
            let _ = gone.send(());
        }
        Answer::HalfClosed => {
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n";
            let _ = stream.write_all(format!("{head}{{\"choices\":[").as_bytes());
        }
        Answer::HangsUp => {}
        Answer::Waits(go, body) => {
            let _ = go.recv();
            send(stream, 200, "application/json", "", &body);
        }
    }
}

fn send(stream: &mut TcpStream, status: u16, kind: &str, more: &str, body: &str) {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} Said\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{more}Connection: close\r\n\r\n"
    );
    // A client that is gone hears nothing.
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(body.as_bytes());
}
