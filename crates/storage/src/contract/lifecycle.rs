//! Guarantees about waiting, syncing and closing.
//!
//! Owns what happens around commits. Does not own reopening: what a store keeps is tested beside each backend.

use std::sync::Arc;

use super::check::{
    CaseResult, SHARD, bytes, commit, expect_equal, expect_error, expect_true, get, join_all, put,
};
use super::{ITEMS, TERMS};
use crate::{ErrorKind, KeyRange, Result, Scan, ScanLimit, Shard, Stamp, Store, WriteSet};

pub(super) async fn wait_returns_at_once_when_the_shard_is_already_newer(
    store: Arc<dyn Store>,
) -> CaseResult {
    put(&*store, &[(b"a", b"1")]).await?;
    let second = put(&*store, &[(b"a", b"2")]).await?;
    expect_equal("from the start", store.wait(SHARD, Stamp::ZERO).await?, second)?;
    expect_equal("from one before", store.wait(SHARD, Stamp(second.0 - 1)).await?, second)
}

pub(super) async fn wait_returns_after_a_commit(store: Arc<dyn Store>) -> CaseResult {
    let before = put(&*store, &[(b"a", b"1")]).await?;
    let (waiting, writing) = (Arc::clone(&store), Arc::clone(&store));
    let wait = async move { waiting.wait(SHARD, before).await };
    let write = async move {
        // A commit of another shard must not end the wait.
        commit(&*writing, Shard(SHARD.0 + 1), WriteSet::new()).await?;
        put(&*writing, &[(b"a", b"2")]).await
    };
    let both: Vec<std::pin::Pin<Box<dyn Future<Output = Result<Stamp>> + Send>>> =
        vec![Box::pin(wait), Box::pin(write)];
    let mut stamps = Vec::new();
    for result in join_all(both).await {
        stamps.push(result?);
    }
    expect_equal("the waiter receives the stamp", stamps.first(), stamps.last())?;
    expect_true("which is newer", stamps.first() > Some(&before))
}

pub(super) async fn statistics_return_the_last_stamp(store: Arc<dyn Store>) -> CaseResult {
    expect_equal("unwritten", store.statistics(SHARD).await?.last_stamp, Stamp::ZERO)?;
    let stamp = put(&*store, &[(b"a", b"1")]).await?;
    expect_equal("written", store.statistics(SHARD).await?.last_stamp, stamp)
}

pub(super) async fn sync_succeeds_on_an_open_store(store: Arc<dyn Store>) -> CaseResult {
    store.sync().await?;
    put(&*store, &[(b"a", b"1")]).await?;
    store.sync().await?;
    expect_equal("the value stays", get(&*store, b"a").await?, Some(bytes(b"1")))
}

pub(super) async fn a_closed_store_refuses_every_call(store: Arc<dyn Store>) -> CaseResult {
    put(&*store, &[(b"a", b"1")]).await?;
    let snapshot = store.snapshot().await?;
    store.close().await?;
    let closed = &ErrorKind::Closed;
    let all = Scan::forward(KeyRange::all(), ScanLimit::entries(1));
    expect_error("get", get(&*store, b"a").await, closed)?;
    expect_error("get_many", store.get_many(SHARD, ITEMS, &[bytes(b"a")]).await, closed)?;
    expect_error("scan", store.scan(SHARD, TERMS, &all).await, closed)?;
    expect_error("snapshot", store.snapshot().await, closed)?;
    expect_error("get on a snapshot", get(&*snapshot, b"a").await, closed)?;
    expect_error("commit", store.commit(SHARD, vec![WriteSet::new()]).await, closed)?;
    expect_error("last_stamp", store.last_stamp(SHARD).await, closed)?;
    expect_error("wait", store.wait(SHARD, Stamp::ZERO).await, closed)?;
    expect_error("statistics", store.statistics(SHARD).await, closed)?;
    expect_error("sync", store.sync().await, closed)?;
    expect_error("close", store.close().await, closed)
}

pub(super) async fn closing_ends_a_wait(store: Arc<dyn Store>) -> CaseResult {
    let last = put(&*store, &[(b"a", b"1")]).await?;
    let (waiting, closing) = (Arc::clone(&store), Arc::clone(&store));
    let wait = async move { waiting.wait(SHARD, last).await.map(drop) };
    let close = async move { closing.close().await };
    let both: Vec<std::pin::Pin<Box<dyn Future<Output = Result<()>> + Send>>> =
        vec![Box::pin(wait), Box::pin(close)];
    let mut results = join_all(both).await.into_iter();
    let waited = results.next().unwrap_or(Ok(()));
    expect_error("the wait", waited, &ErrorKind::Closed)?;
    results.next().unwrap_or(Ok(())).map_err(Into::into)
}
