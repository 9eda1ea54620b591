//! One run of a stored procedure or trigger.
//!
//! Owns the steps between the script and the engine: begin, answer, collect what the script asks for next. The realm
//! ends with the run.

use std::sync::{Mutex, PoisonError};

use engine::script_runtime::{
    ScriptAnswer, ScriptCall, ScriptFailure, ScriptFailureKind, ScriptOutput, ScriptPurpose,
    ScriptRun, ScriptStep,
};
use rquickjs::{Ctx, Function, Object, Value};

use crate::operation::{HostRequest, OperationQueue};
use crate::realm::{
    InterruptGate, Realm, SpareRealm, compile_all, describe, instantiate_all, script,
};

/// A run in its realm.
pub(crate) struct RealmRun {
    realm: Realm,
    queue: OperationQueue,
    has_begun: bool,
    /// The numbers of the operations of the last step.
    in_flight: Vec<usize>,
}

impl RealmRun {
    pub(crate) fn new(spare: SpareRealm, call: &ScriptCall) -> Result<Self, ScriptFailure> {
        let SpareRealm { realm, is_compiled } = spare;
        let realm = Realm::new(realm, InterruptGate::new(call.limits, call.meter.clone()));
        let queue = OperationQueue::new(&realm.gate);
        let sources = std::slice::from_ref(&call.source);
        realm.enter(|ctx| {
            // Before the script is compiled: a text that closes the brackets around it runs then.
            let driver = driver(ctx, call, &queue)?;
            // Kept outside of every object that the script can reach.
            let _ = ctx.store_userdata(driver);
            if !is_compiled {
                compile_all(ctx, sources)?;
            }
            instantiate_all(ctx, sources)
        })?;
        Ok(Self { realm, queue, has_begun: false, in_flight: Vec::new() })
    }

    fn go_on(&mut self, answers: Vec<ScriptAnswer>) -> Result<(), ScriptFailure> {
        let (has_begun, numbers) = (self.has_begun, std::mem::take(&mut self.in_flight));
        self.has_begun = true;
        let gate = &self.realm.gate;
        self.realm.enter(|ctx| {
            let driver = kept_driver(ctx)?;
            if !has_begun {
                let begin: Function<'_> = driver.get("begin")?;
                begin.call::<_, Value<'_>>((script(ctx, 0)?,))?;
                run_jobs(ctx, gate);
            }
            let answer: Function<'_> = driver.get("answer")?;
            for (number, result) in numbers.into_iter().zip(answers) {
                pass(&answer, number, result)?;
                run_jobs(ctx, gate);
            }
            Ok(())
        })
    }

    /// The failure of a script that has aborted itself; it may have caught the exception.
    fn check_abort(&self) -> Result<(), ScriptFailure> {
        let aborted = self.realm.enter(|ctx| {
            let driver = kept_driver(ctx)?;
            if !driver.get::<_, Function<'_>>("hasAborted")?.call::<_, bool>(())? {
                return Ok(None);
            }
            let reason = driver.get::<_, Function<'_>>("abortReason")?.call::<_, Value<'_>>(())?;
            Ok(Some(describe(ctx, &reason)))
        })?;
        aborted.map_or(Ok(()), Err)
    }

    fn output(&self) -> Result<ScriptOutput, ScriptFailure> {
        let body = self.realm.enter(|ctx| {
            let driver = kept_driver(ctx)?;
            driver.get::<_, Function<'_>>("output")?.call::<_, Option<String>>(())
        })?;
        let bytes_max = self.realm.gate.limits.output_bytes_max;
        if body.as_ref().is_some_and(|body| body.len() > bytes_max) {
            return Err(ScriptFailure {
                kind: ScriptFailureKind::TooLarge,
                message: format!(
                    "Resulting message would be too large because of \"body\": at most {bytes_max} bytes are allowed. \
                     Return less, and continue in another call."
                ),
            });
        }
        Ok(ScriptOutput { body })
    }
}

