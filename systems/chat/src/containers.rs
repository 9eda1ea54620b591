//! The containers: the data model on one screen, and the only place that defines a partition key.
//!
//! | container | partition key | time to live | why this partition key |
//! |---|---|---|---|
//! | `messages` | `/roomName` | `Cosmos:MessagesTtlSeconds` | history, sends and receipts concern one room |
//! | `users` | `/userName` | off | everything about a user is one lookup |
//! | `rooms` | `/name` | off | few documents; the id is the name, so a room is a point read |
//! | `chat_state` | `/id` | of the item | our own records, each a point read: leases, counts, reminders, certificates |
//!
//! All paths are indexed. An indexing policy that an operator has changed (playbook `indexing`) is left as it is.

use client::{
    Account, Container, ContainerProperties, ErrorKind, PartitionKey, PartitionKeyDefinition,
    PartitionKeyValue, Throughput, TimeToLive,
};
use service::schema::{ContainerSchema, DatabaseSchema, Schema};

use crate::domain::{RoomName, UserName};
use crate::error::{Error, Result};
use crate::settings::{ChatSettings, RetentionFrom};
use crate::stage::ChatStage;

/// Handles of the containers of this system.
#[derive(Clone, Debug)]
pub struct ChatContainers {
    /// The messages.
    pub messages: Container,
    /// The users, and reservations of their mail addresses.
    pub users: Container,
    /// The rooms.
    pub rooms: Container,
    /// Our own records.
    pub state: Container,
    /// The first level of the key of messages, if it has two.
    tenant: Option<String>,
}

/// What the start did, or would have to do, about the time to live of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TtlReconcile {
    /// It already was as the settings say.
    Equal,
    /// It was changed.
    Changed {
        /// Before.
        from: TimeToLive,
        /// Now.
        to: TimeToLive,
    },
    /// It differs, and `Cosmos:AutoCreate` is off, so it was left.
    Differs {
        /// What the container has.
        has: TimeToLive,
        /// What the settings say.
        wanted: TimeToLive,
    },
}

/// One container as it should be.
struct ExpectedContainer<'a> {
    name: &'a str,
    key_paths: &'static [&'static str],
    time_to_live: TimeToLive,
}

impl ChatContainers {
    /// Handles, whether or not the containers exist.
    ///
    /// # Errors
    /// `Invalid` for a name that breaks the rules for names.
    pub fn new(account: &Account, settings: &ChatSettings) -> Result<Self> {
        let cosmos = &settings.cosmos;
        let database = account.database(&cosmos.database)?;
        let tenant = (!cosmos.messages_tenant.is_empty()).then(|| cosmos.messages_tenant.clone());
        Ok(Self {
            messages: database.container(&cosmos.messages_container)?,
            users: database.container(&cosmos.users_container)?,
            rooms: database.container(&cosmos.rooms_container)?,
            state: database.container(&cosmos.state_container)?,
            tenant,
        })
    }

    /// The containers as a schema, with autoscale throughput that they share: for plans, exports and provisioning.
    ///
    /// # Errors
    /// `Invalid` for a name that breaks the rules for names.
    pub fn schema(settings: &ChatSettings, stage: ChatStage) -> Result<Schema> {
        let build = || {
            let containers = expected(settings).into_iter().map(|one| {
                Ok(ContainerSchema::new(one.name, one.key_paths)?
                    .with_time_to_live(one.time_to_live))
            });
            let containers = containers.collect::<model::Result<Vec<_>>>()?;
            let database = DatabaseSchema::new(&settings.cosmos.database, containers)?;
            let shared = Throughput::autoscale(stage.throughput_max())?;
            Schema::new([database.with_throughput(shared)])
        };
        Ok(build().map_err(client::Error::from)?)
    }

    /// Creates what is missing, or checks that nothing is (`Cosmos:AutoCreate`).
    ///
    /// # Errors
    /// `Invalid`, naming what is missing or has another partition key; those of the account.
    pub(crate) async fn open(
        account: &Account,
        settings: &ChatSettings,
    ) -> Result<(Self, TtlReconcile)> {
        let handles = Self::new(account, settings)?;
        let database = account.database(&settings.cosmos.database)?;
        let is_automatic = settings.cosmos.auto_create;
        let of_container = match is_automatic {
            true => create_database(&database, settings).await?,
            false => None,
        };
        let mut reconciled = TtlReconcile::Equal;
        for one in expected(settings) {
            let container = database.container(one.name)?;
            let found = match is_automatic {
                true => one.create(&container, of_container).await?,
                false => one.read(&container, settings).await?,
            };
            one.check_key(&found, &settings.cosmos.database)?;
            if one.name == settings.cosmos.messages_container {
                reconciled = one.reconcile(&container, found, is_automatic).await?;
            }
        }
        Ok((handles, reconciled))
    }

    /// The partition key of a room's messages.
    #[must_use]
    pub fn room_key(&self, room: &RoomName) -> PartitionKey {
        match &self.tenant {
            None => room.as_str().into(),
            Some(tenant) => PartitionKey::from_values([
                PartitionKeyValue::from(tenant.as_str()),
                PartitionKeyValue::from(room.as_str()),
            ]),
        }
    }

