//! What tests share: an engine on a folder with small memtables, and reading a container whole.

use std::path::Path;
use std::sync::Arc;

use engine::change_feed::{ChangeFeedMode, ChangeFeedStart, ChangeRecord, ReadChangeFeed};
use engine::operation::{CreateContainer, CreateDatabase, ListItems, PageOptions};
use engine::{ContainerLink, Engine, EngineSettings, Environment, ItemResource};
use model::{ContainerProperties, DatabaseProperties, FeedRange};
use storage_lsm::{Durability, LsmStore};

/// Small memtables make flushes and compactions happen in a small store.
pub(crate) fn small_store(folder: &Path, durability: Durability) -> storage::Result<Arc<LsmStore>> {
    let settings = storage_lsm::LsmSettings {
        memtable_bytes_max: 64 * 1024,
        block_cache_bytes: 4 * 1024 * 1024,
        worker_threads: 1,
        durability,
        ..storage_lsm::LsmSettings::default()
    };
    LsmStore::open(folder, engine::SPACES, settings)
}

/// An engine that does no maintenance by itself.
pub(crate) async fn open_quiet(folder: &Path, environment: Environment) -> engine::Result<Engine> {
    let settings = EngineSettings { maintenance: false, ..EngineSettings::default() };
    Engine::open(small_store(folder, Durability::Synced)?, environment, settings).await
}

pub(crate) async fn create_database(engine: &Engine, link: &ContainerLink) {
    if engine.read_database(&link.database).await.is_err() {
        let properties = DatabaseProperties { id: link.database.clone() };
        engine.create_database(CreateDatabase { properties, throughput: None }).await.unwrap();
    }
}

pub(crate) async fn create_container(
    engine: &Engine,
    link: &ContainerLink,
    properties: ContainerProperties,
) {
    let database = link.database.clone();
    let create = CreateContainer { database, properties, throughput: None };
    engine.create_container(create).await.unwrap();
}

/// Every item of a container, page by page.
pub(crate) async fn all_items(engine: &Engine, link: &ContainerLink) -> Vec<ItemResource> {
    let mut items = Vec::new();
    let mut continuation = None;
    loop {
        let list = ListItems {
            container: link.clone(),
            feed_range: FeedRange::Container,
            page: PageOptions { items_max: Some(100), continuation },
            options: Default::default(),
        };
        let page = engine.list_items(list).await.unwrap().value;
        items.extend(page.items);
        continuation = page.continuation;
        if continuation.is_none() {
            return items;
        }
    }
}

/// The newest change of every item, page by page.
pub(crate) async fn all_changes(engine: &Engine, link: &ContainerLink) -> Vec<ChangeRecord> {
    let mut changes = Vec::new();
    let mut start = ChangeFeedStart::Beginning;
    loop {
        let read = ReadChangeFeed {
            container: link.clone(),
            feed_range: FeedRange::Container,
            mode: ChangeFeedMode::LatestVersion,
            start,
            items_max: Some(50),
        };
        let page = engine.read_change_feed(read).await.unwrap().value;
        assert!(
            page.changes.windows(2).all(|pair| pair[0].lsn() <= pair[1].lsn()),
            "a page is out of order"
        );
        let is_end = page.changes.is_empty() && !page.more;
        changes.extend(page.changes);
        if is_end {
            return changes;
        }
        start = ChangeFeedStart::Continuation(page.continuation);
    }
}

/// The findings of a verification as one text, empty when there are none.
pub(crate) async fn findings(engine: &Engine) -> String {
    let report = engine.verify(&mut |_| {}).await.unwrap();
    let texts: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    texts.join("\n")
}
