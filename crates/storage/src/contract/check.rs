//! The small vocabulary the cases are written in.
//!
//! Owns comparison with a sentence, and running futures side by side. Does not own any promise.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use super::ITEMS;
use crate::{
    Error, ErrorKind, Read, Scan, ScanPage, Shard, Stamp, StorageKey, StorageValue, Store, WriteSet,
};

/// The shard most cases write to.
pub(super) const SHARD: Shard = Shard(7);

/// A broken promise.
#[derive(Debug)]
pub struct Violation(String);

pub(super) type Checked = Result<(), Violation>;

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Violation {}

impl From<Error> for Violation {
    fn from(error: Error) -> Self {
        Self(format!("an unexpected error: {error}"))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "a case compares what it has just received")]
pub(super) fn equal<T: PartialEq + fmt::Debug>(what: &str, found: T, expected: T) -> Checked {
    if found == expected {
        return Ok(());
    }
    Err(Violation(format!("{what}: expected {expected:?}, found {found:?}")))
}

pub(super) fn holds(what: &str, condition: bool) -> Checked {
    if condition { Ok(()) } else { Err(Violation(what.to_owned())) }
}

pub(super) fn fails_with<T>(what: &str, result: crate::Result<T>, expected: &ErrorKind) -> Checked {
    match result {
        Err(error) => equal(what, error.kind(), expected),
        Ok(_) => Err(Violation(format!("{what}: expected {expected:?}, but the call succeeded"))),
    }
}

/// Commits puts into [`ITEMS`] of [`SHARD`].
pub(super) async fn put(store: &dyn Store, entries: &[(&[u8], &[u8])]) -> crate::Result<Stamp> {
    let mut set = WriteSet::new();
    for (key, value) in entries {
        set.put(ITEMS, key.to_vec(), value.to_vec());
    }
    commit(store, SHARD, set).await
}

/// Commits one set and returns its stamp.
pub(super) async fn commit(store: &dyn Store, shard: Shard, set: WriteSet) -> crate::Result<Stamp> {
    let stamps = store.commit(shard, vec![set]).await?;
    match stamps.as_slice() {
        [stamp] => Ok(*stamp),
        _ => Err(Error::refused(format!("one set received {} stamps", stamps.len()))),
    }
}

pub(super) async fn get(
    reader: &(impl Read + ?Sized),
    key: &[u8],
) -> crate::Result<Option<StorageValue>> {
    reader.get(SHARD, ITEMS, key).await
}

pub(super) async fn scan(
    reader: &(impl Read + ?Sized),
    scan: Scan,
) -> crate::Result<(Vec<StorageKey>, bool)> {
    let ScanPage { entries, more } = reader.scan(SHARD, ITEMS, &scan).await?;
    Ok((entries.into_iter().map(|entry| entry.key).collect(), more))
}

pub(super) fn bytes(text: &[u8]) -> StorageValue {
    StorageValue::copy_from_slice(text)
}

/// Polls all futures side by side in this task; the suite brings no executor of its own.
pub(super) async fn together<T>(futures: Vec<impl Future<Output = T>>) -> Vec<T> {
    let mut running: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    poll_fn(|context| {
        let mut pending = false;
        for (future, outcome) in &mut running {
            if outcome.is_none() {
                match Pin::as_mut(future).poll(context) {
                    Poll::Ready(value) => *outcome = Some(value),
                    Poll::Pending => pending = true,
                }
            }
        }
        if pending { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    running.into_iter().filter_map(|(_, outcome)| outcome).collect()
}
