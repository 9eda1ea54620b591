//! Control flow between stages.
//!
//! Rows are pushed from stage to stage. Owns what a stage returns to the one before it: continue, enough, or an error.
//! Does not own any stage.

use super::EvaluationError;
use crate::budget::BudgetError;
use crate::value::Value;

/// Why a stage accepts no more rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// The receiver has all the rows it needs.
    Enough,
    /// The query failed.
    Failed(EvaluationError),
}

/// Whether to continue.
pub(crate) type Flow = Result<(), StopReason>;

/// Receives rows one by one.
pub(crate) type RowSink<'step> = dyn FnMut(Value) -> Flow + 'step;

/// Receives rows of slots one by one.
pub(crate) type SlotSink<'step> = dyn FnMut(&[Value]) -> Flow + 'step;

impl From<EvaluationError> for StopReason {
    fn from(error: EvaluationError) -> Self {
        Self::Failed(error)
    }
}

impl From<BudgetError> for StopReason {
    fn from(error: BudgetError) -> Self {
        Self::Failed(error.into())
    }
}

/// Turns the end of a flow into a result: having enough rows is a success.
pub(crate) fn flow_result(flow: Flow) -> Result<(), EvaluationError> {
    match flow {
        Ok(()) | Err(StopReason::Enough) => Ok(()),
        Err(StopReason::Failed(error)) => Err(error),
    }
}
