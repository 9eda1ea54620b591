//! Response headers: for each operation those that must be present, and those that must not.

use crate::client::{Answer, Call, DATE, Server};

/// On every response.
const ALWAYS: &[&str] = &[
    "content-type",
    "date",
    "x-ms-activity-id",
    "x-ms-request-duration-ms",
    "x-ms-schemaversion",
    "x-ms-serviceversion",
    "x-ms-gatewayversion",
    "x-ms-number-of-read-regions",
    "x-ms-xp-role",
    "x-ms-last-state-change-utc",
    "x-ms-transport-request-id",
];
/// On every success.
const SUCCESS: &[&str] = &["x-ms-request-charge", "cache-control", "pragma"];
/// On every response of a physical partition, including errors.
const PARTITION: &[&str] = &[
    "x-ms-request-charge",
    "x-ms-session-token",
    "x-ms-documentdb-partitionkeyrangeid",
    "x-ms-content-path",
    "x-ms-alt-content-path",
    "lsn",
    "x-ms-cosmos-llsn",
    "x-ms-global-committed-lsn",
    "x-ms-cosmos-internal-partition-id",
    "x-ms-cosmos-physical-partition-id",
];
const QUOTA: &[&str] = &["x-ms-resource-quota", "x-ms-resource-usage"];
const ITEM: &[&str] = &["etag", "x-ms-item-lsn", "x-ms-cosmos-item-llsn"];
const WRITE: &[&str] = &[
    "x-ms-quorum-acked-lsn",
    "x-ms-cosmos-quorum-acked-llsn",
    "x-ms-current-write-quorum",
    "x-ms-current-replica-set-size",
];
const FEED: &[&str] = &["x-ms-item-count"];
const LOCATION: &[&str] = &["content-location"];
const OWNER: &[&str] = &["x-ms-content-path", "x-ms-alt-content-path"];
const QUERY: &[&str] =
    &["x-ms-cosmos-query-execution-info", "x-ms-cosmos-is-partition-key-delete-pending"];

/// Headers that no response may have: clients create them, or misinterpret them.
const NEVER: &[&str] =
    &["x-ms-throttle-retry-count", "x-ms-throttle-retry-wait-time-ms", "retry-after", "server"];

fn check(what: &str, answer: &Answer, status: u16, groups: &[&[&str]]) {
    assert_eq!(answer.status, status, "{what}: {}", answer.text());
    let success: &[&str] = if (200..300).contains(&status) { SUCCESS } else { &[] };
    for name in groups.iter().copied().chain([ALWAYS, success]).flatten() {
        let value =
            answer.header(name).unwrap_or_else(|| panic!("{what}: no {name} in {answer:?}"));
        assert!(!value.is_empty(), "{what}: {name} is empty");
    }
    // HTTP itself says that these two have no body.
    let is_bare = matches!(status, 204 | 304);
    assert_eq!(answer.header("content-length").is_none(), is_bare, "{what}");
    for name in NEVER {
        assert_eq!(answer.header(name), None, "{what}");
    }
}

const DOCS: &str = "/dbs/d/colls/c/docs";
const ONE: &str = "/dbs/d/colls/c/docs/a";
const BODY: &str = r#"{"id":"a","pk":"x"}"#;
const TEXT: &str = r#"{"query":"SELECT * FROM c"}"#;

fn keyed<'a>(server: &'a Server, verb: &str, path: &str, body: &str) -> Call<'a> {
    server.call(verb, path, body).key(r#"["x"]"#)
}

