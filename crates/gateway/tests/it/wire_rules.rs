//! Rules of HTTP that keep a proxy or a browser from being used against the server.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::{DATE, Server, exchange, sign};
use gateway::{AccountKey, EMULATOR_KEY};

#[tokio::test]
async fn a_bare_line_feed_is_refused() {
    let server = Server::start().await;
    for bytes in [
        &b"GET /alive HTTP/1.1\nhost: localhost\r\n\r\n"[..],
        b"GET /alive HTTP/1.1\r\nhost: localhost\n\r\n",
        b"GET /alive HTTP/1.1\r\nhost: localhost\r\n\n",
        b"GET /alive HTTP/1.1\nhost: localhost\n\n",
    ] {
        let answer = exchange(&server.address, bytes).await;
        answer.refused(400, None, "carriage return");
    }
    // In the second request of a connection too, where a proxy may have seen one request only.
    let smuggled = b"POST /alive HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n\n\nGET /alive HTTP/1.1\n\
                     host: localhost\r\n\r\n";
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    stream.write_all(smuggled).await.unwrap();
    let mut received = String::new();
    stream.read_to_string(&mut received).await.unwrap();
    assert_eq!(received.matches("HTTP/1.1 ").count(), 2, "{received}");
    assert!(received.contains("HTTP/1.1 400 "), "{received}");
}

#[tokio::test]
async fn a_request_names_one_host() {
    let server = Server::start().await;
    let none = b"GET /alive HTTP/1.1\r\nconnection: close\r\n\r\n";
    exchange(&server.address, none).await.refused(400, None, "0 headers 'host'");
    let two =
        b"GET /alive HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    exchange(&server.address, two).await.refused(400, None, "2 headers 'host'");
    exchange(&server.address, b"GET /alive HTTP/1.0\r\n\r\n").await.expect(200);
}

async fn ask(server: &Server, host: &str, key: &str) -> crate::client::Answer {
    let authorization = sign("GET", "/dbs", DATE, key);
    let request = format!(
        "GET /dbs HTTP/1.1\r\nhost: {host}\r\nx-ms-date: {DATE}\r\nauthorization: {authorization}\r\n\
         connection: close\r\n\r\n"
    );
    exchange(&server.address, request.as_bytes()).await
}

#[tokio::test]
async fn the_public_key_is_accepted_under_local_names_only() {
    let server = Server::with(|settings| {
        settings.public_endpoint = Some("https://db.example:8081/".to_owned());
        settings.allowed_hosts = vec!["planisphere".to_owned()];
    })
    .await;
    for host in [
        "localhost",
        "LocalHost:8081",
        "127.0.0.1:1",
        "127.9.9.9",
        "[::1]:8081",
        "db.example",
        "planisphere:8081",
    ] {
        ask(&server, host, EMULATOR_KEY).await.expect(200);
    }
    for host in ["evil.example", "localhost.evil.example:8081", "192.168.1.1", "x.planisphere", "é"]
    {
        let refused = ask(&server, host, EMULATOR_KEY).await;
        refused.refused(403, None, "--allowed-host");
    }
    // The page of the server shows a connection string, so it has the same rule. Probes do not.
    for (path, status) in [("/_explorer/index.html", 403), ("/alive", 200)] {
        let request =
            format!("GET {path} HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n");
        exchange(&server.address, request.as_bytes()).await.expect(status);
    }
    // An absolute address in the first line counts too.
    let absolute =
        "GET http://evil.example/dbs HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    exchange(&server.address, absolute.as_bytes()).await.refused(403, None, "evil.example");
    let all = Server::with(|settings| settings.allowed_hosts = vec!["*".to_owned()]).await;
    ask(&all, "evil.example", EMULATOR_KEY).await.expect(200);
}

#[tokio::test]
async fn a_key_of_ones_own_is_accepted_under_every_name() {
    let key = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let server = Server::with(|settings| settings.key = AccountKey::parse(key).unwrap()).await;
    ask(&server, "db.example", key).await.expect(200);
}

#[tokio::test]
async fn a_client_that_is_still_sending_reads_that_its_body_is_too_large() {
    let server = Server::start().await;
    let authorization = sign("POST", "/dbs", DATE, EMULATOR_KEY);
    // More than the server reads before it responds, less than it discards afterwards.
    let bytes = 26 * 1024 * 1024;
    let head = format!(
        "POST /dbs HTTP/1.1\r\nhost: localhost\r\nx-ms-date: {DATE}\r\nauthorization: {authorization}\r\n\
         content-length: {bytes}\r\n\r\n"
    );
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let piece = vec![b' '; 1024 * 1024];
    for number in 0..26 {
        let sent = stream.write_all(&piece).await;
        sent.unwrap_or_else(|error| panic!("megabyte {number} was not taken: {error}"));
    }
    let mut received = String::new();
    stream.read_to_string(&mut received).await.unwrap();
    assert!(received.starts_with("HTTP/1.1 413"), "{received}");
    assert!(received.contains("RequestEntityTooLarge"), "{received}");
}

#[tokio::test]
async fn a_stranger_with_a_large_body_reads_why_it_is_refused() {
    let server = Server::start().await;
    let bytes = 4 * 1024 * 1024;
    let head = format!("POST /dbs HTTP/1.1\r\nhost: localhost\r\ncontent-length: {bytes}\r\n\r\n");
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&vec![b' '; bytes]).await.unwrap();
    let mut received = String::new();
    stream.read_to_string(&mut received).await.unwrap();
    assert!(received.starts_with("HTTP/1.1 401"), "{received}");
}

/// Before the fix, the response came when the time for a body was over; here that is never.
#[tokio::test]
async fn a_client_that_stops_sending_a_body_that_is_too_large_gets_its_response() {
    let server = Server::with(|settings| settings.limits.body_ms_max = 86_400_000).await;
    let authorization = sign("POST", "/dbs", DATE, EMULATOR_KEY);
    let head = format!(
        "POST /dbs HTTP/1.1\r\nhost: localhost\r\nx-ms-date: {DATE}\r\nauthorization: {authorization}\r\n\
         transfer-encoding: chunked\r\n\r\n"
    );
    let mut stream = TcpStream::connect(&server.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let chunk = format!("100000\r\n{}\r\n", " ".repeat(0x10_0000));
    for _ in 0..4 {
        stream.write_all(chunk.as_bytes()).await.unwrap();
    }
    let mut received = String::new();
    stream.read_to_string(&mut received).await.unwrap();
    assert!(received.starts_with("HTTP/1.1 413"), "{received}");
}