impl ScriptRun for RealmRun {
    fn resume(&mut self, answers: Vec<ScriptAnswer>) -> Result<ScriptStep, ScriptFailure> {
        let result = self.go_on(answers);
        // First: an abort is the reason even if the script has thrown something else since.
        self.check_abort()?;
        result?;
        let pending = self.queue.take();
        if pending.is_empty() {
            return self.output().map(ScriptStep::Ended);
        }
        let (numbers, operations) = pending.into_iter().unzip();
        self.in_flight = numbers;
        Ok(ScriptStep::Operations(operations))
    }

    fn log(&self) -> String {
        self.queue.log()
    }
}

fn kept_driver<'js>(ctx: &Ctx<'js>) -> rquickjs::Result<Object<'js>> {
    match ctx.userdata::<Object<'js>>() {
        Some(driver) => Ok(driver.clone()),
        None => Err(rquickjs::Error::Unknown),
    }
}

/// Runs what promises have queued. A job that throws rejects its promise; nothing else is to do about it.
fn run_jobs(ctx: &Ctx<'_>, gate: &InterruptGate) {
    while gate.ended().is_none() && ctx.execute_pending_job() {}
}

fn pass(answer: &Function<'_>, number: usize, result: ScriptAnswer) -> rquickjs::Result<()> {
    const OK: u16 = 200;
    let (status, json, continuation, unmodified) = match result {
        ScriptAnswer::Item(text) => (OK, Some(text), None, false),
        ScriptAnswer::Nothing { not_modified } => (OK, None, None, not_modified),
        ScriptAnswer::Page { rows, continuation } => {
            (OK, Some(format!("[{}]", rows.join(","))), continuation, false)
        }
        ScriptAnswer::Failed { number, message } => (number, Some(message), None, false),
    };
    answer.call::<_, Value<'_>>((number as u32, status, json, continuation, unmodified))?;
    Ok(())
}

/// The objects of the run, made by `host.js`.
fn driver<'js>(
    ctx: &Ctx<'js>,
    call: &ScriptCall,
    queue: &OperationQueue,
) -> rquickjs::Result<Object<'js>> {
    let facts = Object::new(ctx.clone())?;
    let (purpose, operation, request, response) = match &call.purpose {
        ScriptPurpose::Procedure { arguments } => ("procedure", None, Some(arguments), None),
        ScriptPurpose::Before { operation, item } => {
            ("before", Some(*operation), item.as_ref(), None)
        }
        ScriptPurpose::After { operation, item, response } => {
            ("after", Some(*operation), item.as_ref(), response.as_ref())
        }
    };
    facts.set("purpose", purpose)?;
    facts.set("operation", operation)?;
    facts.set("requestBody", request.map(String::as_str))?;
    facts.set("responseBody", response.map(String::as_str))?;
    facts.set("selfLink", call.self_link.as_str())?;
    facts.set("alternateLink", call.alternate_link.as_str())?;
    facts.set("wantsLog", call.wants_log)?;
    let state = Mutex::new(call.seed);
    let random = move || {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let (next, number) = splitmix(*state);
        *state = next;
        // The upper 53 bits make every double from 0 to below 1 equally likely.
        (number >> 11) as f64 / (1_u64 << 53) as f64
    };
    facts.set("random", Function::new(ctx.clone(), random)?)?;
    let requests = queue.clone();
    let enqueue = Function::new(
        ctx.clone(),
        move |kind: String,
              text: rquickjs::prelude::Opt<Option<String>>,
              name: rquickjs::prelude::Opt<Option<String>>,
              condition: rquickjs::prelude::Opt<Option<String>>,
              indexing: rquickjs::prelude::Opt<Option<String>>| {
            let request: HostRequest = (
                kind,
                text.0.flatten(),
                name.0.flatten(),
                condition.0.flatten(),
                indexing.0.flatten(),
            );
            requests.push(request)
        },
    )?;
    let logs = queue.clone();
    let write_log = Function::new(ctx.clone(), move |text: String| logs.write_log(&text))?;
    match ctx.userdata::<Function<'js>>() {
        Some(make) => make.call((enqueue, write_log, facts)),
        None => Err(rquickjs::Error::Unknown),
    }
}

/// One step of the generator SplitMix64: the next state, and the number.
fn splitmix(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (state, mixed ^ (mixed >> 31))
}
