//! One run of a script in a session: step by step, on threads for scripts.
//!
//! Owns the alternation of script and operations, the time limit, and the failure of a script as an error. A script
//! whose time is over is answered at once; its thread ends as soon as the script is asked whether it may go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use super::session::{ScriptSession, SessionEnd};
use crate::engine::Engine;
use crate::environment::Environment;
use crate::error::{Error, ErrorKind};
use crate::script_runtime::{
    ScriptAnswer, ScriptCall, ScriptFailure, ScriptFailureKind, ScriptLimits, ScriptMeter,
    ScriptOutput, ScriptPurpose, ScriptRun, ScriptRuntime, ScriptSource, ScriptStep,
};

/// The clock of one request with scripts; dropped with the request, which cancels what still runs.
pub(super) struct ScriptRequest {
    meter: Arc<RequestMeter>,
    pub(super) runtime: Arc<dyn ScriptRuntime>,
    pub(super) wants_log: bool,
    pub(super) log: String,
}

struct RequestMeter {
    environment: Environment,
    started: Duration,
    is_cancelled: AtomicBool,
}

impl ScriptMeter for RequestMeter {
    fn elapsed(&self) -> Duration {
        self.environment.stopwatch().saturating_sub(self.started)
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}

impl Drop for ScriptRequest {
    fn drop(&mut self) {
        self.meter.is_cancelled.store(true, Ordering::Relaxed);
    }
}

impl ScriptRequest {
    pub(super) fn new(engine: &Engine, runtime: Arc<dyn ScriptRuntime>, wants_log: bool) -> Self {
        let environment = engine.environment().clone();
        let started = environment.stopwatch();
        let is_cancelled = AtomicBool::new(false);
        let meter = Arc::new(RequestMeter { environment, started, is_cancelled });
        Self { meter, runtime, wants_log, log: String::new() }
    }

    /// How long the request has run.
    pub(super) fn elapsed(&self) -> Duration {
        self.meter.elapsed()
    }
}

/// A run between two steps.
struct PausedRun {
    run: Option<Box<dyn ScriptRun>>,
    step: Result<ScriptStep, ScriptFailure>,
    log: String,
}

impl PausedRun {
    /// Goes on with a run. One that has ended is passed to `ended`: its heap is freed on this thread, after the answer.
    fn new(
        mut run: Box<dyn ScriptRun>,
        answers: Vec<ScriptAnswer>,
        ended: &Sender<Box<dyn ScriptRun>>,
    ) -> Self {
        let step = run.resume(answers);
        let log = run.log();
        if matches!(step, Ok(ScriptStep::Operations(_))) {
            return Self { run: Some(run), step, log };
        }
        // The receiver lives as long as the thread works for this run.
        let _ = ended.send(run);
        Self { run: None, step, log }
    }
}

impl ScriptSession {
    /// Runs a script to its end.
    pub(super) async fn run(
        &mut self,
        request: &mut ScriptRequest,
        source: ScriptSource,
        purpose: ScriptPurpose,
    ) -> Result<ScriptOutput, SessionEnd> {
        let limits = self.engine.settings().scripts.limits();
        let call = self.call(request, source, purpose, limits);
        let runtime = Arc::clone(&request.runtime);
        let first = move |ended: &Sender<_>| match runtime.start(call) {
            Ok(run) => PausedRun::new(run, Vec::new(), ended),
            Err(failure) => PausedRun { run: None, step: Err(failure), log: String::new() },
        };
        let earlier_log = std::mem::take(&mut request.log);
        let mut paused = self.on_thread(request, &limits, first).await?;
        loop {
            request.log = format!("{earlier_log}{}", paused.log);
            let operations = match paused.step {
                Ok(ScriptStep::Ended(output)) => return Ok(output),
                Ok(ScriptStep::Operations(operations)) => operations,
                Err(failure) => return Err(failed(failure).into()),
            };
            let Some(run) = paused.run.take() else { return Err(Error::closed().into()) };
            let mut answers = Vec::with_capacity(operations.len());
            for operation in operations {
                // Between operations, because a script may ask for thousands at once.
                if request.elapsed() >= limits.time_max {
                    return Err(out_of_time(&limits).into());
                }
                answers.push(self.perform(operation).await?);
            }
            let next = move |ended: &Sender<_>| PausedRun::new(run, answers, ended);
            paused = self.on_thread(request, &limits, next).await?;
        }
    }

    async fn on_thread(
        &self,
        request: &ScriptRequest,
        limits: &ScriptLimits,
        work: impl FnOnce(&Sender<Box<dyn ScriptRun>>) -> PausedRun + Send + 'static,
    ) -> Result<PausedRun, Error> {
        let time_left = limits.time_max.saturating_sub(request.elapsed());
        let threads = &self.engine.core.script_threads;
        let runtime = Arc::clone(&request.runtime);
        let (ended, receiver) = channel();
        // Only after the last step: the realm of the next run must not compete with the rest of this one.
        let afterwards = move || {
            if let Ok(run) = receiver.try_recv() {
                drop(run);
                runtime.prepare_next();
            }
        };
        let work = move || work(&ended);
        let finished = threads.run(self.engine.environment(), time_left, work, afterwards).await?;
        finished.ok_or_else(|| out_of_time(limits))
    }

    fn call(
        &self,
        request: &ScriptRequest,
        source: ScriptSource,
        purpose: ScriptPurpose,
        limits: ScriptLimits,
    ) -> ScriptCall {
        let rid = self.container.identity.rid;
        let database = rid.database_id().map(|rid| rid.to_string()).unwrap_or_default();
        let link = &self.container.link;
        ScriptCall {
            source,
            purpose,
            self_link: format!("dbs/{database}/colls/{rid}/"),
            alternate_link: format!("dbs/{}/colls/{}", link.database, link.container),
            wants_log: request.wants_log,
            seed: self.engine.environment().random(),
            limits,
            meter: Arc::clone(&request.meter) as Arc<dyn ScriptMeter>,
        }
    }
}

fn out_of_time(limits: &ScriptLimits) -> Error {
    failed(ScriptFailure {
        kind: ScriptFailureKind::OutOfTime,
        message: format!("The script exceeded its time of {} ms.", limits.time_max.as_millis()),
    })
}

/// The failure of a script as an error of the operation.
pub(super) fn failed(failure: ScriptFailure) -> Error {
    let ScriptFailure { kind, message } = failure;
    match kind {
        ScriptFailureKind::Thrown { number } => {
            Error::new(ErrorKind::ScriptFailed { number }, message)
        }
        ScriptFailureKind::OutOfTime => {
            Error::new(ErrorKind::OutOfTime, format!("Request timed out. {message}"))
        }
        ScriptFailureKind::TooLarge => Error::new(ErrorKind::TooLarge, message),
        ScriptFailureKind::Cancelled => Error::closed(),
    }
}
