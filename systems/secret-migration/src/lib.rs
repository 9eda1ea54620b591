//! The secrets migration tracker of seed 004: workloads move from Vault to another platform, and back at once.
//!
//! Owns its stored types, its containers, its rules and the ways to the platforms. Does not own HTTP plumbing, identity
//! or jobs (`service`), nor any storage (`client`). No value of a secret is ever stored: see `secret`.
//!
//! ```text
//! scan ─► migration_metadata ◄─► reaction: claim ─► copy ─► switch ─► roll out ─► finish
//!                │  ▲                        source ──┘└── target
//!    question/resolve  action/rollback
//! ```

mod action;
mod containers;
mod domain;
mod error;
mod http;
mod migration;
mod monitor;
mod platform_error;
mod question;
mod reaction;
mod rollout;
mod scan;
mod secret;
mod settings;
mod source;
mod store;
mod target;
mod vault;
mod watch;

pub use action::{
    NewWave, RollbackOptions, RollbackReport, RollbackScope, RolledBackWorkload, WaveReport,
    WorkloadChange,
};
pub use containers::MigrationContainers;
pub use domain::{
    AuditEntry, ClusterName, DriftRecord, HashiSecrets, IllegalMove, MOVES, MappingInput,
    MigrationStatus, NamespaceMapping, NamespaceName, PAIRS, SecretBackend, SecretVersion,
    SmpSecrets, SourceReference, TargetReference, TrackedWorkload, Transition, UtcTimestamp, Wave,
    WaveSelector, WaveStatus, WorkloadChangeRecord, WorkloadKey, WorkloadKind, WorkloadName,
};
pub use error::{Error, ErrorKind, Result};
pub use http::{OPERATOR_ROLE, TRACKER_ADMIN_ROLE, VIEWER_ROLE};
pub use migration::{Platforms, SecretMigration};
pub use monitor::{MigrationObserver, MigrationStep, WorkerTotals};
pub use platform_error::{PlatformError, PlatformFailure};
pub use question::{
    CheckFinding, ClusterSummary, MigrationPlan, PendingWorkload, ResolvedSecretPath,
    ResolvedSecrets, TrackerPage, WorkloadErrorRow, WorkloadFilter,
};
pub use reaction::{DriftReport, MigrationResult, RoundReport, RunScope};
pub use rollout::{HookRollout, NoRollout, Rollout, RolloutHealth, RolloutSettings};
pub use scan::{
    FoundWorkload, ManifestError, ScanReport, ScanResult, clusters_in, find_workloads,
    parse_manifests, read_folder,
};
pub use secret::{FingerprintKey, SecretData, SecretValue};
pub use settings::MigrationSettings;
pub use source::{SecretLocation, SecretSource, SourceSecret};
pub use target::{ExpectedVersion, SecretTarget, TargetSecret};
pub use vault::{VaultAuth, VaultClient, VaultSettings};
