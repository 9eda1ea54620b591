//! Serving, and stopping without cutting anybody off.
//!
//! Owns the signal to stop, the time that running requests get, and how many connections there are and how slow they
//! may be. Streams of events end with the signal. Does not own TLS and HTTP/2: a proxy in front does.

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
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tower::{Service as _, ServiceExt as _};

/// The wait when no connection can be accepted.
const ACCEPT_AGAIN: Duration = Duration::from_secs(1);

/// The signal to stop. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Stop(watch::Sender<bool>);

impl Stop {
    /// A signal not yet given.
    #[must_use]
    pub fn new() -> Self {
        Self(watch::channel(false).0)
    }

    /// Gives the signal; it stays given.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was given.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits for it.
    pub async fn stopped(&self) {
        let mut receiver = self.0.subscribe();
        // It cannot close: `self` holds the sending side.
        let _ = receiver.wait_for(|stopping| *stopping).await;
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self::new()
    }
}

/// What one listener allows.
#[derive(Clone, Copy, Debug)]
pub struct ServeOptions {
    /// What running requests get after the signal.
    pub grace: Duration,
    /// How long a connection may take to send the head of its next request.
    pub header_read: Duration,
    /// Open connections at most.
    pub connections_max: usize,
}

/// Serves HTTP/1.1 until the signal, then lets running requests finish for at most the grace. When all connections are
/// taken, the next one waits in the queue of the listener. A listener that fails for a while is tried again.
pub async fn serve(listener: TcpListener, router: Router, stop: &Stop, options: ServeOptions) {
    let places = Arc::new(Semaphore::new(options.connections_max));
    let mut connections = JoinSet::new();
    let mut services = router.into_make_service_with_connect_info::<SocketAddr>();
    while let Some((stream, address, place)) = next(&listener, &places, stop).await {
        // What has ended need not be remembered.
        while connections.try_join_next().is_some() {}
        let Ok(service) = services.call(address).await;
        let stop = stop.clone();
        connections.spawn(async move {
            connection(stream, service, &stop, options.header_read).await;
            drop(place);
        });
    }
    // Nobody may connect any more.
    drop(listener);
    let finished = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(options.grace, finished).await.is_err() {
        let grace_ms = options.grace.as_millis();
        tracing::warn!(grace_ms, "some requests did not finish in time");
    }
}

/// The next connection, once there is a place for it; none after the signal.
async fn next(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
    stop: &Stop,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let accepting = async {
        if places.available_permits() == 0 {
            tracing::warn!("all connections are taken (Http:ConnectionsMax); further ones wait");
        }
        let place = Arc::clone(places).acquire_owned().await.ok()?;
        loop {
            match listener.accept().await {
                Ok((stream, address)) => return Some((stream, address, place)),
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    // Such as too many open files: some will be closed.
                    tracing::error!(%error, "no connection can be accepted now");
                    tokio::time::sleep(ACCEPT_AGAIN).await;
                }
            }
        }
    };
    tokio::select! {
        biased;
        () = stop.stopped() => None,
        accepted = accepting => accepted,
    }
}

/// Answers the requests of one connection, until it or the service ends.
async fn connection(
    stream: TcpStream,
    service: AddExtension<Router, ConnectInfo<SocketAddr>>,
    stop: &Stop,
    header_read: Duration,
) {
    let service = service.map_request(|request: Request<Incoming>| request.map(Body::new));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(header_read);
    let serving = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    let mut serving = std::pin::pin!(serving);
    let ended = tokio::select! {
        ended = serving.as_mut() => ended,
        () = stop.stopped() => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Whether an error of accepting is about the one connection, which is gone.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
