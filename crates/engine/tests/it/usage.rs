//! What was used: counters, the report made of them, and what another partition key would have done.

use std::time::Duration;

use engine::operation::{CreateItem, ReadItem, SplitPartition};
use engine::query::QueryItems;
use engine::usage::{PriceTable, report};
use engine::{ContainerLink, EngineSettings, ErrorKind};
use model::{FeedRange, Json, PartitionKeyDefinition, RequestCharge, Throughput};

use crate::account::{Account, container, json, plain, settings_without_maintenance};
use crate::verbs::{id, key, refused};

/// The section of the first container.
fn section(account: &Account, candidate: Option<&PartitionKeyDefinition>) -> Json {
    let usage = account.engine.usage();
    // What was saved must say the same as what is asked for now.
    let usage = Json::parse(&usage.to_bytes()).unwrap();
    let report = report(&usage, &PriceTable::default(), candidate).unwrap();
    list(&report, "containers")[0].clone()
}

fn list<'a>(json: &'a Json, name: &str) -> &'a [Json] {
    json.get(name).unwrap_or_else(|| panic!("{name} in {json}")).as_array().unwrap()
}

fn number(json: &Json, name: &str) -> f64 {
    match json.get(name) {
        Some(Json::Number(number)) => number.as_f64(),
        other => panic!("{name}: {other:?} in {json}"),
    }
}

fn text<'a>(json: &'a Json, name: &str) -> &'a str {
    json.get(name).unwrap().as_str().unwrap()
}

