//! The budget of one evaluation: work and memory together.
//!
//! Owns the way in which functions, which have no errors, refuse: the refusal is kept until the call is over. Does not
//! own the counters.

use std::cell::Cell;
use std::sync::Arc;

use super::work::byte_units;
use super::{BudgetError, MemoryBudget, WorkBudget, WorkGovernor, WorkLimit};

/// Work and memory of one evaluation.
#[derive(Debug)]
pub struct EvaluationBudget {
    pub(crate) memory: MemoryBudget,
    pub(crate) work: WorkBudget,
    refusal: Cell<Option<BudgetError>>,
}

impl EvaluationBudget {
    /// A budget without limits, to call a function outside of a query.
    #[must_use]
    pub fn unlimited() -> Self {
        let governor: Arc<dyn WorkGovernor> = Arc::new(WorkLimit::new(u64::MAX));
        Self::new(usize::MAX, &governor)
    }

    pub(crate) fn new(bytes_max: usize, governor: &Arc<dyn WorkGovernor>) -> Self {
        Self {
            memory: MemoryBudget::new(bytes_max, Arc::clone(governor)),
            work: WorkBudget::new(Arc::clone(governor)),
            refusal: Cell::new(None),
        }
    }

    /// Counts bytes that a function is about to build; `None` if it must not. Building them is work as well.
    pub(crate) fn build(&self, bytes: usize) -> Option<()> {
        self.keep_refusal(self.memory.build(bytes))?;
        self.work(byte_units(bytes))
    }

    /// Counts bytes that a function is about to build in steps, each of which asks for its work.
    pub(crate) fn hold(&self, bytes: usize) -> Option<()> {
        self.keep_refusal(self.memory.build(bytes))
    }

    /// Counts units that a function is about to spend; `None` if it must not.
    pub(crate) fn work(&self, units: u64) -> Option<()> {
        self.keep_refusal(self.work.spend(units))
    }

    /// Makes the call fail that is being evaluated. The function returns undefined, which is never seen.
    pub(crate) fn refuse(&self, refusal: BudgetError) {
        self.refusal.set(Some(refusal));
    }

    /// Whether the call that was just evaluated exceeded the budget.
    pub(crate) fn take_refusal(&self) -> Result<(), BudgetError> {
        match self.refusal.take() {
            None => Ok(()),
            Some(refusal) => Err(refusal),
        }
    }

    fn keep_refusal(&self, result: Result<(), BudgetError>) -> Option<()> {
        result.map_err(|refusal| self.refuse(refusal)).ok()
    }
}
