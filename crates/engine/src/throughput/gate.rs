//! The gate in front of a container: whether throughput is enforced, and which bucket a partition draws from.
//!
//! Owns the switch and the share of a partition. When nothing is enforced, passing costs one look at the switch. Does
//! not own counting: see `usage`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use model::limits::THROUGHPUT_PER_PARTITION_MAX;
use model::{RequestCharge, Throughput, TimestampMs};

use super::bucket::{Bucket, Rate};
use super::shared::SharedThroughput;
use crate::catalog::Container;
use crate::error::{Error, ErrorKind, Result};
use crate::partition::Partition;

/// What the service says to a client that must wait.
const THROTTLED: &str = "Request rate is large. More Request Units may be needed, so no changes were made. Please \
                         retry this request later. Learn more: http://aka.ms/cosmosdb-error-429";

/// The gate of one container.
#[derive(Debug)]
pub(crate) struct Gate {
    enforced: AtomicBool,
    /// Whether the container has throughput of its own.
    dedicated: AtomicBool,
    per_partition: AtomicU32,
    shared: Arc<SharedThroughput>,
}

impl Gate {
    pub(crate) fn new(shared: Arc<SharedThroughput>) -> Self {
        Self {
            enforced: AtomicBool::new(false),
            dedicated: AtomicBool::new(true),
            per_partition: AtomicU32::new(0),
            shared,
        }
    }

    pub(crate) fn enforce(&self, enforced: bool) {
        self.enforced.store(enforced, Ordering::Relaxed);
    }

    pub(crate) fn is_enforced(&self) -> bool {
        self.enforced.load(Ordering::Relaxed)
    }

    /// Divides the container's own throughput evenly over its partitions.
    pub(crate) fn set(&self, own: Option<Throughput>, partitions: usize) {
        let partitions = u32::try_from(partitions.max(1)).unwrap_or(u32::MAX);
        let share = own.map_or(0, |own| own.highest() / partitions);
        self.per_partition.store(share.min(THROUGHPUT_PER_PARTITION_MAX), Ordering::Relaxed);
        self.dedicated.store(own.is_some(), Ordering::Relaxed);
    }

    /// Request units per second of one partition, or of the bucket it shares.
    pub(crate) fn per_partition(&self) -> u32 {
        if self.dedicated.load(Ordering::Relaxed) {
            self.per_partition.load(Ordering::Relaxed)
        } else {
            self.shared.rate().0
        }
    }
}

impl Container {
    /// Follows the throughput and the partitions the container has now.
    pub(crate) fn refresh_gate(&self) {
        let own = self.record().throughput.map(|record| record.throughput);
        self.gate.set(own, self.map().partitions.len());
    }

    /// Lets a request to a partition pass, or tells how long to wait.
    #[inline]
    pub(crate) fn admit(&self, partition: &Partition, now: TimestampMs) -> Result<()> {
        if !self.gate.is_enforced() {
            return Ok(());
        }
        self.with_bucket(partition, |bucket, rate| bucket.admit(now, rate)).map_err(
            |retry_after_ms| Error::new(ErrorKind::Throttled { retry_after_ms }, THROTTLED),
        )
    }

    /// Takes what a request to a partition has cost.
    #[inline]
    pub(crate) fn debit(&self, partition: &Partition, now: TimestampMs, charge: RequestCharge) {
        if self.gate.is_enforced() {
            self.with_bucket(partition, |bucket, rate| bucket.debit(now, rate, charge));
        }
    }

    /// Whole request units a partition has left; none when nothing is enforced.
    pub(crate) fn left_over(&self, partition: &Partition, now: TimestampMs) -> Option<u64> {
        let left = || self.with_bucket(partition, |bucket, rate| bucket.left_over(now, rate));
        self.gate.is_enforced().then(left)
    }

    fn with_bucket<T>(&self, partition: &Partition, act: impl FnOnce(&Bucket, Rate) -> T) -> T {
        let gate = &self.gate;
        if gate.dedicated.load(Ordering::Relaxed) {
            return act(&partition.bucket, Rate(gate.per_partition.load(Ordering::Relaxed)));
        }
        let number = partition.identity.number;
        let (bucket, rate) = gate.shared.bucket(&self.identity.rid, number);
        act(&bucket, rate)
    }
}
