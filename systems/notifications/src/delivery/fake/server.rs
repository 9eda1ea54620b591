//! The HTTP server of the fakes: HTTP/1.1 and HTTP/2 without TLS, on a free local port.
//!
//! Owns connections and how they end: after a response, dropped, or with GOAWAY before or after a request. Does not own
//! the responses (`FakeEndpoint`).

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, JoinSet};

use super::goaway::send_goaway;
use super::http_message::{FakeResponse, ReceivedRequest};
use super::script::{Script, ScriptedFault};

/// What the server does with a request.
pub(super) enum ServerAction {
    Respond(FakeResponse),
    RespondAndGoAway(FakeResponse),
    DropConnection,
}

/// The protocol of one fake provider.
#[async_trait]
pub(super) trait FakeEndpoint: Send + Sync + 'static {
    async fn handle(&self, received: ReceivedRequest) -> ServerAction;
}

/// A running server. It closes its connections when it is dropped.
#[derive(Debug)]
pub(super) struct FakeServer {
    address: SocketAddr,
    connections: Arc<Connections>,
    accepting: AbortHandle,
}

#[derive(Debug, Default)]
struct Connections {
    opened: AtomicU64,
    closed: watch::Sender<u64>,
    /// How many of the next connections get GOAWAY.
    goaway_next: AtomicUsize,
}

/// How a request makes its connection end.
enum ConnectionEnd {
    GoAway,
    Drop,
}

impl FakeServer {
    pub(super) async fn start(endpoint: Arc<dyn FakeEndpoint>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let connections = Arc::new(Connections::default());
        let accepting = tokio::spawn(accept(listener, endpoint, Arc::clone(&connections)));
        Ok(Self { address, connections, accepting: accepting.abort_handle() })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn connections(&self) -> u64 {
        self.connections.opened.load(Ordering::SeqCst)
    }

    pub(super) async fn until_closed(&self, count: u64) {
        // The sender is in `self`, so waiting cannot fail.
        let _ = self.connections.closed.subscribe().wait_for(|closed| *closed >= count).await;
    }

    pub(super) fn goaway_next(&self, count: usize) {
        self.connections.goaway_next.store(count, Ordering::SeqCst);
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(
    listener: TcpListener,
    endpoint: Arc<dyn FakeEndpoint>,
    connections: Arc<Connections>,
) {
    // Aborting this task drops the set, which closes the connections.
    let mut running = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while running.try_join_next().is_some() {}
        let number = connections.opened.fetch_add(1, Ordering::SeqCst) + 1;
        let decrement = |count: usize| count.checked_sub(1);
        let gets_goaway =
            connections.goaway_next.fetch_update(Ordering::SeqCst, Ordering::SeqCst, decrement);
        let (endpoint, connections) = (Arc::clone(&endpoint), Arc::clone(&connections));
        running.spawn(async move {
            match gets_goaway {
                Ok(_) => send_goaway(stream).await,
                Err(_) => serve(stream, endpoint, number).await,
            }
            connections.closed.send_modify(|closed| *closed += 1);
        });
    }
}

async fn serve(stream: TcpStream, endpoint: Arc<dyn FakeEndpoint>, number: u64) {
    let (ends, mut ending) = mpsc::unbounded_channel();
    let service =
        service_fn(move |request| respond(request, Arc::clone(&endpoint), number, ends.clone()));
    let builder = auto::Builder::new(TokioExecutor::new());
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    loop {
        tokio::select! {
            _ = connection.as_mut() => return,
            Some(end) = ending.recv() => match end {
                ConnectionEnd::GoAway => connection.as_mut().graceful_shutdown(),
                ConnectionEnd::Drop => return,
            },
        }
    }
}

async fn respond(
    request: Request<Incoming>,
    endpoint: Arc<dyn FakeEndpoint>,
    connection: u64,
    ends: mpsc::UnboundedSender<ConnectionEnd>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let action = match ReceivedRequest::read(request, connection).await {
        Some(received) => endpoint.handle(received).await,
        None => ServerAction::Respond(FakeResponse::status(413)),
    };
    match action {
        ServerAction::Respond(reply) => Ok(reply.encode()),
        ServerAction::RespondAndGoAway(reply) => {
            let _ = ends.send(ConnectionEnd::GoAway);
            Ok(reply.encode())
        }
        ServerAction::DropConnection => {
            let _ = ends.send(ConnectionEnd::Drop);
            // Never responds: the connection is dropped under it, and the client sees that instead of a status.
            ends.closed().await;
            Ok(FakeResponse::status(500).encode())
        }
    }
}

/// Records a request, then does what the script says, or accepts it if it is valid.
pub(super) async fn respond_by_script(
    script: &Script,
    received: ReceivedRequest,
    target: &str,
    rejection: Option<(String, FakeResponse)>,
    accept: impl FnOnce() -> FakeResponse,
) -> ServerAction {
    // Before a gate holds it, so that a test can wait for the request and then act.
    script.record_request(received);
    if let Some((violation, _)) = &rejection {
        script.record_violation(violation.clone());
    }
    let fault = script.take_fault(target);
    if let Some(ScriptedFault::Hold(gate)) = &fault {
        gate.wait_until_open().await;
    }
    match (fault, rejection) {
        (Some(ScriptedFault::Respond(reply)), _) => ServerAction::Respond(reply),
        (Some(ScriptedFault::DropConnection), _) => ServerAction::DropConnection,
        (_, Some((_, refusal))) => ServerAction::Respond(refusal),
        (Some(ScriptedFault::GoAwayAfter), None) => ServerAction::RespondAndGoAway(accept()),
        (Some(ScriptedFault::Hold(_)) | None, None) => ServerAction::Respond(accept()),
    }
}
