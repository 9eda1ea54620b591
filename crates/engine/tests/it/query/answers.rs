//! Results of queries, whichever access path serves them.

use engine::query::QueryItems;
use engine::{ContainerLink, ErrorKind};
use model::{ComputedProperty, IndexingPolicy};

use super::ask::{fill, rows, rows_in_pages};
use crate::account::{Account, json, plain};

async fn people() -> (Account, ContainerLink) {
    let account = Account::new().await;
    let link = account.container(plain("people")).await;
    let items = [
        r#"{"id":"1","pk":"a","name":"Ada","age":36,"tags":["x","y"]}"#,
        r#"{"id":"2","pk":"a","name":"Bob","age":20,"tags":["y"]}"#,
        r#"{"id":"3","pk":"b","name":"Cy","tags":[]}"#,
        r#"{"id":"4","pk":"b","name":"Di","age":36}"#,
    ];
    fill(&account.engine, &link, &items).await;
    (account, link)
}

async fn check(text: &str, expected: &[&str]) {
    let (account, link) = people().await;
    for items_max in [1, 2, 1000] {
        let query = QueryItems::new(link.clone(), text);
        let (rows, _) = rows_in_pages(&account.engine, &query, items_max).await;
        assert_eq!(rows, expected, "{text} in pages of {items_max}");
    }
}

#[tokio::test]
async fn a_query_gives_the_rows_of_all_partitions_in_pages_of_any_size() {
    check("SELECT VALUE c.name FROM c WHERE c.age = 36 ORDER BY c.name", &["\"Ada\"", "\"Di\""])
        .await;
    check("SELECT VALUE COUNT(1) FROM c", &["4"]).await;
    check(
        "SELECT VALUE c.name FROM c ORDER BY c.name DESC OFFSET 1 LIMIT 2",
        &["\"Cy\"", "\"Bob\""],
    )
    .await;
    check("SELECT 1 AS one", &[r#"{"one":1}"#]).await;
    check("SELECT VALUE c.name FROM c WHERE false", &[]).await;
    check("SELECT VALUE SUM(c.age) FROM c WHERE c.pk = 'a'", &["56"]).await;
}

#[tokio::test]
async fn the_rows_of_an_item_with_several_are_continued_in_its_middle() {
    check(
        "SELECT VALUE t FROM c JOIN t IN c.tags WHERE c.pk = 'a' ORDER BY c.name",
        &["\"x\"", "\"y\"", "\"y\""],
    )
    .await;
}

#[tokio::test]
async fn select_star_gives_the_stored_text() {
    let (account, link) = people().await;
    let rows = rows(&account.engine, &link, "SELECT * FROM c WHERE c.id = '3'").await;
    assert!(rows[0].starts_with(r#"{"id":"3","pk":"b","name":"Cy","tags":[],"_rid":"#), "{rows:?}");
}

#[tokio::test]
async fn a_wrong_query_is_refused_with_every_reason() {
    let (account, link) = people().await;
    let query = QueryItems::new(link.clone(), "SELECT x.a, NOPE(1) FROM c");
    let error = account.engine.query_items(query).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadQuery);
    let codes: Vec<String> =
        error.query_errors().iter().map(|error| error.code.to_string()).collect();
    assert_eq!(codes, ["SC2001", "SC2005"]);
    let query = QueryItems::new(link, "SELECT VALUE 1/0");
    let error = account.engine.query_items(query).await.unwrap_err();
    assert_eq!(error.query_errors()[0].code.to_string(), "4001");
}

#[tokio::test]
async fn a_text_means_what_each_container_says_at_the_time() {
    let (account, first) = people().await;
    let second = account.container(plain("others")).await;
    fill(&account.engine, &second, &[r#"{"id":"1","pk":"a","name":"Eve"}"#]).await;
    let text = "SELECT VALUE c.called FROM c WHERE c.pk = 'a'";
    let define = |link: ContainerLink, query: &'static str| {
        let account = &account;
        async move {
            let computed = vec![ComputedProperty::new("called", query).unwrap()];
            account.alter(&link, |properties| properties.computed_properties = computed).await
        }
    };
    assert_eq!(rows(&account.engine, &first, text).await, Vec::<String>::new());
    define(first.clone(), "SELECT VALUE LOWER(c.name) FROM c").await.unwrap();
    define(second.clone(), "SELECT VALUE c.id FROM c").await.unwrap();
    for _ in 0..2 {
        assert_eq!(rows(&account.engine, &first, text).await, ["\"ada\"", "\"bob\""]);
        assert_eq!(rows(&account.engine, &second, text).await, ["\"1\""]);
    }
    define(first.clone(), "SELECT VALUE UPPER(c.name) FROM c").await.unwrap();
    assert_eq!(rows(&account.engine, &first, text).await, ["\"ADA\"", "\"BOB\""]);
}

#[tokio::test]
async fn an_order_follows_the_indexing_policy_of_the_moment() {
    let (account, link) = people().await;
    let text = "SELECT VALUE c.name FROM c ORDER BY c.name DESC";
    let expected = ["\"Di\"", "\"Cy\"", "\"Bob\"", "\"Ada\""];
    let policy = |text: &str| IndexingPolicy::from_json(&json(text)).unwrap();
    let everything = policy(r#"{"includedPaths":[{"path":"/*"}]}"#);
    let nothing = policy(r#"{"includedPaths":[],"excludedPaths":[{"path":"/*"}]}"#);
    assert_eq!(rows(&account.engine, &link, text).await, expected);
    account.alter(&link, |properties| properties.indexing_policy = nothing).await.unwrap();
    let query = QueryItems::new(link.clone(), text);
    let refused = account.engine.query_items(query).await.map(|_| ()).map_err(|error| error.kind());
    assert_eq!(refused, Err(ErrorKind::BadQuery));
    account.alter(&link, |properties| properties.indexing_policy = everything).await.unwrap();
    account.engine.maintain_fully().await.unwrap();
    assert_eq!(rows(&account.engine, &link, text).await, expected);
}
