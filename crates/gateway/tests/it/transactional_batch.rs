//! Batches, all or nothing, and bulk requests.

use crate::client::{Answer, Server};
use model::Json;

const ITEMS: &str = "/dbs/d/colls/c/docs";
const KEY: &str = r#"["x"]"#;

async fn batch(server: &Server, body: &str, atomic: &str, goes_on: &str) -> Answer {
    let call = server.post(ITEMS, body).with("x-ms-cosmos-is-batch-request", "True");
    let call = call.with("x-ms-cosmos-batch-atomic", atomic);
    call.with("x-ms-cosmos-batch-continue-on-error", goes_on).key(KEY).send().await
}

fn statuses(answer: &Answer) -> Vec<i64> {
    let json = answer.json();
    let entries = json.as_array().unwrap();
    assert_eq!(answer.has("x-ms-item-count"), entries.len().to_string());
    entries.iter().map(|entry| entry.get("statusCode").unwrap().as_i64().unwrap()).collect()
}

#[tokio::test]
async fn a_batch_needs_the_full_partition_key() {
    let server = Server::start().await;
    server.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
    let body = r#"{"id":"c","partitionKey":{"paths":["/a","/b"],"kind":"MultiHash","version":2}}"#;
    server.post("/dbs/d/colls", body).send().await.expect(201);
    let body = r#"[{"operationType":"Create","resourceBody":{"id":"1","a":"x","b":"y"}}]"#;
    let refused = batch(&server, body, "True", "False").await;
    refused.refused(400, Some("1001"), "Partition key provided either doesn't correspond");
}

#[tokio::test]
async fn a_batch_returns_the_result_of_each_operation() {
    let server = Server::with_container().await;
    let body = r#"[
        {"operationType":"Create","resourceBody":{"id":"a","pk":"x","n":1}},
        {"operationType":"Upsert","resourceBody":{"id":"b","pk":"x"}},
        {"operationType":"Read","id":"a"},
        {"operationType":"Replace","id":"b","resourceBody":{"id":"b","pk":"x","m":1}},
        {"operationType":"Patch","id":"a","resourceBody":{"operations":[{"op":"incr","path":"/n","value":1}]}},
        {"operationType":"Delete","id":"b"}]"#;
    let answer = batch(&server, body, "True", "False").await.expect(200);
    assert_eq!(statuses(&answer), [201, 201, 200, 200, 200, 204]);
    assert_eq!(answer.header("x-ms-session-token"), Some("0:-1#1"));
    let json = answer.json();
    let patched = &json.as_array().unwrap()[4];
    assert_eq!(patched.get("resourceBody").unwrap().get("n").and_then(Json::as_i64), Some(2));
    assert_eq!(patched.get("eTag"), patched.get("resourceBody").unwrap().get("_etag"));
}

#[tokio::test]
async fn a_batch_is_all_or_nothing() {
    let server = Server::with_container().await;
    let create = |id: &str| {
        format!(r#"{{"operationType":"Create","resourceBody":{{"id":"{id}","pk":"x"}}}}"#)
    };
    let body = format!("[{},{},{}]", create("a"), create("a"), create("b"));
    let answer = batch(&server, &body, "True", "False").await.expect(207);
    assert_eq!(statuses(&answer), [424, 409, 424]);
    server.get("/dbs/d/colls/c/docs/a").key(KEY).send().await.expect(404);
    let other = r#"[{"operationType":"Create","resourceBody":{"id":"a","pk":"y"}}]"#;
    let answer = batch(&server, other, "True", "False").await.expect(207);
    assert_eq!(answer.header("x-ms-substatus"), Some("1001"));
}

#[tokio::test]
async fn the_limits_of_a_batch_are_enforced() {
    let server = Server::with_container().await;
    batch(&server, "[]", "True", "False").await.refused(
        400,
        None,
        "Batch request has no operations.",
    );
    let many = vec![r#"{"operationType":"Read","id":"a"}"#; 101].join(",");
    let answer = batch(&server, &format!("[{many}]"), "True", "False").await;
    answer.refused(400, None, "Batch request has more operations than what is supported.");
    let hybrid = server.post(ITEMS, "").with("x-ms-cosmos-is-batch-request", "True");
    let answer = hybrid.bytes(vec![0x81, 0, 0]).key(KEY).send().await;
    answer.refused(501, None, "HybridRow");
}

#[tokio::test]
async fn operations_of_a_bulk_request_are_independent() {
    let server = Server::with_container().await;
    let create = |key: &str, id: &str| {
        format!(
            r#"{{"operationType":"Create","partitionKey":"[\"{key}\"]","resourceBody":{{"id":"{id}","pk":"{key}"}}}}"#
        )
    };
    let body = format!("[{},{},{}]", create("x", "a"), create("x", "a"), create("y", "b"));
    let answer = batch(&server, &body, "False", "True").await.expect(207);
    assert_eq!(statuses(&answer), [201, 409, 201]);
    let body = format!("[{},{},{}]", create("x", "c"), create("x", "a"), create("y", "d"));
    let answer = batch(&server, &body, "False", "False").await.expect(207);
    assert_eq!(statuses(&answer), [201, 409, 424]);
    server.get("/dbs/d/colls/c/docs/d").key(r#"["y"]"#).send().await.expect(404);
}
