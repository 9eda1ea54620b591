//! Containers: create, read, replace, list; their partitions while the engine runs.
//!
//! Owns the running container and the operations on it. Does not own splits and merges (`restructure`) or index
//! rebuilds (`maintenance`), which change its record through the functions here.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use model::{ContainerProperties, DatabaseId, EpkRange, ResourceId, Throughput};

use super::address::ContainerExtension;
use super::database::{already_exists, metadata_read, metadata_written};
use super::if_match::check_if_match;
use super::record::{ContainerRecord, PartitionRecord, ThroughputRecord};
use super::store::{CatalogStore, CatalogWrite};
use super::view::DatabaseEntry;
use crate::container::{CompiledProperties, ContainerIdentity, CurrentProperties};
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::operation::{ContainerLink, CreateContainer, ReplaceContainer};
use crate::partition::{
    PartitionIdentity, PartitionMap, PhysicalPartition, Restructuring, WriterContext, WriterPause,
    start_writer,
};
use crate::response::{ContainerResource, Response, Usage};
use crate::throughput::ContainerThroughput;

/// A container with its running partitions.
#[derive(Debug)]
pub(crate) struct ContainerEntry {
    pub(crate) link: ContainerLink,
    pub(crate) identity: Arc<ContainerIdentity>,
    compiled: Arc<CurrentProperties>,
    record: RwLock<ContainerRecord>,
    map: RwLock<Arc<PartitionMap>>,
    deleted: AtomicBool,
    pub(crate) restructuring: Restructuring,
    pub(crate) throughput: ContainerThroughput,
    pub(crate) extension: ContainerExtension,
}

impl ContainerEntry {
    /// Starts the writers of a stored container.
    pub(crate) async fn start(
        engine: &Engine,
        database: &DatabaseId,
        record: ContainerRecord,
    ) -> Result<Self> {
        let identity = ContainerIdentity::new(record.rid, record.properties.partition_key.clone());
        let compiled = CompiledProperties::new(
            record.properties.clone(),
            record.generation,
            &record.older_policies,
            engine.core.settings.version_retention_seconds,
        );
        let link =
            ContainerLink { database: database.clone(), container: record.properties.id.clone() };
        let container = Self {
            link,
            identity: Arc::new(identity),
            compiled: Arc::new(CurrentProperties::new(compiled)),
            // Empty until the writers run. Nobody sees the container before it is in the view.
            map: RwLock::new(Arc::new(PartitionMap { generation: 0, partitions: Vec::new() })),
            deleted: AtomicBool::new(false),
            restructuring: Restructuring::default(),
            throughput: ContainerThroughput::new(engine.core.shared_throughputs.gate(record.rid)),
            record: RwLock::new(record),
            extension: ContainerExtension::default(),
        };
        let record = container.record();
        let mut partitions = Vec::new();
        for partition in &record.partitions {
            partitions.push(container.start_partition(engine, partition).await?);
        }
        container.replace_map(record.map_generation, partitions);
        // The gate follows the number of partitions; `replace_map` above has set it.
        container.refresh_enforcement(engine);
        Ok(container)
    }

    /// Starts the writer of one partition; it is not in the map yet.
    pub(crate) async fn start_partition(
        &self,
        engine: &Engine,
        record: &PartitionRecord,
    ) -> Result<Arc<PhysicalPartition>> {
        let identity = PartitionIdentity { number: record.number, shard: record.shard };
        let context = WriterContext {
            store: Arc::clone(&engine.core.store),
            environment: engine.core.environment.clone(),
            settings: Arc::clone(&engine.core.settings),
            container: Arc::clone(&self.identity),
            compiled: Arc::clone(&self.compiled),
            identity,
        };
        let writer = start_writer(context).await?;
        let origin = (record.range.clone(), record.parents.clone());
        let throughput = self.throughput.partition(record.number);
        Ok(Arc::new(PhysicalPartition::new(identity, origin, writer, throughput)))
    }

    pub(crate) fn compiled(&self) -> Arc<CompiledProperties> {
        self.compiled.current()
    }

