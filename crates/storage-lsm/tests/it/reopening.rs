//! What a store contains after it was closed or dropped and opened again.

use storage::contract::SPACES;
use storage::{ErrorKind, Read, Shard, Stamp, Store, WriteSet};
use storage_lsm::{Durability, LsmSettings, LsmStore};

use crate::{ITEMS, SHARD, noise, open, put};

#[tokio::test]
async fn a_closed_store_reopens_with_its_data_and_stamps() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    put(&store, "a", "1").await;
    let above = WriteSet { stamp_above: Stamp(500), ..WriteSet::new() };
    store.commit(Shard(9), vec![above]).await.unwrap();
    let last = put(&store, "a", "2").await;
    store.close().await.unwrap();
    drop(store);

    let store = open(folder.path());
    assert_eq!(store.get(SHARD, ITEMS, b"a").await.unwrap().unwrap(), "2");
    assert_eq!(store.last_stamp(SHARD).await.unwrap(), last);
    assert_eq!(store.last_stamp(Shard(9)).await.unwrap(), Stamp(501));
    assert_eq!(put(&store, "a", "3").await, last.next());
}

#[tokio::test]
async fn a_store_dropped_without_closing_reopens_with_its_data() {
    for durability in [Durability::Synced, Durability::Relaxed { sync_every_ms: 60_000 }] {
        let folder = tempfile::tempdir().unwrap();
        let settings = LsmSettings { durability, ..LsmSettings::default() };
        let store = LsmStore::open(folder.path(), SPACES, settings).unwrap();
        let last = put(&store, "a", "1").await;
        drop(store);
        let store = LsmStore::open(folder.path(), SPACES, settings).unwrap();
        assert_eq!(store.get(SHARD, ITEMS, b"a").await.unwrap().unwrap(), "1");
        assert_eq!(store.last_stamp(SHARD).await.unwrap(), last);
    }
}

#[tokio::test]
async fn large_values_survive_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for key in 0..20_u8 {
        put(&store, vec![key], noise(key.into(), 2 * 1024 * 1024)).await;
    }
    store.close().await.unwrap();
    drop(store);
    let store = open(folder.path());
    for key in 0..20_u8 {
        let value = store.get(SHARD, ITEMS, &[key]).await.unwrap().unwrap();
        assert!(value == noise(key.into(), 2 * 1024 * 1024), "value {key} has changed");
    }
}

#[tokio::test]
async fn a_key_that_is_too_long_and_an_unknown_space_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut set = WriteSet::new();
    set.put(ITEMS, vec![0; 65_532], "1");
    let error = store.commit(SHARD, vec![set]).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Invalid);
    let unknown = storage::Space { number: 99, name: "unknown", prefix_bytes: 17, buffered: false };
    let mut set = WriteSet::new();
    set.put(unknown, "a", "1");
    let error = store.commit(SHARD, vec![set]).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Invalid);
    let error = store.get(SHARD, unknown, b"a").await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Invalid);
    put(&store, vec![0; 65_531], "1").await;
}

#[tokio::test]
async fn invalid_settings_and_spaces_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bad = [
        LsmSettings { journal_bytes_max: 1, ..LsmSettings::default() },
        LsmSettings { memtable_bytes_max: 0, ..LsmSettings::default() },
        LsmSettings { worker_threads: 0, ..LsmSettings::default() },
        LsmSettings { commit_queue_max: 0, ..LsmSettings::default() },
        LsmSettings {
            durability: Durability::Relaxed { sync_every_ms: 0 },
            ..LsmSettings::default()
        },
    ];
    for settings in bad {
        let error = LsmStore::open(folder.path(), SPACES, settings).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Invalid, "{settings:?}");
    }
    static TWICE: &[storage::Space] = &[ITEMS, ITEMS];
    let error = LsmStore::open(folder.path(), TWICE, LsmSettings::default()).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Invalid);
}

#[tokio::test]
async fn the_size_on_disk_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    put(&store, "a", noise(1, 200_000)).await;
    assert!(store.disk_bytes().unwrap() > 100_000);
    assert!(store.statistics(SHARD).await.unwrap().store_bytes > 100_000);
}
