//! One failed sync, followed step by step: no later sync covers it.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use storage::contract::SPACES;
use storage::{ErrorKind, Read, Store, WriteSet};
use storage_lsm::{LsmSettings, LsmStore};

use super::disk::{Disk, FailingSyncs};
use super::mount::mount;
use crate::{ITEMS, SHARD};

/// Longer than a store waits before it writes again, so that a hang ends.
const RESUME_ATTEMPTS_MAX: usize = 6000;

fn open(point: &Path) -> Arc<LsmStore> {
    LsmStore::open(point.join("store"), SPACES, LsmSettings::default()).unwrap()
}

fn next_syncs(count: u64) -> FailingSyncs {
    FailingSyncs { count, ..FailingSyncs::default() }
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
    let survivors = disk.lock().unwrap().survivors_with(0.0);
    left_over(survivors, keys).await
}

async fn left_over(survivors: Disk, keys: &[impl AsRef<str>]) -> Vec<bool> {
    let left = Arc::new(Mutex::new(survivors));
    let point = tempfile::tempdir().unwrap();
    let session = mount(&left, point.path()).unwrap();
    let store = open(point.path());
    let mut found = Vec::new();
    for key in keys {
        found.push(holds(&store, key.as_ref()).await);
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
        disk.lock().unwrap().fail_syncs(next_syncs(3));
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
        assert!(!holds(&store, "failed").await, "its caller received an error");
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
        disk.lock().unwrap().fail_syncs(next_syncs(1));
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

/// After a failed sync of a folder, names are visible that are not on disk: the version a keyspace has reached, or its
/// newest journal. Nothing may be deleted or written on the strength of them before they are.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_that_a_failed_sync_left_behind_are_synced_before_they_are_relied_on() {
    if !super::can_mount() {
        return;
    }
    let settings = LsmSettings { memtable_bytes_max: 8 * 1024, ..LsmSettings::default() };
    // The first flushes and compactions of the store.
    for after in (10..50).step_by(3) {
        let disk = Arc::new(Mutex::new(Disk::new(after)));
        let point = tempfile::tempdir().unwrap();
        let session = mount(&disk, point.path()).unwrap();
        let store = LsmStore::open(point.path().join("store"), SPACES, settings).unwrap();
        let failing = FailingSyncs { after, count: 1, only_folders: true };
        disk.lock().unwrap().fail_syncs(failing);
        let (mut keys, mut refused) = (Vec::new(), 0);
        // Until the sync has failed and the store writes again. The next flush would sync the folder.
        let mut left = 1;
        while left > 0 {
            let key = format!("{}", keys.len());
            match commit(&store, &key).await {
                Ok(()) => keys.push(key),
                Err(error) => {
                    refused += 1;
                    assert!(refused < RESUME_ATTEMPTS_MAX, "writing does not resume: {error}");
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            }
            left -= u64::from(
                disk.lock().unwrap().syncs_failed() > 0 && store.write_failure().is_none(),
            );
        }
        for _ in 0..5 {
            let survivors = disk.lock().unwrap().survivors();
            let found = left_over(survivors, &keys).await;
            assert!(found.iter().all(|found| *found), "folder sync {}: {found:?}", after);
        }
        drop(store);
        drop(session);
    }
}
