//! The memory limit of a query.
//!
//! Owns the counter of kept and of built bytes, the limit on both, and the size of a value. The size is an upper bound
//! for values that share parts: every owner counts the whole value.

use std::cell::Cell;
use std::sync::Arc;

use super::{BudgetError, WorkGovernor};
use crate::value::Value;

/// Bytes that every evaluation has without asking, so that ordinary queries never touch the shared counter.
const FREE_BYTES: usize = 1 << 20;

/// Shared memory is asked for in steps of this size.
const STEP_BYTES: usize = 1 << 20;

/// Bytes that a string takes beside its text: the counters of its owners.
pub(crate) const TEXT_HEADER_BYTES: usize = 16;

/// Counts the bytes that a query keeps and builds, against a limit. A query runs on one thread at a time, so plain
/// cells suffice.
#[derive(Debug)]
pub(crate) struct MemoryBudget {
    /// Bytes of rows that are kept until they are released.
    reserved: Cell<usize>,
    /// Bytes of values that were built for the current row. They are not released one by one: when the row is done,
    /// none of them is left, except those that were reserved.
    built: Cell<usize>,
    bytes_max: usize,
    /// Bytes that the governor has allowed.
    allowed: Cell<usize>,
    governor: Arc<dyn WorkGovernor>,
}

impl MemoryBudget {
    pub(crate) fn new(bytes_max: usize, governor: Arc<dyn WorkGovernor>) -> Self {
        Self {
            reserved: Cell::new(0),
            built: Cell::new(0),
            bytes_max,
            allowed: Cell::new(FREE_BYTES),
            governor,
        }
    }

    /// Adds bytes that are kept from now on. They count even if the limit is exceeded, so that `release` stays
    /// symmetric.
    pub(crate) fn reserve(&self, bytes: usize) -> Result<(), BudgetError> {
        self.reserved.set(self.reserved.get().saturating_add(bytes));
        self.check()
    }

    /// Subtracts bytes that are no longer kept.
    pub(crate) fn release(&self, bytes: usize) {
        self.reserved.set(self.reserved.get().saturating_sub(bytes));
    }

    /// Adds bytes of a value that is about to be built for the current row.
    pub(crate) fn build(&self, bytes: usize) -> Result<(), BudgetError> {
        self.built.set(self.built.get().saturating_add(bytes));
        self.check()
    }

    /// The bytes built for the current row.
    pub(crate) fn built_bytes(&self) -> usize {
        self.built.get()
    }

    /// Forgets what was built since `built_bytes` returned this number.
    pub(crate) fn reset_built(&self, built: usize) {
        self.built.set(built);
    }

    /// The number of bytes kept now.
    pub(crate) fn reserved_bytes(&self) -> usize {
        self.reserved.get()
    }

    #[inline]
    fn check(&self) -> Result<(), BudgetError> {
        let held = self.reserved.get().saturating_add(self.built.get());
        if held > self.bytes_max {
            return Err(BudgetError::HeldBytes { bytes_max: self.bytes_max });
        }
        if held > self.allowed.get() { self.ask(held) } else { Ok(()) }
    }

    #[cold]
    fn ask(&self, held: usize) -> Result<(), BudgetError> {
        let more = (held - self.allowed.get()).next_multiple_of(STEP_BYTES);
        self.governor.allow_bytes(more).map_err(BudgetError::Interrupted)?;
        self.allowed.set(self.allowed.get() + more);
        Ok(())
    }
}

/// Gives shared memory back with the evaluation, not with each row: a query that needed it once will need it again.
impl Drop for MemoryBudget {
    fn drop(&mut self) {
        let shared = self.allowed.get() - FREE_BYTES;
        if shared > 0 {
            self.governor.return_bytes(shared);
        }
    }
}

/// The size of a value in bytes, including everything below it. Values share parts, so that one could be exponentially
/// larger than its memory; but every constructor counts the whole size against the limit, so that none gets there.
pub(crate) fn value_bytes(value: &Value) -> usize {
    let below = match value {
        Value::Undefined | Value::Null | Value::Bool(_) | Value::Integer(_) | Value::Double(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(elements) => elements.iter().map(value_bytes).sum(),
        Value::Object(object) => object
            .iter()
            .map(|(name, value)| size_of_val(name) + name.len() + value_bytes(value))
            .sum(),
    };
    // Shared strings count for every value that refers to them: the sum is an upper bound.
    size_of::<Value>() + below
}

#[cfg(test)]
mod tests {
    use super::super::{Interruption, WorkLimit};
    use super::*;

    fn limited(bytes_max: usize) -> MemoryBudget {
        MemoryBudget::new(bytes_max, Arc::new(WorkLimit::new(1)))
    }

    #[test]
    fn the_limit_is_inclusive() {
        let memory = limited(100);
        assert_eq!(memory.reserve(100), Ok(()));
        assert_eq!(memory.reserve(1), Err(BudgetError::HeldBytes { bytes_max: 100 }));
        memory.release(51);
        assert_eq!(memory.reserve(50), Ok(()));
        assert_eq!(memory.reserved_bytes(), 100);
    }

    #[test]
    fn built_bytes_count_until_the_row_is_done() {
        let memory = limited(100);
        assert_eq!(memory.reserve(40), Ok(()));
        let before = memory.built_bytes();
        assert_eq!(memory.build(60), Ok(()));
        assert_eq!(memory.build(1), Err(BudgetError::HeldBytes { bytes_max: 100 }));
        memory.reset_built(before);
        assert_eq!(memory.build(60), Ok(()));
    }

    #[test]
    fn memory_beyond_the_free_part_is_shared_and_given_back() {
        #[derive(Debug, Default)]
        struct SharedMemory(std::sync::atomic::AtomicUsize);
        impl WorkGovernor for SharedMemory {
            fn next_slice(&self, _granted: u64) -> Result<u64, Interruption> {
                Ok(1)
            }
            fn allow_bytes(&self, bytes: usize) -> Result<(), Interruption> {
                let used = self.0.fetch_add(bytes, std::sync::atomic::Ordering::SeqCst);
                if used + bytes > 2 * STEP_BYTES { Err(Interruption::MemoryInUse) } else { Ok(()) }
            }
            fn return_bytes(&self, bytes: usize) {
                self.0.fetch_sub(bytes, std::sync::atomic::Ordering::SeqCst);
            }
        }
        let shared = Arc::new(SharedMemory::default());
        let memory = MemoryBudget::new(usize::MAX, shared.clone());
        assert_eq!(memory.reserve(FREE_BYTES), Ok(()));
        assert_eq!(shared.0.load(std::sync::atomic::Ordering::SeqCst), 0);
        assert_eq!(memory.build(STEP_BYTES + 1), Ok(()));
        let in_use = BudgetError::Interrupted(Interruption::MemoryInUse);
        assert_eq!(memory.build(STEP_BYTES), Err(in_use));
        drop(memory);
        // The refused step was counted by this governor, the two allowed ones were given back.
        assert_eq!(shared.0.load(std::sync::atomic::Ordering::SeqCst), STEP_BYTES);
    }

    #[test]
    fn a_value_counts_all_its_parts() {
        let text = Value::from("x".repeat(1000));
        let array = Value::array([text.clone(), text.clone()]);
        assert!(value_bytes(&text) > 1000);
        assert!(value_bytes(&array) > 2 * value_bytes(&text));
        assert!(value_bytes(&Value::object([("name", array.clone())])) > value_bytes(&array) + 4);
    }
}
