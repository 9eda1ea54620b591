//! What the writer of a partition runs: any transaction, behind a trait.
//!
//! Owns the contract between the writer and those who write: what a transaction is given, what it hands back, and how
//! its caller gets the response. Does not own any transaction: see `item` and `maintenance`.

use std::collections::VecDeque;
use std::pin::Pin;

use model::{Lsn, TimestampMs};
use storage::{Read, StorageKey, WriteSet};
use tokio::sync::oneshot;

use super::map::PartitionIdentity;
use super::pending_keys::PendingKeys;
use super::state::PartitionState;
use crate::container::{CompiledProperties, ContainerIdentity};
use crate::error::Error;
use crate::key_layout::ItemKey;

/// A unit of work that is committed as a whole or not at all.
///
/// `run` only reads the store and collects writes; the writer commits them later, together with those of other
/// transactions. It may be called several times: after a deferral, and after a commit that another process has
/// prevented. It must therefore not depend on an earlier call.
pub(crate) trait PartitionTransaction: Send + Sync + 'static {
    /// What the caller gets after the commit.
    type Response: Send;
    /// What the caller gets when nothing was written.
    type Failure: From<Error> + Send;

    fn run(
        &mut self,
        context: TransactionContext<'_>,
    ) -> impl Future<Output = TransactionResult<Self>> + Send;
}

/// The writes of a run with its response, or why there are none.
pub(crate) type TransactionResult<T> = Result<
    (PreparedTransaction, <T as PartitionTransaction>::Response),
    Abort<<T as PartitionTransaction>::Failure>,
>;

/// What a transaction is run with.
pub(crate) struct TransactionContext<'run> {
    pub(crate) store: &'run dyn Read,
    pub(crate) container: &'run ContainerIdentity,
    pub(crate) compiled: &'run CompiledProperties,
    pub(crate) partition: PartitionIdentity,
    pub(crate) now: TimestampMs,
    // A get of one of these keys would return a state that is older than `state`.
    pub(crate) pending: PendingKeys<'run>,
    /// The state as the transaction before has left it, committed or not.
    pub(crate) state: PartitionState,
    /// Bytes of items that a transaction may parse, print and index, because all writes of the partition wait for it.
    pub(crate) item_bytes_max: usize,
}

/// The writes of a transaction, ready for a group.
pub(crate) struct PreparedTransaction {
    pub(crate) set: WriteSet,
    pub(crate) state: PartitionState,
    pub(crate) touched_items: Vec<StorageKey>,
    pub(crate) touched_unique_keys: Vec<StorageKey>,
    /// Whether there is anything to commit. Cursors in the state alone can wait for the next write.
    pub(crate) needs_commit: bool,
    /// Whether a version or a deletion was not kept, because the container keeps none now.
    pub(crate) loses_versions: bool,
}

/// Why a transaction has no writes to commit.
#[derive(Debug)]
pub(crate) enum Abort<F = Error> {
    /// The caller gets this failure.
    Failed(F),
    /// The transaction needs a key that an earlier transaction has written and the store may not return yet. It runs
    /// again in a later group.
    Deferred,
    /// Going on would take long, and all writes of the partition would wait: parsing and indexing this item. The caller
    /// gets the transaction back, to prepare it outside of the writer.
    TooLong(ItemKey),
}

