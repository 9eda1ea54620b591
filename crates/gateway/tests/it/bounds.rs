//! Limits that keep one client from starving the others.

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
    for bytes in [64 * 1024, 300 * 1024] {
        let call = server.get("/dbs").with("x-long", &"x".repeat(bytes));
        call.send().await.refused(431, None, "headers of the request are too large");
    }
    let many = (0..200).fold(server.get("/dbs"), |call, n| call.with(&format!("x-{n}"), "x"));
    many.send().await.refused(431, None, "too large");
    server.get("/dbs").with("x-long", &"x".repeat(16 * 1024)).send().await.expect(200);
}

#[tokio::test]
async fn a_head_that_never_ends_times_out() {
    let server = Server::with(|settings| settings.limits.first_head_ms_max = 50).await;
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\n").await.unwrap();
    let mut received = Vec::new();
    // Completes only because the server closes.
    let _ = stream.read_to_end(&mut received).await;
    server.get("/dbs").send().await.expect(200);
}

/// Waits until the server closes a connection. A test that hangs here has found one that stays open.
pub(crate) async fn ended(mut stream: TcpStream) -> Vec<u8> {
    let mut received = Vec::new();
    let _ = stream.read_to_end(&mut received).await;
    received
}

#[tokio::test]
async fn a_silent_client_is_disconnected() {
    // The deadline of later heads stays at its two minutes.
    let server = Server::with(|settings| settings.limits.first_head_ms_max = 300).await;
    for greeting in [&b""[..], b"P", b"PRI * HTTP/2.0\r\n\r\nSM\r\n", b"G"] {
        let mut stream = TcpStream::connect(&server.address).await.unwrap();
        stream.write_all(greeting).await.unwrap();
        ended(stream).await;
    }
    server.get("/dbs").send().await.expect(200);
}

#[tokio::test]
async fn a_vanished_client_is_disconnected() {
    let server = Server::with(|settings| settings.limits.connections_max = 1).await;
    // The connection stays half-open: its client neither speaks nor ends it.
    let silent = TcpStream::connect(&server.address).await.unwrap();
    server.get("/dbs").send().await.expect(200);
    drop(silent);
}

