//! Accepting connections, and a graceful shutdown.
//!
//! Owns how many connections may be open, how slow they may be, and how long running requests may take after the
//! shutdown signal. Event streams end by themselves when the signal is triggered. Does not own TLS and HTTP/2: a proxy
//! in front does.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use axum::middleware::AddExtension;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tower::{Service as _, ServiceExt as _};

use super::shutdown::ShutdownSignal;

/// The delay before accepting again after the listener itself failed.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_secs(1);

/// Limits of one listener.
#[derive(Clone, Copy, Debug)]
pub struct ServeOptions {
    /// Time that running requests have to finish after the shutdown signal.
    pub grace: Duration,
    /// Time within which a connection must send the head of its next request.
    pub header_read: Duration,
    /// Maximum number of open connections.
    pub connections_max: usize,
}

/// Serves HTTP/1.1 until the shutdown signal, then waits for running requests, at most for the grace period.
///
/// When the maximum number of connections is open, new ones wait in the backlog of the listener. A listener that fails
/// is retried.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    shutdown: &ShutdownSignal,
    options: ServeOptions,
) {
    let permits = Arc::new(Semaphore::new(options.connections_max));
    let mut connections = JoinSet::new();
    let mut services = router.into_make_service_with_connect_info::<SocketAddr>();
    while let Some((stream, address, permit)) = accept(&listener, &permits, shutdown).await {
        // Reap finished tasks here; otherwise the set grows with every connection ever accepted.
        while connections.try_join_next().is_some() {}
        let Ok(service) = services.call(address).await;
        let shutdown = shutdown.clone();
        connections.spawn(async move {
            serve_connection(stream, service, &shutdown, options.header_read).await;
            drop(permit);
        });
    }
    // Close the socket before waiting: clients must get a refused connection, not one that nobody will answer.
    drop(listener);
    let finished = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(options.grace, finished).await.is_err() {
        let grace_ms = options.grace.as_millis();
        // Dropping the set aborts what is left.
        tracing::warn!(grace_ms, "some requests did not finish in time");
    }
}

/// The next connection with its permit; `None` after the shutdown signal.
async fn accept(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
    shutdown: &ShutdownSignal,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let accepting = async {
        if permits.available_permits() == 0 {
            tracing::warn!("all connections are taken (Http:ConnectionsMax); further ones wait");
        }
        // The permit comes first: an accepted connection that has to wait for one would hang instead of queueing.
        let permit = Arc::clone(permits).acquire_owned().await.ok()?;
        loop {
            match listener.accept().await {
                Ok((stream, address)) => {
                    // An event of a stream or a hub is small: held back until the one before it is confirmed, it would
                    // arrive 40 ms late. Without the option the connection works, only slower.
                    let _ = stream.set_nodelay(true);
                    return Some((stream, address, permit));
                }
                Err(error) if is_connection_error(&error) => {}
                Err(error) => {
                    // For example too many open files: retrying at once would spin until some are closed.
                    tracing::error!(%error, "no connection can be accepted now");
                    tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                }
            }
        }
    };
    tokio::select! {
        biased;
        () = shutdown.triggered() => None,
        accepted = accepting => accepted,
    }
}

/// Serves the requests of one connection until it closes or the service shuts down.
async fn serve_connection(
    stream: TcpStream,
    service: AddExtension<Router, ConnectInfo<SocketAddr>>,
    shutdown: &ShutdownSignal,
    header_read: Duration,
) {
    let service = service.map_request(|request: Request<Incoming>| request.map(Body::new));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(header_read);
    let service = TowerToHyperService::new(service);
    // With upgrades: a WebSocket lives on after its request, and no longer counts as a connection of this server.
    let serving = builder.serve_connection(TokioIo::new(stream), service).with_upgrades();
    let mut serving = std::pin::pin!(serving);
    let ended = tokio::select! {
        ended = serving.as_mut() => ended,
        () = shutdown.triggered() => {
            // Finishes the request under way, then closes instead of keeping the connection alive.
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Whether accepting failed because of one connection, which is gone, and not because of the listener.
fn is_connection_error(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn small_events_are_not_held_back_until_earlier_ones_are_confirmed() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let permits = Arc::new(Semaphore::new(1));
        let (stream, ..) = accept(&listener, &permits, &ShutdownSignal::new()).await.unwrap();
        assert!(stream.nodelay().unwrap());
    }
}
