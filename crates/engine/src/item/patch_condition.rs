//! The condition of a patch: where it is evaluated.
//!
//! Owns the limit of work inside the partition's writer; beyond it, the whole patch is prepared outside (see `large`).
//! Does not own the language of conditions: see the crate `query`.

use std::sync::Arc;

use ::query::{
    BudgetError, EachWorkLimit, EvaluationContext, EvaluationError, Interruption, ItemPredicate,
    SLICE_UNITS,
};
use model::{Json, Patch, TimestampMs};

use crate::error::{Error, ErrorKind, Result};
use crate::key_layout::ItemKey;
use crate::partition::Abort;
use crate::query::{evaluation_failed, to_query_time};

/// Units of work that a condition may spend inside the writer, a fraction of a millisecond: all writes of the physical
/// partition wait for it. Enough for comparisons, functions and a search in an array of a thousand elements.
const WRITER_UNITS_MAX: u64 = 5_000;

/// Units that a condition of a batch may spend at least, however many conditions the batch has.
const BATCH_UNITS_MIN: u64 = 500;

/// The condition of one patch.
#[derive(Debug)]
pub(crate) struct PatchCondition {
    predicate: ItemPredicate,
    /// Units of work inside the writer.
    units_max: u64,
}

impl PatchCondition {
    /// Reads the condition of a patch, which is one of so many in its transaction.
    pub(super) fn read(patch: &Patch, conditions: usize) -> Result<Option<Self>> {
        let Some(text) = patch.condition() else { return Ok(None) };
        let predicate = ItemPredicate::parse(text).map_err(Error::of_query)?;
        let units_max = match conditions {
            0 | 1 => WRITER_UNITS_MAX,
            many => (SLICE_UNITS / many as u64).max(BATCH_UNITS_MIN),
        };
        Ok(Some(Self { predicate, units_max }))
    }

    /// Refuses a patch whose condition does not hold for the item. Runs inside the writer, so that nothing can change
    /// the item between this check and the write.
    ///
    /// Outside first would cost every conditional patch a look and, under contention, its turn: another write may
    /// always come in between. Only a condition that exceeds the limit pays that.
    pub(super) fn check(
        &self,
        key: &ItemKey,
        item: &Json,
        now: TimestampMs,
    ) -> std::result::Result<(), Abort> {
        let context = EvaluationContext {
            governor: Arc::new(EachWorkLimit { units_max: self.units_max }),
            ..EvaluationContext::starting_at(to_query_time(now))
        };
        match self.predicate.matches(item, &context) {
            Err(EvaluationError::Budget(BudgetError::Interrupted(Interruption::OutOfWork))) => {
                Err(Abort::TooLong(key.clone()))
            }
            evaluated => Ok(holds(evaluated)?),
        }
    }

    /// The same outside of the writer, within the budget of the request.
    pub(super) fn check_outside(&self, item: &Json, context: &EvaluationContext) -> Result<()> {
        holds(self.predicate.matches(item, context))
    }
}

fn holds(evaluated: std::result::Result<bool, EvaluationError>) -> Result<()> {
    match evaluated {
        Ok(true) => Ok(()),
        Ok(false) => Err(Error::new(
            ErrorKind::PreconditionFailed,
            "One of the specified pre-condition is not met. The condition of the patch is not true for the item.",
        )),
        Err(error) => Err(evaluation_failed(&error)),
    }
}
