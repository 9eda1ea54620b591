//! What queries touch: as much as the page needs, however large the container is.

use engine::operation::DeleteItem;
use engine::query::{QueryItems, QueryMetrics};
use engine::{ContainerLink, Engine};
use model::{FeedRange, ItemId, PartitionKey, PartitionKeyValue};

use super::ask::{create, page};
use crate::account::{Account, container, json};

const POLICY: &str = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2},
    "indexingPolicy":{"indexingMode":"consistent","automatic":true,
        "includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/hidden/?"}],
        "compositeIndexes":[[{"path":"/kind","order":"ascending"},{"path":"/price","order":"ascending"}]]}}"#;

/// Items of one logical partition: unique prices, ten kinds, seven rare ones, texts of four values.
async fn filled(items: usize) -> (Account, ContainerLink) {
    let account = Account::new().await;
    let link = account.container(container(POLICY)).await;
    for number in 0..items {
        let rare = if number % (items / 7) == 3 { r#","rare":true"# } else { "" };
        let text = format!(
            r#"{{"id":"i{number}","pk":"p","price":{number},"kind":{},"text":"word{}","hidden":1{rare}}}"#,
            number % 10,
            number % 4
        );
        create(&account.engine, &link, json(&text)).await;
    }
    (account, link)
}

async fn touched(engine: &Engine, link: &ContainerLink, text: &str, rows: usize) -> QueryMetrics {
    let query = QueryItems::new(link.clone(), text);
    let page = page(engine, &query, 20, None).await.unwrap();
    assert_eq!(page.rows.len(), rows, "{text}");
    page.metrics
}

/// The most terms and items a query may touch for a page of 20, whatever the size of the container.
async fn check(text: &str, rows: usize, terms_max: u64, loaded_max: u64) {
    for items in [140, 700] {
        let (account, link) = filled(items).await;
        let metrics = touched(&account.engine, &link, text, rows).await;
        assert!(metrics.index_entries <= terms_max, "{text} of {items}: {metrics:?}");
        assert!(metrics.items_loaded <= loaded_max, "{text} of {items}: {metrics:?}");
        assert!(!metrics.full_scan && metrics.items_scanned == 0, "{text}: {metrics:?}");
    }
}

#[tokio::test]
async fn an_ordered_page_touches_its_rows_and_little_more() {
    check("SELECT * FROM c WHERE c.pk = 'p' ORDER BY c.price", 20, 40, 20).await;
    check("SELECT * FROM c WHERE c.pk = 'p' ORDER BY c.price DESC", 20, 40, 20).await;
    check("SELECT * FROM c ORDER BY c.price DESC", 20, 40, 20).await;
    let text = "SELECT * FROM c WHERE c.pk = 'p' AND c.kind = 3 ORDER BY c.kind DESC, c.price DESC";
    for items in [200, 700] {
        let (account, link) = filled(items).await;
        let metrics = touched(&account.engine, &link, text, 20).await;
        assert!(metrics.index_entries <= 40 && metrics.items_loaded <= 20, "{metrics:?}");
    }
}

/// Terms and items that a page of 20 touches once the shapes of the partition are known.
async fn touched_again(engine: &Engine, link: &ContainerLink, text: &str) -> (u64, u64) {
    touched(engine, link, text, 20).await;
    let metrics = touched(engine, link, text, 20).await;
    (metrics.index_entries, metrics.items_loaded)
}

#[tokio::test]
async fn a_full_page_in_order_reads_one_term_for_each_of_its_rows() {
    let (account, link) = filled(200).await;
    for text in [
        "SELECT * FROM c WHERE c.pk = 'p' ORDER BY c.price",
        "SELECT * FROM c WHERE c.pk = 'p' ORDER BY c.price DESC",
        "SELECT * FROM c ORDER BY c.price DESC",
        "SELECT * FROM c WHERE c.pk = 'p' AND c.price < 77 ORDER BY c.price DESC",
        "SELECT * FROM c WHERE c.pk = 'p' AND c.kind = 3 ORDER BY c.kind, c.price",
        "SELECT * FROM c WHERE c.pk = 'p' AND c.kind = 3 ORDER BY c.kind DESC, c.price DESC",
    ] {
        assert_eq!(touched_again(&account.engine, &link, text).await, (20, 20), "{text}");
    }
}

#[tokio::test]
async fn a_value_of_many_items_is_read_backwards_without_reading_a_term_twice() {
    let (account, link) = filled(200).await;
    let text = "SELECT VALUE c.id FROM c WHERE c.pk = 'p' ORDER BY c.kind DESC";
    let query = QueryItems::new(link.clone(), text);
    let mut expected: Vec<usize> = (0..200).collect();
    expected.sort_by_key(|number| (9 - number % 10, 200 - *number));
    let (mut ids, mut terms, mut continuation) = (Vec::new(), 0, None);
    loop {
        let page = page(&account.engine, &query, 7, continuation).await.unwrap();
        ids.extend(page.rows.iter().map(|row| String::from_utf8_lossy(row).into_owned()));
        terms += page.metrics.index_entries;
        continuation = page.continuation;
        if continuation.is_none() {
            break;
        }
    }
    let expected: Vec<String> = expected.iter().map(|number| format!("\"i{number}\"")).collect();
    assert_eq!(ids, expected);
    // The two others name the shapes of the partition, for items without the property.
    assert_eq!(terms, 202);
}

#[tokio::test]
async fn shapes_are_known_again_after_every_write() {
    let (account, link) = filled(70).await;
    let text = "SELECT VALUE c.id FROM c WHERE c.pk = 'p' ORDER BY c.price";
    let first = async || {
        let query = QueryItems::new(link.clone(), text);
        let page = page(&account.engine, &query, 1, None).await.unwrap();
        String::from_utf8_lossy(&page.rows[0]).into_owned()
    };
    assert_eq!(first().await, "\"i0\"");
    create(&account.engine, &link, json(r#"{"id":"bare","pk":"p"}"#)).await;
    assert_eq!(first().await, "\"bare\"", "an item without the property comes first");
    create(&account.engine, &link, json(r#"{"id":"barer","pk":"p","other":1}"#)).await;
    assert_eq!(first().await, "\"bare\"");
    let delete = DeleteItem {
        container: link.clone(),
        partition_key: PartitionKey::from("p"),
        id: ItemId::new("bare").unwrap(),
        options: Default::default(),
    };
    account.engine.delete_item(delete).await.unwrap();
    assert_eq!(first().await, "\"barer\"");
}

#[tokio::test]
async fn a_part_whose_key_the_filter_does_not_ask_for_gives_nothing() {
    let account = Account::new().await;
    let keys = r#"{"id":"c","partitionKey":{"paths":["/k","/j"],"kind":"MultiHash","version":2}}"#;
    let link = account.container(container(keys)).await;
    create(&account.engine, &link, json(r#"{"id":"a","k":0,"j":1,"n":3}"#)).await;
    let key = PartitionKey::from_values([0.0, 1.0].map(PartitionKeyValue::Number));
    for (text, rows) in [
        ("SELECT * FROM c WHERE c.j = '' ORDER BY c.n DESC", 0),
        ("SELECT * FROM c WHERE c.j = 2 AND c.n = 3", 0),
        ("SELECT * FROM c WHERE c.j = 1 AND c.n = 3", 1),
        ("SELECT * FROM c WHERE c.j IN (1, 2) ORDER BY c.n", 1),
        ("SELECT * FROM c WHERE c.j IN (0, 2) ORDER BY c.n", 0),
    ] {
        let query = QueryItems {
            feed_range: FeedRange::PartitionKey(key.clone()),
            ..QueryItems::new(link.clone(), text)
        };
        let page = page(&account.engine, &query, 20, None).await.unwrap();
        assert_eq!(page.rows.len(), rows, "{text}");
    }
}

#[tokio::test]
async fn an_order_over_few_items_loads_those_and_no_others() {
    check("SELECT * FROM c WHERE c.rare = true ORDER BY c.price", 7, 20, 7).await;
    check("SELECT * FROM c WHERE c.rare = true ORDER BY c.price DESC", 7, 20, 7).await;
    check("SELECT * FROM c WHERE c.rare = true ORDER BY c.kind, c.price", 7, 20, 7).await;
}

#[tokio::test]
async fn an_equality_loads_what_it_finds() {
    check("SELECT * FROM c WHERE c.rare = true", 7, 10, 8).await;
    check("SELECT * FROM c WHERE c.kind = 4 AND c.price > 100 AND c.price < 120", 2, 30, 3).await;
    // Two values are merged in the order of creation: each is read a little beyond what is returned of it.
    check("SELECT * FROM c WHERE c.kind IN (1, 2)", 20, 22, 20).await;
    check("SELECT * FROM c WHERE c.price >= 50", 20, 20, 20).await;
    check("SELECT * FROM c WHERE STARTSWITH(c.text, 'word1')", 20, 20, 20).await;
}

#[tokio::test]
async fn lookups_are_intersected_before_items_are_loaded() {
    // Neither lookup is small, so one is walked and the other asked: kinds and texts meet in every twentieth item.
    let (account, link) = filled(2800).await;
    let metrics = touched(
        &account.engine,
        &link,
        "SELECT * FROM c WHERE c.kind = 4 AND c.text = 'word2'",
        20,
    )
    .await;
    assert_eq!(metrics.items_loaded, metrics.output_items, "{metrics:?}");
    // A rare lookup takes over from a common one.
    let metrics = touched(
        &account.engine,
        &link,
        "SELECT * FROM c WHERE c.text = 'word3' AND c.rare = true",
        7,
    )
    .await;
    assert!(metrics.items_loaded <= 7 && metrics.index_entries <= 600, "{metrics:?}");
}

#[tokio::test]
async fn a_walk_over_texts_reads_values_and_not_items() {
    let text = "SELECT * FROM c WHERE CONTAINS(c.text, 'nothing')";
    for items in [140, 700] {
        let (account, link) = filled(items).await;
        let metrics = touched(&account.engine, &link, text, 0).await;
        assert_eq!(metrics.items_loaded, 0, "{metrics:?}");
        assert!(metrics.index_entries <= 4 * 64, "{metrics:?}");
    }
}

#[tokio::test]
async fn aggregates_over_indexed_paths_load_nothing() {
    let (account, link) = filled(140).await;
    for (text, rows, terms_max) in [
        ("SELECT VALUE COUNT(1) FROM c", 1, 140),
        ("SELECT VALUE COUNT(1) FROM c WHERE c.pk = 'p'", 1, 140),
        ("SELECT VALUE COUNT(1) FROM c WHERE c.price >= 100", 1, 40),
        ("SELECT VALUE COUNT(c.rare) FROM c", 1, 7),
        ("SELECT VALUE MAX(c.price) FROM c", 1, 3),
        ("SELECT VALUE MIN(c.price) FROM c WHERE c.pk = 'p'", 1, 3),
        ("SELECT DISTINCT VALUE c.kind FROM c", 10, 140),
        ("SELECT c.kind, COUNT(1) AS n FROM c GROUP BY c.kind", 10, 145),
        (
            "SELECT VALUE [{\"item\": {\"sum\": SUM(c.price), \"count\": COUNT(c.price)}}] FROM c",
            1,
            145,
        ),
        ("SELECT VALUE SUM(c.price) FROM c WHERE c.kind = 2", 1, 14),
    ] {
        let metrics = touched(&account.engine, &link, text, rows).await;
        assert_eq!((metrics.items_loaded, metrics.items_scanned), (0, 0), "{text}: {metrics:?}");
        assert!(metrics.index_entries <= terms_max, "{text}: {metrics:?}");
    }
}

#[tokio::test]
async fn what_no_index_serves_is_scanned_and_says_so() {
    let (account, link) = filled(140).await;
    let metrics = touched(&account.engine, &link, "SELECT * FROM c WHERE c.hidden = 2", 0).await;
    assert!(metrics.full_scan, "{metrics:?}");
    assert_eq!((metrics.items_scanned, metrics.index_entries), (140, 0), "{metrics:?}");
}
