//! Promises about waiting, syncing and closing.
//!
//! Owns what happens around commits. Does not own reopening: what a store keeps is tested beside each backend.

use std::sync::Arc;

use super::check::{Checked, SHARD, bytes, commit, equal, fails_with, get, holds, put, together};
use super::{ITEMS, TERMS};
use crate::{ErrorKind, KeyRange, Result, Scan, ScanLimit, Shard, Stamp, Store, WriteSet};

pub(super) async fn wait_returns_at_once_when_the_shard_is_already_newer(
    store: Arc<dyn Store>,
) -> Checked {
    put(&*store, &[(b"a", b"1")]).await?;
    let second = put(&*store, &[(b"a", b"2")]).await?;
    equal("from the start", store.wait(SHARD, Stamp::ZERO).await?, second)?;
    equal("from one before", store.wait(SHARD, Stamp(second.0 - 1)).await?, second)
}

pub(super) async fn wait_returns_after_a_commit(store: Arc<dyn Store>) -> Checked {
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
    for outcome in together(both).await {
        stamps.push(outcome?);
    }
    equal("the waiter learns the stamp", stamps.first(), stamps.last())?;
    holds("which is newer", stamps.first() > Some(&before))
}

pub(super) async fn statistics_tell_the_last_stamp(store: Arc<dyn Store>) -> Checked {
    equal("unwritten", store.statistics(SHARD).await?.last_stamp, Stamp::ZERO)?;
    let stamp = put(&*store, &[(b"a", b"1")]).await?;
    equal("written", store.statistics(SHARD).await?.last_stamp, stamp)
}

pub(super) async fn sync_succeeds_on_an_open_store(store: Arc<dyn Store>) -> Checked {
    store.sync().await?;
    put(&*store, &[(b"a", b"1")]).await?;
    store.sync().await?;
    equal("the value stays", get(&*store, b"a").await?, Some(bytes(b"1")))
}

pub(super) async fn a_closed_store_refuses_every_call(store: Arc<dyn Store>) -> Checked {
    put(&*store, &[(b"a", b"1")]).await?;
    let snapshot = store.snapshot().await?;
    store.close().await?;
    let closed = &ErrorKind::Closed;
    let all = Scan::forward(KeyRange::all(), ScanLimit::entries(1));
    fails_with("get", get(&*store, b"a").await, closed)?;
    fails_with("get_many", store.get_many(SHARD, ITEMS, &[bytes(b"a")]).await, closed)?;
    fails_with("scan", store.scan(SHARD, TERMS, &all).await, closed)?;
    fails_with("snapshot", store.snapshot().await, closed)?;
    fails_with("get on a snapshot", get(&*snapshot, b"a").await, closed)?;
    fails_with("commit", store.commit(SHARD, vec![WriteSet::new()]).await, closed)?;
    fails_with("last_stamp", store.last_stamp(SHARD).await, closed)?;
    fails_with("wait", store.wait(SHARD, Stamp::ZERO).await, closed)?;
    fails_with("statistics", store.statistics(SHARD).await, closed)?;
    fails_with("sync", store.sync().await, closed)?;
    fails_with("close", store.close().await, closed)
}

pub(super) async fn closing_ends_a_wait(store: Arc<dyn Store>) -> Checked {
    let last = put(&*store, &[(b"a", b"1")]).await?;
    let (waiting, closing) = (Arc::clone(&store), Arc::clone(&store));
    let wait = async move { waiting.wait(SHARD, last).await.map(drop) };
    let close = async move { closing.close().await };
    let both: Vec<std::pin::Pin<Box<dyn Future<Output = Result<()>> + Send>>> =
        vec![Box::pin(wait), Box::pin(close)];
    let mut outcomes = together(both).await.into_iter();
    let waited = outcomes.next().unwrap_or(Ok(()));
    fails_with("the wait", waited, &ErrorKind::Closed)?;
    outcomes.next().unwrap_or(Ok(())).map_err(Into::into)
}
