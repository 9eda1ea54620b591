//! What was used: request units by container, physical partition, logical partition, operation and query.
//!
//! Owns counting in bounded memory and the report made of it. Does not own what an operation costs (`charge`) nor
//! whether it may go on (`throughput`).

mod busiest;
mod container_usage;
mod document;
mod look;
mod meter;
mod operation_kind;
mod report;
mod series;
mod shape;
mod shapes;
mod traffic;
mod visit;
mod written_paths;

pub(crate) use busiest::Logical;
pub(crate) use container_usage::ContainerUsage;
pub(crate) use meter::{Amount, Meter};
pub(crate) use operation_kind::OperationKind;
pub use report::{PriceTable, candidate_partition_key, report};
pub(crate) use shapes::PageUse;
pub(crate) use visit::{Visit, Visits};
