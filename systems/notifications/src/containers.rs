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

use std::time::Duration;

use client::{
    Account, Container, ContainerProperties, Database, PartitionKeyDefinition, Throughput,
    TimeToLive,
};
use model::{CompositeIndex, CompositeOrder, CompositePath, IndexPath, IndexingPolicy};

use crate::error::Result;

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
struct Shape {
    name: &'static str,
    partition_key: &'static str,
    expires: bool,
    composite: &'static [&'static [(&'static str, CompositeOrder)]],
}

use CompositeOrder::{Ascending as Up, Descending as Down};

const EVENTS: Shape = Shape {
    name: "notification_events",
    partition_key: "/userId",
    expires: true,
    composite: &[
        &[("/status", Up), ("/createdAt", Up)],
        &[("/status", Up), ("/nextRetryAt", Up)],
        &[("/userId", Up), ("/createdAt", Down)],
    ],
};

const NOTIFICATIONS: Shape = Shape {
    name: "notifications",
    partition_key: "/userId",
    expires: true,
    composite: &[
        &[("/userId", Up), ("/createdAt", Down)],
        &[("/userId", Up), ("/read", Up), ("/createdAt", Down)],
    ],
};

const PREFERENCES: Shape = Shape {
    name: "notification_preferences",
    partition_key: "/userId",
    expires: false,
    composite: &[],
};

const DEVICES: Shape = Shape {
    name: "device_tokens",
    partition_key: "/userId",
    expires: false,
    composite: &[&[("/userId", Up), ("/lastSeenAt", Down)]],
};

const TOKEN_OWNERS: Shape =
    Shape { name: "push_token_owner", partition_key: "/id", expires: false, composite: &[] };

const LEASES: Shape =
    Shape { name: "notification_leases", partition_key: "/id", expires: false, composite: &[] };

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

    /// Creates what is missing. What exists keeps its properties, except the time to live, which follows the retention.
    ///
    /// # Errors
    /// Those of the account; `Invalid` when a container has another partition key.
    pub(crate) async fn create(
        account: &Account,
        database: &str,
        retention: Duration,
    ) -> Result<Self> {
        let handle = account.database(database)?;
        handle.create_if_missing(None).await?;
        for shape in [&EVENTS, &NOTIFICATIONS, &PREFERENCES, &DEVICES, &TOKEN_OWNERS, &LEASES] {
            shape.create(&handle, retention).await?;
        }
        Self::of(account, database)
    }
}

impl Shape {
    async fn create(&self, database: &Database, retention: Duration) -> Result<()> {
        let container = database.container(self.name)?;
        let wanted = self.properties(&container, retention)?;
        let throughput = Throughput::manual(THROUGHPUT_RU).map_err(client::Error::from)?;
        let found = container.create_if_missing(wanted.clone(), Some(throughput)).await?.value;
        if found.partition_key != wanted.partition_key {
            return Err(crate::Error::invalid(format!(
                "the container {} has another partition key than {}; choose another database",
                container.path(),
                self.partition_key
            )));
        }
        if found.default_time_to_live != wanted.default_time_to_live {
            let changed =
                ContainerProperties { default_time_to_live: wanted.default_time_to_live, ..found };
            container.replace_properties(changed).await?;
        }
        Ok(())
    }

    fn properties(
        &self,
        container: &Container,
        retention: Duration,
    ) -> Result<ContainerProperties> {
        let key =
            PartitionKeyDefinition::single(self.partition_key).map_err(client::Error::from)?;
        let seconds = u32::try_from(retention.as_secs()).unwrap_or(u32::MAX);
        let composite: model::Result<Vec<_>> =
            self.composite.iter().map(|paths| composite(paths)).collect();
        Ok(ContainerProperties {
            default_time_to_live: if self.expires {
                TimeToLive::Seconds(seconds)
            } else {
                TimeToLive::Off
            },
            indexing_policy: IndexingPolicy {
                composite: composite.map_err(client::Error::from)?,
                ..IndexingPolicy::default()
            },
            ..container.properties(key)
        })
    }
}

fn composite(paths: &[(&str, CompositeOrder)]) -> model::Result<CompositeIndex> {
    let path = |(path, order): &(&str, CompositeOrder)| {
        Ok(CompositePath { path: IndexPath::parse_implied_scalar(path)?, order: *order })
    };
    Ok(CompositeIndex { paths: paths.iter().map(path).collect::<model::Result<_>>()? })
}
