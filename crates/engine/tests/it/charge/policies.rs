//! How the indexing policy affects the charge of writes and queries.

use engine::ContainerLink;
use model::charge::{ChargeProfile, QueryCounters, index_costs, total_units};
use model::{ContainerProperties, RequestCharge};

use super::query_figures::{GROUP_ITEMS, NUTRITION_BYTES, NUTRITION_ITEMS, figures, found, price};
use super::shop::{account, padded, policy};
use crate::account::{Account, container, json};

const PERSON: &str = r#"{"id":"1","pk":"p","name":"a","relatives":[{"name":"b","age":3},{"name":"c","age":4}],
    "place":{"type":"Point","coordinates":[1,2]},"born":1990,"vector":[0.5,0.25,0.125]}"#;

async fn create_under(properties: ContainerProperties) -> RequestCharge {
    let account = account(ChargeProfile::Azure).await;
    let indexing = properties.indexing_policy.clone();
    let link = account.container(properties).await;
    let item = json(PERSON);
    let created = account.pay_create(&link, &item).await;
    // The pure walk and the walk that writes terms agree.
    let units = total_units(&index_costs(&indexing, &item));
    assert_eq!(created.charge, model::charge::create(1, units), "{indexing:?}");
    assert_eq!(created.explanation.unwrap().charge(), created.charge);
    created.charge
}

fn all_but(excluded: &str, more: &str) -> ContainerProperties {
    container(&format!(
        r#"{{"id":"c","partitionKey":{{"paths":["/pk"],"kind":"Hash","version":2}},
            "vectorEmbeddingPolicy":{{"vectorEmbeddings":[{{"path":"/vector","dataType":"float32",
                "dimensions":3,"distanceFunction":"cosine"}}]}},
            "indexingPolicy":{{"includedPaths":[{{"path":"/*"}}],"excludedPaths":[{excluded}]{more}}}}}"#
    ))
}

