//! What tests share: an account in memory on a travelling clock, and short ways to speak to it.

use std::sync::Arc;
use std::time::Duration;

use engine::operation::{CreateContainer, CreateDatabase, CreateItem, ReadItem};
use engine::outcome::ReadAnswer;
use engine::{ContainerLink, Engine, Environment, Item, Result, Settings, TravellingClock};
use model::{
    ContainerId, ContainerProperties, DatabaseId, DatabaseProperties, ItemId, Json, PartitionKey,
    PartitionKeyDefinition, Throughput, TimestampMs,
};
use storage::Store;
use storage::memory::MemoryStore;

pub(crate) const START: TimestampMs = TimestampMs(1_800_000_000_000);

pub(crate) struct Account {
    pub(crate) engine: Engine,
    pub(crate) clock: Arc<TravellingClock>,
    pub(crate) store: Arc<dyn Store>,
}

impl Account {
    pub(crate) async fn new() -> Self {
        Self::on(Arc::new(MemoryStore::new())).await
    }

    /// Maintenance runs only when a test asks for it.
    pub(crate) async fn on(store: Arc<dyn Store>) -> Self {
        let clock = TravellingClock::starting_at(START);
        let environment = Environment::simulated(Arc::clone(&clock), 7);
        let settings = Settings { maintenance: false, ..Settings::default() };
        let engine = Engine::open(Arc::clone(&store), environment, settings).await.unwrap();
        Self { engine, clock, store }
    }

    pub(crate) fn travel(&self, seconds: u64) {
        self.clock.travel(Duration::from_secs(seconds));
    }

    pub(crate) async fn container(&self, properties: ContainerProperties) -> ContainerLink {
        self.container_with(properties, None).await
    }

    pub(crate) async fn container_with(
        &self,
        properties: ContainerProperties,
        throughput: Option<Throughput>,
    ) -> ContainerLink {
        let database = DatabaseId::new("d").unwrap();
        let created = self
            .engine
            .create_database(CreateDatabase {
                properties: DatabaseProperties { id: database.clone() },
                throughput: None,
            })
            .await;
        assert!(created.is_ok() || self.engine.read_database(&database).await.is_ok());
        let container = properties.id.clone();
        let create = CreateContainer { database: database.clone(), properties, throughput };
        self.engine.create_container(create).await.unwrap();
        ContainerLink { database, container }
    }

    pub(crate) async fn create(&self, link: &ContainerLink, text: &str) -> Result<Item> {
        let create = CreateItem {
            container: link.clone(),
            partition_key: None,
            item: json(text),
            options: Default::default(),
        };
        Ok(self.engine.create_item(create).await?.value)
    }

    pub(crate) async fn read(&self, link: &ContainerLink, key: &str, id: &str) -> Result<Item> {
        let read = ReadItem {
            container: link.clone(),
            partition_key: PartitionKey::from(key),
            id: ItemId::new(id).unwrap(),
            options: Default::default(),
        };
        match self.engine.read_item(read).await?.value {
            ReadAnswer::Found(item) => Ok(item),
            ReadAnswer::NotModified(etag) => panic!("not modified: {etag}"),
        }
    }
}

/// A container with the partition key `/pk`.
pub(crate) fn plain(id: &str) -> ContainerProperties {
    ContainerProperties::new(
        ContainerId::new(id).unwrap(),
        PartitionKeyDefinition::single("/pk").unwrap(),
    )
}

pub(crate) fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}
