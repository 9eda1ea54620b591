//! How an index could serve a query.
//!
//! Owns the choice of lookups for a filter, of an index for an order, and of queries that need no item at all. The
//! choice follows fixed rules instead of cost estimates, so that the same query always runs the same way. Does not own
//! the index: the engine reads terms, and may always read more than a plan requests.

mod describe;
mod index_only;
mod lookup;
mod order;
mod plan;
mod policy;

pub use describe::describe_plan;
pub use index_only::IndexOnly;
pub use lookup::{CompositeLookup, Lookup};
pub use order::OrderAccess;
pub use plan::{AccessPlan, plan_access, plan_access_with_condition};
pub use policy::Indexes;
