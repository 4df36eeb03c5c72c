//! `mcp`: the tools for a client that speaks the Model Context Protocol.

use std::io::{IsTerminal, stdin};
use std::net::{SocketAddr, TcpListener as StdListener};

use tokio::net::TcpListener;

use super::summarising;
use crate::cli::args::{McpArgs, ToolArg};
use crate::cli::config::{MCP_TOKEN, Settings};
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, with_sources};
use crate::cli::interrupt;
use crate::cli::reply::Reply;
use crate::cli::terminal::{Talk, print_note};
use crate::domain::Window;
use crate::engine::OpenMode;
use crate::mcp::{
    Binding, HTTP_PATH, HostTool, HttpOptions, MemoryServer, ServeError, ServerOptions, Sight,
    Token, serve_http, serve_stdio,
};
use crate::tools::OptionalTool;

pub(super) async fn run(settings: &Settings, args: &McpArgs, talk: Talk) -> Result<Reply, Failure> {
    let options = options(args, settings.window.window());
    let http = match args.http {
        Some(address) => Some(listen(settings, args, address)?),
        None => None,
    };
    let serving = summarising(settings, OpenMode::Create, async |engine| {
        let handler = MemoryServer::new(engine.clone(), options);
        interrupt::await_signal();
        match http {
            Some((listener, http)) => serve_port(listener, http, handler, talk).await?,
            None => Box::pin(serve_pipes(handler, talk)).await?,
        }
        // What there was to say has been said to the client.
        Ok(Reply::streamed())
    });
    // It is large, and there is one.
    Box::pin(serving).await
}

async fn serve_pipes(handler: MemoryServer, talk: Talk) -> Result<(), Failure> {
    if talk == Talk::Usual && stdin().is_terminal() {
        print_note("waiting for a client on standard input; Ctrl-C ends it");
    }
    tokio::select! {
        served = serve_stdio(handler) => served.map_err(|error| failure(&error)),
        () = interrupt::asked_as_server() => Ok(()),
    }
}

async fn serve_port(
    listener: StdListener,
    http: HttpOptions,
    handler: MemoryServer,
    talk: Talk,
) -> Result<(), Failure> {
    let listener = TcpListener::from_std(listener).map_err(|error| cannot_listen(&error))?;
    if talk == Talk::Usual {
        let address = listener
            .local_addr()
            .map_err(|error| cannot_listen(&error))?;
        print_note(&format!(
            "serving at http://{address}{HTTP_PATH}; Ctrl-C ends it"
        ));
    }
    let make = move || handler.clone();
    serve_http(listener, http, make, interrupt::asked_as_server())
        .await
        .map_err(|error| failure(&error))
}

/// Takes the address before a store is made for a server that cannot be.
fn listen(
    settings: &Settings,
    args: &McpArgs,
    address: SocketAddr,
) -> Result<(StdListener, HttpOptions), Failure> {
    let mut http = HttpOptions::new();
    http.allowed_hosts.clone_from(&args.allow_host);
    http.allowed_origins.clone_from(&args.allow_origin);
    http.token = token(settings, args)?;
    http.check(address).map_err(|error| {
        Failure::usage(error.to_string()).with_hint(
            "put a token into HIPPOCAMP_MCP_TOKEN or a file for --token-file, or listen on \
             127.0.0.1",
        )
    })?;
    let listener = StdListener::bind(address).map_err(|error| {
        Failure::new(
            Exit::Failed,
            "io",
            format!("cannot listen on {address}: {error}"),
        )
        .with_hint("another port may be free; port 0 takes one that is")
    })?;
    // The runtime polls it.
    listener
        .set_nonblocking(true)
        .map_err(|error| cannot_listen(&error))?;
    Ok((listener, http))
}

/// Reads the token, which is never on the command line, where others can read it.
fn token(settings: &Settings, args: &McpArgs) -> Result<Option<Token>, Failure> {
    let (text, place) = if let Some(path) = &args.token_file {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::usage(format!(
                "cannot read the token in {}: {error}",
                path.display()
            ))
            .with_hint("--token-file names a file that holds the token and nothing else")
        })?;
        (text, path.display().to_string())
    } else if let Some(text) = settings.providers.get(MCP_TOKEN) {
        (text, MCP_TOKEN.to_owned())
    } else {
        return Ok(None);
    };
    let token = Token::new(&text);
    token
        .map(Some)
        .map_err(|error| Failure::usage(format!("{place}: {error}")))
}

fn cannot_listen(error: &std::io::Error) -> Failure {
    Failure::new(Exit::Failed, "io", format!("cannot listen: {error}"))
}

fn options(args: &McpArgs, window: Window) -> ServerOptions {
    let binding = match &args.session {
        Some(key) => Binding::Session(key.clone()),
        None => Binding::Unbound,
    };
    let sight = if args.confine {
        Sight::Confined
    } else {
        Sight::Store
    };
    let options = ServerOptions::new().binding(binding).sight(sight);
    args.with.iter().fold(options, |options, tool| match tool {
        ToolArg::ShortCompact => options.with(OptionalTool::ShortCompact),
        ToolArg::Pin => options.with(OptionalTool::Pin),
        ToolArg::Remember => options.with_host(HostTool::Remember(window)),
        ToolArg::Context => options.with_host(HostTool::Context),
    })
}

fn failure(error: &ServeError) -> Failure {
    Failure::new(Exit::Failed, "failed", with_sources(error))
}
