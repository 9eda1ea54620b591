//! Slow clients, too many connections, too many streams.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use client::Environment;
use service::http::{
    EventRing, EventStreamRequest, HttpSettings, OpenApiRouter, ShutdownSignal, routes,
};
use service::identity::{Caller, IdentitySettings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt;

use crate::fixture::Fixture;

/// Counts its requests.
fn counting() -> Router {
    let count = Arc::new(AtomicU32::new(0));
    let next = move || async move { (count.fetch_add(1, Ordering::SeqCst) + 1).to_string() };
    Router::new().route("/count", axum::routing::get(next))
}

async fn serve(fixture: &Fixture) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (server, router) = (fixture.server.clone(), fixture.router.clone());
    tokio::spawn(async move { server.serve_at(listener, router).await });
    address
}

const REQUEST: &[u8] = b"GET /count HTTP/1.1\r\nhost: here\r\n\r\n";

/// The number in the next answer of a connection.
async fn answer(client: &mut TcpStream) -> u32 {
    let mut text = String::new();
    loop {
        let mut bytes = [0; 1024];
        let read = client.read(&mut bytes).await.unwrap();
        assert!(read > 0, "it was closed after {text:?}");
        text.push_str(std::str::from_utf8(&bytes[..read]).unwrap());
        let body = text.split_once("\r\n\r\n").map(|(_, body)| body);
        if let Some(number) = body.filter(|body| !body.is_empty()) {
            return number.parse().unwrap();
        }
    }
}

async fn ask(client: &mut TcpStream) -> u32 {
    client.write_all(REQUEST).await.unwrap();
    answer(client).await
}

/// Time passes by itself while everybody waits.
#[tokio::test(start_paused = true)]
async fn a_head_that_does_not_come_in_time_closes_the_connection() {
    let fixture = Fixture::new(|_| counting().into());
    let address = serve(&fixture).await;
    for begun in ["", "GET /count HTTP/1.1\r\nhost: here\r\nx-slow: "] {
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(begun.as_bytes()).await.unwrap();
        let mut rest = Vec::new();
        client.read_to_end(&mut rest).await.unwrap();
        assert!(!rest.starts_with(b"HTTP/1.1 200"), "{begun:?}");
    }
    // So is one that was answered and says nothing more.
    let mut client = TcpStream::connect(address).await.unwrap();
    assert_eq!(ask(&mut client).await, 1);
    let mut rest = Vec::new();
    client.read_to_end(&mut rest).await.unwrap();
    assert!(!rest.starts_with(b"HTTP/1.1 200"));
}

#[tokio::test]
async fn a_connection_beyond_the_most_waits_for_a_place() {
    let http = HttpSettings { connections_max: 2, ..HttpSettings::default() };
    let fixture = Fixture::with(http, &IdentitySettings::demo(), |_| counting().into());
    let address = serve(&fixture).await;
    let mut first = TcpStream::connect(address).await.unwrap();
    assert_eq!(ask(&mut first).await, 1);
    let mut second = TcpStream::connect(address).await.unwrap();
    assert_eq!(ask(&mut second).await, 2);
    let mut third = TcpStream::connect(address).await.unwrap();
    third.write_all(REQUEST).await.unwrap();
    for number in 3..10 {
        assert_eq!(ask(&mut first).await, number, "the third one waits");
    }
    drop(second);
    assert_eq!(answer(&mut third).await, 10);
}

#[utoipa::path(get, path = "/stream", responses((status = 200, content_type = "text/event-stream")))]
async fn stream(
    State((events, shutdown)): State<(EventRing, ShutdownSignal)>,
    caller: Option<Caller>,
    stream: EventStreamRequest,
) -> Response {
    let topic = caller.map_or_else(String::new, |caller| caller.subject().to_owned());
    events.respond(&topic, stream, &shutdown)
}

fn streaming(http: HttpSettings) -> Fixture {
    Fixture::with(http, &IdentitySettings::demo(), |server| {
        let events = EventRing::new(&Environment::system(), 10);
        OpenApiRouter::new().routes(routes!(stream)).with_state((events, server.shutdown().clone()))
    })
}

#[tokio::test]
async fn streams_are_limited_by_caller_and_in_all() {
    let http = HttpSettings { streams_per_caller: 2, streams_max: 3, ..HttpSettings::default() };
    let fixture = streaming(http);
    let open = async |name: &str| {
        let request = Request::get("/stream").header("authorization", fixture.token(name, &[]));
        fixture.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
    };
    let refused = async |name: &str| {
        let authorization = fixture.token(name, &[]);
        let answer = fixture.get("/stream", &[("authorization", &authorization)]).await;
        assert!(!answer.header("retry-after").is_empty(), "{answer:?}");
        answer.problem()
    };
    let (first, second) = (open("ann").await, open("ann").await);
    assert_eq!((first.status().as_u16(), second.status().as_u16()), (200, 200));
    assert_eq!(refused("ann").await, (429, "too_many_streams".to_owned()));
    let third = open("bob").await;
    assert_eq!(third.status(), 200);
    assert_eq!(refused("cid").await, (503, "streams_full".to_owned()));
    drop(second);
    let fourth = open("cid").await;
    assert_eq!(fourth.status(), 200, "the place of the one that ended");
    assert_eq!(refused("ann").await, (503, "streams_full".to_owned()));
    drop((first, third, fourth));
    assert_eq!(open("ann").await.status(), 200);
}

#[tokio::test]
async fn a_client_that_is_gone_frees_its_stream() {
    let http = HttpSettings { streams_max: 1, ..HttpSettings::default() };
    let fixture = streaming(http);
    let address = serve(&fixture).await;
    for _ in 0..3 {
        // The service notices by itself, a little after the client has gone.
        loop {
            let mut client = TcpStream::connect(address).await.unwrap();
            client.write_all(b"GET /stream HTTP/1.1\r\nhost: here\r\n\r\n").await.unwrap();
            let mut bytes = [0; 12];
            client.read_exact(&mut bytes).await.unwrap();
            match &bytes {
                b"HTTP/1.1 200" => break,
                other => assert_eq!(other, b"HTTP/1.1 503"),
            }
        }
    }
}
