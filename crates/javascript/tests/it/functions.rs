//! User-defined functions in queries.

use engine::{ErrorKind, ScriptSettings};

use crate::account::Account;

async fn account() -> Account {
    let account = Account::new().await;
    for n in 1..=3 {
        account.create(&format!(r#"{{"id":"{n}","pk":"a","n":{n},"tags":["x","y"]}}"#)).await;
    }
    account.function("twice", "function (n) { return 2 * n; }").await;
    account.function("same", "(value) => value").await;
    account.function("nothing", "function () {}").await;
    account.function("fails", "function f(n) {\n  throw new Error('bad ' + n);\n}").await;
    account
}

#[tokio::test]
async fn functions_run_in_every_clause_that_allows_them() {
    let account = account().await;
    for (query, rows) in [
        ("SELECT VALUE udf.twice(c.n) FROM c", "2 4 6"),
        ("SELECT VALUE c.id FROM c WHERE udf.twice(c.n) > 3", r#""2" "3""#),
        ("SELECT VALUE udf.twice(udf.twice(c.n)) FROM c WHERE c.n = 2", "8"),
        ("SELECT udf.twice(c.n) AS t, udf.nothing() AS u FROM c WHERE c.n = 1", r#"{"t":2}"#),
        ("SELECT VALUE udf.same(c.tags) FROM c WHERE c.n = 1", r#"["x","y"]"#),
        (
            "SELECT VALUE udf.same({a: null, b: [1.5, 'é', true]}) FROM c WHERE c.n = 1",
            r#"{"a":null,"b":[1.5,"é",true]}"#,
        ),
        ("SELECT VALUE udf.same(c.missing) FROM c", ""),
        ("SELECT VALUE udf.twice('x') FROM c", ""),
        ("SELECT VALUE SUM(udf.twice(c.n)) FROM c", "12"),
        ("SELECT VALUE udf.twice(COUNT(1)) FROM c", "6"),
        ("SELECT VALUE udf.twice(c.n) FROM c GROUP BY c.n", "2 4 6"),
        ("SELECT VALUE udf.same(t) FROM c JOIN t IN c.tags WHERE c.n = 1", r#""x" "y""#),
        ("SELECT VALUE udf.twice(21)", "42"),
        (
            "SELECT VALUE c.id FROM c WHERE c.n = 3 AND \
             EXISTS(SELECT VALUE t FROM t IN c.tags WHERE udf.same(t) = 'y')",
            r#""3""#,
        ),
        ("SELECT DISTINCT VALUE udf.twice(1) FROM c", "2"),
    ] {
        match account.rows(query).await {
            Ok(found) => assert_eq!(found, rows, "{query}"),
            Err(error) => panic!("{query}: {error}"),
        }
    }
}

#[tokio::test]
async fn a_throw_is_the_error_of_the_query() {
    let account = account().await;
    let error = account.rows("SELECT VALUE udf.fails(c.n) FROM c").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadQuery);
    assert!(error.message().contains("bad 1") && error.message().contains("fails.js:2"), "{error}");
    let unknown = account.rows("SELECT VALUE udf.Twice(c.n) FROM c").await.unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::BadQuery);
    account.function("broken", "function (").await;
    let broken = account.rows("SELECT VALUE udf.broken(c.n) FROM c").await.unwrap_err();
    assert_eq!(broken.kind(), ErrorKind::ScriptFailed { number: None });
}

#[tokio::test]
async fn a_function_sees_no_container_and_keeps_nothing_between_requests() {
    let account = account().await;
    account
        .function("sees", "function () { return typeof getContext + typeof __ + typeof console; }")
        .await;
    let rows = account.rows("SELECT VALUE udf.sees() FROM c WHERE c.n = 1").await.unwrap();
    assert_eq!(rows, r#""undefinedundefinedundefined""#);
    account
        .function("count", "function () { globalThis.n = (globalThis.n ?? 0) + 1; return n; }")
        .await;
    for _ in 0..2 {
        let rows = account.rows("SELECT VALUE udf.count() FROM c WHERE c.n = 1").await.unwrap();
        assert_eq!(rows, "1");
    }
}

#[tokio::test]
async fn a_function_that_never_returns_is_ended() {
    let scripts = ScriptSettings { time_max_ms: 100, ..ScriptSettings::default() };
    let account = Account::with(scripts, |_| {}).await;
    account.create(r#"{"id":"1","pk":"a"}"#).await;
    account.function("loop", "function () { while (true) {} }").await;
    let error = account.rows("SELECT VALUE udf.loop() FROM c").await.unwrap_err();
    assert!(error.message().contains("exceeded its time"), "{error}");
    assert_eq!(account.rows("SELECT VALUE c.id FROM c").await.unwrap(), r#""1""#);
}

#[tokio::test]
async fn calls_are_charged() {
    let account = account().await;
    let charge = |text: &'static str| {
        let operation = engine::query::QueryItems::new(account.link.clone(), text);
        async { account.engine.query_items(operation).await.unwrap().charge }
    };
    let plain = charge("SELECT VALUE c.n FROM c").await;
    let called = charge("SELECT VALUE udf.twice(c.n) FROM c").await;
    let number = |charge: model::RequestCharge| charge.to_string().parse::<f64>().unwrap();
    assert!(number(called) >= number(plain) + 0.149, "{plain} {called}");
}
