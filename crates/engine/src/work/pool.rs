//! The threads on which long evaluations go on.
//!
//! Owns the limits that all requests share: threads, turns and memory. Does not own the budget of one request.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::Poll;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::request_work::RequestWork;
use super::turns::Turns;
use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::settings::EngineSettings;

/// Threads, turns and memory of all evaluations.
#[derive(Debug)]
pub(crate) struct EvaluationPool {
    threads: Arc<Semaphore>,
    pub(super) turns: Turns,
    memory_max: usize,
    memory_used: AtomicUsize,
    slices: AtomicU64,
}

impl EvaluationPool {
    pub(crate) fn new(settings: &EngineSettings) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let at_once_max = match settings.evaluations_at_once_max {
            // One core stays free for the requests that are answered at once.
            0 => cores.saturating_sub(1).max(1),
            at_once_max => at_once_max,
        };
        Self {
            threads: Arc::new(Semaphore::new(settings.evaluation_threads_max.max(1))),
            turns: Turns::new(at_once_max),
            memory_max: settings.evaluation_memory_max,
            memory_used: AtomicUsize::new(0),
            slices: AtomicU64::new(0),
        }
    }

    /// Runs a part of a request's evaluation on a thread of its own, where a slice ends with a new turn and not with an
    /// interruption. If the caller goes away, the evaluation is cancelled.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        environment: &Environment,
        work: &Arc<RequestWork>,
        evaluate: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let permit = self.thread(environment, work).await?;
        let (sender, receiver) = oneshot::channel();
        let evaluated = Arc::clone(work);
        environment.compute(Box::new(move || {
            evaluated.enter_thread();
            let result = catch_unwind(AssertUnwindSafe(evaluate));
            evaluated.leave_thread();
            drop(permit);
            // Nobody waits any more if the request was cancelled.
            let _ = sender.send(result);
        }));
        let mut cancellation = CancelOnDrop(Some(work));
        let result = receiver.await;
        // The evaluation is over: the request itself goes on.
        cancellation.0 = None;
        match result {
            Ok(Ok(value)) => Ok(value),
            // The panic goes on in the request, as if it had never left its task.
            Ok(Err(panic)) => resume_unwind(panic),
            // The runtime shuts down and has dropped the evaluation.
            Err(_) => Err(Error::closed()),
        }
    }

    /// The number of slices of work that were granted so far, for tests and metrics.
    pub(crate) fn slices(&self) -> u64 {
        self.slices.load(Ordering::Relaxed)
    }

    pub(super) fn count_slice(&self) {
        self.slices.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes shared memory; returns whether there was enough.
    pub(super) fn take_memory(&self, bytes: usize) -> bool {
        let take = |used: usize| used.checked_add(bytes).filter(|used| *used <= self.memory_max);
        self.memory_used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }

    pub(super) fn return_memory(&self, bytes: usize) {
        self.memory_used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Waits for a free thread, no longer than the request may take.
    async fn thread(
        &self,
        environment: &Environment,
        work: &RequestWork,
    ) -> Result<OwnedSemaphorePermit> {
        let free = Arc::clone(&self.threads).try_acquire_owned();
        if let Ok(permit) = free {
            return Ok(permit);
        }
        let mut permit = pin!(Arc::clone(&self.threads).acquire_owned());
        let Some(time_left) = work.time_left() else {
            return permit.await.map_err(|_| Error::closed());
        };
        let mut time_over = pin!(environment.sleep(time_left));
        poll_fn(|context| {
            if let Poll::Ready(permit) = permit.as_mut().poll(context) {
                return Poll::Ready(permit.map_err(|_| Error::closed()));
            }
            time_over.as_mut().poll(context).map(|()| Err(work.out_of_time()))
        })
        .await
    }
}

/// Cancels the evaluation of a request whose caller has gone away. A guard, because a dropped future runs nothing else.
struct CancelOnDrop<'run>(Option<&'run RequestWork>);

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(work) = self.0 {
            work.cancel();
        }
    }
}