#[tokio::test]
async fn responses_about_items_have_position_headers() {
    let server = Server::with_container().await;
    let call = |verb, path, body| keyed(&server, verb, path, body);
    let written = &[PARTITION, QUOTA, ITEM, WRITE][..];
    let read = &[PARTITION, QUOTA, ITEM, LOCATION][..];
    let feed = &[PARTITION, QUOTA, FEED][..];
    check("create", &call("POST", DOCS, BODY).send().await, 201, written);
    let upsert = call("POST", DOCS, BODY).with("x-ms-documentdb-is-upsert", "True");
    check("upsert", &upsert.send().await, 200, written);
    let replaced = call("PUT", ONE, BODY).send().await;
    check("replace", &replaced, 200, &[PARTITION, QUOTA, ITEM, WRITE, LOCATION]);
    let patch = r#"{"operations":[{"op":"set","path":"/n","value":1}]}"#;
    let patched = call("PATCH", ONE, patch).send().await;
    check("patch", &patched, 200, &[PARTITION, QUOTA, ITEM, WRITE, LOCATION]);
    let found = call("GET", ONE, "").send().await;
    check("read", &found, 200, read);
    let same = call("GET", ONE, "").with("if-none-match", found.has("etag")).send().await;
    check("not modified", &same, 304, &[PARTITION, LOCATION, &["etag"]]);
    check("list", &call("GET", DOCS, "").send().await, 200, &[PARTITION, QUOTA, FEED, LOCATION]);
    let query = call("POST", DOCS, TEXT).with("x-ms-documentdb-isquery", "True");
    check("query", &query.send().await, 200, &[PARTITION, QUOTA, FEED, QUERY]);
    let plan = call("POST", DOCS, TEXT).with("x-ms-cosmos-is-query-plan-request", "True");
    let plan = plan.send().await;
    check("plan", &plan, 200, &[OWNER]);
    assert_eq!(plan.header("lsn"), None);
    let changes = call("GET", DOCS, "").with("a-im", "Incremental Feed").send().await;
    check("changes", &changes, 200, &[PARTITION, QUOTA, FEED, LOCATION, &["etag"]]);
    let none = call("GET", DOCS, "").with("a-im", "Incremental Feed");
    let none = none.with("if-none-match", changes.has("etag")).send().await;
    check("no changes", &none, 304, &[PARTITION, LOCATION, &["etag"]]);
    let batch = call("POST", DOCS, r#"[{"operationType":"Read","id":"a"}]"#);
    let batch = batch.with("x-ms-cosmos-is-batch-request", "True");
    let batch = batch.with("x-ms-cosmos-batch-atomic", "True").send().await;
    check("batch", &batch, 200, feed);
    let minimal = call("PUT", ONE, BODY).with("prefer", "return=minimal").send().await;
    check("minimal", &minimal, 200, &[PARTITION, QUOTA, ITEM, WRITE, LOCATION]);
    let deleted = call("DELETE", ONE, "").send().await;
    check("delete", &deleted, 204, &[PARTITION, QUOTA, WRITE, LOCATION]);
    let by_key = call("POST", "/dbs/d/colls/c/operations/partitionkeydelete", "").send().await;
    check("delete by partition key", &by_key, 200, &[PARTITION, QUOTA]);
}

#[tokio::test]
async fn errors_of_a_partition_have_position_headers() {
    let server = Server::with_container().await;
    let call = |verb, path, body| keyed(&server, verb, path, body);
    let created = call("POST", DOCS, BODY).send().await.expect(201);
    let stale = || call("PUT", ONE, BODY).with("if-match", "\"x\"");
    let conflict = call("POST", DOCS, BODY).send().await;
    let missing = call("GET", "/dbs/d/colls/c/docs/z", "").send().await;
    let missed = call("DELETE", "/dbs/d/colls/c/docs/z", "").send().await;
    let failed = stale().send().await;
    let ahead = call("GET", ONE, "").with("x-ms-session-token", "0:-1#999999").send().await;
    for (what, answer, status) in [
        ("conflict", &conflict, 409),
        ("missing", &missing, 404),
        ("missed", &missed, 404),
        ("precondition", &failed, 412),
        ("session", &ahead, 404),
    ] {
        check(what, answer, status, &[PARTITION]);
        assert_eq!(answer.has("x-ms-session-token"), created.has("x-ms-session-token"), "{what}");
        assert_eq!(answer.has("lsn"), created.has("lsn"), "{what}");
    }
    assert_eq!(ahead.has("x-ms-substatus"), "1002");
    // What is refused at the door was seen by no partition.
    let unsigned = server.get(ONE).unsigned().send().await;
    let bad = call("POST", DOCS, "{").send().await;
    for (what, answer, status) in [("unsigned", unsigned, 401), ("bad", bad, 400)] {
        check(what, &answer, status, &[]);
        assert_eq!(answer.header("x-ms-session-token"), None, "{what}");
    }
}

#[tokio::test]
async fn an_error_has_the_position_of_the_partition_of_its_key() {
    let server = Server::start().await;
    server.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
    let body = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;
    let call = server.post("/dbs/d/colls", body).with("x-ms-offer-throughput", "30000");
    call.send().await.expect(201);
    let mut ranges = std::collections::HashSet::new();
    for number in 0..40 {
        let (key, item) = (format!(r#"["{number}"]"#), format!(r#"{{"id":"a","pk":"{number}"}}"#));
        let created = server.post(DOCS, &item).key(&key).send().await.expect(201);
        let conflict = server.post(DOCS, &item).key(&key).send().await;
        check("conflict", &conflict, 409, &[PARTITION]);
        let name = "x-ms-documentdb-partitionkeyrangeid";
        assert_eq!(conflict.has(name), created.has(name));
        assert_eq!(conflict.has("x-ms-session-token"), created.has("x-ms-session-token"));
        let id = "x-ms-cosmos-physical-partition-id";
        assert_eq!(conflict.has(id), created.has(id));
        ranges.insert((created.has(name).to_owned(), created.has(id).to_owned()));
    }
    assert_eq!(ranges.len(), 5, "each partition has an id of its own: {ranges:?}");
}

#[tokio::test]
async fn other_resources_have_their_headers() {
    let server = Server::start().await;
    let database = server.post("/dbs", r#"{"id":"d"}"#).send().await;
    check("create database", &database, 201, &[QUOTA, &["etag"]]);
    assert_eq!(database.has("x-ms-resource-quota"), "databases=1000;");
    assert_eq!(database.has("x-ms-resource-usage"), "databases=1;");
    check("read database", &server.get("/dbs/d").send().await, 200, &[LOCATION, &["etag"]]);
    check("list databases", &server.get("/dbs").send().await, 200, &[QUOTA, FEED, LOCATION]);
    let body = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;
    let created = server.post("/dbs/d/colls", body).send().await;
    check("create container", &created, 201, &[&["etag", "x-ms-content-path"]]);
    let read = server.get("/dbs/d/colls/c").with("x-ms-documentdb-populatequotainfo", "True");
    let container: &[&str] = &[
        "etag",
        "collection-service-index",
        "collection-partition-index",
        "x-ms-cosmos-max-content-length",
        "x-ms-documentdb-collection-index-transformation-progress",
        "x-ms-session-token",
        "x-ms-documentdb-partitionkeyrangeid",
        "lsn",
        "x-ms-cosmos-llsn",
        "x-ms-global-committed-lsn",
    ];
    let read = read.send().await;
    check("read container", &read, 200, &[container, QUOTA, OWNER, LOCATION]);
    assert_eq!(read.has("x-ms-alt-content-path"), "dbs/d");
    check("list containers", &server.get("/dbs/d/colls").send().await, 200, &[FEED, LOCATION]);
    let ranges = server.get("/dbs/d/colls/c/pkranges").send().await;
    check("ranges", &ranges, 200, &[FEED, OWNER, LOCATION, &["etag"]]);
    let offers = server.get("/offers").send().await;
    check("offers", &offers, 200, &[FEED, LOCATION]);
    let account = server.get("/").send().await;
    let megabytes: &[&str] = &[
        "x-ms-max-media-storage-usage-mb",
        "x-ms-media-storage-usage-mb",
        "x-ms-databaseaccount-consumed-mb",
        "x-ms-databaseaccount-reserved-mb",
        "x-ms-databaseaccount-provisioned-mb",
    ];
    check("account", &account, 200, &[megabytes]);
    let deleted = server.delete("/dbs/d/colls/c").send().await;
    check("delete container", &deleted, 204, &[OWNER, LOCATION]);
}

#[tokio::test]
async fn offers_and_scripts_have_their_headers() {
    let server = Server::with_container().await;
    let id = server.get("/offers").send().await.ids("Offers").remove(0);
    let offer = server.get(&format!("/offers/{id}")).send().await;
    let own: &[&str] = &["x-ms-offer-replace-pending", "x-ms-cosmos-min-throughput", "etag"];
    check("offer", &offer, 200, &[own, LOCATION]);
    for (path, body, quota) in [
        ("/dbs/d/users", r#"{"id":"u"}"#, "users=500000;"),
        ("/dbs/d/clientencryptionkeys", r#"{"id":"k"}"#, "clientEncryptionKeys=20;"),
        ("/dbs/d/colls/c/sprocs", r#"{"id":"s","body":"x"}"#, "storedProcedures=100;"),
        (
            "/dbs/d/colls/c/triggers",
            r#"{"id":"t","body":"x","triggerType":"Pre","triggerOperation":"All"}"#,
            "triggers=25;",
        ),
        ("/dbs/d/colls/c/udfs", r#"{"id":"f","body":"x"}"#, "functions=50;"),
    ] {
        let created = server.post(path, body).send().await;
        check(path, &created, 201, &[QUOTA, &["etag"]]);
        assert_eq!(created.has("x-ms-resource-quota"), quota);
        let used = quota.split('=').next().unwrap().to_owned() + "=1;";
        assert_eq!(created.has("x-ms-resource-usage"), used);
        check(path, &server.get(path).send().await, 200, &[QUOTA, FEED, LOCATION]);
    }
}

#[tokio::test]
async fn the_location_is_the_url_of_the_request() {
    let server = Server::with_container().await;
    let read = server.get("/dbs/d/colls/c").send().await;
    let expected = format!("http://{}/dbs/d/colls/c", server.address);
    assert_eq!(read.has("content-location"), expected);
    let behind = server.get("/dbs/d").with("host", "db.example").with("x-forwarded-proto", "https");
    assert_eq!(behind.send().await.has("content-location"), "https://db.example/dbs/d");
    let created = server.post("/dbs", r#"{"id":"e"}"#).send().await;
    assert_eq!(created.header("content-location"), None);
}

#[tokio::test]
async fn numbers_have_the_format_that_clients_parse() {
    let server = Server::with_container().await;
    let created = keyed(&server, "POST", DOCS, BODY).send().await.expect(201);
    for name in ["x-ms-request-charge", "x-ms-request-duration-ms"] {
        created.has(name).parse::<f64>().unwrap();
    }
    for name in ["lsn", "x-ms-item-lsn", "x-ms-quorum-acked-lsn", "x-ms-transport-request-id"] {
        created.has(name).parse::<u64>().unwrap();
    }
    for name in ["x-ms-activity-id", "x-ms-cosmos-internal-partition-id"] {
        let lengths: Vec<usize> = created.has(name).split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{name}");
    }
    let date = DATE.replace(" GMT", ".000 GMT");
    assert_eq!(created.has("x-ms-last-state-change-utc"), date);
    let next = server.get("/dbs").send().await;
    let number = |answer: &Answer| answer.has("x-ms-transport-request-id").parse::<u64>().unwrap();
    assert_eq!(number(&next), number(&created) + 1);
}