#[tokio::test]
async fn a_client_that_idles_between_requests_is_disconnected() {
    let server = Server::with(|settings| settings.limits.head_ms_max = 300).await;
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    stream.write_all(b"GET /alive HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let received = ended(stream).await;
    assert!(received.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&received));
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_disconnected() {
    let server = Server::with(|settings| {
        settings.limits.body_ms_max = 1000;
        settings.limits.connections_max = 1;
    })
    .await;
    server.create_large_item().await;
    let path = "/dbs/d/colls/c/docs/a";
    let authorization = sign("GET", path, DATE, EMULATOR_KEY);
    let head = format!(
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nx-ms-date: {DATE}\r\nauthorization: {authorization}\r\n\
         x-ms-documentdb-partitionkey: [\"x\"]\r\n\r\n"
    );
    // More answers than any buffer of a connection holds.
    let mut deaf = TcpStream::connect(&server.address).await.unwrap();
    deaf.write_all(head.repeat(20).as_bytes()).await.unwrap();
    server.get("/dbs").send().await.expect(200);
    drop(deaf);
}

#[tokio::test]
async fn a_connection_stays_usable_after_an_oversized_body() {
    let server = Server::start().await;
    let authorization = sign("POST", "/dbs", DATE, EMULATOR_KEY);
    let head = |length: usize| {
        format!(
            "POST /dbs HTTP/1.1\r\nhost: localhost\r\nx-ms-date: {DATE}\r\nauthorization: {authorization}\r\n\
             content-length: {length}\r\n\r\n"
        )
    };
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    let bytes = 8 * 1024 * 1024;
    stream.write_all(head(bytes).as_bytes()).await.unwrap();
    stream.write_all(&vec![b' '; bytes]).await.unwrap();
    let last = head(10).replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n");
    stream.write_all(format!(r#"{last}{{"id":"d"}}"#).as_bytes()).await.unwrap();
    let received = String::from_utf8(ended(stream).await).unwrap();
    assert!(received.starts_with("HTTP/1.1 413"), "{received}");
    assert!(received.contains("RequestEntityTooLarge"), "{received}");
    assert!(received.contains("HTTP/1.1 201 Created"), "{received}");
}

#[tokio::test]
async fn a_body_far_beyond_the_limit_closes_the_connection() {
    let server = Server::start().await;
    let authorization = sign("POST", "/dbs", DATE, EMULATOR_KEY);
    let head = format!(
        "POST /dbs HTTP/1.1\r\nhost: localhost\r\nx-ms-date: {DATE}\r\nauthorization: {authorization}\r\n\
         transfer-encoding: chunked\r\n\r\n"
    );
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let chunk = format!("100000\r\n{}\r\n", " ".repeat(0x10_0000));
    let mut sent = 0;
    // Ends because the server does not take without end.
    while sent < 200 && stream.write_all(chunk.as_bytes()).await.is_ok() {
        sent += 1;
    }
    assert!(sent < 200, "two hundred megabytes were taken");
    server.get("/dbs").send().await.expect(200);
}

#[tokio::test]
async fn a_missing_body_times_out() {
    let server = Server::with(|settings| settings.limits.body_ms_max = 50).await;
    let authorization = sign("POST", "/dbs", DATE, EMULATOR_KEY);
    let head = format!(
        "POST /dbs HTTP/1.1\r\nhost: localhost\r\nx-ms-date: {DATE}\r\nauthorization: {authorization}\r\n\
         content-length: 10\r\nconnection: close\r\n\r\n{{"
    );
    crate::client::exchange(&server.address, head.as_bytes()).await.refused(408, None, "slowly");
}

#[tokio::test]
async fn a_chunked_body_is_read() {
    let server = Server::start().await;
    let authorization = sign("POST", "/dbs", DATE, EMULATOR_KEY);
    let request = format!(
        "POST /dbs HTTP/1.1\r\nhost: localhost\r\nx-ms-date: {DATE}\r\nauthorization: {authorization}\r\n\
         transfer-encoding: chunked\r\nconnection: close\r\n\r\n5\r\n{{\"id\"\r\n6\r\n:\"ab\"}}\r\n0\r\n\r\n"
    );
    crate::client::exchange(&server.address, request.as_bytes()).await.expect(201);
}

#[tokio::test]
async fn shutdown_lets_running_requests_finish_and_refuses_new_ones() {
    let mut server = Server::start().await;
    let mut running = TcpStream::connect(&server.address).await.unwrap();
    let authorization = sign("POST", "/dbs", DATE, EMULATOR_KEY);
    let head = format!(
        "POST /dbs HTTP/1.1\r\nhost: localhost\r\nx-ms-date: {DATE}\r\nauthorization: {authorization}\r\n\
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

#[tokio::test]
async fn invalid_http_is_refused_with_a_body() {
    let server = Server::start().await;
    for bytes in [
        &b"NONSENSE\r\n\r\n"[..],
        b"GET / HTTP/9.9\r\nhost: localhost\r\n\r\n",
        b"GET /dbs HTTP/1.1\r\nhost: localhost\r\nbad header\r\n\r\n",
        b"GET /a\x01b HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"POST /dbs HTTP/1.1\r\nhost: localhost\r\ncontent-length: x\r\n\r\n",
        b"POST /dbs HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03",
    ] {
        let answer = crate::client::exchange(&server.address, bytes).await;
        answer.refused(400, None, "");
        let length: usize = answer.has("content-length").parse().unwrap();
        assert_eq!(length, answer.body.len(), "{answer:?}");
    }
    let path = format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "a".repeat(70_000));
    let long = crate::client::exchange(&server.address, path.as_bytes()).await;
    assert!(matches!(long.status, 414 | 431), "{long:?}");
    assert!(!long.string("message").is_empty());
    server.get("/dbs").send().await.expect(200);
}

#[tokio::test]
async fn a_response_before_invalid_http_is_kept() {
    let server = Server::start().await;
    let authorization = sign("GET", "/dbs", DATE, EMULATOR_KEY);
    let head = format!(
        "GET /dbs HTTP/1.1\r\nhost: localhost\r\nx-ms-date: {DATE}\r\nauthorization: {authorization}\r\n\r\n"
    );
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    stream.write_all(format!("{head}NONSENSE\r\n\r\n").as_bytes()).await.unwrap();
    let mut received = Vec::new();
    stream.read_to_end(&mut received).await.unwrap();
    let received = String::from_utf8(received).unwrap();
    assert!(received.starts_with("HTTP/1.1 200 OK"), "{received}");
    let refused = received.find("HTTP/1.1 400 Bad Request").expect(&received);
    let rest = &received[refused..];
    assert!(rest.contains("x-ms-activity-id") && rest.contains("malformed"), "{rest}");
}

/// The response to a request over HTTP/2 with a header of some length.
async fn over_http2(server: &Server, bytes: usize) -> (u16, String) {
    let stream = TcpStream::connect(&server.address).await.unwrap();
    let io = hyper_util::rt::TokioIo::new(stream);
    let executor = hyper_util::rt::TokioExecutor::new();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(executor, io).await.unwrap();
    tokio::spawn(connection);
    let request = hyper::Request::get(format!("http://{}/alive", server.address))
        .header("x-long", "x".repeat(bytes))
        .body(http_body_util::Empty::<bytes::Bytes>::new())
        .unwrap();
    let answer = sender.send_request(request).await.unwrap();
    let status = answer.status().as_u16();
    let body = http_body_util::BodyExt::collect(answer.into_body()).await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn headers_beyond_the_limit_are_refused_over_http2_too() {
    let server = Server::start().await;
    assert_eq!(over_http2(&server, 16 * 1024).await.0, 200);
    let (status, body) = over_http2(&server, 64 * 1024).await;
    assert_eq!(status, 431);
    assert!(body.contains("RequestHeaderFieldsTooLarge"), "{body}");
}
