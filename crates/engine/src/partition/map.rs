//! Which physical partition owns which part of a container.
//!
//! Owns the ordered set of partitions with its generation, and the handle of one partition. Does not own how the set
//! changes: `restructure` builds new maps, the catalog stores them.

use std::sync::Arc;
#[cfg(not(test))]
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[cfg(test)]
use interleaving::{AtomicBool, AtomicU64, Ordering};
use model::{EffectivePartitionKey, EpkRange, Lsn};
use storage::Shard;
use tokio::sync::{mpsc, oneshot};

use super::contention::Contention;
use super::pause::WriterPause;
use super::state::PartitionState;
use super::transaction::{Completion, PartitionTransaction, enqueue};
use super::writer::{WriterHandle, WriterRequest};
use crate::error::{Error, ErrorKind};
use crate::response::Usage;
use crate::throughput::PartitionThroughput;

/// The two numbers of a physical partition: inside its container, and in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartitionIdentity {
    pub(crate) number: u32,
    pub(crate) shard: Shard,
}

/// What readers see of a partition without asking its writer. It shows committed groups only.
#[derive(Debug, Default)]
pub(crate) struct PublishedState {
    lsn: AtomicU64,
    items: AtomicU64,
    item_bytes: AtomicU64,
    rebuilt_items: AtomicU64,
    index_generation: AtomicU64,
    is_unlisted: AtomicBool,
    retired: AtomicBool,
    /// Logical partitions that transactions outside of the writer watch.
    pub(crate) contention: Contention,
}

impl PublishedState {
    /// Whether another partition has taken over. A reader asks after it has read: if the partition is not retired
    /// then, no write that the reader has missed was acknowledged by its successor before the read.
    pub(crate) fn is_retired(&self) -> bool {
        // Pairs with the release in `retire`: who sees the flag also sees the new map that is published after it, or
        // waits for it.
        self.retired.load(Ordering::Acquire)
    }

    pub(crate) fn retire(&self) {
        self.retired.store(true, Ordering::Release);
    }

    pub(crate) fn lsn(&self) -> Lsn {
        Lsn(self.lsn.load(Ordering::Acquire))
    }

    pub(crate) fn usage(&self) -> Usage {
        Usage {
            // Each counter alone is exact; the two may belong to different commits, which statistics can bear.
            items: self.items.load(Ordering::Relaxed),
            item_bytes: self.item_bytes.load(Ordering::Relaxed),
        }
    }

    /// How many items an index rebuild has passed, and the generation of the indexing policy that all terms follow.
    pub(crate) fn index_progress(&self) -> (u64, u32) {
        let generation = self.index_generation.load(Ordering::Relaxed);
        (self.rebuilt_items.load(Ordering::Relaxed), u32::try_from(generation).unwrap_or(u32::MAX))
    }

    /// Whether all items are listed in the order of creation. Once they are, they stay so.
    pub(crate) fn is_listed(&self) -> bool {
        !self.is_unlisted.load(Ordering::Acquire)
    }

    pub(super) fn publish(&self, lsn: Lsn, state: &PartitionState) {
        self.items.store(state.items, Ordering::Relaxed);
        self.item_bytes.store(state.item_bytes, Ordering::Relaxed);
        let rebuilt = state.rebuild.as_ref().map_or(0, |rebuild| rebuild.items_done);
        self.rebuilt_items.store(rebuilt, Ordering::Relaxed);
        self.index_generation.store(u64::from(state.index_generation), Ordering::Relaxed);
        self.is_unlisted.store(state.unlisted_after.is_some(), Ordering::Release);
        // The lsn comes last: a reader that loads it (acquire) also sees the counters stored before it.
        self.lsn.store(lsn.0, Ordering::Release);
    }
}

/// One physical partition with the queue of its writer.
#[derive(Debug)]
pub(crate) struct PhysicalPartition {
    pub(crate) identity: PartitionIdentity,
    pub(crate) range: EpkRange,
    pub(crate) parents: Vec<u32>,
    // Shared with the writer, which outlives this handle while it ends.
    pub(crate) published: Arc<PublishedState>,
    pub(crate) throughput: Arc<PartitionThroughput>,
    /// Held by a large write that was prepared in vain before, so that large writes do not overtake it for ever.
    pub(crate) preparing: tokio::sync::Mutex<()>,
    queue: mpsc::Sender<WriterRequest>,
}

impl PhysicalPartition {
    pub(crate) fn new(
        identity: PartitionIdentity,
        (range, parents): (EpkRange, Vec<u32>),
        writer: WriterHandle,
        throughput: PartitionThroughput,
    ) -> Self {
        let throughput = Arc::new(throughput);
        let WriterHandle { queue, published } = writer;
        let preparing = tokio::sync::Mutex::new(());
        Self { identity, range, parents, published, throughput, preparing, queue }
    }

