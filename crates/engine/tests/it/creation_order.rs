//! Without ORDER BY, rows come in the order of creation within a physical partition.

use engine::operation::CreateItem;
use engine::query::QueryItems;
use engine::{ContainerLink, SPACES};
use model::{FeedRange, IndexingDirective};
use storage::{KeyRange, Scan, ScanLimit, Shard, Space, WriteSet};

use crate::account::{Account, container, json, plain};
use crate::query::ask::{page, rows, rows_in_pages};
use crate::verbs::{ids, indexing, key};

const ITEMS: usize = 60;

/// The id of the item that was created as this one: neither ids nor hashes are in the order of creation.
fn name(number: usize) -> String {
    format!("i{:02}", number * 37 % 61)
}

fn names(numbers: impl Iterator<Item = usize>) -> Vec<String> {
    numbers.map(name).collect()
}

fn quoted(numbers: impl Iterator<Item = usize>) -> Vec<String> {
    numbers.map(|number| format!("\"{}\"", name(number))).collect()
}

async fn add(account: &Account, link: &ContainerLink, numbers: std::ops::Range<usize>) {
    for number in numbers {
        let text = format!(
            r#"{{"id":"{}","pk":"p{}","kind":{},"n":{},"tags":["t{}","u{}"],"hidden":{}}}"#,
            name(number),
            number % 7,
            number % 5,
            1000 - number,
            number % 3,
            number % 2,
            number % 4,
        );
        account.create(link, &text).await.unwrap();
    }
}

async fn filled() -> (Account, ContainerLink) {
    let account = Account::new().await;
    let text = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2},
        "indexingPolicy":{"indexingMode":"consistent","automatic":true,
        "includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/hidden/?"}]}}"#;
    let link = account.container(container(text)).await;
    add(&account, &link, 0..ITEMS).await;
    (account, link)
}

/// What queries return from one physical partition.
fn expected() -> Vec<(&'static str, Vec<String>)> {
    let of = |matches: fn(&usize) -> bool| quoted((0..ITEMS).filter(matches));
    vec![
        ("SELECT VALUE c.id FROM c", of(|_| true)),
        ("SELECT VALUE c.id FROM c WHERE c.hidden IN (0, 3)", of(|it| matches!(it % 4, 0 | 3))),
        ("SELECT VALUE c.id FROM c WHERE c.kind = 2", of(|it| it % 5 == 2)),
        (
            "SELECT VALUE c.id FROM c WHERE c.kind IN (4, 1, 2)",
            of(|it| matches!(it % 5, 1 | 2 | 4)),
        ),
        (
            "SELECT VALUE c.id FROM c WHERE c.kind = 3 OR c.hidden = 1",
            of(|it| it % 5 == 3 || it % 4 == 1),
        ),
        (
            "SELECT VALUE c.id FROM c WHERE c.kind = 3 OR ARRAY_CONTAINS(c.tags, 't1')",
            of(|it| it % 5 == 3 || it % 3 == 1),
        ),
        (
            "SELECT VALUE c.id FROM c WHERE c.kind IN (1, 2) AND ARRAY_CONTAINS(c.tags, 'u1')",
            of(|it| matches!(it % 5, 1 | 2) && it % 2 == 1),
        ),
        ("SELECT VALUE c.id FROM c WHERE c.pk = 'p3'", of(|it| it % 7 == 3)),
        (
            "SELECT VALUE c.id FROM c WHERE c.pk IN ('p3', 'p1', 'p6')",
            of(|it| matches!(it % 7, 1 | 3 | 6)),
        ),
        (
            "SELECT VALUE c.id FROM c WHERE c.pk IN ('p3', 'p1') AND c.kind IN (0, 3)",
            of(|it| matches!(it % 7, 1 | 3) && matches!(it % 5, 0 | 3)),
        ),
        ("SELECT VALUE c.id FROM c WHERE c.n > 970 AND c.n < 990", of(|it| (11..30).contains(it))),
    ]
}

