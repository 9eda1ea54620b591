//! What the explorer asks about a container: versions, keys, indexes, plans. Nothing of it changes anything.

use gateway::{ChangePlanner, ExplorerSettings};
use model::{Json, Object};

use crate::client::{NOW_SECONDS, Server};
use crate::explorer::{Session, start};

fn list(json: &Json, name: &str) -> Vec<Json> {
    json.get(name).and_then(Json::as_array).unwrap().to_vec()
}

fn integer(json: &Json, name: &str) -> Option<i64> {
    json.get(name).and_then(Json::as_i64)
}

async fn with_versions() -> Server {
    let server = Server::start().await;
    server.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
    let body = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2},
        "changeFeedPolicy":{"retentionDuration":60}}"#;
    server.post("/dbs/d/colls", body).send().await.expect(201);
    server
}

#[tokio::test]
async fn the_versions_of_an_item_are_listed_across_its_deletion() {
    let server = with_versions().await;
    let items = "/dbs/d/colls/c/docs";
    let item = "/dbs/d/colls/c/docs/a";
    server.post(items, r#"{"id":"a","pk":1,"n":1}"#).key("[1]").send().await.expect(201);
    server.post(items, r#"{"id":"other","pk":1}"#).key("[1]").send().await.expect(201);
    server.travel(10);
    server.put(item, r#"{"id":"a","pk":1,"n":2}"#).key("[1]").send().await.expect(200);
    server.travel(10);
    server.delete(item).key("[1]").send().await.expect(204);
    server.travel(10);
    server.post(items, r#"{"id":"a","pk":1,"n":3}"#).key("[1]").send().await.expect(201);
    let path = "/_planisphere/versions/d/c/a";
    let answer = server.get(path).key("[1]").send().await.expect(200).json();
    let versions = list(&answer, "versions");
    let seen = versions.iter().map(|version| {
        let number = version.get("item").and_then(|item| item.get("n")).and_then(Json::as_i64);
        let kind = version.get("kind").and_then(Json::as_str).unwrap().to_owned();
        let second = |name| integer(version, name).map(|second| second - NOW_SECONDS as i64);
        (kind, number, second("began"), second("ended"))
    });
    let text = |text: &str| text.to_owned();
    assert_eq!(
        seen.collect::<Vec<_>>(),
        [
            (text("version"), Some(3), Some(30), None),
            (text("deleted"), None, Some(20), None),
            (text("version"), Some(2), Some(10), Some(20)),
            (text("version"), Some(1), Some(0), Some(10)),
        ]
    );
    assert_eq!(answer.get("more").and_then(Json::as_bool), Some(false));
    let two = server.get(path).key("[1]").with("x-ms-max-item-count", "2").send().await;
    assert_eq!(list(&two.expect(200).json(), "versions").len(), 2);
    server.delete(item).key("[1]").send().await.expect(204);
    let gone = server.get(path).key("[1]").send().await.expect(200).json();
    assert_eq!(list(&gone, "versions").len(), 5);
    server.get(path).send().await.expect(400);
    server.get(path).unsigned().send().await.expect(401);
}

#[tokio::test]
async fn the_keys_of_a_partition_are_listed_without_reading_its_items() {
    let server = Server::with_container().await;
    for number in 0..30 {
        let body = format!("{{\"id\":\"{number}\",\"pk\":\"k{}\"}}", number % 3);
        let key = format!("[\"k{}\"]", number % 3);
        server.post("/dbs/d/colls/c/docs", &body).key(&key).send().await.expect(201);
    }
    let path = "/_planisphere/partitions/d/c/0/keys";
    let all = server.get(path).send().await.expect(200).json();
    let mut keys: Vec<String> = list(&all, "keys").iter().map(ToString::to_string).collect();
    keys.sort();
    assert_eq!(keys, [r#"["k0"]"#, r#"["k1"]"#, r#"["k2"]"#]);
    assert_eq!(all.get("more").and_then(Json::as_bool), Some(false));
    let one = server.get(path).with("x-ms-max-item-count", "1").send().await.expect(200).json();
    assert_eq!(list(&one, "keys").len(), 1);
    assert_eq!(one.get("more").and_then(Json::as_bool), Some(true));
    server.get("/_planisphere/partitions/d/c/9/keys").send().await.expect(410);
    server.get("/_planisphere/partitions/d/c/x/keys").send().await.expect(400);
}

#[tokio::test]
async fn indexes_have_a_cost_per_path_and_another_policy_is_priced_before_it_is_applied() {
    let server = Server::with_container().await;
    for number in 0..20 {
        let body =
            format!("{{\"id\":\"{number}\",\"pk\":1,\"a\":{number},\"tags\":[\"x\",\"y\"]}}");
        server.post("/dbs/d/colls/c/docs", &body).key("[1]").send().await.expect(201);
    }
    let path = "/_planisphere/indexes/d/c";
    let now = server.get(path).send().await.expect(200).json();
    assert_eq!((integer(&now, "items"), integer(&now, "sampledItems")), (Some(20), Some(20)));
    let find = |json: &Json, path: &str| {
        list(json, "paths")
            .into_iter()
            .find(|one| one.get("path").and_then(Json::as_str) == Some(path))
    };
    // Two entries per value, one for its partition key and one for all; two values per item.
    let tags = find(&now, "/tags/[]/?").unwrap();
    assert_eq!(integer(&tags, "entries"), Some(80));
    assert!(integer(&tags, "bytes").unwrap() > 80 * 20, "{tags}");
    let policy = r#"{"indexingMode":"consistent","automatic":true,"includedPaths":[{"path":"/*"}],
        "excludedPaths":[{"path":"/tags/*"}],"compositeIndexes":[[{"path":"/pk"},{"path":"/a"}]]}"#;
    let then = server.post(path, policy).send().await.expect(200).json();
    assert!(find(&then, "/tags/[]/?").is_none());
    assert_eq!(integer(&find(&then, "/pk,/a").unwrap(), "entries"), Some(40));
    let units = |json: &Json| -> f64 {
        json.get("requestUnitsPerWrite").unwrap().to_string().parse().unwrap()
    };
    assert!(units(&then) < units(&now), "{then} {now}");
    let stored = server.get("/dbs/d/colls/c").send().await.expect(200).text();
    assert!(!stored.contains("/tags/*"), "nothing was applied: {stored}");
    server.post(path, r#"{"indexingMode":"sometimes"}"#).send().await.expect(400);
}

#[tokio::test]
async fn a_query_is_explained_without_running() {
    let server = Server::with_container().await;
    server.post("/_planisphere/partitions/d/c", r#"{"split":0}"#).send().await.expect(200);
    let path = "/_planisphere/explain/d/c";
    let all = server.post(path, r#"{"query":"SELECT * FROM c WHERE c.a = 1"}"#).send().await;
    let all = all.expect(200).json();
    assert_eq!(list(&all, "partitions").len(), 2);
    assert_eq!(integer(&all, "partitionsOfContainer"), Some(2));
    assert!(!list(&all, "words").is_empty());
    let one = server.post(path, r#"{"query":"SELECT * FROM c WHERE c.pk = 1"}"#).send().await;
    assert_eq!(list(&one.expect(200).json(), "partitions").len(), 1);
    server.post(path, r#"{"query":"SELECT * FROM"}"#).send().await.expect(400);
}

#[tokio::test]
async fn a_change_is_planned_by_the_planner_of_the_server() {
    let server = start(|explorer: &mut ExplorerSettings| {
        explorer.planner = ChangePlanner::new(|change| {
            Box::pin(async move {
                let mut object = Object::new();
                object.insert("container", change.properties.id.as_str());
                object.insert("throughput", format!("{:?}", change.throughput));
                Ok(Json::Object(object))
            })
        });
    })
    .await;
    let path = "/_planisphere/plan/d/c";
    let body = r#"{"container":{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}},
        "throughput":{"manual":500}}"#;
    let planned = server.post(path, body).send().await.expect(200).text();
    assert!(planned.contains("Manual(500)") && planned.contains(r#""container":"c""#), "{planned}");
    server.post("/_planisphere/plan/d/other", body).send().await.expect(400);
    server.post(path, r#"{"throughput":{"manual":1}}"#).send().await.expect(400);
    server.get(path).send().await.expect(405);
}

#[tokio::test]
async fn a_session_that_only_reads_may_ask_and_not_disguise_a_change_as_a_query() {
    let server = start(|explorer| explorer.is_read_only = true).await;
    server.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
    let body = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;
    server.post("/dbs/d/colls", body).send().await.expect(201);
    let mine = Session::begin(&server).await;
    let query = r#"{"query":"SELECT * FROM c"}"#;
    mine.on(server.post("/_planisphere/explain/d/c", query)).send().await.expect(200);
    let disguise = |call| mine.on(call).with("x-ms-documentdb-isquery", "true").key("[1]");
    let split = server.post("/_planisphere/partitions/d/c", r#"{"split":0}"#);
    disguise(split).send().await.expect(403);
    let batch = r#"[{"operationType":"Create","resourceBody":{"id":"a","pk":1}}]"#;
    let batch = server.post("/dbs/d/colls/c/docs", batch);
    let batch = batch.with("x-ms-cosmos-is-batch-request", "true");
    disguise(batch.with("x-ms-cosmos-batch-atomic", "true")).send().await.expect(403);
}
