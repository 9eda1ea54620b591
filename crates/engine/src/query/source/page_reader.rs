//! Reads of one page: one snapshot, one timestamp, and counts of everything read.
//!
//! All store reads of a query pass through here, so that none is left uncounted. Between batches it yields to other
//! tasks and checks the time limit.

use std::sync::Arc;
use std::time::Duration;

use model::{RequestCharge, TimestampMs};
use storage::{
    Direction, KeyRange, Read, Scan, ScanLimit, ScanPage, Shard, Space, StorageKey, StorageValue,
};

use super::term::Shape;
use crate::container::{CompiledProperties, ContainerIdentity};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::key_layout::{ITEMS, TERMS, shape_of, shape_paths_range};
use crate::query::charge::ChargeAccumulator;
use crate::query::planned::PartitionIndexes;
use crate::query::prepare::FunctionCalls;
use crate::query::request::QueryLimits;
use crate::query::response::QueryMetrics;
use crate::record::ItemRecord;

/// Approximate bytes of the items in one batch.
const BATCH_BYTES: usize = 1024 * 1024;

/// Shapes read at a time.
const SHAPES_PER_SCAN: usize = 256;

/// Reads the items and terms of one page.
pub(in crate::query) struct PageReader {
    engine: Engine,
    snapshot: Arc<dyn Read>,
    /// The encoded states of the partitions in the snapshot.
    states: Vec<(Shard, StorageValue)>,
    /// Partitions of an older store whose items are not listed yet.
    unlisted: Vec<Shard>,
    pub(in crate::query) identity: Arc<ContainerIdentity>,
    pub(in crate::query) compiled: Arc<CompiledProperties>,
    /// The timestamp of the page; expiry is decided by it.
    pub(in crate::query) now: TimestampMs,
    pub(in crate::query) metrics: QueryMetrics,
    pub(in crate::query) charges: ChargeAccumulator,
    /// The user-defined functions that the query calls.
    pub(in crate::query) functions: Option<Arc<FunctionCalls>>,
    started: Duration,
    time_max: Option<Duration>,
}

impl PageReader {
    pub(in crate::query) fn new(
        engine: &Engine,
        (snapshot, partitions): (Arc<dyn Read>, PartitionIndexes),
        identity: &Arc<ContainerIdentity>,
        compiled: &Arc<CompiledProperties>,
        limits: &QueryLimits,
    ) -> Self {
        Self {
            engine: engine.clone(),
            snapshot,
            states: partitions.states,
            unlisted: partitions.unlisted,
            identity: Arc::clone(identity),
            compiled: Arc::clone(compiled),
            now: engine.now(),
            metrics: QueryMetrics::default(),
            charges: ChargeAccumulator::new(partitions.sizes),
            functions: None,
            started: engine.stopwatch(),
            time_max: limits.time_max,
        }
    }

    /// What the calls of user-defined functions cost.
    pub(in crate::query) fn function_charge(&self) -> RequestCharge {
        let count = self.functions.as_ref().map_or(0, |functions| functions.count());
        model::charge::function_calls(count)
    }

    pub(in crate::query) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The snapshot, for reads that are neither terms nor items.
    pub(in crate::query) fn snapshot(&self) -> &dyn Read {
        self.snapshot.as_ref()
    }

    /// Items in a key range, including expired ones.
    pub(in crate::query) async fn scan_items(
        &mut self,
        shard: Shard,
        range: KeyRange,
        items_max: usize,
    ) -> Result<ScanPage> {
        let started = self.engine.stopwatch();
        let limit = ScanLimit { entries_max: items_max, bytes_max: BATCH_BYTES };
        let page = self.snapshot.scan(shard, ITEMS, &Scan::forward(range, limit)).await?;
        self.metrics.load_time += self.since(started);
        self.charges.record_partition(shard);
        self.metrics.items_scanned += page.entries.len() as u64;
        // A scan reads in key order without an index, even if a partition key bounds it.
        self.metrics.full_scan = true;
        Ok(page)
    }

