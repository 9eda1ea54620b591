//! The end of large items: validated, sampled and dropped on a thread, because each visits every value.
//!
//! Owns the way of a large item around its write. Does not own the write.

use std::sync::Arc;

use model::{MeasuredJson, PartitionKey, RequestCharge};

use super::prepare::PreparableTransaction;
use crate::catalog::ContainerEntry;
use crate::engine::Engine;
use crate::error::Result;
use crate::item::input::{self, NewItem};
use crate::item::write::ItemWrite;
use crate::metering::OperationKind;
use crate::response::ItemResource;

impl Engine {
    /// Validates an item as callers send it.
    pub(crate) async fn check_input(
        &self,
        container: &Arc<ContainerEntry>,
        partition_key: Option<PartitionKey>,
        item: MeasuredJson,
    ) -> Result<NewItem> {
        if !self.is_large(item.printed_bytes()) {
            let item = self.stored_form(item);
            return input::check(&container.identity, partition_key.as_ref(), item);
        }
        let (engine, container) = (self.clone(), Arc::clone(container));
        let check = move || {
            let item = engine.stored_form(item);
            input::check(&container.identity, partition_key.as_ref(), item)
        };
        self.run_long(check).await?
    }

    /// Samples large items on a thread, where they are dropped as well.
    pub(crate) fn sample_large(
        &self,
        container: &Arc<ContainerEntry>,
        kind: OperationKind,
        writes: Vec<(ItemWrite, Option<(ItemResource, RequestCharge)>)>,
    ) {
        let (engine, container) = (self.clone(), Arc::clone(container));
        let sample = move || {
            for (write, written) in writes {
                if let Some((item, charge)) = written {
                    engine.sample_write(&container, kind, write.new_item(), (&item, charge));
                }
            }
        };
        self.run_unattended(sample);
    }

    /// Drops what is left of a failed transaction; a large one on a thread.
    pub(crate) fn discard<T: PreparableTransaction>(&self, transaction: Option<T>) {
        if let Some(transaction) =
            transaction.filter(|transaction| self.is_large(transaction.bytes()))
        {
            self.run_unattended(move || drop(transaction));
        }
    }

    fn run_unattended(&self, work: impl FnOnce() + Send + 'static) {
        let engine = self.clone();
        // Nobody waits for it. A closed engine has nothing to report.
        self.core.environment.spawn(async move { drop(engine.run_long(work).await) });
    }
}
