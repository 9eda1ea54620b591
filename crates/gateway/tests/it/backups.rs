//! Backups and restores over the API.

use crate::client::Server;

async fn put(server: &Server, id: &str, value: u32) {
    let body = format!(r#"{{"id":"{id}","pk":"p","value":{value}}}"#);
    let call = server.post("/dbs/d/colls/c/docs", &body);
    let call = call.with("x-ms-documentdb-partitionkey", r#"["p"]"#);
    let written = call.with("x-ms-documentdb-is-upsert", "true").send().await;
    assert!(written.status == 200 || written.status == 201, "{}", written.text());
}

async fn read(server: &Server, container: &str, id: &str) -> Option<String> {
    let path = format!("/dbs/d/colls/{container}/docs/{id}");
    let found = server.get(&path).with("x-ms-documentdb-partitionkey", r#"["p"]"#).send().await;
    let text = found.text();
    let value = text.split(r#""value":"#).nth(1)?.split([',', '}']).next()?.to_owned();
    (found.status == 200).then_some(value)
}

/// A container with the items 1, 2 and 3 at the returned second; afterwards 1 is changed, 2 deleted, 4 created.
async fn changed() -> (Server, u64) {
    let server = Server::with_container().await;
    for (id, value) in [("1", 10), ("2", 20), ("3", 30)] {
        put(&server, id, value).await;
    }
    let then = crate::client::NOW_SECONDS;
    server.travel(10);
    put(&server, "1", 11).await;
    put(&server, "4", 40).await;
    let delete = server.delete("/dbs/d/colls/c/docs/2");
    delete.with("x-ms-documentdb-partitionkey", r#"["p"]"#).send().await.expect(204);
    (server, then)
}

async fn state(server: &Server, container: &str) -> Vec<Option<String>> {
    let mut values = Vec::new();
    for id in ["1", "2", "3", "4"] {
        values.push(read(server, container, id).await);
    }
    values
}

fn values(values: [Option<&str>; 4]) -> Vec<Option<String>> {
    values.map(|value| value.map(str::to_owned)).to_vec()
}

const THEN: [Option<&str>; 4] = [Some("10"), Some("20"), Some("30"), None];

#[tokio::test]
async fn a_container_is_restored_in_place_to_a_second_of_the_past() {
    let (server, then) = changed().await;
    assert_eq!(state(&server, "c").await, values([Some("11"), None, Some("30"), Some("40")]));
    let body = format!(r#"{{"database":"d","container":"c","at":{then}}}"#);
    let restored = server.post("/_planisphere/restore-point", &body).send().await.expect(200);
    assert!(
        restored.text().contains(r#""restored":2,"deleted":1,"unchanged":1"#),
        "{}",
        restored.text()
    );
    assert_eq!(state(&server, "c").await, values(THEN));
    let again = server.post("/_planisphere/restore-point", &body).send().await.expect(200);
    assert!(again.text().contains(r#""restored":0,"deleted":0,"unchanged":3"#), "{}", again.text());
}

#[tokio::test]
async fn a_past_second_is_restored_into_another_container() {
    let (server, then) = changed().await;
    let body = format!(r#"{{"database":"d","container":"c","at":{then},"to":"old"}}"#);
    server.post("/_planisphere/restore-point", &body).send().await.expect(200);
    assert_eq!(state(&server, "old").await, values(THEN));
    assert_eq!(state(&server, "c").await, values([Some("11"), None, Some("30"), Some("40")]));
    let early = r#"{"database":"d","container":"c","at":5}"#;
    let refused = server.post("/_planisphere/restore-point", early).send().await;
    refused.refused(400, None, "versions are kept for");
}

#[tokio::test]
async fn a_backup_has_the_catalog_and_the_items_of_one_moment() {
    let (server, then) = changed().await;
    let trigger = r#"{"id":"t","body":"x","triggerType":"Pre","triggerOperation":"All"}"#;
    server.post("/dbs/d/colls/c/triggers", trigger).send().await.expect(201);
    server.post("/dbs/d/users", r#"{"id":"ann"}"#).send().await.expect(201);
    let begun = server.post("/_planisphere/backups", "{}").send().await.expect(201);
    // After the beginning, so not in it.
    put(&server, "5", 50).await;
    let page = server.get("/_planisphere/backups/1").send().await.expect(200).text();
    assert_eq!(page.matches("{\"item\":").count(), 3, "{page}");
    assert!(!page.contains(r#""value":50"#) && page.contains(r#""value":11"#), "{page}");
    server.get("/_planisphere/backups/1").send().await.expect(204);
    server.get("/_planisphere/backups/1").send().await.refused(404, None, "no such backup");
    let other = Server::start().await;
    let lines: Vec<String> = begun
        .json()
        .get("lines")
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    let all = format!("{}\n{page}", lines.join("\n"));
    other.post("/_planisphere/restore", &all).send().await.expect(200);
    assert_eq!(state(&other, "c").await, values([Some("11"), None, Some("30"), Some("40")]));
    let trigger = other.get("/dbs/d/colls/c/triggers/t").send().await.expect(200);
    assert!(trigger.text().contains(r#""triggerOperation":"All""#));
    other.get("/dbs/d/users/ann").send().await.expect(200);
    let past = format!(r#"{{"at":{then}}}"#);
    server.post("/_planisphere/backups", &past).send().await.expect(201);
    let page = server.get("/_planisphere/backups/1").send().await.expect(200).text();
    assert!(page.contains(r#""value":10"#) && page.contains(r#""value":20"#), "{page}");
    server.post("/_planisphere/backups", "{}").unsigned().send().await.expect(401);
}
