//! The threads on which scripts run.
//!
//! Owns how many run at the same time, and the answer at the end of their time. They are apart from those of queries: a
//! script can be stopped only where it is asked, and until then it must hold up nobody but other scripts.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot};

use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::settings::EngineSettings;

/// The threads of all scripts.
#[derive(Debug)]
pub(crate) struct ScriptThreads {
    threads: Arc<Semaphore>,
}

impl ScriptThreads {
    pub(crate) fn new(settings: &EngineSettings) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let at_once_max = match settings.scripts.at_once_max {
            // A script that cannot be stopped at once must not hold up all others.
            0 => 4.max(2 * cores),
            at_once_max => at_once_max,
        };
        Self { threads: Arc::new(Semaphore::new(at_once_max)) }
    }

    /// Runs work on a thread; none if it is not done in time. Then its result is dropped on that thread. What can wait
    /// is done afterwards, when the result is on its way.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        environment: &Environment,
        time_left: Duration,
        work: impl FnOnce() -> T + Send + 'static,
        afterwards: impl FnOnce() + Send + 'static,
    ) -> Result<Option<T>> {
        let mut time_over = pin!(environment.sleep(time_left));
        let mut permit = pin!(Arc::clone(&self.threads).acquire_owned());
        let permit = poll_fn(|context| match permit.as_mut().poll(context) {
            Poll::Ready(permit) => Poll::Ready(Some(permit)),
            Poll::Pending => time_over.as_mut().poll(context).map(|()| None),
        });
        let Some(permit) = permit.await else { return Ok(None) };
        let permit = permit.map_err(|_| Error::closed())?;
        let (sender, mut receiver) = oneshot::channel();
        environment.compute(Box::new(move || {
            let result = catch_unwind(AssertUnwindSafe(work));
            let _ = sender.send(result);
            // A panic here concerns no request.
            let _ = catch_unwind(AssertUnwindSafe(afterwards));
            // Returned only now: a thread that was given up still counts.
            drop(permit);
        }));
        let result = poll_fn(|context| match pin!(&mut receiver).poll(context) {
            Poll::Ready(result) => Poll::Ready(Some(result)),
            Poll::Pending => time_over.as_mut().poll(context).map(|()| None),
        });
        match result.await {
            None => Ok(None),
            Some(Ok(Ok(value))) => Ok(Some(value)),
            // The panic goes on in the request, as if it had never left its task.
            Some(Ok(Err(panic))) => resume_unwind(panic),
            Some(Err(_)) => Err(Error::closed()),
        }
    }
}
