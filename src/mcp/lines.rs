//! JSON-RPC on lines, as a transport of the SDK. Owns when the next line is read.
//! May not know a tool: it serves any handler.
//!
//! The SDK's own transport passes over bad lines in silence, drops a last line without a break and
//! ends where a notification comes before `initialize`. This one answers each bad line and lives
//! on; reads only while there is room for answers; and, when the client has said its last, ends
//! once all requests are answered.

use std::io;
use std::pin::Pin;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, ClientRequest, GetMeta, JsonRpcMessage, ProtocolVersion, RequestId,
    ServerResult,
};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;
use tracing::{debug, warn};

use super::decode::{ClientMessage, Decoded, Reason, Refusal, decode};
use super::in_flight::InFlight;
use super::outlet::Outlet;
use super::reader::{Line, Lines, MAX_MESSAGE_BYTES};

/// How long answers are waited for when the client has said its last: as long as a turn may take.
const GRACE: Duration = Duration::from_secs(30);

type Reply = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// A transport over a reader and a writer.
pub struct LineTransport<R, W> {
    lines: Lines<R>,
    outlet: Outlet<W>,
    in_flight: InFlight,
    /// An answer to a bad line that is being written.
    reply: Option<Reply>,
    /// A request that there is no room for yet, and its bytes.
    held: Option<(RequestId, ClientMessage, usize)>,
    phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing has been agreed: only requests mean something.
    Greeting,
    /// The client and the server talk.
    Open,
    /// The client has said its last; answers are waited for until then.
    Ending(Instant),
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Makes a transport.
    #[must_use]
    pub fn new(reader: R, writer: W) -> Self {
        Self {
            lines: Lines::new(reader, MAX_MESSAGE_BYTES),
            outlet: Outlet::new(writer),
            in_flight: InFlight::new(),
            reply: None,
            held: None,
            phase: Phase::Greeting,
        }
    }

    /// Returns the next message. It may be dropped at every await and called again: what has been
    /// begun stands in `self`.
    async fn next(&mut self) -> Option<ClientMessage> {
        loop {
            if let Some(reply) = &mut self.reply {
                if let Err(error) = reply.await {
                    debug!(%error, "an answer to a bad line could not be written");
                }
                self.reply = None;
            }
            if let Some((id, _, n_bytes)) = &self.held {
                self.in_flight.admit(id, *n_bytes).await;
                return self.held.take().map(|(_, message, _)| message);
            }
            if let Phase::Ending(until) = self.phase {
                let settled = self.in_flight.all_settled();
                if tokio::time::timeout_at(until, settled).await.is_err() {
                    warn!("the client is gone and some requests were not answered in time");
                }
                return None;
            }
            let line = match self.lines.next().await {
                Ok(line) => line,
                Err(error) => {
                    warn!(%error, "the client's lines cannot be read any more");
                    Line::End
                }
            };
            match line {
                Line::Whole(line) => {
                    if let Some(message) = self.read(&line) {
                        return Some(message);
                    }
                }
                Line::TooLong(id) => self.refuse(Refusal::of(Reason::TooLong, id)),
                Line::End => self.phase = Phase::Ending(Instant::now() + GRACE),
            }
        }
    }

    /// Reads a line. A request is held until there is room for it.
    fn read(&mut self, line: &[u8]) -> Option<ClientMessage> {
        let message = match decode(line) {
            Decoded::Blank => return None,
            Decoded::Refused(refusal) => {
                self.refuse(refusal);
                return None;
            }
            Decoded::Message(message) => *message,
        };
        match &message {
            JsonRpcMessage::Request(request) => {
                let id = request.id.clone();
                if self.in_flight.is_used(&id) {
                    self.answer(&Refusal::of(Reason::IdInUse, Some(id)));
                    return None;
                }
                if opens_inline(&request.request) {
                    self.phase = Phase::Open;
                }
                self.held = Some((id, message, line.len()));
                None
            }
            _ if self.phase == Phase::Greeting => {
                debug!("passed over what came before the first request");
                None
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    // The SDK answers no request that was called off.
                    self.in_flight.call_off(id);
                }
                Some(message)
            }
            _ => Some(message),
        }
    }

    /// Refuses a line. An answer to a request that is still at work is not taken away from it.
    fn refuse(&mut self, refusal: Refusal) {
        let is_taken = refusal.id().is_some_and(|id| self.in_flight.holds(id));
        self.answer(&if is_taken {
            refusal.without_id()
        } else {
            refusal
        });
    }

    fn answer(&mut self, refusal: &Refusal) {
        let outlet = self.outlet.clone();
        let line = refusal.to_json().to_string().into_bytes();
        self.reply = Some(Box::pin(async move { outlet.write(line).await }));
    }
}

/// Says whether a request needs no `initialize` before it, since it says itself what it speaks.
fn opens_inline(request: &ClientRequest) -> bool {
    if matches!(request, ClientRequest::DiscoverRequest(_)) {
        return false;
    }
    let meta = request.get_meta();
    let missing = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28);
    let is_known = meta
        .protocol_version()
        .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version));
    missing.is_empty() && is_known
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let JsonRpcMessage::Response(response) = &item
            && matches!(response.result, ServerResult::InitializeResult(_))
            && self.phase == Phase::Greeting
        {
            self.phase = Phase::Open;
        }
        let outlet = self.outlet.clone();
        let in_flight = self.in_flight.clone();
        async move {
            let answered = match &item {
                JsonRpcMessage::Response(response) => Some(&response.id),
                JsonRpcMessage::Error(error) => error.id.as_ref(),
                _ => None,
            };
            // The client may use the id again as soon as it has read the answer, but the room is
            // taken until the answer is out.
            let _room = answered.and_then(|id| in_flight.release(id));
            let line = serde_json::to_vec(&item)?;
            drop(item);
            outlet.write(line).await
        }
    }

    async fn receive(&mut self) -> Option<ClientMessage> {
        let outlet = self.outlet.clone();
        tokio::select! {
            message = self.next() => message,
            () = outlet.broken() => {
                debug!("the client reads no more");
                None
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}
