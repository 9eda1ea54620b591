//! The data set: items of 1 KB with 20 properties, all indexed, in 2,000 logical partitions of one container.
//!
//! Owns what an item looks like and how many callers create them. Items follow from their number alone, so every round
//! writes the same ones.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::operation::{CreateContainer, CreateDatabase, CreateItem, ReadItem};
use engine::{ContainerLink, Engine, Environment, SPACES};
use indicatif::ProgressBar;
use model::{
    ContainerId, ContainerProperties, DatabaseId, DatabaseProperties, ItemId, Json, Object,
    PartitionKey, PartitionKeyDefinition,
};
use storage::Store;
use storage_lsm::{Durability, LsmSettings, LsmStore};
use tokio::task::JoinSet;

use crate::Result;
use crate::tape::Recorder;

/// Write sets before the first item: the database and the container.
pub(crate) const CATALOG_SETS: u64 = 2;

const LOGICAL_PARTITIONS: u64 = 2_000;
const WORDS: [&str; 16] = [
    "amber", "basalt", "cedar", "dune", "ember", "fjord", "granite", "harbor", "island", "juniper",
    "kelp", "lagoon", "meadow", "north", "orchard", "prairie",
];
const TEXTS: [&str; 10] =
    ["title", "street", "town", "note", "maker", "origin", "label", "route", "owner", "remark"];
const NUMBERS: [&str; 6] = ["price", "stock", "weight", "height", "rating", "revision"];
const FLAGS: [&str; 2] = ["active", "hidden"];

/// The container everything is in.
pub(crate) fn link() -> Result<ContainerLink> {
    Ok(ContainerLink::new("benchmarks", "items")?)
}

/// Opens the engine on an LSM store with default settings but for the durability.
pub(crate) async fn open(
    folder: &Path,
    durability: Durability,
    tape: Option<&Path>,
) -> Result<Engine> {
    let store =
        LsmStore::open(folder, SPACES, LsmSettings { durability, ..LsmSettings::default() })?;
    let store: Arc<dyn Store> = match tape {
        Some(tape) => Arc::new(Recorder::new(store, tape)?),
        None => store,
    };
    Ok(Engine::open(store, Environment::system(), engine::EngineSettings::default()).await?)
}

/// Creates the empty container.
pub(crate) async fn create_container(engine: &Engine) -> Result<()> {
    let database = DatabaseId::new("benchmarks")?;
    let properties = DatabaseProperties { id: database.clone() };
    engine.create_database(CreateDatabase { properties, throughput: None }).await?;
    let definition = PartitionKeyDefinition::single("/customer")?;
    let properties = ContainerProperties::new(ContainerId::new("items")?, definition);
    let throughput = None;
    engine.create_container(CreateContainer { database, properties, throughput }).await?;
    Ok(())
}

/// Creates the items of a range with so many callers at once.
pub(crate) async fn create_items(
    engine: &Engine,
    numbers: Range<u64>,
    callers: u64,
    bar: &ProgressBar,
) -> Result<()> {
    create_made_items(engine, &link()?, numbers, callers, bar, item).await
}

/// Creates items that follow from their numbers.
pub(crate) async fn create_made_items(
    engine: &Engine,
    container: &ContainerLink,
    numbers: Range<u64>,
    callers: u64,
    bar: &ProgressBar,
    item: impl Fn(u64) -> Json + Copy + Send + Sync + 'static,
) -> Result<()> {
    let next = Arc::new(AtomicU64::new(numbers.start));
    let mut tasks = JoinSet::new();
    for _ in 0..callers {
        let (engine, next, bar) = (engine.clone(), Arc::clone(&next), bar.clone());
        let container = container.clone();
        let end = numbers.end;
        tasks.spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= end {
                    return Ok(());
                }
                let create = CreateItem {
                    container: container.clone(),
                    partition_key: None,
                    item: item(number).into(),
                    options: Default::default(),
                };
                engine.create_item(create).await?;
                if number % 64 == 0 {
                    bar.inc(64);
                }
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done?.map_err(|error: engine::Error| error)?;
    }
    Ok(())
}

/// The read of one item.
pub(crate) fn read_item(container: &ContainerLink, number: u64) -> Result<ReadItem> {
    Ok(ReadItem {
        container: container.clone(),
        partition_key: PartitionKey::from(customer(number).as_str()),
        id: ItemId::new(id(number))?,
        options: Default::default(),
    })
}

/// Where an item is: its partition key and its id.
pub(crate) fn name(number: u64) -> (PartitionKey, String) {
    (PartitionKey::from(customer(number).as_str()), id(number))
}

/// The numbers below `items` in an order that has nothing to do with how they were written.
pub(crate) fn shuffled(items: u64) -> Vec<u64> {
    let mut numbers: Vec<_> = (0..items).collect();
    numbers.sort_by_cached_key(|number| hash_number(*number));
    numbers
}

fn id(number: u64) -> String {
    format!("item-{number:010}")
}

fn customer(number: u64) -> String {
    format!("customer-{:04}", number % LOGICAL_PARTITIONS)
}

fn item(number: u64) -> Json {
    let mut object = Object::new();
    object.insert("id", id(number));
    object.insert("customer", customer(number));
    for (place, name) in (0..).zip(TEXTS) {
        object.insert(name, text(hash_number(number * 100 + place)));
    }
    for (place, name) in (50..).zip(NUMBERS) {
        let value = hash_number(number * 100 + place) % 1_000_000;
        object.insert(name, i64::try_from(value).unwrap_or_default());
    }
    for (place, name) in (70..).zip(FLAGS) {
        object.insert(name, hash_number(number * 100 + place).is_multiple_of(2));
    }
    Json::Object(object)
}

/// Ten words that follow from a seed.
pub(crate) fn text(seed: u64) -> String {
    let word = |place: u64| {
        let index = usize::try_from((seed >> (4 * place)) % 16).unwrap_or_default();
        WORDS.get(index).copied().unwrap_or_default()
    };
    (0..10).map(word).collect::<Vec<_>>().join(" ")
}

/// A hash of a number, by the finaliser of SplitMix64. Data follows from numbers alone, whatever was made before.
pub(crate) fn hash_number(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_has_about_a_kilobyte_and_twenty_properties() {
        let item = item(12_345);
        assert_eq!(item.as_object().unwrap().len(), 20);
        let bytes = item.to_bytes().len();
        assert!((900..1100).contains(&bytes), "{bytes}");
    }
}
