//! The test routes, and that other servers do not have them.

use std::sync::Arc;

use engine::{Engine, EngineSettings, Environment, SeededRandomness, TokioSpawner};
use gateway::{Gateway, GatewaySettings, TestControl};

use crate::client::{Answer, Server};
use crate::in_process::{request, send};

/// A gateway with test routes.
async fn controlled() -> Gateway {
    let control = TestControl::new();
    let randomness = Arc::new(SeededRandomness::new(7));
    let environment = Environment::new(control.clone(), randomness, Arc::new(TokioSpawner));
    let store = Arc::new(storage::memory::MemoryStore::new());
    let engine = Engine::open(store, environment, EngineSettings::default()).await.unwrap();
    let settings = GatewaySettings {
        test_control: Some(control),
        clock_skew_max_seconds: None,
        ..GatewaySettings::default()
    };
    let gateway = Gateway::new(engine, settings);
    let post = |path, body: &'static str| request("POST", path, &[], body.as_bytes());
    send(&gateway, post("/dbs", r#"{"id":"d"}"#)).await.expect(201);
    let container =
        r#"{"id":"c","defaultTtl":60,"partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;
    send(&gateway, post("/dbs/d/colls", container)).await.expect(201);
    gateway
}

async fn control(gateway: &Gateway, wish: &str, body: &str) -> Answer {
    let path = format!("/_planisphere/test/{wish}");
    send(gateway, request("POST", &path, &[("authorization", b"")], body.as_bytes())).await
}

#[tokio::test]
async fn the_clock_is_advanced() {
    let gateway = controlled().await;
    let key = ("x-ms-documentdb-partitionkey", &br#"["x"]"#[..]);
    let create = request("POST", "/dbs/d/colls/c/docs", &[key], br#"{"id":"a","pk":"x"}"#);
    send(&gateway, create).await.expect(201);
    let read = || request("GET", "/dbs/d/colls/c/docs/a", &[key], b"");
    send(&gateway, read()).await.expect(200);
    control(&gateway, "advance-clock", r#"{"seconds":30}"#).await.expect(200);
    send(&gateway, read()).await.expect(200);
    control(&gateway, "advance-clock", r#"{"seconds":31}"#).await.expect(200);
    send(&gateway, read()).await.expect(404);
}

#[tokio::test]
async fn a_partition_is_split() {
    let gateway = controlled().await;
    let ids = || async {
        let answer = send(&gateway, request("GET", "/dbs/d/colls/c/pkranges", &[], b"")).await;
        answer.ids("PartitionKeyRanges")
    };
    assert_eq!(ids().await, ["0"]);
    let wish = r#"{"database":"d","container":"c"}"#;
    control(&gateway, "split-partition", wish).await.expect(200);
    assert_eq!(ids().await, ["1", "2"]);
    let wish = r#"{"database":"d","container":"c","partition":2}"#;
    control(&gateway, "split-partition", wish).await.expect(200);
    assert_eq!(ids().await, ["1", "3", "4"]);
}

#[tokio::test]
async fn invalid_bodies_are_refused() {
    let gateway = controlled().await;
    for (wish, body, status) in [
        ("advance-clock", "", 400),
        ("advance-clock", "{}", 400),
        ("advance-clock", r#"{"seconds":-1}"#, 400),
        ("advance-clock", r#"{"seconds":"1"}"#, 400),
        ("split-partition", "{}", 400),
        ("split-partition", r#"{"database":"d","container":"z"}"#, 404),
        ("split-partition", r#"{"database":"d","container":"c","partition":-1}"#, 400),
        ("fly", "{}", 404),
    ] {
        let answer = control(&gateway, wish, body).await;
        answer.refused(status, None, "");
    }
}

#[tokio::test]
async fn other_servers_have_no_test_routes() {
    let server = Server::with_container().await;
    for (wish, body) in [("advance-clock", r#"{"seconds":1}"#), ("split-partition", "{}")] {
        let path = format!("/_planisphere/test/{wish}");
        server.post(&path, body).unsigned().send().await.expect(401);
        server.post(&path, body).send().await.refused(400, None, "Request url is invalid.");
    }
}
