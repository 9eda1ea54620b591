//! Serving, and stopping without cutting anybody off.
//!
//! Owns the signal to stop and the time that running requests get. Streams of events end with the signal.

use std::future::IntoFuture;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::watch;

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

/// Serves until the signal, then lets running requests finish for at most `grace`.
///
/// # Errors
/// Those of the listener.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    stop: &Stop,
    grace: Duration,
) -> io::Result<()> {
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    let signal = stop.clone();
    let served = axum::serve(listener, service)
        .with_graceful_shutdown(async move { signal.stopped().await })
        .into_future();
    let grace_over = async {
        stop.stopped().await;
        tokio::time::sleep(grace).await;
    };
    tokio::select! {
        served = served => served,
        () = grace_over => {
            tracing::warn!(grace_ms = grace.as_millis(), "some requests did not finish in time");
            Ok(())
        }
    }
}
