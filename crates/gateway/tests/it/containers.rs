//! Containers.

use crate::client::Server;

const BODY: &str = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;

#[tokio::test]
async fn a_container_document_has_its_properties() {
    let server = Server::with_container().await;
    let read = server.get("/dbs/d/colls/c").send().await.expect(200);
    let (database, rid) = (server.get("/dbs/d").send().await.string("_rid"), read.string("_rid"));
    assert_eq!(read.string("_self"), format!("dbs/{database}/colls/{rid}/"));
    assert_eq!(read.string("_docs"), "docs/");
    assert_eq!(read.has("etag"), read.string("_etag"));
    assert_eq!(read.header("x-ms-alt-content-path"), Some("dbs/d"));
    assert_eq!(read.header("x-ms-content-path"), Some(database.as_str()));
    let progress = "x-ms-documentdb-collection-index-transformation-progress";
    assert_eq!(read.header(progress), Some("100"));
    assert_eq!(read.header("x-ms-share-throughput"), None);
    let by_rid = format!("/dbs/{database}/colls/{rid}/");
    assert_eq!(server.get(&by_rid).send().await.expect(200).string("id"), "c");
    let list = server.get("/dbs/d/colls").send().await.expect(200);
    assert_eq!(list.ids("DocumentCollections"), ["c"]);
    assert_eq!(list.string("_rid"), database);
}

