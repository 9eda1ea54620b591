//! Pages: where they end, that they survive splits and merges, and which tokens are rejected.

use std::time::Duration;

use engine::operation::{DeleteItem, SplitPartition};
use engine::query::{QueryItems, QueryLimits};
use engine::{ContainerLink, ErrorKind};
use model::{
    EpkRange, FeedRange, IndexingPolicy, ItemId, Json, Object, PartitionKey, PartitionKeyDefinition,
};

use super::ask::{create, page, rows};
use crate::account::{Account, json, plain};

/// Forty items over eight logical partitions; `v` counts down in fours.
async fn filled() -> (Account, ContainerLink) {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    for number in 0..40 {
        let text = format!(
            r#"{{"id":"i{number:02}","pk":"p{}","v":{},"tags":[{},{}]}}"#,
            number % 8,
            10 - number / 4,
            number % 3,
            number % 5
        );
        create(&account.engine, &link, json(&text)).await;
    }
    (account, link)
}

const QUERIES: [&str; 7] = [
    "SELECT VALUE c.id FROM c",
    "SELECT VALUE c.id FROM c WHERE c.v > 3",
    "SELECT VALUE c.id FROM c WHERE c.v > 3 AND c.pk != 'p1'",
    "SELECT VALUE c.id FROM c WHERE c.v = 7 OR ARRAY_CONTAINS(c.tags, 1)",
    "SELECT VALUE c.id FROM c ORDER BY c.v",
    "SELECT VALUE c.id FROM c ORDER BY c.v DESC OFFSET 3 LIMIT 25",
    "SELECT DISTINCT VALUE c.v FROM c",
];

/// The lower and the upper half of all epks.
fn halves() -> [FeedRange; 2] {
    let definition = PartitionKeyDefinition::single("/pk").unwrap();
    let whole = EpkRange::full();
    let (lower, upper) = whole.split_at(&whole.midpoint(&definition)).unwrap();
    [FeedRange::Epk(lower), FeedRange::Epk(upper)]
}

#[tokio::test]
async fn a_token_goes_on_in_each_part_of_its_range() {
    for text in QUERIES.into_iter().take(5) {
        let (account, link) = filled().await;
        let mut expected = rows(&account.engine, &link, text).await;
        let query = QueryItems::new(link.clone(), text);
        let first = page(&account.engine, &query, 7, None).await.unwrap();
        let mut found = first.rows.clone();
        for feed_range in halves() {
            let part = QueryItems { feed_range, ..query.clone() };
            let mut continuation = first.continuation.clone();
            while continuation.is_some() {
                let page = page(&account.engine, &part, 4, continuation).await.unwrap();
                found.extend(page.rows);
                continuation = page.continuation;
            }
        }
        let found = found.iter().map(|row| String::from_utf8(row.to_vec()).unwrap());
        let mut found: Vec<String> = found.collect();
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "{text}");
    }
}

#[tokio::test]
async fn a_token_does_not_go_on_beyond_its_range_or_in_a_part_of_counted_rows() {
    let (account, link) = filled().await;
    let [lower, _] = halves();
    let whole = QueryItems::new(link.clone(), QUERIES[0]);
    let part = QueryItems { feed_range: lower.clone(), ..whole.clone() };
    let counted = QueryItems::new(link, QUERIES[5]);
    let part_of_counted = QueryItems { feed_range: lower, ..counted.clone() };
    for (made, asked) in [(&part, &whole), (&counted, &part_of_counted)] {
        let token = page(&account.engine, made, 4, None).await.unwrap().continuation;
        let refused = page(&account.engine, asked, 4, token).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::ContinuationRefused, "{refused}");
    }
}

#[tokio::test]
async fn splits_and_merges_between_pages_lose_and_double_nothing() {
    for text in QUERIES {
        let (account, link) = filled().await;
        let mut expected = rows(&account.engine, &link, text).await;
        let query = QueryItems::new(link.clone(), text);
        let (mut found, mut continuation, mut number) = (Vec::new(), None, 0);
        loop {
            let page = page(&account.engine, &query, 4, continuation).await.unwrap();
            found.extend(page.rows.iter().map(|row| String::from_utf8(row.to_vec()).unwrap()));
            continuation = page.continuation;
            if continuation.is_none() {
                break;
            }
            restructure(&account, &link, number).await;
            number += 1;
        }
        if !text.contains("ORDER BY") {
            expected.sort();
            found.sort();
        }
        assert_eq!(found, expected, "{text}");
        account.verify().await;
    }
}

/// Splits the first partition, and now and then merges two.
async fn restructure(account: &Account, link: &ContainerLink, number: usize) {
    let partitions = account.engine.list_partitions(link).await.unwrap().value.partitions;
    if number % 3 == 2 {
        let merge = engine::operation::MergePartitions {
            container: link.clone(),
            partitions: (partitions[0].number, partitions[1].number),
        };
        account.engine.merge_partitions(merge).await.unwrap();
    } else {
        let partition = partitions[number % partitions.len()].number;
        let split = SplitPartition { container: link.clone(), partition, at: None };
        account.engine.split_partition(split).await.unwrap();
    }
}

