//! Accepts connections until shutdown, then lets running requests finish.
//!
//! Owns the deadlines of a connection; `connections` owns how many there may be. HTTP/1.1 and HTTP/2 share one port:
//! the first bytes of a connection show which it is.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use hyper::Version;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::certificate::Certificate;
use super::connections::{ConnectionSlot, ConnectionState, ConnectionTable};
use super::error_body::ErrorBodyRewriter;
use super::handle::handle;
use super::response_body::ServedBody;
use super::strict_stream::StrictStream;
use super::tls;
use super::transport::{ListenerRole, Transport};
use super::write_adapter::WriteAdapter;
use super::write_timeout::WriteTimeout;
use crate::gateway::Gateway;
use crate::settings::Limits;

/// How long to wait after `accept` failed, usually because the process is out of file descriptors.
const ACCEPT_RETRY_MS: u64 = 50;
/// How much of the responses of one HTTP/2 connection the library buffers for each request.
const SEND_BUFFER_BYTES: usize = 64 * 1024;

impl Gateway {
    /// Serves connections until `stop` completes. Running requests then get a limited time to finish.
    pub async fn serve(&self, listener: TcpListener, stop: impl Future<Output = ()>) {
        self.accept(listener, None, ListenerRole::Api, stop).await;
    }

    /// Answers the health probes of Microsoft's emulators (`/alive`, `/ready`, `/status`) and nothing else, until
    /// `stop` completes.
    pub async fn serve_health(&self, listener: TcpListener, stop: impl Future<Output = ()>) {
        self.accept(listener, None, ListenerRole::Health, stop).await;
    }

    /// Serves the explorer at `/` and the API that it uses, until `stop` completes; with a certificate, over TLS.
    ///
    /// # Errors
    /// [`model::ValidationError`] when the certificate cannot be used.
    pub async fn serve_explorer(
        &self,
        listener: TcpListener,
        certificate: Option<&Certificate>,
        stop: impl Future<Output = ()>,
    ) -> model::Result<()> {
        let acceptor = certificate.map(tls::build_acceptor).transpose()?;
        self.accept(listener, acceptor, ListenerRole::Explorer, stop).await;
        Ok(())
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
        self.accept(listener, Some(acceptor), ListenerRole::Api, stop).await;
        Ok(())
    }

    async fn accept(
        &self,
        listener: TcpListener,
        tls: Option<TlsAcceptor>,
        role: ListenerRole,
        stop: impl Future<Output = ()>,
    ) {
        let limits = self.settings().limits;
        let table = ConnectionTable::new(&limits);
        let graceful = GracefulShutdown::new();
        tokio::pin!(stop);
        loop {
            let (stream, address) = tokio::select! {
                () = &mut stop => break,
                accepted = listener.accept() => match accepted {
                    Ok(accepted) => accepted,
                    Err(_) => {
                        // Usually the process is out of file descriptors.
                        table.close_longest_idle();
                        tokio::time::sleep(Duration::from_millis(ACCEPT_RETRY_MS)).await;
                        continue;
                    }
                },
            };
            // While every connection is busy, this client waits, and all others in the backlog of the socket. Not
            // before `accept`: a connection that is idle now may be busy when the next client comes.
            tokio::select! {
                () = &mut stop => break,
                () = table.wait_for_room() => {}
            }
            let now = self.engine().environment().stopwatch();
            // Without a slot the connection is closed here: its address has as many busy ones as it may have.
            let Some(slot) = table.admit(address.ip(), now) else { continue };
            let (tls, watcher) = (tls.clone(), graceful.watcher());
            tokio::spawn(self.clone().serve_connection(stream, tls, role, slot, watcher));
        }
        // Closed before waiting, so that new clients are refused at once and can try another server.
        drop(listener);
        let finish = graceful.shutdown();
        // Connections that are still open after this time are dropped.
        let _ = tokio::time::timeout(Duration::from_millis(limits.stop_ms_max), finish).await;
    }

    /// Serves one connection until it ends. Its errors concern only its client.
    async fn serve_connection(
        self,
        stream: TcpStream,
        tls: Option<TlsAcceptor>,
        role: ListenerRole,
        slot: ConnectionSlot,
        watcher: Watcher,
    ) {
        // Responses are small and written in one piece; waiting to fill a packet would only delay them.
        let _ = stream.set_nodelay(true);
        let state = Arc::clone(&slot.0);
        let first_head_max = Duration::from_millis(self.settings().limits.first_head_ms_max);
        let mut first_head_timeout = std::pin::pin!(tokio::time::sleep(first_head_max));
        let mut is_new = true;
        let mut serving = std::pin::pin!(self.serve_stream(stream, tls, role, &state, watcher));
        loop {
            // Served first: when the connection becomes idle in this very turn, its response is written before
            // `closed` looks.
            tokio::select! {
                biased;
                () = &mut serving => break,
                () = state.closed() => break,
                () = &mut first_head_timeout, if is_new => {
                    if !state.has_requested() {
                        break;
                    }
                    is_new = false;
                }
            }
        }
    }

    async fn serve_stream(
        self,
        stream: TcpStream,
        tls: Option<TlsAcceptor>,
        role: ListenerRole,
        state: &Arc<ConnectionState>,
        watcher: Watcher,
    ) {
        match tls {
            None => self.serve_requests(stream, Transport::http(role), state, watcher).await,
            Some(tls) => {
                if let Ok(stream) = tls.accept(stream).await {
                    self.serve_requests(stream, Transport::https(role), state, watcher).await;
                }
            }
        }
    }

    async fn serve_requests(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        transport: Transport,
        state: &Arc<ConnectionState>,
        watcher: Watcher,
    ) {
        let limits = self.settings().limits;
        let builder = connection_builder(&limits);
        let stream = StrictStream::new(stream);
        let stream = WriteAdapter::new(stream, WriteTimeout::new(Arc::clone(state), &limits));
        let stream = WriteAdapter::new(stream, ErrorBodyRewriter::new(self.clone()));
        let response_max = Duration::from_millis(limits.response_ms_max);
        let state = Arc::clone(state);
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            let (gateway, state) = (self.clone(), Arc::clone(&state));
            async move {
                let environment = gateway.engine().environment();
                let is_http2 = request.version() == Version::HTTP_2;
                let started = environment.stopwatch();
                let mut in_progress = state.begin_request(started);
                let (response, ended) = handle(&gateway, request, transport, started).await;
                in_progress.ends_at(ended);
                Ok::<_, Infallible>(response.map(|body| match is_http2 {
                    true => ServedBody::in_pieces(body, in_progress, &state, response_max),
                    false => ServedBody::whole(body, in_progress),
                }))
            }
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
        // Above our own limit `check_head` refuses with an error body. The library would refuse without one, so its
        // limit is higher; it only bounds memory.
        .max_header_list_size(u32::try_from(limits.header_bytes_max * 8).unwrap_or(u32::MAX))
        .max_concurrent_streams(limits.requests_per_connection_max)
        .max_send_buf_size(SEND_BUFFER_BYTES)
        .keep_alive_interval(Duration::from_secs(60));
    builder
}