    /// Entries of the list of all items. They are no part of an index: what counts as read are the items.
    pub(in crate::query) async fn scan_listing(
        &mut self,
        shard: Shard,
        range: KeyRange,
        entries_max: usize,
    ) -> Result<ScanPage> {
        let started = self.engine.stopwatch();
        let scan = Scan::forward(range, ScanLimit::entries(entries_max));
        let page = self.snapshot.scan(shard, TERMS, &scan).await?;
        self.metrics.load_time += self.since(started);
        self.charges.record_partition(shard);
        self.metrics.full_scan = true;
        Ok(page)
    }

    /// Loads items that a scan has found in that list.
    pub(in crate::query) async fn load_scanned(
        &mut self,
        shard: Shard,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<ItemRecord>>> {
        let records = self.load_records(shard, keys).await?;
        self.metrics.items_scanned += keys.len() as u64;
        Ok(records)
    }

    /// Whether all items of a partition are listed in the order of creation.
    pub(in crate::query) fn is_listed(&self, shard: Shard) -> bool {
        !self.unlisted.contains(&shard)
    }

    /// Whether this many items of a partition fit into a batch, by their average size.
    pub(in crate::query) fn is_small(&self, shard: Shard, items: usize) -> bool {
        let average = self.charges.average_bytes(shard);
        average
            .is_some_and(|average| average.saturating_mul(items as u64) <= BATCH_BYTES as u64 / 2)
    }

    /// Whether a key range has an entry. Not counted and not charged: it only decides whether a full page is the last.
    pub(in crate::query) async fn find_entry(
        &self,
        shard: Shard,
        space: Space,
        range: &KeyRange,
    ) -> Result<bool> {
        let scan = Scan::forward(range.clone(), ScanLimit::entries(1));
        Ok(!self.snapshot.scan(shard, space, &scan).await?.entries.is_empty())
    }

    /// Index terms in a key range.
    pub(in crate::query) async fn scan_terms(
        &mut self,
        shard: Shard,
        scan: &Scan,
    ) -> Result<ScanPage> {
        let started = self.engine.stopwatch();
        let page = self.snapshot.scan(shard, TERMS, scan).await?;
        self.metrics.index_time += self.since(started);
        self.charges.record_partition(shard);
        self.metrics.index_entries += page.entries.len() as u64;
        self.metrics.index_seeks += 1;
        Ok(page)
    }

    /// The shapes of a partition, from the cache if it has them for the partition's state.
    pub(in crate::query) async fn shapes(&mut self, shard: Shard) -> Result<Arc<[Shape]>> {
        let started = self.engine.stopwatch();
        let (shapes, scans) = self.find_shapes(shard).await?;
        if scans > 0 {
            self.metrics.index_time += self.since(started);
            self.charges.record_partition(shard);
            self.metrics.index_entries += shapes.len() as u64;
            self.metrics.index_seeks += scans;
        }
        Ok(shapes)
    }

    /// The shapes of a partition and the number of scans that it took, which are not counted as work of the page.
    pub(in crate::query) async fn find_shapes(&self, shard: Shard) -> Result<(Arc<[Shape]>, u64)> {
        // The state of the same snapshot: with a newer one, the cache could return shapes that the snapshot does not
        // have.
        let state = self.states.iter().find(|(known, _)| *known == shard);
        let state = state.map(|(_, state)| state.clone());
        let cache = Arc::clone(&self.engine.core.shape_cache);
        if let Some(known) = state.as_ref().and_then(|state| cache.get(shard, state)) {
            return Ok((known, 0));
        }
        let (mut shapes, mut scans) = (Vec::new(), 0);
        let mut range = shape_paths_range();
        loop {
            let scan = Scan::forward(range.clone(), ScanLimit::entries(SHAPES_PER_SCAN));
            let page = self.snapshot.scan(shard, TERMS, &scan).await?;
            scans += 1;
            for entry in &page.entries {
                let number = shape_of(&entry.key)
                    .ok_or_else(|| Error::corrupt("the key of a shape is damaged"))?;
                shapes.push(Shape { number, paths: entry.value.clone() });
            }
            match page.entries.last() {
                Some(last) if page.more => {
                    range = range.after(last.key.clone(), Direction::Forward);
                }
                _ => break,
            }
        }
        let shapes = shapes.into();
        if let Some(state) = &state {
            // Without a state nothing identifies the moment the shapes belong to, so nothing is cached.
            cache.insert(shard, state, &shapes);
        }
        Ok((shapes, scans))
    }

    /// Whether terms exist. Each counts as read.
    pub(in crate::query) async fn probe_terms(
        &mut self,
        shard: Shard,
        keys: &[StorageKey],
    ) -> Result<Vec<bool>> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let started = self.engine.stopwatch();
        let found = self.snapshot.get_many(shard, TERMS, keys).await?;
        self.metrics.index_time += self.since(started);
        self.metrics.index_entries += keys.len() as u64;
        self.metrics.index_seeks += 1;
        Ok(found.into_iter().map(|value| value.is_some()).collect())
    }