    /// Queues a transaction and waits for its commit.
    pub(crate) async fn submit<T: PartitionTransaction>(&self, transaction: T) -> Completion<T> {
        let (queued, completion) = enqueue(transaction);
        if let Err(mpsc::error::SendError(request)) =
            self.queue.send(WriterRequest::Run(queued)).await
        {
            // The writer has ended. The transaction comes back through its own channel.
            request.retire();
        }
        // The writer has dropped the transaction without an answer: its task was ended with the runtime.
        completion.await.unwrap_or_else(|_| Completion::Failed(Error::closed().into(), None))
    }

    /// Pauses the writer between two groups.
    pub(crate) async fn pause(&self) -> Result<WriterPause, Error> {
        let (sender, pause) = oneshot::channel();
        let request = WriterRequest::Pause(sender);
        self.queue.send(request).await.map_err(|_| retired_error(self.identity.number))?;
        // A retired writer drops everybody who still waits to pause it.
        pause.await.map_err(|_| retired_error(self.identity.number))
    }

    /// Waits until the writer has ended and no longer holds the store.
    pub(crate) async fn writer_ended(&self) {
        self.queue.closed().await;
    }
}

/// The error for a partition that was split or merged away.
pub(crate) fn retired_error(number: u32) -> Error {
    Error::new(
        ErrorKind::PartitionGone,
        format!("physical partition {number} was split or merged; read the partition map again"),
    )
}

/// All physical partitions of a container, ordered by range.
#[derive(Debug)]
pub(crate) struct PartitionMap {
    /// Grows with every split and merge.
    pub(crate) generation: u64,
    pub(crate) partitions: Vec<Arc<PhysicalPartition>>,
}

impl PartitionMap {
    /// The partition that owns an epk.
    pub(crate) fn locate(&self, epk: &EffectivePartitionKey) -> Option<&Arc<PhysicalPartition>> {
        // Ranges are adjacent and sorted: the owner is the last partition that does not begin after the epk.
        let after = self.partitions.partition_point(|partition| partition.range.min <= *epk);
        // None only if the epk lies before the first range. The first range begins at the empty epk, so that would be
        // a gap.
        self.partitions.get(after.checked_sub(1)?)
    }

    /// The partitions that own some part of a range, in order.
    pub(crate) fn overlapping(&self, range: &EpkRange) -> Vec<Arc<PhysicalPartition>> {
        let overlaps = |partition: &&Arc<PhysicalPartition>| partition.range.overlaps(range);
        self.partitions.iter().filter(overlaps).cloned().collect()
    }

    /// The partition of that number, if the map still has it.
    pub(crate) fn by_number(&self, number: u32) -> Option<&Arc<PhysicalPartition>> {
        self.partitions.iter().find(|partition| partition.identity.number == number)
    }
}

#[cfg(test)]
mod tests {
    use interleaving::{explore, spawn};

    use super::*;

    const ORDERS: usize = 1_000;
    const GROUPS: u64 = 3;

    #[test]
    fn in_every_order_who_sees_an_lsn_sees_its_counters() {
        explore(ORDERS, || {
            let published = Arc::new(PublishedState::default());
            let writer = {
                let published = Arc::clone(&published);
                spawn(move || {
                    for lsn in 1..=GROUPS {
                        let state = PartitionState {
                            items: lsn,
                            item_bytes: 10 * lsn,
                            ..PartitionState::default()
                        };
                        published.publish(Lsn(lsn), &state);
                    }
                })
            };
            let mut before = Lsn(0);
            for _ in 0..GROUPS {
                let lsn = published.lsn();
                let usage = published.usage();
                assert!(lsn >= before, "the lsn went back from {before:?} to {lsn:?}");
                assert!(
                    usage.items >= lsn.0 && usage.item_bytes >= 10 * lsn.0,
                    "{lsn:?} {usage:?}"
                );
                before = lsn;
            }
            writer();
        });
    }

    /// A split in its order: the old partition is retired before its successor acknowledges anything.
    #[test]
    fn in_every_order_a_read_of_a_partition_that_is_not_retired_misses_nothing_acknowledged() {
        explore(ORDERS, || {
            let old = Arc::new(PublishedState::default());
            let successor = Arc::new(PublishedState::default());
            let (stored, acknowledged) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
            let writer = {
                let (old, successor) = (Arc::clone(&old), Arc::clone(&successor));
                let (stored, acknowledged) = (Arc::clone(&stored), Arc::clone(&acknowledged));
                spawn(move || {
                    stored.store(1, Ordering::SeqCst);
                    old.publish(Lsn(1), &PartitionState::default());
                    acknowledged.store(1, Ordering::SeqCst);
                    old.retire();
                    // From here on in the shard of the successor, where a reader of the old one does not look.
                    successor.publish(Lsn(2), &PartitionState::default());
                    acknowledged.store(2, Ordering::SeqCst);
                })
            };
            let acknowledged_before = acknowledged.load(Ordering::SeqCst);
            let read = stored.load(Ordering::SeqCst);
            if !old.is_retired() {
                assert!(read >= acknowledged_before, "{read} misses {acknowledged_before}");
            }
            assert!(successor.lsn() == Lsn(0) || old.is_retired());
            writer();
        });
    }
}
