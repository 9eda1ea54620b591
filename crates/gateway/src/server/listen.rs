//! Accepting connections until told to stop, then letting running requests finish.
//!
//! Owns the bounds on connections. HTTP/1.1 and HTTP/2 come to the same port: the first bytes tell.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

use super::bodied::Bodied;
use super::certificate::Certificate;
use super::patient::Patient;
use super::respond::respond;
use super::tls;
use crate::gateway::Gateway;
use crate::settings::Limits;

/// How long to wait after the system refused a connection, usually for want of descriptors.
const REFUSED_MS: u64 = 50;
/// Requests at a time on one HTTP/2 connection.
const STREAMS_MAX: u32 = 256;

impl Gateway {
    /// Serves connections until `stop` completes; running requests then get a bounded time to finish.
    pub async fn serve(&self, listener: TcpListener, stop: impl Future<Output = ()>) {
        self.accept(listener, None, stop).await;
    }

    /// The same over TLS.
    ///
    /// # Errors
    /// [`model::ValidationError`] when the certificate cannot be used.
    pub async fn serve_tls(
        &self,
        listener: TcpListener,
        certificate: &Certificate,
        stop: impl Future<Output = ()>,
    ) -> model::Result<()> {
        let acceptor = tls::acceptor(certificate)?;
        self.offer_certificate(certificate.pem.clone());
        self.accept(listener, Some(acceptor), stop).await;
        Ok(())
    }

    async fn accept(
        &self,
        listener: TcpListener,
        tls: Option<TlsAcceptor>,
        stop: impl Future<Output = ()>,
    ) {
        let limits = self.settings().limits;
        let places = Arc::new(Semaphore::new(limits.connections_max));
        let graceful = GracefulShutdown::new();
        tokio::pin!(stop);
        loop {
            let place = tokio::select! {
                () = &mut stop => break,
                place = Arc::clone(&places).acquire_owned() => place,
            };
            // The semaphore is never closed.
            let Ok(place) = place else { break };
            let stream = tokio::select! {
                () = &mut stop => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    Err(_) => {
                        tokio::time::sleep(Duration::from_millis(REFUSED_MS)).await;
                        continue;
                    }
                },
            };
            let connection = self.clone().connection(stream, tls.clone(), graceful.watcher());
            tokio::spawn(async move {
                connection.await;
                drop(place);
            });
        }
        drop(listener);
        let finish = graceful.shutdown();
        // Whoever is still sending after this time is cut off.
        let _ = tokio::time::timeout(Duration::from_millis(limits.stop_ms_max), finish).await;
    }

    /// Serves one connection to its end; one that breaks concerns only its client.
    async fn connection(self, stream: TcpStream, tls: Option<TlsAcceptor>, watcher: Watcher) {
        // Answers are small and complete; waiting to fill a packet only delays them.
        let _ = stream.set_nodelay(true);
        let Some(tls) = tls else { return self.requests(stream, "http", watcher).await };
        let patience = Duration::from_millis(self.settings().limits.head_ms_max);
        if let Ok(Ok(stream)) = tokio::time::timeout(patience, tls.accept(stream)).await {
            self.requests(stream, "https", watcher).await;
        }
    }

    async fn requests(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        scheme: &'static str,
        watcher: Watcher,
    ) {
        let builder = connection_builder(&self.settings().limits);
        let stream = Patient::new(stream, &self.settings().limits);
        let stream = Bodied::new(stream, self.clone());
        let service = service_fn(move |request| {
            let gateway = self.clone();
            async move { respond(&gateway, request, scheme).await }
        });
        let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
        // The client is gone, or sent something that is no HTTP.
        let _ = watcher.watch(connection).await;
    }
}

fn connection_builder(limits: &Limits) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_millis(limits.head_ms_max))
        .max_buf_size(limits.header_bytes_max)
        .http2()
        .timer(TokioTimer::new())
        // Beyond the limit we refuse with a body; the library, far beyond it, would do so without one.
        .max_header_list_size(u32::try_from(limits.header_bytes_max * 8).unwrap_or(u32::MAX))
        .max_concurrent_streams(STREAMS_MAX)
        .keep_alive_interval(Duration::from_secs(60));
    builder
}
