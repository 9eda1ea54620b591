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
mod agent;
mod containers;
mod domain;
mod envelope;
mod error;
mod hook;
mod http;
mod kubernetes;
mod migration;
mod monitor;
mod pace;
mod page;
mod platform;
mod question;
mod reaction;
mod rollout;
pub mod sample;
mod scan;
mod secret;
mod settings;
mod source;
mod store;
mod target;
mod vault;
mod vault_server;
mod watch;

pub use action::{
    NewWave, RollbackOptions, RollbackReport, RollbackScope, RolledBackWorkload, WaveReport,
    WorkloadChange,
};
pub use agent::{Agent, AgentSettings};
pub use containers::MigrationContainers;
pub use domain::{
    AuditEntry, ClusterName, DriftRecord, HashiSecrets, IllegalMove, MOVES, MappingInput,
    MigrationStatus, NamespaceMapping, NamespaceName, PAIRS, SecretBackend, SecretVersion,
    SmpSecrets, SourceReference, TargetReference, TrackedWorkload, Transition, UtcTimestamp, Wave,
    WaveSelector, WaveStatus, WorkloadChangeRecord, WorkloadKey, WorkloadKind, WorkloadName,
};
pub use envelope::{EnvelopeKeys, SealedText};
pub use error::{Error, ErrorKind, Result};
pub use hook::{HookEvent, HookSettings};
pub use http::{
    CertificateSettings, OPERATOR_ROLE, TRACKER_ADMIN_ROLE, VIEWER_ROLE, serve_certified,
};
pub use kubernetes::{KubernetesApi, KubernetesSettings};
pub use migration::{Platforms, SecretMigration};
pub use monitor::{MigrationObserver, MigrationStep, WorkerTotals};
pub use page::PAGES;
pub use platform::{PlatformError, PlatformFailure};
pub use question::{
    BurnDownPoint, CheckFinding, ClusterSummary, MigrationPlan, PendingWorkload,
    ResolvedSecretPath, ResolvedSecrets, TargetReport, TrackerPage, WorkloadErrorRow,
    WorkloadFilter,
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
pub use target::{
    DirectoryTarget, ExpectedVersion, KeyVaultTarget, RestTarget, SecretTarget, SmpAuth, SmpKind,
    SmpSettings, TargetSecret, open_target,
};
pub use vault::{VaultAuth, VaultClient, VaultSettings};
pub use vault_server::{VaultServer, VaultServerSettings};