    /// The value of `tenantId` in new messages, if their key needs one.
    pub(crate) fn tenant(&self) -> Option<&str> {
        self.tenant.as_deref()
    }
}

/// Creates the database if it is missing. Returns the throughput of new containers: their own, unless they share that
/// of the database.
async fn create_database(
    database: &client::Database,
    settings: &ChatSettings,
) -> Result<Option<Throughput>> {
    let cosmos = &settings.cosmos;
    let shared = cosmos.database_autoscale_max.map(Throughput::autoscale).transpose();
    database.create_if_missing(shared.map_err(client::Error::from)?).await?;
    if cosmos.container_throughput == 0 || database.read_throughput().await?.value.is_some() {
        return Ok(None);
    }
    let own = Throughput::manual(cosmos.container_throughput);
    Ok(Some(own.map_err(client::Error::from)?))
}

/// The partition key of a user.
pub(crate) fn user_key(user: &UserName) -> PartitionKey {
    user.as_str().into()
}

fn expected(settings: &ChatSettings) -> [ExpectedContainer<'_>; 4] {
    let cosmos = &settings.cosmos;
    let has_tenant = !cosmos.messages_tenant.is_empty();
    let messages_key: &[&str] =
        if has_tenant { &["/tenantId", "/roomName"] } else { &["/roomName"] };
    let off = TimeToLive::Off;
    [
        ExpectedContainer {
            name: &cosmos.messages_container,
            key_paths: messages_key,
            time_to_live: messages_time_to_live(settings),
        },
        ExpectedContainer {
            name: &cosmos.users_container,
            key_paths: &["/userName"],
            time_to_live: off,
        },
        ExpectedContainer {
            name: &cosmos.rooms_container,
            key_paths: &["/name"],
            time_to_live: off,
        },
        ExpectedContainer {
            name: &cosmos.state_container,
            key_paths: &["/id"],
            time_to_live: TimeToLive::NoDefault,
        },
    ]
}

/// Items have a `ttl` of their own if rooms have a retention; that needs a container whose items can expire.
fn messages_time_to_live(settings: &ChatSettings) -> TimeToLive {
    let by_setting = settings.cosmos.messages_time_to_live().unwrap_or_default();
    match by_setting {
        TimeToLive::Off if settings.features.room_retention => TimeToLive::NoDefault,
        other => other,
    }
}

/// The seconds that a message lives from its creation, if its `ttl` is written with each change.
pub(crate) fn message_life_seconds(settings: &ChatSettings, of_room: Option<u32>) -> Option<u32> {
    let of_room = of_room.filter(|_| settings.features.room_retention);
    let of_container = match settings.cosmos.messages_time_to_live() {
        Some(TimeToLive::Seconds(seconds))
            if settings.chat.retention_from == RetentionFrom::Creation =>
        {
            Some(seconds)
        }
        _ => None,
    };
    of_room.or(of_container)
}

impl ExpectedContainer<'_> {
    async fn create(
        &self,
        container: &Container,
        throughput: Option<Throughput>,
    ) -> Result<ContainerProperties> {
        let key = match self.key_paths {
            [single] => PartitionKeyDefinition::single(single),
            several => PartitionKeyDefinition::hierarchical(several),
        };
        let mut properties = container.properties(key.map_err(client::Error::from)?);
        properties.default_time_to_live = self.time_to_live;
        Ok(container.create_if_missing(properties, throughput).await?.value)
    }

    async fn read(
        &self,
        container: &Container,
        settings: &ChatSettings,
    ) -> Result<ContainerProperties> {
        match container.read_properties().await {
            Ok(found) => Ok(found.value),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(Error::invalid(format!(
                "the container '{}' with the partition key {} is missing in the database '{}'; create it, or \
                 set Cosmos:AutoCreate=true",
                self.name,
                self.key_text(),
                settings.cosmos.database,
            ))),
            Err(error) => Err(error.into()),
        }
    }

    fn check_key(&self, found: &ContainerProperties, database: &str) -> Result<()> {
        let paths: Vec<String> =
            found.partition_key.paths().iter().map(ToString::to_string).collect();
        if paths == self.key_paths {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "the container '{}' of the database '{database}' has the partition key {}; it must be {}. A key cannot \
             be changed: copy the container with `planisphere copy`, or name another one in the settings",
            self.name,
            paths.join(", "),
            self.key_text(),
        )))
    }

    /// Sets, changes or clears the time to live. It applies to all items at once, counted from their last write.
    async fn reconcile(
        &self,
        container: &Container,
        found: ContainerProperties,
        is_automatic: bool,
    ) -> Result<TtlReconcile> {
        let (from, to) = (found.default_time_to_live, self.time_to_live);
        if from == to {
            return Ok(TtlReconcile::Equal);
        }
        if !is_automatic {
            return Ok(TtlReconcile::Differs { has: from, wanted: to });
        }
        let changed = ContainerProperties { default_time_to_live: to, ..found };
        container.replace_properties(changed).await?;
        Ok(TtlReconcile::Changed { from, to })
    }

    fn key_text(&self) -> String {
        self.key_paths.join(", ")
    }
}
