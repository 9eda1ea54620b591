//! The buffered space against a plain map: while runs are joined and written into the tree, through snapshots, after
//! reopening with and without a close.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use storage::contract::SPACES;
use storage::{Guard, KeyRange, Read, Scan, ScanLimit, Shard, Space, Store, WriteSet};
use storage_lsm::{Durability, LsmSettings, LsmStore};

const TERMS: Space = SPACES[1];
const SHARDS: u32 = 3;
const COMMITS: usize = 200;
const ROUNDS: u64 = 3;

type Entries = BTreeMap<(u32, Vec<u8>), Vec<u8>>;

/// Runs reach this size every few commits, so that there are always some on their way into the tree.
fn open(folder: &Path) -> Arc<LsmStore> {
    let durability = Durability::Relaxed { sync_every_ms: 10_000 };
    let settings =
        LsmSettings { durability, memtable_bytes_max: 16 * 1024, ..LsmSettings::default() };
    LsmStore::open(folder, SPACES, settings).unwrap()
}

fn some_key(random: &mut fastrand::Rng) -> Vec<u8> {
    // Few enough that keys are written again and removed, in several runs and in the tree.
    format!("term of some length {:04}", random.u32(0..2_000)).into_bytes()
}

async fn commit(store: &LsmStore, random: &mut fastrand::Rng, entries: &mut Entries) {
    let shard = random.u32(0..SHARDS);
    let mut set = WriteSet::new();
    for _ in 0..random.usize(1..40) {
        let key = some_key(random);
        if random.u8(0..3) == 0 {
            set.remove(TERMS, key.clone());
            entries.remove(&(shard, key));
        } else {
            let value = vec![random.u8(..); random.usize(0..80)];
            set.put(TERMS, key.clone(), value.clone());
            entries.insert((shard, key), value);
        }
    }
    store.commit(Shard(shard), vec![set]).await.unwrap();
}

async fn check(read: &dyn Read, entries: &Entries, random: &mut fastrand::Rng, what: &str) {
    for shard in 0..SHARDS {
        let expected: Vec<_> = entries.iter().filter(|((of, _), _)| *of == shard).collect();
        let (from, to) = (some_key(random), some_key(random));
        let all = KeyRange::all();
        let some = KeyRange::half_open(from.clone().into(), to.clone().into());
        for range in [all, some] {
            let wanted: Vec<_> = expected
                .iter()
                .filter(|((_, key), _)| !range.is_empty() && range.contains(key))
                .map(|((_, key), value)| (key.clone(), (*value).clone()))
                .collect();
            let limit = ScanLimit::entries(10_000);
            let (up, down) = (Scan::forward(range.clone(), limit), Scan::backward(range, limit));
            let upwards = read.scan(Shard(shard), TERMS, &up).await.unwrap();
            let downwards = read.scan(Shard(shard), TERMS, &down).await.unwrap();
            let found = |page: storage::ScanPage| -> Vec<_> {
                page.entries.into_iter().map(|e| (e.key.to_vec(), e.value.to_vec())).collect()
            };
            assert_eq!(found(upwards), wanted, "{what}, shard {shard}");
            let reversed: Vec<_> = wanted.into_iter().rev().collect();
            assert_eq!(found(downwards), reversed, "{what}, shard {shard}");
        }
        let found = read.get(Shard(shard), TERMS, &from).await.unwrap();
        let wanted = entries.get(&(shard, from));
        assert_eq!(found.as_deref(), wanted.map(Vec::as_slice), "{what}, shard {shard}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_buffered_space_holds_what_was_written_whatever_its_runs_do() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = fastrand::Rng::with_seed(25);
    let mut entries = Entries::new();
    for round in 0..ROUNDS {
        let store = open(folder.path());
        check(&*store, &entries, &mut random, &format!("opened in round {round}")).await;
        let mut snapshots = Vec::new();
        for number in 0..COMMITS {
            commit(&store, &mut random, &mut entries).await;
            if number % 40 == 0 {
                snapshots.push((store.snapshot().await.unwrap(), entries.clone()));
                check(&*store, &entries, &mut random, &format!("commit {number}")).await;
            }
        }
        for (place, (snapshot, then)) in snapshots.iter().enumerate() {
            check(&**snapshot, then, &mut random, &format!("snapshot {place}")).await;
        }
        drop(snapshots);
        // Every second time the store is dropped like that of a program that ends without closing it.
        if round % 2 == 0 {
            store.close().await.unwrap();
        }
    }
}

/// A reader that looks while batches are committed sees all of a batch or nothing of it, in both kinds of spaces.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_becomes_visible_in_the_buffered_space_and_in_the_others_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = LsmStore::open(folder.path(), SPACES, LsmSettings::default()).unwrap();
    let shard = Shard(1);
    let writer = {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            for number in 1..=300_u64 {
                let mut set = WriteSet::new();
                for space in SPACES {
                    set.put(*space, "newest", number.to_be_bytes().to_vec());
                    set.put(*space, number.to_be_bytes().to_vec(), "");
                }
                store.commit(shard, vec![set]).await.unwrap();
            }
        })
    };
    let mut seen = 0;
    while seen < 300 {
        let snapshot = store.snapshot().await.unwrap();
        let mut newest = Vec::new();
        for space in SPACES {
            let value = snapshot.get(shard, *space, b"newest").await.unwrap();
            let value = value.map(|value| u64::from_be_bytes(value.as_ref().try_into().unwrap()));
            let scan = Scan::forward(KeyRange::all(), ScanLimit::entries(1_000));
            let count = snapshot.scan(shard, *space, &scan).await.unwrap().entries.len();
            let written = usize::try_from(value.unwrap_or_default()).unwrap();
            assert_eq!(count, written + usize::from(written > 0), "{}", space.name);
            newest.push(value.unwrap_or_default());
        }
        assert!(newest.iter().all(|number| number == &newest[0]), "{newest:?}");
        assert!(newest[0] >= seen, "{newest:?} after {seen}");
        seen = newest[0];
    }
    writer.await.unwrap();
}