#[tokio::test]
async fn what_is_written_between_pages_moves_no_other_row() {
    let (account, link) = filled().await;
    let query = QueryItems::new(link.clone(), "SELECT VALUE c.id FROM c ORDER BY c.v");
    let first = page(&account.engine, &query, 6, None).await.unwrap();
    // The last item given goes, and one appears before it: neither changes what follows.
    let last = String::from_utf8(first.rows[5].to_vec()).unwrap();
    let number: usize = last.trim_matches(&['"', 'i'][..]).parse().unwrap();
    let delete = DeleteItem {
        container: link.clone(),
        partition_key: PartitionKey::from(format!("p{}", number % 8).as_str()),
        id: ItemId::new(last.trim_matches('"')).unwrap(),
        options: Default::default(),
    };
    account.engine.delete_item(delete).await.unwrap();
    create(&account.engine, &link, json(r#"{"id":"early","pk":"p0","v":0}"#)).await;
    create(&account.engine, &link, json(r#"{"id":"late","pk":"p0","v":99}"#)).await;
    let rest = page(&account.engine, &query, 100, first.continuation).await.unwrap();
    assert_eq!(rest.rows.len(), 35);
    assert_eq!(rest.rows[34], "\"late\"");
}

async fn refused(account: &Account, query: &QueryItems, token: String) {
    let error = page(&account.engine, query, 5, Some(token)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ContinuationRefused, "{error}");
}

#[tokio::test]
async fn a_token_continues_its_own_query_and_no_other() {
    let (account, link) = filled().await;
    let query = QueryItems::new(link.clone(), "SELECT VALUE c.id FROM c WHERE c.v > @v");
    let with = |value: i64| QueryItems {
        parameters: [("@v", Some(Json::from(value)))].into_iter().collect(),
        ..query.clone()
    };
    let asked = with(2);
    let token = page(&account.engine, &asked, 5, None).await.unwrap().continuation.unwrap();
    assert!(page(&account.engine, &asked, 5, Some(token.clone())).await.is_ok());
    refused(&account, &with(3), token.clone()).await;
    refused(
        &account,
        &QueryItems { text: query.text.replace("id", "v"), ..asked.clone() },
        token.clone(),
    )
    .await;
    let of_key = |key: &str| QueryItems {
        feed_range: FeedRange::PartitionKey(PartitionKey::from(key)),
        ..asked.clone()
    };
    let of_p1 = page(&account.engine, &of_key("p1"), 2, None).await.unwrap().continuation.unwrap();
    refused(&account, &of_key("p2"), of_p1.clone()).await;
    refused(&account, &asked, of_p1).await;
    refused(&account, &asked, token[1..].to_owned()).await;
    refused(&account, &asked, "made up".to_owned()).await;
    let other = account.container(plain("other")).await;
    refused(&account, &QueryItems { container: other, ..asked.clone() }, token.clone()).await;
    // A place in the terms of a path means nothing once the path has no terms.
    let policy = r#"{"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/v/?"}]}"#;
    let policy = IndexingPolicy::from_json(&json(policy)).unwrap();
    account.alter(&link, |properties| properties.indexing_policy = policy).await.unwrap();
    refused(&account, &asked, token).await;
}

#[tokio::test]
async fn while_the_index_is_rebuilt_queries_use_what_old_and_new_policy_share() {
    let (account, link) = filled().await;
    let policy = |excluded: &str| {
        let text = format!(
            r#"{{"includedPaths":[{{"path":"/*"}}],"excludedPaths":[{{"path":"{excluded}"}}]}}"#
        );
        IndexingPolicy::from_json(&json(&text)).unwrap()
    };
    account.alter(&link, |properties| properties.indexing_policy = policy("/v/?")).await.unwrap();
    let by_v = QueryItems::new(link.clone(), "SELECT VALUE c.id FROM c WHERE c.v = 7");
    let by_tag =
        QueryItems::new(link.clone(), "SELECT VALUE c.id FROM c WHERE ARRAY_CONTAINS(c.tags, 4)");
    let scans = async |query: &QueryItems, rows: usize| {
        let page = page(&account.engine, query, 100, None).await.unwrap();
        assert_eq!(page.rows.len(), rows);
        page.metrics.full_scan
    };
    assert!(scans(&by_v, 4).await && !scans(&by_tag, 8).await);
    while account.engine.maintain().await.unwrap().more {}
    assert!(scans(&by_v, 4).await);
    account
        .alter(&link, |properties| properties.indexing_policy = policy("/tags/*"))
        .await
        .unwrap();
    assert!(scans(&by_v, 4).await && scans(&by_tag, 8).await);
    while account.engine.maintain().await.unwrap().more {}
    assert!(!scans(&by_v, 4).await && scans(&by_tag, 8).await);
}

#[tokio::test]
async fn a_page_ends_at_its_bytes_and_at_its_time() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    for number in 0..6 {
        let mut item = Object::new();
        item.insert("id", format!("i{number}"));
        item.insert("pk", "p");
        item.insert("text", "x".repeat(1000));
        create(&account.engine, &link, Json::Object(item)).await;
    }
    let limits = QueryLimits { response_bytes_max: 3000, ..QueryLimits::default() };
    let query =
        QueryItems { limits, ..QueryItems::new(link.clone(), "SELECT VALUE c.text FROM c") };
    let first = page(&account.engine, &query, 100, None).await.unwrap();
    assert_eq!((first.rows.len(), first.continuation.is_some()), (2, true));
    // A row larger than a page is a page of its own.
    let limits = QueryLimits { response_bytes_max: 10, ..QueryLimits::default() };
    let query = QueryItems { limits, ..query };
    assert_eq!(page(&account.engine, &query, 100, None).await.unwrap().rows.len(), 1);
    // No time at all: a page that can be continued ends early, an aggregate fails.
    let limits = QueryLimits { time_max: Some(Duration::ZERO), ..QueryLimits::default() };
    let text = "SELECT VALUE c.id FROM c WHERE c.text = 'y' OR c.id != 'i0'";
    let query = QueryItems { limits: limits.clone(), ..QueryItems::new(link.clone(), text) };
    let ended = page(&account.engine, &query, 1, None).await.unwrap();
    assert!(ended.continuation.is_some());
    for number in 0..600 {
        create(
            &account.engine,
            &link,
            json(&format!(r#"{{"id":"n{number}","pk":"p","n":{number}}}"#)),
        )
        .await;
    }
    let query = QueryItems {
        limits,
        ..QueryItems::new(link, "SELECT VALUE SUM(c.n + LENGTH(c.id)) FROM c")
    };
    let error = page(&account.engine, &query, 1, None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfTime);
}

#[tokio::test]
async fn memory_is_bounded() {
    let (account, link) = filled().await;
    let limits = QueryLimits { held_bytes_max: 1000, ..QueryLimits::default() };
    let text = "SELECT c.id, COUNT(1) AS n FROM c GROUP BY c.id";
    let query = QueryItems { limits, ..QueryItems::new(link, text) };
    let error = page(&account.engine, &query, 10, None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadQuery);
    assert!(error.to_string().contains("1000 bytes"), "{error}");
}

#[tokio::test]
async fn expired_items_are_in_no_answer_before_they_are_reclaimed() {
    let account = Account::new().await;
    let mut properties = plain("c");
    properties.default_time_to_live = model::TimeToLive::Seconds(100);
    let link = account.container(properties).await;
    for (id, more) in
        [("a", ""), ("b", r#","ttl":5"#), ("c", r#","ttl":-1"#), ("d", r#","ttl":500"#)]
    {
        let text = format!(r#"{{"id":"{id}","pk":"p","v":1{more}}}"#);
        create(&account.engine, &link, json(&text)).await;
    }
    let check = async |expected: &[&str]| {
        for text in [
            "SELECT VALUE c.id FROM c WHERE c.v = 1",
            "SELECT VALUE c.id FROM c ORDER BY c.id",
            "SELECT VALUE c.id FROM c WHERE c.v + 0 = 1",
            "SELECT DISTINCT VALUE c.id FROM c",
        ] {
            let mut found = rows(&account.engine, &link, text).await;
            found.sort();
            assert_eq!(found, expected, "{text}");
        }
        let counted = rows(&account.engine, &link, "SELECT VALUE COUNT(1) FROM c").await;
        assert_eq!(counted, [expected.len().to_string()]);
        let least = rows(&account.engine, &link, "SELECT VALUE MIN(c.id) FROM c").await;
        assert_eq!(least, expected[..1]);
    };
    check(&["\"a\"", "\"b\"", "\"c\"", "\"d\""]).await;
    account.travel(10);
    check(&["\"a\"", "\"c\"", "\"d\""]).await;
    account.travel(100);
    create(&account.engine, &link, json(r#"{"id":"e","pk":"p","v":1}"#)).await;
    check(&["\"c\"", "\"d\"", "\"e\""]).await;
}

#[tokio::test]
async fn items_left_out_of_the_index_are_found_by_no_query_while_there_is_one() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    create(&account.engine, &link, json(r#"{"id":"in","pk":"p"}"#)).await;
    let excluded = engine::operation::CreateItem {
        container: link.clone(),
        partition_key: None,
        item: json(r#"{"id":"out","pk":"p"}"#).into(),
        options: engine::operation::WriteOptions {
            indexing: model::IndexingDirective::Exclude,
            ..Default::default()
        },
    };
    account.engine.create_item(excluded).await.unwrap();
    for text in ["SELECT VALUE c.id FROM c", "SELECT VALUE c.id FROM c ORDER BY c.id"] {
        assert_eq!(rows(&account.engine, &link, text).await, ["\"in\""], "{text}");
    }
    let policy =
        IndexingPolicy::from_json(&json(r#"{"indexingMode":"none","automatic":false}"#)).unwrap();
    account.alter(&link, |properties| properties.indexing_policy = policy).await.unwrap();
    assert_eq!(rows(&account.engine, &link, "SELECT VALUE c.id FROM c").await.len(), 2);
}
