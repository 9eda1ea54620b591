//! Queries, plans and the policy for queries over all partitions.

use crate::client::{Answer, Call, Server};
use gateway::CrossPartition;

const ITEMS: &str = "/dbs/d/colls/c/docs";

async fn filled(server: Server) -> Server {
    for number in 0..6 {
        let key = ["x", "y"][number % 2];
        let body = format!(r#"{{"id":"{number}","pk":"{key}","n":{number}}}"#);
        let call = server.post(ITEMS, &body).key(&format!(r#"["{key}"]"#));
        call.send().await.expect(201);
    }
    server
}

fn query<'a>(server: &'a Server, text: &str) -> Call<'a> {
    let body = format!(r#"{{"query":"{text}"}}"#);
    server.post(ITEMS, &body).with("content-type", "application/query+json")
}

fn everywhere<'a>(server: &'a Server, text: &str) -> Call<'a> {
    query(server, text).with("x-ms-documentdb-query-enablecrosspartition", "True")
}

fn rows(answer: &Answer) -> String {
    answer.property("Documents").to_string()
}

#[tokio::test]
async fn every_query_runs_in_one_logical_partition() {
    let server = filled(Server::with_container().await).await;
    let text = "SELECT VALUE c.n FROM c ORDER BY c.n DESC";
    let answer = query(&server, text).key(r#"["x"]"#).send().await.expect(200);
    assert_eq!(rows(&answer), "[4,2,0]");
    assert_eq!(answer.header("x-ms-item-count"), Some("3"));
    assert_eq!(answer.header("x-ms-continuation"), None);
    assert_eq!(answer.header("x-ms-session-token"), Some("0:-1#6"));
    assert!(answer.header("x-ms-cosmos-query-execution-info").is_some());
    let rid = server.get("/dbs/d/colls/c").send().await.string("_rid");
    assert_eq!(answer.string("_rid"), rid);
}

#[tokio::test]
async fn the_header_names_the_order_of_equal_values() {
    let server = filled(Server::with_container().await).await;
    let name = "x-ms-cosmos-query-execution-info";
    for (order, values) in [("c.pk", "[0,2,4,1,3,5]"), ("c.pk DESC", "[5,3,1,4,2,0]")] {
        let text = format!("SELECT VALUE c.n FROM c ORDER BY {order}");
        // A client merges ranges, so that it names the range.
        let whole = |text: &str| {
            let call = everywhere(&server, text).with("x-ms-documentdb-partitionkeyrangeid", "0");
            call.with("x-ms-max-item-count", "2")
        };
        let (mut seen, mut token) = (Vec::new(), String::new());
        loop {
            let call = match token.is_empty() {
                true => whole(&text),
                false => whole(&text).with("x-ms-continuation", &token),
            };
            let page = call.send().await.expect(200);
            let info = page.header(name).unwrap();
            let is_reversed = order.ends_with("DESC");
            let expected =
                format!(r#"{{"reverseRidEnabled":false,"reverseIndexScan":{is_reversed}}}"#);
            assert_eq!(info, expected);
            seen.push(rows(&page).trim_matches(['[', ']']).to_owned());
            let Some(next) = page.header("x-ms-continuation") else { break };
            next.clone_into(&mut token);
        }
        assert_eq!(format!("[{}]", seen.join(",")), values);
    }
}

#[tokio::test]
async fn parameters_and_all_forms_of_query_requests_are_accepted() {
    let server = filled(Server::with_container().await).await;
    let body = r#"{"query":"SELECT VALUE c.n FROM c WHERE c.n = @n","parameters":[{"name":"@n","value":4}]}"#;
    for header in ["x-ms-documentdb-isquery", "x-ms-documentdb-query"] {
        let call = server.post(ITEMS, body).key(r#"["x"]"#).with(header, "True");
        assert_eq!(rows(&call.send().await.expect(200)), "[4]");
    }
    let call = server.post(ITEMS, "SELECT VALUE c.n FROM c WHERE c.n = 4").key(r#"["x"]"#);
    let answer = call.with("content-type", "application/sql").send().await.expect(200);
    assert_eq!(rows(&answer), "[4]");
    let empty = server.post(ITEMS, "{}").with("x-ms-documentdb-isquery", "True").send().await;
    empty.refused(400, None, "has no 'query'");
}

#[tokio::test]
async fn a_query_is_paged() {
    let server = filled(Server::with_container().await).await;
    let text = "SELECT VALUE c.n FROM c";
    let first = everywhere(&server, text).with("x-ms-max-item-count", "4").send().await.expect(200);
    assert_eq!(first.entries("Documents").len(), 4);
    let token = first.has("x-ms-continuation");
    let rest = everywhere(&server, text).with("x-ms-continuation", token).send().await.expect(200);
    assert_eq!(rest.entries("Documents").len(), 2);
    assert_eq!(rest.header("x-ms-continuation"), None);
    let made_up = everywhere(&server, text).with("x-ms-continuation", "abc").send().await;
    made_up.refused(400, None, "Invalid Continuation Token");
}

#[tokio::test]
async fn a_query_over_all_partitions_must_be_allowed() {
    let server = filled(Server::with_container().await).await;
    let refused = query(&server, "SELECT * FROM c").send().await;
    refused.refused(400, None, "Cross partition query is required but disabled.");
    let one = query(&server, "SELECT VALUE c.n FROM c WHERE c.pk = 'x' AND c.n > 2").send().await;
    assert_eq!(rows(&one.expect(200)), "[4]");
}

#[tokio::test]
async fn a_query_that_must_be_merged_is_refused_with_its_plan() {
    let server = filled(Server::with_container().await).await;
    for text in [
        "SELECT VALUE c.n FROM c ORDER BY c.n",
        "SELECT TOP 1 * FROM c",
        "SELECT DISTINCT VALUE c.pk FROM c",
        "SELECT VALUE COUNT(1) FROM c",
    ] {
        let answer = everywhere(&server, text).send().await;
        answer.refused(400, Some("1004"), "can not be directly served by the gateway");
        let plan = answer.string("additionalErrorInfo");
        assert!(plan.starts_with(r#"{"partitionedQueryExecutionInfoVersion":2"#), "{plan}");
        let call = query(&server, text).with("x-ms-documentdb-partitionkeyrangeid", "0");
        call.send().await.expect(200);
    }
    let grouped =
        everywhere(&server, "SELECT c.pk, COUNT(1) AS k FROM c GROUP BY c.pk").send().await;
    grouped.refused(400, None, "only supports 'VALUE <AggregateFunc>' for aggregates");
}

#[tokio::test]
async fn a_generous_gateway_merges_results() {
    let server = Server::with(|settings| settings.cross_partition = CrossPartition::Generous).await;
    server.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
    let body = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;
    let call = server.post("/dbs/d/colls", body).with("x-ms-offer-throughput", "12000");
    call.send().await.expect(201);
    let server = filled(server).await;
    let answer =
        everywhere(&server, "SELECT VALUE c.n FROM c ORDER BY c.n").send().await.expect(200);
    assert_eq!(rows(&answer), "[0,1,2,3,4,5]");
}

#[tokio::test]
async fn a_plan_depends_on_the_features_of_the_client() {
    let server = filled(Server::with_container().await).await;
    let plan = |features: &'static str| {
        let body = r#"{"query":"SELECT VALUE COUNT(1) FROM c"}"#;
        let call = server.post(ITEMS, body).with("x-ms-cosmos-is-query-plan-request", "True");
        call.with("x-ms-cosmos-supported-query-features", features)
    };
    let given = plan("Aggregate, Distinct").send().await.expect(200);
    assert!(given.text().contains(r#""aggregates":["Count"]"#), "{}", given.text());
    let refused = plan("Distinct").send().await;
    refused.refused(400, None, "which the calling client does not support");
    // Nothing was created by a request that looks like a create.
    let count = query(&server, "SELECT VALUE COUNT(1) FROM c");
    let count = count.with("x-ms-documentdb-partitionkeyrangeid", "0").send().await.expect(200);
    assert_eq!(rows(&count), "[6]");
}

#[tokio::test]
async fn an_invalid_query_is_refused_with_codes_and_positions() {
    let server = Server::with_container().await;
    let answer = everywhere(&server, "SELEC 1").send().await;
    answer.refused(400, None, r#""code":"SC1001""#);
}

#[tokio::test]
async fn metrics_are_returned_on_request() {
    let server = filled(Server::with_container().await).await;
    let text = "SELECT VALUE c.n FROM c WHERE c.n = 4";
    let plain = everywhere(&server, text).send().await.expect(200);
    assert_eq!(plain.header("x-ms-documentdb-query-metrics"), None);
    let call = everywhere(&server, text).with("x-ms-documentdb-populatequerymetrics", "true");
    let answer = call.with("x-ms-cosmos-populateindexmetrics", "True").send().await.expect(200);
    let metrics = answer.has("x-ms-documentdb-query-metrics");
    assert!(metrics.contains(";outputDocumentCount=1;"), "{metrics}");
    assert!(!answer.has("x-ms-cosmos-index-utilization").is_empty());
    let call = query(&server, "SELECT * FROM c").key(r#"["x"]"#);
    let answer = call.with("x-ms-cosmos-populateindexmetrics-V2", "True").send().await.expect(200);
    let metrics = answer.has("x-ms-cosmos-index-utilization");
    assert!(metrics.contains("%22%2Fpk%2F%3F%22"), "the key of the request restricts: {metrics}");
}

#[tokio::test]
async fn resources_can_be_queried() {
    let server = Server::with_container().await;
    let body = r#"{"query":"SELECT * FROM r WHERE r.id = 'd'"}"#;
    let call = server.post("/dbs", body).with("content-type", "application/query+json");
    assert_eq!(call.send().await.expect(200).ids("Databases"), ["d"]);
    let body = r#"{"query":"SELECT VALUE r.id FROM r"}"#;
    let call = server.post("/dbs/d/colls", body).with("x-ms-documentdb-isquery", "True");
    let found = call.send().await.expect(200);
    assert_eq!(found.property("DocumentCollections").to_string(), r#"["c"]"#);
}

#[tokio::test]
async fn non_finite_numbers_are_refused() {
    let server = filled(Server::with_container().await).await;
    let infinite = query(&server, "SELECT 1/0 AS x, 1 AS y FROM c").key(r#"["x"]"#).send().await;
    infinite.refused(400, Some("4001"), "cannot be represented in JSON");
}

#[tokio::test]
async fn advice_is_returned_on_request() {
    let server = Server::with_container().await;
    let ask = |text: &str| {
        let body = format!(r#"{{"query":"{text}"}}"#);
        let call = server.post("/dbs/d/colls/c/docs", &body).key(r#"["x"]"#);
        call.with("x-ms-documentdb-isquery", "True")
    };
    let (asked, name) = ("x-ms-cosmos-populatequeryadvice", "x-ms-cosmos-query-advice");
    let text = "SELECT * FROM c WHERE CONTAINS(c.a, 'b') AND ENDSWITH(c.a, 'c', true)";
    let answer = ask(text).with(asked, "True").send().await.expect(200);
    let decoded = answer.has(name).replace("%5B", "[").replace("%5D", "]").replace("%7B", "{");
    let decoded = decoded.replace("%7D", "}").replace("%22", "\"").replace("%3A", ":");
    let expected = r#"[{"Id":"QA1002","Params":[]},{"Id":"QA1004","Params":[]}]"#;
    assert_eq!(decoded.replace("%2C", ","), expected);
    assert_eq!(ask(text).send().await.expect(200).header(name), None);
    let plain = ask("SELECT * FROM c").with(asked, "True").send().await.expect(200);
    assert_eq!(plain.header(name), None);
}
