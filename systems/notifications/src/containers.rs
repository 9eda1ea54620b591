//! The containers: the data model on one screen, and the only place that names a partition key.
//!
//! | container | partition key | time to live | why this partition key |
//! |---|---|---|---|
//! | `notification_events` | `/userId` | 30 days | events of a user are told in their order |
//! | `notifications` | `/userId` | 30 days | a list, a count and a limit are each one user's |
//! | `notification_preferences` | `/userId` | off | one point read |
//! | `device_tokens` | `/userId` | off | the cap holds by a transactional batch |
//! | `push_token_owner` | `/id` | off | a token is looked up by its hash, whoever has it |
//! | `notification_leases` | `/id` | off | leases of the processor and of jobs |

use client::{Account, Container, Throughput, TimeToLive};
use model::CompositeOrder::{Ascending as Up, Descending as Down};
use model::{
    CompositeIndex, CompositeOrder, CompositePath, IncludedPath, IndexPath, IndexingPolicy,
};
use service::schema::{ContainerSchema, DatabaseSchema, Schema, SchemaError};

use crate::error::{Error, Result};
use crate::settings::{Indexing, NotificationSettings};

/// Handles on the containers of this system.
#[derive(Clone, Debug)]
pub struct Containers {
    /// The queue.
    pub events: Container,
    /// The in-app lists.
    pub notifications: Container,
    /// The settings of users.
    pub preferences: Container,
    /// The devices, and the guard of their number.
    pub devices: Container,
    /// Who has a push token now.
    pub token_owners: Container,
    /// Leases of the processor and of jobs.
    pub leases: Container,
}

/// One container as it should be.
struct ContainerSpec {
    name: &'static str,
    partition_key: &'static str,
    expires: bool,
    /// The paths this system asks by.
    queried_paths: &'static [&'static str],
    composite: &'static [&'static [(&'static str, CompositeOrder)]],
}

const EVENTS: ContainerSpec = ContainerSpec {
    name: "notification_events",
    partition_key: "/userId",
    expires: true,
    // Few events are worked on or have failed at a time, so leases and attempts are looked at among those.
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
    expires: true,
    queried_paths: &["category", "read", "dismissed", "createdAt", "dedupeKey", "pushed"],
    composite: &[
        &[("/userId", Up), ("/createdAt", Down)],
        &[("/userId", Up), ("/read", Up), ("/createdAt", Down)],
    ],
};

const PREFERENCES: ContainerSpec = ContainerSpec {
    name: "notification_preferences",
    partition_key: "/userId",
    expires: false,
    queried_paths: &[],
    composite: &[],
};

const DEVICES: ContainerSpec = ContainerSpec {
    name: "device_tokens",
    partition_key: "/userId",
    expires: false,
    queried_paths: &["deviceId", "revokedAt", "lastSeenAt"],
    composite: &[&[("/userId", Up), ("/lastSeenAt", Down)]],
};

const TOKEN_OWNERS: ContainerSpec = ContainerSpec {
    name: "push_token_owner",
    partition_key: "/id",
    expires: false,
    queried_paths: &["userId"],
    composite: &[],
};

const LEASES: ContainerSpec = ContainerSpec {
    name: "notification_leases",
    partition_key: "/id",
    expires: false,
    queried_paths: &["kind", "againAt"],
    composite: &[],
};

/// The least manual throughput of a container, and what the seed asks for.
const THROUGHPUT_RU: i64 = 400;

impl Containers {
    /// Handles, whether the containers exist or not.
    ///
    /// # Errors
    /// `Invalid` for a database name that breaks the rules for names.
    pub fn of(account: &Account, database: &str) -> Result<Self> {
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

    /// The data model as a schema, with the throughput of the seed: for plans, exports and provisioning.
    ///
    /// # Errors
    /// `Invalid` for a database name that breaks the rules for names.
    pub fn schema(settings: &NotificationSettings) -> Result<Schema> {
        let throughput = Throughput::manual(THROUGHPUT_RU).map_err(client::Error::from)?;
        schema(settings, Some(throughput))
    }

    /// Creates what is missing, and brings time to live and indexing policy of what exists up to the settings. The
    /// throughput of a container that exists is its operator's.
    ///
    /// # Errors
    /// Those of the account; `Invalid` when a container cannot become what it should be, such as by another partition
    /// key.
    pub(crate) async fn create(account: &Account, settings: &NotificationSettings) -> Result<Self> {
        match schema(settings, None)?.apply(account).await {
            Ok(_) => Self::of(account, &settings.database),
            Err(SchemaError::Account { error, .. }) => Err(error.into()),
            Err(refused) => Err(Error::invalid(refused.to_string())),
        }
    }
}

fn schema(settings: &NotificationSettings, throughput: Option<Throughput>) -> Result<Schema> {
    let made = || {
        let shapes = [&EVENTS, &NOTIFICATIONS, &PREFERENCES, &DEVICES, &TOKEN_OWNERS, &LEASES];
        let containers = shapes.map(|shape| shape.schema(settings, throughput));
        let containers = containers.into_iter().collect::<model::Result<Vec<_>>>()?;
        Schema::new([DatabaseSchema::new(&settings.database, containers)?])
    };
    Ok(made().map_err(client::Error::from)?)
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
        let default = if self.expires {
            TimeToLive::Seconds(settings.retention_seconds())
        } else {
            TimeToLive::Off
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

    /// Only what is queried_paths by. Composite indexes are for questions within one user, where order by one path is enough.
    fn lean(&self) -> model::Result<IndexingPolicy> {
        let path = |name: &&str| IndexPath::parse(&format!("/{name}/?")).map(IncludedPath::new);
        let included = self.queried_paths.iter().map(path).collect::<model::Result<_>>()?;
        let mut policy = IndexingPolicy { included, ..IndexingPolicy::default() };
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
