//! Sessions of clients over HTTP. Owns that of two requests with one id the second is answered at
//! once, and that what was sent can be asked for again. May not know a method.
//!
//! The SDK keeps one place for each id: the answer of the first request would go to the second, and
//! nobody would answer that.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_core::Stream;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::common::server_side_http::{ServerSseMessage, SessionId};
use rmcp::transport::streamable_http_server::SessionManager;
use rmcp::transport::streamable_http_server::session::EventStream;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, SessionConfig,
};
use rmcp::{ErrorData, RoleServer};

use super::decode::ID_IN_USE;
use super::in_flight::CalledOff;
use super::kept::{Events, Kept};

/// How long a session without a request is kept.
const IDLE: Duration = Duration::from_hours(1);
/// The id that the SDK gives to the beginning of a stream that belongs to no request.
const BEGINNING: &str = "0";

/// The SDK's sessions, and what they have at work.
pub(super) struct Sessions {
    inner: LocalSessionManager,
    at_work: Mutex<HashMap<SessionId, AtWork>>,
}

/// The requests of a session that are not answered.
#[derive(Debug, Clone, Default)]
struct AtWork(Arc<Mutex<Ids>>);

#[derive(Debug, Default)]
struct Ids {
    at_work: HashSet<RequestId>,
    called_off: CalledOff,
}

impl AtWork {
    /// Takes a request in, unless no other may have its id.
    fn begin(&self, id: &RequestId) -> bool {
        let mut ids = self.lock();
        !ids.called_off.holds(id) && ids.at_work.insert(id.clone())
    }

    fn end(&self, id: &RequestId) {
        self.lock().at_work.remove(id);
    }

    fn call_off(&self, id: &RequestId) {
        let mut ids = self.lock();
        if ids.at_work.remove(id) {
            ids.called_off.note(id);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Ids> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sessions {
    pub(super) fn new() -> Self {
        let mut config = SessionConfig::default();
        config.keep_alive = Some(IDLE);
        let mut inner = LocalSessionManager::default().with_event_store(Arc::new(Kept::new()));
        inner.session_config = config;
        Self {
            inner,
            at_work: Mutex::default(),
        }
    }

    /// Returns how many there are.
    pub(super) async fn count(&self) -> usize {
        self.inner.sessions.read().await.len()
    }

    fn at_work(&self, id: &SessionId) -> Option<AtWork> {
        self.all().get(id).cloned()
    }

    fn all(&self) -> MutexGuard<'_, HashMap<SessionId, AtWork>> {
        self.at_work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answer to a request whose id is in use.
fn in_use(id: RequestId) -> Events {
    let error = ErrorData::invalid_request(ID_IN_USE, None);
    Events::one(ServerSseMessage::from_message(ServerJsonRpcMessage::error(
        error,
        Some(id),
    )))
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = Answering<<LocalSessionManager as SessionManager>::Transport>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, inner) = self.inner.create_session().await?;
        let at_work = AtWork::default();
        self.all().insert(id.clone(), at_work.clone());
        Ok((id, Answering { inner, at_work }))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.all().remove(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let begun = match (&message, self.at_work(id)) {
            (JsonRpcMessage::Request(request), Some(at_work)) => {
                if !at_work.begin(&request.id) {
                    return Ok(Box::pin(in_use(request.id.clone())) as EventStream);
                }
                Some((at_work, request.id.clone()))
            }
            _ => None,
        };
        match self.inner.create_stream(id, message).await {
            Ok(stream) => Ok(Box::pin(stream)),
            Err(error) => {
                if let Some((at_work, request)) = begun {
                    at_work.end(&request);
                }
                Err(error)
            }
        }
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        let called_off = match &message {
            JsonRpcMessage::Notification(notification) => match &notification.notification {
                ClientNotification::CancelledNotification(off) => off.params.request_id.clone(),
                _ => None,
            },
            _ => None,
        };
        self.inner.accept_message(id, message).await?;
        // The SDK answers no request that was called off.
        if let (Some(request), Some(at_work)) = (called_off, self.at_work(id)) {
            at_work.call_off(&request);
        }
        Ok(())
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.inner.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        if last == BEGINNING {
            return Ok(Box::pin(self.inner.create_standalone_stream(id).await?) as EventStream);
        }
        Ok(Box::pin(self.inner.resume(id, last).await?))
    }

    // There is no event store for requests without a session: their clients call them off by going.
}

/// A session's transport that knows when a request is answered.
pub(super) struct Answering<T> {
    inner: T,
    at_work: AtWork,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Answering<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &item {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let at_work = self.at_work.clone();
        let sending = self.inner.send(item);
        async move {
            let sent = sending.await;
            // Not before: another request of this id would get this answer.
            if let Some(id) = answered {
                at_work.end(&id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.inner.receive().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
