//! What a crash of the simulated disk keeps.

use storage::simulated_disk::{DiskDurability, SimulatedDisk};
use storage::{ErrorKind, Read, Shard, Space, Stamp, Store, WriteSet};

const ITEMS: Space = Space { number: 1, name: "items", prefix_bytes: 17, buffered: false };
const LOG: Space = Space { number: 2, name: "log", prefix_bytes: 17, buffered: false };

/// Commits group `number` to shard `number % 3`, in two sets and two spaces.
async fn commit(disk: &SimulatedDisk, number: u8) {
    let mut first = WriteSet::new();
    first.put(ITEMS, vec![number], vec![number]);
    let mut second = WriteSet::new();
    second.put_stamped(LOG, vec![0; 9], vec![number], Some(1), None);
    second.put(LOG, vec![1, number], vec![number]);
    disk.commit(shard(number), vec![first, second]).await.unwrap();
}

fn shard(number: u8) -> Shard {
    Shard(u32::from(number % 3))
}

async fn has(disk: &SimulatedDisk, number: u8) -> bool {
    let item = disk.get(shard(number), ITEMS, &[number]).await.unwrap().is_some();
    let log = disk.get(shard(number), LOG, &[1, number]).await.unwrap().is_some();
    assert_eq!(item, log, "group {number} is torn");
    item
}

#[tokio::test]
async fn a_crash_keeps_every_synced_group_and_a_prefix_of_the_rest() {
    let mut lengths = std::collections::BTreeSet::new();
    for seed in 0..50 {
        let disk = SimulatedDisk::new(DiskDurability::Relaxed);
        for number in 0..10 {
            commit(&disk, number).await;
        }
        disk.sync().await.unwrap();
        for number in 10..30 {
            commit(&disk, number).await;
        }
        assert_eq!(disk.unsynced_groups(), 20);
        let after = disk.crash(seed);
        let mut kept = 0;
        while kept < 30 && has(&after, kept).await {
            kept += 1;
        }
        for number in kept..30 {
            assert!(!has(&after, number).await, "group {number} survived without group {kept}");
        }
        assert!(kept >= 10, "a synced group was lost");
        lengths.insert(kept);
        let last = (0..kept).filter(|number| number % 3 == 0).count() as u64 * 2;
        assert_eq!(after.last_stamp(Shard(0)).await.unwrap(), Stamp(last));
        commit(&after, 0).await;
        assert_eq!(after.last_stamp(Shard(0)).await.unwrap(), Stamp(last + 2));
    }
    assert!(lengths.len() > 5, "different seeds keep prefixes of different lengths");
}

#[tokio::test]
async fn a_crash_of_a_synced_disk_keeps_every_acknowledged_group() {
    let disk = SimulatedDisk::new(DiskDurability::Synced);
    for number in 0..10 {
        commit(&disk, number).await;
    }
    let after = disk.crash(1);
    for number in 0..10 {
        assert!(has(&after, number).await);
    }
}

#[tokio::test]
async fn a_crashed_disk_refuses_every_call() {
    let disk = SimulatedDisk::new(DiskDurability::Relaxed);
    commit(&disk, 0).await;
    drop(disk.crash(1));
    let error = disk.get(Shard(0), ITEMS, &[0]).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Closed);
    let error = disk.commit(Shard(0), vec![WriteSet::new()]).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Closed);
}

#[tokio::test]
async fn a_closed_disk_loses_nothing() {
    let disk = SimulatedDisk::new(DiskDurability::Relaxed);
    for number in 0..10 {
        commit(&disk, number).await;
    }
    disk.close().await.unwrap();
    let after = disk.crash(7);
    for number in 0..10 {
        assert!(has(&after, number).await);
    }
}
