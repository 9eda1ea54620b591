//! Scripts over HTTP: running procedures, triggers in headers, functions in queries, the log, permissions.

use crate::client::Server;

const PATH: &str = "/dbs/d/colls/c/sprocs";

async fn server() -> Server {
    Server::with_container().await
}

fn script(id: &str, body: &str) -> String {
    let mut object = model::Object::new();
    object.insert("id", id);
    object.insert("body", body);
    model::Json::Object(object).to_string()
}

#[tokio::test]
async fn a_procedure_runs_and_its_writes_are_there() {
    let server = server().await;
    let body = "function (id) { __.createDocument(__.getSelfLink(), { id, pk: 'x' }, \
                (e, d) => __.response.setBody({ made: d.id })); }";
    server.post(PATH, &script("s", body)).send().await.expect(201);
    let run = server.post("/dbs/d/colls/c/sprocs/s", r#"["1"]"#).key(r#"["x"]"#).send().await;
    let run = run.expect(200);
    assert_eq!(run.text(), r#"{"made":"1"}"#);
    assert!(run.header("x-ms-session-token").is_some());
    assert!(run.header("x-ms-request-charge").is_some());
    assert!(run.header("x-ms-documentdb-script-log-results").is_none());
    server.get("/dbs/d/colls/c/docs/1").key(r#"["x"]"#).send().await.expect(200);
}

#[tokio::test]
async fn a_procedure_without_a_body_returns_an_empty_text() {
    let server = server().await;
    server.post(PATH, &script("s", "function () {}")).send().await.expect(201);
    let run = server.post("/dbs/d/colls/c/sprocs/s", "").key(r#"["x"]"#).send().await.expect(200);
    assert_eq!(run.text(), r#""""#);
}

#[tokio::test]
async fn a_procedure_needs_a_partition_key_and_an_array() {
    let server = server().await;
    server.post(PATH, &script("s", "function () {}")).send().await.expect(201);
    let run = server.post("/dbs/d/colls/c/sprocs/s", "[]").send().await;
    run.refused(400, Some("1001"), "partition key");
    let run = server.post("/dbs/d/colls/c/sprocs/s", "1").key(r#"["x"]"#).send().await;
    run.refused(400, None, "array");
    let missing = server.post("/dbs/d/colls/c/sprocs/none", "[]").key(r#"["x"]"#).send().await;
    missing.refused(404, None, "none");
}

#[tokio::test]
async fn a_thrown_number_is_the_sub_status() {
    let server = server().await;
    let body = "function () { console.log('seen'); throw new Error(4321, 'mine'); }";
    server.post(PATH, &script("s", body)).send().await.expect(201);
    let call = server.post("/dbs/d/colls/c/sprocs/s", "[]").key(r#"["x"]"#);
    let run = call.with("x-ms-documentdb-script-enable-logging", "true").send().await;
    assert_eq!(run.header("x-ms-documentdb-script-log-results"), Some("seen"));
    run.refused(
        400,
        Some("4321"),
        "Encountered exception while executing Javascript. Exception = Error: mine",
    );
    server.post(PATH, &script("t", "function () { throw 1; }")).send().await.expect(201);
    let run = server.post("/dbs/d/colls/c/sprocs/t", "[]").key(r#"["x"]"#).send().await;
    run.refused(400, Some("400"), "Exception = 1");
}

#[tokio::test]
async fn the_log_is_a_header_when_it_is_asked_for() {
    let server = server().await;
    let body = "function () { console.log('a b.', 1); }";
    server.post(PATH, &script("s", body)).send().await.expect(201);
    let call = server.post("/dbs/d/colls/c/sprocs/s", "[]").key(r#"["x"]"#);
    let run = call.with("x-ms-documentdb-script-enable-logging", "true").send().await.expect(200);
    assert_eq!(run.header("x-ms-documentdb-script-log-results"), Some("a%20b.%201"));
}

#[tokio::test]
async fn triggers_in_headers_run_with_writes() {
    let server = server().await;
    let trigger = |id: &str, time: &str, body: &str| {
        format!(
            r#"{{"id":"{id}","body":"{body}","triggerType":"{time}","triggerOperation":"All"}}"#
        )
    };
    let before = "function () { const r = getContext().getRequest(), b = r.getBody(); \
                  b.stamp = r.getOperationType(); r.setBody(b); }";
    let after = "function () { __.createDocument(__.getSelfLink(), { id: 'log', pk: 'x' }); }";
    let triggers = "/dbs/d/colls/c/triggers";
    server.post(triggers, &trigger("before", "Pre", before)).send().await.expect(201);
    server.post(triggers, &trigger("after", "Post", after)).send().await.expect(201);
    let call = server.post("/dbs/d/colls/c/docs", r#"{"id":"1","pk":"x"}"#).key(r#"["x"]"#);
    let call = call.with("x-ms-documentdb-pre-trigger-include", "before");
    let call = call.with("x-ms-documentdb-post-trigger-include", "after");
    let created = call.send().await.expect(201);
    assert!(created.text().contains(r#""stamp":"Create""#), "{}", created.text());
    server.get("/dbs/d/colls/c/docs/log").key(r#"["x"]"#).send().await.expect(200);
    let patch = r#"{"operations":[{"op":"add","path":"/a","value":1}]}"#;
    let call = server.patch("/dbs/d/colls/c/docs/1", patch).key(r#"["x"]"#);
    let refused = call.with("x-ms-documentdb-pre-trigger-include", "before").send().await;
    refused.refused(501, None, "Triggers do not run with a patch");
}

#[tokio::test]
async fn user_defined_functions_run_in_queries() {
    let server = server().await;
    let item = r#"{"id":"1","pk":"x","n":21}"#;
    server.post("/dbs/d/colls/c/docs", item).key(r#"["x"]"#).send().await.expect(201);
    let ask = async |text: &str| {
        let body = format!(r#"{{"query":"{text}"}}"#);
        let call = server.post("/dbs/d/colls/c/docs", &body).key(r#"["x"]"#);
        call.with("content-type", "application/query+json").send().await
    };
    let unknown = ask("SELECT VALUE udf.twice(c.n) FROM c").await;
    unknown.refused(400, None, "'twice' is not a recognized user-defined function name.");
    let body = script("twice", "function (n) { return 2 * n; }");
    server.post("/dbs/d/colls/c/udfs", &body).send().await.expect(201);
    let answer = ask("SELECT VALUE udf.twice(c.n) FROM c").await.expect(200);
    assert!(answer.text().contains("[42]"), "{}", answer.text());
    let other_case = ask("SELECT VALUE udf.Twice(c.n) FROM c").await;
    other_case.refused(400, None, "'Twice' is not a recognized user-defined function name.");
    let body = script("fails", "function (n) { throw new Error('bad'); }");
    server.post("/dbs/d/colls/c/udfs", &body).send().await.expect(201);
    ask("SELECT VALUE udf.fails(c.n) FROM c").await.refused(400, None, "bad");
}

#[tokio::test]
async fn a_renamed_procedure_runs_under_its_new_name_and_a_deleted_one_not_at_all() {
    let server = server().await;
    let body = "function () { __.response.setBody(1); }";
    server.post(PATH, &script("s", body)).send().await.expect(201);
    server.put("/dbs/d/colls/c/sprocs/s", &script("t", body)).send().await.expect(200);
    let run = server.post("/dbs/d/colls/c/sprocs/t", "[]").key(r#"["x"]"#).send().await;
    assert_eq!(run.expect(200).text(), "1");
    let old = server.post("/dbs/d/colls/c/sprocs/s", "[]").key(r#"["x"]"#).send().await;
    old.refused(404, None, "'s'");
    server.delete("/dbs/d/colls/c/sprocs/t").send().await.expect(204);
    let gone = server.post("/dbs/d/colls/c/sprocs/t", "[]").key(r#"["x"]"#).send().await;
    gone.refused(404, None, "'t'");
}
