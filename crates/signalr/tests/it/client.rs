//! A small client: WebSockets over a stream in memory, and single HTTP requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use futures::{SinkExt as _, StreamExt as _};
use http_body_util::BodyExt as _;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use planisphere_signalr::{Hub, HubBuilder, HubOptions};
use serde_json::Value;
use tokio::io::DuplexStream;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};
use tower::ServiceExt as _;

/// Longer than any timer of a hub: on a clock that stands still, nothing will come any more.
const FOREVER: Duration = Duration::from_secs(3600);

/// A hub with countable ids.
pub(crate) fn builder<S: Send + Sync + 'static>(state: S, options: HubOptions) -> HubBuilder<S> {
    let counter = AtomicU64::new(1);
    Hub::builder(state).options(options).random(Arc::new(move |bytes: &mut [u8]| {
        let number = counter.fetch_add(1, Ordering::SeqCst).to_be_bytes();
        for (byte, value) in bytes.iter_mut().rev().zip(number.iter().rev()) {
            *byte = *value;
        }
    }))
}

/// One WebSocket.
pub(crate) struct Client {
    socket: WebSocketStream<DuplexStream>,
    /// Messages of a frame that held several.
    pending: std::collections::VecDeque<Vec<u8>>,
}

impl Client {
    /// Opens a WebSocket, or says which status refused it.
    pub(crate) async fn open(
        routes: &Router,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, StatusCode> {
        Self::open_with_buffer(routes, path, headers, 1 << 20).await
    }

    /// The buffer represents the network: a client that does not read fills it.
    pub(crate) async fn open_with_buffer(
        routes: &Router,
        path: &str,
        headers: &[(&'static str, &str)],
        buffer_bytes: usize,
    ) -> Result<Self, StatusCode> {
        let (near, far) = tokio::io::duplex(buffer_bytes);
        let service = TowerToHyperService::new(routes.clone());
        tokio::spawn(async move {
            let builder = Builder::new(TokioExecutor::new());
            let _ = builder.serve_connection_with_upgrades(TokioIo::new(far), service).await;
        });
        let mut request = format!("ws://hub{path}").into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        match tokio_tungstenite::client_async(request, near).await {
            Ok((socket, _)) => Ok(Self { socket, pending: Default::default() }),
            Err(Error::Http(response)) => Err(response.status()),
            Err(error) => panic!("{error}"),
        }
    }

    /// Opens a WebSocket and shakes hands in JSON.
    pub(crate) async fn connect(routes: &Router) -> Self {
        Self::connect_as(routes, None).await
    }

    pub(crate) async fn connect_as(routes: &Router, user: Option<&str>) -> Self {
        let headers: Vec<(&'static str, &str)> =
            user.map(|user| ("x-user", user)).into_iter().collect();
        let mut client = Self::open(routes, "/hub", &headers).await.unwrap();
        client.send(r#"{"protocol":"json","version":1}"#).await;
        assert_eq!(client.next().await.as_deref(), Some("{}"));
        client
    }

    /// Sends a message and its separator.
    pub(crate) async fn send(&mut self, text: &str) {
        self.send_raw(&format!("{text}\u{1e}")).await;
    }

    pub(crate) async fn send_raw(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    pub(crate) async fn send_bytes(&mut self, bytes: Vec<u8>) {
        self.socket.send(Message::binary(bytes)).await.unwrap();
    }

    /// The next message without its separator. Nothing: the socket has ended.
    pub(crate) async fn next(&mut self) -> Option<String> {
        self.next_bytes().await.map(|bytes| String::from_utf8(bytes).unwrap())
    }

    pub(crate) async fn next_bytes(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(message) = self.pending.pop_front() {
                return Some(message);
            }
            match timeout(FOREVER, self.socket.next()).await.expect("nothing more comes")? {
                Ok(Message::Text(text)) => {
                    let parts = text.as_bytes().split(|byte| *byte == 0x1e);
                    self.pending.extend(parts.filter(|part| !part.is_empty()).map(<[u8]>::to_vec));
                }
                Ok(Message::Binary(bytes)) => return Some(bytes.to_vec()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// The next message that is no ping.
    pub(crate) async fn next_message(&mut self) -> Option<String> {
        loop {
            match self.next().await {
                Some(text) if text == r#"{"type":6}"# => {}
                other => return other,
            }
        }
    }

    /// Sends a message and expects the next one that is no ping.
    pub(crate) async fn check(&mut self, sent: &str, expected: &str) {
        self.send(sent).await;
        assert_eq!(self.next_message().await.as_deref(), Some(expected), "{sent}");
    }

    /// Breaks the connection without saying so.
    pub(crate) fn cut(self) {
        drop(self.socket);
    }

    /// Ends the socket in order.
    pub(crate) async fn close(mut self) {
        let _ = self.socket.close(None).await;
    }
}

/// One request: status and body.
pub(crate) async fn request(
    routes: &Router,
    method: &str,
    uri: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> (StatusCode, String) {
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::from(body.to_owned())).unwrap();
    let response = routes.clone().oneshot(request).await.unwrap();
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

/// Negotiates and gives the answer.
pub(crate) async fn negotiate(routes: &Router, query: &str) -> Value {
    let uri = format!("/hub/negotiate{query}");
    let (status, body) = request(routes, "POST", &uri, &[], "").await;
    assert_eq!(status, StatusCode::OK);
    serde_json::from_str(&body).unwrap()
}

/// Lets everything that can run do so.
pub(crate) async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}
