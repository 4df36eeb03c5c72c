//! Streamable HTTP. Owns the listener's life, and what a request must be before the SDK sees it.
//! May not know a tool: it serves any handler.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use rmcp::ServerHandler;
use rmcp::model::{ClientRequest, JsonRpcMessage};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tracing::{info, warn};

use super::advice::Asked;
use super::bodies::{Bodies, Unread};
use super::connections::{Bounded, Pulse};
use super::decode::{Decoded, Reason, Refusal, decode};
use super::gate::{HttpOptions, Token, names_one_place};
use super::reader::MAX_MESSAGE_BYTES;
use super::sessions::Sessions;
use super::stdio::ServeError;

/// The path that is served.
pub const HTTP_PATH: &str = "/mcp";

/// Sessions at a time at most: a bound on what clients that never say goodbye leave behind.
const SESSIONS: usize = 1_024;
/// Seconds after which a client that found no room may ask again.
const AGAIN_AFTER: &str = "5";
/// How long clients are given to take their answers when the server is asked to end.
const GOODBYE: Duration = Duration::from_secs(1);

/// What every request passes.
struct Gate {
    token: Option<Token>,
    sessions: Arc<Sessions>,
    bodies: Bodies,
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
    let sessions = Arc::new(Sessions::new());
    let config = config(&options, address);
    let end = config.cancellation_token.clone();
    let service = StreamableHttpService::new(move || Ok(make()), Arc::clone(&sessions), config);
    let gate = Arc::new(Gate {
        token: options.token,
        sessions,
        bodies: Bodies::new(),
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
        Method::POST => {
            // The SDK checks Host and Origin before anything else, and whose are not let in has
            // nothing read.
            let first = next.clone().run(head_of(&request)).await;
            if first.status() != StatusCode::METHOD_NOT_ALLOWED {
                return asked.advise(first).await;
            }
            match read(&gate, request).await {
                Ok(request) => request,
                Err(response) => return *response,
            }
        }
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

/// Returns a request of the same head by a method that the SDK refuses, without a body.
fn head_of(request: &Request) -> Request {
    let mut head = Request::new(Body::empty());
    *head.method_mut() = Method::OPTIONS;
    head.uri_mut().clone_from(request.uri());
    head.headers_mut().clone_from(request.headers());
    head
}

/// Reads a body whole, and refuses what is no message in the words of the protocol.
async fn read(gate: &Gate, request: Request) -> Result<Request, Box<Response>> {
    let (mut parts, body) = request.into_parts();
    let read = gate.bodies.read(body).await;
    let (body, room) = read.map_err(|why| Box::new(unread(why)))?;
    // The SDK hands this on with the request: the room is free once that is done.
    parts.extensions.insert(room);
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
    if is_greeting && gate.sessions.count().await >= SESSIONS {
        warn!(sessions = SESSIONS, "refused a session too many");
        return Err(Box::new(refused(
            StatusCode::SERVICE_UNAVAILABLE,
            &Refusal::new(Reason::Crowded),
        )));
    }
    Ok(Request::from_parts(parts, Body::from(body)))
}

fn unread(why: Unread) -> Response {
    let (status, reason) = match why {
        Unread::TooLong => (StatusCode::PAYLOAD_TOO_LARGE, Reason::TooLong),
        Unread::Broken => (StatusCode::BAD_REQUEST, Reason::Broken),
        Unread::TooLate => return StatusCode::REQUEST_TIMEOUT.into_response(),
        Unread::NoRoom => {
            warn!("refused a request that found no room for its body");
            (StatusCode::SERVICE_UNAVAILABLE, Reason::NoRoom)
        }
    };
    let mut response = refused(status, &Refusal::new(reason));
    if status == StatusCode::SERVICE_UNAVAILABLE {
        let again = HeaderValue::from_static(AGAIN_AFTER);
        response.headers_mut().insert(RETRY_AFTER, again);
    }
    response
}

fn refused(status: StatusCode, refusal: &Refusal) -> Response {
    let json = refusal.to_json().to_string();
    (status, [(CONTENT_TYPE, "application/json")], json).into_response()
}
