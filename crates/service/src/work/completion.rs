//! The end of an attempt: done, postponed, to be retried, or dead.
//!
//! Owns the last write of a claim. It is one conditional write, so a claim ends once or not at all.

use std::time::Duration;

use client::Result;

use super::claim::{Claim, ClaimWrite};
use super::queue::{WorkQueue, WorkResult};
use super::worker::{ClaimSummary, CompletionKind, WorkCompletion, WorkError};
use super::{UtcTimestamp, WorkItem, WorkStage, WorkState};

/// Maximum length of a stored error.
const ERROR_CHARS_MAX: usize = 1000;

impl<T: WorkItem> WorkQueue<T> {
    /// Ends a claim with the result of its worker. Nothing is written for `Lost`, if another worker has the claim, and
    /// for `Gone`, if the item was deleted. A claim that was itself not written is released if it is lost.
    ///
    /// # Errors
    /// Those of [`client::Container::save`]: the lease then expires and the item is retried, unless the write happened
    /// after all. Those of [`super::Worker::on_claim_end`].
    pub async fn end(
        &self,
        mut claim: Claim<T>,
        outcome: std::result::Result<WorkCompletion<T>, WorkError>,
    ) -> Result<WorkResult> {
        let result = match outcome {
            Ok(completion) => self.complete(&mut claim, completion).await?,
            Err(WorkError::Lost) => {
                claim.release().await?;
                WorkResult::Lost
            }
            Err(WorkError::Retry { reason, delay }) => {
                self.complete(&mut claim, WorkCompletion::retry(reason, delay)).await?
            }
            Err(WorkError::Permanent { reason }) => {
                self.mark_dead(&mut claim, &reason, &|_| ()).await?
            }
        };
        let summary = ClaimSummary { result, charge: claim.charge() };
        self.worker().on_claim_end(claim.document(), summary).await?;
        Ok(result)
    }

    async fn complete(
        &self,
        claim: &mut Claim<T>,
        completion: WorkCompletion<T>,
    ) -> Result<WorkResult> {
        let (stage, result) = match completion.kind {
            CompletionKind::Done => (WorkStage::Done, WorkResult::Done),
            CompletionKind::Postponed { until } => {
                (WorkStage::Waiting { due: Some(until) }, WorkResult::Postponed)
            }
            CompletionKind::Retry { reason, delay } => {
                return self.retry(claim, &reason, delay, &completion.change).await;
            }
        };
        let change = |document: &mut T, _: UtcTimestamp| {
            let state = document.state();
            document.set_state(WorkState { stage: stage.clone(), ..state });
            (completion.change)(document);
        };
        Ok(settle_result(claim.write(change).await?, result))
    }

    async fn retry(
        &self,
        claim: &mut Claim<T>,
        reason: &str,
        delay: Option<Duration>,
        change: &(dyn Fn(&mut T) + Send + Sync),
    ) -> Result<WorkResult> {
        // This attempt is not counted yet in the item.
        let failures = claim.document().state().attempts.saturating_add(1);
        if failures >= self.settings().attempts_max {
            return self.mark_dead(claim, reason, change).await;
        }
        let backoff = self.settings().backoff.delay(failures, self.random());
        // A provider may ask for longer than the back-off, but not for shorter.
        let delay = delay.unwrap_or_default().max(backoff);
        let stage = |now: UtcTimestamp| WorkStage::Failed { due: now.after(delay) };
        self.fail(claim, reason, stage, WorkResult::Retry, change).await
    }

    async fn mark_dead(
        &self,
        claim: &mut Claim<T>,
        reason: &str,
        change: &(dyn Fn(&mut T) + Send + Sync),
    ) -> Result<WorkResult> {
        tracing::error!(id = claim.document().id(), reason, "work is dead");
        self.fail(claim, reason, |_| WorkStage::Dead, WorkResult::Dead, change).await
    }

    async fn fail(
        &self,
        claim: &mut Claim<T>,
        reason: &str,
        stage: impl Fn(UtcTimestamp) -> WorkStage,
        result: WorkResult,
        change: &(dyn Fn(&mut T) + Send + Sync),
    ) -> Result<WorkResult> {
        let error: String = reason.chars().take(ERROR_CHARS_MAX).collect();
        let failed = |document: &mut T, now: UtcTimestamp| {
            // From the document as it is written, which may have been read again since `failures` was computed.
            let attempts = document.state().attempts.saturating_add(1);
            document.set_state(WorkState {
                stage: stage(now),
                attempts,
                error: Some(error.clone()),
            });
            change(document);
        };
        Ok(settle_result(claim.write(failed).await?, result))
    }
}

/// The result of an attempt, if its last write was possible.
fn settle_result(written: ClaimWrite, result: WorkResult) -> WorkResult {
    match written {
        ClaimWrite::Written => result,
        ClaimWrite::Lost => WorkResult::Lost,
        ClaimWrite::Gone => WorkResult::Gone,
    }
}
