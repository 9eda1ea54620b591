//! One failed sync, followed step by step: no later sync covers it.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use storage::contract::SPACES;
use storage::{ErrorKind, Read, Store, WriteSet};
use storage_lsm::{LsmSettings, LsmStore};

use super::disk::Disk;
use super::mount::mount;
use crate::{ITEMS, SHARD};

/// Longer than a store waits before it writes again, so that a hang ends.
const RESUME_ATTEMPTS_MAX: usize = 6000;

fn open(point: &Path) -> Arc<LsmStore> {
    LsmStore::open(point.join("store"), SPACES, LsmSettings::default()).unwrap()
}

async fn commit(store: &LsmStore, key: &str) -> storage::Result<()> {
    let mut set = WriteSet::new();
    set.put(ITEMS, key.as_bytes().to_vec(), vec![7; 3000]);
    store.commit(SHARD, vec![set]).await.map(|_| ())
}

async fn holds(store: &LsmStore, key: &str) -> bool {
    store.get(SHARD, ITEMS, key.as_bytes()).await.unwrap().is_some()
}

/// The keys that are left when nothing survives that was not synced.
async fn left_after_a_cut(disk: &Mutex<Disk>, keys: &[&str]) -> Vec<bool> {
    let left = Arc::new(Mutex::new(disk.lock().unwrap().survivors_with(0.0)));
    let point = tempfile::tempdir().unwrap();
    let session = mount(&left, point.path()).unwrap();
    let store = open(point.path());
    let mut found = Vec::new();
    for key in keys {
        found.push(holds(&store, key).await);
    }
    drop(store);
    drop(session);
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_refuses_writes_after_a_failed_sync_until_its_journal_is_written_again() {
    if !super::can_mount() {
        return;
    }
    for seed in 0..4 {
        let disk = Arc::new(Mutex::new(Disk::new(seed)));
        let point = tempfile::tempdir().unwrap();
        let session = mount(&disk, point.path()).unwrap();
        let store = open(point.path());
        commit(&store, "before").await.unwrap();
        // The sync of the commit, and those of the next two attempts to resume.
        disk.lock().unwrap().fail_syncs_after(0, 3);
        let error = commit(&store, "failed").await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Device, "{error}");
        assert!(store.write_failure().is_some());
        // Syncs of the file would succeed by the fourth, but nothing is accepted on the strength of that.
        let error = commit(&store, "refused").await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Device, "{error}");
        assert!(
            store.sync().await.is_err(),
            "a sync cannot vouch for what the failed one has lost"
        );
        assert!(holds(&store, "before").await, "reads are served");
        let mut attempts = 0;
        while let Err(error) = commit(&store, "after").await {
            attempts += 1;
            assert!(attempts < RESUME_ATTEMPTS_MAX, "writing does not resume: {error}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(store.write_failure(), None);
        assert_eq!(disk.lock().unwrap().syncs_failed(), 3);
        assert!(!holds(&store, "failed").await, "its caller was told that it was not written");
        let keys = ["before", "after", "failed", "refused"];
        let found = left_after_a_cut(&disk, &keys).await;
        assert_eq!(found, [true, true, false, false], "seed {seed}: {keys:?}");
        drop(store);
        drop(session);
    }
}

/// The next process finds the failed commit in the page cache. If it shows it, it must have made it durable.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_store_shows_after_a_failed_sync_and_a_restart_is_durable() {
    if !super::can_mount() {
        return;
    }
    let mut shown = 0;
    for seed in 0..8 {
        let disk = Arc::new(Mutex::new(Disk::new(seed)));
        let point = tempfile::tempdir().unwrap();
        let session = mount(&disk, point.path()).unwrap();
        let store = open(point.path());
        commit(&store, "before").await.unwrap();
        disk.lock().unwrap().fail_syncs_after(0, 1);
        commit(&store, "failed").await.unwrap_err();
        drop(store);
        let store = open(point.path());
        let keys = ["before", "failed"];
        let found = [holds(&store, keys[0]).await, holds(&store, keys[1]).await];
        shown += usize::from(found[1]);
        assert_eq!(left_after_a_cut(&disk, &keys).await, found, "seed {seed}: {keys:?}");
        drop(store);
        drop(session);
    }
    assert!(shown > 0, "the failed commit was never found, so nothing was compared");
}
