//! The gate in front of a container: whether throughput is enforced, and which bucket a partition draws from.
//!
//! Owns the switch and the share of a partition. While throughput is not enforced, admission costs one atomic load.
//! Does not own counting: see `metering`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use model::limits::THROUGHPUT_PER_PARTITION_MAX;
use model::{RequestCharge, ResourceId, Throughput, TimestampMs};

use super::admission::PartitionThroughput;
use super::bucket::{Bucket, RefillRate};
use super::shared::SharedThroughput;
use crate::error::{Error, ErrorKind, Result};

/// The message of the service for a throttled request.
const THROTTLED: &str = "Request rate is large. More Request Units may be needed, so no changes were made. Please \
                         retry this request later. Learn more: http://aka.ms/cosmosdb-error-429";

/// The gate of one container.
#[derive(Debug)]
pub(crate) struct Gate {
    // Relaxed throughout: a request that sees the old setting for a moment is admitted or refused by a rule that was
    // valid then.
    enforced: AtomicBool,
    /// Whether the container has throughput of its own.
    dedicated: AtomicBool,
    per_partition: AtomicU32,
    container: ResourceId,
    shared: Arc<SharedThroughput>,
}

impl Gate {
    pub(crate) fn new(container: ResourceId, shared: Arc<SharedThroughput>) -> Self {
        Self {
            enforced: AtomicBool::new(false),
            dedicated: AtomicBool::new(true),
            per_partition: AtomicU32::new(0),
            container,
            shared,
        }
    }

    pub(crate) fn enforce(&self, enforced: bool) {
        self.enforced.store(enforced, Ordering::Relaxed);
    }

    pub(crate) fn is_enforced(&self) -> bool {
        self.enforced.load(Ordering::Relaxed)
    }

    /// Divides the container's own throughput evenly among its partitions.
    pub(crate) fn set(&self, own: Option<Throughput>, partitions: usize) {
        let partitions = u32::try_from(partitions.max(1)).unwrap_or(u32::MAX);
        // Autoscale is enforced at its maximum; what it was scaled to belongs to the bill.
        let share = own.map_or(0, |own| own.highest() / partitions);
        self.per_partition.store(share.min(THROUGHPUT_PER_PARTITION_MAX), Ordering::Relaxed);
        // After the share: a partition that becomes dedicated must not see the share of before, which is zero.
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

    /// Lets a request to a partition pass, or refuses it with the time to wait.
    #[inline]
    pub(super) fn admit(&self, partition: &PartitionThroughput, now: TimestampMs) -> Result<()> {
        if !self.is_enforced() {
            return Ok(());
        }
        self.with_bucket(partition, |bucket, rate| bucket.admit(now, rate)).map_err(
            |retry_after_ms| Error::new(ErrorKind::Throttled { retry_after_ms }, THROTTLED),
        )
    }

    /// Debits the charge of a request to a partition.
    #[inline]
    pub(super) fn debit(
        &self,
        partition: &PartitionThroughput,
        now: TimestampMs,
        charge: RequestCharge,
    ) {
        if self.is_enforced() {
            self.with_bucket(partition, |bucket, rate| bucket.debit(now, rate, charge));
        }
    }

    /// Whole request units a partition has left; none if throughput is not enforced.
    pub(crate) fn left_over(
        &self,
        partition: &PartitionThroughput,
        now: TimestampMs,
    ) -> Option<u64> {
        let left = || self.with_bucket(partition, |bucket, rate| bucket.left_over(now, rate));
        self.is_enforced().then(left)
    }

    fn with_bucket<T>(
        &self,
        partition: &PartitionThroughput,
        act: impl FnOnce(&Bucket, RefillRate) -> T,
    ) -> T {
        if self.dedicated.load(Ordering::Relaxed) {
            return act(&partition.bucket, RefillRate(self.per_partition.load(Ordering::Relaxed)));
        }
        let (bucket, rate) = self.shared.bucket(&self.container, partition.number);
        act(&bucket, rate)
    }
}
