//! Request charges: what every operation costs, computed from sizes, indexed leaves and counts.
//!
//! Owns the formula and its version, the profiles, the terms of a charge, budgets and the refit of constants to
//! measurements. Pure: callers pass what an operation has touched. Does not own throttling or counters over time.

mod budget;
mod explanation;
mod index_cost;
mod point;
mod profile;
mod query;
mod refit;
mod script;
mod size;
mod statement;

pub use budget::{Budget, BudgetRun, Budgets};
pub use explanation::{ChargeExplanation, ChargeTerm, TermDetail};
pub use index_cost::{
    IndexCost, IndexCostKind, LEAF_UNITS, TERM_UNITS, changed_units, index_costs, structural_costs,
    total_units,
};
pub use point::{
    create, delete, failed_write, feed_page, metadata_read, metadata_write, nothing_found,
    patch_operations, point_read, replace,
};
pub use profile::{CHARGE_MODEL, ChargeProfile, consistency_factor};
pub use query::{QUERY_CONSTANTS, QueryConstants, QueryCounters};
pub use refit::{DiagnosticLine, FittedConstant, OperationFit, Refit};
pub use script::{function_calls, script_charge};
pub use size::{SIZE_STEPS, SizeStep, item_bytes, size_step};
pub use statement::{CostStatement, PathSaving, PricedOperation};
