//! The operations that the benchmark runs on the engine.

use std::sync::atomic::{AtomicU64, Ordering};

use engine::change_feed::{ChangeFeedMode, ChangeFeedStart, ReadChangeFeed};
use engine::operation::{
    CreateContainer, CreateDatabase, CreateItem, ReadItem, ReadOptions, WriteOptions,
};
use engine::{ContainerLink, Engine};
use indicatif::ProgressBar;
use model::{
    ContainerProperties, DatabaseProperties, FeedRange, ItemId, Json, Object, PartitionKey,
    PartitionKeyDefinition,
};

use super::measure::{Measurement, StepResult, now};
use crate::error::CommandError;

/// Logical partitions the items are spread over.
const PARTITION_KEYS: u64 = 1000;
/// Changes of one page.
const PAGE_CHANGES: usize = 1000;

/// The container under test.
pub(crate) struct Workload {
    engine: Engine,
    container: ContainerLink,
    item_bytes: u32,
    /// Number of items whose creation has started.
    begun: AtomicU64,
    /// Number of reads started.
    reads: AtomicU64,
    /// Items with a smaller number exist.
    loaded: AtomicU64,
}

impl Workload {
    /// Creates the database and the container.
    pub(crate) async fn create(engine: Engine, item_bytes: u32) -> Result<Self, CommandError> {
        let container = ContainerLink::new("bench", "items")
            .map_err(|error| CommandError::from_error("naming the container", &error))?;
        let definition = PartitionKeyDefinition::single("/partitionKey")
            .map_err(|error| CommandError::from_error("naming the partition key", &error))?;
        let properties = DatabaseProperties { id: container.database.clone() };
        let failed =
            |error: engine::Error| CommandError::from_error("creating the container", &error);
        engine
            .create_database(CreateDatabase { properties, throughput: None })
            .await
            .map_err(failed)?;
        let properties = ContainerProperties::new(container.container.clone(), definition);
        let database = container.database.clone();
        let create = CreateContainer { database, properties, throughput: None };
        engine.create_container(create).await.map_err(failed)?;
        let (begun, reads, loaded) = Default::default();
        Ok(Self { engine, container, item_bytes, begun, reads, loaded })
    }

    /// Creates the next item, up to a total.
    pub(crate) async fn load_next(&self, items: u64) -> Result<StepResult, CommandError> {
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        if number >= items {
            // Every task counts one too many before it sees the end. The last of them puts the number right, before
            // the next phase begins.
            self.begun.store(items, Ordering::Relaxed);
            self.loaded.store(items, Ordering::Relaxed);
            return Ok(StepResult::NothingLeft);
        }
        self.create_item(number).await
    }

    /// Creates one more item.
    pub(crate) async fn create_next(&self) -> Result<StepResult, CommandError> {
        self.create_item(self.begun.fetch_add(1, Ordering::Relaxed)).await
    }

    /// Reads one of the loaded items, in pseudorandom order.
    pub(crate) async fn read_any(&self) -> Result<StepResult, CommandError> {
        let loaded = self.loaded.load(Ordering::Relaxed).max(1);
        let number = seeded(self.reads.fetch_add(1, Ordering::Relaxed)).u64(..loaded);
        let read = ReadItem {
            container: self.container.clone(),
            partition_key: PartitionKey::from(partition_key(number).as_str()),
            id: ItemId::new(item_id(number))
                .map_err(|error| CommandError::from_error("naming an item", &error))?,
            options: ReadOptions::default(),
        };
        let found = self.engine.read_item(read).await;
        found.map_err(|error| CommandError::from_error("reading an item", &error))?;
        Ok(StepResult::Done)
    }

    /// Reads the change feed from its beginning to its end.
    pub(crate) async fn follow_changes(
        &self,
        bar: ProgressBar,
    ) -> Result<Measurement, CommandError> {
        let started = now();
        let mut count = 0;
        let mut start = ChangeFeedStart::Beginning;
        loop {
            let read = ReadChangeFeed {
                container: self.container.clone(),
                feed_range: FeedRange::Container,
                mode: ChangeFeedMode::LatestVersion,
                start,
                items_max: Some(PAGE_CHANGES),
            };
            let page = self.engine.read_change_feed(read).await;
            let page = page
                .map_err(|error| CommandError::from_error("reading the change feed", &error))?
                .value;
            let changes = u64::try_from(page.changes.len()).unwrap_or(u64::MAX);
            count += changes;
            bar.inc(changes);
            // Both: a page may be empty although there is more.
            if !page.more && page.changes.is_empty() {
                break;
            }
            start = ChangeFeedStart::Position(page.position);
        }
        bar.finish_and_clear();
        Ok(Measurement { count, seconds: started.elapsed().as_secs_f64(), tasks: None })
    }

    async fn create_item(&self, number: u64) -> Result<StepResult, CommandError> {
        let create = CreateItem {
            container: self.container.clone(),
            partition_key: None,
            item: self.item(number).into(),
            options: WriteOptions::default(),
        };
        let created = self.engine.create_item(create).await;
        created.map_err(|error| CommandError::from_error("creating an item", &error))?;
        Ok(StepResult::Done)
    }

    fn item(&self, number: u64) -> Json {
        let mut item = Object::new();
        item.insert("id", item_id(number));
        item.insert("partitionKey", partition_key(number));
        item.insert("number", i64::try_from(number).unwrap_or(i64::MAX));
        let missing = usize::try_from(self.item_bytes).unwrap_or(0);
        // 13 bytes are `,"payload":""`.
        let missing = missing.saturating_sub(Json::from(item.clone()).to_bytes().len() + 13);
        item.insert("payload", payload(number, missing));
        Json::from(item)
    }
}

fn item_id(number: u64) -> String {
    format!("item-{number:012}")
}

fn partition_key(number: u64) -> String {
    format!("key-{}", number % PARTITION_KEYS)
}

/// Text that compresses about as well as real text.
fn payload(number: u64, length: usize) -> String {
    let mut text = String::with_capacity(length + 16);
    let mut random = seeded(number);
    while text.len() < length {
        text.push_str(&format!("{:x} ", random.u64(..)));
    }
    text.truncate(length);
    text
}

/// A generator that gives the same numbers for the same seed, so that two runs measure the same work.
fn seeded(seed: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(seed)
}
