//! How a claim ends: done, postponed, again later, or dead.
//!
//! Owns the last write of a claim. It is one guarded write, so a claim ends once or not at all.

use std::time::Duration;

use client::Result;

use super::claim::{Claim, Written};
use super::queue::{Queue, Worked};
use super::worker::{End, Ended, Finish, WorkError};
use super::{Moment, Stage, State, Work};

/// Characters kept of an error.
const ERROR_CHARS_MAX: usize = 1000;

impl<T: Work> Queue<T> {
    /// Ends a claim as its worker said. `Lost` when somebody else has it, `Gone` when nobody can: nothing was written.
    ///
    /// # Errors
    /// Those of [`client::Container::save`]. The claim's lease then ends, and the work is taken up again unless the
    /// write had happened. Those of [`super::Worker::ended`].
    pub async fn end(
        &self,
        mut claim: Claim<T>,
        outcome: std::result::Result<Finish<T>, WorkError>,
    ) -> Result<Worked> {
        let worked = match outcome {
            Ok(finish) => self.finish(&mut claim, finish).await?,
            Err(WorkError::Lost) => Worked::Lost,
            Err(WorkError::Again { reason, delay }) => {
                self.finish(&mut claim, Finish::again(reason, delay)).await?
            }
            Err(WorkError::Never { reason }) => self.bury(&mut claim, &reason, &|_| ()).await?,
        };
        let ended = Ended { worked, charge: claim.charge() };
        self.worker().ended(claim.document(), ended).await?;
        Ok(worked)
    }

    async fn finish(&self, claim: &mut Claim<T>, finish: Finish<T>) -> Result<Worked> {
        let (stage, worked) = match finish.end {
            End::Done => (Stage::Done, Worked::Done),
            End::Postponed { until } => (Stage::Waiting { due: Some(until) }, Worked::Postponed),
            End::Again { reason, delay } => {
                return self.again(claim, &reason, delay, &finish.change).await;
            }
        };
        let change = |document: &mut T, _: Moment| {
            let state = document.state();
            document.set_state(State { stage: stage.clone(), ..state });
            (finish.change)(document);
        };
        Ok(told(claim.write(change).await?, worked))
    }

    async fn again(
        &self,
        claim: &mut Claim<T>,
        reason: &str,
        delay: Option<Duration>,
        change: &(dyn Fn(&mut T) + Send + Sync),
    ) -> Result<Worked> {
        let failures = claim.document().state().attempts.saturating_add(1);
        if failures >= self.settings().attempts_max {
            return self.bury(claim, reason, change).await;
        }
        let backoff = self.settings().backoff.delay(failures, self.random());
        let delay = delay.unwrap_or_default().max(backoff);
        let stage = |now: Moment| Stage::Failed { due: now.after(delay) };
        self.fail(claim, reason, stage, Worked::Again, change).await
    }

    async fn bury(
        &self,
        claim: &mut Claim<T>,
        reason: &str,
        change: &(dyn Fn(&mut T) + Send + Sync),
    ) -> Result<Worked> {
        tracing::error!(id = claim.document().id(), reason, "work is dead");
        self.fail(claim, reason, |_| Stage::Dead, Worked::Dead, change).await
    }

    async fn fail(
        &self,
        claim: &mut Claim<T>,
        reason: &str,
        stage: impl Fn(Moment) -> Stage,
        worked: Worked,
        change: &(dyn Fn(&mut T) + Send + Sync),
    ) -> Result<Worked> {
        let error: String = reason.chars().take(ERROR_CHARS_MAX).collect();
        let failed = |document: &mut T, now: Moment| {
            let attempts = document.state().attempts.saturating_add(1);
            document.set_state(State { stage: stage(now), attempts, error: Some(error.clone()) });
            change(document);
        };
        Ok(told(claim.write(failed).await?, worked))
    }
}

fn told(written: Written, worked: Worked) -> Worked {
    match written {
        Written::Yes => worked,
        Written::Lost => Worked::Lost,
        Written::Gone => Worked::Gone,
    }
}
