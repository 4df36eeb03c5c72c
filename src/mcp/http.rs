//! Streamable HTTP. Owns the listener's life, and what a request must be before the SDK sees it.
//! May not know a tool: it serves any handler.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use rmcp::ServerHandler;
use rmcp::model::{ClientRequest, JsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tracing::{info, warn};

use super::advice::Asked;
use super::connections::{Bounded, Pulse};
use super::decode::{Decoded, Reason, Refusal, decode};
use super::gate::{HttpOptions, Token, names_one_place};
use super::reader::MAX_MESSAGE_BYTES;
use super::stdio::ServeError;

/// The path that is served.
pub const HTTP_PATH: &str = "/mcp";

/// Sessions at a time at most: a bound on what clients that never say goodbye leave behind.
const SESSIONS: usize = 1_024;
/// How long a session without a request is kept.
const SESSION_IDLE: Duration = Duration::from_hours(1);
/// How long a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(30);
/// How long clients are given to take their answers when the server is asked to end.
const GOODBYE: Duration = Duration::from_secs(1);

/// What every request passes.
struct Gate {
    token: Option<Token>,
    sessions: Arc<LocalSessionManager>,
}

/// Serves clients that come to a listener at [`HTTP_PATH`], each session with a handler that `make`
/// makes, until `until` comes.
///
/// # Errors
/// `OpenToAll` if other machines reach the listener and the options have no token; `Http` if the
/// listener fails.
pub async fn serve_http<H: ServerHandler>(
    listener: TcpListener,
    options: HttpOptions,
    make: impl Fn() -> H + Send + Sync + 'static,
    until: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let address = listener.local_addr().map_err(ServeError::Http)?;
    options.check(address).map_err(ServeError::OpenToAll)?;
    let sessions = Arc::new(sessions());
    let config = config(&options, address);
    let end = config.cancellation_token.clone();
    let service = StreamableHttpService::new(move || Ok(make()), Arc::clone(&sessions), config);
    let gate = Arc::new(Gate {
        token: options.token,
        sessions,
    });
    let app = Router::new()
        .route_service(HTTP_PATH, service)
        .layer(from_fn_with_state(gate, admit));
    let (ending, is_ending) = oneshot::channel();
    let app = app.into_make_service_with_connect_info::<Pulse>();
    let serving = axum::serve(Bounded::new(listener), app).with_graceful_shutdown(async move {
        until.await;
        end.cancel();
        // Nobody waits any more where serving has failed.
        let _ = ending.send(());
    });
    info!(%address, "serving over HTTP");
    tokio::select! {
        served = serving.into_future() => served.map_err(ServeError::Http),
        () = goodbye(is_ending) => Ok(()),
    }
}

/// Returns a while after the server was asked to end: no client can hold it longer.
async fn goodbye(is_ending: oneshot::Receiver<()>) {
    match is_ending.await {
        Ok(()) => tokio::time::sleep(GOODBYE).await,
        Err(_) => std::future::pending().await,
    }
}

fn sessions() -> LocalSessionManager {
    let mut config = SessionConfig::default();
    config.keep_alive = Some(SESSION_IDLE);
    let mut sessions = LocalSessionManager::default();
    sessions.session_config = config;
    sessions
}

fn config(options: &HttpOptions, address: SocketAddr) -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .with_allowed_hosts(options.hosts(address))
        .with_allowed_origins(options.origins(address))
        .enforce_origin_validation()
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES)
}

/// Lets a request on to the SDK, or says why not.
async fn admit(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    if let Some(token) = &gate.token
        && !token.is_shown(request.headers())
    {
        warn!("refused a request without the token");
        let challenge = [(WWW_AUTHENTICATE, "Bearer")];
        let words = "the header Authorization must be Bearer and this server's token\n";
        return (StatusCode::UNAUTHORIZED, challenge, words).into_response();
    }
    if !names_one_place(request.uri(), request.headers()) {
        warn!("refused a request with an odd Host or Origin");
        let words = "the headers Host and Origin may each be there once, with a host and a port\n";
        return (StatusCode::BAD_REQUEST, words).into_response();
    }
    let asked = Asked::of(&request);
    let method = request.method().clone();
    let request = match method {
        Method::POST => match read(&gate, request).await {
            Ok(request) => request,
            Err(response) => return *response,
        },
        _ => request,
    };
    let pulse = request.extensions().get::<ConnectInfo<Pulse>>();
    let work = pulse.map(|ConnectInfo(pulse)| pulse.at_work());
    let mut response = next.run(request).await;
    drop(work);
    if method == Method::DELETE && response.status() == StatusCode::ACCEPTED {
        // The session has gone by now, and some clients take nothing else for it.
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    asked.advise(response).await
}

/// Reads a body whole, and refuses what is no message in the words of the protocol.
async fn read(gate: &Gate, request: Request) -> Result<Request, Box<Response>> {
    let (parts, body) = request.into_parts();
    let length = parts.headers.get(CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if length.is_some_and(|length| length > MAX_MESSAGE_BYTES) {
        return Err(Box::new(too_long()));
    }
    let arriving = tokio::time::timeout(BODY_TIME, to_bytes(body, MAX_MESSAGE_BYTES));
    let body = match arriving.await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            return Err(Box::new(too_long()));
        }
        Err(_) => return Err(Box::new(StatusCode::REQUEST_TIMEOUT.into_response())),
    };
    let message = match decode(&body) {
        Decoded::Message(message) => message,
        Decoded::Blank => {
            let refusal = Refusal::new(Reason::Unreadable("the body is empty".to_owned()));
            return Err(Box::new(refused(StatusCode::BAD_REQUEST, &refusal)));
        }
        Decoded::Refused(refusal) => {
            return Err(Box::new(refused(StatusCode::BAD_REQUEST, &refusal)));
        }
    };
    let is_greeting = matches!(&*message, JsonRpcMessage::Request(request)
        if matches!(request.request, ClientRequest::InitializeRequest(_)));
    if is_greeting && gate.sessions.sessions.read().await.len() >= SESSIONS {
        warn!(sessions = SESSIONS, "refused a session too many");
        return Err(Box::new(refused(
            StatusCode::SERVICE_UNAVAILABLE,
            &Refusal::new(Reason::Crowded),
        )));
    }
    Ok(Request::from_parts(parts, Body::from(body)))
}

fn too_long() -> Response {
    let refusal = Refusal::new(Reason::TooLong);
    refused(StatusCode::PAYLOAD_TOO_LARGE, &refusal)
}

fn refused(status: StatusCode, refusal: &Refusal) -> Response {
    let json = refusal.to_json().to_string();
    (status, [(CONTENT_TYPE, "application/json")], json).into_response()
}
