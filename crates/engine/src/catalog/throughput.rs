//! Provisioned throughput of databases and containers.
//!
//! Owns reading and replacing it. Does not own throttling: see the module `throughput` of the crate.

use model::{ResourceId, Throughput, TimestampSeconds};

use super::container::ContainerEntry;
use super::database::{metadata_read, metadata_written};
use super::record::{DatabaseRecord, ThroughputRecord};
use super::store::CatalogWrite;
use super::view::DatabaseEntry;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::operation::ThroughputOwner;
use crate::response::{Response, ThroughputResource};
use crate::throughput::{Holding, check_minimum, least};

impl ThroughputRecord {
    pub(crate) fn new(throughput: Throughput) -> Self {
        Self { throughput, highest_ever: throughput.highest(), replaced_at: None }
    }

    fn replaced(&self, throughput: Throughput, now: TimestampSeconds) -> Self {
        // The minimum of the service depends on the highest value there ever was, so it must survive a decrease.
        let highest_ever = self.highest_ever.max(throughput.highest());
        Self { throughput, highest_ever, replaced_at: Some(now) }
    }
}

impl Engine {
    /// Follows the throughput that a database shares among its containers.
    pub(crate) fn share_throughput(&self, database: &DatabaseRecord) {
        if let Some(record) = &database.throughput {
            let shared = self.core.shared_throughputs.database(database.rid);
            shared.set(record.throughput, record.highest_ever);
        }
    }

    /// Reads the throughput of a database or container; none if it has none of its own.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use planisphere_engine::{ContainerLink, Engine, operation::*};
    /// # let engine = Engine::in_memory().await?;
    /// # let orders = ContainerLink::new("shop", "orders")?;
    /// # let properties = model::DatabaseProperties { id: orders.database.clone() };
    /// # engine.create_database(CreateDatabase { properties, throughput: None }).await?;
    /// # let key = model::PartitionKeyDefinition::single("/customer")?;
    /// # let properties = model::ContainerProperties::new(orders.container.clone(), key);
    /// # let database = orders.database.clone();
    /// # engine.create_container(CreateContainer { database, properties, throughput: None }).await?;
    /// # let ann = model::PartitionKey::from("ann");
    /// # let order = |text: &str| model::MeasuredJson::parse(text.as_bytes());
    /// # let id = model::ItemId::new("1")?;
    /// let owner = ThroughputOwner::Container(orders.clone());
    /// assert!(engine.read_throughput(&owner).await?.value.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `OwnerNotFound` when there is no such database or container.
    pub async fn read_throughput(
        &self,
        owner: &ThroughputOwner,
    ) -> Result<Response<Option<ThroughputResource>>> {
        let (rid, record, pending) = match owner {
            ThroughputOwner::Database(id) => {
                let database = self.database(id)?;
                let record = database.record.throughput.clone();
                let record = record.map(|record| (holding_of(&database, &record), record));
                (database.record.rid, record, false)
            }
            ThroughputOwner::Container(link) => {
                let container = self.container(link)?;
                let own = container.record().throughput;
                let own = own.map(|record| (holding(&container, &record), record));
                (container.identity.rid, own, container.is_scaling())
            }
        };
        Ok(metadata_read(record.map(|(holding, record)| resource(rid, &record, holding, pending))))
    }

