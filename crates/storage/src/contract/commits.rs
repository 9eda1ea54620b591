//! Guarantees about what a commit changes and what a snapshot keeps.
//!
//! Owns atomicity, the order of writes and concurrency. Does not own conditions and numbers: see `guards` and `stamps`.

use std::sync::Arc;

use super::check::{
    CaseResult, SHARD, bytes, commit, expect_equal, expect_true, get, join_all, put, scan,
};
use super::{ITEMS, LOG, SPACES, TERMS};
use crate::{KeyRange, Scan, ScanLimit, Stamp, StorageKey, Store, WriteSet};

pub(super) async fn a_commit_to_several_spaces_is_atomic(store: Arc<dyn Store>) -> CaseResult {
    for round in 0..20_u8 {
        let mut set = WriteSet::new();
        for space in SPACES {
            set.put(*space, bytes(b"round"), vec![round]);
        }
        let writing = Arc::clone(&store);
        let reading = Arc::clone(&store);
        let write = async move { commit(&*writing, SHARD, set).await.map(|_| None) };
        let read = async move {
            let snapshot = reading.snapshot().await?;
            let mut seen = Vec::new();
            for space in SPACES {
                seen.push(snapshot.get(SHARD, *space, b"round").await?);
            }
            Ok(Some(seen))
        };
        let both: Vec<std::pin::Pin<Box<dyn Future<Output = _> + Send>>> =
            vec![Box::pin(write), Box::pin(read)];
        for result in join_all::<crate::Result<Option<Vec<_>>>>(both).await {
            if let Some(seen) = result? {
                // Before or after the commit, both are right; only a mixture is not.
                let same = seen.windows(2).all(|pair| pair.first() == pair.last());
                expect_true(&format!("a snapshot saw half a commit: {seen:?}"), same)?;
            }
        }
    }
    for space in [ITEMS, TERMS, LOG] {
        let found = store.get(SHARD, space, b"round").await?;
        expect_equal("the last round in every space", found, Some(bytes(&[19])))?;
    }
    Ok(())
}

pub(super) async fn the_last_write_to_a_key_wins_within_a_set(store: Arc<dyn Store>) -> CaseResult {
    put(&*store, &[(b"old", b"0")]).await?;
    let mut set = WriteSet::new();
    set.put(ITEMS, bytes(b"twice"), bytes(b"1"));
    set.put(ITEMS, bytes(b"twice"), bytes(b"2"));
    set.put(ITEMS, bytes(b"gone"), bytes(b"1"));
    set.remove(ITEMS, bytes(b"gone"));
    set.remove(ITEMS, bytes(b"back"));
    set.put(ITEMS, bytes(b"back"), bytes(b"1"));
    set.put(ITEMS, bytes(b"old"), bytes(b"1"));
    set.remove(ITEMS, bytes(b"old"));
    commit(&*store, SHARD, set).await?;
    expect_equal("put then put", get(&*store, b"twice").await?, Some(bytes(b"2")))?;
    expect_equal("put then remove", get(&*store, b"gone").await?, None)?;
    expect_equal("remove then put", get(&*store, b"back").await?, Some(bytes(b"1")))?;
    expect_equal("an old key put then removed", get(&*store, b"old").await?, None)
}

pub(super) async fn the_last_write_to_a_key_wins_across_the_sets_of_a_group(
    store: Arc<dyn Store>,
) -> CaseResult {
    let mut first = WriteSet::new();
    first.put(ITEMS, bytes(b"twice"), bytes(b"1"));
    first.put(ITEMS, bytes(b"gone"), bytes(b"1"));
    first.remove(ITEMS, bytes(b"back"));
    let mut second = WriteSet::new();
    second.put(ITEMS, bytes(b"twice"), bytes(b"2"));
    second.remove(ITEMS, bytes(b"gone"));
    second.put(ITEMS, bytes(b"back"), bytes(b"2"));
    store.commit(SHARD, vec![first, second]).await?;
    expect_equal("put then put", get(&*store, b"twice").await?, Some(bytes(b"2")))?;
    expect_equal("put then remove", get(&*store, b"gone").await?, None)?;
    expect_equal("remove then put", get(&*store, b"back").await?, Some(bytes(b"2")))
}

