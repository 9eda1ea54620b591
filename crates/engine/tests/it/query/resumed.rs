//! What continues a query: stored results, tokens of ordered rows under another filter, tokens of a range on a key.

use engine::query::QueryItems;
use engine::{ContainerLink, ErrorKind};
use model::{
    ContainerId, ContainerProperties, EpkRange, FeedRange, PartitionKey, PartitionKeyDefinition,
};

use super::ask::{create, page, rows, rows_in_pages};
use crate::account::{Account, json, plain};

/// Two hundred items over ten logical partitions.
async fn filled() -> (Account, ContainerLink) {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    for number in 0..200 {
        let text = format!(
            r#"{{"id":"i{number:03}","pk":"p{}","n":{number},"a":[{},{}],"t":"{}"}}"#,
            number % 10,
            number % 50,
            number % 7,
            "x".repeat(number % 5)
        );
        create(&account.engine, &link, json(&text)).await;
    }
    (account, link)
}

/// Queries whose rows are known only after all items were read.
const WHOLE: [&str; 5] = [
    "SELECT DISTINCT VALUE c.n % 50 FROM c",
    "SELECT DISTINCT c.a[0], c.a[1] FROM c",
    "SELECT c.a[0] AS k, COUNT(1) AS n, MAX(c.n) AS m FROM c GROUP BY c.a[0]",
    "SELECT VALUE c.n FROM c ORDER BY c.a[0]",
    "SELECT VALUE x FROM c JOIN x IN c.a GROUP BY x",
];

#[tokio::test]
async fn each_item_is_read_once_whatever_the_page_size() {
    for text in WHOLE {
        let (account, link) = filled().await;
        let query = QueryItems::new(link.clone(), text);
        let (expected, once) = rows_in_pages(&account.engine, &query, 1000).await;
        let (found, touched) = rows_in_pages(&account.engine, &query, 7).await;
        assert!(expected.len() > 21, "{text} has several pages");
        assert_eq!(found, expected, "{text}");
        assert_eq!(touched, once, "{text}");
    }
}

#[tokio::test]
async fn a_restart_between_pages_reads_no_item_again() {
    let (mut account, link) = filled().await;
    let text = WHOLE[2];
    let expected = rows(&account.engine, &link, text).await;
    let query = QueryItems::new(link.clone(), text);
    let (mut found, mut continuation) = (Vec::new(), None);
    loop {
        let is_first = continuation.is_none();
        let page = page(&account.engine, &query, 7, continuation).await.unwrap();
        found.extend(page.rows.iter().map(|row| String::from_utf8(row.to_vec()).unwrap()));
        let read = page.metrics.items_scanned + page.metrics.items_loaded;
        assert_eq!(read + page.metrics.index_entries > 0, is_first);
        continuation = page.continuation;
        if continuation.is_none() {
            break;
        }
        account = account.reopened().await;
    }
    assert_eq!(found, expected);
}

#[tokio::test]
async fn a_result_is_kept_for_an_hour_and_then_computed_again() {
    let (account, link) = filled().await;
    let text = WHOLE[0];
    let expected = rows(&account.engine, &link, text).await;
    let query = QueryItems::new(link.clone(), text);
    let first = page(&account.engine, &query, 20, None).await.unwrap();
    let token = first.continuation.unwrap();
    assert_eq!(account.engine.maintain().await.unwrap().reclaimed, 0);
    account.travel(3601);
    assert!(account.engine.maintain_fully().await.unwrap().reclaimed >= 2);
    let second = page(&account.engine, &query, 1000, Some(token)).await.unwrap();
    assert!(second.metrics.items_scanned + second.metrics.index_entries > 0);
    let all = first.rows.iter().chain(&second.rows);
    let all: Vec<String> = all.map(|row| String::from_utf8(row.to_vec()).unwrap()).collect();
    assert_eq!(all, expected);
}