    pub(crate) fn map(&self) -> Arc<PartitionMap> {
        Arc::clone(&self.map.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn replace_map(&self, generation: u64, mut partitions: Vec<Arc<PhysicalPartition>>) {
        partitions.sort_by(|left, right| left.range.min.cmp(&right.range.min));
        let map = Arc::new(PartitionMap { generation, partitions });
        // Replaced as a whole: a request works with one map to its end.
        *self.map.write().unwrap_or_else(PoisonError::into_inner) = map;
        self.refresh_gate();
    }

    /// Waits until the map no longer contains a partition that is retired.
    pub(crate) async fn wait_for_map_without(&self, retired: &PhysicalPartition) -> Result<()> {
        if self.deleted.load(Ordering::SeqCst) {
            return Err(Error::owner_not_found("container", &self.link));
        }
        let is_in_map = || self.map().by_number(retired.identity.number).is_some();
        if is_in_map() {
            // A partition is retired shortly before the map is replaced, and both happen under this lock. Waiting for
            // the lock therefore means waiting for the new map.
            drop(self.restructuring.lock().await);
        }
        // Still there: the switch has failed after the partition was retired, so nobody knows which map the store has.
        if is_in_map() { Err(Error::closed()) } else { Ok(()) }
    }

    pub(crate) fn record(&self) -> ContainerRecord {
        self.record.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn replace_record(&self, record: ContainerRecord) {
        *self.record.write().unwrap_or_else(PoisonError::into_inner) = record;
        self.refresh_gate();
    }

    /// Pauses all writers: nothing is written while the pauses are alive.
    pub(crate) async fn pause_writers(&self) -> Vec<WriterPause> {
        let mut pauses = Vec::new();
        for partition in &self.map().partitions {
            // A writer that cannot be paused has ended already.
            pauses.extend(partition.pause().await.ok());
        }
        pauses
    }

    /// Ends all writers. No read or write is answered after this.
    pub(crate) async fn retire(&self, pauses: Vec<WriterPause>) {
        self.deleted.store(true, Ordering::SeqCst);
        // The flag is set first: `wait_for_map_without` must answer "deleted" to readers that the retirement below
        // turns away.
        let map = self.map();
        // Readers first: once a writer has ended, a read that it would have made stale must not be answered.
        map.partitions.iter().for_each(|partition| partition.published.retire());
        pauses.into_iter().for_each(WriterPause::retire);
        for partition in &map.partitions {
            // A deletion returns only when nothing can write to the shards any more: they may be reclaimed right
            // after.
            partition.writer_ended().await;
        }
    }

    /// Follows the throughput and the number of partitions that the container has now.
    fn refresh_gate(&self) {
        let own = self.record().throughput.map(|record| record.throughput);
        self.throughput.gate.set(own, self.map().partitions.len());
    }

    /// Adds to a write: the container is removed, its shards are to be reclaimed.
    pub(crate) fn write_removal(&self, write: &mut CatalogWrite) {
        write.remove_container(&self.link.database, &self.link.container);
        for partition in self.record().partitions {
            write.reclaim(partition.shard);
        }
    }

    fn resource(&self) -> ContainerResource {
        let record = self.record();
        let usages =
            self.map().partitions.iter().map(|partition| partition.published.usage()).fold(
                Usage::default(),
                |sum, usage| Usage {
                    items: sum.items + usage.items,
                    item_bytes: sum.item_bytes + usage.item_bytes,
                },
            );
        ContainerResource {
            index_progress_percent: self.index_progress_percent(),
            properties: record.properties,
            rid: record.rid,
            etag: record.etag,
            timestamp: record.timestamp,
            usage: usages,
        }
    }

    /// Items whose terms follow the newest policy, as a share of all.
    fn index_progress_percent(&self) -> u8 {
        let generation = self.compiled().generation;
        let (mut done, mut all, mut finished) = (0, 0, true);
        for partition in &self.map().partitions {
            let items = partition.published.usage().items;
            let (rebuilt, follows) = partition.published.index_progress();
            all += items;
            // Items deleted during a rebuild stay in `rebuilt`, so it may exceed what there is.
            done += if follows == generation { items } else { rebuilt.min(items) };
            finished &= follows == generation;
        }
        if finished {
            return 100;
        }
        // Only the generation says that a rebuild is finished; the percentage may round up to 100 before.
        u8::try_from((done * 100).checked_div(all).unwrap_or(0).min(99)).unwrap_or(99)
    }
}

impl Engine {
    /// Creates a container.
    ///
    /// # Errors
    /// `Conflict` when the id is taken, `OwnerNotFound` without database, `Invalid` for properties or throughput the
    /// service would not take.
    pub async fn create_container(
        &self,
        operation: CreateContainer,
    ) -> Result<Response<ContainerResource>> {
        check(&operation.properties)?;
        let mut catalog = self.core.catalog.lock().await;
        let database = self.database(&operation.database)?;
        let id = operation.properties.id.clone();
        if database.containers.contains_key(&id) {
            return Err(already_exists("container", &id));
        }
        let record = self.new_container(&mut catalog, &database, operation);
        let mut write = CatalogWrite::default();
        write.put_container(&database.record.properties.id, &record);
        // The commit comes first: a container must not take writes before the catalog knows its shards, or a crash
        // would lose them.
        catalog.commit(write).await?;
        let container = ContainerEntry::start(self, &database.record.properties.id, record).await?;
        let value = container.resource();
        let mut database = DatabaseEntry::clone(&database);
        database.containers.insert(id, Arc::new(container));
        self.replace_view(self.view().with_database(database));
        Ok(metadata_written(value))
    }

    fn new_container(
        &self,
        catalog: &mut CatalogStore,
        database: &DatabaseEntry,
        operation: CreateContainer,
    ) -> ContainerRecord {
        let shared = database.record.throughput.is_some();
        let throughput = operation
            .throughput
            // A container in a database with throughput of its own shares that; any other has at least the minimum.
            .or_else(|| (!shared).then(Throughput::minimum))
            .map(ThroughputRecord::new);
        let count =
            throughput.as_ref().map_or(1, |record| record.throughput.partitions_at_creation());
        let definition = &operation.properties.partition_key;
        let partitions: Vec<_> = EpkRange::equal_parts(count as usize, definition)
            .into_iter()
            .zip(0..)
            .map(|(range, number)| PartitionRecord {
                number,
                shard: catalog.new_shard(),
                range,
                parents: Vec::new(),
            })
            .collect();
        let timestamp = self.now().seconds();
        ContainerRecord {
            rid: self.new_container_rid(database),
            etag: catalog.new_etag(timestamp),
            timestamp,
            throughput,
            enforce_throughput: None,
            generation: 0,
            older_policies: Default::default(),
            map_generation: 1,
            // Numbers begin at zero; this one was not given out yet.
            next_partition: count,
            partitions,
            properties: operation.properties,
        }
    }

    fn new_container_rid(&self, database: &DatabaseEntry) -> ResourceId {
        loop {
            // 31 bits: the top bit of the number marks a container in a resource id.
            let number = u32::try_from(self.core.environment.random() >> 33).unwrap_or_default();
            let rid = ResourceId::container(&database.record.rid, number);
            let is_taken =
                database.containers.values().any(|container| container.identity.rid == rid);
            if number != 0 && !is_taken {
                return rid;
            }
        }
    }

    /// Reads a container.
    ///
    /// # Errors
    /// `OwnerNotFound` when there is none.
    pub async fn read_container(
        &self,
        link: &ContainerLink,
    ) -> Result<Response<ContainerResource>> {
        Ok(metadata_read(self.container(link)?.resource()))
    }

    /// Lists the containers of a database by id.
    ///
    /// # Errors
    /// `OwnerNotFound` when there is no such database.
    pub async fn list_containers(
        &self,
        database: &DatabaseId,
    ) -> Result<Response<Vec<ContainerResource>>> {
        let database = self.database(database)?;
        let mut containers: Vec<_> =
            database.containers.values().map(|container| container.resource()).collect();
        containers.sort_by(|left, right| left.properties.id.cmp(&right.properties.id));
        Ok(metadata_read(containers))
    }

    /// Replaces the properties of a container. A new time to live applies at once, also to old items; a new indexing
    /// policy is applied by a rebuild in the background.
    ///
    /// # Errors
    /// `Immutable` when the partition key, the unique keys or another fixed part differs, `PreconditionFailed` when
    /// the etag is another, `OwnerNotFound` when there is no such container.
    pub async fn replace_container(
        &self,
        operation: ReplaceContainer,
    ) -> Result<Response<ContainerResource>> {
        let mut catalog = self.core.catalog.lock().await;
        let container = self.container(&operation.link)?;
        let mut record = container.record();
        check_if_match(operation.precondition.as_ref(), record.etag)?;
        record
            .properties
            // Immutable parts are those that stored keys depend on: changing them would orphan every item.
            .check_replace(&operation.properties)
            .map_err(|property| Error::new(ErrorKind::Immutable(property), property.message()))?;
        check(&operation.properties)?;
        // The old policy is kept until every partition is rebuilt: removing an item's terms needs the policy by which
        // they were written.
        if record.properties.indexing_policy != operation.properties.indexing_policy {
            let old = record.properties.indexing_policy.clone();
            record.older_policies.insert(record.generation, old);
            record.generation += 1;
        }
        record.properties = operation.properties;
        record.timestamp = self.now().seconds();
        record.etag = catalog.new_etag(record.timestamp);
        let mut write = CatalogWrite::default();
        write.put_container(&operation.link.database, &record);
        catalog.commit(write).await?;
        // After the commit: a policy that is in use but not stored would be lost by a crash, with terms that follow it.
        container.compiled.replace(CompiledProperties::new(
            record.properties.clone(),
            record.generation,
            &record.older_policies,
            self.core.settings.version_retention_seconds,
        ));
        container.replace_record(record);
        Ok(metadata_written(container.resource()))
    }
}

/// Refuses properties that the service would refuse.
fn check(properties: &ContainerProperties) -> Result<()> {
    properties.validate()?;
    query::ComputedProperties::new(&properties.computed_properties)?;
    Ok(())
}
