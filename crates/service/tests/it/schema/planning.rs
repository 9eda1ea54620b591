//! Plans as text.

use client::{Throughput, TimeToLive};
use service::schema::{Effect, SchemaApplyError, SchemaStep};

use super::fixture::{Fixture, toml};

const SHOP: &str = r#"
[database.shop.container.orders]
partition_key = "/customer"
throughput = 400
"#;

#[tokio::test]
async fn missing_resources_are_created() {
    let fixture = Fixture::new().await;
    fixture
        .check(
            r#"
            [database.shop]
            throughput = 1000
            [database.shop.container.orders]
            partition_key = ["/tenant", "/customer"]
            default_ttl = -1
            unique_keys = [["/number"]]
            [database.shop.container.events]
            partition_key = "/id"
            autoscale_max_throughput = 4000
            indexing.excluded = ["/note/?"]
            "#,
            "
+ database shop: 1000 RU/s
+ container shop/orders: partition key /tenant, /customer, default_ttl on, no default, 1 unique key
+ container shop/events: partition key /id, its own indexing policy, autoscale up to 4000 RU/s

3 to create, 0 to change, 0 as declared.",
        )
        .await;
}

#[tokio::test]
async fn a_new_time_to_live_says_how_many_items_expire_at_once() {
    let fixture = Fixture::with(SHOP).await;
    for (id, ttl) in
        [("1", None), ("2", None), ("3", Some(-1)), ("4", Some(60)), ("5", Some(86_400))]
    {
        fixture.put(id, ttl).await;
    }
    let later = fixture.later(3600);
    let with = |ttl: &str| format!("{SHOP}default_ttl = {ttl}\n");
    // Two without a time to live of their own are an hour old, one had sixty seconds.
    later
        .check(
            &with("1800"),
            "
~ container shop/orders
    default_ttl: off -> 1800 s
      3 of 5 items expire at once

0 to create, 1 to change, 1 as declared.",
        )
        .await;
    later
        .check(
            &with("172800"),
            "
~ container shop/orders
    default_ttl: off -> 172800 s (2 days)
      1 of 5 items expire at once

0 to create, 1 to change, 1 as declared.",
        )
        .await;
    later
        .check(
            &with("-1"),
            "
~ container shop/orders
    default_ttl: off -> on, no default
      1 of 5 items expire at once

0 to create, 1 to change, 1 as declared.",
        )
        .await;
    let plan = toml(&with("7200")).plan(&fixture.account).await.unwrap();
    let Some(SchemaStep::ReplaceProperties { changes, .. }) = plan.steps.first() else {
        panic!("{plan}");
    };
    assert_eq!(changes[0].effect, Some(Effect::Expiry { expiring: 0, items: 5 }));
}

#[tokio::test]
async fn a_shorter_time_to_live_is_counted_and_applied() {
    let fixture = Fixture::with(&format!("{SHOP}default_ttl = -1\n")).await;
    fixture.put("1", None).await;
    fixture.put("2", Some(86_400)).await;
    let schema = toml(&format!("{SHOP}default_ttl = 1\n"));
    let later = fixture.later(2);
    let plan = schema.plan(&later.account).await.unwrap();
    assert!(plan.to_string().contains("1 of 2 items expire at once"), "{plan}");
    schema.apply(&fixture.account).await.unwrap();
    let orders = fixture.account.database("shop").unwrap().container("orders").unwrap();
    let properties = orders.read_properties().await.unwrap().value;
    assert_eq!(properties.default_time_to_live, TimeToLive::Seconds(1));
    assert!(schema.plan(&fixture.account).await.unwrap().is_up_to_date());
}

