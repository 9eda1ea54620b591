//! The explorer: its pages, its session with the protection against other sites, and the routes it uses.

use gateway::{EMULATOR_KEY, ExplorerSettings};
use model::Json;

use crate::client::{Answer, Call, Server};

const PAGES: &[ui_kit::Asset] = &[
    ui_kit::Asset::html("/_explorer", b"<!doctype html><title>x</title>"),
    ui_kit::Asset::script("/_explorer/main.js", b"// nothing"),
];

pub(crate) async fn start(change: impl FnOnce(&mut ExplorerSettings)) -> Server {
    let mut explorer = ExplorerSettings { pages: PAGES, ..ExplorerSettings::default() };
    change(&mut explorer);
    Server::with(|settings| {
        settings.allowed_hosts.clone_from(&explorer.host_names);
        settings.explorer = Some(explorer);
    })
    .await
}

/// A session: its cookie and its token.
pub(crate) struct Session {
    cookie: String,
    token: String,
}

impl Session {
    pub(crate) async fn begin(server: &Server) -> Self {
        let body = format!("{{\"key\":\"{EMULATOR_KEY}\"}}");
        let answer = server.post("/_planisphere/session", &body).unsigned().send().await;
        let answer = answer.expect(200);
        let cookie = answer.has("set-cookie").split(';').next().unwrap().to_owned();
        let token = answer.json().get("csrfToken").and_then(Json::as_str).unwrap().to_owned();
        Self { cookie, token }
    }

    pub(crate) fn on<'a>(&self, call: Call<'a>) -> Call<'a> {
        call.unsigned().with("cookie", &self.cookie).with("x-planisphere-csrf", &self.token)
    }
}

fn count(answer: &Answer) -> usize {
    answer.json().get("requests").and_then(Json::as_array).unwrap().len()
}

#[tokio::test]
async fn pages_are_served_under_a_strict_policy_and_can_be_switched_off() {
    let server = start(|_| {}).await;
    for path in [
        "/_explorer",
        "/_explorer/",
        "/_explorer/index.html",
        "/_explorer/main.js",
        "/_kit/tokens.css",
    ] {
        let page = server.get(path).unsigned().send().await.expect(200);
        let policy = page.has("content-security-policy");
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(page.has("x-content-type-options"), "nosniff");
    }
    server.get("/_explorer/other.js").unsigned().send().await.expect(401);
    let off = Server::with(|settings| settings.explorer = None).await;
    off.get("/_explorer").unsigned().send().await.expect(401);
    off.get("/_planisphere/session").unsigned().send().await.expect(401);
}

