//! Looking at what went by: written items, read items and queries, as far as the samples want them.
//!
//! Owns who looks at what. Does not own the samples. Nothing here can fail a request.

use std::sync::Arc;

use model::{Json, Object, RequestCharge};

use super::operation_kind::OperationKind;
use super::shapes::PageUse;
use crate::catalog::Container;
use crate::engine::Engine;
use crate::outcome::{BatchAnswer, BatchEffect, Item, Outcome, ReadAnswer};
use crate::query::QueryItems;

impl Engine {
    /// A whole item was written, or a patch.
    pub(crate) fn look_at_written(
        &self,
        container: &Container,
        kind: OperationKind,
        object: Option<&Object>,
        (item, charge): (&Item, RequestCharge),
    ) {
        let usage = &container.usage;
        if let Some(object) = object
            && usage.written_paths.is_next_in_sample()
        {
            usage.written_paths.look_at(object, &container.live());
        }
        if self.core.settings.record_traffic {
            let (random, bytes) = (self.core.environment.random(), item.text().len());
            usage.traffic.item(random, kind, charge, (|| item.to_json(), bytes));
        }
    }

    /// A batch was committed.
    pub(crate) fn look_at_batch(
        &self,
        container: &Container,
        objects: &[Option<Arc<Object>>],
        answers: &[BatchAnswer],
    ) {
        for (object, answer) in objects.iter().zip(answers) {
            let (BatchEffect::Created(item) | BatchEffect::Replaced(item)) = &answer.effect else {
                continue;
            };
            let kind = OperationKind::Batch;
            self.look_at_written(container, kind, object.as_deref(), (item, answer.charge));
        }
    }

    /// An item was read by its id.
    pub(crate) fn look_at_read(&self, container: &Container, read: &Outcome<ReadAnswer>) {
        if !self.core.settings.record_traffic {
            return;
        }
        if let ReadAnswer::Found(item) = &read.value {
            let random = self.core.environment.random();
            let item_and_bytes = (|| -> Json { item.to_json() }, item.text().len());
            container.usage.traffic.item(random, OperationKind::Read, read.charge, item_and_bytes);
        }
    }

    /// A page of a query was answered.
    pub(crate) fn look_at_query(
        &self,
        container: &Container,
        query: &QueryItems,
        page: &PageUse<'_>,
    ) {
        container.usage.shapes.count(page);
        if self.core.settings.record_traffic {
            container.usage.traffic.query(self.core.environment.random(), query, page.charge);
        }
    }
}
