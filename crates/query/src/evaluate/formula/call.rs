//! Calls of functions.
//!
//! Owns passing arguments and context to a function. Does not own any function: built-in ones are in `function`,
//! user-defined ones come with the context.

use model::PropertyPath;

use super::Formula;
use crate::budget::{byte_units, value_bytes, value_units};
use crate::evaluate::{EvaluationError, EvaluationScope};
use crate::function::{CallContext, ScalarFunction};
use crate::value::Value;

/// A call of a built-in function.
#[derive(Debug)]
pub(crate) struct FunctionCall {
    pub(super) function: ScalarFunction,
    pub(super) arguments: Vec<Formula>,
    /// For each argument, its path if it is a property of the item; empty if none is.
    // Computed once: policies for vectors and full text are looked up by the path of an argument.
    pub(super) paths: Vec<Option<PropertyPath>>,
}

impl FunctionCall {
    pub(super) fn evaluate(&self, scope: &EvaluationScope<'_>) -> Result<Value, EvaluationError> {
        let arguments = Formula::evaluate_all(&self.arguments, scope)?;
        let environment = scope.environment;
        let (context, budget) = (environment.context, environment.budget);
        budget.work.spend(arguments.iter().map(argument_units).sum::<u64>() + 1)?;
        let value = (self.function)(
            &arguments,
            &CallContext {
                now: environment.now,
                query_start: context.query_start,
                random: &*context.random,
                geospatial: context.geospatial,
                vector_embeddings: &context.vector_embeddings,
                full_text: &context.full_text,
                argument_paths: &self.paths,
                patterns: environment.patterns,
                budget,
            },
        );
        budget.take_refusal()?;
        Ok(value)
    }
}

/// The units of reading an argument once: enough for functions whose work is linear in the lengths of their arguments.
/// The others count the rest themselves.
fn argument_units(argument: &Value) -> u64 {
    match argument {
        Value::String(text) => byte_units(text.len()),
        // A quarter of a unit for each element, whose own size is not looked at here.
        Value::Array(elements) => elements.len() as u64 / 4,
        Value::Object(object) => object.len() as u64 / 4,
        _ => 0,
    }
}

/// The units of calling a user-defined function.
const USER_FUNCTION_UNITS: u64 = 10;

/// How often a value is read or written on its way into a function or out of it: as JSON, as text, as a value of the
/// function's language.
const USER_FUNCTION_COPIES: u64 = 4;

/// Calls a user-defined function.
pub(super) fn user_function(
    name: &str,
    arguments: &[Formula],
    scope: &EvaluationScope<'_>,
) -> Result<Value, EvaluationError> {
    let arguments = Formula::evaluate_all(arguments, scope)?;
    let environment = &scope.environment;
    // Before the call: it leaves this program, so that even a short one is more than a built-in function. Arguments are
    // copied with everything below them.
    let units = arguments.iter().map(value_units).sum::<u64>();
    let work = &environment.budget.work;
    work.spend(USER_FUNCTION_UNITS + units.saturating_mul(USER_FUNCTION_COPIES))?;
    let result = environment.context.user_functions.call(name, &arguments)?;
    // After it: how large a result is only the function knows.
    let bytes = value_bytes(&result);
    environment.budget.memory.build(bytes)?;
    work.spend(byte_units(bytes).saturating_mul(USER_FUNCTION_COPIES))?;
    Ok(result)
}
