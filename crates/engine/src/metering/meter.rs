//! The counters of one physical partition: by operation, and request units over time.
//!
//! Counting is a few atomic additions. Logical partitions and queries are counted per container.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use model::{RequestCharge, TimestampMs};

use super::operation_kind::OperationKind;
use super::series::ChargeSeries;

/// The counters of one physical partition.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    by_operation: [OperationCounters; OperationKind::ALL.len()],
    pub(crate) series: ChargeSeries,
}

#[derive(Debug, Default)]
struct OperationCounters {
    requests: AtomicU64,
    throttled: AtomicU64,
    failed: AtomicU64,
    parts: AtomicU64,
    items: AtomicU64,
    bytes: AtomicU64,
}

/// The counters of one operation, as read at one point in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Answered, including failures.
    pub(crate) requests: u64,
    /// Refused because throughput was spent; not among the requests.
    pub(crate) throttled: u64,
    pub(crate) failed: u64,
    pub(crate) charge: RequestCharge,
    pub(crate) items: u64,
    pub(crate) bytes: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.throttled += other.throttled;
        self.failed += other.failed;
        self.charge += other.charge;
        self.items += other.items;
        self.bytes += other.bytes;
    }
}

/// What a request has returned or written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    pub(crate) items: usize,
    pub(crate) bytes: usize,
}

impl Meter {
    pub(crate) fn count(
        &self,
        kind: OperationKind,
        now: TimestampMs,
        charge: RequestCharge,
        amount: Amount,
    ) {
        let Some(counters) = self.by_operation.get(kind as usize) else { return };
        // Relaxed: the counters are independent, and a report may be a few requests behind.
        counters.requests.fetch_add(1, Relaxed);
        counters.parts.fetch_add(charge.parts(), Relaxed);
        counters.items.fetch_add(amount.items as u64, Relaxed);
        counters.bytes.fetch_add(amount.bytes as u64, Relaxed);
        self.series.add(now.seconds().0, charge.parts());
    }

    pub(crate) fn count_failed(&self, kind: OperationKind) {
        if let Some(counters) = self.by_operation.get(kind as usize) {
            counters.failed.fetch_add(1, Relaxed);
        }
    }

    pub(crate) fn count_throttled(&self, kind: OperationKind) {
        if let Some(counters) = self.by_operation.get(kind as usize) {
            counters.throttled.fetch_add(1, Relaxed);
        }
    }

    /// What all operations have spent.
    pub(crate) fn spent(&self) -> RequestCharge {
        let parts = self.by_operation.iter().map(|counters| counters.parts.load(Relaxed));
        RequestCharge::from_parts(parts.sum())
    }

    pub(crate) fn counts(&self, kind: OperationKind) -> Counts {
        let Some(counters) = self.by_operation.get(kind as usize) else {
            return Counts::default();
        };
        Counts {
            requests: counters.requests.load(Relaxed),
            throttled: counters.throttled.load(Relaxed),
            failed: counters.failed.load(Relaxed),
            charge: RequestCharge::from_parts(counters.parts.load(Relaxed)),
            items: counters.items.load(Relaxed),
            bytes: counters.bytes.load(Relaxed),
        }
    }
}