#[tokio::test]
async fn quota_and_usage_are_returned_on_request() {
    let server = Server::with_container().await;
    let item = r#"{"id":"a","pk":"a"}"#;
    server.post("/dbs/d/colls/c/docs", item).key(r#"["a"]"#).send().await.expect(201);
    let plain = server.get("/dbs/d/colls/c").send().await;
    assert_eq!(plain.header("x-ms-resource-usage"), None);
    let call = server.get("/dbs/d/colls/c").with("x-ms-documentdb-populatequotainfo", "True");
    let read = call.with("x-ms-documentdb-populatepartitionstatistics", "true").send().await;
    assert!(read.has("x-ms-resource-usage").contains("documentsCount=1;"));
    assert!(read.has("x-ms-resource-quota").contains("documentSize=10240;"));
    assert_eq!(read.property("statistics").as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_container_is_replaced_within_its_limits() {
    let server = Server::start().await;
    server.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
    let policy = r#","uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]}}"#;
    let unique = &format!("{}{policy}", BODY.strip_suffix('}').unwrap());
    let created = server.post("/dbs/d/colls", unique).send().await.expect(201);
    let longer = unique.replace("\"id\":\"c\"", "\"id\":\"c\",\"defaultTtl\":60");
    let call = server.put("/dbs/d/colls/c", &longer).with("if-match", created.has("etag"));
    assert_eq!(call.send().await.expect(200).property("defaultTtl").as_i64(), Some(60));
    let call = server.put("/dbs/d/colls/c", &longer).with("if-match", created.has("etag"));
    call.send().await.refused(412, None, "precondition");
    let changed = server.put("/dbs/d/colls/c", BODY).send().await;
    changed.refused(403, None, "The unique index cannot be modified.");
    let other_key = longer.replace("/pk", "/other");
    server.put("/dbs/d/colls/c", &other_key).send().await.refused(400, None, "partition key");
}

#[tokio::test]
async fn a_recreated_container_is_another_one() {
    let server = Server::with_container().await;
    let rid = server.get("/dbs/d/colls/c").send().await.string("_rid");
    let intended = |rid: &str| {
        server.get("/dbs/d/colls/c/docs").with("x-ms-cosmos-intended-collection-rid", rid)
    };
    intended(&rid).send().await.expect(200);
    server.delete("/dbs/d/colls/c").send().await.expect(204);
    server.get("/dbs/d/colls/c/docs").send().await.refused(404, None, "Resource Not Found.");
    server.post("/dbs/d/colls", BODY).send().await.expect(201);
    intended(&rid).send().await.refused(400, Some("1024"), "Read the container again");
}

#[tokio::test]
async fn the_feed_of_conflicts_is_empty() {
    let server = Server::with_container().await;
    let list = server.get("/dbs/d/colls/c/conflicts").send().await.expect(200);
    assert!(list.entries("Conflicts").is_empty());
    server.get("/dbs/d/colls/c/conflicts/x").send().await.expect(404);
}

#[tokio::test]
async fn old_clients_create_containers_without_a_partition_key() {
    let server = Server::start().await;
    server.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
    let body = r#"{"id":"c"}"#;
    server.post("/dbs/d/colls", body).send().await.refused(400, None, "partitionKey");
    let old = server.post("/dbs/d/colls", body).with("x-ms-version", "2018-06-18");
    let created = old.send().await.expect(201);
    let expected = r#"{"paths":["/_partitionKey"],"kind":"Hash","systemKey":true}"#;
    assert_eq!(created.property("partitionKey").to_string(), expected);
    // Neither old clients, which send no key, nor those that say "none" in one way or another need one.
    let items = "/dbs/d/colls/c/docs";
    server.post(items, r#"{"id":"a"}"#).send().await.expect(201);
    server.post(items, r#"{"id":"b"}"#).key("[]").send().await.expect(201);
    server.post(items, r#"{"id":"e"}"#).key("[{}]").send().await.expect(201);
    server.get("/dbs/d/colls/c/docs/a").send().await.expect(200);
    server.get("/dbs/d/colls/c/docs/a").key("[{}]").send().await.expect(200);
    let query = server.post(items, r#"{"query":"SELECT VALUE COUNT(1) FROM c"}"#);
    let query = query.with("content-type", "application/query+json").send().await.expect(200);
    assert_eq!(query.property("Documents").to_string(), "[3]");
    server.delete("/dbs/d/colls/c/docs/a").send().await.expect(204);
    let bulk = r#"[{"operationType":"Upsert","partitionKey":"[]","resourceBody":{"id":"b"}}]"#;
    let bulk = server.post(items, bulk).with("x-ms-cosmos-is-batch-request", "true");
    let bulk = bulk.with("x-ms-cosmos-batch-atomic", "false").send().await.expect(200);
    assert!(bulk.text().contains(r#""statusCode":200"#), "{}", bulk.text());
}

#[tokio::test]
async fn partition_key_paths_know_quotes() {
    let server = Server::start().await;
    server.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
    let create = |id: &str, path: &str| {
        let path = path.replace('"', "\\\"");
        let body = format!(r#"{{"id":"{id}","partitionKey":{{"paths":["{path}"],"version":2}}}}"#);
        server.post("/dbs/d/colls", &body).send()
    };
    let refusal = "'/id ds' could not be accepted, failed near position '3'. Partition key paths must contain only \
                   valid characters";
    create("a", "/id ds").await.refused(400, None, refusal);
    let refusal = "The partition key component definition path 'id' could not be accepted";
    create("a", "id").await.refused(400, None, refusal);
    create("b", "/'id ds'/x").await.expect(201);
    create("c", "/\"id ds\"").await.expect(201);
    let call = server.post("/dbs/d/colls/b/docs", r#"{"id":"1","id ds":{"x":"k"}}"#);
    call.key(r#"["k"]"#).send().await.expect(201);
}

#[tokio::test]
async fn legacy_indexes_are_dropped_and_lazy_indexing_is_not_reported() {
    let server = Server::start().await;
    server.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
    let body = r#"{"id":"c","partitionKey":{"paths":["/pk"],"version":2},"indexingPolicy":{"includedPaths":
        [{"path":"/*","indexes":[{"kind":"Range","dataType":"Number","precision":-1}]}]}}"#;
    server.post("/dbs/d/colls", body).send().await.expect(201);
    let read = server.get("/dbs/d/colls/c").send().await.expect(200);
    assert!(!read.text().contains("indexes"), "{}", read.text());
    assert_eq!(read.header("x-ms-documentdb-collection-lazy-indexing-progress"), None);
}

#[tokio::test]
async fn conflicts_are_queried_by_key_or_over_all_partitions_if_the_client_says_so() {
    let server = Server::with_container().await;
    let query = || {
        let call = server.post("/dbs/d/colls/c/conflicts", r#"{"query":"SELECT * FROM c"}"#);
        call.with("content-type", "application/query+json")
    };
    let all = query().send().await;
    all.refused(400, None, "Cross partition query is required but disabled");
    let all = query().with("x-ms-documentdb-query-enablecrosspartition", "true");
    all.send().await.expect(200);
    query().key(r#"["x"]"#).send().await.expect(200);
}
