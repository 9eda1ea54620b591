//! User-defined functions in queries.
//!
//! Owns the realm of one request's functions and their calls. All functions of the request share it, and nothing else
//! does. A function sees no container: only its arguments.

use std::collections::HashMap;
use std::sync::Arc;

use engine::script_runtime::{
    ScriptFailure, ScriptFailureKind, ScriptFunctions, ScriptLimits, ScriptMeter, ScriptSource,
};
use model::Json;
use rquickjs::Value;
use rquickjs::function::Args;

use crate::convert::{from_js, to_js};
use crate::realm::{InterruptGate, Realm, SpareRealm, compile_all, instantiate_all, script};

/// The functions of one request.
pub(crate) struct QueryFunctions {
    realm: Realm,
    /// Where each function is in the list that the realm keeps.
    places: HashMap<String, usize>,
}

impl QueryFunctions {
    pub(crate) fn new(
        spare: SpareRealm,
        sources: &[ScriptSource],
        limits: ScriptLimits,
        meter: Arc<dyn ScriptMeter>,
    ) -> Result<Self, ScriptFailure> {
        let SpareRealm { realm, is_compiled } = spare;
        let realm = Realm::new(realm, InterruptGate::new(limits, meter));
        realm.enter(|ctx| {
            if !is_compiled {
                compile_all(ctx, sources)?;
            }
            instantiate_all(ctx, sources)
        })?;
        let names = sources.iter().enumerate();
        let places = names.map(|(place, source)| (source.name.clone(), place)).collect();
        Ok(Self { realm, places })
    }
}

impl ScriptFunctions for QueryFunctions {
    fn call(&self, name: &str, arguments: &[Option<Json>]) -> Result<Option<Json>, ScriptFailure> {
        let Some(place) = self.places.get(name).copied() else {
            let message = format!("'{name}' is not a recognized user-defined function name.");
            return Err(ScriptFailure {
                kind: ScriptFailureKind::Thrown { number: None },
                message,
            });
        };
        self.realm.gate.begin_call();
        let bytes_max = self.realm.gate.limits.output_bytes_max;
        let result = self.realm.enter(|ctx| {
            let function = script(ctx, place)?;
            let mut passed = Args::new(ctx.clone(), arguments.len());
            for argument in arguments {
                passed.push_arg(to_js(ctx, argument.as_ref())?)?;
            }
            let result: Value<'_> = function.call_arg(passed)?;
            from_js(ctx, result, bytes_max)
        })?;
        result.map_err(|bytes| ScriptFailure {
            kind: ScriptFailureKind::TooLarge,
            message: format!(
                "The result of the function '{name}' has {bytes} bytes; at most {bytes_max} are allowed. Return less."
            ),
        })
    }
}