#[tokio::test]
async fn a_list_is_in_the_order_of_creation_whatever_the_size_of_its_pages() {
    let (account, link) = filled().await;
    for items_max in [1, 2, 7, 59, 60, 61, 1000] {
        let found = ids(&account.list(&link, &FeedRange::Container, items_max).await);
        assert_eq!(found, names(0..ITEMS), "{items_max}");
        let range = FeedRange::PartitionKey(key("p3"));
        let found = ids(&account.list(&link, &range, items_max).await);
        assert_eq!(found, names((0..ITEMS).filter(|it| it % 7 == 3)), "{items_max}");
    }
}

#[tokio::test]
async fn queries_are_in_the_order_of_creation_whatever_the_size_of_their_pages() {
    let (account, link) = filled().await;
    for (text, expected) in expected() {
        let is_range = text.contains('>');
        for items_max in [1, 2, 7, 59, 60, 61, 1000] {
            let query = QueryItems::new(link.clone(), text);
            let (mut found, _) = rows_in_pages(&account.engine, &query, items_max).await;
            let mut expected = expected.clone();
            if is_range && items_max < expected.len() {
                // A range that does not fit on the page comes in the order of its values.
                found.sort();
                expected.sort();
            }
            assert_eq!(found, expected, "{text} in pages of {items_max}");
        }
    }
}

#[tokio::test]
async fn a_page_of_a_scan_reads_the_items_that_it_returns() {
    let (account, link) = filled().await;
    for text in ["SELECT * FROM c", "SELECT * FROM c WHERE c.pk = 'p3'"] {
        let query = QueryItems::new(link.clone(), text);
        let mut continuation = None;
        loop {
            let page = page(&account.engine, &query, 5, continuation).await.unwrap();
            let metrics = &page.metrics;
            assert!(metrics.items_scanned <= 5, "{text}: {metrics:?}");
            assert_eq!((metrics.items_loaded, metrics.index_entries), (0, 0), "{text}");
            continuation = page.continuation;
            if continuation.is_none() {
                break;
            }
        }
    }
}

#[tokio::test]
async fn writes_keep_the_place_of_an_item_and_a_new_item_comes_last() {
    let (account, link) = filled().await;
    let pk = |number: usize| format!("p{}", number % 7);
    let body = |number: usize, id: &str| format!(r#"{{"id":"{id}","pk":"{}"}}"#, pk(number));
    account.replace(&link, &name(5), &body(5, &name(5))).await.unwrap();
    account.upsert(&link, &body(6, &name(6))).await.unwrap();
    account.replace(&link, &name(7), &body(7, "renamed")).await.unwrap();
    account.delete(&link, &pk(8), &name(8)).await.unwrap();
    account.delete(&link, &pk(9), &name(9)).await.unwrap();
    account.create(&link, &body(9, &name(9))).await.unwrap();
    let mut expected = names((0..ITEMS).filter(|it| ![8, 9].contains(it)).chain([9]));
    expected[7] = "renamed".into();
    assert_eq!(ids(&account.list(&link, &FeedRange::Container, 8).await), expected);
    let expected: Vec<_> = expected.iter().map(|id| format!("\"{id}\"")).collect();
    assert_eq!(rows(&account.engine, &link, "SELECT VALUE c.id FROM c").await, expected);
    account.verify().await;
}

#[tokio::test]
async fn an_item_that_is_not_indexed_is_listed_at_its_place() {
    let (account, link) = filled().await;
    let text = r#"{"id":"plain","pk":"p1"}"#;
    account.create_with(&link, None, text, indexing(IndexingDirective::Exclude)).await.unwrap();
    add(&account, &link, ITEMS..61).await;
    let mut expected = names(0..61);
    expected.insert(ITEMS, "plain".into());
    assert_eq!(ids(&account.list(&link, &FeedRange::Container, 8).await), expected);
    account.delete(&link, "p1", "plain").await.unwrap();
    account.verify().await;
}

#[tokio::test]
async fn positions_survive_splits_and_merges() {
    let queries = expected();
    for (text, expected) in queries.iter().filter(|(text, _)| !text.contains('>')) {
        let (account, link) = filled().await;
        let query = QueryItems::new(link.clone(), *text);
        let (mut found, mut continuation, mut pages) = (Vec::new(), None, 0);
        loop {
            let page = page(&account.engine, &query, 2, continuation).await.unwrap();
            found.extend(page.rows.iter().map(|row| String::from_utf8(row.to_vec()).unwrap()));
            continuation = page.continuation;
            pages += 1;
            match pages {
                1 => drop(account.split(&link, 0).await.unwrap()),
                3 => drop(account.split(&link, 2).await.unwrap()),
                4 => drop(account.merge(&link, 1, 3).await.unwrap()),
                _ => {}
            }
            if continuation.is_none() {
                break;
            }
        }
        // After a split, one half is read before the other.
        let mut expected = expected.clone();
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "{text}");
    }
}

