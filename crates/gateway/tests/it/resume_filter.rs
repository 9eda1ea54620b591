//! Ordered queries that a client resumes after values it names beside the text.

use model::Json;
use model::value::structural_hash;

use crate::client::{Answer, Server};

const ITEMS: &str = "/dbs/d/colls/c/docs";
/// One value of each type, some twice.
const VALUES: [&str; 12] =
    ["null", "true", "1", "1", "2.5", r#""a""#, r#""a""#, r#""b""#, "[1]", "[2]", r#"{"a":1}"#, ""];

async fn filled() -> Server {
    let server = Server::with_container().await;
    for (number, value) in VALUES.iter().enumerate() {
        let member = if value.is_empty() { String::new() } else { format!(r#","x":{value}"#) };
        let item = format!(r#"{{"id":"{number}","pk":"p"{member}}}"#);
        server.post(ITEMS, &item).key(r#"["p"]"#).send().await.expect(201);
    }
    server
}

/// Runs the query that clients send for ordered rows, and returns the ids of its rows.
async fn ask(server: &Server, order: &str, filter: &str, token: Option<&str>) -> (Answer, Rows) {
    let query = format!(
        "SELECT c._rid, [{{\\\"item\\\": c.x}}] AS orderByItems, c AS payload FROM c WHERE (true) ORDER BY c.x {order}"
    );
    let body = format!(r#"{{"query":"{query}"{filter}}}"#);
    let call = server.post(ITEMS, &body).with("content-type", "application/query+json");
    let call = call.with("x-ms-documentdb-partitionkeyrangeid", "0");
    let call = match token {
        Some(token) => call.with("x-ms-continuation", token),
        None => call.with("x-ms-max-item-count", if filter.is_empty() { "4" } else { "100" }),
    };
    let answer = call.send().await.expect(200);
    let rows = answer.entries("Documents");
    (answer, Rows(rows))
}

struct Rows(Vec<Json>);

impl Rows {
    fn rids(&self) -> Vec<String> {
        let rid = |row: &Json| row.get("_rid").unwrap().as_str().unwrap().to_owned();
        self.0.iter().map(rid).collect()
    }

    fn value(&self, index: usize) -> Option<Json> {
        let items = self.0[index].get("orderByItems").unwrap().as_array().unwrap();
        items[0].get("item").cloned()
    }
}

/// A value as clients write it into the filter.
fn written(value: Option<&Json>) -> String {
    match value {
        None => "[]".to_owned(),
        Some(value @ (Json::Array(_) | Json::Object(_))) => {
            let kind = if value.as_array().is_some() { "array" } else { "object" };
            let hash = structural_hash(value);
            let (low, high) = (hash as u64 as i64, (hash >> 64) as u64 as i64);
            format!(r#"{{"type":"{kind}","low":{low},"high":{high}}}"#)
        }
        Some(scalar) => scalar.to_string(),
    }
}

async fn all(server: &Server, order: &str) -> Rows {
    let (mut rows, mut token) = (Vec::new(), None::<String>);
    loop {
        let (answer, page) = ask(server, order, "", token.as_deref()).await;
        rows.extend(page.0);
        token = answer.header("x-ms-continuation").map(str::to_owned);
        if token.is_none() {
            return Rows(rows);
        }
    }
}

#[tokio::test]
async fn rows_go_on_after_every_value() {
    let server = filled().await;
    for order in ["ASC", "DESC"] {
        let all = all(&server, order).await;
        let rids = all.rids();
        assert_eq!(rids.len(), VALUES.len());
        for (index, rid) in rids.iter().enumerate() {
            let value = all.value(index);
            let same = |other: &usize| all.value(*other) == value;
            let first = (0..rids.len()).find(same).unwrap();
            let last = (0..rids.len()).rev().find(same).unwrap();
            let value = written(value.as_ref());
            for (rest, expected) in [
                (r#""exclude":true"#.to_owned(), &rids[last + 1..]),
                (r#""exclude":false"#.to_owned(), &rids[first..]),
                (format!(r#""rid":"{rid}","exclude":false"#), &rids[index..]),
            ] {
                let filter = format!(r#","resumeFilter":{{"value":[{value}],{rest}}}"#);
                let (_, found) = ask(&server, order, &filter, None).await;
                assert_eq!(found.rids(), expected, "{order} {filter}");
            }
        }
    }
}

#[tokio::test]
async fn of_filter_and_token_the_more_restrictive_applies() {
    let server = filled().await;
    let all = all(&server, "ASC").await;
    let (first, _) = ask(&server, "ASC", "", None).await;
    let token = first.has("x-ms-continuation");
    // The first page has four rows; the sixth and seventh row have the same value.
    for (index, begin) in [(1, 4), (7, 6)] {
        let value = written(all.value(index).as_ref());
        let filter = format!(r#","resumeFilter":{{"value":[{value}],"exclude":false}}"#);
        let (_, found) = ask(&server, "ASC", &filter, Some(token)).await;
        assert_eq!(found.rids(), &all.rids()[begin..], "{filter}");
    }
}

#[tokio::test]
async fn a_filter_that_does_not_fit_is_refused() {
    let server = filled().await;
    let body = r#"{"query":"SELECT * FROM c","resumeFilter":{"value":[1],"exclude":false}}"#;
    let call = server.post(ITEMS, body).with("content-type", "application/query+json");
    let answer = call.key(r#"["p"]"#).send().await;
    answer.refused(400, None, "The resumeFilter of the query is invalid");
}

#[tokio::test]
async fn a_token_from_inside_the_first_item_goes_on_with_a_narrower_filter() {
    let server = Server::with_container().await;
    let item = r#"{"id":"1","pk":"p","tags":["a","b","c"]}"#;
    server.post(ITEMS, item).key(r#"["p"]"#).send().await.expect(201);
    let page = async |filter: &str, token: Option<&str>| {
        let query = format!(
            "SELECT c._rid, [{{\\\"item\\\": c.id}}] AS orderByItems, t AS payload FROM c JOIN t IN c.tags \
             WHERE ({filter}) ORDER BY c.id"
        );
        let body = format!(r#"{{"query":"{query}"}}"#);
        let call = server.post(ITEMS, &body).with("content-type", "application/query+json");
        let call = call.with("x-ms-documentdb-partitionkeyrangeid", "0");
        let call = call.with("x-ms-max-item-count", "2");
        let call = match token {
            Some(token) => call.with("x-ms-continuation", token),
            None => call,
        };
        call.send().await.expect(200)
    };
    let first = page("true", None).await;
    let token = first.has("x-ms-continuation").to_owned();
    let rest = page("(c.id >= '1')", Some(&token)).await.entries("Documents");
    let tags: Vec<_> = rest.iter().map(|row| row.get("payload").unwrap().to_string()).collect();
    assert_eq!(tags, [r#""c""#]);
}
