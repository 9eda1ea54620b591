//! Repeated reads between writes: a cached result must never differ from the tree.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use storage::{Direction, KeyRange, Read, Scan, ScanLimit, StorageKey, Store, WriteSet};

use crate::{ITEMS, SHARD, noise, open};

/// Long enough that the keys behind it share a key prefix of the read cache.
const PREFIX: &[u8] = b"a prefix that many keys share/";

fn key(group: u8, number: u8) -> Vec<u8> {
    [&[group], PREFIX, &[number]].concat()
}

/// Scans of every direction and kind of bound under one prefix.
fn scans(group: u8) -> Vec<Scan> {
    let (low, high) = (key(group, 10).into(), key(group, 40).into());
    let ranges = [
        KeyRange::prefix(&[&[group], PREFIX].concat()),
        KeyRange { lower: Bound::Excluded(low), upper: Bound::Included(high) },
        KeyRange::half_open(key(group, 5).into(), key(group, 20).into()),
    ];
    let both = [Direction::Forward, Direction::Backward];
    let scans = ranges.into_iter().flat_map(|range| {
        both.map(|direction| Scan { range: range.clone(), direction, limit: ScanLimit::entries(7) })
    });
    scans.collect()
}

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

fn expected(model: &Model, scan: &Scan) -> Vec<(Vec<u8>, Vec<u8>)> {
    let inside = model.iter().filter(|(key, _)| scan.range.contains(key));
    let inside = inside.map(|(key, value)| (key.clone(), value.clone()));
    match scan.direction {
        Direction::Forward => inside.take(scan.limit.entries_max).collect(),
        Direction::Backward => inside.rev().take(scan.limit.entries_max).collect(),
    }
}

async fn check(view: &dyn Read, model: &Model, context: &str) {
    for scan in (0..3).flat_map(scans) {
        let page = view.scan(SHARD, ITEMS, &scan).await.unwrap();
        let expected = expected(model, &scan);
        let found = page.entries.iter().map(|entry| (entry.key.to_vec(), entry.value.to_vec()));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{context}: {scan:?}");
        assert_eq!(page.more, expected.len() == scan.limit.entries_max, "{context}: {scan:?}");
    }
    for group in 0..3 {
        let keys: Vec<StorageKey> = (5..15).map(|number| key(group, number).into()).collect();
        let found = view.get_many(SHARD, ITEMS, &keys).await.unwrap();
        let expected = keys.iter().map(|key| model.get(key.as_ref()).map(|value| value.as_slice()));
        assert!(found.iter().map(Option::as_deref).eq(expected), "{context}: {found:?}");
        let key = key(group, 10);
        let found = view.get(SHARD, ITEMS, &key).await.unwrap();
        assert_eq!(found.as_deref(), model.get(&key).map(Vec::as_slice), "{context}");
    }
}

#[tokio::test]
async fn repeated_reads_between_writes_equal_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut model = Model::new();
    let mut old = None;
    for (round, dice) in noise(42, 600).chunks(3).enumerate() {
        let [group, number, kind] = dice else { break };
        let written = key(group % 3, number % 50);
        let mut set = WriteSet::new();
        if kind % 4 == 0 {
            set.remove(ITEMS, written.clone());
            model.remove(&written);
        } else {
            // Some are longer than the values that reads copy.
            let value = noise(u64::from(*kind), usize::from(*kind));
            set.put(ITEMS, written.clone(), value.clone());
            model.insert(written, value);
        }
        store.commit(SHARD, vec![set]).await.unwrap();
        for time in 0..4 {
            check(store.as_ref(), &model, &format!("round {round}, time {time}")).await;
        }
        if round % 20 == 0 {
            old = Some((store.snapshot().await.unwrap(), model.clone()));
        }
        if let Some((view, model)) = &old {
            check(view.as_ref(), model, &format!("round {round}, older view")).await;
        }
    }
}

/// Each commit writes the same number to every key of a group, so a page holds one number, and never an older one
/// than a page before it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn repeated_pages_during_writes_are_consistent_and_never_go_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let writer = Arc::clone(&store);
    let writing = tokio::spawn(async move {
        for round in 0..300_u32 {
            let mut set = WriteSet::new();
            for number in 0..8 {
                set.put(ITEMS, key(1, number), round.to_be_bytes().to_vec());
            }
            writer.commit(SHARD, vec![set]).await.unwrap();
        }
    });
    let range = KeyRange::prefix(&[&[1], PREFIX].concat());
    let scan = Scan::forward(range, ScanLimit::entries(20));
    let mut last = None;
    while !writing.is_finished() {
        last = repeated(store.as_ref(), &scan, last).await;
        tokio::task::yield_now().await;
    }
    writing.await.unwrap();
    assert_eq!(repeated(store.as_ref(), &scan, last).await, Some(299));
}

/// Reads a page several times and returns the number it holds.
async fn repeated(store: &dyn Read, scan: &Scan, mut last: Option<u32>) -> Option<u32> {
    for _ in 0..3 {
        let page = store.scan(SHARD, ITEMS, scan).await.unwrap();
        let number = page.entries.first().map(|entry| {
            assert_eq!(page.entries.len(), 8);
            assert!(page.entries.iter().all(|other| other.value == entry.value));
            u32::from_be_bytes(entry.value.as_ref().try_into().unwrap())
        });
        assert!(number >= last, "{number:?} after {last:?}");
        last = number;
    }
    last
}
