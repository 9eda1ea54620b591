//! The containers: the data model on one screen, and the only place that defines a partition key.
//!
//! | container | partition key | time to live | why this partition key |
//! |---|---|---|---|
//! | `migration_metadata` | `/cluster` | off | scanner and workers go cluster by cluster |
//! | `namespace_metadata` | `/cluster` | 24 hours; permanent never | lookups are point reads |
//! | `migration_audit` | `/cluster` | off | read by cluster and workload; only ever appended to |
//! | `migration_waves` | `/kind` | off | few documents, listed together |
//! | `migration_leases` | `/id` | own | leases of jobs, the list of clusters, synchronisations, ended sessions |

use client::{Account, Container, Throughput, TimeToLive};
use model::{IncludedPath, IndexPath, IndexingPolicy};
use service::schema::{ContainerSchema, DatabaseSchema, Schema, SchemaApplyError};

use crate::error::{Error, Result};
use crate::settings::MigrationSettings;

/// Handles of the containers of this system.
#[derive(Clone, Debug)]
pub struct MigrationContainers {
    /// The workloads: the state machine.
    pub workloads: Container,
    /// The mappings of namespaces: the lookup cache.
    pub namespaces: Container,
    /// Who did what.
    pub audit: Container,
    /// The waves.
    pub waves: Container,
    /// Leases of jobs, marks of this system, sessions that were ended.
    pub leases: Container,
}

/// Which items of a container expire.
#[derive(Clone, Copy)]
enum TrackerExpiry {
    /// None.
    Off,
    /// Those with a time to live of their own.
    Own,
    /// All, after the time that the settings have for mappings of namespaces.
    Mappings,
}

/// The definition of one container.
struct TrackerContainer {
    name: &'static str,
    partition_key: &'static str,
    expiry: TrackerExpiry,
    /// The only indexed paths. What is not queried is not indexed: secret lists are long, and every indexed path adds
    /// to the charge of every write.
    indexed: &'static [&'static str],
}

const WORKLOADS: TrackerContainer = TrackerContainer {
    name: "migration_metadata",
    partition_key: "/cluster",
    expiry: TrackerExpiry::Off,
    indexed: &[
        "migrationStatus",
        "namespace",
        "cluster",
        "workloadName",
        "secretBackend",
        "updatedAt",
    ],
};

const NAMESPACES: TrackerContainer = TrackerContainer {
    name: "namespace_metadata",
    partition_key: "/cluster",
    expiry: TrackerExpiry::Mappings,
    indexed: &["cluster", "namespace"],
};

const AUDIT: TrackerContainer = TrackerContainer {
    name: "migration_audit",
    partition_key: "/cluster",
    expiry: TrackerExpiry::Off,
    indexed: &["workload", "at"],
};

const WAVES: TrackerContainer = TrackerContainer {
    name: "migration_waves",
    partition_key: "/kind",
    expiry: TrackerExpiry::Off,
    indexed: &["status"],
};

const LEASES: TrackerContainer = TrackerContainer {
    name: "migration_leases",
    partition_key: "/id",
    expiry: TrackerExpiry::Own,
    indexed: &["name"],
};

/// Autoscale between a tenth of it and this, as seed 004 asks for.
const THROUGHPUT_MAX_RU: i64 = 4_000;

impl MigrationContainers {
    /// Handles, whether or not the containers exist.
    ///
    /// # Errors
    /// `Invalid` for a database name that breaks the rules for names.
    pub fn new(account: &Account, database: &str) -> Result<Self> {
        let database = account.database(database)?;
        Ok(Self {
            workloads: database.container(WORKLOADS.name)?,
            namespaces: database.container(NAMESPACES.name)?,
            audit: database.container(AUDIT.name)?,
            waves: database.container(WAVES.name)?,
            leases: database.container(LEASES.name)?,
        })
    }

    /// The containers as a schema: for plans, exports and provisioning.
    ///
    /// # Errors
    /// `Invalid` for a database name that breaks the rules for names.
    pub fn schema(settings: &MigrationSettings) -> Result<Schema> {
        let build = || {
            let all = [&WORKLOADS, &NAMESPACES, &AUDIT, &WAVES, &LEASES];
            let containers = all.map(|container| container.schema(settings));
            let containers = containers.into_iter().collect::<model::Result<Vec<_>>>()?;
            Schema::new([DatabaseSchema::new(&settings.database, containers)?])
        };
        Ok(build().map_err(client::Error::from)?)
    }

    /// Creates missing containers with autoscale throughput, and updates the time to live and the indexing policy of
    /// existing ones.
    ///
    /// # Errors
    /// Those of the account; `Invalid` if an existing container cannot be changed, for example if it has another
    /// partition key.
    pub(crate) async fn create(account: &Account, settings: &MigrationSettings) -> Result<Self> {
        match Self::schema(settings)?.apply(account).await {
            Ok(_) => Self::new(account, &settings.database),
            Err(SchemaApplyError::Account { error, .. }) => Err(error.into()),
            Err(refused) => Err(Error::invalid(refused.to_string())),
        }
    }
}

impl TrackerContainer {
    fn schema(&self, settings: &MigrationSettings) -> model::Result<ContainerSchema> {
        let path = |name: &&str| IndexPath::parse(&format!("/{name}/?")).map(IncludedPath::new);
        let included = self.indexed.iter().map(path).collect::<model::Result<_>>()?;
        let mut policy = IndexingPolicy { included, ..IndexingPolicy::default() };
        policy.excluded.push(IndexPath::root());
        let default = match self.expiry {
            TrackerExpiry::Mappings => TimeToLive::Seconds(settings.namespace_ttl_seconds),
            TrackerExpiry::Own => TimeToLive::NoDefault,
            TrackerExpiry::Off => TimeToLive::Off,
        };
        Ok(ContainerSchema::new(self.name, &[self.partition_key])?
            .with_time_to_live(default)
            .with_indexing_policy(policy)
            .with_throughput(Throughput::autoscale(THROUGHPUT_MAX_RU)?))
    }
}
