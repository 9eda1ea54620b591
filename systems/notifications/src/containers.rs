//! The containers: the data model on one screen, and the only place that defines a partition key.
//!
//! | container | partition key | time to live | why this partition key |
//! |---|---|---|---|
//! | `notification_events` | `/userId` | 30 days | events of one user are processed in order |
//! | `notifications` | `/userId` | 30 days | lists, unread counts and rate limits are per user |
//! | `notification_preferences` | `/userId` | off | one point read |
//! | `device_tokens` | `/userId` | off | a transactional batch enforces the device cap |
//! | `push_token_owner` | `/id` | off | a token is looked up by its hash, without its user |
//! | `notification_leases` | `/id` | own | leases of the processor and of jobs, erasure certificates, ended sessions |

use client::{Account, Container, Throughput, TimeToLive};
use model::CompositeOrder::{Ascending as Up, Descending as Down};
use model::{
    CompositeIndex, CompositeOrder, CompositePath, IncludedPath, IndexPath, IndexingPolicy,
};
use service::schema::{ContainerSchema, DatabaseSchema, Schema, SchemaApplyError};

use crate::error::{Error, Result};
use crate::settings::{Indexing, NotificationSettings};

/// Handles of the containers of this system.
#[derive(Clone, Debug)]
pub struct Containers {
    /// The queue of events.
    pub events: Container,
    /// The in-app lists.
    pub notifications: Container,
    /// The preferences of users.
    pub preferences: Container,
    /// The devices, and the guard item of the device cap.
    pub devices: Container,
    /// The owners of push tokens.
    pub token_owners: Container,
    /// Leases of the processor and of jobs, pending erasures and certificates, sessions that were ended.
    pub leases: Container,
}