impl From<Error> for Abort {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<storage::Error> for Abort {
    fn from(error: storage::Error) -> Self {
        Self::Failed(error.into())
    }
}

/// How a submitted transaction ended.
pub(crate) enum Completion<T: PartitionTransaction> {
    /// Its writes are durable under this lsn. The transaction comes back with its response.
    Committed(T, T::Response, Lsn),
    /// Nothing was written. The transaction comes back, unless the writer has ended: whoever gets it decides where a
    /// large item is dropped.
    Failed(T::Failure, Option<T>),
    /// Nothing was written: the transaction must be prepared, because of this item.
    TooLong(T, ItemKey),
    /// The partition was split or merged away. The transaction did not run and can be submitted to its successor.
    Retired(T),
}

/// A transaction in the queue of a writer, with its caller. The type of the transaction is erased, so that one queue
/// takes all of them.
pub(super) trait QueuedTransaction: Send {
    fn run<'run>(&'run mut self, context: TransactionContext<'run>) -> RunFuture<'run>;
    /// Sends the response of the last run.
    fn commit(self: Box<Self>, lsn: Lsn);
    /// Sends the failure of the last run.
    fn fail(self: Box<Self>);
    /// Sends an error that the transaction itself has not caused.
    fn reject(self: Box<Self>, error: Error);
    /// Hands the transaction back.
    fn retire(self: Box<Self>);
}

/// The result of one run of a queued transaction; response and failure stay with the transaction.
// Boxing the large variant would cost an allocation per write; one result exists at a time.
#[expect(clippy::large_enum_variant, reason = "moved once per write, never stored in bulk")]
pub(super) enum RunResult {
    Prepared(PreparedTransaction),
    Failed,
    Deferred,
}

pub(super) type RunFuture<'run> = Pin<Box<dyn Future<Output = RunResult> + Send + 'run>>;

struct Queued<T: PartitionTransaction> {
    transaction: T,
    result: Option<Result<T::Response, T::Failure>>,
    /// The item that the last run was too long for.
    too_long: Option<ItemKey>,
    caller: oneshot::Sender<Completion<T>>,
}

/// Prepares a transaction for the queue. The receiver gets its completion; if the writer ends without one, it gets an
/// error.
pub(super) fn enqueue<T: PartitionTransaction>(
    transaction: T,
) -> (Box<dyn QueuedTransaction>, oneshot::Receiver<Completion<T>>) {
    let (caller, receiver) = oneshot::channel();
    (Box::new(Queued { transaction, result: None, too_long: None, caller }), receiver)
}

impl<T: PartitionTransaction> Queued<T> {
    fn send(self, completion: impl FnOnce(T) -> Completion<T>) {
        // A caller that has gone away is no failure: the writes stay.
        let _ = self.caller.send(completion(self.transaction));
    }
}

impl<T: PartitionTransaction> QueuedTransaction for Queued<T> {
    fn run<'run>(&'run mut self, context: TransactionContext<'run>) -> RunFuture<'run> {
        // The result stays here and not with the writer, so that the writer needs no type parameter. A second run
        // overwrites the result of the first.
        Box::pin(async move {
            match self.transaction.run(context).await {
                Ok((prepared, response)) => {
                    self.result = Some(Ok(response));
                    RunResult::Prepared(prepared)
                }
                Err(Abort::Failed(failure)) => {
                    self.result = Some(Err(failure));
                    RunResult::Failed
                }
                // The old result, if any, may stay: a deferred transaction always runs again before it is committed.
                Err(Abort::Deferred) => RunResult::Deferred,
                Err(Abort::TooLong(key)) => {
                    self.result = None;
                    self.too_long = Some(key);
                    RunResult::Failed
                }
            }
        })
    }

    fn commit(mut self: Box<Self>, lsn: Lsn) {
        match self.result.take() {
            Some(Ok(response)) => {
                self.send(|transaction| Completion::Committed(transaction, response, lsn));
            }
            // The writer commits only what has run to a response.
            _ => self.reject(Error::closed()),
        }
    }

    fn fail(mut self: Box<Self>) {
        match self.result.take() {
            Some(Err(failure)) => {
                self.send(|transaction| Completion::Failed(failure, Some(transaction)));
            }
            _ => match self.too_long.take() {
                Some(key) => self.send(|transaction| Completion::TooLong(transaction, key)),
                None => self.reject(Error::closed()),
            },
        }
    }

    fn reject(self: Box<Self>, error: Error) {
        self.send(|transaction| Completion::Failed(error.into(), Some(transaction)));
    }

    fn retire(self: Box<Self>) {
        self.send(Completion::Retired);
    }
}

/// Answers transactions that will not run, with the error that prevents it.
pub(super) fn reject(transactions: VecDeque<Box<dyn QueuedTransaction>>, error: &Error) {
    for transaction in transactions {
        transaction.reject(error.repeat());
    }
}
