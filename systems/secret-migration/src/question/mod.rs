//! One file for each read a caller can ask for.

mod namespaces;
mod resolve;
mod summary;
mod verify;
mod workloads;

pub(crate) use namespaces::{CLUSTER_LIST, ClusterList, SyncMark};
pub use resolve::{ResolvedSecretPath, ResolvedSecrets};
pub use summary::{BurnDownPoint, CheckFinding, ClusterSummary, MigrationPlan, WorkloadErrorRow};
pub use verify::TargetReport;
pub use workloads::{PendingWorkload, TrackerPage, WorkloadFilter};
