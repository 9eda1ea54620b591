//! Evaluation of expressions.
//!
//! Owns the value of every form of expression over a row of slots (logic, comparison, arithmetic, construction, calls
//! and subqueries), its errors, constant folding and the simplification of filters. An expression is prepared once, so
//! that constants, patterns and functions are not looked up again for every row. Does not own rows: where they come
//! from and where they go is the business of `operator`.

mod context;
mod error;
mod scope;

mod constant;
mod flow;
mod fold;
mod formula;
mod simplify;

pub use context::{EvaluationContext, NoUserFunctions, UserFunctions};
pub use error::EvaluationError;
pub use simplify::{conjuncts, simplify};

pub(crate) use constant::constant;
pub(crate) use flow::{Flow, RowSink, SlotSink, StopReason, flow_result};
pub(crate) use fold::fold_calls;
pub(crate) use formula::{
    Formula, Preparation, SlotPaths, Subquery, count_part, follow_path, follow_path_within,
};
pub(crate) use scope::{EvaluationEnvironment, EvaluationScope};
