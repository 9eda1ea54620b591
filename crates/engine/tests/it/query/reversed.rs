//! An index that is read backwards: items with equal values come in the reverse order of their creation, whatever the
//! page size, the partitioning and the access path.

use engine::ContainerLink;
use engine::operation::{MergePartitions, SplitPartition};
use engine::query::QueryItems;

use super::ask::{create, page, rows, rows_in_pages};
use crate::account::{Account, container, json};

const POLICY: &str = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2},
    "indexingPolicy":{"indexingMode":"consistent","automatic":true,
        "includedPaths":[{"path":"/*"}],"excludedPaths":[],
        "compositeIndexes":[[{"path":"/v","order":"descending"},{"path":"/w","order":"ascending"}]]}}"#;

/// Sixty items with few values, some without one, some with strings that only their items tell apart.
async fn filled() -> (Account, ContainerLink) {
    let account = Account::new().await;
    let link = account.container(container(POLICY)).await;
    let long = "x".repeat(1500);
    let values = ["", r#","v":1"#, r#","v":"a""#, r#","v":[1]"#, r#","v":null"#];
    for number in 0..60_usize {
        let value = match number % 7 {
            kind @ 0..5 => values[kind].to_owned(),
            kind => format!(r#","v":"{long}{}""#, kind % 2),
        };
        let text = format!(
            r#"{{"id":"{number}","pk":"p{}","w":{},"rare":{}{value}}}"#,
            number % 9,
            number % 2,
            number % 3 == 0
        );
        create(&account.engine, &link, json(&text)).await;
    }
    (account, link)
}

/// Orders, each with the same order the other way round. The first is read forwards.
const ORDERS: [(&str, &str); 4] = [
    ("ORDER BY c.v", "ORDER BY c.v DESC"),
    (
        "WHERE c.v >= 1 OR NOT IS_DEFINED(c.v) ORDER BY c.v",
        "WHERE c.v >= 1 OR NOT IS_DEFINED(c.v) ORDER BY c.v DESC",
    ),
    ("WHERE c.rare ORDER BY c.v", "WHERE c.rare ORDER BY c.v DESC"),
    // The index is declared with a descending path, so that this is its forward order.
    ("ORDER BY c.v DESC, c.w", "ORDER BY c.v, c.w DESC"),
];

fn query(link: &ContainerLink, order: &str) -> QueryItems {
    QueryItems::new(link.clone(), format!("SELECT VALUE c.id FROM c {order}"))
}

async fn check_orders(account: &Account, link: &ContainerLink) {
    for (forward, backward) in ORDERS {
        let mut expected = rows(&account.engine, link, &query(link, forward).text).await;
        expected.reverse();
        assert!(expected.len() > 10, "{forward}");
        for size in [1, 2, 7, 1000] {
            let found = rows_in_pages(&account.engine, &query(link, backward), size).await.0;
            assert_eq!(found, expected, "{backward} in pages of {size}");
        }
        for (order, is_reversed) in [(forward, false), (backward, true)] {
            let first = page(&account.engine, &query(link, order), 5, None).await.unwrap();
            assert_eq!(first.is_reversed, is_reversed, "{order}");
        }
    }
}

#[tokio::test]
async fn a_reversed_order_is_the_exact_reverse() {
    let (account, link) = filled().await;
    check_orders(&account, &link).await;
    for partition in [0, 1] {
        let split = SplitPartition { container: link.clone(), partition, at: None };
        account.engine.split_partition(split).await.unwrap();
    }
    check_orders(&account, &link).await;
}

#[tokio::test]
async fn splits_and_merges_between_pages_keep_the_reversed_order() {
    for (forward, backward) in ORDERS {
        let (account, link) = filled().await;
        let mut expected = rows(&account.engine, &link, &query(&link, forward).text).await;
        expected.reverse();
        let (mut found, mut continuation, mut pages) = (Vec::new(), None, 0);
        loop {
            let next =
                page(&account.engine, &query(&link, backward), 4, continuation).await.unwrap();
            found.extend(next.rows.iter().map(|row| String::from_utf8(row.to_vec()).unwrap()));
            continuation = next.continuation;
            if continuation.is_none() {
                break;
            }
            pages += 1;
            if pages == 1 {
                let split = SplitPartition { container: link.clone(), partition: 0, at: None };
                account.engine.split_partition(split).await.unwrap();
            } else if pages == 3 {
                let merge = MergePartitions { container: link.clone(), partitions: (1, 2) };
                account.engine.merge_partitions(merge).await.unwrap();
            }
        }
        assert!(pages > 3, "{backward}");
        assert_eq!(found, expected, "{backward}");
    }
}

#[tokio::test]
async fn rows_that_are_sorted_after_they_are_computed_keep_the_order_of_creation() {
    let (account, link) = filled().await;
    let text = "SELECT VALUE c.id FROM c WHERE c.v = 1 ORDER BY c.tags[0] DESC";
    let first = page(&account.engine, &QueryItems::new(link, text), 3, None).await.unwrap();
    assert!(!first.is_reversed);
    assert_eq!(first.rows, [&b"\"1\""[..], b"\"8\"", b"\"15\""]);
}
