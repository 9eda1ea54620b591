//! The admission of one request to the physical partitions it touches: let in or throttled, then debited and counted.
//!
//! Owns the order: the gate before, the debit and the counters after. Does not own the charge: the operation passes it
//! in.

use std::sync::Arc;

use model::RequestCharge;

use super::bucket::Bucket;
use super::gate::Gate;
use crate::error::Result;
use crate::key_layout::LogicalPartitionRef;
use crate::metering::{Amount, ContainerUsage, Meter, MeteredRequest};
use crate::response::Response;

/// Throughput and usage of one container.
#[derive(Debug)]
pub(crate) struct ContainerThroughput {
    pub(crate) gate: Gate,
    pub(crate) usage: ContainerUsage,
}

impl ContainerThroughput {
    pub(crate) fn new(gate: Gate) -> Self {
        Self { gate, usage: ContainerUsage::default() }
    }

    /// The throughput of a new physical partition; its counters continue those of an earlier one of that number.
    pub(crate) fn partition(&self, number: u32) -> PartitionThroughput {
        let meter = self.usage.meter(number);
        PartitionThroughput { number, bucket: Bucket::default(), meter }
    }
}

/// Throughput and usage of one physical partition.
#[derive(Debug)]
pub(crate) struct PartitionThroughput {
    pub(super) number: u32,
    pub(super) bucket: Bucket,
    meter: Arc<Meter>,
}

/// A request that was admitted to one physical partition.
#[derive(Clone, Copy)]
pub(crate) struct Admission<'a> {
    container: &'a ContainerThroughput,
    partition: &'a PartitionThroughput,
    request: MeteredRequest,
    logical: Option<LogicalPartitionRef<'a>>,
}

impl<'a> Admission<'a> {
    /// Admits a request, or refuses it as throttled.
    pub(crate) fn new(
        container: &'a ContainerThroughput,
        partition: &'a PartitionThroughput,
        request: MeteredRequest,
        logical: Option<LogicalPartitionRef<'a>>,
    ) -> Result<Self> {
        let admission = Self { container, partition, request, logical };
        // A refused request is counted but not charged, as in the service.
        container
            .gate
            .admit(partition, request.now)
            .inspect_err(|_| admission.count_throttled())?;
        Ok(admission)
    }

    fn count_throttled(&self) {
        if !self.request.is_counted {
            return;
        }
        self.partition.meter.count_throttled(self.request.kind);
        if let Some(logical) = self.logical {
            self.container.usage.busiest.count_throttled(logical);
        }
    }

    /// Debits the charge and counts the request.
    pub(crate) fn debit(&self, charge: RequestCharge, amount: Amount) {
        let MeteredRequest { kind, now, is_counted } = self.request;
        self.container.gate.debit(self.partition, now, charge);
        if !is_counted {
            return;
        }
        self.partition.meter.count(kind, now, charge, amount);
        if let Some(logical) = self.logical {
            self.container.usage.busiest.count(logical, charge);
        }
    }

    /// Debits and counts a result: what was done, or what the failure costs.
    pub(crate) fn finish<T>(
        &self,
        result: Result<Response<T>>,
        amount: impl FnOnce(&T) -> Amount,
    ) -> Result<Response<T>> {
        match &result {
            Ok(response) => self.debit(response.charge, amount(&response.value)),
            Err(error) => {
                // A failed operation costs too: it has read before it failed.
                self.debit(error.charge(), Amount::default());
                if self.request.is_counted {
                    self.partition.meter.count_failed(self.request.kind);
                }
            }
        }
        result
    }
}

/// A request that was admitted to several physical partitions.
pub(crate) struct MultiAdmission<'a> {
    container: &'a ContainerThroughput,
    partitions: Vec<Arc<PartitionThroughput>>,
    request: MeteredRequest,
    logical: Option<LogicalPartitionRef<'a>>,
}

impl<'a> MultiAdmission<'a> {
    /// Admits a request to every partition. If one of them throttles it, the whole request is throttled.
    pub(crate) fn new(
        container: &'a ContainerThroughput,
        partitions: Vec<Arc<PartitionThroughput>>,
        request: MeteredRequest,
        logical: Option<LogicalPartitionRef<'a>>,
    ) -> Result<Self> {
        for partition in &partitions {
            // Asking takes nothing from a bucket. So a request that a later partition refuses leaves the earlier ones
            // as they were.
            Admission::new(container, partition, request, logical)?;
        }
        Ok(Self { container, partitions, request, logical })
    }

    /// A request that was admitted to each of these partitions when it came to it, or that needs no admission.
    pub(crate) fn already_admitted(
        container: &'a ContainerThroughput,
        partitions: Vec<Arc<PartitionThroughput>>,
        request: MeteredRequest,
        logical: Option<LogicalPartitionRef<'a>>,
    ) -> Self {
        Self { container, partitions, request, logical }
    }

    /// Debits the charge in even shares and counts the request. Even, because the share of each partition is not known.
    pub(crate) fn debit(&self, charge: RequestCharge, amount: Amount) {
        let Self { container, request: MeteredRequest { kind, now, is_counted }, .. } = *self;
        let count = self.partitions.len().max(1);
        for (index, partition) in self.partitions.iter().enumerate() {
            let share = RequestCharge::from_parts(even_share(charge.parts(), index, count));
            let part =
                |total: usize| usize::try_from(even_share(total as u64, index, count)).unwrap_or(0);
            let amount = Amount { items: part(amount.items), bytes: part(amount.bytes) };
            container.gate.debit(partition, now, share);
            if is_counted {
                partition.meter.count(kind, now, share, amount);
            }
        }
        if !is_counted {
            return;
        }
        if let Some(logical) = self.logical {
            container.usage.busiest.count(logical, charge);
        }
        // Each partition has counted one request; the container must count one in all.
        container.usage.count_repeated(kind, count - 1);
    }

    /// Whether the request concerns one logical partition only.
    pub(crate) fn is_single_logical_partition(&self) -> bool {
        self.logical.is_some()
    }

    pub(crate) fn partition_count(&self) -> usize {
        self.partitions.len()
    }
}

/// One of `count` whole shares that differ by one at most and whose sum is the total.
fn even_share(total: u64, index: usize, count: usize) -> u64 {
    let (index, count) = (index as u64, count as u64);
    total / count + u64::from(index < total % count)
}
