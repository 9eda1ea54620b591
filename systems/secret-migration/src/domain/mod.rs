//! The stored types with their exact property names, and the rules that need nothing else.

mod audit;
mod moves;
mod name;
mod namespace;
mod reference;
mod status;
mod transition;
mod wave;
mod workload;

pub use audit::AuditEntry;
pub use moves::{MOVES, PAIRS};
pub use name::{ClusterName, NamespaceName, WorkloadKey, WorkloadName};
pub use namespace::{MappingInput, NamespaceMapping};
pub use reference::{HashiSecrets, SecretVersion, SmpSecrets, SourceReference, TargetReference};
pub use service::work::UtcTimestamp;
pub use status::{MigrationStatus, SecretBackend};
pub use transition::{IllegalMove, Transition};
pub use wave::{Wave, WaveSelector, WaveStatus};
pub use workload::{DriftRecord, TrackedWorkload, WorkloadChangeRecord, WorkloadKind};
