//! The choice between the conditions of a filter: by how many items each of them finds, whatever the text says first.
//!
//! Judged by counts of what was read, never by time; and by the rows of a container without an index.

use engine::ContainerLink;
use engine::query::QueryItems;

use super::ask::{create, page, rows, rows_in_pages};
use crate::account::{Account, container, json};
use crate::random::SeededRandom;

const INDEXED: &str = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2},
    "indexingPolicy":{"indexingMode":"consistent","automatic":true,
        "includedPaths":[{"path":"/*"}],"excludedPaths":[],
        "compositeIndexes":[[{"path":"/kind","order":"ascending"},{"path":"/price","order":"ascending"}]]}}"#;
const UNINDEXED: &str = r#"{"id":"u","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2},
    "indexingPolicy":{"indexingMode":"consistent","automatic":true,
        "includedPaths":[],"excludedPaths":[{"path":"/*"}]}}"#;

/// Prices are unique, a tenth of all items has each kind, a quarter each text, and seven items are rare.
fn item(number: usize, items: usize) -> String {
    let rare = if number % (items / 7) == 3 { r#","rare":true"# } else { "" };
    format!(
        r#"{{"id":"i{number}","pk":"p{}","price":{number},"kind":{},"text":"word{}","tags":["all","t{number}"]{rare}}}"#,
        number % 3,
        number % 10,
        number % 4,
    )
}

async fn filled(policy: &str, items: usize) -> (Account, ContainerLink) {
    let account = Account::new().await;
    let link = account.container(container(policy)).await;
    for number in 0..items {
        create(&account.engine, &link, json(&item(number, items))).await;
    }
    (account, link)
}

#[tokio::test]
async fn the_condition_with_the_fewest_matches_decides_what_is_read() {
    // Text, rows, and the most items that are loaded; none of them depends on the size.
    let asked = [
        // Two ranges: the first one has every item.
        ("STARTSWITH(c.text, 'word') AND c.price BETWEEN 100 AND 104", 5, 5),
        ("c.price BETWEEN 100 AND 104 AND STARTSWITH(c.text, 'word')", 5, 5),
        ("c.price >= 0 AND c.text > 'word2' AND c.price < 20", 5, 20),
        // IN: several values, of which the other condition leaves few.
        ("c.kind IN (1, 2, 3) AND c.price BETWEEN 100 AND 104", 3, 3),
        ("c.text IN ('word0', 'word1') AND c.rare = true AND c.kind IN (3, 4, 5)", 0, 7),
        // OR: a union of few items beside an equality of many, and the other way round.
        ("c.kind = 4 AND (c.price = 104 OR c.price = 114 OR c.rare = true)", 2, 9),
        ("(c.kind = 4 OR c.text = 'word0') AND c.price BETWEEN 104 AND 108", 2, 2),
        // Elements of arrays.
        ("ARRAY_CONTAINS(c.tags, 'all') AND ARRAY_CONTAINS(c.tags, 't104')", 1, 1),
        ("ARRAY_CONTAINS(c.tags, 'all') AND c.price BETWEEN 100 AND 104", 5, 5),
        // A composite index that finds many items beside a condition that finds few.
        ("c.kind = 4 AND c.price >= 0 AND ARRAY_CONTAINS(c.tags, 't104')", 1, 1),
    ];
    for items in [700, 2100] {
        let (account, link) = filled(INDEXED, items).await;
        for (filter, expected, loaded_max) in asked {
            let text = format!("SELECT VALUE c.price FROM c WHERE {filter}");
            let query = QueryItems::new(link.clone(), text);
            let page = page(&account.engine, &query, 20, None).await.unwrap();
            let metrics = &page.metrics;
            // Rare items differ from size to size.
            let is_expected = filter.contains("rare") || page.rows.len() == expected;
            assert!(is_expected, "{filter} of {items}: {:?}", page.rows);
            let loaded = metrics.items_loaded + metrics.items_scanned;
            assert!(loaded <= loaded_max, "{filter} of {items}: {metrics:?}");
            // Each condition is read a few terms further than the smallest one, twice where it is in two branches.
            assert!(metrics.index_entries <= 600, "{filter} of {items}: {metrics:?}");
        }
    }
}

#[tokio::test]
async fn an_order_is_read_from_the_filter_if_one_of_its_conditions_finds_few_items() {
    for items in [1400, 2800] {
        let (account, link) = filled(INDEXED, items).await;
        for (filter, expected) in [
            ("c.text = 'word0' AND c.price BETWEEN 100 AND 140", 11),
            ("STARTSWITH(c.text, 'word') AND c.price BETWEEN 100 AND 110", 11),
            ("c.text IN ('word0', 'word1') AND ARRAY_CONTAINS(c.tags, 't101')", 1),
        ] {
            let text = format!("SELECT VALUE c.id FROM c WHERE {filter} ORDER BY c.id DESC");
            let query = QueryItems::new(link.clone(), text);
            let page = page(&account.engine, &query, 20, None).await.unwrap();
            assert_eq!(page.rows.len(), expected, "{filter} of {items}");
            let mut sorted = page.rows.clone();
            sorted.sort_by(|left, right| right.cmp(left));
            assert_eq!(page.rows, sorted, "{filter} of {items}");
            assert!(page.metrics.items_loaded <= 41, "{filter} of {items}: {:?}", page.metrics);
        }
    }
}

/// A condition over the properties of the items.
fn condition(random: &mut SeededRandom, items: usize) -> String {
    let price = |random: &mut SeededRandom| random.below(items as u64);
    match random.below(9) {
        0 => format!("c.kind = {}", random.below(11)),
        1 => format!("c.text = 'word{}'", random.below(5)),
        2 => format!("c.price > {}", price(random)),
        3 => {
            let low = price(random);
            format!("c.price BETWEEN {low} AND {}", low + random.below(40))
        }
        4 => format!("c.kind IN ({}, {}, {})", random.below(11), random.below(11), 12),
        5 => "c.rare = true".to_owned(),
        6 => format!("ARRAY_CONTAINS(c.tags, 't{}')", price(random)),
        7 => "ARRAY_CONTAINS(c.tags, 'all')".to_owned(),
        _ => format!("STARTSWITH(c.text, 'word{}')", if random.below(2) == 0 { "" } else { "1" }),
    }
}

fn filter(random: &mut SeededRandom, items: usize) -> String {
    let mut parts = Vec::new();
    for _ in 0..=random.below(3) {
        let one = condition(random, items);
        parts.push(match random.below(3) {
            0 => format!("({one} OR {})", condition(random, items)),
            _ => one,
        });
    }
    parts.join(" AND ")
}

#[tokio::test]
async fn every_plan_returns_the_rows_of_a_full_scan() {
    const ITEMS: usize = 420;
    let (account, link) = filled(INDEXED, ITEMS).await;
    let (scanned, unindexed) = filled(UNINDEXED, ITEMS).await;
    let mut random = SeededRandom::new(22);
    for _ in 0..150 {
        let filter = filter(&mut random, ITEMS);
        let text = format!("SELECT VALUE c.id FROM c WHERE {filter}");
        let mut expected = rows(&scanned.engine, &unindexed, &text).await;
        expected.sort();
        for (order, items_max) in [("", 1000), ("", 7), (" ORDER BY c.price", 7)] {
            let query = QueryItems::new(link.clone(), format!("{text}{order}"));
            let (mut found, _) = rows_in_pages(&account.engine, &query, items_max).await;
            if !order.is_empty() {
                let number = |row: &String| row.trim_matches(['"', 'i']).parse::<usize>().unwrap();
                assert!(found.is_sorted_by_key(number), "{text}{order}: {found:?}");
            }
            found.sort();
            assert_eq!(found, expected, "{text}{order} in pages of {items_max}");
        }
    }
}
