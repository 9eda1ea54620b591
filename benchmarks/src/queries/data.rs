//! The data set of the query benchmarks: items of 1 KB, 100 in every logical partition, at several sizes.
//!
//! Owns what an item looks like and the indexing policy. A larger data set has more logical partitions, never larger
//! ones, and every batch has 100 items in 100 logical partitions: the answers to all queries but the full scan stay as
//! large as they are, so only the work to find them can grow. Does not own the queries.

use std::path::Path;

use engine::operation::{CreateContainer, CreateDatabase};
use engine::{ContainerLink, Engine};
use model::{
    ContainerId, ContainerProperties, DatabaseId, DatabaseProperties, IndexingPolicy, Json, Object,
    PartitionKeyDefinition,
};
use storage_lsm::Durability;

use crate::child::{LOADING_CALLERS, RELAXED};
use crate::data::{create_derived_items, hash_number, open, text};
use crate::{Error, Result, progress};

/// Items of one logical partition, and of one batch.
pub(crate) const PARTITION_ITEMS: u64 = 100;
/// Different stocks: 20 items in 10,000 have the same.
pub(crate) const STOCKS: u64 = 500;
/// Different remarks; a filter on one of them leaves one item in so many.
const REMARKS: u64 = 1_000;
const STATUSES: [&str; 4] = ["open", "paid", "packed", "sent"];
const TEXTS: [&str; 10] =
    ["title", "street", "town", "note", "maker", "origin", "label", "route", "owner", "subject"];
/// All paths but one; and a composite index of the status and the time.
const POLICY: &str = r#"{
    "indexingMode": "consistent",
    "automatic": true,
    "includedPaths": [{"path": "/*"}],
    "excludedPaths": [{"path": "/remark/?"}, {"path": "/\"_etag\"/?"}],
    "compositeIndexes": [[
        {"path": "/status", "order": "ascending"},
        {"path": "/created", "order": "ascending"}
    ]]
}"#;

/// The container everything is in.
pub(super) fn link() -> Result<ContainerLink> {
    Ok(ContainerLink::new("benchmarks", "orders")?)
}

/// Refuses a size that does not fill its last logical partition.
pub(super) fn check(items: u64) -> Result<()> {
    if items == 0 || !items.is_multiple_of(PARTITION_ITEMS) {
        return Err(format!("{items} items: give a multiple of {PARTITION_ITEMS}").into());
    }
    Ok(())
}

/// Loads a new store with so many items and closes it.
pub(crate) async fn load(folder: &Path, items: u64) -> Result<()> {
    check(items)?;
    let engine = open(folder, RELAXED, None).await?;
    create_container(&engine).await?;
    let bar = progress::bar(items, &format!("loading {items} items"));
    let partitions = items / PARTITION_ITEMS;
    let item = move |number| item(number, partitions);
    create_derived_items(&engine, &link()?, 0..items, LOADING_CALLERS, &bar, item).await?;
    bar.finish_and_clear();
    engine.close().await?;
    Ok(())
}

/// Opens a loaded store.
pub(super) async fn open_loaded(folder: &Path) -> Result<Engine> {
    open(folder, Durability::Synced, None).await
}

async fn create_container(engine: &Engine) -> Result<()> {
    let database = DatabaseId::new("benchmarks")?;
    let properties = DatabaseProperties { id: database.clone() };
    engine.create_database(CreateDatabase { properties, throughput: None }).await?;
    let properties =
        ContainerProperties { indexing_policy: policy()?, ..properties_of_container()? };
    engine.create_container(CreateContainer { database, properties, throughput: None }).await?;
    Ok(())
}

/// How the partition key of an item is found.
pub(super) fn definition() -> Result<PartitionKeyDefinition> {
    Ok(PartitionKeyDefinition::single("/customer")?)
}

/// Which paths are indexed.
pub(super) fn policy() -> Result<IndexingPolicy> {
    let json = Json::parse(POLICY.as_bytes()).map_err(|error| Error::from(error.to_string()))?;
    Ok(IndexingPolicy::from_json(&json)?)
}

fn properties_of_container() -> Result<ContainerProperties> {
    Ok(ContainerProperties::new(ContainerId::new("orders")?, definition()?))
}

/// The partition key of a logical partition by its number.
pub(crate) fn customer(partition: u64) -> String {
    format!("customer-{partition:06}")
}

/// A status by its number; a quarter of every logical partition has it.
pub(super) fn status(number: u64) -> &'static str {
    let place = usize::try_from(number % 4).unwrap_or_default();
    STATUSES.get(place).copied().unwrap_or_default()
}

/// A remark by its number.
pub(super) fn remark(number: u64) -> String {
    format!("remark-{:04}", number % REMARKS)
}

/// The remarks of so many items.
pub(super) fn remarks(items: u64) -> impl Iterator<Item = String> {
    (0..items).map(remark_of)
}

fn remark_of(number: u64) -> String {
    remark(hash_number(number) >> 32)
}

/// An item by its number, in one of so many logical partitions.
pub(crate) fn item(number: u64, partitions: u64) -> Json {
    let integer = |number: u64| i64::try_from(number).unwrap_or_default();
    let mut object = Object::new();
    object.insert("id", format!("order-{number:010}"));
    object.insert("customer", customer(number % partitions));
    object.insert("status", status(number / partitions));
    object.insert("created", integer(hash_number(number) % 1_000_000_000));
    object.insert("batch", integer(number / PARTITION_ITEMS));
    object.insert("remark", remark_of(number));
    object.insert("price", integer(hash_number(number + 1) % 100_000));
    object.insert("stock", integer(hash_number(number + 2) % STOCKS));
    for (place, name) in (0..).zip(TEXTS) {
        object.insert(name, text(hash_number(number * 100 + place)));
    }
    Json::Object(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_has_about_a_kilobyte() {
        let bytes = item(12_345, 1_000).to_bytes().len();
        assert!((900..1100).contains(&bytes), "{bytes}");
    }

    #[test]
    fn every_batch_is_spread_over_as_many_logical_partitions_as_it_has_items() {
        let of = |name: &str, number| item(number, 100).get(name).map(ToString::to_string);
        let mut customers: Vec<_> = (0..10_000)
            .filter(|number| of("batch", *number).as_deref() == Some("7"))
            .map(|number| of("customer", number))
            .collect();
        customers.sort();
        customers.dedup();
        assert_eq!(customers.len(), 100);
    }

    #[test]
    fn a_status_fills_a_page_of_twenty_in_every_logical_partition() {
        let of = |number| item(number, 50).get("status").and_then(Json::as_str).map(str::to_owned);
        let open = (0..100).filter(|place| of(7 + place * 50).as_deref() == Some("open"));
        assert_eq!(open.count(), 25);
    }
}