    /// Replaces throughput. If a container has too few physical partitions for it, they are split in the background;
    /// until then the throughput is pending. A lower throughput leaves them as they are.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use planisphere_engine::{ContainerLink, Engine, operation::*};
    /// # let engine = Engine::in_memory().await?;
    /// # let orders = ContainerLink::new("shop", "orders")?;
    /// # let properties = model::DatabaseProperties { id: orders.database.clone() };
    /// # engine.create_database(CreateDatabase { properties, throughput: None }).await?;
    /// # let key = model::PartitionKeyDefinition::single("/customer")?;
    /// # let properties = model::ContainerProperties::new(orders.container.clone(), key);
    /// # let database = orders.database.clone();
    /// # engine.create_container(CreateContainer { database, properties, throughput: None }).await?;
    /// # let ann = model::PartitionKey::from("ann");
    /// # let order = |text: &str| model::MeasuredJson::parse(text.as_bytes());
    /// # let id = model::ItemId::new("1")?;
    /// # use model::Throughput;
    /// let owner = ThroughputOwner::Container(orders.clone());
    /// let replaced = engine.replace_throughput(&owner, Throughput::manual(1000)?).await?;
    /// assert_eq!(replaced.value.throughput, Throughput::Manual(1000));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound` when the owner has no throughput of its own, `OwnerNotFound` when there is no owner, `Invalid` below
    /// the minimum that follows from what is stored and from the highest there ever was.
    pub async fn replace_throughput(
        &self,
        owner: &ThroughputOwner,
        throughput: Throughput,
    ) -> Result<Response<ThroughputResource>> {
        let mut catalog = self.core.catalog.lock().await;
        let mut write = CatalogWrite::default();
        match owner {
            ThroughputOwner::Database(id) => {
                let mut database = DatabaseEntry::clone(&*self.database(id)?);
                let holding = |old: &ThroughputRecord| holding_of(&database, old);
                let old = database.record.throughput.as_ref();
                let (replaced, holding) = replaced(old, throughput, self.now().seconds(), holding)?;
                let value = resource(database.record.rid, &replaced, holding, false);
                database.record.throughput = Some(replaced);
                write.put_database(&database.record);
                catalog.commit(write).await?;
                self.share_throughput(&database.record);
                self.replace_view(self.view().with_database(database));
                Ok(metadata_written(value))
            }
            ThroughputOwner::Container(link) => {
                let container = self.container(link)?;
                let mut record = container.record();
                let holding = |old: &ThroughputRecord| holding(&container, old);
                let old = record.throughput.as_ref();
                let (replaced, holding) = replaced(old, throughput, self.now().seconds(), holding)?;
                let mut value = resource(record.rid, &replaced, holding, false);
                record.throughput = Some(replaced);
                write.put_container(&link.database, &record);
                catalog.commit(write).await?;
                container.replace_record(record);
                value.pending = container.is_scaling();
                // Not before the commit: after a crash, the stored throughput says that partitions are to be split.
                self.core.split_due.notify_one();
                Ok(metadata_written(value))
            }
        }
    }
}

fn replaced(
    old: Option<&ThroughputRecord>,
    new: Throughput,
    now: TimestampSeconds,
    holding: impl FnOnce(&ThroughputRecord) -> Holding,
) -> Result<(ThroughputRecord, Holding)> {
    let old = old.ok_or_else(|| {
        Error::new(
            ErrorKind::NotFound,
            "There is no throughput to replace: this container shares the throughput of its database, or this \
             database has none of its own.",
        )
    })?;
    // What is stored is read under the catalog lock, but items are written without it: the minimum is that of this
    // moment.
    let holding = holding(old);
    check_minimum(new, holding)?;
    Ok((old.replaced(new, now), holding))
}

/// What the minimum of a container's own throughput depends on.
fn holding(container: &ContainerEntry, record: &ThroughputRecord) -> Holding {
    let partitions = &container.map().partitions;
    let bytes = partitions.iter().map(|partition| partition.published.usage().item_bytes);
    Holding { item_bytes: bytes.sum(), highest_ever: record.highest_ever, sharing: 0 }
}

/// What the minimum of shared throughput depends on.
fn holding_of(database: &DatabaseEntry, record: &ThroughputRecord) -> Holding {
    let sharing = database.containers.values();
    let sharing = sharing.filter(|container| container.record().throughput.is_none());
    sharing.fold(Holding { highest_ever: record.highest_ever, ..Holding::default() }, |sum, one| {
        let item_bytes = sum.item_bytes + holding(one, record).item_bytes;
        Holding { item_bytes, sharing: sum.sharing + 1, ..sum }
    })
}

fn resource(
    owner: ResourceId,
    record: &ThroughputRecord,
    holding: Holding,
    pending: bool,
) -> ThroughputResource {
    ThroughputResource {
        throughput: record.throughput,
        owner,
        highest_ever: record.highest_ever,
        replaced_at: record.replaced_at,
        least: least(record.throughput, holding),
        item_bytes: holding.item_bytes,
        pending,
    }
}
