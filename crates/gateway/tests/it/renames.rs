//! What a replace, an upsert and an increment do to what is not there yet, and ids that change.

use crate::client::{Answer, Server};

const ITEMS: &str = "/dbs/d/colls/c/docs";

async fn create(server: &Server, body: &str) -> Answer {
    server.post(ITEMS, body).key(r#"["x"]"#).send().await
}

#[tokio::test]
async fn a_replace_with_another_id_renames_the_item() {
    let server = Server::with_container().await;
    let old = create(&server, r#"{"id":"a","pk":"x","n":1}"#).await.expect(201);
    create(&server, r#"{"id":"taken","pk":"x"}"#).await.expect(201);
    let put = async |from: &str, to: &str| {
        let body = format!(r#"{{"id":"{to}","pk":"x","n":2}}"#);
        server.put(&format!("{ITEMS}/{from}"), &body).key(r#"["x"]"#).send().await
    };
    put("a", "taken").await.refused(409, None, "already exists");
    put("missing", "b").await.refused(404, None, "does not exist");
    let renamed = put("a", "b").await.expect(200);
    assert_eq!(renamed.string("_rid"), old.string("_rid"));
    let read = async |id: &str| server.get(&format!("{ITEMS}/{id}")).key(r#"["x"]"#).send().await;
    read("a").await.expect(404);
    assert_eq!(read("b").await.expect(200).body, renamed.body);
    // Every trace of the old name is gone: index, list and change feed.
    let query = r#"{"query":"SELECT VALUE c.id FROM c WHERE c.n > 0"}"#;
    let query = server.post(ITEMS, query).key(r#"["x"]"#);
    let rows = query.with("content-type", "application/query+json").send().await.expect(200);
    assert_eq!(rows.property("Documents").to_string(), r#"["b"]"#);
    let feed = server.get(ITEMS).with("a-im", "Incremental Feed").send().await.expect(200);
    assert_eq!(feed.ids("Documents"), ["taken", "b"]);
    // The old name is free again.
    create(&server, r#"{"id":"a","pk":"x"}"#).await.expect(201);
    let report = server.engine.verify(&mut |_| {}).await.unwrap();
    assert!(report.is_consistent(), "{report:?}");
}

#[tokio::test]
async fn a_batch_renames_and_uses_the_new_name() {
    let server = Server::with_container().await;
    create(&server, r#"{"id":"a","pk":"x"}"#).await.expect(201);
    let body = r#"[{"operationType":"Replace","id":"a","resourceBody":{"id":"b","pk":"x"}},
        {"operationType":"Read","id":"b"},{"operationType":"Create","resourceBody":{"id":"a","pk":"x"}}]"#;
    let call = server.post(ITEMS, body).key(r#"["x"]"#);
    let call = call.with("x-ms-cosmos-is-batch-request", "true");
    let answer = call.with("x-ms-cosmos-batch-atomic", "true").send().await.expect(200);
    let statuses: Vec<_> = answer
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry.get("statusCode").unwrap().as_i64().unwrap())
        .collect();
    assert_eq!(statuses, [200, 200, 201]);
}

#[tokio::test]
async fn an_upsert_with_an_etag_creates_what_is_missing() {
    let server = Server::with_container().await;
    let upsert = server.post(ITEMS, r#"{"id":"a","pk":"x"}"#).key(r#"["x"]"#);
    let upsert = upsert.with("x-ms-documentdb-is-upsert", "true").with("if-match", "\"stale\"");
    upsert.send().await.expect(201);
}

#[tokio::test]
async fn an_increment_of_a_missing_property_sets_it() {
    let server = Server::with_container().await;
    create(&server, r#"{"id":"a","pk":"x"}"#).await.expect(201);
    let body = r#"{"operations":[{"op":"incr","path":"/n","value":5}]}"#;
    let patched = server.patch(&format!("{ITEMS}/a"), body).key(r#"["x"]"#).send().await;
    assert_eq!(patched.expect(200).property("n").as_i64(), Some(5));
}

#[tokio::test]
async fn a_replace_renames_users_permissions_and_scripts() {
    let server = Server::with_container().await;
    server.post("/dbs/d/users", r#"{"id":"u"}"#).send().await.expect(201);
    let permission = r#""permissionMode":"Read","resource":"dbs/d/colls/c""#;
    for (feed, extra) in [
        ("/dbs/d/users/u/permissions", permission),
        ("/dbs/d/colls/c/sprocs", r#""body":"f""#),
        ("/dbs/d/colls/c/udfs", r#""body":"f""#),
        ("/dbs/d/colls/c/triggers", r#""body":"f","triggerType":"Pre","triggerOperation":"All""#),
        ("/dbs/d/users", r#""x":1"#),
    ] {
        let body = |id: &str| format!(r#"{{"id":"{id}",{extra}}}"#);
        let old = server.post(feed, &body("old")).send().await.expect(201);
        server.post(feed, &body("taken")).send().await.expect(201);
        let path = format!("{feed}/old");
        server.put(&path, &body("taken")).send().await.refused(409, None, "already exists");
        let renamed = server.put(&path, &body("new")).send().await.expect(200);
        assert_eq!(renamed.string("_rid"), old.string("_rid"), "{feed}");
        server.get(&path).send().await.expect(404);
        server.get(&format!("{feed}/new")).send().await.expect(200);
        if old.json().get("_token").is_some() {
            // A token names its permission by resource id, so that it outlives a rename.
            let token = old.string("_token").replace('=', "%3D").replace('&', "%26");
            let call = server.get("/dbs/d/colls/c").unsigned().with("authorization", &token);
            call.send().await.expect(200);
        }
    }
    let key = r#"{"id":"k","wrappedDataEncryptionKey":"AAAA"}"#;
    server.post("/dbs/d/clientencryptionkeys", key).send().await.expect(201);
    let other = server.put("/dbs/d/clientencryptionkeys/k", &key.replace("\"k\"", "\"l\""));
    other.send().await.refused(400, None, "cannot be changed");
}

#[tokio::test]
async fn item_ids_follow_the_service() {
    let server = Server::with_container().await;
    for id in ["a?b", "a#b", "a/b", " "] {
        let body = format!(r#"{{"id":"{id}","pk":"x"}}"#);
        assert_eq!(create(&server, &body).await.expect(201).string("id"), id);
    }
    let read = server.get(&format!("{ITEMS}/a%3Fb")).key(r#"["x"]"#).unsigned();
    let link = "dbs/d/colls/c/docs/a?b";
    let (date, key) = (crate::client::DATE, gateway::EMULATOR_KEY);
    let signed = crate::client::sign_link("GET", "docs", link, date, key);
    let read = read.with("x-ms-date", date).with("authorization", &signed);
    assert_eq!(read.send().await.expect(200).string("id"), "a?b");
    let backslash = create(&server, r#"{"id":"a\\\\b","pk":"x"}"#).await;
    backslash.refused(400, None, "contains invalid character");
    let long = |length: usize| format!(r#"{{"id":"{}","pk":"x"}}"#, "é".repeat(length));
    create(&server, &long(255)).await.expect(201);
    let message = "Ensure to provide a unique non-empty string less than '255' characters.";
    create(&server, &long(256)).await.refused(400, None, message);
}
