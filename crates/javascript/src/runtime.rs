//! The runtime as the engine sees it.
//!
//! Owns nothing but the implementation of the trait: every run and every query has a realm of its own, so that nothing
//! is shared between scripts, requests or containers.

use std::sync::Arc;

use engine::script_runtime::{
    ScriptCall, ScriptFailure, ScriptFunctions, ScriptLimits, ScriptMeter, ScriptRun,
    ScriptRuntime, ScriptSource,
};

use crate::function::QueryFunctions;
use crate::run::RealmRun;

/// Runs scripts on QuickJS.
#[derive(Clone, Copy, Debug, Default)]
pub struct JavaScript;

impl JavaScript {
    /// A runtime; it holds nothing until a script is run.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl ScriptRuntime for JavaScript {
    fn start(&self, call: ScriptCall) -> Result<Box<dyn ScriptRun>, ScriptFailure> {
        Ok(Box::new(RealmRun::new(call)?))
    }

    fn functions(
        &self,
        sources: Vec<ScriptSource>,
        limits: ScriptLimits,
        meter: Arc<dyn ScriptMeter>,
    ) -> Result<Arc<dyn ScriptFunctions>, ScriptFailure> {
        Ok(Arc::new(QueryFunctions::new(&sources, limits, meter)?))
    }
}
