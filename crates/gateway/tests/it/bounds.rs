//! Bounds: what one client cannot do to the others.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::{DATE, Server, sign};
use gateway::EMULATOR_KEY;

#[tokio::test]
async fn a_body_beyond_the_limit_is_refused() {
    let server = Server::with_container().await;
    let body = vec![b' '; 3 * 1024 * 1024];
    let call = server.post("/dbs/d/colls/c/docs", "").key(r#"["a"]"#).bytes(body);
    call.send().await.refused(413, None, "Request size is too large");
}

#[tokio::test]
async fn an_item_beyond_the_limit_is_refused() {
    let server = Server::with_container().await;
    let long = "x".repeat(2 * 1024 * 1024);
    let body = format!(r#"{{"id":"a","pk":"a","long":"{long}"}}"#);
    let call = server.post("/dbs/d/colls/c/docs", &body).key(r#"["a"]"#);
    call.send().await.refused(413, None, "Request size is too large");
}

#[tokio::test]
async fn headers_beyond_the_limit_end_the_request() {
    let server = Server::start().await;
    let call = server.get("/dbs").with("x-long", &"x".repeat(64 * 1024));
    assert_eq!(call.send().await.status, 431);
    server.get("/dbs").with("x-long", &"x".repeat(16 * 1024)).send().await.expect(200);
}

#[tokio::test]
async fn a_head_that_never_ends_is_cut_off() {
    let server = Server::with(|settings| settings.limits.head_ms_max = 50).await;
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: h\r\n").await.unwrap();
    let mut received = Vec::new();
    // Completes only because the server closes.
    let _ = stream.read_to_end(&mut received).await;
    server.get("/dbs").send().await.expect(200);
}

#[tokio::test]
async fn a_body_that_never_comes_times_out() {
    let server = Server::with(|settings| settings.limits.body_ms_max = 50).await;
    let authorization = sign("POST", "/dbs", DATE, EMULATOR_KEY);
    let head = format!(
        "POST /dbs HTTP/1.1\r\nhost: h\r\nx-ms-date: {DATE}\r\nauthorization: {authorization}\r\n\
         content-length: 10\r\nconnection: close\r\n\r\n{{"
    );
    crate::client::exchange(&server.address, head.as_bytes()).await.refused(408, None, "slowly");
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_for_a_place() {
    let server = Server::with(|settings| settings.limits.connections_max = 1).await;
    let idle = TcpStream::connect(&server.address).await.unwrap();
    let waiting = server.get("/dbs").send();
    tokio::pin!(waiting);
    let early = tokio::time::timeout(Duration::from_millis(50), &mut waiting).await;
    assert!(early.is_err(), "the one place was taken");
    drop(idle);
    waiting.await.expect(200);
}

#[tokio::test]
async fn a_chunked_body_is_read() {
    let server = Server::start().await;
    let authorization = sign("POST", "/dbs", DATE, EMULATOR_KEY);
    let request = format!(
        "POST /dbs HTTP/1.1\r\nhost: h\r\nx-ms-date: {DATE}\r\nauthorization: {authorization}\r\n\
         transfer-encoding: chunked\r\nconnection: close\r\n\r\n5\r\n{{\"id\"\r\n6\r\n:\"ab\"}}\r\n0\r\n\r\n"
    );
    crate::client::exchange(&server.address, request.as_bytes()).await.expect(201);
}

#[tokio::test]
async fn a_stop_lets_running_requests_finish_and_refuses_new_ones() {
    let mut server = Server::start().await;
    let mut running = TcpStream::connect(&server.address).await.unwrap();
    let authorization = sign("POST", "/dbs", DATE, EMULATOR_KEY);
    let head = format!(
        "POST /dbs HTTP/1.1\r\nhost: h\r\nx-ms-date: {DATE}\r\nauthorization: {authorization}\r\n\
         content-length: 10\r\nexpect: 100-continue\r\n\r\n"
    );
    running.write_all(head.as_bytes()).await.unwrap();
    let mut interim = [0; 25];
    // The server is reading the body once it has said so.
    running.read_exact(&mut interim).await.unwrap();
    assert!(interim.starts_with(b"HTTP/1.1 100"));
    server.stop();
    while TcpStream::connect(&server.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    running.write_all(br#"{"id":"d"}"#).await.unwrap();
    let mut received = Vec::new();
    running.read_to_end(&mut received).await.unwrap();
    assert!(received.starts_with(b"HTTP/1.1 201"), "{}", String::from_utf8_lossy(&received));
}
