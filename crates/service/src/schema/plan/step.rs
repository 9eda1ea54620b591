//! The plan as data: what to change, what cannot be changed, and what is left alone.

use client::{ContainerProperties, DatabaseId, Throughput};
use model::ContainerId;

use crate::schema::declaration::ContainerSchema;
use crate::schema::script::ScriptSchema;

/// The changes that make an account match a schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SchemaPlan {
    /// The steps, in their order.
    pub steps: Vec<SchemaStep>,
    /// Differences that cannot be changed.
    pub obstacles: Vec<Obstacle>,
    /// Resources of the account that the schema does not declare; they are left alone.
    pub undeclared: Vec<UndeclaredResource>,
    /// The number of databases, containers and scripts that match the schema.
    pub unchanged: usize,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq)]
pub enum SchemaStep {
    /// Creates a missing database.
    CreateDatabase {
        /// Its name.
        database: DatabaseId,
        /// The throughput shared by its containers.
        throughput: Option<Throughput>,
    },
    /// Creates a missing container.
    CreateContainer {
        /// The name of its database.
        database: DatabaseId,
        /// Its declaration.
        container: Box<ContainerSchema>,
    },
    /// Replaces the properties of a container.
    ReplaceProperties {
        /// The name of its database.
        database: DatabaseId,
        /// The changes and their effects.
        changes: Vec<PropertyChange>,
        /// The new properties.
        properties: Box<ContainerProperties>,
    },
    /// Replaces the throughput of a database or container.
    ReplaceThroughput {
        /// The name of the database.
        database: DatabaseId,
        /// The name of the container; `None` for the database.
        container: Option<ContainerId>,
        /// The current throughput.
        from: Throughput,
        /// The new throughput.
        to: Throughput,
    },
    /// Creates or replaces a script of a container.
    PutScript {
        /// The name of the database.
        database: DatabaseId,
        /// The name of the container.
        container: ContainerId,
        /// The script.
        script: Box<ScriptSchema>,
        /// What differs from the script of this name; `None` if there is none.
        differences: Option<Vec<String>>,
    },
}

/// One changed property of a container.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertyChange {
    /// The property, such as `default_ttl`.
    pub property: &'static str,
    /// The differences, such as `off -> 60 s`.
    pub differences: Vec<String>,
    /// The effect on existing items.
    pub effect: Option<Effect>,
}

/// The effect of a change on existing items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Items expire as soon as the change is made.
    Expiry {
        /// Their number.
        expiring: u64,
        /// The number of all items.
        items: u64,
    },
    /// Items are indexed again, in the background.
    Reindexing {
        /// Their number.
        items: u64,
    },
}

/// A difference that cannot be changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// The database or container, such as `container shop/orders`.
    pub resource: String,
    /// The property, such as `partition key`.
    pub property: &'static str,
    /// The differences, such as `/id -> /customer`.
    pub differences: Vec<String>,
    /// Why it cannot be changed.
    pub reason: String,
    /// What to do instead.
    pub workaround: Workaround,
}

/// What to do about an obstacle.
#[derive(Clone, Debug, PartialEq)]
pub enum Workaround {
    /// Copy the container into a new one that matches the schema.
    Copy {
        /// The container, as `database/container`.
        from: String,
        /// The new container.
        to: String,
        /// Its partition key.
        partition_key_paths: Vec<String>,
    },
    /// Follow these instructions.
    Instructions(String),
}

/// A resource of the account that the schema does not declare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndeclaredResource {
    /// A database.
    Database(DatabaseId),
    /// A container of a declared database.
    Container(DatabaseId, ContainerId),
    /// A script of a container that declares other scripts, with its kind.
    Script(DatabaseId, ContainerId, String),
}

impl SchemaPlan {
    /// Whether the account matches the schema; undeclared resources do not count.
    #[must_use]
    pub fn is_up_to_date(&self) -> bool {
        self.steps.is_empty() && self.obstacles.is_empty()
    }
}
