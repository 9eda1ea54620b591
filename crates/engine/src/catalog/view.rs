//! The catalog in memory: all databases and containers of the account.
//!
//! Owns the immutable view that every request reads. A change builds a new view and publishes it after its commit, as a
//! whole: a request sees either all of a change or nothing, and readers never wait for a commit. Does not own storage.

use std::sync::Arc;

use foldhash::HashMap;
use model::{ContainerId, DatabaseId};

use super::container::ContainerEntry;
use super::record::DatabaseRecord;

/// One database with its containers.
#[derive(Clone, Debug)]
pub(crate) struct DatabaseEntry {
    pub(crate) record: DatabaseRecord,
    pub(crate) containers: HashMap<ContainerId, Arc<ContainerEntry>>,
}

/// All databases of the account at one point in time.
#[derive(Clone, Debug, Default)]
pub(crate) struct CatalogView {
    pub(crate) databases: HashMap<DatabaseId, Arc<DatabaseEntry>>,
}

impl CatalogView {
    /// The same view with one database replaced or added.
    pub(crate) fn with_database(&self, database: DatabaseEntry) -> Self {
        let mut databases = self.databases.clone();
        databases.insert(database.record.properties.id.clone(), Arc::new(database));
        Self { databases }
    }

    /// The same view without one database.
    pub(crate) fn without_database(&self, id: &DatabaseId) -> Self {
        let mut databases = self.databases.clone();
        databases.remove(id);
        Self { databases }
    }

    /// All containers.
    pub(crate) fn containers(&self) -> Vec<Arc<ContainerEntry>> {
        let mut containers: Vec<_> = self
            .databases
            .values()
            .flat_map(|database| database.containers.values().cloned())
            .collect();
        // Sorted, so that maintenance is deterministic: the order of a hash map differs from run to run.
        containers
            .sort_by(|left, right| left.identity.rid.as_bytes().cmp(right.identity.rid.as_bytes()));
        containers
    }
}
