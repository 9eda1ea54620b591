//! Promises about databases and containers.

use model::{PartitionKeyDefinition, Throughput, TimeToLive};

use super::ContractFixture;
use super::check::{AccountCaseResult, equal, fails_with, holds};
use crate::error::ErrorKind;

pub(super) async fn a_database_is_created_only_when_it_is_missing(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let again = fixture.database.create_if_missing(None).await?;
    equal("created again", again.value, false)?;
    fixture.database.read().await?;
    let other = fixture.account.database(&fixture.fresh("missing"))?;
    fails_with("a missing database", other.read().await, ErrorKind::NotFound)
}

pub(super) async fn a_container_is_created_once_with_its_properties(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let key = PartitionKeyDefinition::single("/other")?;
    let there = fixture.orders.create_if_missing(fixture.orders.properties(key), None).await?.value;
    let expected = PartitionKeyDefinition::single("/customer")?;
    equal("its partition key", there.partition_key.to_json(), expected.to_json())?;
    equal("its time to live", there.default_time_to_live, TimeToLive::NoDefault)?;
    let places = fixture.places.read_properties().await?.value;
    let expected = PartitionKeyDefinition::hierarchical(&["/world", "/kind"])?;
    equal("a hierarchical key", places.partition_key.to_json(), expected.to_json())
}

pub(super) async fn properties_of_a_container_are_replaced(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let read = fixture.orders.read_properties().await?;
    holds("a container has an etag", read.etag.is_some())?;
    let mut properties = read.value;
    let other = TimeToLive::Seconds(86_400);
    properties.default_time_to_live = other;
    let replaced = fixture.orders.replace_properties(properties.clone()).await?;
    equal("the new time to live", replaced.value.default_time_to_live, other)?;
    let read = fixture.orders.read_properties().await?.value;
    equal("the stored time to live", read.default_time_to_live, other)?;
    properties.default_time_to_live = TimeToLive::NoDefault;
    fixture.orders.replace_properties(properties).await?;
    Ok(())
}

pub(super) async fn another_partition_key_is_refused(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let mut properties = fixture.orders.read_properties().await?.value;
    properties.partition_key = PartitionKeyDefinition::single("/another")?;
    let refused = fixture.orders.replace_properties(properties).await;
    fails_with("another partition key", refused, ErrorKind::BadRequest)
}

pub(super) async fn what_is_missing_is_not_found(fixture: ContractFixture) -> AccountCaseResult {
    let missing = fixture.database.container(&fixture.fresh("missing"))?;
    fails_with("its properties", missing.read_properties().await, ErrorKind::NotFound)?;
    let read = missing.read::<serde_json::Value>(&"a".into(), "a").await;
    fails_with("an item in it", read, ErrorKind::NotFound)?;
    fails_with("a name with a slash", fixture.database.container("a/b"), ErrorKind::BadRequest)
}

pub(super) async fn databases_and_containers_are_listed(
    fixture: ContractFixture,
) -> AccountCaseResult {
    let databases = fixture.account.list_databases().await?.value;
    holds("its database", databases.contains(fixture.database.id()))?;
    let containers = fixture.database.list_containers().await?.value;
    let names: Vec<&str> = containers.iter().map(|one| one.id.as_str()).collect();
    for name in ["leases", "orders", "places"] {
        holds("its containers", names.contains(&name))?;
    }
    holds("by name", names.is_sorted())?;
    let missing = fixture.account.database(&fixture.fresh("missing"))?.list_containers().await;
    fails_with("containers of a missing database", missing, ErrorKind::NotFound)
}

pub(super) async fn throughput_is_read_and_replaced(fixture: ContractFixture) -> AccountCaseResult {
    let container = fixture.database.container("metered")?;
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
    equal("of the database", fixture.database.read_throughput().await?.value, None)?;
    let refused = fixture.database.replace_throughput(manual).await;
    fails_with("throughput that is not there", refused, ErrorKind::NotFound)
}