pub(super) async fn removing_an_absent_key_is_not_an_error(store: Arc<dyn Store>) -> CaseResult {
    let mut set = WriteSet::new();
    set.remove(ITEMS, bytes(b"never written"));
    let stamp = commit(&*store, SHARD, set).await?;
    expect_true("a remove has a stamp", stamp > Stamp::ZERO)?;
    expect_equal("still absent", get(&*store, b"never written").await?, None)
}

pub(super) async fn an_empty_group_changes_nothing(store: Arc<dyn Store>) -> CaseResult {
    let before = put(&*store, &[(b"a", b"1")]).await?;
    expect_equal("no set, no stamp", store.commit(SHARD, vec![]).await?, vec![])?;
    expect_equal("the last stamp", store.last_stamp(SHARD).await?, before)?;
    // Not the same as no set: a set may consist of guards alone, and its commit has a place in the order.
    let after = commit(&*store, SHARD, WriteSet::new()).await?;
    expect_true("a set without writes has a stamp", after > before)
}

pub(super) async fn a_snapshot_does_not_change(store: Arc<dyn Store>) -> CaseResult {
    put(&*store, &[(b"kept", b"1"), (b"replaced", b"1"), (b"removed", b"1")]).await?;
    let snapshot = store.snapshot().await?;
    for round in 0..3_u8 {
        let mut set = WriteSet::new();
        set.put(ITEMS, bytes(b"replaced"), vec![round]);
        set.remove(ITEMS, bytes(b"removed"));
        set.put(ITEMS, bytes(b"added"), bytes(b"2"));
        commit(&*store, SHARD, set).await?;
    }
    let one = Some(bytes(b"1"));
    expect_equal("a kept key", get(&*snapshot, b"kept").await?, one.clone())?;
    expect_equal("a replaced key", get(&*snapshot, b"replaced").await?, one.clone())?;
    expect_equal("a removed key", get(&*snapshot, b"removed").await?, one.clone())?;
    expect_equal("an added key", get(&*snapshot, b"added").await?, None)?;
    let keys: Vec<StorageKey> =
        [b"kept".as_slice(), b"removed", b"replaced"].iter().map(|key| bytes(key)).collect();
    let many = snapshot.get_many(SHARD, ITEMS, &keys).await?;
    expect_equal("several keys", many, vec![one.clone(), one.clone(), one])?;
    let all = Scan::forward(KeyRange::all(), ScanLimit::entries(10));
    expect_equal("a scan", scan(&*snapshot, all.clone()).await?, (keys, false))?;
    // Old versions may now be removed; what remains must be the latest state.
    drop(snapshot);
    let now = [b"added".as_slice(), b"kept", b"replaced"].iter().map(|key| bytes(key)).collect();
    expect_equal("the latest state", scan(&*store, all).await?, (now, false))
}

pub(super) async fn concurrent_commits_all_succeed_with_distinct_stamps(
    store: Arc<dyn Store>,
) -> CaseResult {
    let commits = (0..50_u8).map(|number| {
        let store = Arc::clone(&store);
        async move {
            let mut set = WriteSet::new();
            set.put(ITEMS, vec![number], vec![number]);
            // All 50 ask for the same key; the stamp makes them different and puts them into the order of commits.
            set.put_stamped(LOG, vec![0; 8], vec![number], Some(0), None);
            commit(&*store, SHARD, set).await.map(|stamp| (stamp, number))
        }
    });
    let mut stamps = Vec::new();
    for result in join_all(commits.collect()).await {
        stamps.push(result?);
    }
    stamps.sort_unstable();
    let distinct = stamps.windows(2).all(|pair| match pair {
        [(earlier, _), (later, _)] => earlier < later,
        _ => true,
    });
    expect_true("every commit has a stamp of its own", distinct)?;
    let last = stamps.last().map(|(stamp, _)| *stamp);
    expect_equal("the last stamp", Some(store.last_stamp(SHARD).await?), last)?;
    for number in 0..50 {
        expect_equal(
            "every write is visible",
            get(&*store, &[number]).await?,
            Some(vec![number].into()),
        )?;
    }
    let all = Scan::forward(KeyRange::all(), ScanLimit::entries(100));
    let logged = store.scan(SHARD, LOG, &all).await?.entries;
    let logged = logged.into_iter().map(|entry| (entry.key, entry.value)).collect::<Vec<_>>();
    let expected = stamps.iter().map(|(stamp, number)| {
        (StorageKey::copy_from_slice(&stamp.0.to_be_bytes()), bytes(&[*number]))
    });
    expect_equal("the log is in the order of stamps", logged, expected.collect())
}