#[tokio::test]
async fn an_excluded_path_makes_each_write_cheaper_by_its_leaves() {
    // id, pk, name, 4 of relatives, 3 of place, born, 3 of the vector.
    assert_eq!(create_under(all_but("", "")).await, super::published::create(1, 14));
    let relatives = create_under(all_but(r#"{"path":"/relatives/*"}"#, "")).await;
    assert_eq!(relatives, super::published::create(1, 10));
    let ages = create_under(all_but(r#"{"path":"/relatives/[]/age/?"}"#, "")).await;
    assert_eq!(ages, super::published::create(1, 12));
    assert_eq!(create_under(policy(&[], "")).await, super::published::create(1, 1));
    let none = container(
        r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash"},
            "indexingPolicy":{"indexingMode":"none"}}"#,
    );
    assert_eq!(create_under(none).await.to_string(), "4.95");
}

#[tokio::test]
async fn composite_spatial_and_vector_indexes_have_their_price() {
    let plain = create_under(all_but("", "")).await;
    let term = super::published::create(1, 1).saturating_sub(super::published::create(1, 0));
    let composite = r#","compositeIndexes":[[{"path":"/name"},{"path":"/born"}]]"#;
    assert_eq!(create_under(all_but("", composite)).await, plain + term);
    // A composite index over a path that is not there costs nothing.
    let absent = r#","compositeIndexes":[[{"path":"/name"},{"path":"/died"}]]"#;
    assert_eq!(create_under(all_but("", absent)).await, plain);
    let spatial = r#","spatialIndexes":[{"path":"/place/*","types":["Point"]}]"#;
    assert_eq!(create_under(all_but("", spatial)).await, plain + term);
    let polygons = r#","spatialIndexes":[{"path":"/place/*","types":["Polygon"]}]"#;
    assert_eq!(create_under(all_but("", polygons)).await, plain);
    // Three dimensions at 0.0358 are 2.26 of 21 parts.
    let vector = r#","vectorIndexes":[{"path":"/vector","type":"diskANN"}]"#;
    let dimensions = RequestCharge::from_units(2);
    assert_eq!(create_under(all_but("", vector)).await, plain + dimensions);
}

#[tokio::test]
async fn a_vector_of_many_dimensions_costs_what_is_published() {
    let numbers = vec!["0.5"; 1536].join(",");
    let item = json(&format!(r#"{{"id":"1","vector":[{numbers}]}}"#));
    for (kind, published) in [("quantizedFlat", 35.0), ("diskANN", 65.0)] {
        let vector = format!(r#","vectorIndexes":[{{"path":"/vector","type":"{kind}"}}]"#);
        let policy = all_but(r#"{"path":"/vector/*"}"#, &vector).indexing_policy;
        let charge = model::charge::create(16 * 1024, total_units(&index_costs(&policy, &item)));
        assert!((charge.as_f64() / published - 1.0).abs() < 0.02, "{kind}: {charge}");
    }
}

/// The container of the documented example, with 35 items of the group asked for.
async fn nutrition(composite: &str) -> (Account, ContainerLink) {
    let account = account(ChargeProfile::Azure).await;
    let link = account.container(policy(&["/foodGroup/?", "/pk/?"], composite)).await;
    for number in 0..NUTRITION_ITEMS {
        let every = NUTRITION_ITEMS / GROUP_ITEMS;
        let is_soup = number % every == 0 && number / every < GROUP_ITEMS;
        let group = if is_soup { "Soups" } else { "Other" };
        let item = format!(r#"{{"id":"{number}","pk":"{number}","foodGroup":"{group}"}}"#);
        account.pay_create(&link, &padded(&item, NUTRITION_BYTES as usize)).await;
    }
    (account, link)
}

fn published(what: &str) -> f64 {
    figures().iter().find(|figure| figure.what == what).unwrap().published
}

#[tokio::test]
async fn a_composite_index_brings_the_documented_query_from_44_to_9() {
    let (account, link) = nutrition("").await;
    let text = "SELECT * FROM c WHERE c.foodGroup = 'Soups' ORDER BY c._ts";
    let plain = account.pay_query(&link, text, None, 1000).await;
    assert_eq!(plain.value.rows.len() as u64, GROUP_ITEMS);
    let walked =
        QueryCounters { index_entries: NUTRITION_ITEMS, ..found(2, GROUP_ITEMS, NUTRITION_BYTES) };
    assert_eq!(plain.charge, price(walked));
    let off = plain.charge.as_f64() / published("filter and ORDER BY another property") - 1.0;
    assert!(off.abs() < 0.008, "{}", plain.charge);
    // Pages share the walk.
    let half = account.pay_query(&link, text, None, 7).await;
    let share = QueryCounters {
        index_entries: NUTRITION_ITEMS * 7 / GROUP_ITEMS,
        ..found(2, 7, NUTRITION_BYTES)
    };
    assert_eq!(half.charge, price(share));

    let paths = r#","compositeIndexes":[[{"path":"/foodGroup"},{"path":"/_ts"}]]"#;
    account
        .alter(&link, |properties| {
            properties.indexing_policy = policy(&["/foodGroup/?", "/pk/?"], paths).indexing_policy;
        })
        .await
        .unwrap();
    while account.engine.maintain().await.unwrap().more {}
    let text = "SELECT * FROM c WHERE c.foodGroup = 'Soups' ORDER BY c.foodGroup, c._ts";
    let served = account.pay_query(&link, text, None, 1000).await;
    assert_eq!(served.charge, price(found(1, GROUP_ITEMS, NUTRITION_BYTES)));
    let off = served.charge.as_f64() / published("the same, served by a composite index") - 1.0;
    assert!(off.abs() < 0.045, "{}", served.charge);
}

#[tokio::test]
async fn an_index_turns_a_scan_into_a_lookup() {
    let account = account(ChargeProfile::Azure).await;
    let link = account.container(policy(&["/name/?"], "")).await;
    for number in 0..200 {
        let item = format!(r#"{{"id":"{number}","pk":"p","name":"n{number}","nick":"k{number}"}}"#);
        account.pay_create(&link, &padded(&item, 1024)).await;
    }
    let ask = async |text: &str| account.pay_query(&link, text, Some("p"), 100).await.charge;
    let indexed = ask("SELECT * FROM c WHERE c.name = 'n7'").await;
    let scanned = ask("SELECT * FROM c WHERE c.nick = 'k7'").await;
    assert_eq!(indexed.to_string(), "2.84");
    assert_eq!(scanned.to_string(), "6.71");
}
