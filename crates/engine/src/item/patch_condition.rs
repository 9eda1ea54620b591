//! The condition of a patch: where it is evaluated.
//!
//! Owns the limit of work inside the partition's writer, the evaluation outside of it, and the check that the item is
//! still the one that was evaluated. Does not own the language of conditions: see the crate `query`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ::query::{
    BudgetError, EachWorkLimit, EvaluationContext, EvaluationError, Interruption, ItemPredicate,
    SLICE_UNITS, WorkGovernor,
};
use model::{Etag, Json, Patch, TimestampMs};

use super::submit::locate;
use crate::catalog::ContainerEntry;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::key_layout::{ITEMS, ItemKey};
use crate::query::{evaluation_failed, to_query_time};
use crate::record::ItemRecord;

/// Units of work that a condition may spend inside the writer, a fraction of a millisecond: all writes of the physical
/// partition wait for it. Enough for comparisons, functions and a search in an array of a thousand elements.
const WRITER_UNITS_MAX: u64 = 5_000;

/// Units that a condition of a batch may spend at least, however many conditions the batch has.
const BATCH_UNITS_MIN: u64 = 500;

/// How long a condition may be evaluated outside of the writer.
const TIME_MAX: Duration = Duration::from_secs(5);

/// The condition of one patch.
#[derive(Debug)]
pub(crate) struct PatchCondition {
    predicate: ItemPredicate,
    /// Units of work inside the writer.
    units_max: u64,
    /// The version of the item for which the condition was evaluated outside of the writer, and whether it held.
    evaluated: Mutex<Option<(Etag, bool)>>,
    /// Whether the writer could not evaluate it within its limit.
    is_exceeded: AtomicBool,
}

impl PatchCondition {
    /// Reads the condition of a patch, which is one of so many in its transaction.
    pub(super) fn read(patch: &Patch, conditions: usize) -> Result<Option<Arc<Self>>> {
        let Some(text) = patch.condition() else { return Ok(None) };
        let predicate = ItemPredicate::parse(text).map_err(Error::of_query)?;
        let units_max = match conditions {
            0 | 1 => WRITER_UNITS_MAX,
            many => (SLICE_UNITS / many as u64).max(BATCH_UNITS_MIN),
        };
        let (evaluated, is_exceeded) = (Mutex::new(None), AtomicBool::new(false));
        Ok(Some(Arc::new(Self { predicate, units_max, evaluated, is_exceeded })))
    }

    /// Refuses a patch whose condition does not hold for the item. Runs inside the writer, so that nothing can change
    /// the item between this check and the write.
    ///
    /// A condition that was evaluated outside is not evaluated again if the etag is still the same: the etag changes
    /// with every write, so that the item is the same, too. Any other is evaluated here, within a tight limit. Outside
    /// first would cost every conditional patch a read and, under contention, its turn: another write may always come
    /// in between. Only a condition that exceeds the limit pays that.
    pub(super) fn check(&self, etag: &Etag, item: &Json, now: TimestampMs) -> Result<()> {
        let evaluated = *self.evaluated.lock().unwrap_or_else(PoisonError::into_inner);
        let holds = match evaluated {
            Some((known, holds)) if known == *etag => Ok(holds),
            _ => {
                let units_max = self.units_max;
                let context = EvaluationContext {
                    governor: Arc::new(EachWorkLimit { units_max }),
                    ..EvaluationContext::starting_at(to_query_time(now))
                };
                self.predicate.matches(item, &context)
            }
        };
        match holds {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::new(
                ErrorKind::PreconditionFailed,
                "One of the specified pre-condition is not met: the condition of the patch is not true for the item.",
            )),
            Err(EvaluationError::Budget(BudgetError::Interrupted(Interruption::OutOfWork))) => {
                self.is_exceeded.store(true, Ordering::Relaxed);
                Err(Error::new(
                    ErrorKind::OutOfTime,
                    "Request timed out: the condition of the patch takes too long for a transaction. Simplify it, \
                     or send the patch alone instead of in a batch.",
                ))
            }
            Err(error) => Err(evaluation_failed(&error)),
        }
    }

    /// Whether the last run inside the writer exceeded the limit.
    pub(super) fn take_exceeded(&self) -> bool {
        self.is_exceeded.swap(false, Ordering::Relaxed)
    }
}

impl Engine {
    /// Evaluates a long condition outside of the writer, for the version of the item that is stored now.
    pub(super) async fn evaluate_condition(
        &self,
        container: &Arc<ContainerEntry>,
        key: &ItemKey,
        condition: &Arc<PatchCondition>,
    ) -> Result<()> {
        let now = self.now();
        // Without an item there is nothing to evaluate: the writer reports it.
        let Some(record) = self.stored_record(container, key).await? else { return Ok(()) };
        let etag = record.header.etag;
        let work = self.request_work(Some(TIME_MAX));
        let context = EvaluationContext {
            governor: Arc::clone(&work) as Arc<dyn WorkGovernor>,
            ..EvaluationContext::starting_at(to_query_time(now))
        };
        let evaluated = Arc::clone(condition);
        let evaluate = move || -> Result<bool> {
            let item = record.parse()?;
            let holds = evaluated.predicate.matches(&item, &context);
            holds.map_err(|error| evaluation_failed(&error))
        };
        let holds = self.evaluate(&work, evaluate).await??;
        *condition.evaluated.lock().unwrap_or_else(PoisonError::into_inner) = Some((etag, holds));
        Ok(())
    }

    async fn stored_record(
        &self,
        container: &Arc<ContainerEntry>,
        key: &ItemKey,
    ) -> Result<Option<ItemRecord>> {
        let epk = key.epk();
        loop {
            let partition = locate(container, &epk)?;
            let stored = self.store().get(partition.identity.shard, ITEMS, key.as_bytes()).await?;
            // Checked after the read: a partition that is not retired now had all acknowledged writes then.
            if !partition.published.is_retired() {
                return stored.map(ItemRecord::decode).transpose();
            }
            Box::pin(self.wait_for_map_without(container, &partition)).await?;
        }
    }
}
