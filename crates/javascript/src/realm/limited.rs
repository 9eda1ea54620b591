//! A realm with limits.
//!
//! Owns which built-in objects a realm has and the limits of its heap and stack. Built-in functions that loop natively
//! are bounded by `guards.js`, before any script runs.

use std::sync::Arc;

use engine::script_runtime::{ScriptFailure, ScriptLimits, ScriptSource};
use rquickjs::context::intrinsic;
use rquickjs::{Context, Ctx, Function, Runtime};

use super::compile::{compile_expressions, named};
use super::failure::{refused, thrown};
use super::gate::InterruptGate;

/// Everything of the language, without the high-resolution clock.
type Builtins = (
    intrinsic::Date,
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
    intrinsic::WeakRef,
);

const GUARDS: &str = include_str!("guards.js");

/// The text that evaluates to the function which makes the objects of a run.
const HOST: &str = include_str!("host.js");

/// A realm in which no script has run.
pub(crate) struct BlankRealm {
    context: Context,
}

impl BlankRealm {
    pub(crate) fn new() -> Result<Self, ScriptFailure> {
        let unavailable = |error: rquickjs::Error| refused(&format!("No realm: {error}."));
        let runtime = Runtime::new().map_err(unavailable)?;
        let context = Context::custom::<Builtins>(&runtime).map_err(unavailable)?;
        let prepare = |ctx: &Ctx<'_>| {
            ctx.eval_with_options::<(), _>(GUARDS, named("guards.js"))?;
            let host: Function<'_> = ctx.eval_with_options(HOST, named("host.js"))?;
            // Kept outside of every object that a script can reach.
            let _ = ctx.store_userdata(host);
            Ok(())
        };
        context.with(|ctx| prepare(&ctx).map_err(|error| thrown(&ctx, &error)))?;
        Ok(Self { context })
    }

    /// The realm with scripts that were compiled in it and have not run; none if that is not certain.
    pub(super) fn with_compiled(
        self,
        sources: &[ScriptSource],
        limits: ScriptLimits,
    ) -> Option<Self> {
        let realm = Realm::new(self, InterruptGate::without_clock(limits));
        realm.enter(|ctx| compile_expressions(ctx, sources)).ok()?;
        let Realm { context, .. } = realm;
        Some(Self { context })
    }
}

/// A realm that one run or one request uses, and nobody after it.
pub(crate) struct Realm {
    context: Context,
    pub(crate) gate: Arc<InterruptGate>,
}

impl Realm {
    pub(crate) fn new(blank: BlankRealm, gate: Arc<InterruptGate>) -> Self {
        let BlankRealm { context } = blank;
        let runtime = context.runtime();
        runtime.set_memory_limit(gate.limits.memory_bytes_max);
        runtime.set_max_stack_size(gate.limits.stack_bytes_max);
        let asked = Arc::clone(&gate);
        runtime.set_interrupt_handler(Some(Box::new(move || asked.must_end())));
        Self { context, gate }
    }

    /// Runs code in the realm. An exception becomes the failure of the script; the end of its time comes first,
    /// because it shows as an exception too.
    pub(crate) fn enter<T>(
        &self,
        code: impl for<'js> FnOnce(&Ctx<'js>) -> rquickjs::Result<T>,
    ) -> Result<T, ScriptFailure> {
        let result = self.context.with(|ctx| code(&ctx).map_err(|error| thrown(&ctx, &error)));
        match self.gate.ended() {
            Some(ended) => Err(ended),
            None => result,
        }
    }
}
