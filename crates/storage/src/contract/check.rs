//! Helpers that the cases are written with.
//!
//! Owns assertions that return an error with a message, and running futures concurrently. Does not own any case.

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

/// A broken guarantee.
#[derive(Debug)]
pub struct ContractViolation(String);

pub(super) type CaseResult = Result<(), ContractViolation>;

impl fmt::Display for ContractViolation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for ContractViolation {}

impl From<Error> for ContractViolation {
    fn from(error: Error) -> Self {
        Self(format!("unexpected error: {}", error.full_message()))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "a case compares a value it has just received")]
pub(super) fn expect_equal<T: PartialEq + fmt::Debug>(
    context: &str,
    found: T,
    expected: T,
) -> CaseResult {
    if found == expected {
        return Ok(());
    }
    Err(ContractViolation(format!("{context}: expected {expected:?}, found {found:?}")))
}

pub(super) fn expect_true(context: &str, condition: bool) -> CaseResult {
    if condition { Ok(()) } else { Err(ContractViolation(context.to_owned())) }
}

pub(super) fn expect_error<T>(
    context: &str,
    result: crate::Result<T>,
    expected: &ErrorKind,
) -> CaseResult {
    match result {
        Err(error) => expect_equal(context, error.kind(), expected),
        Ok(_) => Err(ContractViolation(format!(
            "{context}: expected {expected:?}, but the call succeeded"
        ))),
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
        _ => Err(Error::invalid(format!("one set received {} stamps", stamps.len()))),
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

/// Polls all futures concurrently in this task, because the suite has no executor of its own.
pub(super) async fn join_all<T>(futures: Vec<impl Future<Output = T>>) -> Vec<T> {
    let mut running: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    poll_fn(|context| {
        let mut pending = false;
        for (future, result) in &mut running {
            if result.is_none() {
                match Pin::as_mut(future).poll(context) {
                    Poll::Ready(value) => *result = Some(value),
                    Poll::Pending => pending = true,
                }
            }
        }
        if pending { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    running.into_iter().filter_map(|(_, result)| result).collect()
}
