//! Items: methods and headers.

use gateway::EMULATOR_KEY;

use crate::client::{Answer, DATE, Server, sign_link};

const ITEMS: &str = "/dbs/d/colls/c/docs";
const A: &str = "/dbs/d/colls/c/docs/a";
const KEY: &str = r#"["x"]"#;

async fn create(server: &Server, body: &str) -> Answer {
    server.post(ITEMS, body).key(KEY).send().await
}

#[tokio::test]
async fn an_item_is_created_and_read_with_its_headers() {
    let server = Server::with_container().await;
    let created = create(&server, r#"{"id":"a","pk":"x","n":1}"#).await.expect(201);
    assert_eq!(created.header("x-ms-session-token"), Some("0:-1#1"));
    assert_eq!(created.header("x-ms-documentdb-partitionkeyrangeid"), Some("0"));
    assert_eq!(created.header("x-ms-alt-content-path"), Some("dbs/d/colls/c"));
    assert_eq!(created.header("lsn"), Some("1"));
    let rid = server.get("/dbs/d/colls/c").send().await.string("_rid");
    assert_eq!(created.header("x-ms-content-path"), Some(rid.as_str()));
    let read = server.get(A).key(KEY).send().await.expect(200);
    assert_eq!(read.body, created.body);
    assert_eq!(read.has("etag"), read.string("_etag"));
    assert_eq!(read.has("etag"), created.has("etag"));
    assert_eq!(read.header("x-ms-request-charge"), Some("1"));
    assert_eq!(read.header("x-ms-item-lsn"), Some("1"));
    let by_self = format!("/{}", read.string("_self"));
    assert_eq!(server.get(&by_self).key(KEY).send().await.expect(200).body, read.body);
}

#[tokio::test]
async fn a_conditional_read_returns_not_modified() {
    let server = Server::with_container().await;
    let created = create(&server, r#"{"id":"a","pk":"x"}"#).await;
    let read = server.get(A).key(KEY).with("if-none-match", created.has("etag")).send().await;
    assert!(read.clone().expect(304).body.is_empty());
    assert_eq!(read.has("etag"), created.has("etag"));
}

#[tokio::test]
async fn missing_and_existing_items_are_reported() {
    let server = Server::with_container().await;
    let message = "Entity with the specified id does not exist in the system.";
    server.get(A).key(KEY).send().await.refused(404, None, message);
    server.delete(A).key(KEY).send().await.refused(404, None, message);
    server.put(A, r#"{"id":"a","pk":"x"}"#).key(KEY).send().await.refused(404, None, message);
    create(&server, r#"{"id":"a","pk":"x"}"#).await.expect(201);
    let message = "Entity with the specified id already exists in the system.";
    create(&server, r#"{"id":"a","pk":"x"}"#).await.refused(409, None, message);
}

#[tokio::test]
async fn the_partition_key_is_required_and_compared() {
    let server = Server::with_container().await;
    let missing = server.post(ITEMS, r#"{"id":"a","pk":"x"}"#).send().await;
    missing.refused(400, Some("1001"), "fewer components than defined in the the collection");
    server.get(A).send().await.refused(400, Some("1001"), "fewer components");
    let other = server.post(ITEMS, r#"{"id":"a","pk":"y"}"#).key(KEY).send().await;
    other.refused(400, Some("1001"), "PartitionKey extracted from document doesn't match");
    create(&server, r#"{"pk":"x"}"#).await.refused(400, None, "'id; ' - are missing");
    create(&server, r#"{"id":"a","pk":"x""#).await.refused(400, None, "payload is invalid");
}

#[tokio::test]
async fn an_upsert_returns_created_or_ok() {
    let server = Server::with_container().await;
    let upsert =
        |body: &str| server.post(ITEMS, body).key(KEY).with("x-ms-documentdb-is-upsert", "True");
    let created = upsert(r#"{"id":"a","pk":"x","n":1}"#).send().await.expect(201);
    upsert(r#"{"id":"a","pk":"x","n":2}"#).send().await.expect(200);
    let stale = upsert(r#"{"id":"a","pk":"x","n":3}"#).with("if-match", created.has("etag"));
    stale.send().await.refused(412, None, "one of the specified precondition is not met");
}

#[tokio::test]
async fn a_replace_and_a_delete_check_the_etag() {
    let server = Server::with_container().await;
    let created = create(&server, r#"{"id":"a","pk":"x","n":1}"#).await;
    let etag = created.has("etag").to_owned();
    let replace = server.put(A, r#"{"id":"a","pk":"x","n":2}"#).key(KEY).with("if-match", &etag);
    let replaced = replace.send().await.expect(200);
    assert_eq!(replaced.string("_rid"), created.string("_rid"));
    let stale = server.delete(A).key(KEY).with("if-match", &etag).send().await;
    stale.refused(412, None, "precondition");
    let delete = server.delete(A).key(KEY).with("if-match", replaced.has("etag"));
    assert!(delete.send().await.expect(204).body.is_empty());
    let other = server.put(A, r#"{"id":"b","pk":"x"}"#).key(KEY).send().await;
    assert_eq!(other.status, 404);
}

#[tokio::test]
async fn a_minimal_response_has_no_body() {
    let server = Server::with_container().await;
    let call =
        server.post(ITEMS, r#"{"id":"a","pk":"x"}"#).key(KEY).with("prefer", "return=minimal");
    let created = call.send().await.expect(201);
    assert!(created.body.is_empty());
    let read = server.get(A).key(KEY).send().await;
    assert_eq!(created.has("etag"), read.string("_etag"));
}

#[tokio::test]
async fn an_item_is_patched() {
    let server = Server::with_container().await;
    create(&server, r#"{"id":"a","pk":"x","n":1}"#).await;
    let body = r#"{"operations":[{"op":"incr","path":"/n","value":2},{"op":"add","path":"/m","value":[1]}]}"#;
    let patched = server.patch(A, body).key(KEY).send().await.expect(200);
    assert_eq!(patched.property("n").as_i64(), Some(3));
    assert_eq!(patched.property("m").to_string(), "[1]");
    let key = r#"{"operations":[{"op":"set","path":"/pk","value":"y"}]}"#;
    assert_eq!(server.patch(A, key).key(KEY).send().await.status, 400);
    server.patch(A, r#"{"operations":[]}"#).key(KEY).send().await.expect(400);
    let bare = r#"[{"op":"set","path":"/n","value":9}]"#;
    let patched = server.patch(A, bare).key(KEY).send().await.expect(200);
    assert_eq!(patched.property("n").as_i64(), Some(9));
    let condition = |number: u8| {
        format!(
            r#"{{"operations":[{{"op":"remove","path":"/m"}}],"condition":"from c where c.n = {number}"}}"#
        )
    };
    let unmet = server.patch(A, &condition(8)).key(KEY).send().await;
    unmet.refused(412, None, "One of the specified pre-condition is not met");
    server.patch(A, &condition(9)).key(KEY).send().await.expect(200);
    // The gateway of the service replaces the words of a replica for all writes of items but patches.
    let stale = server.patch(A, bare).key(KEY).with("if-match", "\"other\"");
    stale.send().await.refused(412, None, "One of the specified pre-condition is not met. Learn");
    let missing = server.patch(&format!("{ITEMS}/none"), bare).key(KEY);
    missing.send().await.refused(404, None, "Resource Not Found. Learn more");
}

#[tokio::test]
async fn ids_may_contain_unusual_characters() {
    let server = Server::with_container().await;
    for (id, segment) in [("a b", "a%20b"), ("a+b", "a+b"), ("50%", "50%25"), ("é", "%C3%A9")] {
        let body = format!(r#"{{"id":"{id}","pk":"x"}}"#);
        create(&server, &body).await.expect(201);
        let path = format!("{ITEMS}/{segment}");
        let call = server.get(&path).key(KEY).unsigned();
        let date = DATE;
        let link = format!("dbs/d/colls/c/docs/{id}");
        let signature = sign_link("GET", "docs", &link, date, EMULATOR_KEY);
        let call = call.with("x-ms-date", date).with("authorization", &signature);
        assert_eq!(call.send().await.expect(200).string("id"), id);
    }
}

#[tokio::test]
async fn a_session_token_from_the_future_is_refused() {
    let server = Server::with_container().await;
    create(&server, r#"{"id":"a","pk":"x"}"#).await;
    let read = |token: &str| server.get(A).key(KEY).with("x-ms-session-token", token);
    read("0:-1#1").send().await.expect(200);
    read("7:-1#99").send().await.expect(200);
    read("0:-1#1000000").send().await.refused(404, Some("1002"), "read session is not available");
    let strong = server.get(A).key(KEY).with("x-ms-consistency-level", "Strong").send().await;
    strong.refused(400, None, "ConsistencyLevel Strong specified in the request is invalid");
}

#[tokio::test]
async fn items_are_listed_in_pages_and_by_range() {
    let server = Server::with_container().await;
    for number in 0..5 {
        create(&server, &format!(r#"{{"id":"{number}","pk":"x"}}"#)).await.expect(201);
    }
    let mut seen = Vec::new();
    let mut token = None::<String>;
    loop {
        let mut call = server.get(ITEMS).with("x-ms-max-item-count", "2");
        if let Some(token) = &token {
            call = call.with("x-ms-continuation", token);
        }
        let page = call.send().await.expect(200);
        assert_eq!(page.has("x-ms-item-count"), page.entries("Documents").len().to_string());
        seen.extend(page.ids("Documents"));
        token = page.header("x-ms-continuation").map(str::to_owned);
        if token.is_none() {
            break;
        }
    }
    seen.sort();
    assert_eq!(seen, ["0", "1", "2", "3", "4"]);
    let other = server.get(ITEMS).key(r#"["y"]"#).send().await.expect(200);
    assert!(other.entries("Documents").is_empty());
    let call = server.get(ITEMS).with("x-ms-start-epk", "").with("x-ms-end-epk", "00");
    assert!(call.send().await.expect(200).entries("Documents").is_empty());
    let bad = server.get(ITEMS).with("x-ms-start-epk", "zz").send().await;
    bad.refused(400, None, "One of the input values is invalid");
    let bad = server.get(ITEMS).with("x-ms-max-item-count", "abc").send().await;
    bad.refused(400, None, "The input PageSize abc is invalid");
    let bad = server.get(ITEMS).with("x-ms-continuation", "abc").send().await;
    bad.refused(400, None, "Invalid Continuation Token");
}

#[tokio::test]
async fn a_logical_partition_is_deleted() {
    let server = Server::with_container().await;
    create(&server, r#"{"id":"a","pk":"x"}"#).await;
    server.post(ITEMS, r#"{"id":"a","pk":"y"}"#).key(r#"["y"]"#).send().await.expect(201);
    let path = "/dbs/d/colls/c/operations/partitionkeydelete";
    server.post(path, "").key(KEY).send().await.expect(200);
    server.get(A).key(KEY).send().await.expect(404);
    server.get(A).key(r#"["y"]"#).send().await.expect(200);
}

#[tokio::test]
async fn an_item_expires() {
    let server = Server::with_container().await;
    let body =
        r#"{"id":"c","defaultTtl":-1,"partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;
    server.put("/dbs/d/colls/c", body).send().await.expect(200);
    create(&server, r#"{"id":"a","pk":"x","ttl":10}"#).await.expect(201);
    server.get(A).key(KEY).send().await.expect(200);
    server.travel(11);
    server.get(A).key(KEY).send().await.expect(404);
}

#[tokio::test]
async fn an_item_is_accepted_and_returned_as_binary_json() {
    let server = Server::with_container().await;
    let sent = [
        0x80, 0xED, 0x0D, 0x03, 0x82, 0x69, 0x64, 0x81, 0x61, 0x81, 0x6E, 0x02, 0x82, 0x70, 0x6B,
        0x81, 0x78,
    ];
    let call = server.post(ITEMS, "").bytes(sent.to_vec()).key(KEY);
    let created = call.with("x-ms-cosmos-supported-serialization-formats", "JsonText,CosmosBinary");
    assert_eq!(created.send().await.expect(201).property("n").as_i64(), Some(2));
    let read = server.get(A).key(KEY);
    let read =
        read.with("x-ms-cosmos-supported-serialization-formats", "CosmosBinary").send().await;
    assert_eq!(read.expect(200).body.first(), Some(&0x80));
    let broken = server.post(ITEMS, "").bytes(vec![0x80, 0xED, 0xFF]).key(KEY).send().await;
    broken.refused(400, None, "The request payload is invalid.");
}

#[tokio::test]
async fn numbers_and_texts_are_stored_as_the_service_returns_them() {
    let server = Server::with_container().await;
    let body = concat!(
        r#"{"id":"a","pk":"x","n":[1.0,-0.0,1e-400,1e2,1.50,9223372036854775807,"#,
        r#"18446744073709551615],"t":"\ud83d"}"#
    );
    create(&server, body).await;
    let read = server.get(A).key(KEY).send().await.expect(200);
    let expected = "[1,0,0,100,1.5,9223372036854775807,1.8446744073709552e+19]";
    assert_eq!(read.property("n").to_string(), expected);
    assert_eq!(read.string("t"), "\u{fffd}");
    let patch = r#"{"operations":[{"op":"set","path":"/n","value":2.0}]}"#;
    let patched = server.patch(A, patch).key(KEY).send().await.expect(200);
    assert_eq!(patched.property("n").to_string(), "2");
}

#[tokio::test]
async fn an_id_with_a_question_mark_is_addressed_escaped_or_not() {
    let server = Server::with_container().await;
    let item = r#"{"id":"what?now","pk":"x"}"#;
    server.post("/dbs/d/colls/c/docs", item).key(r#"["x"]"#).send().await.expect(201);
    for path in ["/dbs/d/colls/c/docs/what?now", "/dbs/d/colls/c/docs/what%3Fnow"] {
        let authorization =
            sign_link("GET", "docs", "dbs/d/colls/c/docs/what?now", DATE, EMULATOR_KEY);
        let read = server.get(path).unsigned().with("x-ms-date", DATE);
        let read = read.with("authorization", &authorization).key(r#"["x"]"#).send().await;
        assert_eq!(read.expect(200).string("id"), "what?now");
    }
}
