//! User-defined functions in queries.
//!
//! Owns loading the functions that a query calls, and their calls on its behalf. Names are case-sensitive. A function
//! that the container does not have is an error of the query; one that it has needs a script runtime.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ::query::value::Value;
use ::query::{BoundQuery, EvaluationError, UserFunctions};
use model::Json;

use crate::catalog::{AttachedKind, ContainerEntry};
use crate::engine::Engine;
use crate::environment::Environment;
use crate::error::{Error, ErrorKind, Result};
use crate::query::error::evaluation_failed;
use crate::query::request::QueryLimits;
use crate::script_runtime::{
    ScriptFailure, ScriptFailureKind, ScriptFunctions, ScriptMeter, ScriptSource,
};

/// The functions of one page of a query.
pub(in crate::query) struct FunctionCalls {
    functions: Arc<dyn ScriptFunctions>,
    calls: AtomicU64,
}

/// The clock of functions: the whole request has its time limit, each call has that of scripts.
struct FunctionMeter {
    environment: Environment,
    started: Duration,
    time_max: Option<Duration>,
}

impl ScriptMeter for FunctionMeter {
    fn elapsed(&self) -> Duration {
        self.environment.stopwatch().saturating_sub(self.started)
    }

    fn is_cancelled(&self) -> bool {
        self.time_max.is_some_and(|time_max| self.elapsed() >= time_max)
    }
}

impl FunctionCalls {
    /// How many calls there were.
    pub(in crate::query) fn count(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }
}

impl UserFunctions for FunctionCalls {
    fn call(&self, name: &str, arguments: &[Value]) -> std::result::Result<Value, EvaluationError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let mut passed = Vec::with_capacity(arguments.len());
        for argument in arguments {
            passed.push(argument.to_json().map_err(|_| EvaluationError::NotRepresentable)?);
        }
        match self.functions.call(name, &passed) {
            Ok(result) => Ok(result.as_ref().map_or(Value::Undefined, Value::from)),
            Err(ScriptFailure { message, .. }) => {
                Err(EvaluationError::UserFunctionFailed { name: name.to_owned(), message })
            }
        }
    }
}

impl Engine {
    /// Loads the functions that a query calls, before anything is read.
    pub(in crate::query) async fn load_functions(
        &self,
        container: &ContainerEntry,
        bound: &BoundQuery,
        limits: &QueryLimits,
    ) -> Result<Arc<FunctionCalls>> {
        let sources = self.function_sources(container, bound).await?;
        let Some(runtime) = self.environment().scripts() else {
            let names: Vec<String> =
                sources.iter().map(|source| format!("'{}'", source.name)).collect();
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!(
                    "The query calls the user-defined function {}, which is stored but cannot be run: this engine was \
                     opened without a script runtime. Write what it does into the query.",
                    names.join(", ")
                ),
            ));
        };
        let environment = self.environment().clone();
        let (started, time_max) = (environment.stopwatch(), limits.time_max);
        let meter = Arc::new(FunctionMeter { environment, started, time_max });
        let script_limits = self.settings().scripts.limits();
        let next = Arc::clone(&runtime);
        let compile = move || runtime.functions(sources, script_limits, meter);
        let (threads, time_max) = (&self.core.script_threads, script_limits.time_max);
        let prepare = move || next.prepare_next();
        let compiled = threads.run(self.environment(), time_max, compile, prepare).await?;
        let compiled = compiled.ok_or_else(|| {
            Error::new(ErrorKind::OutOfTime, "Request timed out: no thread for scripts was free.")
        })?;
        let functions = compiled.map_err(|failure| function_failed(&failure))?;
        Ok(Arc::new(FunctionCalls { functions, calls: AtomicU64::new(0) }))
    }

    async fn function_sources(
        &self,
        container: &ContainerEntry,
        bound: &BoundQuery,
    ) -> Result<Vec<ScriptSource>> {
        // One lock for all of them: a query never mixes two states of the catalog.
        let catalog = self.core.catalog.lock().await;
        let mut sources: Vec<ScriptSource> = Vec::new();
        for name in &bound.user_functions {
            if sources.iter().any(|known| known.name == *name) {
                continue;
            }
            let kind = AttachedKind::UserDefinedFunction;
            let stored = catalog.attached(&container.identity.rid, kind, name).await?;
            let stored = stored.ok_or_else(|| {
                evaluation_failed(&EvaluationError::UnknownUserFunction(name.clone()))
            })?;
            let text = stored.content.get("body").and_then(Json::as_str).unwrap_or_default();
            sources.push(ScriptSource { name: name.clone(), text: text.into() });
        }
        Ok(sources)
    }
}

fn function_failed(failure: &ScriptFailure) -> Error {
    let kind = match failure.kind {
        ScriptFailureKind::Thrown { number } => ErrorKind::ScriptFailed { number },
        ScriptFailureKind::TooLarge => ErrorKind::TooLarge,
        ScriptFailureKind::OutOfTime | ScriptFailureKind::Cancelled => ErrorKind::OutOfTime,
    };
    Error::new(kind, failure.message.clone())
}