#[tokio::test]
async fn the_account_key_begins_a_session_and_a_wrong_one_does_not() {
    let server = start(|_| {}).await;
    let session = |body: &'static str| server.post("/_planisphere/session", body).unsigned().send();
    session(r#"{"key":"d3Jvbmc="}"#).await.expect(401);
    session(r#"{"token":"guess"}"#).await.expect(401);
    session(r#"{}"#).await.expect(400);
    session("x").await.expect(400);
    server.get("/dbs").unsigned().send().await.expect(401);
    let mine = Session::begin(&server).await;
    mine.on(server.get("/dbs")).send().await.expect(200);
    mine.on(server.post("/dbs", r#"{"id":"d"}"#)).send().await.expect(201);
    mine.on(server.delete("/_planisphere/session")).send().await.expect(200);
    mine.on(server.get("/dbs")).send().await.expect(401);
}

#[tokio::test]
async fn a_session_ends_after_half_a_day() {
    let server = start(|_| {}).await;
    let mine = Session::begin(&server).await;
    server.travel(12 * 3600 - 1);
    mine.on(server.get("/dbs")).send().await.expect(200);
    server.travel(1);
    mine.on(server.get("/dbs")).send().await.expect(401);
}

#[tokio::test]
async fn the_cookie_alone_is_not_enough() {
    let server = start(|_| {}).await;
    let cookie = server
        .post("/_planisphere/session", &format!("{{\"key\":\"{EMULATOR_KEY}\"}}"))
        .unsigned()
        .send()
        .await
        .expect(200)
        .has("set-cookie")
        .to_owned();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let mine = Session::begin(&server).await;
    let bare = server.get("/dbs").unsigned().with("cookie", &mine.cookie);
    bare.send().await.expect(403);
    let foreign = mine.on(server.get("/dbs")).with("origin", "http://evil.example");
    foreign.send().await.expect(403);
    let cross = mine.on(server.get("/dbs")).with("sec-fetch-site", "cross-site");
    cross.send().await.expect(403);
    let own = format!("http://{}", server.address);
    mine.on(server.get("/dbs")).with("origin", &own).send().await.expect(200);
}

#[tokio::test]
async fn a_name_that_was_made_to_point_here_is_refused() {
    let server = start(|explorer| explorer.host_names = vec!["db.example".to_owned()]).await;
    let port = server.address.rsplit(':').next().unwrap();
    let at = |name: &str| {
        server.get("/_planisphere/session").unsigned().with("host", &format!("{name}:{port}"))
    };
    at("evil.example").send().await.expect(403);
    at("db.example").send().await.expect(200);
    at("localhost").send().await.expect(200);
}

#[tokio::test]
async fn a_server_can_let_the_explorer_only_read() {
    let server = start(|explorer| explorer.is_read_only = true).await;
    server.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
    let body = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;
    server.post("/dbs/d/colls", body).send().await.expect(201);
    let mine = Session::begin(&server).await;
    mine.on(server.get("/dbs/d")).send().await.expect(200);
    let query = server.post("/dbs/d/colls/c/docs", r#"{"query":"SELECT * FROM c"}"#);
    let query = query.with("x-ms-documentdb-isquery", "true");
    let query = query.with("x-ms-documentdb-query-enablecrosspartition", "true");
    mine.on(query).send().await.expect(200);
    mine.on(server.post("/dbs/d/colls/c/docs", r#"{"id":"a","pk":1}"#)).send().await.expect(403);
    mine.on(server.delete("/dbs/d")).send().await.expect(403);
    let disguised = server.delete("/dbs/d").with("x-ms-documentdb-isquery", "true");
    mine.on(disguised).send().await.expect(403);
    let script = r#"{"id":"s","body":"function () {}"}"#;
    server.post("/dbs/d/colls/c/sprocs", script).send().await.expect(201);
    for name in
        ["x-ms-documentdb-isquery", "x-ms-documentdb-query", "x-ms-cosmos-is-query-plan-request"]
    {
        for (path, body) in [
            ("/dbs/d/colls/c/sprocs/s", "[]"),
            ("/dbs/d/colls/c/operations/partitionkeydelete", ""),
        ] {
            let disguised = server.post(path, body).key(r#"["x"]"#).with(name, "true");
            mine.on(disguised).send().await.expect(403);
        }
    }
    for (path, body) in [("/dbs", r#"{"id":"e"}"#), ("/dbs/d/colls/c/udfs", script)] {
        let disguised = server.post(path, body).with("x-ms-cosmos-is-query-plan-request", "true");
        mine.on(disguised).send().await.expect(403);
    }
}

#[tokio::test]
async fn requests_are_recorded_from_the_first_sign_in_and_masked() {
    let server = start(|_| {}).await;
    server.post("/dbs", r#"{"id":"before"}"#).send().await.expect(201);
    let mine = Session::begin(&server).await;
    let body = r#"{"id":"after"}"#;
    server.post("/dbs", body).with("user-agent", "test/1").send().await.expect(201);
    server.get("/dbs/none").send().await.expect(404);
    let listed = mine.on(server.get("/_planisphere/requests")).send().await.expect(200);
    assert_eq!(count(&listed), 2);
    let all = listed.json();
    let first = all.get("requests").and_then(Json::as_array).unwrap().last().unwrap().clone();
    let text = |name: &str| first.get(name).and_then(Json::as_str).unwrap().to_owned();
    assert_eq!(
        (text("method"), text("path"), text("client")),
        ("POST".into(), "/dbs".into(), "test/1".into())
    );
    assert_eq!(first.get("status").and_then(Json::as_i64), Some(201));
    let path = format!("/_planisphere/requests/{}", first.get("number").unwrap());
    let masked = mine.on(server.get(&path)).send().await.expect(200).text();
    assert!(masked.contains(r#""body":{"id":"string"}"#), "{masked}");
    assert!(masked.contains(r#""authorization":"(masked)""#), "{masked}");
    let shown = mine.on(server.get(&path)).with("x-planisphere-show-values", "true");
    let shown = shown.send().await.expect(200).text();
    assert!(shown.contains(r#""body":{"id":"after"}"#) && !shown.contains("sig%3D"), "{shown}");
    mine.on(server.get("/_planisphere/requests/999")).send().await.expect(404);
}

#[tokio::test]
async fn the_explorers_own_requests_are_marked_and_not_in_the_traffic() {
    let server = start(|explorer| explorer.record_requests = true).await;
    let mine = Session::begin(&server).await;
    mine.on(server.get("/dbs")).send().await.expect(200);
    let traffic = mine.on(server.get("/_planisphere/traffic")).send().await.expect(200).json();
    assert_eq!(traffic.get("seconds").and_then(Json::as_array).unwrap().len(), 0);
    server.get("/dbs").send().await.expect(200);
    let traffic = mine.on(server.get("/_planisphere/traffic")).send().await.expect(200).json();
    let seconds = traffic.get("seconds").and_then(Json::as_array).unwrap().to_vec();
    assert_eq!(seconds.len(), 1);
    assert_eq!(seconds[0].get("requests").and_then(Json::as_i64), Some(1));
    let listed = server.get("/_planisphere/requests").send().await.expect(200).text();
    assert!(listed.contains(r#""explorer":true"#) && listed.contains(r#""explorer":false"#));
}

#[tokio::test]
async fn the_explorers_own_requests_are_not_in_usage_and_report() {
    let server = start(|_| {}).await;
    let mine = Session::begin(&server).await;
    server.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
    let container = r#"{"id":"c","partitionKey":{"paths":["/p"],"kind":"Hash"}}"#;
    server.post("/dbs/d/colls", container).send().await.expect(201);
    let docs = "/dbs/d/colls/c/docs";
    let key = ("x-ms-documentdb-partitionkey", r#"["a"]"#);
    let body = r#"{"query":"SELECT * FROM c WHERE c.n > 1"}"#;
    let paths = ["/_planisphere/usage", "/_planisphere/report"];
    // Everything that shows or changes items, through the session.
    let create = server.post(docs, r#"{"id":"1","p":"a","n":2}"#).with(key.0, key.1);
    mine.on(create).send().await.expect(201);
    let explain = as_query(server.post(docs, body));
    let charge = mine.on(explain).send().await.expect(200);
    let charge = charge.has("x-ms-request-charge");
    assert_ne!(charge, "0", "the request itself has a charge");
    mine.on(server.get(docs)).send().await.expect(200);
    mine.on(server.get(&format!("{docs}/1")).with(key.0, key.1)).send().await.expect(200);
    mine.on(server.get(&format!("{docs}/2")).with(key.0, key.1)).send().await.expect(404);
    mine.on(server.get(docs).with("a-im", "Incremental Feed")).send().await;
    mine.on(server.delete(&format!("{docs}/1")).with(key.0, key.1)).send().await.expect(204);
    for path in paths {
        let text = mine.on(server.get(path)).send().await.expect(200).text();
        assert!(!text.contains("c.n > "), "{path} has a query of the explorer: {text}");
        assert_eq!(counted_requests(&server, path).await, 0, "{path}");
    }
    // The same by another client.
    server.post(docs, r#"{"id":"1","p":"a"}"#).with(key.0, key.1).send().await.expect(201);
    as_query(server.post(docs, body)).send().await.expect(200);
    assert_eq!(counted_requests(&server, paths[0]).await, 2);
}

fn as_query(call: Call<'_>) -> Call<'_> {
    call.with("x-ms-documentdb-isquery", "true")
        .with("content-type", "application/query+json")
        .with("x-ms-documentdb-query-enablecrosspartition", "true")
}

/// The sum of the members `requests` by operation in the first container of a document.
async fn counted_requests(server: &Server, path: &str) -> i64 {
    let document = server.get(path).send().await.expect(200).json();
    let containers = document.get("containers").and_then(Json::as_array).unwrap().to_vec();
    let operations = containers[0].get("operations").and_then(Json::as_array).unwrap().to_vec();
    operations.iter().filter_map(|one| one.get("requests").and_then(Json::as_i64)).sum()
}

#[tokio::test]
async fn partitions_are_split_and_merged_by_hand() {
    let server = Server::with_container().await;
    let path = "/_planisphere/partitions/d/c";
    let numbers = |answer: &Answer| -> Vec<i64> {
        let json = answer.json();
        let all = json.get("partitions").and_then(Json::as_array).unwrap().to_vec();
        all.iter().filter_map(|one| one.get("number").and_then(Json::as_i64)).collect()
    };
    let one = server.get(path).send().await.expect(200);
    assert_eq!(numbers(&one), [0]);
    assert_eq!(one.property("partitionsMin").as_i64(), Some(1));
    assert_eq!(one.property("restructuring"), Json::Null);
    let two = server.post(path, r#"{"split":0,"at":"0FFF"}"#).send().await.expect(200);
    assert_eq!(numbers(&two), [1, 2]);
    assert!(two.text().contains(r#""max":"0FFF""#), "{}", two.text());
    server.post(path, r#"{"split":1,"at":"x"}"#).send().await.expect(400);
    server.post(path, r#"{"split":1,"at":"FF"}"#).send().await.expect(400);
    let merged = server.post(path, r#"{"merge":[1,2]}"#).send().await.expect(200);
    assert_eq!(numbers(&merged), [3]);
    server.post(path, r#"{"merge":[1]}"#).send().await.expect(400);
    server.post(path, r#"{"split":99}"#).send().await.expect(410);
    server.get(path).unsigned().send().await.expect(401);
}

#[tokio::test]
async fn a_container_is_shown_as_it_was() {
    let server = Server::start().await;
    server.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
    let body = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2},
        "changeFeedPolicy":{"retentionDuration":60}}"#;
    server.post("/dbs/d/colls", body).send().await.expect(201);
    let create = |text: &'static str| server.post("/dbs/d/colls/c/docs", text).key("[1]").send();
    create(r#"{"id":"a","pk":1}"#).await.expect(201);
    server.travel(10);
    create(r#"{"id":"b","pk":1}"#).await.expect(201);
    let then = crate::client::NOW_SECONDS + 5;
    let path = format!("/_planisphere/history/d/c/{then}");
    let past = server.get(&path).send().await.expect(200).json();
    let items = past.get("items").and_then(Json::as_array).unwrap();
    assert_eq!(items.len(), 1);
    assert_eq!(items[0].get("id").and_then(Json::as_str), Some("a"));
    let filtered = server.get(&path).with("x-planisphere-item-id", "b").send().await.expect(200);
    assert_eq!(filtered.json().get("items").and_then(Json::as_array).unwrap().len(), 0);
    server.get("/_planisphere/history/d/c/soon").send().await.expect(400);
}
