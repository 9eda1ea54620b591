//! Queries run on constructed data: the engine counts what the formula was fitted with.

use engine::ContainerLink;
use model::charge::{ChargeProfile, QueryCounters};

use super::query_figures::{found, price, scanned};
use super::shop::{account, padded, policy};
use crate::account::Account;

/// Fills one logical partition with items of a size: two kinds, and unique names.
async fn filled(items: usize, bytes: usize) -> (Account, ContainerLink) {
    let account = account(ChargeProfile::Azure).await;
    let included = ["/kind/?", "/pk/?", "/name/?", "/tags/*"];
    let link = account.container(policy(&included, "")).await;
    for number in 0..items {
        let item = format!(
            r#"{{"id":"i{number:04}","pk":"p","kind":{},"name":"n{number:04}","tags":[1,2,3]}}"#,
            number % 2
        );
        account.pay_create(&link, &padded(&item, bytes)).await;
    }
    (account, link)
}

async fn check(
    (account, link): &(Account, ContainerLink),
    text: &str,
    partition_key: Option<&str>,
    counters: QueryCounters,
) {
    let paid = account.pay_query(link, text, partition_key, 1000).await;
    let explanation = paid.explanation.unwrap().to_json();
    assert_eq!(paid.charge, price(counters), "{text}: {explanation}");
}

#[tokio::test]
async fn seeks_are_paid_by_the_values_that_a_filter_names() {
    let shop = filled(6, 512).await;
    let by_id = "SELECT * FROM c WHERE c.id = 'i0001'";
    check(&shop, by_id, Some("p"), found(1, 1, 512)).await;
    let by_key = "SELECT * FROM c WHERE c.pk = 'p'";
    check(&shop, by_key, None, found(1, 6, 512)).await;
    let both = "SELECT * FROM c WHERE c.kind = 1 AND c.id = 'i0001'";
    check(&shop, both, Some("p"), found(2, 1, 512)).await;
    check(&shop, both, None, found(2, 1, 512)).await;
    let three = "SELECT * FROM c WHERE c.kind = 0 AND c.id IN ('i0000', 'i0002', 'i0004')";
    check(&shop, three, Some("p"), found(4, 3, 512)).await;
    let keyed = "SELECT * FROM c WHERE c.pk = 'p' AND c.id = 'i0001'";
    check(&shop, keyed, None, found(2, 1, 512)).await;
    let range = "SELECT * FROM c WHERE c.name >= 'n0002'";
    check(&shop, range, Some("p"), found(1, 4, 512)).await;
    let none = "SELECT * FROM c WHERE c.kind = 7";
    check(&shop, none, Some("p"), found(1, 0, 0)).await;
}

#[tokio::test]
async fn a_page_without_a_filter_pays_no_index() {
    let shop = filled(200, 300).await;
    let counters = QueryCounters { uses_index: false, ..found(0, 200, 300) };
    check(&shop, "SELECT * FROM c", Some("p"), counters).await;
    // A projection is free.
    check(&shop, "SELECT c.padding FROM c", Some("p"), counters).await;
}

#[tokio::test]
async fn a_scan_costs_what_it_reads() {
    let shop = filled(100, 297).await;
    let text = "SELECT * FROM c WHERE UPPER(c.name) = 'N0005'";
    let kept = QueryCounters { loaded_items: 1, loaded_bytes: 297, ..scanned(99, 99 * 297) };
    check(&shop, text, Some("p"), kept).await;
    let unindexed = "SELECT * FROM c WHERE c.padding = 'y'";
    check(&shop, unindexed, Some("p"), scanned(100, 100 * 297)).await;
    // What a lookup leaves to be asked of items is a scan of those.
    let half = "SELECT * FROM c WHERE c.kind = 0 AND UPPER(c.name) = 'no'";
    let counters = QueryCounters { uses_index: true, lookups: 1, ..scanned(50, 50 * 297) };
    check(&shop, half, Some("p"), counters).await;
}

#[tokio::test]
async fn texts_are_walked_in_the_index_value_by_value() {
    let shop = filled(100, 300).await;
    let text = "SELECT * FROM c WHERE CONTAINS(c.name, '9')";
    let counters = QueryCounters { index_entries: 100, ..found(1, 19, 300) };
    check(&shop, text, Some("p"), counters).await;
}

#[tokio::test]
async fn aggregates_over_the_index_load_nothing() {
    let shop = filled(40, 300).await;
    let count = "SELECT VALUE COUNT(1) FROM c WHERE c.kind = 1 AND c.pk = 'p'";
    check(&shop, count, None, QueryCounters { tuples: 20, ..found(2, 0, 0) }).await;
    let greatest = "SELECT VALUE MAX(c.name) FROM c";
    check(&shop, greatest, Some("p"), QueryCounters { tuples: 1, ..found(1, 0, 0) }).await;
    let groups = "SELECT c.kind, COUNT(1) AS n FROM c GROUP BY c.kind";
    check(&shop, groups, Some("p"), QueryCounters { tuples: 40, ..found(1, 0, 0) }).await;
    let scan = "SELECT VALUE COUNT(c.padding) FROM c";
    let counters = QueryCounters { tuples: 40, ..scanned(40, 40 * 300) };
    check(&shop, scan, Some("p"), counters).await;
}

#[tokio::test]
async fn joined_tuples_are_paid() {
    let shop = filled(10, 300).await;
    let text = "SELECT VALUE t FROM c JOIN t IN c.tags";
    let counters = QueryCounters { uses_index: false, tuples: 30, ..found(0, 10, 300) };
    check(&shop, text, Some("p"), counters).await;
    let twice = "SELECT VALUE 1 FROM c JOIN t IN c.tags JOIN u IN c.tags";
    let counters = QueryCounters { tuples: 30 + 90, ..counters };
    check(&shop, twice, Some("p"), counters).await;
}

#[tokio::test]
async fn an_order_without_a_filter_pays_its_index_once() {
    let shop = filled(40, 300).await;
    let ordered = "SELECT * FROM c ORDER BY c.name";
    check(&shop, ordered, Some("p"), found(1, 40, 300)).await;
    let same = "SELECT * FROM c WHERE c.name > 'n0029' ORDER BY c.name DESC";
    check(&shop, same, Some("p"), found(1, 10, 300)).await;
}

#[tokio::test]
async fn every_partition_asked_pays_its_opening_and_pages_add_up() {
    let (account, link) = filled(60, 300).await;
    let text = "SELECT * FROM c WHERE c.kind = 1";
    let whole = account.pay_query(&link, text, None, 1000).await.charge;
    assert_eq!(whole, price(found(1, 30, 300)));
    let partition = account.engine.list_partitions(&link).await.unwrap().value.partitions[0].number;
    account.split(&link, partition).await.unwrap();
    // A page reads one physical partition, so that each page pays one opening.
    let first = account.pay_query(&link, text, None, 1000).await;
    assert_eq!(first.charge, whole);
    assert!(first.value.continuation.is_some());
    let one = account.pay_query(&link, text, Some("p"), 1000).await.charge;
    assert_eq!(one, whole);
    let page = account.pay_query(&link, text, Some("p"), 10).await;
    assert_eq!(page.charge, price(found(1, 10, 300)));
    assert!(page.value.continuation.is_some());
}

#[tokio::test]
async fn rows_made_of_index_terms_cost_the_items_they_stand_for() {
    let shop = filled(20, 300).await;
    let text = "SELECT VALUE c.name FROM c WHERE c.name >= 'n0010'";
    check(&shop, text, Some("p"), found(1, 10, 300)).await;
}
