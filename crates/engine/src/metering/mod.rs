//! Counters of what requests have used, in bounded memory.
//!
//! Owns the counters of physical partitions, the busiest logical partitions, query shapes and samples of traffic. Does
//! not own what an operation costs (`charge`), whether it may go on (`throughput`), or the document and the report made
//! of the counters (`usage`).

mod busiest;
mod container_usage;
mod heat;
mod meter;
mod operation_kind;
mod series;
mod shape;
mod shapes;
mod traffic;
mod written_paths;

pub(crate) use busiest::BusyPartition;
pub(crate) use container_usage::ContainerUsage;
pub(crate) use heat::HeatSample;
pub(crate) use meter::{Amount, Counts, Meter};
pub(crate) use operation_kind::{MeteredRequest, OperationKind};
pub(crate) use series::Hour;
pub(crate) use shapes::{PageUse, ShapeUse};
pub(crate) use traffic::SampledQuery;
