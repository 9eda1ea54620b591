//! Budgets around real operations.

use engine::operation::ReadOptions;
use model::charge::{Budgets, ChargeProfile};

use super::shop::{account, policy};
use crate::account::json;

const FILE: &[u8] = br#"{"profile":"native","operations":{
    "create order":{"max":6.1},"update order":{"max":6.72},"open orders":{"max":3}}}"#;

async fn run(included: &[&str]) -> Result<String, model::ValidationError> {
    let account = account(ChargeProfile::Native).await;
    let link = account.container(policy(included, "")).await;
    let mut run = Budgets::parse(FILE).unwrap().run();
    let order = json(r#"{"id":"1","pk":"p","status":"open","note":"x"}"#);
    let created = account.pay_create(&link, &order).await;
    run.record("create order", created.explanation.map(|one| *one)).unwrap();
    let read = account.pay_read(&link, "1", ReadOptions::default()).await.unwrap();
    let paid = json(r#"{"id":"1","pk":"p","status":"paid","note":"x"}"#);
    let replaced = account.pay_replace(&link, &paid).await;
    let both = [read.explanation, replaced.explanation];
    run.record("update order", both.into_iter().flatten().map(|one| *one)).unwrap();
    let query = "SELECT * FROM c WHERE c.status = 'open'";
    let found = account.pay_query(&link, query, Some("p"), 10).await;
    run.record("open orders", found.explanation.map(|one| *one)).unwrap();
    run.finish()
}

#[tokio::test]
async fn operations_within_their_budgets_pass() {
    let lines = run(&["/status/?", "/pk/?"]).await.unwrap();
    assert_eq!(
        lines,
        "create order: 6.1 of 6.1 RU\nopen orders: 2.79 of 3 RU\nupdate order: 6.71 of 6.72 RU\n"
    );
}

#[tokio::test]
async fn one_more_indexed_path_breaks_a_budget_and_the_terms_say_which() {
    let error = run(&["/status/?", "/pk/?", "/note/?"]).await.unwrap_err();
    let words = error.message();
    assert!(words.contains("create order: 6.48 RU, over its budget of 6.1"), "{words}");
    assert!(words.contains("0.3810 RU  index /note/?: 1 leaf"), "{words}");
    assert!(!words.contains("update order: 6"), "{words}");
}
