//! The signals that end a server.

use tokio::signal::unix::{SignalKind, signal};

use crate::error::CommandError;

/// Completes at the first SIGTERM or SIGINT.
pub(crate) fn stop_signal() -> Result<impl Future<Output = ()>, CommandError> {
    let listen = |kind| {
        signal(kind).map_err(|error| {
            CommandError::new("listening for signals", error.to_string()).hint("Run it again")
        })
    };
    let (mut terminate, mut interrupt) =
        (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