    /// Loads items by key; `None` for those that were deleted or have expired.
    pub(in crate::query) async fn load(
        &mut self,
        shard: Shard,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<ItemRecord>>> {
        let records = self.load_records(shard, keys).await?;
        self.metrics.items_loaded += keys.len() as u64;
        Ok(records)
    }

    async fn load_records(
        &mut self,
        shard: Shard,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<ItemRecord>>> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let started = self.engine.stopwatch();
        let stored = self.snapshot.get_many(shard, ITEMS, keys).await?;
        self.metrics.load_time += self.since(started);
        let mut records = Vec::with_capacity(stored.len());
        for value in stored {
            let record = value.map(ItemRecord::decode).transpose()?;
            records.push(record.and_then(|record| self.visible_record(record)));
        }
        Ok(records)
    }

    /// Counts a record and returns it unless its item has expired or was excluded from the index. The latter keeps
    /// results independent of whether a query uses the index.
    pub(in crate::query) fn visible_record(&mut self, record: ItemRecord) -> Option<ItemRecord> {
        self.metrics.retrieved_items += 1;
        self.metrics.retrieved_bytes += record.body_len() as u64;
        // An item that was written with the directive "exclude" has no terms. A scan must not find it either, while
        // the container has an index at all.
        let is_found = record.header.indexed || !self.compiled.is_indexed();
        (is_found && !self.compiled.is_expired(&record.header, self.now)).then_some(record)
    }

    /// How many items to load at once: fewer if the items so far were large, to bound memory.
    pub(in crate::query) fn batch_size(&self, wanted: usize) -> usize {
        const INITIAL: u64 = 64;
        const LARGEST: u64 = 512;
        let metrics = &self.metrics;
        // Sizes are unknown before the first batch, so start with a moderate one.
        let batch_max = match metrics.retrieved_bytes.checked_div(metrics.retrieved_items) {
            // At least one, or a page over items larger than a batch would never advance.
            Some(average) => (BATCH_BYTES as u64 / average.max(1)).clamp(1, LARGEST),
            None => INITIAL,
        };
        wanted.clamp(1, usize::try_from(batch_max).unwrap_or(1))
    }

    /// Yields to other tasks; returns whether time is left.
    pub(in crate::query) async fn yield_and_check_time(&mut self) -> bool {
        // Reads run on the calling thread and may never wait. Without this, a long query would starve its runtime
        // thread.
        tokio::task::yield_now().await;
        self.time_max.is_none_or(|time_max| self.elapsed() < time_max)
    }

    /// Time since the page began.
    pub(in crate::query) fn elapsed(&self) -> Duration {
        self.since(self.started)
    }

    fn since(&self, started: Duration) -> Duration {
        self.engine.stopwatch().saturating_sub(started)
    }
}
