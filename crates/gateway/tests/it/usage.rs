//! Enforced throughput, and the usage report.

use std::time::Duration;

use crate::client::{DATE, Server, sign};
use gateway::{AccountKey, EMULATOR_KEY, sign_request};
use model::Json;

const CONTAINER: &str = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;

/// A server with a container whose 400 request units per second are enforced.
async fn enforced() -> Server {
    let server = Server::start().await;
    server.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
    let call = server.post("/dbs/d/colls", CONTAINER);
    call.with("x-planisphere-enforce-throughput", "true").send().await.expect(201);
    server
}

async fn create_large(server: &Server, id: &str) {
    let text = "x".repeat(200_000);
    let body = format!(r#"{{"id":"{id}","pk":"a","text":"{text}"}}"#);
    server.post("/dbs/d/colls/c/docs", &body).key(r#"["a"]"#).send().await.expect(201);
}

#[tokio::test]
async fn a_throttled_request_gets_a_retry_delay() {
    let server = enforced().await;
    for id in ["1", "2", "3", "4", "5"] {
        create_large(&server, id).await;
        let read = server.get("/dbs/d/colls/c").send().await.expect(200);
        assert_eq!(read.header("x-planisphere-enforce-throughput"), Some("true"));
    }
    let item = || server.get("/dbs/d/colls/c/docs/1").key(r#"["a"]"#).send();
    let refused = item().await;
    refused.refused(429, Some("3200"), "Request rate is large. More Request Units may be needed");
    assert_eq!(refused.string("code"), "TooManyRequests");
    assert_eq!(refused.header("retry-after"), None);
    let wait: u64 = refused.has("x-ms-retry-after-ms").parse().unwrap();
    assert!((1..1000).contains(&wait), "{wait}");
    server.clock.travel(Duration::from_millis(wait - 1));
    assert_eq!(item().await.status, 429);
    server.clock.travel(Duration::from_millis(1));
    item().await.expect(200);
}

#[tokio::test]
async fn operations_of_a_bulk_request_are_throttled_separately() {
    let server = enforced().await;
    for id in ["1", "2", "3", "4", "5"] {
        create_large(&server, id).await;
    }
    let operations = r#"[{"operationType":"Create","partitionKey":"[\"a\"]","resourceBody":{"id":"9","pk":"a"}}]"#;
    let call = server.post("/dbs/d/colls/c/docs", operations);
    let call = call
        .with("x-ms-cosmos-is-batch-request", "True")
        .with("x-ms-cosmos-batch-atomic", "False")
        .with("x-ms-cosmos-batch-continue-on-error", "True")
        .with("x-ms-documentdb-partitionkeyrangeid", "0");
    let answer = call.send().await;
    let results = answer.json();
    let first = &results.as_array().unwrap_or_else(|| panic!("{}", answer.text()))[0];
    assert_eq!(first.get("statusCode").and_then(Json::as_i64), Some(429), "{first}");
    let wait = first.get("retryAfterMilliseconds").and_then(Json::as_i64).unwrap();
    assert!(wait > 0, "{first}");
}

#[tokio::test]
async fn enforcement_is_changed_with_the_container() {
    let server = enforced().await;
    let is_enforced = || async {
        let read = server.get("/dbs/d/colls/c").send().await.expect(200);
        read.header("x-planisphere-enforce-throughput").is_some()
    };
    assert!(is_enforced().await);
    let replace = |value| {
        let call = server.put("/dbs/d/colls/c", CONTAINER);
        call.with("x-planisphere-enforce-throughput", value).send()
    };
    replace("false").await.expect(200);
    assert!(!is_enforced().await);
    replace("true").await.expect(200);
    replace("default").await.expect(200);
    assert!(!is_enforced().await);
    replace("perhaps").await.refused(400, None, "Send true, false or default.");
}

#[tokio::test]
async fn the_minimum_throughput_is_returned_and_enforced() {
    let server = Server::start().await;
    server.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
    let call = server.post("/dbs/d/colls", CONTAINER).with("x-ms-offer-throughput", "60000");
    call.send().await.expect(201);
    let offers = server.get("/offers").send().await.expect(200).entries("Offers");
    let id = offers[0].get("id").unwrap().as_str().unwrap().to_owned();
    let read = server.get(&format!("/offers/{id}")).send().await.expect(200);
    assert_eq!(read.has("x-ms-cosmos-min-throughput"), "600");
    let with = |number: u32| {
        let body = offers[0].to_string();
        body.replace("\"offerThroughput\":60000", &format!("\"offerThroughput\":{number}"))
    };
    let low = server.put(&format!("/offers/{id}"), &with(500)).send().await;
    low.refused(400, None, "valid throughput values between 600 and 1000000 inclusive");
    server.put(&format!("/offers/{id}"), &with(600)).send().await.expect(200);
}

#[tokio::test]
async fn the_report_needs_the_account_key() {
    let server = Server::with_container().await;
    let body = r#"{"id":"1","pk":"a"}"#;
    server.post("/dbs/d/colls/c/docs", body).key(r#"["a"]"#).send().await.expect(201);
    for path in ["/_planisphere/report", "/_planisphere/usage"] {
        server.get(path).unsigned().send().await.refused(401, None, "authorization");
        server.post(path, "").send().await.refused(405, None, "verb");
    }
    let report = server.get("/_planisphere/report").send().await.expect(200).json();
    let container = &report.get("containers").unwrap().as_array().unwrap()[0];
    let operation = &container.get("operations").unwrap().as_array().unwrap()[0];
    assert_eq!(operation.get("operation").unwrap().as_str(), Some("create"));
    assert_eq!(container.get("candidate"), None);
    let call = server.get("/_planisphere/report");
    let tried =
        call.with("x-planisphere-try-partition-key", "/a,/b").send().await.expect(200).json();
    let tried = tried.get("containers").unwrap().as_array().unwrap()[0].get("candidate").cloned();
    assert!(tried.unwrap().to_string().contains("--record-traffic"));
    let call = server.get("/_planisphere/report");
    let refused = call.with("x-planisphere-try-partition-key", "nothing").send().await;
    refused.refused(400, None, "nothing");
}

#[test]
fn own_requests_are_signed_like_those_of_clients() {
    let path = "/_planisphere/usage";
    let seconds = crate::client::NOW_SECONDS;
    let headers = sign_request(&AccountKey::emulator(), "GET", path, seconds);
    let signature = sign("GET", path, DATE, EMULATOR_KEY);
    let expected = [("x-ms-date", DATE.to_owned()), ("authorization", signature)];
    assert_eq!(headers, expected);
}
