//! Accepts connections until shutdown, then lets running requests finish.
//!
//! Owns the limits of connections. HTTP/1.1 and HTTP/2 share one port: the first bytes of a connection tell which it
//! is.

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

use super::certificate::Certificate;
use super::error_body::ErrorBodyRewriter;
use super::handle::handle;
use super::idle_timeout::IdleTimeout;
use super::tls;
use crate::gateway::Gateway;
use crate::settings::Limits;

/// How long to wait after `accept` failed, usually because the process is out of file descriptors.
const ACCEPT_RETRY_MS: u64 = 50;
/// Concurrent requests on one HTTP/2 connection. Without a limit, one client could start any number of requests while
/// it counts as one connection.
const STREAMS_MAX: u32 = 256;

impl Gateway {
    /// Serves connections until `stop` completes. Running requests then get a limited time to finish.
    pub async fn serve(&self, listener: TcpListener, stop: impl Future<Output = ()>) {
        self.accept(listener, None, stop).await;
    }

    /// Serves connections over TLS until `stop` completes.
    ///
    /// # Errors
    /// [`model::ValidationError`] when the certificate cannot be used.
    pub async fn serve_tls(
        &self,
        listener: TcpListener,
        certificate: &Certificate,
        stop: impl Future<Output = ()>,
    ) -> model::Result<()> {
        let acceptor = tls::build_acceptor(certificate)?;
        self.publish_certificate(certificate.pem().to_owned());
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
        let permits = Arc::new(Semaphore::new(limits.connections_max));
        let graceful = GracefulShutdown::new();
        tokio::pin!(stop);
        loop {
            // The permit is taken before `accept`: clients beyond the limit wait in the backlog of the socket instead
            // of being accepted and starved.
            let permit = tokio::select! {
                () = &mut stop => break,
                permit = Arc::clone(&permits).acquire_owned() => permit,
            };
            // The semaphore is never closed.
            let Ok(permit) = permit else { break };
            let stream = tokio::select! {
                () = &mut stop => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    Err(_) => {
                        tokio::time::sleep(Duration::from_millis(ACCEPT_RETRY_MS)).await;
                        continue;
                    }
                },
            };
            let connection = self.clone().serve_connection(stream, tls.clone(), graceful.watcher());
            tokio::spawn(async move {
                connection.await;
                // Held as long as the connection lives, whichever way it ends.
                drop(permit);
            });
        }
        // Closed before waiting, so that new clients are refused at once and can try another server.
        drop(listener);
        let finish = graceful.shutdown();
        // Connections that are still open after this time are dropped.
        let _ = tokio::time::timeout(Duration::from_millis(limits.stop_ms_max), finish).await;
    }

    /// Serves one connection until it ends. Its errors concern only its client.
    async fn serve_connection(self, stream: TcpStream, tls: Option<TlsAcceptor>, watcher: Watcher) {
        // Responses are small and written in one piece; waiting to fill a packet would only delay them.
        let _ = stream.set_nodelay(true);
        let Some(tls) = tls else { return self.serve_requests(stream, "http", watcher).await };
        let handshake_max = Duration::from_millis(self.settings().limits.head_ms_max);
        if let Ok(Ok(stream)) = tokio::time::timeout(handshake_max, tls.accept(stream)).await {
            self.serve_requests(stream, "https", watcher).await;
        }
    }

    async fn serve_requests(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        scheme: &'static str,
        watcher: Watcher,
    ) {
        let builder = connection_builder(&self.settings().limits);
        let stream = IdleTimeout::new(stream, &self.settings().limits);
        let stream = ErrorBodyRewriter::new(stream, self.clone());
        let service = service_fn(move |request| {
            let gateway = self.clone();
            async move { handle(&gateway, request, scheme).await }
        });
        let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
        // An error means that the client closed the connection or sent something that is not HTTP.
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
        // Above our own limit `check_headers` refuses with an error body. The library would refuse without one, so its
        // limit is higher; it only bounds memory.
        .max_header_list_size(u32::try_from(limits.header_bytes_max * 8).unwrap_or(u32::MAX))
        .max_concurrent_streams(STREAMS_MAX)
        .keep_alive_interval(Duration::from_secs(60));
    builder
}
