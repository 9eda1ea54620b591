//! Promises about databases and containers.

use model::{PartitionKeyDefinition, Throughput, TimeToLive};

use super::Ground;
use super::check::{Checked, equal, fails_with, holds};
use crate::error::ErrorKind;

pub(super) async fn a_database_is_created_only_when_it_is_missing(ground: Ground) -> Checked {
    let again = ground.database.create_if_missing(None).await?;
    equal("created again", again.value, false)?;
    ground.database.read().await?;
    let other = ground.account.database(&ground.fresh("missing"))?;
    fails_with("a missing database", other.read().await, ErrorKind::NotFound)
}

pub(super) async fn a_container_is_created_once_with_its_properties(ground: Ground) -> Checked {
    let key = PartitionKeyDefinition::single("/other")?;
    let there = ground.orders.create_if_missing(ground.orders.properties(key), None).await?.value;
    let expected = PartitionKeyDefinition::single("/customer")?;
    equal("its partition key", there.partition_key.to_json(), expected.to_json())?;
    equal("its time to live", there.default_time_to_live, TimeToLive::NoDefault)?;
    let places = ground.places.read_properties().await?.value;
    let expected = PartitionKeyDefinition::hierarchical(&["/world", "/kind"])?;
    equal("a hierarchical key", places.partition_key.to_json(), expected.to_json())
}

pub(super) async fn properties_of_a_container_are_replaced(ground: Ground) -> Checked {
    let read = ground.orders.read_properties().await?;
    holds("a container has an etag", read.etag.is_some())?;
    let mut properties = read.value;
    let other = TimeToLive::Seconds(86_400);
    properties.default_time_to_live = other;
    let replaced = ground.orders.replace_properties(properties.clone()).await?;
    equal("the new time to live", replaced.value.default_time_to_live, other)?;
    let read = ground.orders.read_properties().await?.value;
    equal("the stored time to live", read.default_time_to_live, other)?;
    properties.default_time_to_live = TimeToLive::NoDefault;
    ground.orders.replace_properties(properties).await?;
    Ok(())
}

pub(super) async fn another_partition_key_is_refused(ground: Ground) -> Checked {
    let mut properties = ground.orders.read_properties().await?.value;
    properties.partition_key = PartitionKeyDefinition::single("/another")?;
    let refused = ground.orders.replace_properties(properties).await;
    fails_with("another partition key", refused, ErrorKind::BadRequest)
}

pub(super) async fn what_is_missing_is_not_found(ground: Ground) -> Checked {
    let missing = ground.database.container(&ground.fresh("missing"))?;
    fails_with("its properties", missing.read_properties().await, ErrorKind::NotFound)?;
    let read = missing.read::<serde_json::Value>(&"a".into(), "a").await;
    fails_with("an item in it", read, ErrorKind::NotFound)?;
    fails_with("a name with a slash", ground.database.container("a/b"), ErrorKind::BadRequest)
}

pub(super) async fn databases_and_containers_are_listed(ground: Ground) -> Checked {
    let databases = ground.account.list_databases().await?.value;
    holds("its database", databases.contains(ground.database.id()))?;
    let containers = ground.database.list_containers().await?.value;
    let names: Vec<&str> = containers.iter().map(|one| one.id.as_str()).collect();
    for name in ["leases", "orders", "places"] {
        holds("its containers", names.contains(&name))?;
    }
    holds("by name", names.is_sorted())?;
    let missing = ground.account.database(&ground.fresh("missing"))?.list_containers().await;
    fails_with("containers of a missing database", missing, ErrorKind::NotFound)
}

pub(super) async fn throughput_is_read_and_replaced(ground: Ground) -> Checked {
    let container = ground.database.container("metered")?;
    let key = PartitionKeyDefinition::single("/id")?;
    let manual = Throughput::manual(400)?;
    container.create_if_missing(container.properties(key), Some(manual)).await?;
    let other = match container.read_throughput().await?.value {
        Some(Throughput::Manual(400)) => Throughput::manual(500)?,
        _ => manual,
    };
    let replaced = container.replace_throughput(other).await?.value;
    equal("the new throughput", replaced, Some(other))?;
    equal("the stored throughput", container.read_throughput().await?.value, Some(other))?;
    equal("of the database", ground.database.read_throughput().await?.value, None)?;
    let refused = ground.database.replace_throughput(manual).await;
    fails_with("throughput that is not there", refused, ErrorKind::NotFound)
}
