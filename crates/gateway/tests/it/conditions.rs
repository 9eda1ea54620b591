//! Conditional reads, minimal responses, pages of feeds, and the details of batches.

use model::Json;

use crate::client::{Answer, Call, Server};

const ITEMS: &str = "/dbs/d/colls/c/docs";
const KEY: &str = r#"["x"]"#;

async fn create(server: &Server, body: &str) -> Answer {
    server.post(ITEMS, body).key(KEY).send().await.expect(201)
}

fn batch<'a>(server: &'a Server, body: &str) -> Call<'a> {
    let call = server.post(ITEMS, body).key(KEY).with("x-ms-cosmos-is-batch-request", "true");
    call.with("x-ms-cosmos-batch-atomic", "true")
}

fn statuses(answer: &Answer) -> Vec<i64> {
    let entries = answer.json();
    let status = |entry: &Json| entry.get("statusCode").unwrap().as_i64().unwrap();
    entries.as_array().unwrap().iter().map(status).collect()
}

#[tokio::test]
async fn every_read_of_one_resource_knows_if_none_match() {
    let server = Server::with_container().await;
    create(&server, r#"{"id":"a","pk":"x"}"#).await;
    server.post("/dbs/d/users", r#"{"id":"u"}"#).send().await.expect(201);
    let key = r#"{"id":"k","wrappedDataEncryptionKey":"AAAA"}"#;
    server.post("/dbs/d/clientencryptionkeys", key).send().await.expect(201);
    let permission = r#"{"id":"p","permissionMode":"Read","resource":"dbs/d/colls/c"}"#;
    server.post("/dbs/d/users/u/permissions", permission).send().await.expect(201);
    let script = r#"{"id":"s","body":"f"}"#;
    server.post("/dbs/d/colls/c/sprocs", script).send().await.expect(201);
    let offers = server.get("/offers").send().await.expect(200);
    let offer = format!("/offers/{}", offers.ids("Offers")[0]);
    for path in [
        "/dbs/d",
        "/dbs/d/colls/c",
        "/dbs/d/colls/c/docs/a",
        "/dbs/d/colls/c/sprocs/s",
        "/dbs/d/colls/c/pkranges",
        "/dbs/d/users/u",
        "/dbs/d/users/u/permissions/p",
        "/dbs/d/clientencryptionkeys/k",
        offer.as_str(),
    ] {
        let first = server.get(path).key(KEY).send().await.expect(200);
        let same = server.get(path).key(KEY).with("if-none-match", first.has("etag"));
        let same = same.send().await.expect(304);
        assert!(same.body.is_empty(), "{path}");
        assert_eq!(same.has("etag"), first.has("etag"), "{path}");
        let other = server.get(path).key(KEY).with("if-none-match", "\"other\"");
        assert_eq!(other.send().await.expect(200).body.len(), first.body.len(), "{path}");
    }
}

#[tokio::test]
async fn of_the_writes_only_an_upsert_that_replaces_knows_if_none_match() {
    let server = Server::with_container().await;
    let item = r#"{"id":"a","pk":"x"}"#;
    let create = server.post(ITEMS, item).key(KEY).with("if-none-match", "*");
    create.send().await.expect(201);
    let upsert = |item: &str, name: &str, etag: &str| {
        let call = server.post(ITEMS, item).key(KEY).with("x-ms-documentdb-is-upsert", "true");
        call.with(name, etag).send()
    };
    upsert(r#"{"id":"b","pk":"x"}"#, "if-none-match", "*").await.expect(201);
    upsert(item, "if-none-match", "*").await.refused(412, None, "precondition");
    let current = upsert(item, "if-none-match", "\"other\"").await.expect(200);
    let etag = current.has("etag").to_owned();
    upsert(item, "if-none-match", &etag).await.refused(412, None, "precondition");
    upsert(item, "if-match", &etag).await.expect(200);
    let path = format!("{ITEMS}/a");
    let replace = server.put(&path, item).key(KEY).with("if-none-match", "*");
    replace.send().await.expect(200);
    let entry =
        r#"[{"operationType":"Upsert","resourceBody":{"id":"a","pk":"x"},"ifNoneMatch":"*"}]"#;
    assert_eq!(statuses(&batch(&server, entry).send().await.expect(207)), [412]);
    let delete = server.delete(&path).key(KEY).with("if-none-match", "*");
    delete.send().await.expect(204);
}

#[tokio::test]
async fn databases_and_containers_are_deleted_only_as_known() {
    let server = Server::with_container().await;
    for path in ["/dbs/d/colls/c", "/dbs/d"] {
        let stale = server.delete(path).with("if-match", "\"stale\"").send().await;
        stale.refused(412, None, "precondition");
        let etag = server.get(path).send().await.expect(200).has("etag").to_owned();
        server.delete(path).with("if-match", &etag).send().await.expect(204);
        server.get(path).send().await.expect(404);
    }
}

#[tokio::test]
async fn a_minimal_batch_returns_no_written_items() {
    let server = Server::with_container().await;
    create(&server, r#"{"id":"a","pk":"x"}"#).await;
    let body = r#"[{"operationType":"Create","resourceBody":{"id":"b","pk":"x"}},
        {"operationType":"Read","id":"a"},{"operationType":"Delete","id":"a"}]"#;
    let call = batch(&server, body).with("prefer", "return=minimal");
    let entries = call.send().await.expect(200).json();
    let has = |index: usize, name: &str| entries.as_array().unwrap()[index].get(name).is_some();
    assert_eq!((has(0, "resourceBody"), has(0, "eTag")), (false, true));
    assert!(has(1, "resourceBody"), "what a read finds is its result");
    let bulk = r#"[{"operationType":"Upsert","partitionKey":"[\"x\"]","resourceBody":{"id":"c","pk":"x"}}]"#;
    let call = batch(&server, bulk).with("x-ms-cosmos-batch-atomic", "false");
    let entries = call.with("prefer", "return=minimal").send().await.expect(200).json();
    assert!(entries.as_array().unwrap()[0].get("resourceBody").is_none());
}

#[tokio::test]
async fn a_batch_checks_its_session_and_its_response() {
    let server = Server::with_container().await;
    let read = r#"[{"operationType":"Create","resourceBody":{"id":"b","pk":"x"}}]"#;
    let ahead = batch(&server, read).with("x-ms-session-token", "0:-1#99").send().await;
    ahead.refused(404, Some("1002"), "session");
    let filler = "y".repeat(1_500_000);
    for id in ["l", "m", "n"] {
        create(&server, &format!(r#"{{"id":"{id}","pk":"x","f":"{filler}"}}"#)).await;
    }
    let large = r#"[{"operationType":"Create","resourceBody":{"id":"b","pk":"x"}},
        {"operationType":"Read","id":"l"},{"operationType":"Read","id":"m"},
        {"operationType":"Read","id":"n"}]"#;
    batch(&server, large).send().await.refused(413, None, "Response size is too large");
    server.get(&format!("{ITEMS}/b")).key(KEY).send().await.expect(404);
}

#[tokio::test]
async fn a_rolled_back_batch_charges_what_it_ran() {
    let server = Server::with_container().await;
    create(&server, r#"{"id":"a","pk":"x"}"#).await;
    let body = r#"[{"operationType":"Create","resourceBody":{"id":"b","pk":"x"}},
        {"operationType":"Create","resourceBody":{"id":"a","pk":"x"}},
        {"operationType":"Create","resourceBody":{"id":"c","pk":"x"}}]"#;
    let answer = batch(&server, body).send().await.expect(207);
    assert_eq!(statuses(&answer), [424, 409, 424]);
    let entries = answer.json();
    let charge = |index: usize| {
        let charge = entries.as_array().unwrap()[index].get("requestCharge").unwrap().to_string();
        charge.parse::<f64>().unwrap()
    };
    assert!(charge(0) > 1.0 && charge(1) > 0.0, "{}", answer.text());
    assert!(charge(2).abs() < f64::EPSILON, "it did not run");
    let total: f64 = answer.has("x-ms-request-charge").parse().unwrap();
    assert!((total - charge(0) - charge(1)).abs() < 0.02, "{total}");
}

#[tokio::test]
async fn a_bulk_read_knows_if_match() {
    let server = Server::with_container().await;
    let item = create(&server, r#"{"id":"a","pk":"x"}"#).await;
    let read = |etag: &str| {
        let etag = etag.replace('"', "\\\"");
        let body = format!(
            r#"[{{"operationType":"Read","id":"a","partitionKey":"[\"x\"]","ifMatch":"{etag}"}}]"#
        );
        batch(&server, &body).with("x-ms-cosmos-batch-atomic", "false").send()
    };
    assert_eq!(statuses(&read(item.has("etag")).await), [200]);
    assert_eq!(statuses(&read("\"stale\"").await), [412]);
}

#[tokio::test]
async fn system_properties_are_left_out_on_request() {
    let server = Server::with_container().await;
    let call = server.post(ITEMS, r#"{"id":"a","pk":"x"}"#).key(KEY);
    let created = call.with("x-ms-exclude-system-properties", "True").send().await.expect(201);
    let read = server.get(&format!("{ITEMS}/a")).key(KEY);
    let read = read.with("x-ms-exclude-system-properties", "True").send().await.expect(200);
    for answer in [created, read] {
        let json = answer.json();
        assert!(json.get("_self").is_none() && json.get("_attachments").is_none());
        assert!(json.get("_etag").is_some() && json.get("_rid").is_some());
    }
    let whole = server.get(&format!("{ITEMS}/a")).key(KEY).send().await.expect(200);
    assert!(whole.json().get("_self").is_some());
}

#[tokio::test]
async fn feeds_of_resources_are_paged_and_queries_over_them_too() {
    let server = Server::start().await;
    for id in ["d", "e", "f"] {
        server.post("/dbs", &format!(r#"{{"id":"{id}"}}"#)).send().await.expect(201);
    }
    for id in ["u", "v", "w"] {
        server.post("/dbs/d/users", &format!(r#"{{"id":"{id}"}}"#)).send().await.expect(201);
        let container = r#"{"id":"I","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;
        server.post("/dbs/d/colls", &container.replace('I', id)).send().await.expect(201);
    }
    for (path, name) in
        [("/dbs", "Databases"), ("/dbs/d/users", "Users"), ("/dbs/d/colls", "DocumentCollections")]
    {
        for query in [None, Some(r#"{"query":"SELECT * FROM root r"}"#)] {
            let (mut pages, mut token) = (Vec::new(), None::<String>);
            loop {
                let call = match query {
                    Some(body) => {
                        server.post(path, body).with("content-type", "application/query+json")
                    }
                    None => server.get(path),
                };
                let call = call.with("x-ms-max-item-count", "2");
                let call = match &token {
                    Some(token) => call.with("x-ms-continuation", token),
                    None => call,
                };
                let answer = call.send().await.expect(200);
                pages.push(answer.ids(name).len());
                token = answer.header("x-ms-continuation").map(str::to_owned);
                if token.is_none() {
                    break;
                }
            }
            assert_eq!(pages, [2, 1], "{path} {query:?}");
        }
    }
}

async fn page_sizes(server: &Server, query: Option<&str>, items_max: &str) -> Vec<usize> {
    let (mut pages, mut token) = (Vec::new(), None::<String>);
    loop {
        let call = match query {
            Some(text) => {
                let call = server.post(ITEMS, &format!(r#"{{"query":"{text}"}}"#));
                let call = call.with("content-type", "application/query+json");
                call.with("x-ms-documentdb-query-enablecrosspartition", "true")
            }
            None => server.get(ITEMS),
        };
        let call = call.with("x-ms-max-item-count", items_max);
        let call = match &token {
            Some(token) => call.with("x-ms-continuation", token),
            None => call,
        };
        let answer = call.send().await.expect(200);
        let session = answer.has("x-ms-session-token");
        pages.push(answer.property("_count").as_i64().unwrap() as usize);
        assert!(pages.len() < 50, "{session}");
        token = answer.header("x-ms-continuation").map(str::to_owned);
        if token.is_none() {
            return pages;
        }
    }
}

#[tokio::test]
async fn minus_one_returns_what_fits() {
    let server = Server::with_container().await;
    for id in 0..1100 {
        create(&server, &format!(r#"{{"id":"{id}","pk":"x"}}"#)).await;
    }
    assert_eq!(page_sizes(&server, None, "-1").await, [1100]);
    assert_eq!(page_sizes(&server, Some("SELECT * FROM c"), "-1").await, [1100]);
    assert_eq!(page_sizes(&server, None, "0").await, [1000, 100]);
    let feed = server.get(ITEMS).with("a-im", "Incremental Feed");
    let feed = feed.with("x-ms-max-item-count", "-1").send().await.expect(200);
    assert_eq!(feed.entries("Documents").len(), 1100);
}

#[tokio::test]
async fn a_page_stays_in_one_partition_and_only_a_read_of_everything_ends_with_an_empty_one() {
    let server = Server::with_container().await;
    for number in 0..8 {
        let body = format!(r#"{{"id":"{number}","pk":"p{number}","n":{number}}}"#);
        let key = format!(r#"["p{number}"]"#);
        server.post(ITEMS, &body).key(&key).send().await.expect(201);
    }
    assert_eq!(page_sizes(&server, None, "4").await, [4, 4, 0]);
    assert_eq!(page_sizes(&server, Some("SELECT * FROM c"), "4").await, [4, 4, 0]);
    assert_eq!(page_sizes(&server, Some("SELECT * FROM c"), "5").await, [5, 3]);
    assert_eq!(page_sizes(&server, Some("SELECT * FROM c WHERE c.n > 3"), "4").await, [4]);
    let call = |order: &str, token: Option<String>| {
        let body = format!(r#"{{"query":"SELECT * FROM c ORDER BY {order}"}}"#);
        let call = server.post(ITEMS, &body);
        let call = call.with("content-type", "application/query+json");
        let call = call.with("x-ms-documentdb-partitionkeyrangeid", "0");
        let call = call.with("x-ms-max-item-count", "4");
        token.into_iter().fold(call, |call, token| call.with("x-ms-continuation", &token)).send()
    };
    for order in ["c.n", "c.n DESC", "c._ts DESC"] {
        let first = call(order, None).await.expect(200);
        let token = first.has("x-ms-continuation").to_owned();
        let second = call(order, Some(token)).await.expect(200);
        assert_eq!(second.header("x-ms-continuation"), None, "{order}");
    }
    let container = engine::ContainerLink::new("d", "c").unwrap();
    let split = engine::operation::SplitPartition { container, partition: 0, at: None };
    server.engine.split_partition(split).await.unwrap();
    for query in [None, Some("SELECT * FROM c"), Some("SELECT * FROM c WHERE c.n >= 0")] {
        let pages = page_sizes(&server, query, "100").await;
        assert_eq!(pages.len(), 2, "{query:?} {pages:?}");
        assert_eq!(pages.iter().sum::<usize>(), 8);
    }
    // The session token of the container names one partition, which every client can parse.
    let read = server.get("/dbs/d/colls/c").send().await.expect(200);
    assert!(!read.has("x-ms-session-token").contains(','));
}
