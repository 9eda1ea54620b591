//! How rows are passed on.
//!
//! Owns the answer a step gives to the one before it: go on, enough, or failed. Does not own any step.

use super::EvaluationError;
use crate::value::Value;

/// Why no more rows are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Whoever takes the rows has all it needs.
    Enough,
    /// The query failed.
    Failed(EvaluationError),
}

/// Whether to go on.
pub(crate) type Flow = Result<(), Stop>;

/// Takes rows, one after the other.
pub(crate) type TakeRow<'step> = dyn FnMut(Value) -> Flow + 'step;

/// Takes rows of slots, one after the other.
pub(crate) type TakeSlots<'step> = dyn FnMut(&[Value]) -> Flow + 'step;

impl From<EvaluationError> for Stop {
    fn from(error: EvaluationError) -> Self {
        Self::Failed(error)
    }
}

/// The outcome of a step whose rows were all taken or were enough.
pub(crate) fn settle(flow: Flow) -> Result<(), EvaluationError> {
    match flow {
        Ok(()) | Err(Stop::Enough) => Ok(()),
        Err(Stop::Failed(error)) => Err(error),
    }
}
