//! Guarantees about conditions checked inside a commit.
//!
//! Owns the three guards and their scope. Does not own the writes of a group: see `commits`.

use std::sync::Arc;

use super::check::{
    CaseResult, SHARD, bytes, commit, expect_equal, expect_error, get, join_all, put,
};
use super::{ITEMS, TERMS};
use crate::{ErrorKind, Guard, Space, Store, WriteSet};

fn failed(space: Space, key: &[u8]) -> ErrorKind {
    ErrorKind::GuardFailed { shard: SHARD, space, key: bytes(key) }
}

/// A set that puts `result` if a guard on `key` holds.
fn guarded(key: &[u8], guard: Guard, result: &[u8]) -> WriteSet {
    let mut set = WriteSet::new();
    set.guard(ITEMS, bytes(key), guard);
    set.put(ITEMS, bytes(b"result"), bytes(result));
    set
}

pub(super) async fn absent_is_true_only_without_a_value(store: Arc<dyn Store>) -> CaseResult {
    put(&*store, &[(b"exists", b"")]).await?;
    commit(&*store, SHARD, guarded(b"missing", Guard::Absent, b"1")).await?;
    // Its value is empty, but a value: a store that takes it for absence fails here.
    let refused = commit(&*store, SHARD, guarded(b"exists", Guard::Absent, b"2")).await;
    expect_error("an existing key", refused, &failed(ITEMS, b"exists"))?;
    expect_equal("only the first was written", get(&*store, b"result").await?, Some(bytes(b"1")))
}

pub(super) async fn present_is_true_only_with_a_value(store: Arc<dyn Store>) -> CaseResult {
    put(&*store, &[(b"exists", b"")]).await?;
    commit(&*store, SHARD, guarded(b"exists", Guard::Present, b"1")).await?;
    let refused = commit(&*store, SHARD, guarded(b"missing", Guard::Present, b"2")).await;
    expect_error("a missing key", refused, &failed(ITEMS, b"missing"))?;
    let mut removal = WriteSet::new();
    removal.remove(ITEMS, bytes(b"exists"));
    commit(&*store, SHARD, removal).await?;
    let refused = commit(&*store, SHARD, guarded(b"exists", Guard::Present, b"3")).await;
    expect_error("a removed key", refused, &failed(ITEMS, b"exists"))?;
    expect_equal("only the first was written", get(&*store, b"result").await?, Some(bytes(b"1")))
}

pub(super) async fn unchanged_is_true_only_for_the_same_value(store: Arc<dyn Store>) -> CaseResult {
    put(&*store, &[(b"exists", b"old")]).await?;
    let unchanged = |value: &[u8]| Guard::Unchanged(bytes(value));
    commit(&*store, SHARD, guarded(b"exists", unchanged(b"old"), b"1")).await?;
    // A prefix, a longer text and nothing: a comparison of the shorter length only would accept them.
    for value in [b"new".as_slice(), b"ol", b"older", b""] {
        let refused = commit(&*store, SHARD, guarded(b"exists", unchanged(value), b"2")).await;
        expect_error("another value", refused, &failed(ITEMS, b"exists"))?;
    }
    let refused = commit(&*store, SHARD, guarded(b"missing", unchanged(b""), b"3")).await;
    expect_error("a missing key is not an empty value", refused, &failed(ITEMS, b"missing"))?;
    expect_equal("only the first was written", get(&*store, b"result").await?, Some(bytes(b"1")))
}

pub(super) async fn guards_are_checked_against_the_state_before_the_group(
    store: Arc<dyn Store>,
) -> CaseResult {
    let mut first = WriteSet::new();
    first.put(ITEMS, bytes(b"key"), bytes(b"1"));
    let mut second = WriteSet::new();
    second.guard(ITEMS, bytes(b"key"), Guard::Absent);
    second.put(ITEMS, bytes(b"key"), bytes(b"2"));
    second.guard(ITEMS, bytes(b"key"), Guard::Absent);
    // The first set writes the key, but the guards of the second look at the state before the group.
    store.commit(SHARD, vec![first.clone(), second.clone()]).await?;
    expect_equal("the group was written", get(&*store, b"key").await?, Some(bytes(b"2")))?;
    let refused = store.commit(SHARD, vec![first, second]).await;
    expect_error("the key exists before the second group", refused, &failed(ITEMS, b"key"))?;
    expect_equal("the state is as before", get(&*store, b"key").await?, Some(bytes(b"2")))
}

pub(super) async fn one_failed_guard_refuses_the_whole_group_and_names_its_key(
    store: Arc<dyn Store>,
) -> CaseResult {
    let mut first = WriteSet::new();
    first.put(ITEMS, bytes(b"first"), bytes(b"1"));
    first.guard(ITEMS, bytes(b"fine"), Guard::Absent);
    let mut second = WriteSet::new();
    second.put(ITEMS, bytes(b"second"), bytes(b"1"));
    second.guard(TERMS, bytes(b"wanted"), Guard::Present);
    let mut third = WriteSet::new();
    third.put(ITEMS, bytes(b"third"), bytes(b"1"));
    let refused = store.commit(SHARD, vec![first, second, third]).await;
    expect_error("the group", refused, &failed(TERMS, b"wanted"))?;
    for key in [b"first".as_slice(), b"second", b"third"] {
        expect_equal("nothing was written", get(&*store, key).await?, None)?;
    }
    Ok(())
}

pub(super) async fn guards_serialise_concurrent_increments(store: Arc<dyn Store>) -> CaseResult {
    put(&*store, &[(b"count", &[0])]).await?;
    let increments = (0..10).map(|_| {
        let store = Arc::clone(&store);
        async move {
            loop {
                let seen = get(&*store, b"count").await?.unwrap_or_default();
                let next = seen.first().map_or(0, |count| count + 1);
                let mut set = WriteSet::new();
                set.guard(ITEMS, bytes(b"count"), Guard::Unchanged(seen));
                set.put(ITEMS, bytes(b"count"), vec![next]);
                match commit(&*store, SHARD, set).await {
                    // Somebody else was first: read again. One of the waiting commits succeeds in each round, so the
                    // loop ends.
                    Err(error) if matches!(error.kind(), ErrorKind::GuardFailed { .. }) => {}
                    result => return result,
                }
            }
        }
    });
    for result in join_all(increments.collect()).await {
        result?;
    }
    expect_equal("no increment was lost", get(&*store, b"count").await?, Some(bytes(&[10])))
}
