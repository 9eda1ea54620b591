//! How rows are passed on.
//!
//! Owns the answer a step gives to the one before it: go on, enough, or failed. Does not own any step.

use super::EvaluationError;
use crate::value::Value;

/// Why no more rows are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// Whoever takes the rows has all it needs.
    Enough,
    /// The query failed.
    Failed(EvaluationError),
}

/// Whether to go on.
pub(crate) type Flow = Result<(), StopReason>;

/// Takes rows, one after the other.
pub(crate) type RowSink<'step> = dyn FnMut(Value) -> Flow + 'step;

/// Takes rows of slots, one after the other.
pub(crate) type SlotSink<'step> = dyn FnMut(&[Value]) -> Flow + 'step;

impl From<EvaluationError> for StopReason {
    fn from(error: EvaluationError) -> Self {
        Self::Failed(error)
    }
}

/// The outcome of a step whose rows were all taken or were enough.
pub(crate) fn flow_result(flow: Flow) -> Result<(), EvaluationError> {
    match flow {
        Ok(()) | Err(StopReason::Enough) => Ok(()),
        Err(StopReason::Failed(error)) => Err(error),
    }
}
