//! Many connections, slow clients and large writes do not keep others from being served.

use std::time::Duration;

use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::bounds::ended;
use crate::client::{DATE, Server, sign};
use gateway::EMULATOR_KEY;

/// Long enough that only a hanging test reaches it.
const WATCHDOG: Duration = Duration::from_secs(60);

async fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(&server.address).await.unwrap()
}

/// A connection that has sent part of a request, and whose handler waits for the rest of the body.
async fn busy(server: &Server) -> TcpStream {
    let authorization = sign("POST", "/dbs", DATE, EMULATOR_KEY);
    let head = format!(
        "POST /dbs HTTP/1.1\r\nhost: localhost\r\nx-ms-date: {DATE}\r\nauthorization: {authorization}\r\n\
         content-length: 10\r\nexpect: 100-continue\r\n\r\n"
    );
    let mut stream = connect(server).await;
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut interim = [0; 25];
    // The server asks for the body, so that its handler is running.
    stream.read_exact(&mut interim).await.unwrap();
    assert!(interim.starts_with(b"HTTP/1.1 100"));
    stream
}

#[tokio::test]
async fn idle_connections_do_not_keep_new_clients_out() {
    let server = Server::with(|settings| {
        settings.limits.connections_max = 8;
        settings.limits.first_head_ms_max = 3_600_000;
        settings.limits.head_ms_max = 3_600_000;
    })
    .await;
    let mut idle = Vec::new();
    for number in 0..8 {
        let mut stream = connect(&server).await;
        let greeting: &[u8] = match number % 3 {
            0 => b"",
            1 => b"GET /alive HTTP/1.1\r\nhost: localhost\r\n",
            _ => b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        };
        stream.write_all(greeting).await.unwrap();
        idle.push(stream);
    }
    let first = server.get("/dbs").send();
    tokio::time::timeout(WATCHDOG, first).await.expect("the server is reachable").expect(200);
    // The one that has been silent for the longest time had to go.
    tokio::time::timeout(WATCHDOG, ended(idle.remove(0))).await.expect("it was closed");
}

#[tokio::test]
async fn a_busy_connection_is_not_closed_for_another() {
    let server = Server::with(|settings| settings.limits.connections_max = 1).await;
    let mut running = busy(&server).await;
    let waiting = server.get("/dbs").send();
    tokio::pin!(waiting);
    let early = tokio::time::timeout(Duration::from_millis(50), &mut waiting).await;
    assert!(early.is_err(), "the one place was taken");
    running.write_all(br#"{"id":"d"}"#).await.unwrap();
    tokio::time::timeout(WATCHDOG, &mut waiting).await.expect("the place is free").expect(200);
    let received = tokio::time::timeout(WATCHDOG, ended(running)).await.expect("it was closed");
    assert!(received.starts_with(b"HTTP/1.1 201"), "{}", String::from_utf8_lossy(&received));
}

#[tokio::test]
async fn one_address_cannot_take_all_connections() {
    let server = Server::with(|settings| settings.limits.connections_per_address_max = 2).await;
    let first = connect(&server).await;
    let mut busy_ones = vec![busy(&server).await, busy(&server).await];
    tokio::time::timeout(WATCHDOG, ended(first)).await.expect("its own idle connection goes");
    // Now both are busy, so that another one is closed at once.
    let refused = connect(&server).await;
    let received = tokio::time::timeout(WATCHDOG, ended(refused)).await.expect("it was closed");
    assert!(received.is_empty());
    busy_ones.pop();
    // The server notices the end of the connection on its own time.
    tokio::time::timeout(WATCHDOG, async {
        loop {
            let mut stream = connect(&server).await;
            let request = b"GET /alive HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
            let _ = stream.write_all(request).await;
            if ended(stream).await.starts_with(b"HTTP/1.1 200") {
                return;
            }
        }
    })
    .await
    .expect("there is room again");
}

#[tokio::test]
async fn a_connection_announces_how_many_requests_it_takes_at_a_time() {
    let server = Server::with(|settings| settings.limits.requests_per_connection_max = 7).await;
    let mut stream = connect(&server).await;
    let settings =
        [&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], &[0, 0, 0, 4, 0, 0, 0, 0, 0]].concat();
    stream.write_all(&settings).await.unwrap();
    let mut head = [0; 9];
    stream.read_exact(&mut head).await.unwrap();
    assert_eq!(head[3], 4, "the first frame of a server is SETTINGS");
    let length = usize::from(head[1]) << 8 | usize::from(head[2]);
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload).await.unwrap();
    let concurrent = payload.chunks(6).find(|setting| setting[..2] == [0, 3]).unwrap();
    assert_eq!(concurrent[2..], [0, 0, 0, 7], "SETTINGS_MAX_CONCURRENT_STREAMS");
}

#[tokio::test]
async fn a_client_that_grants_no_window_is_disconnected() {
    let server = Server::with(|settings| settings.limits.response_ms_max = 300).await;
    server.create_large_item().await;
    let io = TokioIo::new(connect(&server).await);
    let mut builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
    builder.initial_stream_window_size(1);
    let (mut sender, connection) = builder.handshake(io).await.unwrap();
    let connection = tokio::spawn(connection);
    let path = "/dbs/d/colls/c/docs/a";
    let request = hyper::Request::get(format!("http://{}{path}", server.address))
        .header("x-ms-date", DATE)
        .header("authorization", sign("GET", path, DATE, EMULATOR_KEY))
        .header("x-ms-documentdb-partitionkey", r#"["x"]"#)
        .body(http_body_util::Empty::<bytes::Bytes>::new())
        .unwrap();
    let response = sender.send_request(request).await.unwrap();
    assert_eq!(response.status(), 200);
    // The body is kept and not read. The connection ends because the server closes it.
    let _ = tokio::time::timeout(WATCHDOG, connection).await.expect("the server closes it");
    drop(response);
}