#[tokio::test]
async fn an_indexing_change_says_what_changes_and_how_many_items_are_indexed_again() {
    let fixture = Fixture::with(SHOP).await;
    fixture.put("1", None).await;
    fixture.put("2", None).await;
    let other = format!(
        "{SHOP}{}",
        r#"
        [database.shop.container.orders.indexing]
        included = ["/customer/?"]
        excluded = ["/*"]
        composite = [["/customer", "/total descending"]]
        "#
    );
    fixture
        .check(
            &other,
            r#"
~ container shop/orders
    indexing policy:
      - included /*
      + included /customer/?
      + excluded /*
      + composite (/customer, /total descending)
      2 items are indexed again, in the background

0 to create, 1 to change, 1 as declared."#,
        )
        .await;
    toml(&other).apply(&fixture.account).await.unwrap();
    fixture.check(&other, "Nothing to do: 2 as declared.").await;
}

#[tokio::test]
async fn defaults_of_the_service_are_no_difference() {
    let fixture = Fixture::with(SHOP).await;
    let spelled_out = format!(
        "{SHOP}{}",
        r#"
        [database.shop.container.orders.indexing]
        mode = "consistent"
        automatic = true
        included = ["/*"]
        excluded = ['/"_etag"/?']
        "#
    );
    fixture.check(&spelled_out, "Nothing to do: 2 as declared.").await;
    let versioned = SHOP.replace("throughput", "partition_key_version = 2\nthroughput");
    fixture.check(&versioned, "Nothing to do: 2 as declared.").await;
    let old = SHOP.replace("throughput", "partition_key_version = 1\nthroughput");
    let plan = toml(&old).plan(&fixture.account).await.unwrap();
    assert_eq!(plan.obstacles.len(), 1, "{plan}");
    assert_eq!(plan.obstacles[0].differences, ["/customer (version 2) -> /customer (version 1)"]);
    // An old container is what a declaration without a version means, too.
    let fixture = Fixture::with(&old).await;
    fixture.check(SHOP, "Nothing to do: 2 as declared.").await;
}

#[tokio::test]
async fn another_partition_key_and_other_unique_keys_are_refused_with_the_way_out() {
    let fixture = Fixture::with(SHOP).await;
    let other = r#"
        [database.shop.container.orders]
        partition_key = ["/tenant", "/customer"]
        unique_keys = [["/number"], ["/a", "/b"]]
        default_ttl = 60
        "#;
    fixture
        .check(
            other,
            "
~ container shop/orders
    default_ttl: off -> 60 s
      none of 0 items expires at once
! container shop/orders
    partition key: /customer -> /tenant, /customer
      the partition key of a container is chosen when it is created
      declare it as shop/orders-v2, apply, and copy:
      planisphere copy --from-data ./shop --from shop/orders --to shop/orders-v2 --partition-key /tenant \
--partition-key /customer --verify
! container shop/orders
    unique keys:
      + (/a, /b)
      + (/number)
      unique keys of a container are chosen when it is created
      declare it as shop/orders-v2, apply, and copy:
      planisphere copy --from-data ./shop --from shop/orders --to shop/orders-v2 --partition-key /tenant \
--partition-key /customer --verify

0 to create, 1 to change, 2 that cannot be changed, 1 as declared.",
        )
        .await;
    let refused = toml(other).apply(&fixture.account).await.unwrap_err();
    assert!(matches!(refused, SchemaApplyError::Refused(_)), "{refused}");
    // Nothing was done, not even what could be.
    fixture.check(SHOP, "Nothing to do: 2 as declared.").await;
}

#[tokio::test]
async fn throughput_changes_where_it_is_and_is_refused_where_it_is_not() {
    let fixture = Fixture::with(&format!("[database.shop]\nthroughput = 400\n{SHOP}")).await;
    let other = "[database.shop]\nautoscale_max_throughput = 2000\n".to_owned()
        + &SHOP.replace("throughput = 400", "throughput = 500");
    fixture
        .check(
            &other,
            "
~ database shop: throughput 400 RU/s -> autoscale up to 2000 RU/s
~ container shop/orders: throughput 400 RU/s -> 500 RU/s

0 to create, 2 to change, 0 as declared.",
        )
        .await;
    toml(&other).apply(&fixture.account).await.unwrap();
    let database = fixture.account.database("shop").unwrap();
    let stored = database.read_throughput().await.unwrap().value.map(|it| it.highest());
    assert_eq!(stored, Some(2000));
    let orders = database.container("orders").unwrap();
    assert_eq!(
        orders.read_throughput().await.unwrap().value,
        Some(Throughput::manual(500).unwrap())
    );

    let fixture = Fixture::with(SHOP).await;
    let shared = format!("[database.shop]\nthroughput = 400\n{SHOP}");
    let plan = toml(&shared).plan(&fixture.account).await.unwrap();
    assert_eq!(plan.obstacles.len(), 1, "{plan}");
    assert_eq!(plan.obstacles[0].differences, ["none of its own -> 400 RU/s"]);
    // What is not declared is left as it is.
    fixture.check(&SHOP.replace("throughput = 400", ""), "Nothing to do: 2 as declared.").await;
}

#[tokio::test]
async fn undeclared_resources_are_listed_and_left_alone() {
    let more = format!(
        "{SHOP}{}",
        "[database.shop.container.old]\npartition_key = \"/id\"\n[database.other]\n"
    );
    let fixture = Fixture::with(&more).await;
    fixture
        .check(
            SHOP,
            "
  container shop/old is not in the schema and is left alone
  database other is not in the schema and is left alone

Nothing to do: 2 as declared.",
        )
        .await;
    toml(SHOP).apply(&fixture.account).await.unwrap();
    assert!(fixture.account.database("other").unwrap().read().await.is_ok());
}

#[tokio::test]
async fn properties_the_schema_does_not_speak_of_survive_a_change() {
    let rich = format!(
        "{SHOP}{}",
        r#"
        [database.shop.container.orders.more]
        computedProperties = [{ name = "lower", query = "SELECT VALUE LOWER(c.name) FROM c" }]
        "#
    );
    let fixture = Fixture::with(&rich).await;
    toml(&format!("{SHOP}default_ttl = 60\n")).apply(&fixture.account).await.unwrap();
    let orders = fixture.account.database("shop").unwrap().container("orders").unwrap();
    let properties = orders.read_properties().await.unwrap().value;
    assert_eq!(properties.computed_properties.len(), 1);
    assert_eq!(properties.default_time_to_live, TimeToLive::Seconds(60));
    let removed =
        rich.replace(r#"[{ name = "lower", query = "SELECT VALUE LOWER(c.name) FROM c" }]"#, "[]");
    toml(&removed).apply(&fixture.account).await.unwrap();
    let properties = orders.read_properties().await.unwrap().value;
    assert!(properties.computed_properties.is_empty());
}
