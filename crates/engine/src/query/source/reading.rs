//! Reads of one page: one snapshot, one moment, and counts of everything touched.
//!
//! Owns the calls of the store, so that no term and no item is read uncounted; and the pause between batches, in
//! which other requests run, the caller can go away and the time is looked at.

use std::sync::Arc;
use std::time::Duration;

use model::TimestampMs;
use storage::{
    Direction, KeyRange, Read, Scan, ScanLimit, ScanPage, Shard, StorageKey, StorageValue,
};

use super::term::Shape;
use crate::catalog::{ContainerIdentity, ContainerLive};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::item::ItemRecord;
use crate::key_layout::{ITEMS, TERMS, shape_of, shape_paths_range};
use crate::query::answer::QueryMetrics;
use crate::query::bill::Bill;
use crate::query::request::QueryLimits;

/// Bytes of items held by one batch, roughly.
const BATCH_BYTES: usize = 1024 * 1024;

/// Lists of shapes read at a time.
const SHAPES_AT_ONCE: usize = 256;

/// One page being read.
pub(in crate::query) struct Reading {
    engine: Engine,
    view: Arc<dyn Read>,
    /// The states of the partitions in the view, as they are stored.
    states: Vec<(Shard, StorageValue)>,
    pub(in crate::query) identity: Arc<ContainerIdentity>,
    pub(in crate::query) live: Arc<ContainerLive>,
    /// The moment the page is read at: expiry is asked of this one only.
    pub(in crate::query) now: TimestampMs,
    pub(in crate::query) metrics: QueryMetrics,
    pub(in crate::query) bill: Bill,
    started: Duration,
    time_max: Option<Duration>,
}

impl Reading {
    pub(in crate::query) fn new(
        engine: &Engine,
        (view, states): (Arc<dyn Read>, Vec<(Shard, StorageValue)>),
        identity: &Arc<ContainerIdentity>,
        live: &Arc<ContainerLive>,
        limits: &QueryLimits,
    ) -> Self {
        Self {
            engine: engine.clone(),
            view,
            states,
            identity: Arc::clone(identity),
            live: Arc::clone(live),
            now: engine.now(),
            metrics: QueryMetrics::default(),
            bill: Bill::default(),
            started: engine.stopwatch(),
            time_max: limits.time_max,
        }
    }

    /// The snapshot, for what is neither a term nor an item.
    pub(in crate::query) fn view(&self) -> &dyn Read {
        self.view.as_ref()
    }

    /// Items of a range, expired ones included.
    pub(in crate::query) async fn scan_items(
        &mut self,
        shard: Shard,
        range: KeyRange,
        items_max: usize,
    ) -> Result<ScanPage> {
        let started = self.engine.stopwatch();
        let limit = ScanLimit { entries_max: items_max, bytes_max: BATCH_BYTES };
        let page = self.view.scan(shard, ITEMS, &Scan::forward(range, limit)).await?;
        self.metrics.load_time += self.since(started);
        self.bill.visit(shard);
        self.metrics.items_scanned += page.entries.len() as u64;
        self.metrics.full_scan = true;
        Ok(page)
    }

    /// Terms of a range.
    pub(in crate::query) async fn scan_terms(
        &mut self,
        shard: Shard,
        scan: &Scan,
    ) -> Result<ScanPage> {
        let started = self.engine.stopwatch();
        let page = self.view.scan(shard, TERMS, scan).await?;
        self.metrics.index_time += self.since(started);
        self.bill.visit(shard);
        self.metrics.index_entries += page.entries.len() as u64;
        self.metrics.index_seeks += 1;
        Ok(page)
    }

    /// The shapes of a partition: those that are known for its state, or read term by term.
    pub(in crate::query) async fn shapes(&mut self, shard: Shard) -> Result<Arc<[Shape]>> {
        let state = self.states.iter().find(|(known, _)| *known == shard);
        let state = state.map(|(_, state)| state.clone());
        let cache = Arc::clone(&self.engine.core.shapes);
        if let Some(known) = state.as_ref().and_then(|state| cache.at(shard, state)) {
            return Ok(known);
        }
        let mut shapes = Vec::new();
        let mut range = shape_paths_range();
        loop {
            let scan = Scan::forward(range.clone(), ScanLimit::entries(SHAPES_AT_ONCE));
            let page = self.scan_terms(shard, &scan).await?;
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
            cache.remember(shard, state, &shapes);
        }
        Ok(shapes)
    }

    /// Whether some terms exist; each counts as read.
    pub(in crate::query) async fn probe_terms(
        &mut self,
        shard: Shard,
        keys: &[StorageKey],
    ) -> Result<Vec<bool>> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let started = self.engine.stopwatch();
        let found = self.view.get_many(shard, TERMS, keys).await?;
        self.metrics.index_time += self.since(started);
        self.metrics.index_entries += keys.len() as u64;
        self.metrics.index_seeks += 1;
        Ok(found.into_iter().map(|value| value.is_some()).collect())
    }

    /// The items of some keys; those that are gone or expired are none.
    pub(in crate::query) async fn load(
        &mut self,
        shard: Shard,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<ItemRecord>>> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let started = self.engine.stopwatch();
        let stored = self.view.get_many(shard, ITEMS, keys).await?;
        self.metrics.load_time += self.since(started);
        self.metrics.items_loaded += keys.len() as u64;
        let mut records = Vec::with_capacity(stored.len());
        for value in stored {
            let record = value.map(ItemRecord::decode).transpose()?;
            records.push(record.and_then(|record| self.living(record)));
        }
        Ok(records)
    }

    /// A record that was read, if its item can be found: it has not expired, and was not left out of the index. What
    /// a query finds must not depend on whether it uses the index.
    pub(in crate::query) fn living(&mut self, record: ItemRecord) -> Option<ItemRecord> {
        self.metrics.retrieved_items += 1;
        self.metrics.retrieved_bytes += record.body_len() as u64;
        let is_found = record.header.indexed || !self.live.is_indexed();
        (is_found && !self.live.is_expired(&record.header, self.now)).then_some(record)
    }

    /// How many items to load at once, so that a batch of large ones does not fill the memory.
    pub(in crate::query) fn batch_items(&self, wanted: usize) -> usize {
        const FIRST: u64 = 64;
        const MOST: u64 = 512;
        let metrics = &self.metrics;
        let most = match metrics.retrieved_bytes.checked_div(metrics.retrieved_items) {
            Some(average) => (BATCH_BYTES as u64 / average.max(1)).clamp(1, MOST),
            None => FIRST,
        };
        wanted.clamp(1, usize::try_from(most).unwrap_or(1))
    }

    /// Lets others run; says whether time is left.
    pub(in crate::query) async fn breathe(&mut self) -> bool {
        tokio::task::yield_now().await;
        self.time_max.is_none_or(|time_max| self.elapsed() < time_max)
    }

    /// The time given, when it is given.
    pub(in crate::query) fn time_max(&self) -> Option<Duration> {
        self.time_max
    }

    /// Since the page began.
    pub(in crate::query) fn elapsed(&self) -> Duration {
        self.since(self.started)
    }

    fn since(&self, started: Duration) -> Duration {
        self.engine.stopwatch().saturating_sub(started)
    }
}
