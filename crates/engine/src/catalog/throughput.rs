//! Throughput: what a container or a database may spend per second.
//!
//! Owns reading and replacing it, and the rule whose throughput a container uses. Does not own throttling.

use model::{ResourceId, Throughput};

use super::database::{metadata_read, metadata_written};
use super::record::ThroughputRecord;
use super::store::CatalogWrite;
use super::view::Database;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::operation::ThroughputOwner;
use crate::outcome::{Outcome, ThroughputResource};

impl ThroughputRecord {
    pub(crate) fn new(throughput: Throughput) -> Self {
        Self { throughput, highest_ever: throughput.highest() }
    }

    fn replaced(&self, throughput: Throughput) -> Self {
        Self { throughput, highest_ever: self.highest_ever.max(throughput.highest()) }
    }
}

impl Engine {
    /// Reads the throughput a database or container has of its own; none when it has none.
    ///
    /// # Errors
    /// `OwnerNotFound` when there is no such database or container.
    pub async fn read_throughput(
        &self,
        owner: &ThroughputOwner,
    ) -> Result<Outcome<Option<ThroughputResource>>> {
        let (rid, record) = match owner {
            ThroughputOwner::Database(id) => {
                let database = self.database(id)?;
                (database.record.rid, database.record.throughput.clone())
            }
            ThroughputOwner::Container(link) => {
                let record = self.container(link)?.record();
                (record.rid, record.throughput)
            }
        };
        Ok(metadata_read(record.map(|record| resource(rid, &record))))
    }

    /// Replaces throughput; the number of physical partitions stays as it is.
    ///
    /// # Errors
    /// `NotFound` when the owner has no throughput of its own, `OwnerNotFound` when there is no owner.
    pub async fn replace_throughput(
        &self,
        owner: &ThroughputOwner,
        throughput: Throughput,
    ) -> Result<Outcome<ThroughputResource>> {
        let mut catalog = self.core.catalog.lock().await;
        let mut write = CatalogWrite::default();
        match owner {
            ThroughputOwner::Database(id) => {
                let mut database = Database::clone(&*self.database(id)?);
                let replaced = replaced(database.record.throughput.as_ref(), throughput)?;
                let value = resource(database.record.rid, &replaced);
                database.record.throughput = Some(replaced);
                write.put_database(&database.record);
                catalog.commit(write).await?;
                self.replace_view(self.view().with_database(database));
                Ok(metadata_written(value))
            }
            ThroughputOwner::Container(link) => {
                let container = self.container(link)?;
                let mut record = container.record();
                let replaced = replaced(record.throughput.as_ref(), throughput)?;
                let value = resource(record.rid, &replaced);
                record.throughput = Some(replaced);
                write.put_container(&link.database, &record);
                catalog.commit(write).await?;
                container.replace_record(record);
                Ok(metadata_written(value))
            }
        }
    }
}

fn replaced(old: Option<&ThroughputRecord>, new: Throughput) -> Result<ThroughputRecord> {
    old.map(|old| old.replaced(new)).ok_or_else(|| {
        Error::new(
            ErrorKind::NotFound,
            "There is no throughput to replace: this container shares the throughput of its database, or this \
             database has none of its own.",
        )
    })
}

fn resource(owner: ResourceId, record: &ThroughputRecord) -> ThroughputResource {
    ThroughputResource { throughput: record.throughput, owner, highest_ever: record.highest_ever }
}
