//! Shared by the tests: an engine with a simulated clock, and helpers that create containers.

use std::sync::Arc;
use std::time::Duration;

use engine::operation::{CreateContainer, CreateDatabase, ReplaceContainer};
use engine::response::ContainerResource;
use engine::{ContainerLink, Engine, EngineSettings, Environment, Result, TravellingClock};
use model::{
    ContainerId, ContainerProperties, DatabaseId, DatabaseProperties, Json, PartitionKeyDefinition,
    Throughput, TimestampMs,
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

    /// Opens an engine on a store. Maintenance runs only on request.
    pub(crate) async fn on(store: Arc<dyn Store>) -> Self {
        Self::with(store, TravellingClock::starting_at(START), settings_without_maintenance()).await
    }

    pub(crate) async fn with_settings(settings: EngineSettings) -> Self {
        let store = Arc::new(MemoryStore::new());
        Self::with(store, TravellingClock::starting_at(START), settings).await
    }

    pub(crate) async fn with(
        store: Arc<dyn Store>,
        clock: Arc<TravellingClock>,
        settings: EngineSettings,
    ) -> Self {
        let environment = Environment::simulated(Arc::clone(&clock), 7);
        let engine = Engine::open(Arc::clone(&store), environment, settings).await.unwrap();
        Self { engine, clock, store }
    }

    /// Opens a new engine on the same store.
    pub(crate) async fn reopened(self) -> Self {
        let settings = self.engine.settings().clone();
        let Self { clock, store, .. } = self;
        Self::with(store, clock, settings).await
    }

    pub(crate) fn travel(&self, seconds: u64) {
        self.clock.travel(Duration::from_secs(seconds));
    }

    pub(crate) async fn database(&self, id: &str) -> DatabaseId {
        let database = DatabaseId::new(id).unwrap();
        let create = CreateDatabase {
            properties: DatabaseProperties { id: database.clone() },
            throughput: None,
        };
        let created = self.engine.create_database(create).await;
        assert!(created.is_ok() || self.engine.read_database(&database).await.is_ok());
        database
    }

    pub(crate) async fn container(&self, properties: ContainerProperties) -> ContainerLink {
        self.container_with(properties, None).await
    }

    pub(crate) async fn container_with(
        &self,
        properties: ContainerProperties,
        throughput: Option<Throughput>,
    ) -> ContainerLink {
        let database = self.database("d").await;
        let container = properties.id.clone();
        let create = CreateContainer { database: database.clone(), properties, throughput };
        self.engine.create_container(create).await.unwrap();
        ContainerLink { database, container }
    }

    /// Replaces a container with some properties changed.
    pub(crate) async fn alter(
        &self,
        link: &ContainerLink,
        change: impl FnOnce(&mut ContainerProperties),
    ) -> Result<ContainerResource> {
        let mut properties = self.resource(link).await.properties;
        change(&mut properties);
        let replace = ReplaceContainer { link: link.clone(), properties, precondition: None };
        Ok(self.engine.replace_container(replace).await?.value)
    }

    pub(crate) async fn resource(&self, link: &ContainerLink) -> ContainerResource {
        self.engine.read_container(link).await.unwrap().value
    }

    /// Asserts that everything in the store is consistent with the items.
    pub(crate) async fn verify(&self) {
        let report = self.engine.verify(&mut |_| {}).await.unwrap();
        assert!(report.is_consistent(), "{:#?}", report.findings);
    }
}

/// Settings without background maintenance.
pub(crate) fn settings_without_maintenance() -> EngineSettings {
    EngineSettings { maintenance: false, ..EngineSettings::default() }
}

/// A container with the partition key `/pk`.
pub(crate) fn plain(id: &str) -> ContainerProperties {
    ContainerProperties::new(
        ContainerId::new(id).unwrap(),
        PartitionKeyDefinition::single("/pk").unwrap(),
    )
}

/// A container from its wire form.
pub(crate) fn container(text: &str) -> ContainerProperties {
    ContainerProperties::from_json(&json(text)).unwrap()
}

pub(crate) fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}
