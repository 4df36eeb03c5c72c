//! The transports by themselves, under a server with other tools than ours: they know none.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hippocamp::mcp::serve_lines;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, duplex};
use tokio::sync::{Notify, Semaphore};
use tokio::time::timeout;

use super::{answers, call, greeting, request};

/// A server with a tool `wait`, which waits for a permit, and counts.
#[derive(Clone)]
pub(crate) struct Waiting {
    pub(crate) begun: Arc<AtomicUsize>,
    pub(crate) called_off: Arc<Notify>,
    pub(crate) permits: Arc<Semaphore>,
}

impl Waiting {
    pub(crate) fn new(n_permits: usize) -> Self {
        Self {
            begun: Arc::default(),
            called_off: Arc::default(),
            permits: Arc::new(Semaphore::new(n_permits)),
        }
    }
}

impl ServerHandler for Waiting {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        tokio::select! {
            permit = self.permits.acquire() => permit.unwrap().forget(),
            () = context.ct.cancelled() => {
                self.called_off.notify_one();
                return Err(ErrorData::internal_error("called off", None));
            }
        }
        // An answer as large as its name says.
        let size = request.name.parse().unwrap_or(0);
        Ok(CallToolResult::success(vec![ContentBlock::text("x".repeat(size))]).into())
    }
}

/// Serves `input` whole and returns what was said.
async fn serve(handler: Waiting, input: &[u8]) -> Vec<serde_json::Value> {
    let (mut client, server) = duplex(1 << 20);
    let (reader, writer) = tokio::io::split(server);
    client.write_all(input).await.unwrap();
    client.shutdown().await.unwrap();
    let mut said = String::new();
    let heard = client.read_to_string(&mut said);
    let (done, heard) = tokio::join!(serve_lines(handler, reader, writer), heard);
    done.unwrap();
    heard.unwrap();
    answers(&said)
}

#[tokio::test(start_paused = true)]
async fn an_input_may_end_at_any_byte() {
    let mut input = greeting().into_bytes();
    let greeted = input.len();
    input.extend(call("é", "3", &json!({})).bytes());
    for end in 0..=input.len() {
        let said = serve(Waiting::new(1), &input[..end]).await;
        let n_whole = said
            .iter()
            .filter(|answer| answer.get("result").is_some())
            .count();
        let want = usize::from(end > greeted / 2 && is_greeted(&input[..end]))
            + usize::from(end + 1 >= input.len());
        assert_eq!(n_whole, want, "after {end} bytes: {said:?}");
    }
}

/// Says whether the first line is there, break or no break.
fn is_greeted(input: &[u8]) -> bool {
    let first = input.split(|byte| *byte == b'\n').next().unwrap();
    serde_json::from_slice::<serde_json::Value>(first).is_ok()
}

#[tokio::test(start_paused = true)]
async fn who_does_not_read_is_not_read_from() {
    let handler = Waiting::new(10_000);
    let begun = Arc::clone(&handler.begun);
    let (client, server) = duplex(4_096);
    let (reader, writer) = tokio::io::split(server);
    let (heard, mut said) = tokio::io::split(client);
    let serving = serve_lines(handler, reader, writer);
    let talking = async {
        said.write_all(greeting().as_bytes()).await.unwrap();
        let flood = async {
            let mut said = said;
            for number in 0..2_000 {
                said.write_all(call(number, "5000", &json!({})).as_bytes())
                    .await
                    .unwrap();
            }
            said.shutdown().await.unwrap();
        };
        let mut flood = std::pin::pin!(flood);
        // Nobody reads: the flood comes to a stand, and so does the work.
        assert!(timeout(Duration::from_mins(1), &mut flood).await.is_err());
        let at_most = begun.load(Ordering::SeqCst);
        assert!((1..=64).contains(&at_most), "{at_most} calls were begun");
        // Somebody reads: all is answered.
        let mut lines = BufReader::new(heard).lines();
        let reading = async {
            let mut n_answers = 0;
            while n_answers < 2_001 {
                lines.next_line().await.unwrap().unwrap();
                n_answers += 1;
            }
        };
        tokio::join!(flood, reading);
    };
    let (done, ()) = tokio::join!(serving, talking);
    done.unwrap();
    assert_eq!(begun.load(Ordering::SeqCst), 2_000);
}

#[tokio::test(start_paused = true)]
async fn what_is_called_off_makes_room_and_is_not_answered() {
    let handler = Waiting::new(0);
    let permits = Arc::clone(&handler.permits);
    let mut input = greeting();
    for number in 0..300 {
        input += &call(number, "wait", &json!({}));
        let params = json!({"requestId": number});
        let off = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        input += &off.to_string();
        input.push('\n');
    }
    // What was called off may still be at work, and is not taken for another of its id.
    input += &call(299, "wait", &json!({}));
    input += &request(&json!("after"), "ping", &json!({}));
    let said = serve(handler, input.as_bytes()).await;
    assert_eq!(said.len(), 3, "{said:?}");
    let refused = said.iter().find(|answer| answer["id"] == 299).unwrap();
    assert_eq!(refused["error"]["code"], -32600);
    assert_eq!(permits.available_permits(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_id_in_use_is_refused_and_free_again_once_answered() {
    let handler = Waiting::new(0);
    let permits = Arc::clone(&handler.permits);
    let (client, server) = duplex(1 << 16);
    let (reader, writer) = tokio::io::split(server);
    let (heard, mut said) = tokio::io::split(client);
    let mut lines = BufReader::new(heard).lines();
    let talking = async {
        let twice = greeting() + &call(1, "wait", &json!({})) + &call(1, "wait", &json!({}));
        said.write_all(twice.as_bytes()).await.unwrap();
        let mut next = async || -> serde_json::Value {
            serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap()
        };
        assert_eq!(next().await["id"], "hello");
        let refused = next().await;
        assert_eq!(
            (&refused["id"], &refused["error"]["code"]),
            (&json!(1), &json!(-32600))
        );
        permits.add_permits(2);
        assert!(next().await["result"].is_object());
        said.write_all(call(1, "wait", &json!({})).as_bytes())
            .await
            .unwrap();
        assert!(next().await["result"].is_object());
        said.shutdown().await.unwrap();
    };
    let (done, ()) = tokio::join!(serve_lines(handler, reader, writer), talking);
    done.unwrap();
}

#[tokio::test(start_paused = true)]
async fn work_without_end_does_not_keep_the_server_after_its_client() {
    let begun = tokio::time::Instant::now();
    let input = greeting() + &call("never", "wait", &json!({}));
    let said = serve(Waiting::new(0), input.as_bytes()).await;
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        begun.elapsed() < Duration::from_mins(1),
        "{:?}",
        begun.elapsed()
    );
}
