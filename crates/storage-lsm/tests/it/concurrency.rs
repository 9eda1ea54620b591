//! Concurrent commits and reads.

use std::sync::Arc;

use storage::contract::SPACES;
use storage::{ErrorKind, Guard, KeyRange, Read, Scan, ScanLimit, Shard, Store, WriteSet};

use crate::{ITEMS, SHARD, open, put};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn committers_of_several_shards_keep_each_shard_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..16_u32 {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let mut stamps = Vec::new();
            for round in 0..50_u32 {
                let mut set = WriteSet::new();
                let key = [task.to_be_bytes(), round.to_be_bytes()].concat();
                set.put_stamped(SPACES[2], vec![0; 8], key, Some(0), None);
                stamps.extend(store.commit(Shard(task % 3), vec![set]).await.unwrap());
            }
            assert!(stamps.is_sorted_by(|earlier, later| earlier < later));
        });
    }
    tasks.join_all().await;
    let mut entries = 0;
    for shard in 0..3 {
        let all = Scan::forward(KeyRange::all(), ScanLimit::entries(10_000));
        let page = store.scan(Shard(shard), SPACES[2], &all).await.unwrap();
        let last = store.last_stamp(Shard(shard)).await.unwrap();
        assert_eq!(page.entries.len() as u64, last.0);
        entries += page.entries.len();
    }
    assert_eq!(entries, 16 * 50);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn guards_see_the_commits_merged_into_the_same_batch() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for round in 0..20_u8 {
        let mut tasks = tokio::task::JoinSet::new();
        for task in 0..16_u8 {
            let store = Arc::clone(&store);
            tasks.spawn(async move {
                let mut set = WriteSet::new();
                set.guard(ITEMS, vec![round], Guard::Absent);
                set.put(ITEMS, vec![round], vec![task]);
                store.commit(SHARD, vec![set]).await
            });
        }
        let results = tasks.join_all().await;
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
        for error in results.into_iter().filter_map(Result::err) {
            assert!(matches!(error.kind(), ErrorKind::GuardFailed { .. }), "{error}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_reader_never_sees_half_a_commit() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let writer = Arc::clone(&store);
    let writing = tokio::spawn(async move {
        for round in 0..200_u32 {
            let mut set = WriteSet::new();
            for key in 0..50_u8 {
                set.put(ITEMS, vec![key], round.to_be_bytes().to_vec());
            }
            writer.commit(SHARD, vec![set]).await.unwrap();
        }
    });
    let all = Scan::forward(KeyRange::all(), ScanLimit::entries(100));
    while !writing.is_finished() {
        let page = store.scan(SHARD, ITEMS, &all).await.unwrap();
        assert!(page.entries.windows(2).all(|pair| pair[0].value == pair[1].value));
        // The first key is written first, so a later read of the last one must not be older.
        let first = store.get(SHARD, ITEMS, &[0]).await.unwrap();
        let last = store.get(SHARD, ITEMS, &[49]).await.unwrap();
        assert!(last >= first, "{last:?} is older than {first:?}");
        tokio::task::yield_now().await;
    }
    writing.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn closing_finishes_what_was_queued() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..50_u8 {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let mut set = WriteSet::new();
            set.put(ITEMS, vec![task], vec![task]);
            (task, store.commit(SHARD, vec![set]).await)
        });
    }
    tokio::task::yield_now().await;
    store.close().await.unwrap();
    let results = tasks.join_all().await;
    drop(store);
    let store = open(folder.path());
    for (task, result) in results {
        let found = store.get(SHARD, ITEMS, &[task]).await.unwrap();
        match result {
            Ok(_) => assert!(found.is_some(), "commit {task} was acknowledged and is lost"),
            Err(error) => assert_eq!(*error.kind(), ErrorKind::Closed),
        }
    }
}

#[tokio::test]
async fn a_commit_whose_caller_went_away_does_not_disturb_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for key in 0..20_u8 {
        let mut set = WriteSet::new();
        set.put(ITEMS, vec![key], vec![key]);
        let commit = store.commit(SHARD, vec![set]);
        let _ = tokio::time::timeout(std::time::Duration::ZERO, commit).await;
    }
    put(&store, "after", "1").await;
    assert!(store.get(SHARD, ITEMS, b"after").await.unwrap().is_some());
}