/// The definition of one container.
struct ContainerSpec {
    name: &'static str,
    partition_key: &'static str,
    expiry: ContainerExpiry,
    /// The paths that this system queries, which lean indexing includes.
    queried_paths: &'static [&'static str],
    composite: &'static [&'static [(&'static str, CompositeOrder)]],
}

/// Which items of a container expire.
#[derive(Clone, Copy)]
enum ContainerExpiry {
    /// All, after the retention.
    Retention,
    /// Those with a time to live of their own.
    Own,
    /// None.
    Off,
}

const EVENTS: ContainerSpec = ContainerSpec {
    name: "notification_events",
    partition_key: "/userId",
    expiry: ContainerExpiry::Retention,
    // The sweep also filters by lease and attempts, but few events are PROCESSING or FAILED at a time, so the index on
    // the status is enough.
    queried_paths: &["status", "nextRetryAt", "scheduledAt", "createdAt"],
    composite: &[
        &[("/status", Up), ("/createdAt", Up)],
        &[("/status", Up), ("/nextRetryAt", Up)],
        &[("/userId", Up), ("/createdAt", Down)],
    ],
};

const NOTIFICATIONS: ContainerSpec = ContainerSpec {
    name: "notifications",
    partition_key: "/userId",
    expiry: ContainerExpiry::Retention,
    queried_paths: &["category", "read", "dismissed", "createdAt", "dedupeKey", "pushed"],
    composite: &[
        &[("/userId", Up), ("/createdAt", Down)],
        &[("/userId", Up), ("/read", Up), ("/createdAt", Down)],
    ],
};

const PREFERENCES: ContainerSpec = ContainerSpec {
    name: "notification_preferences",
    partition_key: "/userId",
    expiry: ContainerExpiry::Off,
    queried_paths: &[],
    composite: &[],
};

const DEVICES: ContainerSpec = ContainerSpec {
    name: "device_tokens",
    partition_key: "/userId",
    expiry: ContainerExpiry::Off,
    queried_paths: &["deviceId", "revokedAt", "lastSeenAt"],
    composite: &[&[("/userId", Up), ("/lastSeenAt", Down)]],
};

const TOKEN_OWNERS: ContainerSpec = ContainerSpec {
    name: "push_token_owner",
    partition_key: "/id",
    expiry: ContainerExpiry::Off,
    queried_paths: &["userId"],
    composite: &[],
};

const LEASES: ContainerSpec = ContainerSpec {
    name: "notification_leases",
    partition_key: "/id",
    expiry: ContainerExpiry::Own,
    queried_paths: &["kind", "againAt"],
    composite: &[],
};

/// The lowest manual throughput of a container, which seed 003 asks for.
const THROUGHPUT_RU: i64 = 400;

impl Containers {
    /// Handles, whether or not the containers exist.
    ///
    /// # Errors
    /// `Invalid` for a database name that breaks the rules for names.
    pub fn new(account: &Account, database: &str) -> Result<Self> {
        let database = account.database(database)?;
        Ok(Self {
            events: database.container(EVENTS.name)?,
            notifications: database.container(NOTIFICATIONS.name)?,
            preferences: database.container(PREFERENCES.name)?,
            devices: database.container(DEVICES.name)?,
            token_owners: database.container(TOKEN_OWNERS.name)?,
            leases: database.container(LEASES.name)?,
        })
    }

    /// The containers as a schema, with the throughput of seed 003: for plans, exports and provisioning.
    ///
    /// # Errors
    /// `Invalid` for a database name that breaks the rules for names.
    pub fn schema(settings: &NotificationSettings) -> Result<Schema> {
        let throughput = Throughput::manual(THROUGHPUT_RU).map_err(client::Error::from)?;
        schema(settings, Some(throughput))
    }

    /// Creates missing containers, and updates the time to live and the indexing policy of existing ones. The
    /// throughput of an existing container is left to its operator.
    ///
    /// # Errors
    /// Those of the account; `Invalid` if an existing container cannot be changed, for example if it has another
    /// partition key.
    pub(crate) async fn create(account: &Account, settings: &NotificationSettings) -> Result<Self> {
        // Without throughput: a start of the program must not change what an operator has set.
        match schema(settings, None)?.apply(account).await {
            Ok(_) => Self::new(account, &settings.database),
            Err(SchemaApplyError::Account { error, .. }) => Err(error.into()),
            Err(refused) => Err(Error::invalid(refused.to_string())),
        }
    }
}

fn schema(settings: &NotificationSettings, throughput: Option<Throughput>) -> Result<Schema> {
    let build = || {
        let specs = [&EVENTS, &NOTIFICATIONS, &PREFERENCES, &DEVICES, &TOKEN_OWNERS, &LEASES];
        let containers = specs.map(|spec| spec.schema(settings, throughput));
        let containers = containers.into_iter().collect::<model::Result<Vec<_>>>()?;
        Schema::new([DatabaseSchema::new(&settings.database, containers)?])
    };
    Ok(build().map_err(client::Error::from)?)
}

impl ContainerSpec {
    fn schema(
        &self,
        settings: &NotificationSettings,
        throughput: Option<Throughput>,
    ) -> model::Result<ContainerSchema> {
        let policy = match settings.indexing {
            Indexing::Full => self.full()?,
            Indexing::Lean => self.lean()?,
        };
        let default = match self.expiry {
            ContainerExpiry::Retention => TimeToLive::Seconds(settings.retention_seconds()),
            ContainerExpiry::Own => TimeToLive::NoDefault,
            ContainerExpiry::Off => TimeToLive::Off,
        };
        let container = ContainerSchema::new(self.name, &[self.partition_key])?
            .with_time_to_live(default)
            .with_indexing_policy(policy);
        Ok(match throughput {
            Some(throughput) => container.with_throughput(throughput),
            None => container,
        })
    }

    fn full(&self) -> model::Result<IndexingPolicy> {
        let composite = self.composite.iter().map(|paths| composite(paths));
        let composite = composite.collect::<model::Result<_>>()?;
        Ok(IndexingPolicy { composite, ..IndexingPolicy::default() })
    }

    /// Only the queried paths. There are no composite indexes: the sorted queries are within one user, where an index
    /// on the sort path is enough.
    fn lean(&self) -> model::Result<IndexingPolicy> {
        let path = |name: &&str| IndexPath::parse(&format!("/{name}/?")).map(IncludedPath::new);
        let included = self.queried_paths.iter().map(path).collect::<model::Result<_>>()?;
        let mut policy = IndexingPolicy { included, ..IndexingPolicy::default() };
        // Said, not implied: a policy that includes no path would otherwise get the root by default.
        policy.excluded.push(IndexPath::root());
        Ok(policy)
    }
}

fn composite(paths: &[(&str, CompositeOrder)]) -> model::Result<CompositeIndex> {
    let path = |(path, order): &(&str, CompositeOrder)| {
        Ok(CompositePath { path: IndexPath::parse_implied_scalar(path)?, order: *order })
    };
    Ok(CompositeIndex { paths: paths.iter().map(path).collect::<model::Result<_>>()? })
}
