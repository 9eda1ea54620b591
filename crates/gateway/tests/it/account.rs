//! The account document and the headers of every response.

use crate::client::{Server, exchange};

#[tokio::test]
async fn the_account_document_repeats_the_host_of_the_request() {
    let server =
        Server::with(|settings| settings.allowed_hosts = vec!["cosmos.example".to_owned()]).await;
    let account = server.get("/").with("host", "cosmos.example:9999").send().await.expect(200);
    let locations = account.property("writableLocations");
    let location = &locations.as_array().unwrap()[0];
    let endpoint = location.get("databaseAccountEndpoint").unwrap().as_str();
    assert_eq!(endpoint, Some("http://cosmos.example:9999/"));
    assert_eq!(account.string("id"), "planisphere");
    assert_eq!(account.string("_rid"), "cosmos.example:9999");
    assert!(account.json().get("thinClientReadableLocations").is_none());
}

#[tokio::test]
async fn an_emulator_answers_with_its_address_to_localhost_only() {
    let server = Server::with(|settings| {
        settings.localhost_as_address = true;
        settings.allowed_hosts = vec!["localhost.example".to_owned()];
    })
    .await;
    for (host, endpoint) in [
        ("localhost:9999", "http://127.0.0.1:9999/"),
        ("localhost", "http://127.0.0.1/"),
        ("localhost.example", "http://localhost.example/"),
    ] {
        let account = server.get("/").with("host", host).send().await.expect(200);
        assert!(account.text().contains(&format!("\"{endpoint}\"")), "{}", account.text());
    }
}

#[tokio::test]
async fn a_proxy_can_set_the_scheme() {
    let server = Server::start().await;
    let call = server.get("/").with("host", "localhost").with("x-forwarded-proto", "https");
    assert!(call.send().await.text().contains("\"https://localhost/\""));
}

#[tokio::test]
async fn an_activity_id_is_repeated_or_created() {
    let server = Server::start().await;
    let id = "0f8fad5b-d9cb-469f-a165-70867728950e";
    let echoed = server.get("/").with("x-ms-activity-id", id).send().await;
    assert_eq!(echoed.header("x-ms-activity-id"), Some(id));
    let made = server.get("/").send().await;
    assert_eq!(made.has("x-ms-activity-id").len(), 36);
    assert_eq!(made.header("x-ms-gatewayversion"), Some("version=2.14.0"));
}

#[tokio::test]
async fn paths_and_verbs_that_do_not_exist_are_refused() {
    let server = Server::with_container().await;
    server.get("/nothing").send().await.refused(400, None, "Request url is invalid.");
    server.post("/dbs/d/colls/c/docs/$batch/x", "").send().await.refused(400, None, "invalid");
    server.put("/dbs", "{}").send().await.refused(405, None, "verb");
}

#[tokio::test]
async fn direct_mode_is_refused_whatever_is_signed() {
    let server = Server::start().await;
    // Clients sign the container here, and .NET begins the path with two slashes.
    for path in ["/addresses", "//addresses/?$resolveFor=dbs%2fa&$partitionKeyRangeIds=0"] {
        let refused = server.get(path).unsigned().send().await;
        refused.refused(400, None, "This server supports gateway mode only");
    }
    server.get("/addresses").send().await.refused(400, None, "ConnectionMode.Gateway");
}

#[tokio::test]
async fn http_2_is_spoken_on_the_same_port() {
    let server = Server::start().await;
    // The preface and empty settings; the answer begins with a settings frame instead of a status line.
    let mut stream = tokio::net::TcpStream::connect(&server.address).await.unwrap();
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    tokio::io::AsyncWriteExt::write_all(&mut stream, preface).await.unwrap();
    let mut head = [0; 9];
    tokio::io::AsyncReadExt::read_exact(&mut stream, &mut head).await.unwrap();
    assert_eq!(head[3], 4, "{head:?}");
    let plain = exchange(
        &server.address,
        b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
    );
    plain.await.expect(401);
}