#[tokio::test]
async fn pages_after_the_first_show_the_moment_of_the_first() {
    let (account, link) = filled().await;
    let query = QueryItems::new(link.clone(), WHOLE[0]);
    let expected = rows(&account.engine, &link, WHOLE[0]).await;
    let first = page(&account.engine, &query, 20, None).await.unwrap();
    create(&account.engine, &link, json(r#"{"id":"late","pk":"p0","n":0.5}"#)).await;
    let second = page(&account.engine, &query, 1000, first.continuation).await.unwrap();
    assert_eq!(first.rows.len() + second.rows.len(), expected.len());
}

/// The query that clients send for the ordered rows of a partition, with a filter in place of the placeholder.
fn ordered_rows(filter: &str) -> String {
    format!(
        "SELECT c._rid, [{{\"item\": c.n}}] AS orderByItems, c.n AS payload FROM c \
         WHERE ((c.n >= 0) AND ({filter})) ORDER BY c.n"
    )
}

#[tokio::test]
async fn a_token_of_ordered_rows_goes_on_under_a_narrower_filter() {
    let (account, link) = filled().await;
    let query = |filter: &str| QueryItems::new(link.clone(), ordered_rows(filter));
    let first = page(&account.engine, &query("true"), 30, None).await.unwrap();
    let payloads = |rows: &[bytes::Bytes]| -> Vec<i64> {
        let rows = rows.iter().map(|row| model::Json::parse(row).unwrap());
        rows.map(|row| row.get("payload").unwrap().as_i64().unwrap()).collect()
    };
    assert_eq!(payloads(&first.rows), (0..30).collect::<Vec<_>>());
    for (filter, expected) in [
        // The filter is narrower than the position.
        ("(c.n >= 40 AND IS_NUMBER(c.n))", 40..50),
        // The position is narrower than the filter.
        ("(c.n >= 10 OR IS_STRING(c.n))", 30..40),
    ] {
        let token = first.continuation.clone();
        let next = page(&account.engine, &query(filter), 10, token).await.unwrap();
        assert_eq!(payloads(&next.rows), expected.collect::<Vec<_>>(), "{filter}");
        let more = page(&account.engine, &query(filter), 10, next.continuation).await.unwrap();
        assert_eq!(more.rows.len(), 10);
    }
}

#[tokio::test]
async fn a_token_of_any_other_query_keeps_its_filter() {
    let (account, link) = filled().await;
    for (made, asked) in [
        (
            "SELECT VALUE c.n FROM c ORDER BY c.n",
            "SELECT VALUE c.n FROM c WHERE c.n > 1 ORDER BY c.n",
        ),
        (&ordered_rows("true"), &ordered_rows("true").replace("ORDER BY c.n", "ORDER BY c.n DESC")),
        (&ordered_rows("true"), &ordered_rows("true").replace("c.n AS payload", "c.id AS payload")),
    ] {
        let made = QueryItems::new(link.clone(), made);
        let token = page(&account.engine, &made, 5, None).await.unwrap().continuation;
        let asked = QueryItems::new(link.clone(), asked);
        let refused = page(&account.engine, &asked, 5, token).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::ContinuationRefused, "{}", asked.text);
    }
}

#[tokio::test]
async fn a_token_of_a_range_goes_on_with_a_full_hierarchical_key_in_it() {
    let account = Account::new().await;
    let definition = PartitionKeyDefinition::hierarchical(&["/tenant", "/user"]).unwrap();
    let id = ContainerId::new("c").unwrap();
    let link = account.container(ContainerProperties::new(id, definition.clone())).await;
    for number in 0..60 {
        let text = format!(
            r#"{{"id":"i{number:02}","tenant":"t","user":"u{}","n":{number}}}"#,
            number % 2
        );
        create(&account.engine, &link, json(&text)).await;
    }
    let key = PartitionKey::from_json(&json(r#"["t","u1"]"#)).unwrap();
    let of_key = definition.effective_range(&key);
    for text in [
        "SELECT VALUE c.n FROM c",
        "SELECT VALUE c.n FROM c WHERE c.tenant = 't' AND c.n >= 0",
        "SELECT VALUE c.n FROM c WHERE c.n > 3",
        "SELECT VALUE c.n FROM c ORDER BY c.n",
        "SELECT DISTINCT VALUE c.n % 100 FROM c",
    ] {
        let by_key = QueryItems {
            feed_range: FeedRange::PartitionKey(key.clone()),
            ..QueryItems::new(link.clone(), text)
        };
        let mut expected = rows_in_pages(&account.engine, &by_key, 1000).await.0;
        let mut ranges = vec![of_key.clone()];
        if !text.contains("DISTINCT") {
            ranges.push(EpkRange::full());
        }
        for range in ranges {
            let is_of_key = range == of_key;
            let by_range = QueryItems { feed_range: FeedRange::Epk(range), ..by_key.clone() };
            let first = page(&account.engine, &by_range, 7, None).await.unwrap();
            let token = first.continuation.clone();
            assert!(token.is_some(), "{text}");
            let rest = page(&account.engine, &by_key, 1000, token.clone()).await.unwrap();
            let text_of = |row: &bytes::Bytes| String::from_utf8(row.to_vec()).unwrap();
            let rest: Vec<String> = rest.rows.iter().map(text_of).collect();
            let mut found: Vec<String> =
                first.rows.iter().map(text_of).filter(|row| expected.contains(row)).collect();
            assert!(!is_of_key || found.len() == 7, "{text}");
            found.extend(rest);
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{text}");
            let other = PartitionKey::from_json(&json(r#"["t","u0"]"#)).unwrap();
            let by_other =
                QueryItems { feed_range: FeedRange::PartitionKey(other), ..by_key.clone() };
            let continued = page(&account.engine, &by_other, 5, token).await;
            assert_eq!(continued.is_err(), is_of_key, "{text}");
        }
    }
}