#[tokio::test]
async fn a_guard_on_a_buffered_key_is_checked_in_the_batch_the_runs_and_the_tree() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let put = |key: &'static str, guard: Guard| {
        let mut set = WriteSet::new();
        set.guard(TERMS, key, guard);
        set.put(TERMS, key, vec![1; 400]);
        store.commit(Shard(1), vec![set])
    };
    put("first", Guard::Absent).await.unwrap();
    put("first", Guard::Absent).await.unwrap_err();
    put("first", Guard::Present).await.unwrap();
    // Enough that the first key is in the tree only.
    for number in 0..400_u32 {
        let mut set = WriteSet::new();
        set.put(TERMS, number.to_be_bytes().to_vec(), vec![2; 400]);
        store.commit(Shard(1), vec![set]).await.unwrap();
    }
    put("first", Guard::Unchanged(vec![1; 400].into())).await.unwrap();
    put("first", Guard::Absent).await.unwrap_err();
    put("second", Guard::Present).await.unwrap_err();
}

#[tokio::test]
async fn a_store_buffers_one_space() {
    static TWO: &[Space] =
        &[TERMS, Space { number: 9, name: "other", prefix_bytes: 0, buffered: true }];
    let folder = tempfile::tempdir().unwrap();
    let refused = LsmStore::open(folder.path(), TWO, LsmSettings::default()).unwrap_err();
    assert!(refused.to_string().contains("buffered"), "{refused}");
}

/// Entries that no reader would look for must not be lost in silence.
#[tokio::test]
async fn a_store_whose_recent_entries_belong_to_a_space_that_is_not_buffered_is_refused() {
    static PLAIN: &[Space] = &[Space { buffered: false, ..TERMS }];
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut set = WriteSet::new();
    set.put(TERMS, "key", "value");
    store.commit(Shard(1), vec![set]).await.unwrap();
    store.close().await.unwrap();
    drop(store);
    let refused = LsmStore::open(folder.path(), PLAIN, LsmSettings::default()).unwrap_err();
    assert!(refused.to_string().contains("not buffered"), "{refused}");
}
