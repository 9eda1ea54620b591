//! Guarantees about reading single keys.
//!
//! Owns get and get_many. Does not own ranges: see `scans`.

use std::sync::Arc;

use super::check::{CaseResult, SHARD, bytes, commit, expect_equal, get, put};
use super::{ITEMS, TERMS};
use crate::{Shard, StorageKey, Store, WriteSet};

pub(super) async fn get_returns_what_was_put_and_nothing_else(store: Arc<dyn Store>) -> CaseResult {
    expect_equal("an unwritten key", get(&*store, b"a").await?, None)?;
    put(&*store, &[(b"a", b"1"), (b"b", b"2")]).await?;
    expect_equal("the first key", get(&*store, b"a").await?, Some(bytes(b"1")))?;
    expect_equal("the second key", get(&*store, b"b").await?, Some(bytes(b"2")))?;
    expect_equal("a key between", get(&*store, b"aa").await?, None)?;
    put(&*store, &[(b"a", b"3")]).await?;
    expect_equal("a replaced value", get(&*store, b"a").await?, Some(bytes(b"3")))
}

pub(super) async fn get_many_returns_values_in_the_order_of_the_keys(
    store: Arc<dyn Store>,
) -> CaseResult {
    put(&*store, &[(b"a", b"1"), (b"b", b"2"), (b"c", b"3")]).await?;
    let keys: Vec<StorageKey> =
        [b"c", b"x", b"a", b"c", b"b"].iter().map(|key| bytes(*key)).collect();
    let found = store.get_many(SHARD, ITEMS, &keys).await?;
    let expected =
        vec![Some(bytes(b"3")), None, Some(bytes(b"1")), Some(bytes(b"3")), Some(bytes(b"2"))];
    expect_equal("values in the order of the keys", found, expected)?;
    expect_equal("no keys", store.get_many(SHARD, ITEMS, &[]).await?, vec![])
}

pub(super) async fn empty_keys_and_empty_values_are_allowed(store: Arc<dyn Store>) -> CaseResult {
    put(&*store, &[(b"", b"1"), (b"a", b"")]).await?;
    expect_equal("the empty key", get(&*store, b"").await?, Some(bytes(b"1")))?;
    expect_equal("the empty value", get(&*store, b"a").await?, Some(bytes(b"")))?;
    let mut set = WriteSet::new();
    set.remove(ITEMS, bytes(b""));
    commit(&*store, SHARD, set).await?;
    expect_equal("the removed empty key", get(&*store, b"").await?, None)
}

pub(super) async fn long_keys_and_large_values_are_stored_completely(
    store: Arc<dyn Store>,
) -> CaseResult {
    let long_key = vec![0xAB_u8; 4096];
    let large_value: Vec<u8> = (0..2 * 1024 * 1024_u32).map(|at| (at % 251) as u8).collect();
    put(&*store, &[(&long_key, b"1"), (b"large", &large_value)]).await?;
    expect_equal("a long key", get(&*store, &long_key).await?, Some(bytes(b"1")))?;
    let found = get(&*store, b"large").await?;
    expect_equal("a large value", found == Some(large_value.into()), true)
}

pub(super) async fn shards_and_spaces_do_not_see_each_other(store: Arc<dyn Store>) -> CaseResult {
    for shard in [0, 1, 255, 256, u32::MAX] {
        for space in [ITEMS, TERMS] {
            let mut set = WriteSet::new();
            set.put(space, bytes(b"key"), format!("{shard} {}", space.name).into_bytes());
            commit(&*store, Shard(shard), set).await?;
        }
    }
    for shard in [0, 1, 255, 256, u32::MAX] {
        for space in [ITEMS, TERMS] {
            let found = store.get(Shard(shard), space, b"key").await?;
            let expected = format!("{shard} {}", space.name);
            expect_equal(
                "a value of its shard and space",
                found,
                Some(expected.into_bytes().into()),
            )?;
        }
    }
    expect_equal("another shard", store.get(Shard(2), ITEMS, b"key").await?, None)
}
