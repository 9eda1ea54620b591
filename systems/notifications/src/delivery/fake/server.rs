//! The HTTP server under the fakes: HTTP/1.1 and HTTP/2 without TLS on a port of this machine.
//!
//! Owns connections and the ways they end: answered, dropped, with GOAWAY before or after a request. Does not own what
//! is answered; see `Site`.

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

use super::exchange::{Received, Reply};
use super::script::{Fault, Script};
use super::turn_away::turn_away;

/// What a fake does with a request.
pub(super) enum Answer {
    Reply(Reply),
    ReplyAndGoAway(Reply),
    DropConnection,
}

/// The part of a fake that knows its protocol.
#[async_trait]
pub(super) trait Site: Send + Sync + 'static {
    async fn answer(&self, received: Received) -> Answer;
}

/// A running server; it and its connections end when it is dropped.
#[derive(Debug)]
pub(super) struct Server {
    address: SocketAddr,
    connections: Arc<Connections>,
    accepting: AbortHandle,
}

#[derive(Debug, Default)]
struct Connections {
    opened: AtomicU64,
    ended: watch::Sender<u64>,
    to_turn_away: AtomicUsize,
}

/// How a connection is told to end by the request it carries.
enum End {
    GoAway,
    Drop,
}

impl Server {
    pub(super) async fn start(site: Arc<dyn Site>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let connections = Arc::new(Connections::default());
        let accepting = tokio::spawn(accept(listener, site, Arc::clone(&connections)));
        Ok(Self { address, connections, accepting: accepting.abort_handle() })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn connections(&self) -> u64 {
        self.connections.opened.load(Ordering::SeqCst)
    }

    pub(super) async fn until_ended(&self, count: u64) {
        // The sender lives in `self`, so the wait ends only by the count.
        let _ = self.connections.ended.subscribe().wait_for(|ended| *ended >= count).await;
    }

    pub(super) fn turn_away(&self, count: usize) {
        self.connections.to_turn_away.store(count, Ordering::SeqCst);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, site: Arc<dyn Site>, connections: Arc<Connections>) {
    // Aborting this task drops the set, which ends the connections too.
    let mut running = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while running.try_join_next().is_some() {}
        let number = connections.opened.fetch_add(1, Ordering::SeqCst) + 1;
        let less_one = |count: usize| count.checked_sub(1);
        let turned_away =
            connections.to_turn_away.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less_one);
        let (site, connections) = (Arc::clone(&site), Arc::clone(&connections));
        running.spawn(async move {
            match turned_away {
                Ok(_) => turn_away(stream).await,
                Err(_) => serve(stream, site, number).await,
            }
            connections.ended.send_modify(|ended| *ended += 1);
        });
    }
}

async fn serve(stream: TcpStream, site: Arc<dyn Site>, number: u64) {
    let (ends, mut ending) = mpsc::unbounded_channel();
    let service =
        service_fn(move |request| respond(request, Arc::clone(&site), number, ends.clone()));
    let builder = auto::Builder::new(TokioExecutor::new());
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    loop {
        tokio::select! {
            _ = connection.as_mut() => return,
            Some(end) = ending.recv() => match end {
                End::GoAway => connection.as_mut().graceful_shutdown(),
                End::Drop => return,
            },
        }
    }
}

async fn respond(
    request: Request<Incoming>,
    site: Arc<dyn Site>,
    connection: u64,
    ends: mpsc::UnboundedSender<End>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let answer = match Received::read(request, connection).await {
        Some(received) => site.answer(received).await,
        None => Answer::Reply(Reply::status(413)),
    };
    match answer {
        Answer::Reply(reply) => Ok(reply.encode()),
        Answer::ReplyAndGoAway(reply) => {
            let _ = ends.send(End::GoAway);
            Ok(reply.encode())
        }
        Answer::DropConnection => {
            let _ = ends.send(End::Drop);
            ends.closed().await;
            Ok(Reply::status(500).encode())
        }
    }
}

/// Records a request and does with it what the script says, or accepts it when nothing is wrong with it.
pub(super) async fn act(
    script: &Script,
    received: Received,
    target: &str,
    wrong: Option<(String, Reply)>,
    accept: impl FnOnce() -> Reply,
) -> Answer {
    script.receive(received);
    if let Some((sentence, _)) = &wrong {
        script.violate(sentence.clone());
    }
    let fault = script.take_fault(target);
    if let Some(Fault::Hold(gate)) = &fault {
        gate.passed().await;
    }
    match (fault, wrong) {
        (Some(Fault::Reply(reply)), _) => Answer::Reply(reply),
        (Some(Fault::DropConnection), _) => Answer::DropConnection,
        (_, Some((_, refusal))) => Answer::Reply(refusal),
        (Some(Fault::GoAwayAfter), None) => Answer::ReplyAndGoAway(accept()),
        (Some(Fault::Hold(_)) | None, None) => Answer::Reply(accept()),
    }
}
