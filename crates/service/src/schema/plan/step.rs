//! The parts of a plan.
//!
//! Owns what is to be done, what cannot be done, and what is left alone. Does not own how it is found or told.

use client::{ContainerProperties, DatabaseId, Throughput};
use model::ContainerId;

use crate::schema::declaration::ContainerSchema;

/// What it takes to make a place as a schema says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// What is to be done, in its order.
    pub steps: Vec<Step>,
    /// What differs and cannot be changed.
    pub obstacles: Vec<Obstacle>,
    /// What is in the place and not in the schema; it is left alone.
    pub unlisted: Vec<Unlisted>,
    /// How many databases and containers are as the schema says.
    pub same: usize,
}

/// One thing to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A database that is missing.
    CreateDatabase {
        /// Its name.
        database: DatabaseId,
        /// What its containers share.
        throughput: Option<Throughput>,
    },
    /// A container that is missing.
    CreateContainer {
        /// The name of its database.
        database: DatabaseId,
        /// What it is to be.
        container: Box<ContainerSchema>,
    },
    /// A container whose properties differ.
    ReplaceProperties {
        /// The name of its database.
        database: DatabaseId,
        /// What changes, and what follows.
        changes: Vec<Change>,
        /// What its properties will be.
        properties: Box<ContainerProperties>,
    },
    /// A database or container whose own throughput differs.
    ReplaceThroughput {
        /// The name of the database.
        database: DatabaseId,
        /// The name of the container; none for the database.
        container: Option<ContainerId>,
        /// What it is now.
        from: Throughput,
        /// What it will be.
        to: Throughput,
    },
}

/// One difference of a container.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// What differs, such as `default_ttl`.
    pub what: &'static str,
    /// How, such as `off -> 60 s`.
    pub how: Vec<String>,
    /// What follows for the items that are there.
    pub effect: Option<Effect>,
}

/// What a change does to the items that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Items expire as soon as the change is made.
    Expiry {
        /// So many.
        expiring: u64,
        /// Of so many.
        items: u64,
    },
    /// Items are indexed again, in the background.
    Reindexing {
        /// So many.
        items: u64,
    },
}

/// Something that differs and cannot be changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// The database or container, such as `container shop/orders`.
    pub thing: String,
    /// What differs, such as `partition key`.
    pub what: &'static str,
    /// How, such as `/id -> /customer`.
    pub how: Vec<String>,
    /// Why it cannot be.
    pub why: String,
    /// What can be done instead.
    pub way_out: WayOut,
}

/// What can be done about an obstacle.
#[derive(Clone, Debug, PartialEq)]
pub enum WayOut {
    /// Copy the container into a new one that is as the schema says.
    Copy {
        /// The container, as `database/container`.
        from: String,
        /// The new one.
        to: String,
        /// Its partition key.
        partition_key_paths: Vec<String>,
    },
    /// What these words say.
    Words(String),
}

/// Something in the place that no schema names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unlisted {
    /// A database.
    Database(DatabaseId),
    /// A container of a database that is in the schema.
    Container(DatabaseId, ContainerId),
}

impl Plan {
    /// Whether the place is as the schema says; what is not in the schema does not count.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.steps.is_empty() && self.obstacles.is_empty()
    }
}
