//! What must hold of any stored bytes and of any token of this crate. Panics are the failures.
//!
//! Called by the targets in `fuzz/` and by tests, which replay the seeds of the targets; not part of the library.

use model::ResourceId;
use storage::StorageValue;

use crate::catalog::check_catalog_records;
use crate::change_feed::check_position;
use crate::key_layout::{ChangePosition, ItemKey};
use crate::ordered_bytes::decode_components;
use crate::partition::PartitionState;
use crate::query::check_progress;
use crate::record::{ItemRecord, LogEntry, LoggedItem, Version};

/// A stored value is refused or read. The first byte says how many levels the partition key has.
pub fn check_record(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let levels = usize::from(first % 3) + 1;
    let value = || StorageValue::copy_from_slice(rest);
    if let Ok(record) = ItemRecord::decode(value()) {
        let _ = (record.parse(), record.body_len());
    }
    let _ = LogEntry::decode(value(), levels);
    let _ = LoggedItem::decode(value(), levels);
    let _ = Version::superseded(&value(), levels);
    if let Ok((version, _)) = Version::decode(value(), levels) {
        let _ = version.key().epk();
    }
    if let Ok(state) = PartitionState::decode(rest) {
        let again = PartitionState::decode(&state.encode());
        assert_eq!(again.map(|again| again.encode()).ok(), Some(state.encode()));
    }
    if let Some(key) = ItemKey::decode(value(), levels) {
        let _ = (key.epk(), key.id().len(), key.partition());
    }
    let _ = ChangePosition::decode(rest);
    let _ = decode_components(rest);
    check_catalog_records(rest);
}

/// The payload of a continuation token is refused or means the same when it is encoded again.
pub fn check_continuation(bytes: &[u8]) {
    let container = ResourceId::container(&ResourceId::database(1), 1);
    check_position(bytes, &container);
    check_progress(bytes);
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use model::{
        ContainerProperties, DatabaseProperties, MeasuredJson, PartitionKeyDefinition, TimestampMs,
    };
    use storage::memory::MemoryStore;
    use storage::{KeyRange, Read, Scan, ScanLimit, Shard};

    use crate::operation::{CreateContainer, CreateDatabase, UpsertItem, WriteOptions};
    use crate::{ContainerLink, Engine, EngineSettings, Environment, SPACES, TravellingClock};

    const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");

    /// What an engine has stored, with the number of levels in front. With `UPDATE_SEEDS` some of it becomes seeds.
    #[tokio::test]
    async fn everything_that_is_stored_is_read() {
        let store = Arc::new(MemoryStore::new());
        let environment = Environment::simulated(TravellingClock::starting_at(TimestampMs(1)), 7);
        let settings = EngineSettings { maintenance: false, ..EngineSettings::default() };
        let engine = Engine::open(Arc::clone(&store) as _, environment, settings).await.unwrap();
        let link = ContainerLink::new("d", "c").unwrap();
        let properties = DatabaseProperties { id: link.database.clone() };
        engine.create_database(CreateDatabase { properties, throughput: None }).await.unwrap();
        let key = PartitionKeyDefinition::hierarchical(&["/a", "/b"]).unwrap();
        let properties = ContainerProperties::new(link.container.clone(), key);
        let database = link.database.clone();
        let create = CreateContainer { database, properties, throughput: None };
        engine.create_container(create).await.unwrap();
        for text in [
            r#"{"id":"1","a":"x","b":1,"ttl":7,"n":[1,{"m":null}]}"#,
            r#"{"id":"1","a":"x","b":1,"n":2.5}"#,
            r#"{"id":"2","a":"y","b":null}"#,
        ] {
            let item = MeasuredJson::parse(text.as_bytes()).unwrap();
            let options = WriteOptions::default();
            let container = link.clone();
            let upsert = UpsertItem { container, partition_key: None, item, options };
            engine.upsert_item(upsert).await.unwrap();
        }
        let mut found = 0;
        for (shard, space) in
            (0..8).flat_map(|shard| SPACES.iter().map(move |space| (shard, *space)))
        {
            let scan = Scan::forward(KeyRange::all(), ScanLimit::entries(1000));
            let page = store.scan(Shard(shard), space, &scan).await.unwrap();
            for (number, entry) in page.entries.into_iter().enumerate() {
                let stored = [&[1], entry.value.as_ref()].concat();
                super::check_record(&stored);
                super::check_record(&[&[1], entry.key.as_ref()].concat());
                found += 1;
                if number < 3 && std::env::var_os("UPDATE_SEEDS").is_some() {
                    let folder = Path::new(PACKAGE).join("fuzz/seeds/record");
                    std::fs::create_dir_all(&folder).unwrap();
                    let name = format!("{shard}-{}-{number}", space.name);
                    std::fs::write(folder.join(name), stored).unwrap();
                }
            }
        }
        assert!(found > 20, "{found} entries");
    }

    #[test]
    fn the_seeds_of_the_targets_are_read() {
        fuzz_seeds::replay(PACKAGE, "record", super::check_record);
        fuzz_seeds::replay(PACKAGE, "continuation", super::check_continuation);
    }
}
