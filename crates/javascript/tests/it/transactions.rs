//! A script is one transaction: all or nothing, one lsn, serialised with other writers.

use engine::{ErrorKind, ScriptSettings};
use model::{PropertyPath, UniqueKey};

use crate::account::Account;

#[tokio::test]
async fn a_throw_rolls_everything_back() {
    let account = Account::new().await;
    account.create(r#"{"id":"0","pk":"a"}"#).await;
    let body = r#"function () {
        __.createDocument(__.getSelfLink(), { id: "1", pk: "a" }, () => {
            __.deleteDocument(__.getAltLink() + "/docs/0", () => { throw new Error("no"); });
        });
    }"#;
    let error = account.run(body, "[]").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ScriptFailed { number: None });
    assert_eq!(account.ids().await, r#""0""#);
}

#[tokio::test]
async fn an_operation_that_fails_without_a_callback_rolls_everything_back() {
    let account = Account::new().await;
    let body = r#"function () {
        __.createDocument(__.getSelfLink(), { id: "1", pk: "a" });
        __.createDocument(__.getSelfLink(), { id: "1", pk: "a" });
    }"#;
    let error = account.run(body, "[]").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ScriptFailed { number: Some(409) });
    assert_eq!(account.ids().await, "");
}

#[tokio::test]
async fn everything_a_script_writes_has_one_lsn() {
    let account = Account::new().await;
    let body = r#"function () {
        for (let n = 0; n < 40; n++) __.createDocument(__.getSelfLink(), { id: "" + n, pk: "a" });
    }"#;
    account.check(body, "[]", "none").await;
    account.verify().await;
    let lsns = account.change_lsns().await;
    assert_eq!(lsns.len(), 40);
    assert!(lsns.iter().all(|lsn| Some(lsn) == lsns.first()), "{lsns:?}");
}

/// An account whose scripts have time on a busy machine too: near the end of their time, operations are not accepted.
async fn patient_account() -> Account {
    let scripts = ScriptSettings { time_max_ms: 120_000, ..ScriptSettings::default() };
    Account::with(scripts, |_| {}).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_scripts_and_writes_lose_nothing() {
    const SCRIPTS: usize = 24;
    let account = std::sync::Arc::new(patient_account().await);
    account.create(r#"{"id":"counter","pk":"a","n":0}"#).await;
    // Reads by a query, so that the whole logical partition must be unchanged.
    let body = r#"function () {
        __.queryDocuments(__.getSelfLink(), "SELECT * FROM c WHERE c.id = 'counter'", (e, [counter]) => {
            counter.n++;
            __.replaceDocument(counter._self, counter);
        });
    }"#;
    account.procedure("count", body).await;
    let mut tasks = Vec::new();
    for number in 0..SCRIPTS {
        let account = std::sync::Arc::clone(&account);
        tasks.push(tokio::spawn(async move {
            account.execute("count", "[]").await.unwrap();
            account.create(&format!(r#"{{"id":"{number}","pk":"a","n":0}}"#)).await;
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let counted = account.rows("SELECT VALUE c.n FROM c WHERE c.id = 'counter'").await.unwrap();
    assert_eq!(counted, SCRIPTS.to_string());
    account.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_point_updates_lose_nothing() {
    const SCRIPTS: usize = 24;
    let account = std::sync::Arc::new(patient_account().await);
    account.create(r#"{"id":"counter","pk":"a","n":0}"#).await;
    let body = r#"function () {
        __.readDocument(__.getAltLink() + "/docs/counter", (e, counter) => {
            counter.n++;
            __.replaceDocument(counter._self, counter);
        });
    }"#;
    account.procedure("count", body).await;
    let mut tasks = Vec::new();
    for _ in 0..SCRIPTS {
        let account = std::sync::Arc::clone(&account);
        tasks.push(tokio::spawn(async move { account.execute("count", "[]").await.map(drop) }));
    }
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    let counted = account.rows("SELECT VALUE c.n FROM c").await.unwrap();
    assert_eq!(counted, SCRIPTS.to_string());
}

#[tokio::test]
async fn unique_keys_hold_inside_a_script() {
    let account = Account::with(ScriptSettings::default(), |properties| {
        let path = PropertyPath::parse("/mail").unwrap();
        properties.unique_keys = vec![UniqueKey::new(vec![path]).unwrap()];
    })
    .await;
    account.create(r#"{"id":"1","pk":"a","mail":"x"}"#).await;
    let body = r#"function () {
        const seen = [], note = (e) => seen.push(e ? e.number : 0);
        const add = (id, mail) => __.createDocument(__.getSelfLink(), { id, pk: "a", mail }, note);
        add("2", "x"); add("3", "y"); add("4", "y");
        __.deleteDocument(__.getAltLink() + "/docs/1");
        add("5", "x");
        __.readDocuments(__.getSelfLink(), () => __.response.setBody(seen));
    }"#;
    account.check(body, "[]", "[409,0,409,0]").await;
    assert_eq!(account.ids().await, r#""3" "5""#);
    account.verify().await;
}

#[tokio::test]
async fn large_items_are_written_by_scripts() {
    let account = Account::new().await;
    let body = r#"function () {
        const text = "x".repeat(200000);
        __.createDocument(__.getSelfLink(), { id: "1", pk: "a", text }, (e, d) => {
            d.more = 1;
            __.replaceDocument(d._self, d, (e, d) => __.response.setBody([d._rid, d._etag]));
        });
    }"#;
    let shown = account.run(body, "[]").await.unwrap();
    let stored = account.rows("SELECT VALUE [c._rid, c._etag] FROM c").await.unwrap();
    assert_eq!(shown, stored);
    account.verify().await;
}

#[tokio::test]
async fn the_charge_is_the_sum_of_the_operations_and_a_base() {
    let account = Account::new().await;
    account.procedure("nothing", "function () {}").await;
    let nothing = account.execute("nothing", "[]").await.unwrap().charge;
    assert!(nothing.to_string().parse::<f64>().unwrap() >= 1.0, "{nothing}");
    let body = r#"function () {
        for (let n = 0; n < 10; n++) __.createDocument(__.getSelfLink(), { id: "" + n, pk: "a" });
    }"#;
    account.procedure("ten", body).await;
    let ten = account.execute("ten", "[]").await.unwrap().charge;
    let (nothing, ten): (f64, f64) =
        (nothing.to_string().parse().unwrap(), ten.to_string().parse().unwrap());
    assert!(ten >= nothing + 10.0 * 5.0, "{nothing} {ten}");
}
