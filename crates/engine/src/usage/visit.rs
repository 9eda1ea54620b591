//! One request at the partitions it touches: let in or told to wait, then paid and counted.
//!
//! Owns the order: the gate before, the debit and the counters after. Does not own the charge: the operation brings it.

use std::sync::Arc;

use model::{RequestCharge, TimestampMs};

use super::busiest::Logical;
use super::meter::Amount;
use super::operation_kind::OperationKind;
use crate::catalog::Container;
use crate::error::Result;
use crate::outcome::Outcome;
use crate::partition::Partition;

/// A request at one physical partition.
#[derive(Clone, Copy)]
pub(crate) struct Visit<'a> {
    container: &'a Container,
    partition: &'a Partition,
    kind: OperationKind,
    now: TimestampMs,
    logical: Option<Logical<'a>>,
}

impl<'a> Visit<'a> {
    /// Passes the gate.
    pub(crate) fn begin(
        container: &'a Container,
        partition: &'a Partition,
        kind: OperationKind,
        now: TimestampMs,
        logical: Option<Logical<'a>>,
    ) -> Result<Self> {
        let visit = Self { container, partition, kind, now, logical };
        container.admit(partition, now).inspect_err(|_| visit.throttled())?;
        Ok(visit)
    }

    fn throttled(&self) {
        self.partition.meter.throttled(self.kind);
        if let Some(logical) = self.logical {
            self.container.usage.busiest.throttled(logical);
        }
    }

    /// Pays and counts.
    pub(crate) fn spent(&self, charge: RequestCharge, amount: Amount) {
        self.container.debit(self.partition, self.now, charge);
        self.partition.meter.spent(self.kind, self.now, charge, amount);
        if let Some(logical) = self.logical {
            self.container.usage.busiest.spent(logical, charge);
        }
    }

    /// Pays and counts what was done, or what failing costs.
    pub(crate) fn end<T>(
        &self,
        result: Result<Outcome<T>>,
        amount: impl FnOnce(&T) -> Amount,
    ) -> Result<Outcome<T>> {
        match &result {
            Ok(outcome) => self.spent(outcome.charge, amount(&outcome.value)),
            Err(error) => {
                self.spent(error.charge(), Amount::default());
                self.partition.meter.failed(self.kind);
            }
        }
        result
    }
}

/// A request at several physical partitions.
pub(crate) struct Visits<'a> {
    container: &'a Container,
    partitions: Vec<Arc<Partition>>,
    kind: OperationKind,
    now: TimestampMs,
    logical: Option<Logical<'a>>,
}

impl<'a> Visits<'a> {
    /// Passes the gate of every partition; one that must wait makes the whole request wait.
    pub(crate) fn begin(
        container: &'a Container,
        partitions: Vec<Arc<Partition>>,
        kind: OperationKind,
        now: TimestampMs,
        logical: Option<Logical<'a>>,
    ) -> Result<Self> {
        for partition in &partitions {
            Visit::begin(container, partition, kind, now, logical)?;
        }
        Ok(Self { container, partitions, kind, now, logical })
    }

    /// A request that passed the gates on its way.
    pub(crate) fn ended(
        container: &'a Container,
        partitions: Vec<Arc<Partition>>,
        kind: OperationKind,
        now: TimestampMs,
        logical: Option<Logical<'a>>,
    ) -> Self {
        Self { container, partitions, kind, now, logical }
    }

    /// Pays in even shares and counts: what each partition did is not known apart.
    pub(crate) fn spent(&self, charge: RequestCharge, amount: Amount) {
        let Self { container, kind, now, .. } = *self;
        let count = self.partitions.len().max(1);
        for (index, partition) in self.partitions.iter().enumerate() {
            let share = RequestCharge::from_parts(share(charge.parts(), index, count));
            let part = |whole: usize| share_of(whole, index, count);
            let amount = Amount { items: part(amount.items), bytes: part(amount.bytes) };
            container.debit(partition, now, share);
            partition.meter.spent(kind, now, share, amount);
        }
        if let Some(logical) = self.logical {
            container.usage.busiest.spent(logical, charge);
        }
        container.usage.count_further_visits(kind, count - 1);
    }

    /// Whether the request concerns one logical partition only.
    pub(crate) fn is_confined(&self) -> bool {
        self.logical.is_some()
    }

    pub(crate) fn partitions(&self) -> usize {
        self.partitions.len()
    }
}

/// One of several even whole shares whose sum is the whole.
fn share(whole: u64, index: usize, count: usize) -> u64 {
    let (index, count) = (index as u64, count as u64);
    whole / count + u64::from(index < whole % count)
}

fn share_of(whole: usize, index: usize, count: usize) -> usize {
    usize::try_from(share(whole as u64, index, count)).unwrap_or(0)
}
