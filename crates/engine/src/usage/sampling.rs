//! Which requests are counted, and sampling of them: written items, read items and queries.
//!
//! Owns which requests go into which sample: none of those of a handle that is not counted. Does not own the samples
//! (`metering`). Nothing here can fail a request.

use std::sync::Arc;

use model::{Json, RequestCharge};

use crate::catalog::ContainerEntry;
use crate::engine::Engine;
use crate::item::ItemWrite;
use crate::metering::{MeteredRequest, OperationKind, PageUse, SampledQuery};
use crate::query::QueryItems;
use crate::response::{BatchEffect, BatchOperationResult, ItemResource, ReadResult, Response};

impl Engine {
    /// What admission and counters need to know about a request that begins now.
    pub(crate) fn metered(&self, kind: OperationKind) -> MeteredRequest {
        MeteredRequest { kind, now: self.now(), is_counted: self.is_counted() }
    }

    /// Samples a written item.
    pub(crate) fn sample_write(
        &self,
        container: &ContainerEntry,
        kind: OperationKind,
        new: Option<&Json>,
        (item, charge): (&ItemResource, RequestCharge),
    ) {
        if !self.is_counted() {
            return;
        }
        let usage = &container.throughput.usage;
        if let Some(new) = new
            // Decided before the item is looked at, so that the other fifteen writes pay one atomic addition.
            && usage.written_paths.select()
        {
            usage.written_paths.add(new, &container.compiled().properties.indexing_policy);
        }
        if self.core.settings.record_traffic {
            let (random, bytes) = (self.core.environment.random(), item.text().len());
            // A closure: the item is parsed only if the sample takes it.
            usage.traffic.item(random, kind, charge, (|| item.to_json(), bytes));
        }
    }

    /// Samples the items of a committed batch.
    pub(crate) fn sample_batch(
        &self,
        container: &Arc<ContainerEntry>,
        writes: Vec<ItemWrite>,
        answers: &[BatchOperationResult],
    ) {
        let written = answers.iter().map(|answer| match &answer.effect {
            BatchEffect::Created(item) | BatchEffect::Replaced(item) => {
                Some((item.clone(), answer.charge))
            }
            BatchEffect::Deleted | BatchEffect::Read(_) => None,
        });
        let samples: Vec<_> = writes.into_iter().zip(written).collect();
        let items = samples.iter().filter_map(|(_, written)| written.as_ref());
        let kind = OperationKind::Batch;
        if self.is_large(items.map(|(item, _)| item.text().len()).sum()) {
            self.sample_large(container, kind, samples);
            return;
        }
        for (write, written) in &samples {
            if let Some((item, charge)) = written {
                self.sample_write(container, kind, write.new_item(), (item, *charge));
            }
        }
    }

    /// Samples an item that was read by its id.
    pub(crate) fn sample_read(&self, container: &ContainerEntry, read: &Response<ReadResult>) {
        if !self.core.settings.record_traffic || !self.is_counted() {
            return;
        }
        if let ReadResult::Found(item) = &read.value {
            let random = self.core.environment.random();
            let item_and_bytes = (|| -> Json { item.to_json() }, item.text().len());
            container.throughput.usage.traffic.item(
                random,
                OperationKind::Read,
                read.charge,
                item_and_bytes,
            );
        }
    }

    /// Counts and samples a page of a query.
    pub(crate) fn sample_query(
        &self,
        container: &ContainerEntry,
        query: &QueryItems,
        page: &PageUse<'_>,
    ) {
        if !self.is_counted() {
            return;
        }
        container.throughput.usage.shapes.count(page);
        if self.core.settings.record_traffic {
            let QueryItems { text, parameters, feed_range, .. } = query;
            let query = SampledQuery { text, parameters, feed_range };
            let random = self.core.environment.random();
            container.throughput.usage.traffic.query(random, &query, page.charge);
        }
    }
}