#[tokio::test]
async fn a_list_survives_splits_and_merges() {
    let (account, link) = filled().await;
    let (mut found, mut continuation, mut pages) = (Vec::new(), None, 0);
    loop {
        let page = account.page(&link, &FeedRange::Container, 4, continuation).await.unwrap();
        found.extend(ids(&page.items));
        continuation = page.continuation;
        pages += 1;
        match pages {
            1 => drop(account.split(&link, 0).await.unwrap()),
            3 => drop(account.split(&link, 2).await.unwrap()),
            4 => drop(account.merge(&link, 1, 3).await.unwrap()),
            _ => {}
        }
        if continuation.is_none() {
            break;
        }
    }
    let mut expected = names(0..ITEMS);
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    account.verify().await;
}

#[tokio::test]
async fn a_merged_partition_is_in_the_order_of_creation_of_its_sources() {
    let (account, link) = filled().await;
    account.split(&link, 0).await.unwrap();
    account.merge(&link, 1, 2).await.unwrap();
    assert_eq!(ids(&account.list(&link, &FeedRange::Container, 9).await), names(0..ITEMS));
    let query = QueryItems::new(link.clone(), "SELECT VALUE c.id FROM c");
    assert_eq!(rows_in_pages(&account.engine, &query, 9).await.0, quoted(0..ITEMS));
}

