//! What the fault injector does to a store.

use std::sync::Arc;

use storage::faulty::{FaultPlan, FaultyStore};
use storage::memory::MemoryStore;
use storage::{ErrorKind, Read, Shard, Space, Stamp, Store, WriteSet};

const ITEMS: Space = Space { number: 1, name: "items", prefix_bytes: 17, buffered: false };
const SHARD: Shard = Shard(1);
const ALWAYS: u32 = 1_000_000;

fn faulty(seed: u64, plan: FaultPlan) -> FaultyStore<MemoryStore> {
    FaultyStore::new(Arc::new(MemoryStore::new()), seed, plan)
}

fn put(key: u8) -> Vec<WriteSet> {
    let mut set = WriteSet::new();
    set.put(ITEMS, vec![key], vec![key]);
    vec![set]
}

#[tokio::test]
async fn a_failed_commit_writes_nothing() {
    let store = faulty(1, FaultPlan { commit_fails_ppm: ALWAYS, ..FaultPlan::default() });
    let error = store.commit(SHARD, put(1)).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Device);
    assert_eq!(store.get(SHARD, ITEMS, &[1]).await.unwrap(), None);
    assert_eq!(store.last_stamp(SHARD).await.unwrap(), Stamp::ZERO);
}

#[tokio::test]
async fn a_commit_whose_acknowledgement_is_lost_is_visible() {
    let store = faulty(1, FaultPlan { acknowledgement_lost_ppm: ALWAYS, ..FaultPlan::default() });
    let error = store.commit(SHARD, put(1)).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Device);
    assert!(store.get(SHARD, ITEMS, &[1]).await.unwrap().is_some());
}

#[tokio::test]
async fn reads_fail_on_the_store_and_on_its_snapshots_until_it_is_healed() {
    let store = faulty(1, FaultPlan { read_fails_ppm: ALWAYS, ..FaultPlan::default() });
    assert!(store.get(SHARD, ITEMS, &[1]).await.is_err());
    assert!(store.snapshot().await.is_err());
    store.heal();
    assert_eq!(store.get(SHARD, ITEMS, &[1]).await.unwrap(), None);
}

#[tokio::test]
async fn the_same_seed_gives_the_same_faults() {
    async fn results(seed: u64) -> Vec<bool> {
        let plan = FaultPlan {
            commit_fails_ppm: 300_000,
            acknowledgement_lost_ppm: 300_000,
            delay_ppm: 300_000,
            delay_yields_max: 3,
            ..FaultPlan::default()
        };
        let store = faulty(seed, plan);
        let mut results = Vec::new();
        for key in 0..100 {
            results.push(store.commit(SHARD, put(key)).await.is_ok());
        }
        results
    }
    assert_eq!(results(42).await, results(42).await);
    assert_ne!(results(42).await, results(43).await);
    assert!(results(42).await.contains(&true) && results(42).await.contains(&false));
}
