//! The runtime as the engine sees it.
//!
//! Owns the implementation of the trait and the spare realms. Every run and every page of a query has a realm of its
//! own, so that nothing is shared between scripts, requests or containers.

use std::fmt;
use std::sync::Arc;

use engine::script_runtime::{
    ScriptCall, ScriptFailure, ScriptFunctions, ScriptLimits, ScriptMeter, ScriptRun,
    ScriptRuntime, ScriptSource,
};

use crate::function::QueryFunctions;
use crate::realm::SpareRealms;
use crate::run::RealmRun;

/// Runs scripts on QuickJS.
#[derive(Default)]
pub struct JavaScript {
    spare: SpareRealms,
}

impl JavaScript {
    /// A runtime; it holds nothing until a script is run.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl fmt::Debug for JavaScript {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JavaScript")
    }
}

impl ScriptRuntime for JavaScript {
    fn start(&self, call: ScriptCall) -> Result<Box<dyn ScriptRun>, ScriptFailure> {
        let spare = self.spare.take(std::slice::from_ref(&call.source), call.limits)?;
        Ok(Box::new(RealmRun::new(spare, &call)?))
    }

    fn functions(
        &self,
        sources: Vec<ScriptSource>,
        limits: ScriptLimits,
        meter: Arc<dyn ScriptMeter>,
    ) -> Result<Arc<dyn ScriptFunctions>, ScriptFailure> {
        let spare = self.spare.take(&sources, limits)?;
        Ok(Arc::new(QueryFunctions::new(spare, &sources, limits, meter)?))
    }

    fn prepare_next(&self) {
        self.spare.fill();
    }
}
