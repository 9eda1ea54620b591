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
use rquickjs::function::Args;
use rquickjs::{Array, Function, Value};

use crate::convert::{from_js, to_js};
use crate::realm::{BlankRealm, InterruptGate, Realm, compile};

/// The functions of one request.
pub(crate) struct QueryFunctions {
    realm: Realm,
    /// Where each function is in the list that the realm keeps.
    places: HashMap<String, usize>,
}

impl QueryFunctions {
    pub(crate) fn new(
        blank: BlankRealm,
        sources: &[ScriptSource],
        limits: ScriptLimits,
        meter: Arc<dyn ScriptMeter>,
    ) -> Result<Self, ScriptFailure> {
        let realm = Realm::new(blank, InterruptGate::new(limits, meter));
        realm.enter(|ctx| {
            let list = Array::new(ctx.clone())?;
            for (place, source) in sources.iter().enumerate() {
                list.set(place, compile(ctx, source)?)?;
            }
            // Kept outside of every object that a function can reach.
            let _ = ctx.store_userdata(list);
            Ok(())
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
        self.realm.enter(|ctx| {
            let function: Function<'_> = match ctx.userdata::<Array<'_>>() {
                Some(list) => list.get(place)?,
                None => return Err(rquickjs::Error::Unknown),
            };
            let mut passed = Args::new(ctx.clone(), arguments.len());
            for argument in arguments {
                passed.push_arg(to_js(ctx, argument.as_ref())?)?;
            }
            let result: Value<'_> = function.call_arg(passed)?;
            from_js(ctx, result)
        })
    }
}
