//! One client on two pipes. Owns when serving it has ended.
//! May not know a tool: it serves any handler.

use rmcp::ServerHandler;
use rmcp::service::{QuitReason, ServerInitializeError, serve_server};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tracing::{debug, info};

use super::gate::OpenToAll;
use super::lines::LineTransport;

/// What can go wrong in serving.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The first exchange failed.
    #[error("the client cannot be served")]
    Greeting(#[source] Box<ServerInitializeError>),
    /// The task that serves broke.
    #[error("serving broke off")]
    Broken(#[source] tokio::task::JoinError),
    /// Other machines reach the address, and need no token.
    #[error(transparent)]
    OpenToAll(OpenToAll),
    /// The address cannot be listened on, or no longer.
    #[error("cannot serve over HTTP")]
    Http(#[source] std::io::Error),
}

/// Serves the client on standard input and output until it has said its last and all its requests
/// are answered.
///
/// # Errors
/// As [`serve_lines`].
pub async fn serve_stdio(handler: impl ServerHandler) -> Result<(), ServeError> {
    serve_lines(handler, tokio::io::stdin(), tokio::io::stdout()).await
}

/// Serves one client on a reader and a writer, as [`serve_stdio`].
///
/// # Errors
/// `Greeting` if nothing could be agreed; `Broken` if the task that serves broke.
pub async fn serve_lines<R, W>(
    handler: impl ServerHandler,
    reader: R,
    writer: W,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    info!("serving a client on lines");
    let transport = LineTransport::new(reader, writer);
    let serving = match serve_server(handler, transport).await {
        Ok(serving) => serving,
        // A client that goes before it has asked for anything, or does not read the answer, is no
        // failure of the server's.
        Err(
            error @ (ServerInitializeError::ConnectionClosed(_)
            | ServerInitializeError::TransportError { .. }),
        ) => {
            debug!(%error, "the client left before it was served");
            return Ok(());
        }
        Err(error) => return Err(ServeError::Greeting(Box::new(error))),
    };
    match serving.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(ServeError::Broken(error)),
        Ok(_) => Ok(()),
    }
}