#[tokio::test]
async fn a_part_of_a_partition_is_in_the_order_of_creation_if_it_fits_on_the_page() {
    let account = Account::new().await;
    let keys = r#"{"id":"c","partitionKey":{"paths":["/a","/b"],"kind":"MultiHash","version":2}}"#;
    let link = account.container(container(keys)).await;
    for number in 0..30 {
        let text = format!(r#"{{"id":"{}","a":{},"b":{number}}}"#, name(number), number % 3);
        let create = CreateItem {
            container: link.clone(),
            partition_key: None,
            item: json(&text).into(),
            options: Default::default(),
        };
        account.engine.create_item(create).await.unwrap();
    }
    let prefix = model::PartitionKeyValue::Number(1.0);
    let range = FeedRange::PartitionKey(model::PartitionKey::from_values([prefix]));
    let expected = names((0..30).filter(|it| it % 3 == 1));
    assert_eq!(ids(&account.list(&link, &range, 100).await), expected);
    let mut small = ids(&account.list(&link, &range, 3).await);
    small.sort();
    let mut sorted = expected.clone();
    sorted.sort();
    assert_eq!(small, sorted);
    let query = QueryItems {
        feed_range: range,
        ..QueryItems::new(link.clone(), "SELECT VALUE c.id FROM c")
    };
    let expected: Vec<_> = expected.iter().map(|id| format!("\"{id}\"")).collect();
    assert_eq!(rows_in_pages(&account.engine, &query, 100).await.0, expected);
}

fn space(name: &str) -> Space {
    *SPACES.iter().find(|space| space.name == name).unwrap()
}

/// Turns the only partition into one of an older store: without a list, and with a state that does not know of it.
async fn make_older(account: &Account) {
    let everything = Scan::forward(KeyRange::all(), ScanLimit::entries(1_000_000));
    let terms = account.store.scan(Shard(1), space("terms"), &everything).await.unwrap();
    let mut set = WriteSet::new();
    for entry in terms.entries.iter().filter(|entry| matches!(entry.key[0], 8 | 9)) {
        set.remove(space("terms"), entry.key.clone());
    }
    let state = account.store.get(Shard(1), space("state"), &[1]).await.unwrap();
    let mut state = state.unwrap().to_vec();
    assert_eq!((state[0], &state[state.len() - 2..]), (3, [0xFF, 0xFF].as_slice()));
    state[0] = 2;
    state.truncate(state.len() - 2);
    set.put(space("state"), vec![1], state);
    account.store.commit(Shard(1), vec![set]).await.unwrap();
}

#[tokio::test]
async fn an_older_store_is_read_by_key_until_its_items_are_listed_and_its_tokens_go_on() {
    let (account, link) = filled().await;
    make_older(&account).await;
    let account = account.reopened().await;
    account.verify().await;
    let whole = FeedRange::Container;
    let first = account.page(&link, &whole, 25, None).await.unwrap();
    let query = QueryItems::new(link.clone(), "SELECT VALUE c.id FROM c");
    let first_rows = page(&account.engine, &query, 25, None).await.unwrap();
    assert_ne!(ids(&first.items), names(0..25), "no list yet");
    // What is written meanwhile is on either side of the listing.
    add(&account, &link, ITEMS..61).await;
    account.delete(&link, "p0", &name(0)).await.unwrap();
    account.verify().await;
    account.engine.maintain_fully().await.unwrap();
    account.verify().await;
    let all = names((1..ITEMS).chain([ITEMS]));
    assert_eq!(ids(&account.list(&link, &whole, 7).await), all);
    // Tokens of the order of keys.
    let mut found = ids(&first.items);
    let mut continuation = first.continuation;
    while continuation.is_some() {
        let page = account.page(&link, &whole, 25, continuation).await.unwrap();
        found.extend(ids(&page.items));
        continuation = page.continuation;
    }
    let mut found_rows: Vec<_> =
        first_rows.rows.iter().map(|row| String::from_utf8(row.to_vec()).unwrap()).collect();
    let mut continuation = first_rows.continuation;
    while continuation.is_some() {
        let page = page(&account.engine, &query, 25, continuation).await.unwrap();
        found_rows.extend(page.rows.iter().map(|row| String::from_utf8(row.to_vec()).unwrap()));
        continuation = page.continuation;
    }
    // The first item may have been deleted before or after it was read, and the new one is read or lies behind.
    let is_stable = |id: &String| !id.contains(&name(0)) && !id.contains(&name(ITEMS));
    let mut stable: Vec<_> = found.into_iter().filter(is_stable).collect();
    let mut stable_rows: Vec<_> = found_rows.into_iter().filter(is_stable).collect();
    stable.sort();
    stable_rows.sort();
    let (mut expected, mut expected_rows) = (names(1..ITEMS), quoted(1..ITEMS));
    expected.sort();
    expected_rows.sort();
    assert_eq!((stable, stable_rows), (expected, expected_rows));
}

#[tokio::test]
async fn verify_finds_a_missing_and_a_superfluous_entry_of_the_list() {
    for (is_missing, finding) in [(true, "missing in space terms"), (false, "belongs to no item")] {
        let account = Account::new().await;
        let link = account.container(plain("c")).await;
        add(&account, &link, 0..9).await;
        let mut set = WriteSet::new();
        let entry = |ordinal: u8| vec![8, 0, 0, 0, 0, 0, 0, 0, ordinal];
        if is_missing {
            set.remove(space("terms"), entry(4));
        } else {
            set.put(space("terms"), entry(77), b"nowhere".to_vec());
        }
        account.store.commit(Shard(1), vec![set]).await.unwrap();
        let report = account.engine.verify(&mut |_| {}).await.unwrap();
        assert_eq!(report.findings_count, 1, "{:?}", report.findings);
        assert!(report.findings[0].text.contains(finding), "{:?}", report.findings);
    }
}
