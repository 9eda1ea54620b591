//! Keys that an index of PostgreSQL cannot hold.

use storage::{Guard, KeyRange, Read, Scan, ScanLimit, Shard, StorageKey, Store, WriteSet};

use crate::database::{ITEMS, TestDatabase};

const SHARD: Shard = Shard(5);

/// Bytes that do not compress, the same for the same number, behind a first byte.
fn key(first: u8, number: u64, bytes: usize) -> StorageKey {
    let mut state = number;
    let mut key = vec![first];
    key.extend((1..bytes).map(|_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    }));
    key.into()
}

#[tokio::test]
async fn long_keys_are_ordered_among_short_ones() {
    let Some(database) = TestDatabase::create("long_keys_are_ordered_among_short_ones").await
    else {
        return;
    };
    let store = database.open().await;
    let mut keys: Vec<StorageKey> = (0..40).map(|n| key((n % 5) as u8, n, 20)).collect();
    keys.extend((0..20).map(|n| key((n % 5) as u8, n, 2_001 + 100 * n as usize)));
    // The same first bytes, more than order long keys: only the rest differs.
    for last in 0..3_u8 {
        keys.push([key(2, 99, 3_000).as_ref(), &[last]].concat().into());
    }
    let mut set = WriteSet::new();
    for key in &keys {
        set.put(ITEMS, key.clone(), key.clone());
    }
    store.commit(SHARD, vec![set]).await.unwrap();
    keys.sort();
    let (mut range, mut found) = (KeyRange::all(), Vec::new());
    loop {
        let scan = Scan::forward(range.clone(), ScanLimit::entries(7));
        let page = store.scan(SHARD, ITEMS, &scan).await.unwrap();
        assert!(page.entries.iter().all(|entry| entry.key == entry.value));
        found.extend(page.entries.into_iter().map(|entry| entry.key));
        if !page.more {
            break;
        }
        range = range.after(found.last().unwrap().clone(), storage::Direction::Forward);
    }
    assert_eq!(found, keys);
    let scan = Scan::backward(KeyRange::prefix(&[2]), ScanLimit::entries(1_000));
    let backward = store.scan(SHARD, ITEMS, &scan).await.unwrap().entries;
    let expected: Vec<_> = keys.iter().rev().filter(|key| key[0] == 2).cloned().collect();
    assert_eq!(backward.into_iter().map(|entry| entry.key).collect::<Vec<_>>(), expected);
    let many = store.get_many(SHARD, ITEMS, &keys).await.unwrap();
    assert!(many.iter().zip(&keys).all(|(value, key)| value.as_ref() == Some(key)));
    store.close().await.unwrap();
}

#[tokio::test]
async fn long_keys_are_guarded_stamped_and_removed() {
    let Some(database) = TestDatabase::create("long_keys_are_guarded_stamped_and_removed").await
    else {
        return;
    };
    let store = database.open().await;
    let long = key(1, 7, 4_000);
    let put = |guard: Guard, value: &'static str| {
        let mut set = WriteSet::new();
        set.guard(ITEMS, long.clone(), guard);
        set.put_stamped(ITEMS, long.clone(), value, None, Some(0));
        set
    };
    let stamps = store.commit(SHARD, vec![put(Guard::Absent, "00000000first")]).await.unwrap();
    let stored = store.get(SHARD, ITEMS, &long).await.unwrap().unwrap();
    assert_eq!(stored, [&stamps[0].0.to_be_bytes(), b"first".as_slice()].concat());
    let refused = store.commit(SHARD, vec![put(Guard::Absent, "00000000again")]).await;
    let refused = refused.unwrap_err();
    let storage::ErrorKind::GuardFailed { key, .. } = refused.kind() else { panic!("{refused}") };
    assert_eq!(*key, long);
    let again = put(Guard::Unchanged(stored), "00000000again");
    store.commit(SHARD, vec![again]).await.unwrap();
    let mut remove = WriteSet::new();
    remove.remove(ITEMS, long.clone());
    store.commit(SHARD, vec![remove]).await.unwrap();
    assert_eq!(store.get(SHARD, ITEMS, &long).await.unwrap(), None);
    store.close().await.unwrap();
}
