//! The headers for charges and their explanations.

use model::Json;

use crate::client::{Answer, Server};

const ITEMS: &str = "/dbs/d/colls/c/docs";
const A: &str = "/dbs/d/colls/c/docs/a";
const KEY: &str = r#"["x"]"#;
const CHARGE: &str = "x-ms-request-charge";
const EXPLAIN: &str = "x-planisphere-explain-charge";

/// The explanation, whose charge is that of the header.
fn explained(answer: &Answer) -> Json {
    let json = Json::parse(answer.has(EXPLAIN).as_bytes()).unwrap();
    let Some(Json::Number(charge)) = json.get("charge") else { panic!("{json}") };
    let expected: f64 = answer.has(CHARGE).parse().unwrap();
    assert!((charge.as_f64() - expected).abs() < 0.006, "{json} {expected}");
    json
}

fn operation(answer: &Answer) -> String {
    explained(answer).get("operation").unwrap().as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_debug_header_asks_for_the_terms_of_a_charge() {
    let server = Server::with_container().await;
    let body = r#"{"id":"a","pk":"x","n":1}"#;
    let created = server.post(ITEMS, body).key(KEY).with(EXPLAIN, "1").send().await.expect(201);
    assert_eq!(created.header(CHARGE), Some("6.1"));
    assert_eq!(
        explained(&created).get("terms").unwrap().as_array().unwrap()[0].to_string(),
        r#"{"term":"write","bytes":25,"bucketKilobytes":1,"charge":4.9524}"#
    );
    let read = server.get(A).key(KEY).with(EXPLAIN, "").send().await.expect(200);
    assert_eq!(operation(&read), "read");
    let replaced = server.put(A, body).key(KEY).with(EXPLAIN, "yes").send().await.expect(200);
    assert_eq!(operation(&replaced), "replace");
    let patch = r#"{"operations":[{"op":"set","path":"/n","value":2}]}"#;
    let patched = server.patch(A, patch).key(KEY).with(EXPLAIN, "1").send().await.expect(200);
    assert_eq!(operation(&patched), "patch");
    let list = server.get(ITEMS).with(EXPLAIN, "1").send().await.expect(200);
    assert_eq!(operation(&list), "list");
    let feed = server.get(ITEMS).with("a-im", "Incremental Feed").with(EXPLAIN, "1").send().await;
    assert_eq!(operation(&feed.expect(200)), "readChangeFeed");
    let query = server
        .post(ITEMS, r#"{"query":"SELECT * FROM c WHERE c.n = 2"}"#)
        .key(KEY)
        .with("x-ms-documentdb-isquery", "true")
        .with("content-type", "application/query+json")
        .with(EXPLAIN, "1")
        .send()
        .await
        .expect(200);
    assert_eq!(operation(&query), "query");
    let deleted = server.delete(A).key(KEY).with(EXPLAIN, "1").send().await.expect(204);
    assert_eq!(operation(&deleted), "delete");
}

#[tokio::test]
async fn without_the_header_nothing_is_explained() {
    let server = Server::with_container().await;
    let created = server.post(ITEMS, r#"{"id":"a","pk":"x"}"#).key(KEY).send().await.expect(201);
    assert_eq!(created.header(EXPLAIN), None);
    assert_eq!(server.get(A).key(KEY).send().await.expect(200).header(EXPLAIN), None);
}

#[tokio::test]
async fn an_item_of_very_many_paths_is_explained_in_a_header_of_few_bytes() {
    let server = Server::with_container().await;
    let paths: Vec<String> = (0..2000).map(|number| format!(r#""p{number}":1"#)).collect();
    let body = format!(r#"{{"id":"a","pk":"x",{}}}"#, paths.join(","));
    let created = server.post(ITEMS, &body).key(KEY).with(EXPLAIN, "1").send().await.expect(201);
    assert!(created.has(EXPLAIN).len() < 7000);
    explained(&created);
}

#[tokio::test]
async fn errors_have_a_charge() {
    let server = Server::with_container().await;
    assert_eq!(server.get(A).key(KEY).send().await.expect(404).header(CHARGE), Some("1"));
    assert_eq!(server.delete(A).key(KEY).send().await.expect(404).header(CHARGE), Some("1.24"));
    let body = r#"{"id":"a","pk":"x"}"#;
    server.post(ITEMS, body).key(KEY).send().await.expect(201);
    let conflict = server.post(ITEMS, body).key(KEY).send().await.expect(409);
    assert_eq!(conflict.header(CHARGE), Some("1.24"));
    let stale = server.put(A, body).key(KEY).with("if-match", "\"x\"").send().await.expect(412);
    assert_eq!(stale.header(CHARGE), Some("1.24"));
}

#[tokio::test]
async fn a_batch_explains_all_its_operations() {
    let server = Server::with_container().await;
    let body = r#"[{"operationType":"Create","resourceBody":{"id":"a","pk":"x","n":1}},
        {"operationType":"Read","id":"a"}]"#;
    let answer = server
        .post(ITEMS, body)
        .key(KEY)
        .with("x-ms-cosmos-is-batch-request", "true")
        .with("x-ms-cosmos-batch-atomic", "true")
        .with(EXPLAIN, "1")
        .send()
        .await
        .expect(200);
    assert_eq!(answer.header(CHARGE), Some("7.1"));
    assert_eq!(operation(&answer), "batch");
}
