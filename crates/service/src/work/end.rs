//! How a claim ends: done, postponed, again later, or dead.
//!
//! Owns the last write of a claim. It is one guarded write, so a claim ends once or not at all.

use client::Result;

use super::claim::{Claim, Written};
use super::queue::{Queue, Worked};
use super::worker::{Finish, WorkError};
use super::{Moment, Stage, State, Work};

/// Characters kept of an error.
const ERROR_CHARS_MAX: usize = 1000;

impl<T: Work> Queue<T> {
    /// Ends a claim as its worker said. `Lost` when somebody else has it: nothing was written.
    ///
    /// # Errors
    /// Those of [`client::Container::save`]. The claim's lease then ends, and the work is taken up again unless the
    /// write had happened.
    pub async fn end(
        &self,
        claim: Claim<T>,
        outcome: std::result::Result<Finish<T>, WorkError>,
    ) -> Result<Worked> {
        match outcome {
            Ok(finish) => self.finish(claim, finish).await,
            Err(WorkError::Lost) => Ok(Worked::Lost),
            Err(WorkError::Again { reason, delay }) => {
                let failures = claim.document().state().attempts.saturating_add(1);
                if failures >= self.settings().attempts_max {
                    return self.bury(claim, &reason).await;
                }
                let random = self.container().account().environment().random();
                let backoff = self.settings().backoff.delay(failures, random);
                let delay = delay.unwrap_or_default().max(backoff);
                let stage = |now: Moment| Stage::Waiting { due: Some(now.after(delay)) };
                self.fail(claim, &reason, stage, Worked::Again).await
            }
            Err(WorkError::Never { reason }) => self.bury(claim, &reason).await,
        }
    }

    async fn finish(&self, mut claim: Claim<T>, finish: Finish<T>) -> Result<Worked> {
        let (stage, worked) = match finish.postponed {
            None => (Stage::Done, Worked::Done),
            Some(until) => (Stage::Waiting { due: Some(until) }, Worked::Postponed),
        };
        let change = |document: &mut T, _: Moment| {
            let state = document.state();
            document.set_state(State { stage: stage.clone(), ..state });
            (finish.change)(document);
        };
        Ok(told(claim.write(change).await?, worked))
    }

    async fn bury(&self, claim: Claim<T>, reason: &str) -> Result<Worked> {
        tracing::error!(id = claim.document().id(), reason, "work is dead");
        self.fail(claim, reason, |_| Stage::Dead, Worked::Dead).await
    }

    async fn fail(
        &self,
        mut claim: Claim<T>,
        reason: &str,
        stage: impl Fn(Moment) -> Stage,
        worked: Worked,
    ) -> Result<Worked> {
        let error: String = reason.chars().take(ERROR_CHARS_MAX).collect();
        let change = |document: &mut T, now: Moment| {
            let attempts = document.state().attempts.saturating_add(1);
            document.set_state(State { stage: stage(now), attempts, error: Some(error.clone()) });
        };
        Ok(told(claim.write(change).await?, worked))
    }
}

fn told(written: Written, worked: Worked) -> Worked {
    match written {
        Written::Yes => worked,
        Written::Lost => Worked::Lost,
    }
}
