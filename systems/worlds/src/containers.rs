//! The containers: the data model on one screen, and the only place that defines a partition key.
//!
//! | container | partition key | time to live | why this partition key |
//! |---|---|---|---|
//! | `WorldEntity` | `/WorldId`, `/id` | off | a world is a prefix, an entity one point read |
//! | `WorldMetadata` | `/WorldId` | off | the tree, its branches and the counter change in one transaction |
//! | `Asset` | `/WorldId`, `/EntityId` | off | the assets of an entity are one partition |
//! | `DeletedWorldEntity` | `/WorldId`, `/id` | own | as `WorldEntity`; each item has its own end |
//! | `PropertySchema` | `/id` | off | one point read |
//! | `DeleteOperation` | `/WorldId` | own | operations are listed by world, for a day |
//! | `WorldLease` | `/id` | own | leases of the processor and of jobs, ended sessions |

use client::{Account, Container, Throughput, TimeToLive};
use model::{IndexPath, IndexingPolicy};
use service::schema::{ContainerSchema, DatabaseSchema, Schema, SchemaApplyError};

use crate::error::{Error, ErrorKind, Result};
use crate::settings::WorldsSettings;

/// Handles of the containers of this system.
#[derive(Clone, Debug)]
pub struct WorldContainers {
    /// Active entities, and deleted ones until the grace period is over.
    pub entities: Container,
    /// The tree and the counter of each world.
    pub metadata: Container,
    /// Descriptions of files.
    pub assets: Container,
    /// Deleted entities after the grace period.
    pub deleted: Container,
    /// Property schemas of users.
    pub schemas: Container,
    /// Cascades and other long work.
    pub operations: Container,
    /// Leases, ended sessions.
    pub leases: Container,
}

/// The definition of one container.
struct WorldContainerSpec {
    name: &'static str,
    partition_key: &'static [&'static str],
    expiry: TimeToLive,
    /// Paths without an index: large, and never in a filter.
    excluded: &'static [&'static str],
}

const ENTITIES: WorldContainerSpec = WorldContainerSpec {
    name: "WorldEntity",
    partition_key: &["/WorldId", "/id"],
    expiry: TimeToLive::Off,
    excluded: &["/Description/?", "/SystemProperties/*"],
};

const METADATA: WorldContainerSpec = WorldContainerSpec {
    name: "WorldMetadata",
    partition_key: &["/WorldId"],
    expiry: TimeToLive::Off,
    excluded: &["/HierarchyRoot/*", "/Unattached/*"],
};

const ASSETS: WorldContainerSpec = WorldContainerSpec {
    name: "Asset",
    partition_key: &["/WorldId", "/EntityId"],
    expiry: TimeToLive::Off,
    excluded: &[],
};

const DELETED: WorldContainerSpec = WorldContainerSpec {
    name: "DeletedWorldEntity",
    partition_key: &["/WorldId", "/id"],
    expiry: TimeToLive::NoDefault,
    excluded: &["/Description/?", "/SystemProperties/*"],
};

const SCHEMAS: WorldContainerSpec = WorldContainerSpec {
    name: "PropertySchema",
    partition_key: &["/id"],
    expiry: TimeToLive::Off,
    excluded: &[],
};

const OPERATIONS: WorldContainerSpec = WorldContainerSpec {
    name: "DeleteOperation",
    partition_key: &["/WorldId"],
    expiry: TimeToLive::NoDefault,
    excluded: &[],
};

const LEASES: WorldContainerSpec = WorldContainerSpec {
    name: "WorldLease",
    partition_key: &["/id"],
    expiry: TimeToLive::NoDefault,
    excluded: &[],
};

const SPECS: [&WorldContainerSpec; 7] =
    [&ENTITIES, &METADATA, &ASSETS, &DELETED, &SCHEMAS, &OPERATIONS, &LEASES];

/// The lowest manual throughput of a container (WB-X7).
const THROUGHPUT_RU: i64 = 400;

impl WorldContainers {
    /// Handles, whether or not the containers exist.
    ///
    /// # Errors
    /// `Invalid` for a database name that breaks the rules for names.
    pub fn new(account: &Account, database: &str) -> Result<Self> {
        let database = account.database(database)?;
        Ok(Self {
            entities: database.container(ENTITIES.name)?,
            metadata: database.container(METADATA.name)?,
            assets: database.container(ASSETS.name)?,
            deleted: database.container(DELETED.name)?,
            schemas: database.container(SCHEMAS.name)?,
            operations: database.container(OPERATIONS.name)?,
            leases: database.container(LEASES.name)?,
        })
    }

    /// The containers as a schema, with the least throughput: for plans, exports and provisioning.
    ///
    /// # Errors
    /// `Invalid` for a database name that breaks the rules for names.
    pub fn schema(settings: &WorldsSettings) -> Result<Schema> {
        let throughput = Throughput::manual(THROUGHPUT_RU).map_err(client::Error::from)?;
        schema(&settings.worlds.database, Some(throughput))
    }

    /// Creates missing containers, and updates the time to live and the indexing policy of existing ones. The
    /// throughput of an existing container is left to its operator.
    pub(crate) async fn create(account: &Account, settings: &WorldsSettings) -> Result<Self> {
        let database = &settings.worlds.database;
        // Without throughput: a start of the program must not change what an operator has set.
        match schema(database, None)?.apply(account).await {
            Ok(_) => Self::new(account, database),
            Err(SchemaApplyError::Account { error, .. }) => Err(error.into()),
            Err(refused) => Err(Error::new(ErrorKind::Invalid, refused.to_string())),
        }
    }
}

fn schema(database: &str, throughput: Option<Throughput>) -> Result<Schema> {
    let build = || {
        let containers = SPECS.map(|spec| spec.schema(throughput));
        let containers = containers.into_iter().collect::<model::Result<Vec<_>>>()?;
        Schema::new([DatabaseSchema::new(database, containers)?])
    };
    Ok(build().map_err(client::Error::from)?)
}

impl WorldContainerSpec {
    fn schema(&self, throughput: Option<Throughput>) -> model::Result<ContainerSchema> {
        let mut policy = IndexingPolicy::default();
        for path in self.excluded {
            policy.excluded.push(IndexPath::parse(path)?);
        }
        let container = ContainerSchema::new(self.name, self.partition_key)?
            .with_time_to_live(self.expiry)
            .with_indexing_policy(policy);
        Ok(match throughput {
            Some(throughput) => container.with_throughput(throughput),
            None => container,
        })
    }
}
