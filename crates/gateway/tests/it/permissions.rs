//! Permissions and resource tokens: what is allowed without the account key.

use crate::client::{Answer, Server};

async fn permission(server: &Server, mode: &str, resource: &str, extra: &str) -> String {
    let body = format!(r#"{{"id":"p","permissionMode":"{mode}","resource":"{resource}"{extra}}}"#);
    let call = server.post("/dbs/d/users/u/permissions", &body);
    let created = call.with("x-ms-documentdb-is-upsert", "True").send().await;
    assert!(matches!(created.status, 200 | 201), "{}", created.text());
    created.string("_token")
}

#[tokio::test]
async fn a_resource_token_allows_what_its_permission_says() {
    let server = Server::with_container().await;
    server.post("/dbs/d/users", r#"{"id":"u"}"#).send().await.expect(201);
    let items = "/dbs/d/colls/c/docs";
    let body = r#"{"id":"a","pk":"x"}"#;
    let read = permission(&server, "Read", "dbs/d/colls/c", "").await;
    let call = |verb: &str, path: &str, body: &str, token: &str| {
        let call = server.call(verb, path, body).unsigned().key(r#"["x"]"#);
        call.with("authorization", &token.replace('=', "%3D").replace('&', "%26"))
    };
    call("POST", items, body, &read).send().await.refused(403, None, "allows reading only");
    let all = permission(&server, "All", "dbs/d/colls/c", "").await;
    call("POST", items, body, &all).send().await.expect(201);
    call("GET", "/dbs/d/colls/c/docs/a", "", &read).send().await.expect(200);
    let query = r#"{"query":"SELECT * FROM c"}"#;
    let asked = call("POST", items, query, &read).with("x-ms-documentdb-isquery", "True");
    assert_eq!(asked.send().await.expect(200).ids("Documents"), ["a"]);
    call("GET", "/", "", &read).send().await.expect(200);
    call("GET", "/dbs/d/colls/c", "", &read).send().await.expect(200);
    call("DELETE", "/dbs/d/colls/c", "", &all).send().await.expect(403);
    let container = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;
    call("PUT", "/dbs/d/colls/c", container, &all).send().await.expect(403);
    call("GET", "/dbs/d", "", &all).send().await.expect(403);
    let own_key = r#","resourcePartitionKey":["x"]"#;
    let one = permission(&server, "All", "dbs/d/colls/c/docs/a", own_key).await;
    call("GET", "/dbs/d/colls/c/docs/a", "", &one).send().await.expect(200);
    call("GET", "/dbs/d/colls/c/docs/b", "", &one).send().await.expect(403);
    let keyed =
        permission(&server, "All", "dbs/d/colls/c", r#","resourcePartitionKey":["y"]"#).await;
    let other = call("GET", "/dbs/d/colls/c/docs/a", "", &keyed).send().await;
    other.refused(403, None, "another partition key");
    let forged = read.replace("sig=", "sig=A");
    let refused = call("GET", "/dbs/d/colls/c/docs/a", "", &forged).send().await;
    refused.refused(401, None, "its signature is not valid");
    server.travel(3601);
    let late = call("GET", "/dbs/d/colls/c/docs/a", "", &read).send().await;
    late.refused(403, None, "has expired");
}

#[tokio::test]
async fn a_permission_must_name_a_resource() {
    let server = Server::with_container().await;
    server.post("/dbs/d/users", r#"{"id":"u"}"#).send().await.expect(201);
    for (mode, resource) in [("Other", "dbs/d/colls/c"), ("All", "dbs/d"), ("All", "dbs/d/users/z")]
    {
        let body = format!(r#"{{"id":"p","permissionMode":"{mode}","resource":"{resource}"}}"#);
        let answer = server.post("/dbs/d/users/u/permissions", &body).send().await;
        assert_eq!(answer.status, 400, "{}", answer.text());
    }
}

const ITEM: &str = r#"{"id":"a","pk":"x"}"#;

/// A server with a user, an item and a script of each kind.
async fn server_with_user() -> Server {
    let server = Server::with_container().await;
    server.post("/dbs/d/users", r#"{"id":"u"}"#).send().await.expect(201);
    let call = server.post("/dbs/d/colls/c/docs", ITEM).key(r#"["x"]"#);
    call.send().await.expect(201);
    for (segment, extra) in [
        ("sprocs", ""),
        ("udfs", ""),
        ("triggers", r#","triggerType":"Pre","triggerOperation":"All""#),
    ] {
        for id in ["s", "t"] {
            let body = format!(r#"{{"id":"{id}","body":"function() {{}}"{extra}}}"#);
            let path = format!("/dbs/d/colls/c/{segment}");
            server.post(&path, &body).send().await.expect(201);
        }
    }
    server
}

async fn ask(server: &Server, token: &str, verb: &str, path: &str, body: &str) -> Answer {
    let call = server.call(verb, path, body).unsigned().key(r#"["x"]"#);
    call.with("authorization", &token.replace('=', "%3D").replace('&', "%26")).send().await
}

#[tokio::test]
async fn a_permission_on_a_script_is_for_that_script() {
    let server = server_with_user().await;
    for segment in ["sprocs", "triggers", "udfs"] {
        let one = format!("/dbs/d/colls/c/{segment}/s");
        let read = permission(&server, "Read", &format!("dbs/d/colls/c/{segment}/s"), "").await;
        let found = ask(&server, &read, "GET", &one, "").await.expect(200);
        let by_rid = format!("/{}", found.string("_self"));
        ask(&server, &read, "GET", &by_rid, "").await.expect(200);
        let body = found.text();
        ask(&server, &read, "PUT", &one, &body).await.refused(403, None, "reading only");
        ask(&server, &read, "DELETE", &one, "").await.refused(403, None, "reading only");
        let other = format!("/dbs/d/colls/c/{segment}/t");
        ask(&server, &read, "GET", &other, "").await.refused(403, None, "another script");
        for path in ["/dbs/d/colls/c/docs/a", "/dbs/d/colls/c/docs", "/dbs/d/colls/c/udfs"] {
            ask(&server, &read, "GET", path, "").await.refused(403, None, "this resource");
        }
        let all = permission(&server, "All", &found.string("_self"), "").await;
        ask(&server, &all, "PUT", &one, &body).await.expect(200);
        if segment == "sprocs" {
            ask(&server, &read, "POST", &one, "[]").await.refused(403, None, "reading only");
            ask(&server, &all, "POST", &one, "[]").await.expect(200);
        }
        ask(&server, &all, "DELETE", &one, "").await.expect(204);
        ask(&server, &all, "GET", &other, "").await.refused(403, None, "resource was deleted");
    }
    let missing = r#"{"id":"q","permissionMode":"All","resource":"dbs/d/colls/c/sprocs/z"}"#;
    server.post("/dbs/d/users/u/permissions", missing).send().await.expect(201);
    let feed = missing.replace("sprocs/z", "sprocs");
    let refused = server.post("/dbs/d/users/u/permissions", &feed).send().await;
    refused.refused(400, None, "name a container");
}

#[tokio::test]
async fn a_permission_on_a_container_is_for_its_scripts_too() {
    let server = server_with_user().await;
    let read = permission(&server, "Read", "dbs/d/colls/c", "").await;
    let path = "/dbs/d/colls/c/udfs";
    ask(&server, &read, "GET", path, "").await.expect(200);
    let body = r#"{"id":"n","body":"function() {}"}"#;
    ask(&server, &read, "POST", path, body).await.refused(403, None, "reading only");
    let all = permission(&server, "All", "dbs/d/colls/c", "").await;
    ask(&server, &all, "POST", path, body).await.expect(201);
}

/// Each of these headers makes a POST on a feed of items a read.
const QUERY_HEADERS: [(&str, &str); 4] = [
    ("x-ms-documentdb-isquery", "True"),
    ("x-ms-documentdb-query", "True"),
    ("x-ms-cosmos-is-query-plan-request", "True"),
    ("content-type", "application/query+json"),
];

#[tokio::test]
async fn the_headers_of_a_query_make_nothing_else_a_read() {
    let server = server_with_user().await;
    let read = permission(&server, "Read", "dbs/d/colls/c", "").await;
    let read = read.replace('=', "%3D").replace('&', "%26");
    let script = r#"{"id":"n","body":"function() {}"}"#;
    for (name, value) in QUERY_HEADERS {
        for (path, body) in [
            ("/dbs/d/colls/c/sprocs/s", "[]"),
            ("/dbs/d/colls/c/operations/partitionkeydelete", ""),
            ("/dbs/d/colls/c/docs/a", ITEM),
        ] {
            let call = server.call("POST", path, body).unsigned().key(r#"["x"]"#);
            let answer = call.with("authorization", &read).with(name, value).send().await;
            answer.refused(403, None, "reading only");
        }
        for path in ["/dbs/d/colls/c/sprocs", "/dbs/d/colls/c/udfs", "/dbs/d/colls/c/triggers"] {
            let call = server.call("POST", path, script).unsigned().with(name, value);
            // Refused, or answered as the query that it claims to be.
            let answer = call.with("authorization", &read).send().await;
            assert!(matches!(answer.status, 400 | 403), "{path} {name}: {}", answer.text());
        }
    }
    server.get("/dbs/d/colls/c/docs/a").key(r#"["x"]"#).send().await.expect(200);
    server.get("/dbs/d/colls/c/sprocs/n").send().await.expect(404);
}

#[tokio::test]
async fn the_headers_of_a_query_lead_to_no_other_logical_partition() {
    let server = server_with_user().await;
    let own_key = r#","resourcePartitionKey":["y"]"#;
    let token = permission(&server, "All", "dbs/d/colls/c", own_key).await;
    let token = token.replace('=', "%3D").replace('&', "%26");
    for (name, value) in QUERY_HEADERS {
        for (verb, path, body) in [
            ("GET", "/dbs/d/colls/c/docs/a", ""),
            ("PUT", "/dbs/d/colls/c/docs/a", ITEM),
            ("DELETE", "/dbs/d/colls/c/docs/a", ""),
            ("GET", "/dbs/d/colls/c/docs", ""),
            ("POST", "/dbs/d/colls/c/sprocs/s", "[]"),
            ("POST", "/dbs/d/colls/c/operations/partitionkeydelete", ""),
        ] {
            let call = server.call(verb, path, body).unsigned().key(r#"["x"]"#);
            let answer = call.with("authorization", &token).with(name, value).send().await;
            answer.refused(403, None, "another partition key");
        }
    }
    server.get("/dbs/d/colls/c/docs/a").key(r#"["x"]"#).send().await.expect(200);
}

#[tokio::test]
async fn a_token_is_refused_once_its_permission_is_deleted() {
    let server = server_with_user().await;
    let item = "/dbs/d/colls/c/docs/a";
    let token = permission(&server, "Read", "dbs/d/colls/c", "").await;
    ask(&server, &token, "GET", item, "").await.expect(200);
    server.delete("/dbs/d/users/u/permissions/p").send().await.expect(204);
    ask(&server, &token, "GET", item, "").await.refused(403, None, "was deleted");
    ask(&server, &token, "GET", "/", "").await.refused(403, None, "was deleted");
    // Another permission of the same name is another permission.
    let newer = permission(&server, "Read", "dbs/d/colls/c", "").await;
    ask(&server, &token, "GET", item, "").await.refused(403, None, "was deleted");
    ask(&server, &newer, "GET", item, "").await.expect(200);
    server.delete("/dbs/d/users/u").send().await.expect(204);
    ask(&server, &newer, "GET", item, "").await.refused(403, None, "was deleted");
}

#[tokio::test]
async fn a_token_allows_no_more_than_its_permission_does_now() {
    let server = server_with_user().await;
    let item = "/dbs/d/colls/c/docs/a";
    let all = permission(&server, "All", "dbs/d/colls/c", "").await;
    ask(&server, &all, "PUT", item, ITEM).await.expect(200);
    let read = permission(&server, "Read", "dbs/d/colls/c", "").await;
    ask(&server, &all, "PUT", item, ITEM).await.refused(403, None, "reading only");
    ask(&server, &all, "GET", item, "").await.expect(200);
    // And no more than it did when the token was given out.
    permission(&server, "All", "dbs/d/colls/c", "").await;
    ask(&server, &read, "PUT", item, ITEM).await.refused(403, None, "reading only");
    permission(&server, "All", "dbs/d/colls/c", r#","resourcePartitionKey":["y"]"#).await;
    ask(&server, &all, "GET", item, "").await.refused(403, None, "another partition key");
    permission(&server, "All", "dbs/d/colls/c/docs/b", r#","resourcePartitionKey":["x"]"#).await;
    ask(&server, &all, "GET", item, "").await.refused(403, None, "this resource");
}

#[tokio::test]
async fn a_partition_key_restricts_every_access_to_items() {
    let server = server_with_user().await;
    let docs = "/dbs/d/colls/c/docs";
    let token =
        permission(&server, "All", "dbs/d/colls/c", r#","resourcePartitionKey":["x"]"#).await;
    let token = token.replace('=', "%3D").replace('&', "%26");
    let call = |verb: &str, path: &str, body: &str, key: &str| {
        server.call(verb, path, body).unsigned().key(key).with("authorization", &token)
    };
    let (ours, other) = (r#"["x"]"#, r#"["y"]"#);
    let query = r#"{"query":"SELECT * FROM c"}"#;
    let is_query = "x-ms-documentdb-isquery";
    call("GET", "/dbs/d/colls/c/docs/a", "", ours).send().await.expect(200);
    call("GET", docs, "", ours).send().await.expect(200);
    call("POST", docs, query, ours).with(is_query, "True").send().await.expect(200);
    call("GET", docs, "", ours).with("a-im", "Incremental Feed").send().await.expect(200);
    let plan = "x-ms-cosmos-is-query-plan-request";
    call("POST", docs, query, other).with(plan, "True").send().await.expect(200);
    for answer in [
        call("GET", docs, "", other).send().await,
        call("POST", docs, query, other).with(is_query, "True").send().await,
        call("GET", docs, "", other).with("a-im", "Incremental Feed").send().await,
        call("POST", "/dbs/d/colls/c/operations/partitionkeydelete", "", other).send().await,
        call("POST", "/dbs/d/colls/c/sprocs/s", "[]", other).send().await,
        server.get(docs).unsigned().with("authorization", &token).send().await,
    ] {
        answer.refused(403, None, "another partition key");
    }
    let is_batch = "x-ms-cosmos-is-batch-request";
    let sneaky = r#"[{"operationType":"Create","partitionKey":"[\"y\"]","resourceBody":{"id":"b","pk":"y"}}]"#;
    let bulk = call("POST", docs, sneaky, ours).with(is_batch, "True");
    bulk.send().await.refused(403, None, "does not allow bulk requests");
    let batch = call("POST", docs, r#"[{"operationType":"Read","id":"a"}]"#, ours);
    let batch = batch.with(is_batch, "True").with("x-ms-cosmos-batch-atomic", "True");
    batch.send().await.expect(200);
}

#[tokio::test]
async fn a_user_has_several_permissions_on_one_resource() {
    let server = server_with_user().await;
    let create = |id: &str, rest: &str| {
        let body = format!(r#"{{"id":"{id}","permissionMode":"Read",{rest}}}"#);
        server.post("/dbs/d/users/u/permissions", &body).send()
    };
    create("p", r#""resource":"dbs/d/colls/c""#).await.expect(201);
    create("q", r#""resource":"dbs/d/colls/c/""#).await.expect(201);
    create("r", r#""resource":"dbs/d/colls/c","resourcePartitionKey":["x"]"#).await.expect(201);
    create("s", r#""resource":"dbs/d/colls/c/docs/a""#).await.expect(201);
    create("t", r#""resource":"dbs/d/colls/c/docs/a""#).await.expect(201);
    create("p", r#""resource":"dbs/d/colls/c""#).await.refused(409, None, "already exists");
    let wrong = create("w", r#""resource":"dbs/d""#).await;
    wrong.refused(400, None, "name a container");
}

#[tokio::test]
async fn a_permission_on_a_missing_resource_grants_nothing_until_it_exists() {
    let server = server_with_user().await;
    let body = r#"{"id":"p","permissionMode":"Read","resource":"dbs/d/colls/later"}"#;
    let created = server.post("/dbs/d/users/u/permissions", body).send().await.expect(201);
    let read = async |token: &str| {
        let token = token.replace('=', "%3D").replace('&', "%26");
        let call = server.get("/dbs/d/colls/later").unsigned().with("authorization", &token);
        call.send().await.status
    };
    assert!(read(&created.string("_token")).await >= 400);
    let container = r#"{"id":"later","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;
    server.post("/dbs/d/colls", container).send().await.expect(201);
    assert_eq!(read(&created.string("_token")).await, 403);
    let again = server.get("/dbs/d/users/u/permissions/p").send().await.expect(200);
    assert_eq!(read(&again.string("_token")).await, 200);
}

#[tokio::test]
async fn a_permission_on_an_item_is_for_one_logical_partition() {
    let server = server_with_user().await;
    let other = r#"{"id":"a","pk":"y"}"#;
    server.post("/dbs/d/colls/c/docs", other).key(r#"["y"]"#).send().await.expect(201);
    let key = r#","resourcePartitionKey":["x"]"#;
    let token = permission(&server, "Read", "dbs/d/colls/c/docs/a", key).await;
    let token = token.replace('=', "%3D").replace('&', "%26");
    let read = |key: &str| {
        let call = server.get("/dbs/d/colls/c/docs/a").unsigned().key(key);
        call.with("authorization", &token).send()
    };
    read(r#"["x"]"#).await.expect(200);
    read(r#"["y"]"#).await.refused(403, None, "another partition key");
}

/// As the client libraries grant it: by `_self`, without the partition key.
#[tokio::test]
async fn a_permission_by_resource_id_is_for_that_item_only() {
    let server = server_with_user().await;
    let other = r#"{"id":"a","pk":"y"}"#;
    server.post("/dbs/d/colls/c/docs", other).key(r#"["y"]"#).send().await.expect(201);
    let item = server.get("/dbs/d/colls/c/docs/a").key(r#"["x"]"#).send().await.expect(200);
    let link = item.string("_self");
    let token = permission(&server, "All", &link, "").await;
    let token = token.replace('=', "%3D").replace('&', "%26");
    let call = |verb: &str, path: &str, key: &str| {
        let call = server.call(verb, path, "").unsigned().key(key);
        call.with("authorization", &token).send()
    };
    let (named, by_rid) = ("/dbs/d/colls/c/docs/a", format!("/{}", link.trim_matches('/')));
    call("GET", named, r#"["x"]"#).await.expect(200);
    call("GET", &by_rid, r#"["x"]"#).await.expect(200);
    call("GET", named, r#"["y"]"#).await.refused(403, None, "another item");
    call("GET", "/dbs/d/colls/c/docs/b", r#"["x"]"#).await.refused(403, None, "another item");
    call("DELETE", named, r#"["y"]"#).await.refused(403, None, "another item");
    call("DELETE", named, r#"["x"]"#).await.expect(204);
    // Another item with the same id and partition key has another resource id.
    server.post("/dbs/d/colls/c/docs", ITEM).key(r#"["x"]"#).send().await.expect(201);
    call("GET", named, r#"["x"]"#).await.refused(403, None, "another item");
}

/// As the client libraries grant it as well: by id, in a container whose partition key is the id.
#[tokio::test]
async fn a_permission_by_id_needs_no_partition_key_if_that_is_the_id() {
    let server = server_with_user().await;
    let keyed = r#"{"id":"k","partitionKey":{"paths":["/id"],"kind":"Hash"}}"#;
    server.post("/dbs/d/colls", keyed).send().await.expect(201);
    for id in ["a", "b"] {
        let (item, key) = (format!(r#"{{"id":"{id}"}}"#), format!(r#"["{id}"]"#));
        server.post("/dbs/d/colls/k/docs", &item).key(&key).send().await.expect(201);
    }
    let token = permission(&server, "All", "dbs/d/colls/k/docs/a", "").await;
    let token = token.replace('=', "%3D").replace('&', "%26");
    let call = |verb: &str, path: &str, key: &str| {
        let call = server.call(verb, path, "").unsigned().key(key);
        call.with("authorization", &token).send()
    };
    call("GET", "/dbs/d/colls/k/docs/a", r#"["a"]"#).await.expect(200);
    let another = call("GET", "/dbs/d/colls/k/docs/a", r#"["b"]"#).await;
    another.refused(403, None, "another partition key");
    call("GET", "/dbs/d/colls/k/docs/b", r#"["b"]"#).await.refused(403, None, "");
    call("DELETE", "/dbs/d/colls/k/docs/a", r#"["a"]"#).await.expect(204);
}

/// A permission as an earlier version stored it, and the token that it gave out.
#[tokio::test]
async fn an_old_permission_on_an_item_without_its_partition_key_grants_nothing() {
    let server = server_with_user().await;
    let key = r#","resourcePartitionKey":["x"]"#;
    let token = permission(&server, "Read", "dbs/d/colls/c/docs/a", key).await;
    let user = server.get("/dbs/d/users/u").send().await.string("_rid");
    let user = model::ResourceId::parse(&user).unwrap();
    let kind = engine::AttachedKind::Permission;
    let content = r#"{"id":"p","permissionMode":"Read","resource":"dbs/d/colls/c/docs/a"}"#;
    let model::Json::Object(content) = model::Json::parse(content.as_bytes()).unwrap() else {
        panic!("it is an object");
    };
    let stored = server.engine.read_attached(user, kind, "p").await.unwrap().value;
    server.engine.replace_attached(kind, &stored, content, None).await.unwrap();
    let refused = ask(&server, &token, "GET", "/dbs/d/colls/c/docs/a", "").await;
    refused.refused(403, None, "resourcePartitionKey");
    let read = server.get("/dbs/d/users/u/permissions/p").send().await.expect(200);
    let newer = read.string("_token");
    let refused = ask(&server, &newer, "GET", "/dbs/d/colls/c/docs/a", "").await;
    refused.refused(403, None, "resourcePartitionKey");
}
