//! Which physical partition owns which part of a container.
//!
//! Owns the ordered set of partitions with its generation. Does not own how it changes: `split` and `merge` build new
//! maps, the catalog stores them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use model::{EffectivePartitionKey, EpkRange, Lsn};
use storage::Shard;
use tokio::sync::{mpsc, oneshot};

use super::hold::Hold;
use super::work::{Work, WorkAnswer, WorkFailure};
use super::writer::Request;
use crate::error::{Error, ErrorKind};
use crate::outcome::Usage;
use crate::throughput::Bucket;
use crate::usage::Meter;

/// The two numbers of a physical partition: inside its container, and in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartitionIdentity {
    pub(crate) number: u32,
    pub(crate) shard: Shard,
}

/// What the writer lets everybody see without asking it.
#[derive(Debug, Default)]
pub(crate) struct Published {
    lsn: AtomicU64,
    items: AtomicU64,
    item_bytes: AtomicU64,
    rebuild_done: AtomicU64,
    index_generation: AtomicU64,
    retired: AtomicBool,
}

impl Published {
    /// Whether another partition has taken over. Readers ask after they have read: if it is not retired then, nothing
    /// newer can have been acknowledged elsewhere before.
    pub(crate) fn is_retired(&self) -> bool {
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
            items: self.items.load(Ordering::Relaxed),
            item_bytes: self.item_bytes.load(Ordering::Relaxed),
        }
    }

    /// Items a rebuild has passed, and the generation all terms follow.
    pub(crate) fn index(&self) -> (u64, u32) {
        let generation = self.index_generation.load(Ordering::Relaxed);
        (self.rebuild_done.load(Ordering::Relaxed), u32::try_from(generation).unwrap_or(u32::MAX))
    }

    pub(crate) fn publish(&self, lsn: Lsn, state: &super::PartitionState) {
        self.items.store(state.items, Ordering::Relaxed);
        self.item_bytes.store(state.item_bytes, Ordering::Relaxed);
        let done = state.rebuild.as_ref().map_or(0, |rebuild| rebuild.items_done);
        self.rebuild_done.store(done, Ordering::Relaxed);
        self.index_generation.store(u64::from(state.index_generation), Ordering::Relaxed);
        self.lsn.store(lsn.0, Ordering::Release);
    }
}

/// One physical partition with the way to its writer.
#[derive(Debug)]
pub(crate) struct Partition {
    pub(crate) identity: PartitionIdentity,
    pub(crate) range: EpkRange,
    pub(crate) parents: Vec<u32>,
    pub(crate) published: Arc<Published>,
    pub(crate) queue: mpsc::Sender<Request>,
    /// What it may spend.
    pub(crate) bucket: Bucket,
    /// What was spent here.
    pub(crate) meter: Arc<Meter>,
}

impl Partition {
    /// Waits for the writer's turn and its answer.
    pub(crate) async fn submit(&self, work: Work) -> Result<(WorkAnswer, Lsn), WorkFailure> {
        let (answer, answered) = oneshot::channel();
        let request = Request::Work { work, answer };
        self.queue
            .send(request)
            .await
            .map_err(|_| WorkFailure::from(gone(self.identity.number)))?;
        answered.await.map_err(|_| WorkFailure::from(Error::closed()))?
    }

    /// Stops the writer between two groups until the hold is released.
    pub(crate) async fn hold(&self) -> Result<Hold, Error> {
        let (held, hold) = oneshot::channel();
        self.queue.send(Request::Hold { held }).await.map_err(|_| gone(self.identity.number))?;
        // A retired writer drops whoever still waits to hold it.
        hold.await.map_err(|_| gone(self.identity.number))
    }
}

/// The error for a partition that was split or merged away.
pub(crate) fn gone(number: u32) -> Error {
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
    pub(crate) partitions: Vec<Arc<Partition>>,
}

impl PartitionMap {
    /// The partition that owns an epk.
    pub(crate) fn locate(&self, epk: &EffectivePartitionKey) -> Option<&Arc<Partition>> {
        let after = self.partitions.partition_point(|partition| partition.range.min <= *epk);
        self.partitions.get(after.checked_sub(1)?)
    }

    /// The partitions that own some part of a range, in order.
    pub(crate) fn overlapping(&self, range: &EpkRange) -> Vec<Arc<Partition>> {
        let overlaps = |partition: &&Arc<Partition>| partition.range.overlaps(range);
        self.partitions.iter().filter(overlaps).cloned().collect()
    }

    /// The partition of that number, if it is still there.
    pub(crate) fn by_number(&self, number: u32) -> Option<&Arc<Partition>> {
        self.partitions.iter().find(|partition| partition.identity.number == number)
    }
}