fn findings(section: &Json) -> String {
    list(section, "findings")
        .iter()
        .map(|each| each.as_str().unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}

fn read(link: &ContainerLink, pk: &str, name: &str) -> ReadItem {
    let (container, partition_key) = (link.clone(), key(pk));
    ReadItem { container, partition_key, id: id(name), options: Default::default() }
}

fn create(link: &ContainerLink, text: &str) -> CreateItem {
    let (container, item) = (link.clone(), json(text));
    CreateItem { container, partition_key: None, item: item.into(), options: Default::default() }
}

#[tokio::test]
async fn the_counts_are_those_of_the_outcomes() {
    let account = Account::new().await;
    let link = account.container_with(plain("c"), Some(Throughput::Manual(12_000))).await;
    let mut charge = RequestCharge::ZERO;
    for number in 0..30 {
        let item = format!(r#"{{"id":"1","pk":"p{number}","n":{number}}}"#);
        charge += account.engine.create_item(create(&link, &item)).await.unwrap().charge;
    }
    for _ in 0..5 {
        charge += account.engine.read_item(read(&link, "p1", "1")).await.unwrap().charge;
    }
    // One page for each of the two physical partitions.
    let mut query = QueryItems::new(link.clone(), "SELECT * FROM c WHERE c.n > 3");
    for _ in 0..2 {
        let page = account.engine.query_items(query.clone()).await.unwrap();
        charge += page.charge;
        query.page.continuation = page.value.continuation;
    }
    assert_eq!(query.page.continuation, None);
    refused(account.read(&link, "p1", "none").await, ErrorKind::NotFound);
    charge += RequestCharge::from_request_units(1);
    account
        .engine
        .split_partition(SplitPartition { container: link.clone(), partition: 0, at: None })
        .await
        .unwrap();
    charge += account.engine.read_item(read(&link, "p1", "1")).await.unwrap().charge;
    let section = section(&account, None);
    let seen: Vec<(String, f64, f64, f64)> = list(&section, "operations")
        .iter()
        .map(|row| {
            let (requests, failed) = (number(row, "requests"), number(row, "failed"));
            (text(row, "operation").to_owned(), requests, failed, number(row, "itemsHandled"))
        })
        .collect();
    let one = |name: &str, requests, failed, items| (name.to_owned(), requests, failed, items);
    assert_eq!(
        seen,
        [one("create", 30.0, 0.0, 30.0), one("query", 2.0, 0.0, 26.0), one("read", 7.0, 1.0, 6.0)]
    );
    let totals = section.get("totals").unwrap();
    assert!((number(totals, "requestUnits") - charge.as_f64()).abs() < 0.02, "{totals} {charge}");
    assert!((number(totals, "items") - 30.0).abs() < 1e-9);
    let partitions = list(&section, "physicalPartitions");
    assert_eq!(partitions.len(), 4, "the one that was split is counted too");
    let sum: f64 = partitions.iter().map(|row| number(row, "requestUnits")).sum();
    assert!((sum - charge.as_f64()).abs() < 0.05);
}

#[tokio::test]
async fn a_hot_logical_partition_is_found_with_its_share() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    for pk in ["hot", "a", "b", "c"] {
        account.create(&link, &format!(r#"{{"id":"1","pk":"{pk}"}}"#)).await.unwrap();
    }
    for _ in 0..300 {
        account.read(&link, "hot", "1").await.unwrap();
    }
    for pk in ["a", "b", "c"] {
        for _ in 0..20 {
            account.read(&link, pk, "1").await.unwrap();
        }
    }
    let section = section(&account, None);
    let hot = &list(&section, "logicalPartitions")[0];
    assert_eq!(hot.get("partitionKey").unwrap().to_string(), r#"["hot"]"#);
    assert!((number(hot, "requests") - 301.0).abs() < 1e-9);
    assert!((number(hot, "share") - 0.8).abs() < 0.02, "{hot}");
    assert!((number(hot, "excessMax")).abs() < 1e-9);
    assert!(findings(&section).contains(r#"Hot partition: the partition key ["hot"] takes 8"#));
}

#[tokio::test]
async fn queries_are_reported_by_shape_with_the_index_that_would_serve_them() {
    let account = Account::new().await;
    let policy = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2},"indexingPolicy":{
        "includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/secret/?"}]}}"#;
    let link = account.container(container(policy)).await;
    for number in 0..50 {
        let item = format!(
            r#"{{"id":"{number}","pk":"p{}","secret":{number},"used":{number},"idle":1,"tags":["x","y"]}}"#,
            number % 5
        );
        account.create(&link, &item).await.unwrap();
    }
    let ask = |text: String, feed_range| {
        let mut query = QueryItems::new(link.clone(), text);
        query.feed_range = feed_range;
        account.engine.query_items(query)
    };
    for number in 0..40 {
        let text = format!("SELECT * FROM c WHERE c.secret = {number}");
        ask(text, FeedRange::Container).await.unwrap();
        let text = format!("SELECT * FROM c WHERE c.used > {number}");
        ask(text, FeedRange::PartitionKey(key("p1"))).await.unwrap();
    }
    let section = section(&account, None);
    let queries = list(&section, "queries");
    let of = |shape: &str| queries.iter().find(|row| text(row, "shape") == shape).unwrap();
    let scan = of("SELECT * FROM c WHERE c.secret = ?");
    assert!((number(scan, "requests") - 40.0).abs() < 1e-9);
    assert!((number(scan, "scanShare") - 1.0).abs() < 1e-9);
    assert!((number(scan, "acrossPartitionsShare") - 1.0).abs() < 1e-9);
    assert!((number(scan, "itemsReadPerRow") - 50.0).abs() < 1e-9);
    let index = scan.get("indexThatWouldServe").unwrap().to_string();
    assert_eq!(index, r#"{"includedPaths":[{"path":"/secret/?"}]}"#);
    let served = of("SELECT * FROM c WHERE c.used > ?");
    assert!(number(served, "scanShare").abs() < 1e-9);
    assert!(number(served, "acrossPartitionsShare").abs() < 1e-9);
    assert_eq!(served.get("indexThatWouldServe"), None);
    let unused: Vec<(&str, f64)> = list(&section, "unusedIndexes")
        .iter()
        .map(|row| (text(row, "path"), number(row, "requestUnitsPerWrite")))
        .collect();
    assert_eq!(unused, [("/tags/[]/?", 0.76), ("/idle/?", 0.38), ("/pk/?", 0.38)]);
    let words = findings(&section);
    assert!(
        words.contains("reads items without an index and is not confined to one partition key"),
        "{words}"
    );
    assert!(
        words.contains("Indexed paths that no query has used cost 1.52 request units"),
        "{words}"
    );
}

#[tokio::test]
async fn the_throughput_that_would_have_been_needed_has_a_price() {
    let account = Account::new().await;
    let link = account.container_with(plain("c"), Some(Throughput::autoscale(4000).unwrap())).await;
    account.create(&link, r#"{"id":"1","pk":"a"}"#).await.unwrap();
    account.travel(10);
    for _ in 0..1250 {
        account.read(&link, "a", "1").await.unwrap();
    }
    account.travel(3600);
    for _ in 0..10 {
        account.read(&link, "a", "1").await.unwrap();
    }
    account.clock.travel(Duration::from_secs(2 * 3600));
    let section = section(&account, None);
    let throughput = section.get("throughput").unwrap();
    assert!((number(throughput, "busiestSecond") - 1250.0).abs() < 1e-9);
    let manual = throughput.get("manual").unwrap();
    assert!((number(manual, "requestUnitsPerSecond") - 1300.0).abs() < 1e-9);
    // 13 x 0.008 x 730
    assert!((number(manual, "pricePerMonth") - 75.92).abs() < 1e-9);
    let autoscale = throughput.get("autoscale").unwrap();
    assert!((number(autoscale, "maximum") - 2000.0).abs() < 1e-9);
    // Four hours: 1250, then a tenth of 2000 three times.
    assert!((number(autoscale, "billedPerSecondOnAverage") - 462.5).abs() < 1e-9);
    let given = throughput.get("given").unwrap();
    assert_eq!(text(given, "kind"), "autoscale");
    assert!(
        (number(given, "billedPerSecondOnAverage") - (1250.0 + 3.0 * 400.0) / 4.0).abs() < 1e-9
    );
    // 612.5 / 100 x 0.008 x 730 x 1.5
    assert!((number(given, "pricePerMonth") - 53.66).abs() < 1e-9);
    assert!(findings(&section).contains("% of the provisioned throughput would have been enough"));
}

#[tokio::test]
async fn throttled_requests_are_counted_where_they_happened() {
    let account = Account::with_settings(EngineSettings {
        enforce_throughput: true,
        ..settings_without_maintenance()
    })
    .await;
    let link = account.container(plain("c")).await;
    account.create(&link, r#"{"id":"1","pk":"a"}"#).await.unwrap();
    while account.read(&link, "a", "1").await.is_ok() {}
    let section = section(&account, None);
    assert!((number(section.get("totals").unwrap(), "throttled") - 1.0).abs() < 1e-9);
    assert!((number(&list(&section, "logicalPartitions")[0], "throttled") - 1.0).abs() < 1e-9);
    assert!(findings(&section).contains("1 requests were throttled"));
    assert_eq!(account.engine.throttled_requests(&link).unwrap(), 1);
}

/// Orders by customer and day; most queries ask for a customer, the container is partitioned by day.
async fn orders(record_traffic: bool) -> Account {
    let account =
        Account::with_settings(EngineSettings { record_traffic, ..settings_without_maintenance() })
            .await;
    let properties =
        r#"{"id":"orders","partitionKey":{"paths":["/day"],"kind":"Hash","version":2}}"#;
    let link = account.container(container(properties)).await;
    for number in 0..100 {
        // Every second order is of one customer.
        let customer = if number % 2 == 0 { 0 } else { number };
        let item =
            format!(r#"{{"id":"{number}","day":"d{}","customer":"c{customer}"}}"#, number % 4);
        account.create(&link, &item).await.unwrap();
    }
    for number in 0..30 {
        let mut query = QueryItems::new(link.clone(), "SELECT * FROM c WHERE c.customer = @who");
        query.parameters.push("@who", Some(Json::from(format!("c{number}"))));
        account.engine.query_items(query).await.unwrap();
    }
    for _ in 0..10 {
        let mut query = QueryItems::new(link.clone(), "SELECT * FROM c");
        query.feed_range = FeedRange::PartitionKey(key("d1"));
        account.engine.query_items(query).await.unwrap();
        account.read(&link, "d1", "1").await.unwrap();
    }
    account
}

#[tokio::test]
async fn a_candidate_partition_key_is_tried_on_the_recorded_traffic() {
    let account = orders(true).await;
    let candidate = PartitionKeyDefinition::single("/customer").unwrap();
    let tried = section(&account, Some(&candidate)).get("candidate").unwrap().clone();
    let side = |name: &str| tried.get("crossPartition").unwrap().get(name).unwrap().clone();
    assert!((number(&side("now"), "shareOfQueries") - 0.75).abs() < 1e-9, "{tried}");
    assert!((number(&side("then"), "shareOfQueries") - 0.25).abs() < 1e-9, "{tried}");
    // 30 of 150 requests, then 10.
    assert!((number(&side("now"), "shareOfRequests") - 0.2).abs() < 1e-9);
    assert!((number(&side("then"), "shareOfRequests") - 0.07).abs() < 1e-9);
    assert!((number(&tried, "keysSeen") - 51.0).abs() < 1e-9);
    let largest = &list(&tried, "largest")[0];
    assert_eq!(text(largest, "partitionKey"), r#"["c0"]"#);
    assert!((number(largest, "share") - 0.5).abs() < 0.01, "{largest}");
    let busiest = &list(&tried, "busiest")[0];
    assert_eq!(text(busiest, "partitionKey"), r#"["c0"]"#);
    assert!((number(&tried, "pointReadsThatNeedTheNewKeyShare") - 0.09).abs() < 1e-9);
    let both = PartitionKeyDefinition::hierarchical(&["/day", "/missing"]).unwrap();
    let tried = section(&account, Some(&both)).get("candidate").unwrap().clone();
    assert!((number(&tried, "itemsWithoutValueShare") - 1.0).abs() < 1e-9);
}

#[tokio::test]
async fn without_recorded_traffic_the_report_says_so() {
    let account = orders(false).await;
    let candidate = PartitionKeyDefinition::single("/customer").unwrap();
    let tried = section(&account, Some(&candidate)).get("candidate").unwrap().clone();
    assert!(text(&tried, "note").contains("--record-traffic"));
    assert!(!account.engine.usage().to_string().contains("\"c7\""), "values are not kept");
}

#[tokio::test]
async fn a_foreign_document_is_refused() {
    let text = refused(report(&json("{}"), &PriceTable::default(), None), ErrorKind::Invalid);
    assert!(text.contains("planisphere-usage-1"), "{text}");
}
