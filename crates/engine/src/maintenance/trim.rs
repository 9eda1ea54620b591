//! Trimming: versions that ended before the retention are removed.
//!
//! Owns one step of a pass over all versions. Versions are stored in the order of their beginning, not of their end, so
//! that a pass reads all of them; it records the earliest end it has left, and the next pass waits until that is due.

use std::ops::Bound;

use storage::{Entry, KeyRange};

use super::step::{MaintenanceStep, StepReport, change_position, scan};
use crate::key_layout::{ChangePosition, VERSIONS};
use crate::partition::Abort;
use crate::record::Version;
use crate::transaction::ItemTransaction;

/// Removes some versions that ended before the retention.
pub(super) struct TrimVersions {
    pub(super) items_max: usize,
}

impl MaintenanceStep for TrimVersions {
    async fn handle(&mut self, transaction: &mut ItemTransaction<'_>) -> Result<StepReport, Abort> {
        trim(transaction, self.items_max).await
    }
}

async fn trim(
    transaction: &mut ItemTransaction<'_>,
    items_max: usize,
) -> Result<StepReport, Abort> {
    transaction.require_no_pending()?;
    let now = transaction.context.now.seconds().0;
    let retention = transaction.context.compiled.retention_seconds;
    // By the end of a version, not its beginning: a state that was current an hour ago must be readable as of an hour
    // ago.
    let is_due = |ended: u64| ended.saturating_add(retention) < now;
    // At the beginning of a pass.
    if transaction.state.trim_after == ChangePosition::default() {
        if !is_due(transaction.state.trim_pass.ended_from) {
            return Ok(StepReport::default());
        }
        // A version that is written during this pass ends after the pass began, so that `now` is a safe lower bound.
        transaction.state.trim_pass.earliest_left = now;
    }
    let lower = Bound::Excluded(transaction.state.trim_after.key());
    let range = KeyRange { lower, upper: Bound::Unbounded };
    let page = scan(transaction, VERSIONS, range, items_max).await?;
    let levels = transaction.context.container.levels();
    let mut handled = 0;
    let mut last = ChangePosition::default();
    for Entry { key, value } in &page.entries {
        let position = change_position(key)?;
        let (version, ended) = Version::decode(value.clone(), levels)?;
        if is_due(ended.0) {
            transaction.trim_version(position, &version, ended);
            handled += 1;
        } else {
            let pass = &mut transaction.state.trim_pass;
            pass.earliest_left = pass.earliest_left.min(ended.0);
        }
        last = position;
    }
    if page.more {
        // The cursor alone forces no commit: if it is lost, a pass repeats some reads.
        transaction.state.trim_after = last;
    } else {
        transaction.state.trim_after = ChangePosition::default();
        transaction.state.trim_pass.ended_from = transaction.state.trim_pass.earliest_left;
    }
    Ok(StepReport { handled, more: page.more, ..StepReport::default() })
}
