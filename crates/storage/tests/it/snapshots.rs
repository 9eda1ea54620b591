//! Snapshots of the memory store that overlap in time.

use storage::memory::MemoryStore;
use storage::{KeyRange, Scan, ScanLimit, Shard, Space, Store, WriteSet};

const ITEMS: Space = Space { number: 1, name: "items", prefix_bytes: 17, buffered: false };
const SHARD: Shard = Shard(1);

#[tokio::test]
async fn overlapping_snapshots_each_keep_their_own_state() {
    let store = MemoryStore::new();
    let mut snapshots = Vec::new();
    for round in 0..30_u8 {
        let mut set = WriteSet::new();
        set.put(ITEMS, vec![0], vec![round]);
        if round % 2 == 0 {
            set.put(ITEMS, vec![1], vec![round]);
        } else {
            set.remove(ITEMS, vec![1]);
        }
        store.commit(SHARD, vec![set]).await.unwrap();
        snapshots.push((round, store.snapshot().await.unwrap()));
        if round % 3 == 0 {
            snapshots.remove(snapshots.len() / 2);
        }
        for (taken, snapshot) in &snapshots {
            let value = snapshot.get(SHARD, ITEMS, &[0]).await.unwrap();
            assert_eq!(value.as_deref(), Some([*taken].as_slice()));
            let all = Scan::forward(KeyRange::all(), ScanLimit::entries(10));
            let entries = snapshot.scan(SHARD, ITEMS, &all).await.unwrap().entries;
            assert_eq!(entries.len(), if taken % 2 == 0 { 2 } else { 1 });
        }
    }
}
