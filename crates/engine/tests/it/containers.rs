//! Containers: create, read, replace, list, delete.

use engine::operation::{CreateContainer, ReplaceContainer};
use engine::{ContainerLink, ErrorKind};
use model::{
    EtagPattern, ImmutableProperty, IndexingMode, PartitionKeyDefinition, Precondition,
    PropertyPath, TimeToLive, UniqueKey,
};

use crate::account::{Account, container, json, plain};
use crate::verbs::refused;

#[tokio::test]
async fn a_container_is_created_read_listed_and_deleted() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    account.container(plain("b")).await;
    let resource = account.resource(&link).await;
    assert_eq!(resource.properties, plain("c"));
    assert_eq!(resource.index_progress_percent, 100);
    assert_eq!(resource.usage.items, 0);
    let listed = account.engine.list_containers(&link.database).await.unwrap().value;
    let ids: Vec<_> = listed.iter().map(|each| each.properties.id.as_str()).collect();
    assert_eq!(ids, ["b", "c"]);
    account.engine.delete_container(&link).await.unwrap();
    refused(account.engine.read_container(&link).await, ErrorKind::OwnerNotFound);
    refused(account.engine.delete_container(&link).await, ErrorKind::OwnerNotFound);
    refused(account.engine.list_partitions(&link).await, ErrorKind::OwnerNotFound);
    refused(account.create(&link, r#"{"id":"a","pk":"x"}"#).await, ErrorKind::OwnerNotFound);
}

#[tokio::test]
async fn a_container_needs_its_database_and_a_free_id() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let before = account.resource(&link).await;
    let create = |database: &str| CreateContainer {
        database: model::DatabaseId::new(database).unwrap(),
        properties: plain("c"),
        throughput: None,
    };
    refused(account.engine.create_container(create("none")).await, ErrorKind::OwnerNotFound);
    refused(account.engine.create_container(create("d")).await, ErrorKind::Conflict);
    assert_eq!(account.resource(&link).await, before);
}

#[tokio::test]
async fn properties_survive_reopening_with_unknown_members() {
    let account = Account::new().await;
    let properties = container(
        r#"{"id":"c","partitionKey":{"paths":["/a","/b/c"],"kind":"MultiHash","version":2},
            "defaultTtl":60,"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/mail"]}]},
            "indexingPolicy":{"indexingMode":"consistent",
              "includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/x/?"}],
              "compositeIndexes":[[{"path":"/a"},{"path":"/b","order":"descending"}]]},
            "changeFeedPolicy":{"retentionDuration":10},"somethingNew":{"a":[1]}}"#,
    );
    let link = account.container(properties.clone()).await;
    let before = account.resource(&link).await;
    let account = account.reopened().await;
    assert_eq!(account.resource(&link).await, before);
    assert_eq!(before.properties, properties);
    assert_eq!(before.properties.to_json().get("somethingNew"), Some(&json(r#"{"a":[1]}"#)));
}

#[tokio::test]
async fn what_cannot_change_is_refused_by_name() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let before = account.resource(&link).await;
    let text = refused(
        account
            .alter(&link, |properties| {
                properties.partition_key = PartitionKeyDefinition::single("/other").unwrap();
            })
            .await,
        ErrorKind::Immutable(ImmutableProperty::PartitionKey),
    );
    assert!(text.contains("partition key"), "{text}");
    let text = refused(
        account
            .alter(&link, |properties| {
                let paths = vec![PropertyPath::parse("/mail").unwrap()];
                properties.unique_keys.push(UniqueKey::new(paths).unwrap());
            })
            .await,
        ErrorKind::Immutable(ImmutableProperty::UniqueKeys),
    );
    assert!(text.contains("unique index"), "{text}");
    assert_eq!(account.resource(&link).await, before);
}

#[tokio::test]
async fn properties_that_contradict_each_other_are_refused() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let mut properties = plain("other");
    properties.indexing_policy.mode = IndexingMode::None;
    properties.default_time_to_live = TimeToLive::Seconds(5);
    let create = CreateContainer {
        database: link.database.clone(),
        properties: properties.clone(),
        throughput: None,
    };
    refused(account.engine.create_container(create).await, ErrorKind::Invalid);
    assert_eq!(account.engine.list_containers(&link.database).await.unwrap().value.len(), 1);
    let contradict = |own: &mut model::ContainerProperties| {
        own.indexing_policy = properties.indexing_policy.clone();
        own.default_time_to_live = properties.default_time_to_live;
    };
    refused(account.alter(&link, contradict).await, ErrorKind::Invalid);
}

#[tokio::test]
async fn a_replace_heeds_the_etag_and_gives_a_new_one() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let first = account.resource(&link).await;
    let replace = |etag: String| {
        let mut properties = plain("c");
        properties.default_time_to_live = TimeToLive::NoDefault;
        let precondition = Some(Precondition::IfMatch(EtagPattern::parse(&etag)));
        ReplaceContainer { link: link.clone(), properties, precondition }
    };
    account.travel(5);
    let wrong = replace("\"x\"".to_owned());
    refused(account.engine.replace_container(wrong).await, ErrorKind::PreconditionFailed);
    assert_eq!(account.resource(&link).await, first);
    let right = replace(first.etag.to_string());
    let second = account.engine.replace_container(right).await.unwrap().value;
    assert_ne!(second.etag, first.etag);
    assert_eq!(second.timestamp.0, first.timestamp.0 + 5);
    assert_eq!(second.rid, first.rid);
    assert_eq!(second.properties.default_time_to_live, TimeToLive::NoDefault);
    let missing = ContainerLink::new("d", "none").unwrap();
    let missing = ReplaceContainer { link: missing, ..replace(second.etag.to_string()) };
    refused(account.engine.replace_container(missing).await, ErrorKind::OwnerNotFound);
}

#[tokio::test]
async fn a_container_made_again_is_another_one() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    account.create(&link, r#"{"id":"a","pk":"x"}"#).await.unwrap();
    let first = account.resource(&link).await;
    account.engine.delete_container(&link).await.unwrap();
    account.container(plain("c")).await;
    let second = account.resource(&link).await;
    assert_ne!(first.rid, second.rid);
    assert_eq!(second.usage.items, 0);
    refused(account.read(&link, "x", "a").await, ErrorKind::NotFound);
    account.engine.maintain_fully().await.unwrap();
    account.create(&link, r#"{"id":"a","pk":"x"}"#).await.unwrap();
    account.verify().await;
}

#[tokio::test]
async fn usage_counts_items_and_their_bytes() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let a = account.create(&link, r#"{"id":"a","pk":"x"}"#).await.unwrap();
    let b = account.create(&link, r#"{"id":"b","pk":"y","long":"text"}"#).await.unwrap();
    let usage = account.resource(&link).await.usage;
    assert_eq!(usage.items, 2);
    assert_eq!(usage.item_bytes, (a.text().len() + b.text().len()) as u64);
    account.delete(&link, "x", "a").await.unwrap();
    let usage = account.resource(&link).await.usage;
    assert_eq!((usage.items, usage.item_bytes), (1, b.text().len() as u64));
    let account = account.reopened().await;
    assert_eq!(account.resource(&link).await.usage, usage);
}
