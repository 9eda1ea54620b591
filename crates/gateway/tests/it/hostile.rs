//! Malformed requests over a socket: each gets an error response, and the server keeps running.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::client::Server;

const HEADERS: [&str; 16] = [
    "authorization",
    "x-ms-date",
    "x-ms-documentdb-partitionkey",
    "x-ms-documentdb-partitionkeyrangeid",
    "x-ms-session-token",
    "x-ms-continuation",
    "x-ms-max-item-count",
    "x-ms-consistency-level",
    "x-ms-start-epk",
    "x-ms-end-epk",
    "x-ms-indexing-directive",
    "x-ms-documentdb-isquery",
    "x-ms-cosmos-is-batch-request",
    "x-ms-cosmos-is-query-plan-request",
    "if-none-match",
    "a-im",
];

fn header_value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,40}",
        Just("True".to_owned()),
        Just("-1".to_owned()),
        Just(r#"["x"]"#.to_owned()),
        Just("[{}]".to_owned()),
        Just("0:-1#1".to_owned()),
        Just("Incremental Feed".to_owned()),
        Just("99999999999999999999".to_owned()),
    ]
}

fn path() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("/dbs/d/colls/c/docs".to_owned()),
        Just("/dbs/d/colls/c/docs/a".to_owned()),
        Just("/dbs/d/colls/c/pkranges".to_owned()),
        Just("/dbs/d/colls/c/sprocs/x".to_owned()),
        Just("/offers".to_owned()),
        "/[a-z%0-9/]{0,30}",
    ]
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..64),
        proptest::collection::vec(any::<u8>(), 0..64).prop_map(|rest| [vec![0x80], rest].concat()),
        Just(br#"{"id":"a","pk":"x"}"#.to_vec()),
        Just(br#"{"query":"SELECT * FROM c"}"#.to_vec()),
        Just(br#"[{"operationType":"Create"},{"operationType":"Read","id":"a"},7]"#.to_vec()),
        "[\\[\\]{}\":,a-z0-9]{0,40}".prop_map(String::into_bytes),
    ]
}

#[test]
fn malformed_requests_get_responses() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let server = runtime.block_on(Server::with_container());
    let mut runner = TestRunner::new(Config { cases: 400, ..Config::default() });
    let headers = proptest::collection::vec((0..HEADERS.len(), header_value()), 0..5);
    let verb =
        prop::sample::select(vec!["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);
    let requests = (verb, path(), headers, body());
    let checked = runner.run(&requests, |(verb, path, headers, body)| {
        runtime.block_on(async {
            let mut call = server.call(verb, &path, "").bytes(body);
            for (name, value) in &headers {
                let name = HEADERS.get(*name).copied().unwrap_or_default();
                // Most requests are signed: what is behind the signature is the larger part.
                if name == "authorization" || name == "x-ms-date" {
                    call = call.unsigned();
                }
                call = call.with(name, value);
            }
            let answer = call.send().await;
            prop_assert_ne!(answer.status, 500, "{}", answer.text());
            let has_body = answer.status >= 400 && verb != "HEAD";
            prop_assert!(!has_body || answer.json().get("message").is_some(), "{}", answer.text());
            Ok(())
        })
    });
    checked.unwrap();
    runtime.block_on(server.get("/dbs").send()).expect(200);
}
